"""The book's extension of Sphinx: offline mathematics, scripts, previews, and links
between statements.
"""

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
        shown = file.replace(".csv", "-shown.csv")
        here = Path(self.state.document.current_source).parent
        if not (here / file).exists():  # The chapter that writes it was not executed.
            self.state.document.settings.record_dependencies.add(str(here / file))
            del self.options["file"]
            self.content = StringList(["Result", "not computed in this build"])
            return super().run()
        if (
            here / shown
        ).exists():  # The file itself has the same contents without markup.
            self.options["file"] = shown
        link = addnodes.download_reference(reftarget=file, classes=["download"])
        link += nodes.Text(f"Download {Path(file).name}")
        return [
            *super().run(),
            nodes.paragraph("", "", link, classes=["table-file"], file=file),
        ]


def link_statements(app, doctree):
    """Add below each statement those on which it rests, those that use it, and the
    result of Coq's check.
    """
    below = Path(app.srcdir, f"_generated/graph/{app.env.docname}.json")
    if below.exists():
        app.env.note_dependency(
            str(below)
        )  # Read this page again if one of the others changes.
        html = json.loads(below.read_text(encoding="utf-8"))
        for statement in doctree.findall(nodes.Element):
            if statement.get("label") in html:
                statement += nodes.raw("", html[statement["label"]], format="html")


def show_how_to_cite(app, doctree, docname):
    """Add after each statement, figure and table a folded BibTeX entry, with address
    and version.
    """
    owner, name = app.config.html_theme_options["repository_url"].rsplit("/", 2)[1:]
    page = f"https://{owner}.github.io/{name}/{app.builder.get_target_uri(docname)}"
    about = {
        "book": app.config.html_title,
        "author": app.config.author,
        "year": app.config.copyright,
    }
    about["version"] = version("treebounds")
    kinds = nodes.figure | nodes.table | nodes.Admonition
    for node in list(doctree.findall(lambda node: isinstance(node, kinds))):
        label = (node["ids"] or [""])[0]
        if CITED.match(label):
            caption = next(
                (
                    c.astext()
                    for c in node
                    if isinstance(c, nodes.caption | nodes.title)
                ),
                label,
            )
            title = re.split(r"(?<=[.?!])\s|\n| <span", caption)[0].strip(" .()")
            about |= {"label": label, "title": title, "url": f"{page}#{label}"}
            entry = app.builder.templates.render_string(CITATION, about)
            node.parent.insert(
                node.parent.index(node) + 1, nodes.raw("", entry, format="html")
            )


def lead_to_the_code(app, doctree):
    """Give each code cell an address, and link each table to the cell that wrote its
    file.
    """
    cells = [
        cell
        for cell in doctree.findall(nodes.container)
        if cell.get("nb_element") == "cell_code"
    ]
    for cell in cells:
        cell["ids"].append(f"cell-{cell['cell_index']}")
    for paragraph in doctree.findall(
        lambda node: isinstance(node, nodes.paragraph) and "file" in node
    ):
        saved = re.compile(rf'(?s)save_table\(.*"{Path(paragraph["file"]).stem}"')
        if made_by := next(
            (cell for cell in cells if saved.search(cell[0].astext())), None
        ):
            address = {
                "refid": made_by["ids"][-1],
                "internal": True,
                "classes": ["made-by"],
            }
            paragraph += [
                nodes.Text("; "),
                nodes.reference("", "how it was made", **address),
            ]


def copy_mathjax(app):
    """Copy MathJax from its package: a single file, with glyphs, that works from
    file:// addresses, too.
    """
    package = distribution("sphinx-mathjax-offline")
    source = package.locate_file(
        "sphinx-mathjax-offline/static/mathjax/tex-svg-full.js"
    )
    copy_asset(source, Path(app.outdir, "_static", "mathjax"))


def tidy_scripts(app, pagename, templatename, context, doctree):
    """Drop scripts named twice, and sphinx-thebe's script, the only one that comes from
    another host.
    """
    scripts = {
        (s.filename, s.attributes.get("body", "")): s
        for s in context.get("script_files", [])
    }
    context["script_files"] = [
        s for name, s in scripts.items() if "thebe" not in f"{name}".lower()
    ]


def load_pictures(app, pagename, templatename, context, doctree):
    """Load the scripts of interactive pictures on the pages that have one; print shows
    the still images.
    """
    modules = sorted(set(PICTURE.findall(context.get("body") or "")))
    for name in ("common", *modules) if modules else ():
        app.add_css_file("pictures/pictures.css")
        app.add_js_file(f"pictures/{name}.js", loading_method="defer")


def mend_previews(app, error):
    """Let previews typeset after their box has a size, so that SVG glyphs do not break;
    fix their order.

    The texts of previews are saved with the environment, because the next run writes
    only some of the pages and needs the previews of the others.
    """
    for script in Path(app.outdir, "_static", "tippy").rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        text = text.replace("onShow(instance) {MathJax", "onMount(instance) {MathJax")
        texts = re.compile(r"(?<=^selector_to_html = ).*")
        text = texts.sub(
            lambda found: json.dumps(json.loads(found[0]), sort_keys=True), text
        )
        script.write_text(text, encoding="utf-8")
    if not error:
        with open(Path(app.doctreedir, ENV_PICKLE_FILENAME), "wb") as file:
            pickle.dump(app.env, file, pickle.HIGHEST_PROTOCOL)


def collapse_parts(app, pagename, templatename, context, doctree):
    """Let parts of the book open and close in the sidebar; the first part and that of
    the page are open.
    """
    plain = context.get("generate_toctree_html")

    def collapsing(**options):
        """The theme's tree of contents, with each part of the sidebar in an element
        that opens.

        The theme caches the tree. In a tree that was changed before, captions are not
        paragraphs any more, so this function does not change it again.
        """
        soup = plain(**options)
        for caption in soup.select("p.caption") if options["kind"] == "sidebar" else []:
            part = caption.wrap(
                soup.new_tag("details", attrs={"class": "sidebar-part"})
            )
            part.append(part.find_next_sibling("ul"))
            caption.name = "summary"
            if part.select_one(".current") or not part.find_previous_sibling("details"):
                part["open"] = ""
        return soup

    if plain:
        context["generate_toctree_html"] = collapsing


def skip_empty_entries(app, what, name, member, skip, options):
    """Leave out ``set_..._request`` methods, methods that are refused, and fields
    without a description.
    """
    text = getattr(member, "__doc__", "") or ""
    idle = text.startswith(("Alias for field number", "Refused;"))
    return True if idle or re.fullmatch(r"set_\w+_request", name) else None


def find_by_last_name(app, doctree):
    """Let docstrings refer to a public name, which is documented once under its
    package, without the path.
    """
    for node in doctree.findall(addnodes.pending_xref):
        if node.get("refdomain") == "py":
            node["refspecific"], node["reftarget"] = (
                True,
                node["reftarget"].removeprefix("treebounds."),
            )


def setup(app):
    """Register the hooks."""
    # The version replaces a random number, so that two builds are the same.
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
            app.connect(
                event, function, priority=900
            )  # After the theme and other extensions.
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
