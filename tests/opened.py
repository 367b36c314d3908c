"""Note which files of the project a kernel opens, for the test of what chapters read.

The kernels of the tests' book call `watch` when they start.
"""

import os
import sys
from importlib.util import source_from_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What a build writes, what tests read, and what belongs to the environment.
OUTSIDE = {"_build", "tests", ".git"}


def record(folder, name):
    """The file that lists what the kernel of a chapter opened."""
    return folder / f"{name}-opened.txt"


def watch():
    """List each file of the project that this process reads from now on."""
    folder = Path(os.environ["TREEBOUNDS_PERTURBED"])
    chapter = Path(os.environ["TREEBOUNDS_RESULTS"]).parent.name
    # A descriptor stays open as long as the process, and each line is written at once.
    lines = os.open(record(folder, chapter), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    paths = set()

    def hook(event, arguments):
        if event != "open" or arguments[0] in paths:
            return
        paths.add(arguments[0])
        name = name_in_project(arguments[0])
        if name and not writes(arguments[1]):
            os.write(lines, f"{name}\n".encode())

    sys.addaudithook(hook)


def name_in_project(path):
    """The name of a file below the project, or of the source of its bytecode.

    It is None if the file lies elsewhere, or is no source, as numba's.
    """
    if not isinstance(path, str | os.PathLike):
        return None
    path = Path(os.path.abspath(path))
    if path.suffix == ".pyc" and path.parent.name == "__pycache__":
        path = Path(source_from_cache(path))
    if not path.is_relative_to(ROOT) or path.parent.name == "__pycache__":
        return None
    # A folder is no file; nor is a name relative to another folder than this one, as
    # when shutil.rmtree opens the parts of a path.
    if not path.is_file():
        return None

    name = path.relative_to(ROOT)
    in_environment = "site-packages" in name.parts or name.parts[0].startswith(".venv")
    if in_environment or name.parts[0] in OUTSIDE:
        return None
    return name.as_posix()


def writes(mode):
    """Whether a file that is opened in this mode is written."""
    return isinstance(mode, str) and not {"w", "a", "x"}.isdisjoint(mode)
