"""The pages that follow from a run: the ledger, the counts of the landing page, the status page."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
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
    (folder / "status.md").write_text(status(timings, notebooks, small=small), encoding="utf-8")


def drop_absent(toc: Path, source: Path) -> None:
    """Take the entries out of a table of contents whose page does not exist, and parts that are empty."""
    contents = yaml.safe_load(toc.read_text(encoding="utf-8"))
    for part in contents["parts"]:
        part["chapters"] = [
            entry
            for entry in part["chapters"]
            if any((source / f"{entry['file']}{ending}").exists() for ending in (".md", ".ipynb"))
        ]
    contents["parts"] = [part for part in contents["parts"] if part["chapters"]]
    toc.write_text(yaml.safe_dump(contents, sort_keys=False, allow_unicode=True), encoding="utf-8")


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
