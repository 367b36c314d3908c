"""The pages that are generated from a run: the templates in ``_fragments``, filled."""

import json
import os
import platform
import re
import runpy
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, Self

import cache
import execute
import graph
import jupytext
import nbformat
import reading
import symbolic
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from reproduction import cards, claims

BOOK = Path(__file__).resolve().parent
FRAGMENTS = BOOK / "_fragments"
GLUED = re.compile(r"\{glue:text\}`[^`]+`")
CHECKER = runpy.run_path(str(BOOK.with_name("proofs") / "check.py"))
SOURCES = tomllib.loads((BOOK / "claims.toml").read_text(encoding="utf-8"))["sources"]
VERDICTS = (*claims.VERDICTS, "open")
DOCUMENTS = tomllib.loads((BOOK / "documents.toml").read_text(encoding="utf-8"))[
    "document"
]
STORED_BENCHMARKS = BOOK.parent / "benchmarks" / "stored.json"
# Numbered theorems, lemmas, corollaries and definitions.
THEOREM = r"^`{3,}\{prf:(?!proof)\w+\}([^\n]*)\n:label: ([\w-]+)"
FIGURE = r"^  figure:\n    caption: (.*?)\n    name: ([\w-]+)"


def render(name: str, /, **values: Any) -> str:
    """Fill one template."""
    fragments = cards.templates(FRAGMENTS)
    fragments.filters |= {
        "finding": in_words,
        "first_sentence": first_sentence,
        "hours": reading.hours,
        "plain": plain_text,
        "coq": colored_coq,
    }
    fragments.globals |= {
        "sources": SOURCES,
        "verdicts": VERDICTS,
        "routes": reading.ROUTES,
        "graph": graph,
        "by_part": reading.by_part,
        "n_processors": os.cpu_count() or 1,
        "platform": platform,
        "version": version,
    }
    return fragments.get_template(name).render(**values)


def first_sentence(text: str) -> str:
    """The first sentence of some Markdown, on one line."""
    words = text.strip('|> "\n').split()
    return re.split(r"(?<=[.!?]) ", " ".join(words))[0]


def colored_coq(text: str) -> Markup:
    """Coq's text as HTML, with its syntax in colors."""
    return Markup(highlight(text, get_lexer_by_name("coq"), HtmlFormatter()))


def write_all(
    build: Path,
    ledger: Iterable[claims.Claim],
    notebooks: Iterable[Any],
    *,
    entries: Mapping[str, Any],
    records: Iterable[Mapping[str, Any]],
    small: bool,
) -> dict[str, bytes]:
    """The files that are generated from a run, by name.

    These are fragments, and the pages of chapters without results. The run has the
    ``entries`` of the cache and the ``records`` of claims; ``small`` is whether small
    parameters were used.
    """
    toc = (BOOK / "_toc.yml").read_text(encoding="utf-8")
    in_order = sorted(notebooks, key=lambda notebook: toc.find(notebook.page))
    with_results = [n for n in in_order if n.name in entries]
    executed = {
        notebook.name: Executed.read(build / "executed" / f"{notebook.page}.ipynb")
        for notebook in with_results
    }
    # The result of the last `make proofs`, if no proof has changed since.
    checked = CHECKER["read"]()
    values = {
        "entries": entries,
        "records": records,
        "small": small,
        "executed": executed,
        "benchmarks": benchmarks(build / "benchmarks.json"),
        **_of_sources(toc, in_order),
        **_of_claims(ledger, records, in_order, checked),
    }
    values["evidence"] = symbolic.evidence(
        values["rows"],
        {values["page"][name]: chapter.symbolic for name, chapter in executed.items()},
    )

    fragments = _fragments(values) | _figures(executed.values())
    for notebook in in_order:
        below = below_statements(values["nodes"], checked, notebook.page)
        fragments[f"graph/{notebook.page}.json"] = below
    fragments |= {path.name: path.read_bytes() for path in build.glob("claims.json")}
    fragments["results.zip"] = archive(build, small)
    makers = {n.page: execute.makers(n, in_order) for n in in_order}
    fragments["makers.json"] = json.dumps(makers).encode()

    stubs = {
        f"{notebook.page}.md": without_results(notebook.path)
        for notebook in in_order
        if notebook not in with_results
    }
    generated = {f"_generated/{name}": content for name, content in fragments.items()}
    return generated | stubs | _document_pages(values)


def _fragments(values: Mapping[str, Any]) -> dict[str, bytes]:
    """The templates in ``_fragments``, filled, by name."""
    return {
        path.name: render(path.name, **values).encode()
        for path in FRAGMENTS.iterdir()
        if path.is_file()
    }


def _of_sources(toc: str, notebooks: list[Any]) -> dict[str, Any]:
    """What the templates show of the sources of the chapters."""
    texts = _texts(notebooks)
    return {
        "notebooks": notebooks,
        "page": {notebook.name: notebook.page for notebook in notebooks},
        "stops": reading.stops(toc, BOOK, notebooks),
        "theorems": listed(THEOREM, texts),
        "figures": listed(FIGURE, texts),
    }


def _of_claims(
    ledger: Iterable[claims.Claim],
    records: Iterable[Mapping[str, Any]],
    notebooks: list[Any],
    checked: Mapping[str, Any],
) -> dict[str, Any]:
    """What the templates show of claims, statements, proofs and open problems."""
    rows = ledger_rows(ledger, records, {n.name: n.page for n in notebooks})
    settled_in: dict[str, str] = {}
    for notebook in notebooks:
        settled_in |= dict.fromkeys(notebook.claims, notebook.page)
    problems = _read_toml("open-problems.toml")["problem"]
    checked_whole = [
        statement["label"]
        for statement in checked["statements"]
        if not statement["unchecked"]
    ]

    nodes = graph.everything(
        _texts(notebooks), rows, settled_in, problems, checked_whole
    )
    if faults := graph.faults(nodes):
        raise SystemExit(f"In the graph of statements: {'; '.join(faults)}")

    return {
        "rows": rows,
        "nodes": nodes,
        "problems": problems,
        "published": claims.published_values("leboeuf2020"),
        "checked": checked,
        "as_markdown": CHECKER["render"](checked["theorems"]),
        "proofs": machine_checked(checked),
    }


def _texts(notebooks: Iterable[Any]) -> dict[str, str]:
    """The source of each page."""
    return {n.page: n.path.read_text(encoding="utf-8") for n in notebooks}


def _read_toml(name: str) -> dict[str, Any]:
    """A TOML file of the book."""
    return tomllib.loads((BOOK / name).read_text(encoding="utf-8"))


def _document_pages(values: Mapping[str, Any]) -> dict[str, bytes]:
    """A page for each of the five documents, by the name of its source."""
    return {
        f"documents/{document['key']}.md": document_page(document, **values).encode()
        for document in DOCUMENTS
    }


def document_page(
    document: Mapping[str, Any],
    *,
    rows: Iterable[Mapping[str, Any]],
    notebooks: Iterable[Any],
    entries: Mapping[str, cache.Entry],
    **_: Any,
) -> str:
    """The page of a document: its text, claims, errata, chapters, tables and data."""
    own = [row for row in rows if row["claim"].source == document["key"]]
    ids = {row["claim"].id for row in own}
    chapters = [notebook for notebook in notebooks if ids & set(notebook.claims)]
    executed = [entries[n.name] for n in chapters if n.name in entries]
    readers = [n for n in chapters if n.name in entries and entries[n.name].data]
    return render(
        "parts/document.md",
        document=document,
        rows=own,
        errata=_errata(document["title"]),
        chapters=chapters,
        n_executed=len(executed),
        tables=_tables(executed, document["key"]),
        sets=_sets(set().union(*(entry.data for entry in executed))),
        readers=readers,
    )


def _errata(title: str) -> list[tuple[str, str, str]]:
    """Label, number and place of each erratum in the section of a document."""
    text = (BOOK / "errata.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", text, re.M | re.S)
    return re.findall(r"^\((erratum-\w+)\)=\n\*\*(\w+)\*\*, (.+)$", section[1], re.M)


def _tables(entries: Iterable[cache.Entry], source: str) -> list[str]:
    """The result tables of a document, without those that a page shows with markup."""
    names = chain.from_iterable(entry.files for entry in entries)
    own = [name for name in names if name.startswith(f"results/{source}/")]
    return sorted(name for name in own if not name.endswith("-shown.csv"))


def _sets(files: Collection[str]) -> dict[str, str]:
    """The data sets of some files, with a sentence about each."""
    if not files:
        return {}
    # With scikit-learn and pandas behind it, which take a second.
    from reproduction import datasets

    return {
        slug: sentence
        for slug, sentence in datasets.list_datasets().items()
        if not datasets.files_of(slug).isdisjoint(files)
    }


def _figures(chapters: Iterable["Executed"]) -> dict[str, bytes]:
    """The drawings of some chapters, by file name."""
    files = {}
    for chapter in chapters:
        for name, (svg, _) in chapter.figures.items():
            files[f"{name}.svg"] = svg.encode()
    return files


def archive(build: Path, small: bool) -> bytes:
    """All result tables and the ledger of a build in one file, and a description."""
    description = render("parts/about-results.txt", small=small)
    files = {"README.txt": description.encode()}
    for path in [*sorted(build.glob("results/*/*.csv")), *build.glob("claims.json")]:
        if not path.name.endswith("-shown.csv"):
            files[path.relative_to(build).as_posix()] = path.read_bytes()
    return cache.zip_of(files)


def without_results(path: Path) -> bytes:
    """A chapter that was not executed: its text with a notice, but without results."""
    parts = []
    for cell in jupytext.read(path).cells:
        text = cell.source
        if cell.cell_type == "code":
            text = _absent_figure(cell)
        parts.append(GLUED.sub("(not computed)", text))

    whole = "\n\n".join(parts)
    title, body = re.match(r"(.*?^# [^\n]+\n)(.*)", whole, re.M | re.S).groups()
    return f"{title}\n{render('parts/not-executed.md')}\n{body}\n".encode()


def _absent_figure(cell: Any) -> str:
    """What stands for a code cell that was not executed; "" if it draws no figure."""
    figure = cell.metadata.get("mystnb", {}).get("figure", {})
    if "name" not in figure:
        return ""
    return render("parts/absent-figure.md", **figure)


def machine_checked(record: Mapping[str, Any]) -> dict[str, tuple[str, list[str]]]:
    """For each claim, its badge and the theorems that Coq accepted for it."""
    theorems = defaultdict(list)
    for theorem in record["theorems"]:
        for claim in theorem["claim_ids"]:
            theorems[claim].append(theorem["name"])

    badge_of = dict.fromkeys(theorems, "machine-checked")
    for statement in record["statements"]:
        if statement["unchecked"]:
            badge_of |= dict.fromkeys(statement["claims"], "machine-checked in part")
    return {claim: (badge_of[claim], names) for claim, names in theorems.items()}


def below_statements(
    nodes: Mapping[str, graph.Node], record: Mapping[str, Any], page: str
) -> bytes:
    """The HTML for the space below each statement of a page, as JSON, by label."""
    theorems = {theorem["name"]: theorem for theorem in record["theorems"]}
    proofs = {statement["label"]: statement for statement in record["statements"]}

    html = {}
    for node in nodes.values():
        if node.page == page and node.kind not in ("claim", "open question"):
            html[node.name] = render(
                "parts/statement.html",
                node=node,
                nodes=nodes,
                proof=proofs.get(node.name),
                theorems=theorems,
            )
    return json.dumps(html).encode()


@dataclass(frozen=True)
class Executed:
    """The parts of an executed chapter that other pages show.

    ``values`` are those glued into its text. ``figures`` has the SVG and the origin of
    each figure, by name. ``example`` has code and output of the first cell that is
    tagged so. ``symbolic`` has the numbers of the cells of computer algebra, by claim.
    """

    values: dict[str, str]
    figures: dict[str, tuple[str, str]]
    example: dict[str, str]
    symbolic: dict[str, list[int]]

    @classmethod
    def read(cls, page: Path) -> Self:
        """Read the executed notebook of a page."""
        cells = nbformat.read(page, as_version=4).cells
        chapter = cls({}, {}, {}, symbolic.declared(cells))
        for cell in cells:
            if "example" in cell.metadata.get("tags", []) and not chapter.example:
                printed = [output.get("text", "") for output in cell.outputs]
                chapter.example["code"] = cell.source
                chapter.example["says"] = "".join(printed)
            for output in cell.get("outputs", []):
                chapter._add(output, cell.metadata.get("mystnb", {}).get("figure"))
        return chapter

    def _add(self, output: Any, figure: Mapping[str, str] | None) -> None:
        """Add one output, if it is a value or a figure."""
        data = output.get("data", {})
        name = output.get("metadata", {}).get("scrapbook", {}).get("name")
        if name:
            self.values[name] = data.get("application/papermill.record/text/plain", "")
        elif figure and "image/svg+xml" in data:
            _, mark, origin = figure["caption"].partition(execute.MARK)
            self.figures[figure["name"]] = (data["image/svg+xml"], mark + origin)

    def value(self, name: str, form: str = "") -> str:
        """A number or a word as the chapter's text shows it."""
        value = self.values[name]
        if not form:
            return value.strip("'")
        return format(float(value), form).replace("-", "−")


def listed(
    pattern: str, texts: Mapping[str, str]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """For each chapter, what a pattern finds.

    This is the names and labels of its theorems, or the captions and labels of its
    figures.
    """
    return [
        (page, re.findall(pattern, text, re.M | re.S)) for page, text in texts.items()
    ]


def benchmarks(path: Path) -> dict[str, Any]:
    """The measurements of ``make bench`` on this machine, else the stored ones."""
    if not path.exists():
        path = STORED_BENCHMARKS
    return json.loads(path.read_text(encoding="utf-8"))


def ledger_rows(
    listed: Iterable[claims.Claim],
    records: Iterable[Mapping[str, Any]],
    pages: Mapping[str, str],
) -> list[dict[str, Any]]:
    """One row for each listed claim, with its record or the verdict "open".

    ``theirs`` is whether a document makes the claim. Entries without an expected
    verdict are definitions, not claims, and are left out.
    """
    recorded = {record["id"]: record for record in records}
    rows = []
    for claim in listed:
        if not claim.expected:
            continue

        record = asdict(claims.Record(claim.id, "open", ""))
        record |= recorded.get(claim.id, {})
        record |= {"claim": claim, "theirs": claim.source != "new", "link": ""}
        page = pages.get(record.get("chapter", ""))
        if page:
            record["link"] = f"{page}.html#claim-{claim.id}"
        rows.append(record)
    return rows


def in_words(row: Mapping[str, Any]) -> str:
    """A row as sentences in MyST: claim, verdict, correction, example, remark."""
    verdict = row["verdict"].capitalize()
    if row["scope"] and row["verdict"] != "not run":
        verdict += f": {row['scope']}"

    parts = [row["claim"].statement, verdict]
    if row["correction"]:
        parts.append(f"Corrected: {row['correction']}")
    if row["counter_example"]:
        parts.append(f"Counter-example: {row['counter_example']}")
    if row["note"]:
        parts.append(row["note"])

    return plain_text(" ".join(map(_as_sentence, parts)))


def _as_sentence(text: str) -> str:
    """A text with a full stop, unless it has one."""
    if text.endswith((".", "?", "!")):
        return text
    return f"{text}."


def plain_text(text: str) -> str:
    """Text in which MyST finds no markup except formulas between dollar signs."""
    text = text.replace("<=", "≤").replace(">=", "≥")
    return re.sub(r"\$[^$]+\$|[\\$`<>\[\]_*{}]", _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    """A formula as it is, another special character behind a backslash."""
    is_formula = len(match[0]) > 1
    if is_formula:
        return match[0]
    return f"\\{match[0]}"
