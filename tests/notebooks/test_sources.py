"""What every source notebook has to look like."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "notebooks").glob("*/*.md"))
CELL = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", re.S | re.M)
LABEL = re.compile(r"^(?::label:|:name:|    name:)\s*([\w-]+)\s*$|^\(([\w-]+)\)=$", re.M)


def code_cells(path):
    """The code of each cell, without the options at its head."""
    for _, body in CELL.findall(path.read_text(encoding="utf-8")):
        body = re.sub(r"\A---\n.*?\n---\n", "", body, flags=re.S)
        yield re.sub(r"\A(?::[^\n]*\n)+", "", body)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_cells_are_short_and_narrow(path):
    for cell in code_cells(path):
        lines = cell.strip().split("\n")
        assert len(lines) <= 30, lines[0]
        assert max(map(len, lines)) <= 79, max(lines, key=len)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_chapter_has_its_parts(path):
    text = path.read_text(encoding="utf-8")
    assert len(re.findall(r"^# ", re.sub(CELL, "", text), re.M)) == 1, "one title"
    assert "\n## What was settled\n" in text
    assert len(re.findall(r"^`{3,}\{exercise\}", text, re.M)) >= 2
    assert len(re.findall(r"\{solution-start\}", text)) >= 2
    assert "use_book_style()" in text


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_every_figure_has_a_description(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n  figure:\n") == text.count("\n    alt:"), "a figure without image: alt:"


def test_labels_are_unique_over_the_book():
    labels = Counter()
    for path in SOURCES:
        labels.update({a or b for a, b in LABEL.findall(path.read_text(encoding="utf-8"))})
    assert [label for label, count in labels.items() if count > 1] == []
