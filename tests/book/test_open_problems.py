"""Each open problem names its smallest undecided case, a program that tries it, and its
statement in Lean.
"""

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

BOOK = Path(__file__).parents[2] / "book"
LEAN = (BOOK / "open-problems.lean").read_text(encoding="utf-8")
OPENING = {")": "(", "]": "[", "}": "{"}
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


@pytest.mark.parametrize("problem", PROBLEMS["problem"], ids=lambda p: p["id"])
def test_the_program_is_as_narrow_as_a_visible_cell(problem):
    assert max(map(len, problem["program"].splitlines())) <= 79


def test_the_program_for_one_node_less_ends():
    """The programs are too long to run; this one is short with three stumps."""
    (problem,) = [p for p in PROBLEMS["problem"] if p["id"] == "open-many-trees"]
    program = problem["program"].replace("n_stumps=6", "n_stumps=3")
    names = {}
    exec(program, names)
    assert names["samples"].shape == (0, 9)


def test_the_program_of_a_decided_case_finds_that_there_is_none():
    (problem,) = [p for p in PROBLEMS["problem"] if p["id"] == "open-natarajan"]
    program = problem["program"].replace("n_features=8", "n_features=2")
    names = {}
    exec(program.replace("(4, 3, 3)", "(2, 2, 2)"), names)
    assert names["sample"] is None


def code(text):
    """A text of Lean without its comments, whose words may have single brackets."""
    return re.sub(r"/-.*?-/", "", text, flags=re.S)


def balanced(text):
    """Whether each bracket is closed by its own kind."""
    expected = []
    for character in text:
        if character in OPENING.values():
            expected.append(character)
        elif character in OPENING and (
            not expected or expected.pop() != OPENING[character]
        ):
            return False
    return not expected


@pytest.mark.parametrize("problem", PROBLEMS["problem"], ids=lambda p: p["id"])
def test_each_problem_is_stated_in_lean_where_its_page_looks(problem):
    (statement,) = re.findall(
        rf"^theorem {problem['lean']} :.*?\n\n", LEAN, re.M | re.S
    )
    before = LEAN[: LEAN.index(statement)]
    docstring = before[before.rindex("/--") :]

    assert f"**{problem['title']}" in docstring
    assert f"open-problems.html#{problem['id']})" in docstring
    assert docstring.endswith("-/\n@[category research open, AMS 5 68]\n")
    assert statement.endswith(" := by\n  sorry\n\n")


def test_the_smallest_undecided_case_is_stated_in_lean_too():
    undecided = re.findall(
        r"/-- The smallest case that is not decided.*?-/"
        r"\n@\[category research open, AMS 5 68\]\ntheorem (\w+)\.variants\.",
        LEAN,
        re.S,
    )
    assert undecided == [problem["lean"] for problem in PROBLEMS["problem"]]


def test_the_text_in_lean_is_balanced():
    assert LEAN.count("/-") == LEAN.count("-/")
    assert balanced(code(LEAN))
    assert not balanced("(]")
    assert not balanced("(")

    opened = re.findall(r"^namespace (\w+)$", LEAN, re.M)
    assert sorted(opened) == sorted(re.findall(r"^end (\w+)$", LEAN, re.M))
    theorems = re.findall(r"^theorem ", LEAN, re.M)
    assert len(theorems) == len(re.findall(r":= by\n  sorry$", LEAN, re.M))
    assert len(theorems) == len(re.findall(r"^@\[category research ", LEAN, re.M))


def test_names_in_lean_are_defined_before_they_are_used():
    kinds = "inductive|abbrev|def|noncomputable def"
    definitions = {
        match[1]: match.start()
        for match in re.finditer(rf"^(?:{kinds}) (\w+)", LEAN, re.M)
    }
    assert {"Structure", "Computes", "vcDim", "natarajanDim"} <= definitions.keys()
    text = code(LEAN)
    for name in definitions:
        first = re.search(rf"\b{name}\b", text)
        assert text.rfind("\n", 0, first.start()) == text.rfind(
            "\n", 0, re.search(rf"^(?:{kinds}) {name}\b", text, re.M).end()
        ), name
