"""The code of a chapter, to download without its text."""

import os
import re
import subprocess
import sys

import jupytext
import nbformat
import pytest
from bs4 import BeautifulSoup
from code_only import code_of

from reading_rules import NOTEBOOKS, ROOT

pytestmark = pytest.mark.book

# In the menu of a page; to parse the whole page takes much longer.
LINK = re.compile(r"<a\b[^>]*\bbtn-download-code-button\b[^>]*>")
TEXT = "# A title\nSome text.\n\n## A part\nA formula $x$."


def code_cells(notebook):
    return [cell.source.strip() for cell in notebook.cells if cell.cell_type == "code"]


def test_headings_and_code_stay_and_text_goes():
    new = nbformat.v4
    notebook = new.new_notebook(
        cells=[new.new_markdown_cell(TEXT), new.new_code_cell("x = 1\nprint(x)")]
    )
    script = code_of(notebook)
    assert "# # A title\n" in script
    assert "# ## A part\n" in script
    assert "Some text" not in script
    assert "formula" not in script
    assert code_cells(jupytext.reads(script, fmt="py:percent")) == ["x = 1\nprint(x)"]


def test_every_chapter_offers_its_code(book):
    for page in NOTEBOOKS:
        script = book / "_sources" / f"{page}.py"
        written = jupytext.reads(script.read_text(encoding="utf-8"), fmt="py:percent")
        executed = book.parent / "executed" / f"{page}.ipynb"
        notebook = nbformat.v4.reads(executed.read_text(encoding="utf-8"))
        assert code_cells(written) == [cell for cell in code_cells(notebook) if cell]

        html = (book / f"{page}.html").read_text(encoding="utf-8")
        link = BeautifulSoup(LINK.search(html)[0], "html.parser").a
        assert (book / page).parent.joinpath(link["href"]).resolve() == script.resolve()


def test_a_script_runs_by_itself(book, tmp_path):
    script = book / "_sources" / "capacity" / "stumps.py"
    environment = os.environ | {
        "MPLBACKEND": "agg",
        "PYTHONPATH": str(ROOT / "lib"),
    }
    ran = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
