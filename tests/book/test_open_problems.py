"""Each open problem names its smallest undecided case, and a program that tries it."""

import ast
import importlib
import tomllib
from pathlib import Path

import pytest

BOOK = Path(__file__).parents[2] / "book"
PROBLEMS = tomllib.loads((BOOK / "open-problems.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("problem", PROBLEMS["problem"], ids=lambda p: p["id"])
def test_the_smallest_undecided_case_is_named(problem):
    assert problem["smallest"].strip()


@pytest.mark.parametrize("problem", PROBLEMS["problem"], ids=lambda p: p["id"])
def test_the_program_imports_what_there_is(problem):
    imports = [
        statement
        for statement in ast.walk(ast.parse(problem["program"]))
        if isinstance(statement, ast.ImportFrom)
    ]
    assert imports
    for statement in imports:
        module = importlib.import_module(statement.module)
        for name in statement.names:
            assert hasattr(module, name.name), f"{statement.module}.{name.name}"


def test_the_program_for_one_node_less_ends():
    """The programs are too long to run; this one is short with three stumps."""
    (problem,) = [p for p in PROBLEMS["problem"] if p["id"] == "open-many-trees"]
    program = problem["program"].replace("n_stumps=5", "n_stumps=3")
    names = {}
    exec(program, names)
    assert names["samples"] == []


def test_the_program_of_a_decided_case_finds_that_there_is_none():
    (problem,) = [p for p in PROBLEMS["problem"] if p["id"] == "open-natarajan"]
    program = problem["program"].replace("n_features=8", "n_features=2")
    names = {}
    exec(program.replace("(4, 3, 3)", "(2, 2, 2)"), names)
    assert names["sample"] is None
