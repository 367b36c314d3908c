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
            docstring = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else ""
            # an example that ends in an error has a wrong type on purpose
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


def check(programs, folder):
    """What mypy says of some programs, with the place in the place of the file."""
    places = {}
    for number, (place, code) in enumerate(programs):
        file = f"example_{number}.py"
        (folder / file).write_text(code, encoding="utf-8")
        places[file] = place

    # without the project's configuration; a name may be bound to another type
    command = [sys.executable, "-m", "mypy", "--config-file=", "--no-error-summary"]
    command += ["--ignore-missing-imports", "--allow-redefinition"]
    command += [f"--cache-dir={ROOT / '.mypy_cache' / 'examples'}", *places]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "lib")}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [
        re.sub(r"^example_\d+\.py", lambda file: places[file[0]], line)
        for line in done.stdout.splitlines()
        if line.startswith("example_")
    ]
    assert errors or done.returncode == 0, done.stdout + done.stderr
    return errors


def test_the_examples_of_the_library_and_of_readme(tmp_path):
    pytest.importorskip("mypy")
    programs = list(examples())
    assert len(programs) > 50
    assert check(programs, tmp_path) == []


def test_calls_as_users_write_them(tmp_path):
    """Lists where arrays are taken, fitted trees where structures are."""
    pytest.importorskip("mypy")
    calls = ROOT / "tests" / "user_calls.py"
    assert check([(calls.name, calls.read_text(encoding="utf-8"))], tmp_path) == []
    subprocess.run([sys.executable, calls], check=True, capture_output=True)


def test_a_wrong_type_is_named_with_its_place(tmp_path):
    pytest.importorskip("mypy")
    code = "from treebounds import prune\nprune.no_such_attribute\n"
    (error,) = check([("here", code)], tmp_path)
    assert error.startswith("here:2: error:")
