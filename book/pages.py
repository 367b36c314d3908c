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

import yaml

SOURCES = {
    "leboeuf2020": "Leboeuf, LeBlanc and Marchand (2020)",
    "yildiz2012": "Yıldız (2012)",
    "dhurandhar2008": "Dhurandhar and Dobra (2008)",
    "peng2019": "Peng (2019)",
    "george2023": "George (2023)",
    "new": "This book",
}
ORDER = ("proved", "verified", "reproduced", "not reproduced", "refuted", "not run", "open")
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
    rows = ledger_rows(claims, records, {n.name: n.page for n in notebooks})
    (folder / "ledger.html").write_text(ledger_table(rows), encoding="utf-8")
    (folder / "counts.html").write_text(verdict_counts(rows), encoding="utf-8")
    toc = (source / "_toc.yml").read_text(encoding="utf-8")
    in_order = sorted(notebooks, key=lambda n: toc.find(n.page.with_suffix("").as_posix()))
    texts = [(n, n.path.read_text(encoding="utf-8")) for n in in_order]
    (folder / "findings.md").write_text(findings(rows), encoding="utf-8")
    (folder / "theorems.md").write_text(theorems(texts), encoding="utf-8")
    (folder / "figures.md").write_text(figures(texts), encoding="utf-8")
    (folder / "tables.md").write_text(tables(source), encoding="utf-8")
    (folder / "chapters.md").write_text(chapters(toc, texts), encoding="utf-8")
    (folder / "benchmarks.md").write_text(benchmarks(source.parent / "benchmarks.json"), encoding="utf-8")
    (folder / "status.md").write_text(status(timings, notebooks, small=small), encoding="utf-8")


def ledger_rows(
    claims: Iterable[Any], records: Iterable[Mapping[str, Any]], pages: Mapping[str, Path]
) -> list[dict[str, Any]]:
    """One row for each listed claim, with the record that settles it or the verdict "open"."""
    found = {record["id"]: record for record in records}
    rows = []
    for claim in claims:
        record = found.get(claim.id, {"verdict": "open", "scope": "", "published": None, "measured": None})
        link = ""
        if record.get("chapter") in pages:
            link = f"{pages[record['chapter']].with_suffix('.html').as_posix()}#claim-{claim.id}"
        rows.append({**record, "claim": claim, "link": link})
    return rows


def ledger_table(rows: list[dict[str, Any]]) -> str:
    """The ledger as an HTML table with filters by source and verdict."""
    sources = [key for key in SOURCES if any(row["claim"].source == key for row in rows)]
    verdicts = [name for name in ORDER if any(row["verdict"] == name for row in rows)]
    body = "\n".join(_ledger_row(row) for row in rows)
    return f"""<div class="ledger-filters" role="group" aria-label="Filters of the ledger">
{_select("source", [(key, SOURCES[key]) for key in sources])}
{_select("verdict", [(name, name) for name in verdicts])}
<output id="ledger-count" aria-live="polite">{len(rows)} claims</output>
</div>
<div class="ledger-scroll" tabindex="0" role="region" aria-label="The ledger of claims">
<table class="ledger" id="ledger">
<thead><tr><th scope="col">Claim</th><th scope="col">Verdict</th><th scope="col">Published</th>
<th scope="col">Measured</th><th scope="col">Scope and remarks</th></tr></thead>
<tbody>
{body}
</tbody></table></div>
"""


def verdict_counts(rows: list[dict[str, Any]]) -> str:
    """How many claims ended with which verdict, as a line of badges."""
    counts = Counter(row["verdict"] for row in rows)
    badges = "".join(
        f'<li class="claim-{name.replace(" ", "-")}"><strong>{counts[name]}</strong> {name}</li>'
        for name in ORDER
        if counts[name]
    )
    return f'<ul class="verdict-counts" aria-label="Verdicts on {len(rows)} claims">{badges}</ul>\n'


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
    where = ", ".join(filter(None, (SOURCES.get(claim.source, claim.source), claim.where)))
    parts = [f"({where}).", claim.statement, f"{row['verdict'].capitalize()}: {row['scope']}.", row["note"]]
    link = f'<a href="{escape(row["link"])}"><strong>{escape(claim.id)}</strong></a>'
    return f"- {link} {_plain_text(' '.join(filter(None, parts)))}"


def _plain_text(text: str) -> str:
    """Text in which MyST finds no mathematics, no links and no emphasis."""
    return re.sub(r"[\\$`<>\[\]_*{}]", lambda found: "\\" + found[0], text)


def theorems(texts: Sequence[tuple[Any, str]]) -> str:
    """Every numbered theorem, lemma, corollary and definition, in the order of the book."""
    lines = []
    for _, text in texts:
        for found in re.finditer(r"^`{3,}\{prf:(\w+)\}([^\n]*)\n:label: ([\w-]+)", text, re.M):
            if found[1] != "proof":
                lines.append(f"- {{prf:ref}}`{found[3]}`:{found[2] or ' (without a name)'}")
    return "\n".join(lines) + "\n"


def figures(texts: Sequence[tuple[Any, str]]) -> str:
    """Every figure with its number and the first sentence of its caption."""
    lines = []
    for _, text in texts:
        for found in re.finditer(r"^  figure:\n    caption: (.*?)\n    name: ([\w-]+)", text, re.M | re.S):
            caption = " ".join(found[1].strip("|> \n").split())
            lines.append(f"- {{numref}}`{found[2]}`: {re.split(r'(?<=[.!?]) ', caption)[0]}")
    return "\n".join(lines) + "\n"


def tables(source: Path) -> str:
    """Every result table as a file to download."""
    files = sorted((source / "results").rglob("*.csv"))
    lines = []
    for file in files:
        name = file.relative_to(source / "results").as_posix()
        lines.append(f"- {{download}}`{name} </results/{name}>`")
    return "\n".join(lines or ["No tables in this build."]) + "\n"


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


def _select(name: str, options: list[tuple[str, str]]) -> str:
    choices = "".join(f'<option value="{escape(key)}">{escape(text)}</option>' for key, text in options)
    return (
        f'<label>{name.capitalize()} <select data-ledger-filter="{name}">'
        f'<option value="">all</option>{choices}</select></label>'
    )


def _ledger_row(row: Mapping[str, Any]) -> str:
    claim, verdict = row["claim"], row["verdict"]
    name = f'<a href="{escape(row["link"])}">{escape(claim.id)}</a>' if row["link"] else escape(claim.id)
    where = ", ".join(filter(None, (SOURCES.get(claim.source, claim.source), claim.where)))
    remarks = "<br>".join(escape(text) for text in (row["scope"], row.get("note", "")) if text)
    tolerance = f" (± {row['tolerance']:.3g})" if row.get("tolerance") else ""
    return (
        f'<tr id="ledger-{escape(claim.id)}" data-source="{escape(claim.source)}" '
        f'data-verdict="{escape(verdict)}">'
        f'<th scope="row">{name}<p>{escape(claim.statement)}</p><p class="where">{escape(where)}</p></th>'
        f'<td><span class="verdict claim-{verdict.replace(" ", "-")}">{escape(verdict)}</span></td>'
        f"<td>{_value(row['published'])}{tolerance}</td><td>{_value(row['measured'])}</td><td>{remarks}</td></tr>"
    )


def _value(value: Any) -> str:
    if value is None:
        return ""
    if value is True or value is False:
        return "holds" if value else "does not hold"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return "<br>".join(f"{escape(str(key))}: {_value(item)}" for key, item in list(value.items())[:8])
    if isinstance(value, list):
        shown = ", ".join(_value(item) for item in value[:8])
        return shown + (f", … ({len(value)})" if len(value) > 8 else "")
    return escape(str(value))
