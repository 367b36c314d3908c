"""Install the wheel in an environment of its own and run its tests there.

    python tests/wheel.py KIND [FILE]

KIND is `newest` (the requirements alone), `fast` (with numba), `oldest` (the oldest
versions that pyproject.toml admits) or `nightly` (development versions of numpy, scipy
and scikit-learn). FILE is a wheel or an sdist; without it the wheel of this folder is
built.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("newest", "fast", "oldest", "nightly")
OWN_TESTS = (
    "tests/capacity",
    "tests/estimators",
    "tests/formats",
    "tests/pruning",
    "tests/risk",
    "tests/trees",
    "tests/test_structure.py",
)
NIGHTLY = "https://pypi.anaconda.org/scientific-python-nightly-wheels/simple"
# Half of the tests fit estimators to data frames; test_package imports the wheel
# without pandas.
TOOLS = (
    "hypothesis>=6.100",
    "mpmath>=1.3",
    "pandas>=2.2",
    "pytest>=8.3",
    "pytest-xdist>=3.6",
)
WHERE = "import treebounds; print(treebounds.__file__)"


def requirements(kind: str) -> list[str]:
    """What pip installs beside the wheel."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    needed = project["dependencies"]
    if kind == "oldest":
        return [re.sub(r">=([\d.]+)", r"==\1.*", line) for line in needed]
    if kind == "nightly":
        names = [re.split("[<>=]", line)[0] for line in needed]
        return ["--pre", "--upgrade", "--extra-index-url", NIGHTLY, *names]
    if kind == "fast":
        return project["optional-dependencies"]["fast"]
    return []


def run(kind: str, file: Path, folder: Path) -> int:
    """Build, install and test; the exit code of pytest."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"

    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, str(file), *TOOLS], check=True)
    if beside := requirements(kind):
        subprocess.run([*install, *beside], check=True)

    where = subprocess.check_output([python, "-c", WHERE], cwd=ROOT, text=True)
    if not Path(where.strip()).resolve().is_relative_to(folder.resolve()):
        raise SystemExit(f"the tests would run on {where.strip()}, not on the wheel")

    there = [name for name in OWN_TESTS if (ROOT / name).exists()]
    tests = [python, "-m", "pytest", "-q", "-rs", "-n", "2", *there]
    return subprocess.run(tests, cwd=ROOT, check=False).returncode


def main() -> None:
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    file = Path(sys.argv[2]).resolve() if len(sys.argv) == 3 else ROOT
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(run(sys.argv[1], file, Path(folder)))


if __name__ == "__main__":
    main()
