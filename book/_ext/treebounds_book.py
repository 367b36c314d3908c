"""The book's extension of Sphinx: scripts, downloads, and links between statements."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.directives.patches import CSVTable

PICTURE = re.compile(r'data-picture="[\w-]+" data-module="([\w-]+)"')

# Labels of statements, figures and tables, which can be cited.
CITED = re.compile(r"(?:thm|lem|cor|prop|def|alg|fig|tab)-")
CITATION = Path(__file__).with_name("cite.html.jinja").read_text(encoding="utf-8")


class DownloadableTable(CSVTable):
    """A table read from a file, with a link below it that downloads the file."""

    def run(self):
        """The table and, if it is read from a file, a paragraph with the link."""
        file = self.options.get("file")
        if not file:
            return super().run()

        here = Path(self.state.document.current_source).parent
        if not (here / file).exists():
            return self._placeholder(here / file)

        # A second file may have the same contents with markup.
        shown = file.replace(".csv", "-shown.csv")
        if (here / shown).exists():
            self.options["file"] = shown
        return [*super().run(), self._download(file)]

    def _placeholder(self, path):
        """What stands for a table whose chapter was not executed."""
        self.state.document.settings.record_dependencies.add(str(path))
        del self.options["file"]
        self.content = StringList(["Result", "not computed in this build"])
        return super().run()

    @staticmethod
    def _download(file):
        """A paragraph with the link."""
        link = addnodes.download_reference(reftarget=file, classes=["download"])
        link += nodes.Text(f"Download {Path(file).name}")
        return nodes.paragraph("", "", link, classes=["table-file"], file=file)


def link_statements(app, doctree):
    """Add below each statement its neighbours in the graph, and what Coq checked."""
    below = Path(app.srcdir, f"_generated/graph/{app.env.docname}.json")
    if not below.exists():
        return

    # Read this page again if one of the others changes.
    app.env.note_dependency(str(below))
    html = json.loads(below.read_text(encoding="utf-8"))
    for statement in doctree.findall(nodes.Element):
        if statement.get("label") in html:
            statement += nodes.raw("", html[statement["label"]], format="html")


def show_how_to_cite(app, doctree, docname):
    """Add after each statement, figure and table a folded BibTeX entry."""
    owner, name = app.config.html_theme_options["repository_url"].rsplit("/", 2)[1:]
    page = f"https://{owner}.github.io/{name}/{app.builder.get_target_uri(docname)}"
    common = {
        "book": app.config.html_title,
        "author": app.config.author,
        "year": app.config.copyright,
        "version": version("treebounds"),
    }

    for node in list(doctree.findall(_can_be_cited)):
        label = node["ids"][0]
        own = {
            "label": label,
            "title": _title(node) or label,
            "url": f"{page}#{label}",
        }
        entry = app.builder.templates.render_string(CITATION, common | own)
        place = node.parent.index(node) + 1
        node.parent.insert(place, nodes.raw("", entry, format="html"))


def _can_be_cited(node):
    """Whether a node is a statement, a figure or a table with a label."""
    kinds = nodes.figure | nodes.table | nodes.Admonition
    if not isinstance(node, kinds) or not node["ids"]:
        return False
    return CITED.match(node["ids"][0]) is not None


def _title(node):
    """The first sentence of a node's caption or title; "" without one."""
    for child in node:
        if isinstance(child, nodes.caption | nodes.title):
            sentence = re.split(r"(?<=[.?!])\s|\n| <span", child.astext())[0]
            return sentence.strip(" .()")
    return ""


def lead_to_the_code(app, doctree):
    """Give each code cell an address, and link each table to the cell that wrote it."""
    cells = [
        node
        for node in doctree.findall(nodes.container)
        if node.get("nb_element") == "cell_code"
    ]
    for cell in cells:
        cell["ids"].append(f"cell-{cell['cell_index']}")

    for paragraph in list(doctree.findall(nodes.paragraph)):
        if "file" not in paragraph:
            continue
        maker = _maker(cells, Path(paragraph["file"]).stem)
        if maker:
            link = nodes.reference(
                "",
                "how it was made",
                refid=maker["ids"][-1],
                internal=True,
                classes=["made-by"],
            )
            paragraph += [nodes.Text("; "), link]


def _maker(cells, table):
    """The first cell that saves a table; None if no cell of the page does."""
    saving = re.compile(rf'(?s)save_table\(.*"{table}"')
    for cell in cells:
        if saving.search(cell[0].astext()):
            return cell
    return None


def tidy_scripts(app, pagename, templatename, context, doctree):
    """Drop scripts named twice, and sphinx-thebe's, which comes from another host."""
    scripts = {}
    for script in context.get("script_files", []):
        name = f"{script.filename} {script.attributes.get('body', '')}"
        if "thebe" not in name.lower():
            scripts[name] = script
    context["script_files"] = list(scripts.values())


def load_pictures(app, pagename, templatename, context, doctree):
    """Load the scripts of interactive pictures on the pages that have one."""
    modules = sorted(set(PICTURE.findall(context.get("body") or "")))
    if not modules:
        return

    app.add_css_file("pictures/pictures.css")
    for name in ("common", *modules):
        app.add_js_file(f"pictures/{name}.js", loading_method="defer")


def collapse_parts(app, pagename, templatename, context, doctree):
    """Let the parts of the book open and close in the sidebar."""
    plain = context.get("generate_toctree_html")
    if not plain:
        return

    def collapsing(**options):
        """The theme's tree of contents, whose parts open and close."""
        tree = plain(**options)
        if options["kind"] == "sidebar":
            _collapse(tree)
        return tree

    context["generate_toctree_html"] = collapsing


def _collapse(tree):
    """Put each part of a tree of contents into an element that opens.

    The first part and that of the page are open. The theme caches the tree: in one that
    was changed before, captions are not paragraphs any more, so nothing changes.
    """
    for caption in tree.select("p.caption"):
        part = caption.wrap(tree.new_tag("details", attrs={"class": "sidebar-part"}))
        part.append(part.find_next_sibling("ul"))
        caption.name = "summary"

        is_first = not part.find_previous_sibling("details")
        if is_first or part.select_one(".current"):
            part["open"] = ""


def skip_empty_entries(app, what, name, member, skip, options):
    """Leave out of the reference what its readers do not need.

    These are ``set_..._request`` methods, methods that are refused, and fields without
    a description.
    """
    text = getattr(member, "__doc__", "") or ""
    if text.startswith(("Alias for field number", "Refused;")):
        return True
    return True if re.fullmatch(r"set_\w+_request", name) else None


def find_by_last_name(app, doctree):
    """Let docstrings refer to a public name without the path of its package."""
    for node in doctree.findall(addnodes.pending_xref):
        if node.get("refdomain") == "py":
            node["refspecific"] = True
            node["reftarget"] = node["reftarget"].removeprefix("treebounds.")


def setup(app):
    """Register the hooks."""
    app.add_directive("csv-table", DownloadableTable, override=True)
    hooks = {
        "doctree-read": [find_by_last_name, lead_to_the_code, link_statements],
        "autodoc-skip-member": [skip_empty_entries],
        "doctree-resolved": [show_how_to_cite],
        "html-page-context": [load_pictures, tidy_scripts, collapse_parts],
    }
    for event, functions in hooks.items():
        for function in functions:
            # After the theme and other extensions.
            app.connect(event, function, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
