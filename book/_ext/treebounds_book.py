"""The book's extension of Sphinx: scripts, downloads, and links between statements.

Sphinx reads a page again if the time of a file is later than that of the last reading.
Times can be wrong, so the extension also compares contents. It writes all pages again
if what pages show of each other (titles, numbers, labels) has changed.
"""

from __future__ import annotations

import hashlib
import json
import re
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.directives.patches import CSVTable

PICTURE = re.compile(r'data-picture="[\w-]+" data-scripts="([\w -]+)"')

# They stand inside tags only: in text, quotation marks are escaped.
REPEATED_ID = re.compile(r' id="(?:proof|(?:proof|exercise|solution)-content)"')

# Parts of what Sphinx keeps that no other page shows: addresses in memory, and the
# origin of a figure in its caption, which has a line number.
VOLATILE = re.compile(r" at 0x[0-9a-f]+| how it was made \(Notebook .*?\.\)")

# Where a page shows numbers that a cell computed; code and formulas are as they are.
SHOWN = re.compile(
    r'<(t[dh])\b[^>]*>.*?</\1>|<span class="pasted-text">.*?</span>', re.S
)
AS_WRITTEN = re.compile(r'<code|<pre|class="math')
TEXT = re.compile(r">[^<]+")
HYPHEN = re.compile(r"(?<![\w.)-])-(?=\.?\d)")

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
        with_markup = file.replace(".csv", "-shown.csv")
        if (here / with_markup).exists():
            self.options["file"] = with_markup
        return [*super().run(), self._download(file)]

    def _placeholder(self, path):
        """What stands for a table whose chapter was not executed."""
        environment = self.state.document.settings.env
        missed = _missed(environment).setdefault(environment.docname, set())
        missed.add(str(path.resolve().relative_to(environment.srcdir)))
        del self.options["file"]
        notice = "not computed in this build"
        maker = self._maker(environment, path)
        if maker:
            notice += f"; the chapter {maker} makes it"
        self.content = StringList(["Result", notice])
        return super().run()

    @staticmethod
    def _maker(environment, path):
        """The page of the other chapter that makes a table; "" if there is none."""
        list_of_makers = Path(environment.srcdir, "_generated/makers.json")
        if not list_of_makers.exists():
            return ""
        makers = json.loads(list_of_makers.read_text(encoding="utf-8"))
        table = path.resolve().relative_to(environment.srcdir).as_posix()
        return makers.get(environment.docname, {}).get(table, "")

    @staticmethod
    def _download(file):
        """A paragraph with the link."""
        link = addnodes.download_reference(reftarget=file, classes=["download"])
        link += nodes.Text(f"Download {Path(file).name}")
        return nodes.paragraph("", "", link, classes=["table-file"], file=file)


def read_again(app, environment, added, changed, removed):
    """The pages for which a source, or a file that it includes, has other contents."""
    for page in added | removed:
        _missed(environment).pop(page, None)
    old_contents = getattr(environment, "treebounds_contents", {})
    return [
        page
        for page in environment.all_docs.keys() - added - removed
        if old_contents.get(page) != _contents(environment, page)
    ]


def write_again(app, environment):
    """All pages if what they show of each other has changed; remember what was read."""
    environment.treebounds_contents = {
        page: _contents(environment, page) for page in environment.all_docs
    }
    index = _index(app, environment)
    if getattr(environment, "treebounds_index", None) == index:
        return []
    environment.treebounds_index = index
    return list(environment.found_docs)


def _missed(environment):
    """The files that pages would show if they were there, by page."""
    if not hasattr(environment, "treebounds_missed"):
        environment.treebounds_missed = {}
    return environment.treebounds_missed


def _contents(environment, page):
    """The hash of the files that a page is made of."""
    names = {
        environment.doc2path(page, base=False),
        *environment.dependencies.get(page, ()),
        *_missed(environment).get(page, ()),
    }
    digest = hashlib.sha256()
    for name in sorted(names):
        path = Path(environment.srcdir, name)
        content = b"absent"
        if path.is_file():
            content = path.read_bytes()
        digest.update(name.encode() + hashlib.sha256(content).digest())
    return digest.hexdigest()


def _index(app, environment):
    """The hash of what pages show of each other, and of scripts and styles."""
    parts = [
        {page: title.astext() for page, title in environment.titles.items()},
        environment.toc_secnumbers,
        environment.toc_fignumbers,
        environment.domaindata,
    ]
    digest = hashlib.sha256("\n".join(map(_text, parts)).encode())
    signs = Path(app.srcdir, "signposts.toml")
    if signs.exists():
        digest.update(signs.read_bytes())
    for folder in app.config.html_static_path:
        for path in sorted(Path(app.confdir, folder).rglob("*")):
            if path.is_file():
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _text(value):
    """A value of Sphinx as text that does not depend on the order of its parts."""
    if isinstance(value, dict):
        return str(sorted((str(key), _text(item)) for key, item in value.items()))
    if isinstance(value, set | frozenset):
        return str(sorted(map(_text, value)))
    if isinstance(value, list | tuple):
        return str([_text(item) for item in value])
    return VOLATILE.sub("", str(value))


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
    """The title of a statement, or the first sentence of a caption; "" without one."""
    for child in node:
        if isinstance(child, nodes.caption | nodes.title):
            words = " ".join(child.astext().split())
            # The whole title of a statement is in parentheses.
            if isinstance(node, nodes.Admonition):
                return words.removeprefix("(").removesuffix(")")
            return re.split(r"(?<=[.?!]) | <span", words)[0].strip(" .")
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


def drop_repeated_ids(app, pagename, templatename, context, doctree):
    """Drop the ids that sphinx-proof and sphinx-exercise give to every box alike."""
    context["body"] = REPEATED_ID.sub("", context.get("body") or "")


def write_minus_signs(app, pagename, templatename, context, doctree):
    """Show numbers below zero with a minus sign, in place of a hyphen."""
    context["body"] = with_minus_signs(context.get("body") or "")


def with_minus_signs(html):
    """A page on which no number in a table, or from a cell, begins with a hyphen."""

    def mended(shown):
        """The same with minus signs, unless it shows code or a formula."""
        if AS_WRITTEN.search(shown[0]):
            return shown[0]
        return TEXT.sub(lambda text: HYPHEN.sub("\N{MINUS SIGN}", text[0]), shown[0])

    return SHOWN.sub(mended, html)


def load_pictures(app, pagename, templatename, context, doctree):
    """Load the scripts of interactive pictures on the pages that have one."""
    pictures = PICTURE.findall(context.get("body") or "")
    if not pictures:
        return

    app.add_css_file("pictures/pictures.css")
    # Each script once, after those that it uses.
    for name in dict.fromkeys(["common", *" ".join(pictures).split()]):
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

    The part of the page is open; on a page that is in none, the first one. The theme
    caches the tree: in one that was changed before, captions are not paragraphs any
    more, so nothing changes.
    """
    is_in_a_part = tree.select_one("p.caption + ul .current") is not None
    for caption in tree.select("p.caption"):
        part = caption.wrap(tree.new_tag("details", attrs={"class": "sidebar-part"}))
        part.append(part.find_next_sibling("ul"))
        caption.name = "summary"
        # As a heading it would not say that it opens.
        del caption["role"], caption["aria-level"]

        is_first = not is_in_a_part and not part.find_previous_sibling("details")
        if is_first or part.select_one(".current"):
            part["open"] = ""

    for toggle in tree.select("li > details > summary"):
        page = toggle.find_parent("li").a.get_text().strip()
        toggle["aria-label"] = f"Pages below {page}"


def skip_empty_entries(app, what, name, member, skip, options):
    """Leave out of the reference what its readers do not need.

    These are ``set_..._request`` methods, methods that are refused, and fields without
    a description.
    """
    text = getattr(member, "__doc__", "") or ""
    if text.startswith(("Alias for field number", "Refused;")):
        return True
    if re.fullmatch(r"set_\w+_request", name):
        return True
    # Other hooks, and Sphinx itself, decide.
    return None


def find_by_last_name(app, doctree):
    """Let docstrings refer to a public name without the path of its package."""
    for node in doctree.findall(addnodes.pending_xref):
        if node.get("refdomain") == "py":
            node["refspecific"] = True
            node["reftarget"] = node["reftarget"].removeprefix("treebounds.")


def load_mathjax(app, pagename, templatename, context, doctree):
    """Let Sphinx load MathJax on pages whose formulas stand in HTML that we generate.

    Sphinx looks for formulas in the sources only, so it would leave those of the ledger
    and of the graph as they are.
    """
    if 'class="math' in context.get("body", ""):
        domain = app.env.get_domain("math")
        domain.data["has_equations"][pagename] = True


def setup(app):
    """Register the hooks."""
    # Before Sphinx decides whether the page needs MathJax.
    app.connect("html-page-context", load_mathjax, priority=100)
    app.add_directive("csv-table", DownloadableTable, override=True)
    hooks = {
        "env-get-outdated": [read_again],
        # After the sections and figures have their numbers.
        "env-get-updated": [write_again],
        "doctree-read": [find_by_last_name, lead_to_the_code, link_statements],
        "autodoc-skip-member": [skip_empty_entries],
        "doctree-resolved": [show_how_to_cite],
        "html-page-context": [
            drop_repeated_ids,
            write_minus_signs,
            load_pictures,
            tidy_scripts,
            collapse_parts,
        ],
    }
    for event, functions in hooks.items():
        for function in functions:
            # After the theme and other extensions.
            app.connect(event, function, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
