"""Code that is mathematics is shown; drawing and plumbing are folded or in the library."""

import ast
import re
from pathlib import Path

import pytest
from cache import CODE, OPTIONS
from reading import HIDDEN

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "notebooks").glob("*/*.md"))

LEAST_VISIBLE_LINES = 0.5
MOST_FOLDED_CELLS = 0.4
LONGEST_FOLDED_CELL = 15


def lengths_of_cells(text):
    """The number of lines with text of the visible cells, and of the folded ones."""
    visible = []
    folded = []

    for _, body in CODE.findall(text):
        options = OPTIONS.match(body)
        lines = [line for line in OPTIONS.sub("", body).splitlines() if line.strip()]
        is_folded = bool(options and HIDDEN.search(options[0]))
        (folded if is_folded else visible).append(len(lines))

    return visible, folded


def faults(text):
    """What a chapter hides too much of, in words."""
    visible, folded = lengths_of_cells(text)
    n_lines = sum(visible) + sum(folded)
    n_cells = len(visible) + len(folded)

    problems = []
    if sum(visible) < LEAST_VISIBLE_LINES * n_lines:
        problems.append(f"{sum(visible)} of {n_lines} lines are visible")
    if len(folded) > MOST_FOLDED_CELLS * n_cells:
        problems.append(f"{len(folded)} of {n_cells} cells are folded")
    if max(folded, default=0) > LONGEST_FOLDED_CELL:
        problems.append(f"a folded cell has {max(folded)} lines")
    return problems


def hidden_functions(text):
    """The functions and classes that a folded cell defines and a later visible one
    uses.
    """
    defined = set()
    used = set()

    for _, body in CODE.findall(text):
        options = OPTIONS.match(body)
        nodes = list(ast.walk(ast.parse(OPTIONS.sub("", body))))
        of_cell = {
            node.name
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }

        if options and HIDDEN.search(options[0]):
            defined |= of_cell
            continue
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        used |= (names & defined) - of_cell
        defined -= of_cell

    return sorted(used)


def name(path):
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_chapter_shows_its_code(path):
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_function_of_a_visible_cell_can_be_read(path):
    assert hidden_functions(path.read_text(encoding="utf-8")) == []


def cell(n_lines, options=""):
    lines = "\n".join(["x = 1"] * n_lines)
    return f"```{{code-cell}} ipython3\n{options}{lines}\n```\n"


FOLD = ":tags: [hide-input]\n\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (cell(4) + cell(4) + cell(9, FOLD), "8 of 17 lines are visible"),
        (cell(9) + cell(1, FOLD), "1 of 2 cells are folded"),
        (cell(9) + cell(9) + cell(16, FOLD), "a folded cell has 16 lines"),
    ],
)
def test_each_rule_bites(text, fault):
    assert re.sub(r"\s+", " ", "; ".join(faults(text))) == fault


def test_a_function_that_only_folded_code_shows_is_found():
    cells = "```{{code-cell}} ipython3\n{}{}\n```\n"
    text = cells.format(FOLD, "def f(): pass\ndef g(): pass\nx = 1")
    assert hidden_functions(text + cells.format("", "print(f(), x)")) == ["f"]
    assert hidden_functions(cells.format("", "def f(): pass") + text) == []
    again = cells.format("", "def f(): pass\nf()")
    assert hidden_functions(text + again) == []
