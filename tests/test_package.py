"""The package as a user gets it: a wheel builds, and works where it is installed."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import treebounds

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
VERSION = treebounds.__version__
README_EXAMPLES = re.findall(
    r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S
)
OF_THE_PACKAGE = {".py", ".toml", ".typed"}
BUILD = """
import sys
from hatchling import build
print(build.build_wheel(sys.argv[1]))
print(build.build_sdist(sys.argv[1]))
"""


@cache
def distributions():
    """From names that can be imported to the distributions that have them."""
    # Some versions of Python keep the platform in the name of a compiled module.
    return {
        top.partition(".")[0]: set(map(canonicalize_name, names))
        for top, names in packages_distributions().items()
    }


def distribution_of(top):
    return distributions().get(top, set())


def needed_by(names):
    """The names of distributions and of all that they require."""
    todo = [canonicalize_name(name) for name in names]
    result = set()
    while todo:
        name = todo.pop()
        if name not in result:
            result.add(name)
            required = map(Requirement, requires(name) or ())
            todo += [
                canonicalize_name(r.name)
                for r in required
                if not r.marker or r.marker.evaluate()
            ]
    return result


REQUIRED = {Requirement(line).name for line in PROJECT["dependencies"]}
EXTRAS = {
    extra: {
        canonicalize_name(Requirement(line).name)
        for line in PROJECT["optional-dependencies"][extra]
    }
    for extra in ("fast", "pandas", "plot", "progress", "spark")
}


def test_what_an_extra_brings_is_in_it():
    calls = []
    for path in ROOT.glob("lib/treebounds/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "require":
                calls.append([argument.value for argument in node.args])
    for module, extra in calls:
        top = module.partition(".")[0]
        # pyspark has an environment of its own, and the same name as its distribution.
        assert (distribution_of(top) or {top}) & EXTRAS[extra], (module, extra)


def test_the_import_loads_no_extra():
    code = "import sys, treebounds; print(*sys.modules)"
    loaded = {
        name.partition(".")[0] for name in run(sys.executable, "-c", code).split()
    }
    assert {"treebounds", "sklearn"} <= loaded
    # pandas and joblib are not here: scikit-learn loads them where they are.
    assert (
        not {
            "matplotlib",
            "pysat",
            "sympy",
            "networkx",
            "tqdm",
            "numba",
            "reproduction",
        }
        & loaded
    )


def run(*command, **options):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(folder):
    """The wheel and the sdist, built from a copy of what they need in a folder."""
    source = folder / "source"
    shutil.copytree(
        ROOT / "lib",
        source / "lib",
        ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"),
        copy_function=shutil.copyfile,
    )
    files = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff")
    for name in files:
        shutil.copyfile(ROOT / name, source / name)

    names = run(sys.executable, "-c", BUILD, folder, cwd=source).split()
    return [folder / name for name in names[-2:]]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def site(built, tmp_path_factory):
    """A folder in which the wheel is installed, away from the clone."""
    target = tmp_path_factory.mktemp("installed") / "site"
    install = ("install", "--no-deps", "--target", target, built[0])
    run(sys.executable, "-m", "pip", *install, cwd=target.parent)
    return target


def test_a_second_build_is_equal_byte_for_byte(built, tmp_path):
    for first, second in zip(built, build(tmp_path), strict=True):
        assert first.name == second.name
        assert first.read_bytes() == second.read_bytes()


def test_the_wheel_works_where_the_clone_is_not_on_the_path(site):
    program = "import treebounds; print(treebounds.__version__)"
    assert alone(site, program) == f"{VERSION}\n"


@pytest.mark.book
def test_it_has_the_library_and_nothing_of_the_book(site):
    files = [
        path
        for path in site.rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    ]
    names = {path.relative_to(site).as_posix() for path in files}
    assert {name.split("/")[0] for name in names} == {
        "treebounds",
        f"treebounds-{VERSION}.dist-info",
    }
    assert "treebounds/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert {
        Path(name).suffix for name in names if name.startswith("treebounds/")
    } <= OF_THE_PACKAGE


@pytest.mark.book
def test_every_example_runs_alone_or_names_the_extra_that_it_needs(site):
    assert alone(site) == ""


def test_an_example_that_fails_is_printed(tmp_path):
    package = tmp_path / "treebounds"
    package.mkdir()
    (package / "__init__.py").write_text('"""\n>>> 1 + 1\n3\n"""\n')
    with pytest.raises(AssertionError, match=r"Expected:\s+3\s+Got:\s+2"):
        alone(tmp_path)


@pytest.mark.book
@pytest.mark.parametrize("example", README_EXAMPLES)
def test_every_example_of_readme_runs_alone(example, site):
    assert "leaves" in alone(site, example)


def alone(site, *program):
    """The output of a program, or of all examples, with the wheel, its requirements and
    nothing else.
    """
    needs = needed_by(REQUIRED) | {"treebounds"}
    refused = [top for top in distributions() if not distribution_of(top) & needs]
    names = ",".join(["reproduction", *refused])
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONPATH"
    }
    command = [sys.executable, ROOT / "tests" / "alone.py", site, names, *program]
    return run(*command, cwd=site.parent, env=environment)
