"""Sphinx glue: mathematics without a network, tidy scripts, previews that typeset, links both ways, print."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import re
import time
from datetime import UTC, datetime
from html import escape
from importlib.metadata import distribution, version
from pathlib import Path

import sphinx_tippy
from docutils import nodes
from sphinx import addnodes
from sphinx.application import ENV_PICKLE_FILENAME
from sphinx.directives.patches import CSVTable
from sphinx.util.fileutil import copy_asset
from sphinx.util.nodes import make_refnode

MATHJAX = "tex-svg-full.js"  # one file with its glyphs inside: works from file://

CLAIM = re.compile(r'(<details class="claim [^>]*id="claim-([^"]+)">.*?)(</details>)', re.S)

PICTURE = re.compile(r'data-picture="[\w-]+" data-module="([\w-]+)"')

# what can be cited, and how
CITED = re.compile(r"(?:thm|lem|cor|prop|def|alg|fig|tab)-")
CITATION = """@misc{{treebounds:{label},
  author = {{{{{author}}}}},
  title = {{{title}}},
  note = {{In: {book} Version {version}}},
  year = {{{year}}},
  url = {{{url}}}
}}"""


class DownloadableTable(CSVTable):
    """A table read from a file, with a link below it that downloads the file."""

    def run(self):
        """The table, and the link's paragraph if there is a file."""
        file = self.options.get("file")
        if not file:
            return super().run()
        shown = file.replace(".csv", "-shown.csv")
        here = Path(self.state.document.current_source).parent
        if (here / shown).exists():  # the file itself has the same as data, without markup
            self.options["file"] = shown
        link = addnodes.download_reference(reftarget=file, classes=["download"])
        link += nodes.Text(f"Download {Path(file).name}")
        return [*super().run(), nodes.paragraph("", "", link, classes=["table-file"], file=file)]


def remember_the_graph(app, doctree):
    """A page is read again when what rests on its statements changed."""
    links = f"_generated/graph/{app.env.docname}.json"
    if Path(app.srcdir, links).exists():
        app.env.dependencies[app.env.docname].add(links)


def say_what_rests_on_it(app, doctree, docname):
    """Below a statement stand those that it rests on, and those that use it."""
    links = Path(app.srcdir, f"_generated/graph/{docname}.json")
    if not links.exists():
        return
    found = json.loads(links.read_text(encoding="utf-8"))
    for statement in doctree.findall(nodes.Element):
        for said, others in found.get(statement.get("label"), {}).items():
            line = nodes.paragraph("", f"{said}: ", classes=["rests-on"])
            for title, address in others:
                page, _, anchor = address.partition(".html#")
                uri = f"{app.builder.get_relative_uri(docname, page)}#{anchor}"
                line += [
                    nodes.reference("", "", *_with_formulas(title), refuri=uri, internal=True),
                    nodes.Text(", "),
                ]
            if others:
                line[-1] = nodes.Text(".")
                statement += line


def say_how_to_cite(app, doctree, docname):
    """After each statement, figure and table stands its BibTeX entry, with address and version, folded."""
    owner, name = app.config.html_theme_options["repository_url"].rsplit("/", 2)[1:]
    page = f"https://{owner}.github.io/{name}/{app.builder.get_target_uri(docname)}"
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    about = {"book": app.config.html_title, "author": app.config.author, "version": version("treebounds")}
    about["year"] = datetime.fromtimestamp(seconds, UTC).year
    for node in list(doctree.findall(lambda n: isinstance(n, nodes.Element) and n.get("ids"))):
        label = node["ids"][0]
        found = (
            CITED.match(label) if isinstance(node, (nodes.figure, nodes.table, nodes.Admonition)) else None
        )
        if found:
            caption = next((c.astext() for c in node if isinstance(c, (nodes.caption, nodes.title))), label)
            title = re.split(r"(?<=[.?!])\s|\n| \(Notebook", caption)[0].strip(" .()")
            entry = CITATION.format(label=label, title=title, url=f"{page}#{label}", **about)
            folded = f'<details class="cite"><summary>cite</summary><pre>{escape(entry)}</pre></details>'
            node.parent.insert(node.parent.index(node) + 1, nodes.raw("", folded, format="html"))


def lead_to_the_code(app, doctree):
    """Each code cell has an address, and below a table stands a link to the cell that wrote its file."""
    cells = [cell for cell in doctree.findall(nodes.container) if cell.get("nb_element") == "cell_code"]
    for cell in cells:
        cell["ids"].append(f"cell-{cell['cell_index']}")
    for paragraph in doctree.findall(nodes.paragraph):
        saved = f'"{Path(paragraph.get("file", "-")).stem}"'
        for cell in cells:
            code = cell[0].astext()
            if saved in code and "save_table(" in code:
                address = {"refid": cell["ids"][-1], "internal": True, "classes": ["made-by"]}
                paragraph += [nodes.Text("; "), nodes.reference("", "how it was made", **address)]
                break


def copy_mathjax(app):
    """Take MathJax from the package that carries it into the built book."""
    package = distribution("sphinx-mathjax-offline")
    source = package.locate_file(f"sphinx-mathjax-offline/static/mathjax/{MATHJAX}")
    copy_asset(source, Path(app.outdir, "_static", "mathjax"))


def tidy_scripts(app, pagename, templatename, context, doctree):
    """Drop sphinx-thebe's script, the only one that another host would serve, and scripts named twice."""
    scripts = {(s.filename, s.attributes.get("body", "")): s for s in context.get("script_files", [])}
    context["script_files"] = [s for name, s in scripts.items() if "thebe" not in f"{name}".lower()]


def load_pictures(app, pagename, templatename, context, doctree):
    """Load the scripts of interactive pictures on the pages that have one; print keeps the still images."""
    modules = sorted(set(PICTURE.findall(context.get("body") or "")))
    if modules:
        app.add_css_file("pictures/pictures.css")
        for name in ("common", *modules):
            app.add_js_file(f"pictures/{name}.js", loading_method="defer")


def mend_previews(app, error):
    """Typeset after the box has a size (before, SVG glyphs break); write the texts in a fixed order.

    The texts stay in the environment: the next run writes some pages only, and links to the others.
    """
    for script in Path(app.outdir, "_static", "tippy").rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        text = text.replace("onShow(instance) {MathJax", "onMount(instance) {MathJax")
        first, _, rest = text.partition("\n")
        name, equals, texts = first.partition(" = ")
        if name == "selector_to_html":
            first = f"{name}{equals}{json.dumps(json.loads(texts), sort_keys=True)}"
        script.write_text(f"{first}\n{rest}", encoding="utf-8")
    if not error:
        with open(Path(app.doctreedir, ENV_PICKLE_FILENAME), "wb") as file:
            pickle.dump(app.env, file, pickle.HIGHEST_PROTOCOL)


def link_claims_to_the_ledger(app, doctree, docname):
    """At the end of what is said of a claim stands a link to its line in the ledger."""
    target = app.builder.get_relative_uri(docname, "ledger")
    for node in doctree.findall(nodes.raw):
        text = node.astext()
        linked = CLAIM.sub(rf'\1<p><a href="{target}#ledger-\2">\2 in the ledger</a></p>\3', text)
        if linked != text:
            node.children = [nodes.Text(linked)]


def put_provenance_behind_a_mark(app, doctree, docname):
    """Where a figure comes from is shown on demand: a label in the caption, a link to the notebook."""
    source = f"{app.config.html_theme_options['repository_url']}/blob/main/notebooks"
    before = '<span class="provenance"><label><input type="checkbox">how it was made</label> '
    for caption in doctree.findall(nodes.caption):
        last = caption.children[-1]
        found = re.match(r"\(Notebook (\S+), line (\d+)", last.astext())
        if found and isinstance(last, nodes.emphasis):
            address = f"{source}/{found[1]}.md?plain=1#L{found[2]}"
            last[1] = nodes.reference("", "", last[1], refuri=address, internal=False)
            caption.remove(last)
            caption.extend(
                [nodes.raw("", before, format="html"), last, nodes.raw("", "</span>", format="html")]
            )


def mark_what_a_machine_checked(app, doctree, docname):
    """Below a theorem that the proof assistant accepted stands a badge; behind it, what it read.

    The record is that of ``make proofs``. What an accepted theorem proves only a part of is checked in part,
    and a theorem of the book without any has no badge.
    """
    record = Path(app.srcdir, "_generated", "proofs.json")
    if not record.exists():
        return
    checked = json.loads(record.read_text(encoding="utf-8"))
    accepted = {theorem["name"]: theorem for theorem in checked["theorems"]}
    for statement in checked["statements"]:
        found = [accepted[name] for name in statement["theorems"] if name in accepted]
        missing = [name for name in statement["theorems"] if name not in accepted]
        unchecked = "; ".join(filter(None, (statement["unchecked"], *missing)))
        for theorem in doctree.findall(nodes.Element):
            if found and statement["label"] and theorem.get("label") == statement["label"]:
                theorem += _badge(app.builder, docname, found, unchecked)


def _badge(builder, docname, found, unchecked):
    """The badge as a summary, and below it the accepted theorems in words and as Coq read them."""
    title = "machine-checked in part" if unchecked else "machine-checked"
    opening = (
        f'<details class="as-coq-read-it"><summary><span class="machine-checked">{title}</span></summary>'
    )
    parts = [nodes.raw("", opening, format="html")]
    for theorem in found:
        parts.append(_with_formulas(theorem["statement_in_words"]))
        coq = theorem["coq_statement"]
        parts.append(nodes.literal_block(coq, coq, language="coq"))  # with its source: else not highlighted
        place = nodes.paragraph(
            "", f"Coq accepted it without axioms ({theorem['file']}, line {theorem['line']}). "
        )
        address = f"{builder.get_relative_uri(docname, 'machine-checked')}#{theorem['anchor']}"
        place += nodes.reference("", "The definitions that it rests on", refuri=address, internal=True)
        parts.append(place)
    if unchecked:
        parts.append(_with_formulas(f"Not checked: {unchecked}."))
    return [*parts, nodes.raw("", "</details>", format="html")]


def _with_formulas(text):
    """A paragraph in which what stands between two dollars is a formula."""
    kinds = itertools.cycle((nodes.Text, lambda formula: nodes.math(formula, formula)))
    return nodes.paragraph("", "", *(kind(part) for kind, part in zip(kinds, text.split("$"), strict=False)))


def open_sources(app, pagename, templatename, context, doctree):
    """Binder opens the chapter that git has, a text that jupytext reads as a notebook."""
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []) if group.get("label") == "launch-buttons" else []:
            button["url"] = button["url"].replace(".ipynb", ".md%3Ffactory%3DJupytext%2520Notebook")


def collapse_parts(app, pagename, templatename, context, doctree):
    """Parts of the book open and close in the sidebar; open are the first one and that of the page."""
    plain = context.get("generate_toctree_html")
    if plain is None:
        return

    def collapsing(**options):
        """The theme's tree of contents, each part of the sidebar in an element that opens.

        The theme has made the tree before, to see whether it is empty, and hands out the same one if it is
        asked in the same words.
        """
        soup = plain(**options)
        captions = soup.select("p.caption") if options["kind"] == "sidebar" else []
        for caption in captions:
            chapters = caption.find_next_sibling("ul")
            details = caption.wrap(soup.new_tag("details", attrs={"class": "sidebar-part"}))
            details.append(chapters)
            caption.name = "summary"
            if chapters.select_one(".current") or caption is captions[0]:
                details["open"] = ""
        return soup

    context["generate_toctree_html"] = collapsing


def skip_what_says_nothing(app, what, name, member, skip, options):
    """Leave out methods whose text refers to scikit-learn's pages, fields without a word, names of 0.1.0."""
    text = getattr(member, "__doc__", "") or ""
    idle = text.startswith(("Alias for field number", "Refused;"))
    return True if idle or re.fullmatch(r"set_\w+_request", name) else None


def name_public_bases(app, name, obj, options, bases):
    """A class that is private, or in a private module, has no entry that its name could lead to."""
    for i, base in enumerate(bases):
        while "._" in f"{base.__module__}.{base.__name__}":
            base = base.__base__
        bases[i] = base


def find_by_last_name(app, env, node, contnode):
    """A public name is documented once, under its package; docstrings elsewhere use it without the path."""
    if node.get("refdomain") != "py":
        return None
    python, name = env.get_domain("py"), node["reftarget"].removeprefix("treebounds.")
    found = python.find_obj(env, None, None, name, None, searchmode=1)
    if not found:
        return None
    full, entry = min(found, key=lambda pair: len(pair[0]))
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, full)


def setup(app):
    """Register the hooks."""
    # the previews' files are named by the commit in place of a random number: two builds of it are the same
    sphinx_tippy.uuid4 = lambda: os.environ.get("SOURCE_DATE_EPOCH", "0")
    app.add_directive("csv-table", DownloadableTable, override=True)
    app.connect("builder-inited", copy_mathjax)
    app.connect("doctree-read", lead_to_the_code)
    app.connect("doctree-read", remember_the_graph)
    app.connect("doctree-resolved", say_what_rests_on_it)
    app.connect("doctree-resolved", say_how_to_cite)
    app.connect("autodoc-skip-member", skip_what_says_nothing)
    app.connect("autodoc-process-bases", name_public_bases)
    app.connect("missing-reference", find_by_last_name)
    app.connect("doctree-resolved", link_claims_to_the_ledger)
    app.connect("doctree-resolved", mark_what_a_machine_checked)
    app.connect("html-page-context", load_pictures)
    app.connect("html-page-context", tidy_scripts, priority=900)
    app.connect("doctree-resolved", put_provenance_behind_a_mark)
    app.connect("html-page-context", open_sources, priority=900)
    app.connect("html-page-context", collapse_parts, priority=900)
    app.connect("build-finished", mend_previews)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
