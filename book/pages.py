"""The pages that follow from a run: ledger, findings, lists, map of the chapters, status."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ledger
import yaml

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


def write_all(
    source: Path,
    *,
    claims: Iterable[Any],
    records: Iterable[Mapping[str, Any]],
    timings: Mapping[str, float],
    notebooks: list[Any],
    small: bool,
) -> None:
    """Write the generated fragments into ``<source>/_generated``."""
    folder = source / "_generated"
    folder.mkdir(exist_ok=True)
    rows = ledger.ledger_rows(claims, records, {n.name: n.page for n in notebooks})
    (folder / "ledger.html").write_text(ledger.ledger_table(rows), encoding="utf-8")
    (folder / "ledger-counts.html").write_text(ledger.counts_table(rows), encoding="utf-8")
    (folder / "counts.html").write_text(ledger.verdict_counts(rows), encoding="utf-8")
    toc = (source / "_toc.yml").read_text(encoding="utf-8")
    in_order = sorted(notebooks, key=lambda n: toc.find(n.page.with_suffix("").as_posix()))
    texts = [(n, n.path.read_text(encoding="utf-8")) for n in in_order]
    (folder / "claims.json").write_text(
        json.dumps(list(records), indent=1, ensure_ascii=False), encoding="utf-8"
    )
    (folder / "findings.md").write_text(findings(rows), encoding="utf-8")
    (folder / "theorems.md").write_text(theorems(texts), encoding="utf-8")
    (folder / "figures.md").write_text(figures(texts), encoding="utf-8")
    (folder / "tables.md").write_text(tables(source, texts), encoding="utf-8")
    (folder / "chapters.md").write_text(chapters(toc, texts), encoding="utf-8")
    (folder / "benchmarks.md").write_text(benchmarks(source.parent / "benchmarks.json"), encoding="utf-8")
    (folder / "status.md").write_text(status(timings, notebooks, small=small), encoding="utf-8")


def findings(rows: list[dict[str, Any]]) -> str:
    """What was refuted, what was not reproduced, and the new results, as MyST sections."""
    parts = []
    for title, wanted in (
        ("Refuted", lambda row: row["verdict"] == "refuted"),
        ("Not reproduced", lambda row: row["verdict"] == "not reproduced"),
        ("New results of this book", lambda row: row["claim"].source == "new" and row["verdict"] != "open"),
    ):
        chosen = [row for row in rows if wanted(row)]
        parts += [
            f"## {title}",
            "",
            *(_finding(row) for row in chosen),
            "" if chosen else "None in this build.",
            "",
        ]
    return "\n".join(parts)


def _finding(row: Mapping[str, Any]) -> str:
    claim = row["claim"]
    where = ", ".join(filter(None, (ledger.SOURCES[claim.source], claim.where)))
    link = f'<a href="{escape(row["link"])}"><strong>{escape(claim.id)}</strong></a>'
    outcome = ": ".join(filter(None, (row["verdict"].capitalize(), _known_scope(row))))
    text = " ".join(_sentence(part) for part in (claim.statement, outcome, row["note"]) if part)
    return f"- {link} ({_plain_text(where)}). {_plain_text(text)}"


def _known_scope(row: Mapping[str, Any]) -> str:
    return "" if row["verdict"] == "not run" else row["scope"]


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _plain_text(text: str) -> str:
    """Text in which MyST finds no links, no emphasis, and no mathematics but the formulas between dollars."""
    special = r"[\\$`<>\[\]_*{}]"
    return re.sub(
        f"{ledger.FORMULA}|{special}", lambda found: found[0] if found[1] else "\\" + found[0], text
    )


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


def chapters(toc: str, texts: Sequence[tuple[Any, str]]) -> str:
    """The map of the chapters: part, chapter, what it needs, minutes to read."""
    by_page = {n.page.with_suffix("").as_posix(): (n, text) for n, text in texts}
    head = ("Part", "Chapter", "Read before", "Minutes")
    lines = ["```{list-table}", ":header-rows: 1", ":name: tab-chapters", *_table_row(head)]
    for part in yaml.safe_load(toc)["parts"]:
        for entry in part["chapters"]:
            if entry["file"] in by_page:
                notebook, text = by_page[entry["file"]]
                needs = ", ".join(f"{{doc}}`/{page}`" for page in notebook.needs) or "nothing"
                page, minutes = f"{{doc}}`/{entry['file']}`", str(minutes_to_read(text))
                lines += _table_row((part["caption"], page, needs, minutes))
    return "\n".join([*lines, "```", ""])


def _table_row(cells: Iterable[str]) -> list[str]:
    return [f"{'* -' if i == 0 else '  -'} {cell}" for i, cell in enumerate(cells)]


def benchmarks(path: Path) -> str:
    """What ``make bench`` measured last, or how to measure it."""
    if not path.exists():
        return "`make bench` was not run before this build.\n"
    found = json.loads(path.read_text(encoding="utf-8"))
    machine = ", ".join(f"{name} {value}" for name, value in found["machine"].items())
    lines = [f"Measured on: {_plain_text(machine)}.", "", "```{list-table}", ":header-rows: 1"]
    lines += _table_row(("What", "Measured", "Target"))
    for row in found["rows"]:
        value = "not run" if row["value"] is None else f"{row['value']:.3g}"
        target = "" if row["target"] is None else f"{row['unit']} {row['target']:g}"
        lines += _table_row((_plain_text(row["name"]), value, _plain_text(target)))
    return "\n".join([*lines, "```", ""])


def minutes_to_read(text: str) -> int:
    """Minutes for a reader of 180 words of prose and 20 lines of code a minute."""
    code = "\n".join(re.findall(r"^`{3,}\{code-cell\}.*?^`{3,}$", text, re.M | re.S))
    return max(1, round((len(text.split()) - len(code.split())) / 180 + code.count("\n") / 20))


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
