"""The calls in docstrings and in README type-check as a user would write them."""

import ast
import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "lib" / "treebounds"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def examples():
    """Programs by the place where they stand."""
    for path in sorted(LIBRARY.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, DOCUMENTED):
                continue
            docstring = ast.get_docstring(node)
            # An example that ends in an error has a wrong type on purpose.
            calls = [
                example.source
                for example in doctest.DocTestParser().get_examples(docstring or "")
                if not example.exc_msg
            ]
            if calls:
                name = getattr(node, "name", "module")
                place = f"{path.relative_to(ROOT)}, {name}"
                yield place, "".join(calls)

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", readme, re.S), 1):
        yield f"README.md, example {number}", code


USER_CALLS = ROOT / "tests" / "user_calls.py"
WRONG = "from treebounds import prune\nprune.no_such_attribute\n"


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """What mypy says of every program, in one run: a list for each place."""
    pytest.importorskip("mypy")
    programs = {
        **dict(examples()),
        USER_CALLS.name: USER_CALLS.read_text(encoding="utf-8"),
        "a wrong attribute": WRONG,
    }
    return check(programs, tmp_path_factory.mktemp("examples"))


def check(programs, folder):
    """The errors that mypy finds in each program."""
    place_of = {}
    for number, (place, code) in enumerate(programs.items()):
        file = f"example_{number}.py"
        (folder / file).write_text(code, encoding="utf-8")
        place_of[file] = place

    # Without the project's configuration, as a user has it, who sees no errors of an
    # installed library; a name may be bound to another type.
    command = [sys.executable, "-m", "mypy", "--config-file=", "--no-error-summary"]
    command += ["--ignore-missing-imports", "--follow-imports=silent"]
    command += ["--allow-redefinition"]
    command += [f"--cache-dir={ROOT / '.mypy_cache' / 'examples'}", *place_of]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT / "lib")},
        capture_output=True,
        text=True,
        check=False,
    )

    errors = {place: [] for place in programs}
    for line in done.stdout.splitlines():
        file, _, error = line.partition(":")
        if file not in place_of:
            raise AssertionError(done.stdout + done.stderr)
        errors[place_of[file]].append(error)

    # The wrong attribute is among the programs.
    assert done.returncode == 1, done.stdout + done.stderr
    return errors


def test_the_examples_of_the_library_and_of_readme(errors):
    places = [place for place, _ in examples()]
    assert len(places) == len(set(places)) > 50
    assert {place: errors[place] for place in places if errors[place]} == {}


def test_calls_as_users_write_them(errors):
    """Lists where arrays are taken, fitted trees where structures are."""
    assert errors[USER_CALLS.name] == []
    subprocess.run([sys.executable, USER_CALLS], check=True, capture_output=True)


def test_a_wrong_type_is_named_with_its_line(errors):
    (error,) = errors["a wrong attribute"]
    assert error.startswith("2: error:")
