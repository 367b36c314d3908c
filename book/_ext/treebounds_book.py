"""Sphinx glue: offline mathematics, tidy scripts, previews that typeset, links between statements."""

from __future__ import annotations

import json
import pickle
import re
from importlib.metadata import distribution, version
from pathlib import Path

import sphinx_tippy
from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import ENV_PICKLE_FILENAME
from sphinx.directives.patches import CSVTable
from sphinx.util.fileutil import copy_asset

PICTURE = re.compile(r'data-picture="[\w-]+" data-module="([\w-]+)"')

# labels of statements, figures and tables, which can be cited
CITED = re.compile(r"(?:thm|lem|cor|prop|def|alg|fig|tab)-")
CITATION = Path(__file__).with_name("cite.html.jinja").read_text(encoding="utf-8")


class DownloadableTable(CSVTable):
    """A table read from a file, with a link below it that downloads the file."""

    def run(self):
        """The table, and the link's paragraph if there is a file."""
        file = self.options.get("file")
        if not file:
            return super().run()
        shown = file.replace(".csv", "-shown.csv")
        here = Path(self.state.document.current_source).parent
        if not (here / file).exists():  # the chapter that writes it was not executed
            self.state.document.settings.record_dependencies.add(str(here / file))
            del self.options["file"]
            self.content = StringList(["Result", "not computed in this build"])
            return super().run()
        if (here / shown).exists():  # the file itself has the same as data, without markup
            self.options["file"] = shown
        link = addnodes.download_reference(reftarget=file, classes=["download"])
        link += nodes.Text(f"Download {Path(file).name}")
        return [*super().run(), nodes.paragraph("", "", link, classes=["table-file"], file=file)]


def link_statements(app, doctree):
    """Below a statement stand those that it rests on, those that use it, and what Coq accepted of it."""
    below = Path(app.srcdir, f"_generated/graph/{app.env.docname}.json")
    if below.exists():
        app.env.note_dependency(str(below))  # the page is read again when one of the others changes
        html = json.loads(below.read_text(encoding="utf-8"))
        for statement in doctree.findall(nodes.Element):
            if statement.get("label") in html:
                statement += nodes.raw("", html[statement["label"]], format="html")


def show_how_to_cite(app, doctree, docname):
    """After each statement, figure and table stands its BibTeX entry, with address and version, folded."""
    owner, name = app.config.html_theme_options["repository_url"].rsplit("/", 2)[1:]
    page = f"https://{owner}.github.io/{name}/{app.builder.get_target_uri(docname)}"
    about = {"book": app.config.html_title, "author": app.config.author, "year": app.config.copyright}
    about["version"] = version("treebounds")
    kinds = nodes.figure | nodes.table | nodes.Admonition
    for node in list(doctree.findall(lambda node: isinstance(node, kinds))):
        label = (node["ids"] or [""])[0]
        if CITED.match(label):
            caption = next((c.astext() for c in node if isinstance(c, nodes.caption | nodes.title)), label)
            title = re.split(r"(?<=[.?!])\s|\n| <span", caption)[0].strip(" .()")
            about |= {"label": label, "title": title, "url": f"{page}#{label}"}
            entry = app.builder.templates.render_string(CITATION, about)
            node.parent.insert(node.parent.index(node) + 1, nodes.raw("", entry, format="html"))


def lead_to_the_code(app, doctree):
    """Each code cell has an address, and below a table stands a link to the cell that wrote its file."""
    cells = [cell for cell in doctree.findall(nodes.container) if cell.get("nb_element") == "cell_code"]
    for cell in cells:
        cell["ids"].append(f"cell-{cell['cell_index']}")
    for paragraph in doctree.findall(lambda node: isinstance(node, nodes.paragraph) and "file" in node):
        saved = re.compile(rf'(?s)save_table\(.*"{Path(paragraph["file"]).stem}"')
        if made_by := next((cell for cell in cells if saved.search(cell[0].astext())), None):
            address = {"refid": made_by["ids"][-1], "internal": True, "classes": ["made-by"]}
            paragraph += [nodes.Text("; "), nodes.reference("", "how it was made", **address)]


def copy_mathjax(app):
    """Take MathJax from the package that carries it: one file with its glyphs inside works from file://."""
    package = distribution("sphinx-mathjax-offline")
    source = package.locate_file("sphinx-mathjax-offline/static/mathjax/tex-svg-full.js")
    copy_asset(source, Path(app.outdir, "_static", "mathjax"))


def tidy_scripts(app, pagename, templatename, context, doctree):
    """Drop sphinx-thebe's script, the only one that another host would serve, and scripts named twice."""
    scripts = {(s.filename, s.attributes.get("body", "")): s for s in context.get("script_files", [])}
    context["script_files"] = [s for name, s in scripts.items() if "thebe" not in f"{name}".lower()]


def load_pictures(app, pagename, templatename, context, doctree):
    """Load the scripts of interactive pictures on the pages that have one; print keeps the still images."""
    modules = sorted(set(PICTURE.findall(context.get("body") or "")))
    for name in ("common", *modules) if modules else ():
        app.add_css_file("pictures/pictures.css")
        app.add_js_file(f"pictures/{name}.js", loading_method="defer")


def mend_previews(app, error):
    """Typeset after the box has a size (before, SVG glyphs break); write the texts in a fixed order.

    The texts stay in the environment: the next run writes some pages only, and links to the others.
    """
    for script in Path(app.outdir, "_static", "tippy").rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        text = text.replace("onShow(instance) {MathJax", "onMount(instance) {MathJax")
        texts = re.compile(r"(?<=^selector_to_html = ).*")
        text = texts.sub(lambda found: json.dumps(json.loads(found[0]), sort_keys=True), text)
        script.write_text(text, encoding="utf-8")
    if not error:
        with open(Path(app.doctreedir, ENV_PICKLE_FILENAME), "wb") as file:
            pickle.dump(app.env, file, pickle.HIGHEST_PROTOCOL)


def collapse_parts(app, pagename, templatename, context, doctree):
    """Parts of the book open and close in the sidebar; open are the first one and that of the page."""
    plain = context.get("generate_toctree_html")

    def collapsing(**options):
        """The theme's tree of contents, each part of the sidebar in an element that opens.

        The theme keeps the tree, and hands out the same one if it is asked again: a part that has its element
        is no paragraph.
        """
        soup = plain(**options)
        for caption in soup.select("p.caption") if options["kind"] == "sidebar" else []:
            part = caption.wrap(soup.new_tag("details", attrs={"class": "sidebar-part"}))
            part.append(part.find_next_sibling("ul"))
            caption.name = "summary"
            if part.select_one(".current") or not part.find_previous_sibling("details"):
                part["open"] = ""
        return soup

    if plain:
        context["generate_toctree_html"] = collapsing


def skip_empty_entries(app, what, name, member, skip, options):
    """Leave out methods whose text refers to scikit-learn's pages, and fields without a description."""
    text = getattr(member, "__doc__", "") or ""
    idle = text.startswith(("Alias for field number", "Refused;"))
    return True if idle or re.fullmatch(r"set_\w+_request", name) else None


def find_by_last_name(app, doctree):
    """A public name is documented once, under its package; docstrings elsewhere use it without the path."""
    for node in doctree.findall(addnodes.pending_xref):
        if node.get("refdomain") == "py":
            node["refspecific"], node["reftarget"] = True, node["reftarget"].removeprefix("treebounds.")


def setup(app):
    """Register the hooks."""
    # in place of a random number, so that two builds are the same
    sphinx_tippy.uuid4 = lambda: version("treebounds")
    app.add_directive("csv-table", DownloadableTable, override=True)
    hooks = {
        "builder-inited": [copy_mathjax],
        "doctree-read": [find_by_last_name, lead_to_the_code, link_statements],
        "autodoc-skip-member": [skip_empty_entries],
        "doctree-resolved": [show_how_to_cite],
        "html-page-context": [load_pictures, tidy_scripts, collapse_parts],
        "build-finished": [mend_previews],
    }
    for event, functions in hooks.items():
        for function in functions:
            app.connect(event, function, priority=900)  # after the theme and other extensions
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
