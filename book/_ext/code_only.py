"""The code of a chapter without its text, to download from the page.

Who has read a chapter can try to build it again from its headings and its code; who
wants to run it needs no notebook server.
"""

from __future__ import annotations

from pathlib import Path

import jupytext
import nbformat

INTRODUCTION = """The code of a chapter of "How complex is a decision tree?" without its
text. It runs where the book's packages are installed: see CONTRIBUTING.md in its
repository."""


def code_of(notebook):
    """The code cells of a notebook and the headings above them, as a Python script."""
    cells = [nbformat.v4.new_markdown_cell(INTRODUCTION)]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cells.append(nbformat.v4.new_code_cell(cell.source))
            continue

        headings = [line for line in cell.source.splitlines() if line.startswith("#")]
        cells += map(nbformat.v4.new_markdown_cell, headings)

    return jupytext.writes(nbformat.v4.new_notebook(cells=cells), fmt="py:percent")


def offer_code(app, pagename, templatename, context, doctree):
    """Write the code of a notebook beside its source, and offer it in the menu."""
    source = Path(app.srcdir, f"{pagename}.ipynb")
    if doctree is None or not source.exists():
        return

    script = Path(app.outdir, "_sources", f"{pagename}.py")
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(code_of(nbformat.read(source, as_version=4)), encoding="utf-8")

    for menu in context.get("header_buttons", []):
        if menu.get("label") == "download-buttons":
            menu["buttons"].insert(1, _link_to(context, pagename))


def _link_to(context, pagename):
    """An entry of the theme's menu of downloads."""
    return {
        "type": "link",
        "url": f"{context['pathto']('_sources', 1)}/{pagename}.py",
        "text": ".py",
        "tooltip": "Download the code without the text",
        "icon": "fas fa-code",
        "label": "download-code-button",
    }


def setup(app):
    """Register the hook, after the theme has made its menus."""
    app.connect("html-page-context", offer_code, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
