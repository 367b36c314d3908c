"""The pages that follow from a run: ledger, findings, lists, map of the chapters, status."""

from __future__ import annotations

import json
import os
import platform
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import landing
import ledger
import reading

STORED_BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks" / "stored.json"
PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "sympy",
    "numba",
    "networkx",
    "matplotlib",
    "pandas",
    "jupyter-book",
)


def present(toc: str, source: Path) -> str:
    """The table of contents without chapters that are not there."""
    lines = toc.splitlines(keepends=True)
    pages = [re.fullmatch(r"\s*- file: (\S+)\n", line) for line in lines]
    there = [not page or any(source.glob(f"{page[1]}.*")) for page in pages]
    kept = "".join(line for line, keep in zip(lines, there, strict=True) if keep)
    return re.sub(r"  - caption: [^\n]*\n    numbered: true\n    chapters:\n(?=  - caption)", "", kept)


def write_all(
    source: Path,
    *,
    claims: Iterable[Any],
    records: Iterable[Mapping[str, Any]],
    timings: Mapping[str, float],
    notebooks: list[Any],
    small: bool,
) -> None:
    """Write the table of contents, and the generated fragments into ``<source>/_generated``."""
    (source / "_generated").mkdir(exist_ok=True)
    toc = present((source / "_toc.yml").read_text(encoding="utf-8"), source)
    (source / "_toc.yml").write_text(toc, encoding="utf-8")
    rows = ledger.ledger_rows(claims, records, {n.name: n.page for n in notebooks})
    in_order = sorted(notebooks, key=lambda n: toc.find(n.page.with_suffix("").as_posix()))
    texts = [(n, n.path.read_text(encoding="utf-8")) for n in in_order]
    stops = reading.stops(toc, source, texts)
    fragments = {
        "ledger.html": ledger.ledger_list(rows),
        "ledger-counts.html": ledger.counts_list(rows),
        "counts.html": ledger.landing_counts(rows),
        "counts.md": ledger.count_words(rows) + "\n",
        "claims.json": json.dumps(list(records), indent=1, ensure_ascii=False),
        "findings.md": findings(rows),
        "evidence.md": evidence(rows),
        "theorems.md": theorems(texts),
        "figures.md": figures(texts),
        "tables.md": tables(source, texts),
        "map.html": reading.route_map(stops),
        "routes.md": reading.routes_in_words(stops),
        "chapters.md": reading.chapters(stops),
        "benchmarks.md": benchmarks(source.parent / "benchmarks.json"),
        "status.md": status(timings, notebooks, small=small),
        **landing.fragments(source / "_generated"),
    }
    for name, text in fragments.items():
        (source / "_generated" / name).write_text(text, encoding="utf-8")


EVIDENCE = {
    "proved in the text": ("proved", "holds with a correction"),
    "refuted by an example": ("refuted",),
    "checked exhaustively on a range": ("verified",),
    "measured": ("reproduced", "depends on the protocol", "not reproduced"),
}


def evidence(rows: Sequence[Mapping[str, Any]]) -> str:
    """On what the claims of the documents and the statements of the book rest, counted in a MyST table."""
    lines = ["```{list-table}", ":header-rows: 1"]
    lines += _table_row(("Evidence", "Claims of the documents", "Statements of this book"))
    for name, verdicts in EVIDENCE.items():
        counts = Counter(ledger.of_documents(row) for row in rows if row["verdict"] in verdicts)
        lines += _table_row((name, str(counts[True]), str(counts[False])))
    return "\n".join([*lines, "```", ""])


def findings(rows: list[dict[str, Any]]) -> str:
    """What did not stand as printed, and the new results, as MyST sections, each with its count."""
    parts = []
    for verdict in ("refuted", "holds with a correction", "depends on the protocol", "not reproduced"):
        chosen = [row for row in rows if row["verdict"] == verdict and ledger.of_documents(row)]
        parts += _findings_section(f"Claims of the documents: {verdict}", chosen)
    chosen = [row for row in rows if not ledger.of_documents(row) and row["verdict"] != "open"]
    return "\n".join([*parts, *_findings_section("Statements of this book", chosen)])


def _findings_section(title: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    listed = map(_finding, rows) if rows else ["None in this build."]
    return [f"## {title} ({len(rows)})", "", *listed, ""]


def _finding(row: Mapping[str, Any]) -> str:
    claim = row["claim"]
    where = ", ".join(filter(None, (ledger.SOURCES[claim.source], claim.where)))
    link = f'<a href="{escape(row["link"])}"><strong>{escape(claim.id)}</strong></a>'
    outcome = ": ".join(filter(None, (row["verdict"].capitalize(), _known_scope(row))))
    correction = f"Corrected: {row['correction']}" if row.get("correction") else ""
    counter = f"Counter-example: {row['counter_example']}" if row.get("counter_example") else ""
    parts = (claim.statement, outcome, correction, counter, row.get("note", ""))
    text = " ".join(_sentence(part) for part in parts if part)
    return f"- {link} ({_plain_text(where)}). {_plain_text(text)}"


def _known_scope(row: Mapping[str, Any]) -> str:
    return "" if row["verdict"] == "not run" else row["scope"]


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _plain_text(text: str) -> str:
    """Text in which MyST finds no links, no emphasis, and no mathematics but the formulas between dollars."""
    special = r"[\\$`<>\[\]_*{}]"
    return re.sub(rf"\$([^$]+)\$|{special}", lambda found: found[0] if found[1] else "\\" + found[0], text)


def theorems(texts: Sequence[tuple[Any, str]]) -> str:
    """Every numbered theorem, lemma, corollary and definition with its name, by chapter."""
    lists = []
    for notebook, text in texts:
        found = re.finditer(r"^`{3,}\{prf:(\w+)\}([^\n]*)\n:label: ([\w-]+)", text, re.M)
        items = [
            f"{{prf:ref}}`{label}`:{name}"
            for kind, name, label in (f.groups() for f in found)
            if kind != "proof"
        ]
        lists += _of_chapter(notebook, items)
    return "\n".join(lists) + "\n"


def figures(texts: Sequence[tuple[Any, str]]) -> str:
    """Every figure with its number and the first sentence of its caption, by chapter."""
    lists = []
    for notebook, text in texts:
        found = re.finditer(r"^  figure:\n    caption: (.*?)\n    name: ([\w-]+)", text, re.M | re.S)
        items = [
            f"{{numref}}`{name}`: {_first_sentence(caption)}" for caption, name in (f.groups() for f in found)
        ]
        lists += _of_chapter(notebook, items)
    return "\n".join(lists) + "\n"


def tables(source: Path, texts: Sequence[tuple[Any, str]]) -> str:
    """Every result table as a file to download, with the chapter that writes it."""
    lists, listed = [], set()
    files = sorted((source / "results").rglob("*.csv"))
    for notebook, text in texts:
        own = [file for file in files if _writes(text, file)]
        lists += _of_chapter(notebook, [_download(file, source) for file in own])
        listed.update(own)
    lists += [f"- {_download(file, source)}" for file in files if file not in listed]
    return "\n".join(lists or ["No tables in this build."]) + "\n"


def _of_chapter(notebook: Any, items: Sequence[str]) -> list[str]:
    """The chapter's line in a list, with its items below; nothing for a chapter without any."""
    page = notebook.page.with_suffix("").as_posix()
    return [f"- {{doc}}`/{page}`", *(f"  - {item}" for item in items)] if items else []


def _first_sentence(caption: str) -> str:
    return re.split(r"(?<=[.!?]) ", " ".join(caption.strip("|> \n").split()))[0]


def _writes(text: str, file: Path) -> bool:
    """Whether a chapter saves this table, or shows it."""
    saved, shown = f'"{file.parent.name}", "{file.stem}"', f"results/{file.parent.name}/{file.name}"
    return saved in " ".join(text.split()) or shown in text


def _download(file: Path, source: Path) -> str:
    name = file.relative_to(source / "results").as_posix()
    return f"{{download}}`{name} </results/{name}>`"


def _table_row(cells: Iterable[str]) -> list[str]:
    return [f"{'* -' if i == 0 else '  -'} {cell}" for i, cell in enumerate(cells)]


def benchmarks(path: Path) -> str:
    """What ``make bench`` measured here, else the run that is kept in the repository."""
    path = path if path.exists() else STORED_BENCHMARKS
    found = json.loads(path.read_text(encoding="utf-8"))
    machine = ", ".join(f"{name} {value}" for name, value in found["machine"].items())
    lines = [f"Measured: {_plain_text(machine)}.", "", "```{list-table}", ":header-rows: 1"]
    lines += _table_row(("What", "Measured", "Target"))
    for row in found["rows"]:
        value = "not run" if row["value"] is None else f"{row['value']:.3g}"
        target = "" if row["target"] is None else f"{row['unit']} {row['target']:g}"
        lines += _table_row((_plain_text(row["name"]), value, _plain_text(target)))
    return "\n".join([*lines, "```", ""])


def status(timings: Mapping[str, float], notebooks: list[Any], *, small: bool) -> str:
    """Versions, machine and seconds per notebook, as MyST text."""
    cores = os.cpu_count() or 1
    which = "their small parameters" if small else "the book's parameters"
    lines = [
        f"The notebooks ran with {which}, on {platform.system()} ({platform.machine()}, {cores} cores), "
        f"Python {platform.python_version()}.",
        "",
        "```{list-table} Versions",
        ":header-rows: 1",
        "* - Package",
        "  - Version",
        *(line for name in PACKAGES for line in (f"* - {name}", f"  - {version(name)}")),
        "```",
        "",
        "```{list-table} Seconds for each notebook when it was last executed (measured times)",
        ":header-rows: 1",
        "* - Notebook",
        "  - Seconds",
        *(
            line
            for notebook in notebooks
            for line in (
                f"* - [](./{notebook.page.with_suffix('').as_posix()})",
                f"  - {timings.get(notebook.name, 0):.1f}"
                if notebook.name in timings
                else "  - not executed",
            )
        ),
        "```",
        "",
        f"Together {sum(timings.values()):.0f} seconds; two notebooks run at a time.",
        "",
    ]
    return "\n".join(lines)
