"""The pages that are generated from a run, by filling the templates in ``_fragments``."""

import io
import json
import os
import platform
import re
import runpy
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import graph
import jupytext
import nbformat
import reading
from execute import MARK
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from reproduction import claims

BOOK = Path(__file__).resolve().parent
FRAGMENTS = BOOK / "_fragments"
GLUED = re.compile(r"\{glue:text\}`[^`]+`")
CHECKER = runpy.run_path(str(BOOK.with_name("proofs") / "check.py"))
SOURCES = tomllib.loads((BOOK / "claims.toml").read_text(encoding="utf-8"))["sources"]
VERDICTS = (*claims.VERDICTS, "open")
STORED_BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks" / "stored.json"
# Numbered theorems, lemmas, corollaries and definitions.
THEOREM = r"^`{3,}\{prf:(?!proof)\w+\}([^\n]*)\n:label: ([\w-]+)"
FIGURE = r"^  figure:\n    caption: (.*?)\n    name: ([\w-]+)"


def render(name: str, /, **values: Any) -> str:
    """Fill one template."""
    fragments = claims.templates(FRAGMENTS)
    fragments.filters |= {
        "finding": in_words,
        "first_sentence": lambda text: re.split(
            r"(?<=[.!?]) ", " ".join(text.strip('|> "\n').split())
        )[0],
        "hours": reading.hours,
        "plain": plain_text,
        "coq": lambda text: Markup(
            highlight(text, get_lexer_by_name("coq"), HtmlFormatter())
        ),
    }
    common = {"sources": SOURCES, "verdicts": VERDICTS, "routes": reading.ROUTES}
    common |= {
        "graph": graph,
        "by_part": reading.by_part,
        "os": os,
        "platform": platform,
        "version": version,
    }
    return fragments.get_template(name).render(**common, **values)


def write_all(
    build: Path, ledger: Iterable[Any], notebooks: Iterable[Any], **run: Any
) -> dict[str, bytes]:
    """The files that are generated from a run, by name: fragments, and pages of
    chapters without results.

    ``run`` has the ``entries`` of the cache, the ``records`` of claims, and ``small``,
    whether small parameters were used.
    """
    toc = (BOOK / "_toc.yml").read_text(encoding="utf-8")
    in_order, entries = (
        sorted(notebooks, key=lambda n: toc.find(n.page)),
        run["entries"],
    )
    texts = {n.page: n.path.read_text(encoding="utf-8") for n in in_order}
    here = [n for n in in_order if n.name in entries]
    executed = {
        n.name: Executed.read(build / "executed" / f"{n.page}.ipynb") for n in here
    }
    checked = CHECKER[
        "read"
    ]()  # the result of the last `make proofs`, if no proof has changed since
    page = {n.name: n.page for n in in_order}
    rows = ledger_rows(ledger, run["records"], page)
    settled_in = {claim: n.page for n in in_order for claim in n.claims}
    problems = tomllib.loads((BOOK / "open-problems.toml").read_text(encoding="utf-8"))[
        "problem"
    ]
    whole = [
        statement["label"]
        for statement in checked["statements"]
        if not statement["unchecked"]
    ]
    nodes = graph.everything(texts, rows, settled_in, problems, whole)
    if wrong := graph.faults(nodes):
        raise SystemExit(f"In the graph of statements: {'; '.join(wrong)}")
    values = {
        **run,
        "checked": checked,
        "executed": executed,
        "page": page,
        "rows": rows,
        "nodes": nodes,
    }
    values |= {
        "as_markdown": CHECKER["render"](checked["theorems"]),
        "published": claims.published_values("leboeuf2020"),
        "proofs": machine_checked(checked),
        "stops": reading.stops(toc, BOOK, in_order),
        "problems": problems,
        "theorems": listed(THEOREM, texts),
        "figures": listed(FIGURE, texts),
        "benchmarks": benchmarks(build / "benchmarks.json"),
        "notebooks": in_order,
    }
    written = {
        p.name: render(p.name, **values).encode()
        for p in FRAGMENTS.iterdir()
        if p.is_file()
    }
    figures = [
        figure for chapter in executed.values() for figure in chapter.figures.items()
    ]
    written |= {f"{name}.svg": svg.encode() for name, (svg, _) in figures}
    written |= {
        f"graph/{page}.json": below_statements(nodes, checked, page) for page in texts
    }
    written |= {path.name: path.read_bytes() for path in build.glob("claims.json")}
    written["results.zip"] = archive(build, run["small"])
    stubs = {
        f"{n.page}.md": without_results(n.path)
        for n in in_order
        if n.name not in entries
    }
    return {f"_generated/{name}": content for name, content in written.items()} | stubs


def archive(build: Path, small: bool) -> bytes:
    """All result tables and the ledger of a build in one file, with a text that
    describes them.
    """
    files = [
        path
        for path in sorted(build.glob("results/*/*.csv"))
        if "shown.csv" not in path.name
    ]
    about = render("parts/about-results.txt", small=small)
    with zipfile.ZipFile(content := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as whole:
        # ZipInfo has a fixed time, so that two builds make the same bytes.
        whole.writestr(zipfile.ZipInfo("README.txt"), about)
        for path in [*files, *build.glob("claims.json")]:
            whole.writestr(
                zipfile.ZipInfo(path.relative_to(build).as_posix()), path.read_bytes()
            )
    return content.getvalue()


def without_results(path: Path) -> bytes:
    """A chapter that was not executed: its text with a notice, but without figures,
    tables and numbers.
    """
    parts = []
    for cell in jupytext.read(path).cells:
        text = cell.source
        if cell.cell_type == "code":
            figure = cell.metadata.get("mystnb", {}).get("figure", {})
            text = (
                render("parts/absent-figure.md", **figure) if "name" in figure else ""
            )
        parts.append(GLUED.sub("(not computed)", text))
    title, rest = re.match(
        r"(.*?^# [^\n]+\n)(.*)", "\n\n".join(parts), re.M | re.S
    ).groups()
    return f"{title}\n{render('parts/not-executed.md')}\n{rest}\n".encode()


def machine_checked(record: Mapping[str, Any]) -> dict[str, tuple[str, list[str]]]:
    """For each claim, its badge and the theorems that the last run of Coq accepted for
    it.
    """
    found = defaultdict(list)
    in_part = {
        claim for s in record["statements"] if s["unchecked"] for claim in s["claims"]
    }
    for theorem in record["theorems"]:
        for claim in theorem["claim_ids"]:
            found[claim].append(theorem["name"])
    return {
        c: (f"machine-checked{' in part' * (c in in_part)}", names)
        for c, names in found.items()
    }


def below_statements(
    nodes: Mapping[str, graph.Node], record: Mapping[str, Any], page: str
) -> bytes:
    """The HTML for the space below each statement of a page, as JSON, by label."""
    known = {
        "nodes": nodes,
        "theorems": {theorem["name"]: theorem for theorem in record["theorems"]},
    }
    proofs = {statement["label"]: statement for statement in record["statements"]}
    stated = [
        n
        for n in nodes.values()
        if n.page == page and n.kind not in ("claim", "open question")
    ]
    html = {
        n.name: render(
            "parts/statement.html", node=n, proof=proofs.get(n.name), **known
        )
        for n in stated
    }
    return json.dumps(html).encode()


@dataclass(frozen=True)
class Executed:
    """The parts of an executed chapter that other pages show: values in its text,
    figures, an example.
    """

    values: dict[str, str]
    figures: dict[str, tuple[str, str]]  # by name: the SVG and its origin
    example: dict[str, str]  # code and output of the first cell tagged "example"

    @classmethod
    def read(cls, page: Path) -> Self:
        """Read the executed notebook of a page."""
        values, figures, example = {}, {}, {}
        for cell in nbformat.read(page, as_version=4).cells:
            figure = cell.metadata.get("mystnb", {}).get("figure")
            if "example" in cell.metadata.get("tags", []) and not example:
                example = {
                    "code": cell.source,
                    "says": "".join(o.get("text", "") for o in cell.outputs),
                }
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if name := output.get("metadata", {}).get("scrapbook", {}).get("name"):
                    values[name] = data.get(
                        "application/papermill.record/text/plain", ""
                    )
                elif figure and "image/svg+xml" in data:
                    origin = "".join(figure["caption"].partition(MARK)[1:])
                    figures[figure["name"]] = data["image/svg+xml"], origin
        return cls(values, figures, example)

    def value(self, name: str, form: str = "") -> str:
        """A number or a word as the chapter's text shows it."""
        value = self.values[name]
        return (
            format(float(value), form).replace("-", "−") if form else value.strip("'")
        )


def listed(
    pattern: str, texts: Mapping[str, str]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """For each chapter, the names and labels of its theorems, or the captions and
    labels of its figures.
    """
    return [
        (page, re.findall(pattern, text, re.M | re.S)) for page, text in texts.items()
    ]


def benchmarks(path: Path) -> dict[str, Any]:
    """The measurements of ``make bench`` on this machine, if there are some, else those
    in the repository.
    """
    return json.loads(
        (path if path.exists() else STORED_BENCHMARKS).read_text(encoding="utf-8")
    )


def ledger_rows(
    listed: Iterable[claims.Claim],
    records: Iterable[Mapping[str, Any]],
    pages: Mapping[str, str],
) -> list[dict[str, Any]]:
    """One row for each listed claim, with its record or the verdict "open".

    ``theirs`` is whether a document makes the claim. Entries without an expected
    verdict are definitions, not claims, and are left out.
    """
    found = {record["id"]: record for record in records}
    rows = []
    for claim in (one for one in listed if one.expected):
        record = asdict(claims.Record(claim.id, "open", "")) | found.get(claim.id, {})
        page = pages.get(record.get("chapter", ""))
        link = f"{page}.html#claim-{claim.id}" if page else ""
        rows.append(
            {**record, "claim": claim, "theirs": claim.source != "new", "link": link}
        )
    return rows


def in_words(row: Mapping[str, Any]) -> str:
    """A row as sentences in MyST: the claim, its verdict, a correction or
    counter-example, a remark.
    """
    scope = "" if row["verdict"] == "not run" else row["scope"]
    named = (("Corrected", "correction"), ("Counter-example", "counter_example"))
    parts = [
        row["claim"].statement,
        ": ".join(filter(None, (row["verdict"].capitalize(), scope))),
    ]
    parts += [f"{name}: {row[key]}" for name, key in named if row[key]]
    parts += [row["note"]] if row["note"] else []
    sentences = (
        text if text.endswith((".", "?", "!")) else f"{text}." for text in parts
    )
    return plain_text(" ".join(sentences))


def plain_text(text: str) -> str:
    """Text with escapes, so that MyST finds in it no markup except formulas between
    dollar signs.
    """
    text, special = text.replace("<=", "≤").replace(">=", "≥"), r"[\\$`<>\[\]_*{}]"
    return re.sub(
        rf"\$([^$]+)\$|{special}",
        lambda found: found[0] if found[1] else "\\" + found[0],
        text,
    )
