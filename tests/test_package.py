"""The package as a user gets it: wheel and sdist build, install elsewhere, and work there."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
OF_THE_PACKAGE = {".py", ".pyc", ".toml", ".typed"}
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_{kind}(sys.argv[1]))"
SMOKE = """
import pathlib, sys
import treebounds
from sklearn.datasets import load_iris

assert pathlib.Path(treebounds.__file__).is_relative_to(sys.argv[1]), treebounds.__file__
X, y = load_iris(return_X_y=True)
tree = treebounds.BoundPrunedTreeClassifier().fit(X, y)
assert 1 < tree.get_n_leaves() < 10
assert tree.score(X, y) > 0.9
"""


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.book
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_it_installs_and_works_outside_the_clone(tmp_path, kind):
    source = tmp_path / "source"
    shutil.copytree(ROOT / "lib", source / "lib", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, source)
    built = run(sys.executable, "-c", BUILD.format(kind=kind), tmp_path, cwd=source).split("\n")[-2]
    target = tmp_path / "site"
    install = ("install", "--no-deps", "--no-build-isolation", "--target", target, tmp_path / built)
    run(sys.executable, "-m", "pip", *install, cwd=tmp_path)
    installed = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert {name.split("/")[0] for name in installed} == {"treebounds", f"treebounds-{VERSION}.dist-info"}
    assert "treebounds/py.typed" in installed
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in installed)
    assert {Path(name).suffix for name in installed if name.startswith("treebounds/")} <= OF_THE_PACKAGE
    environment = os.environ | {"PYTHONPATH": str(target)}
    run(sys.executable, "-c", SMOKE, target, cwd=tmp_path, env=environment)
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    assert "leaves" in run(sys.executable, "-c", example, cwd=tmp_path, env=environment)
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{i},{i > 30}\n" for i in range(60)))
    said = run(sys.executable, "-m", "treebounds", "prune", "data.csv", cwd=tmp_path, env=environment)
    assert "x <= 30" in said
