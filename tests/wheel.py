"""Install the wheel in an environment of its own and run its tests: python
tests/wheel.py KIND [FOLDER]

KIND is `newest` (the requirements alone), `fast` (with numba), `oldest` (the oldest
versions that pyproject.toml admits) or `nightly` (development versions of numpy, scipy
and scikit-learn).
"""

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OWN_TESTS = (
    "tests/capacity",
    "tests/pruning",
    "tests/risk",
    "tests/trees",
    "tests/test_structure.py",
)
NIGHTLY = "https://pypi.anaconda.org/scientific-python-nightly-wheels/simple"
# half of the tests fit estimators to data frames; test_package imports the wheel
# without pandas
TOOLS = (
    "hypothesis>=6.100",
    "mpmath>=1.3",
    "pandas>=2.2",
    "pytest>=8.3",
    "pytest-xdist>=3.6",
)


def requirements(kind: str) -> list[str]:
    """What pip installs beside the wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    needed = project["dependencies"]
    if kind == "oldest":
        return [re.sub(r">=([\d.]+)", r"==\1.*", line) for line in needed]
    if kind == "nightly":
        names = [re.split("[<>=]", line)[0] for line in needed]
        return ["--pre", "--upgrade", "--extra-index-url", NIGHTLY, *names]
    return project["optional-dependencies"]["fast"] if kind == "fast" else []


def run(kind: str, folder: Path) -> int:
    """Build, install and test; the exit code of pytest."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, str(ROOT), *TOOLS], check=True)
    if beside := requirements(kind):
        subprocess.run([*install, *beside], check=True)
    tests = [python, "-m", "pytest", "-q", "-rs", "-n", "2", *OWN_TESTS]
    return subprocess.run(tests, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in (
        "newest",
        "fast",
        "oldest",
        "nightly",
    ):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(
            run(sys.argv[1], Path(sys.argv[2] if len(sys.argv) == 3 else temporary))
        )
