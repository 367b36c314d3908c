"""Signs that lead to the pages of the book, from ``signposts.toml``.

Each page of the main line ends with the question of the page after it. The page of the
search knows what readers call the subject of a page, and its place in the contents.
"""

from __future__ import annotations

import json
import tomllib
from itertools import pairwise
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

# The kinds of pages, in the order in which the search shows them; a page of the
# library's reference is of the last kind.
MAIN_LINE, APPENDIX, REFERENCE, API = range(4)


def read(app):
    """The signs by page; none if the book has no such file."""
    path = Path(app.srcdir, "signposts.toml")
    if not path.exists():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"))


def in_order(environment, page):
    """A page and those below it, in the order of the contents."""
    yield page
    for below in environment.toctree_includes.get(page, ()):
        yield from in_order(environment, below)


def ask_the_next_question(app, doctree, docname):
    """End a page with the question of the page after it, if that page asks one."""
    root = app.config.root_doc
    following = dict(pairwise(in_order(app.env, root))).get(docname, "")
    question = read(app).get(following, {}).get("asks")
    sections = list(doctree.findall(nodes.section))
    if not question or not sections or docname == root:
        return

    title = app.env.titles[following].astext()
    address = app.builder.get_relative_uri(docname, following)
    link = nodes.reference("", title, refuri=address, internal=True)
    end = nodes.paragraph("", "", classes=["next-question"])
    end += [nodes.Text(f"{question} "), link, nodes.Text(".")]
    if title.endswith("?"):
        end.pop()
    sections[-1] += end


def describe_pages(app, pagename, templatename, context, doctree):
    """Give the page of the search kind, place and words of all pages."""
    if pagename != "search":
        return

    signs = read(app)
    kinds = _kinds(app.env, app.config.root_doc)
    described = {}
    for place, page in enumerate(in_order(app.env, app.config.root_doc)):
        kind = kinds.get(page, MAIN_LINE)
        if page.startswith("api/"):
            kind = API
        words = signs.get(page, {}).get("search", [])
        described[page] = {"kind": kind, "place": place, "search": words}

    text = json.dumps(described, ensure_ascii=False).replace("</", "<\\/")
    app.add_js_file(None, body=f"window.treeboundsPages = {text};")


def _kinds(environment, root):
    """The kind of each page below a caption."""
    kinds = {}
    for part in environment.tocs[root].findall(addnodes.toctree):
        caption = part.get("caption") or ""
        kind = MAIN_LINE
        if caption.startswith(("Appendix", "The five documents")):
            kind = APPENDIX
        elif caption.startswith("Reference"):
            kind = REFERENCE
        for page in part["includefiles"]:
            kinds |= dict.fromkeys(in_order(environment, page), kind)
    return kinds


def setup(app):
    """Register the hooks."""
    app.connect("doctree-resolved", ask_the_next_question)
    app.connect("html-page-context", describe_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
