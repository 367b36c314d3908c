"""The ledger page: counts by source and verdict, and one row for each claim, with filters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from reproduction import claims

SOURCES = {
    "leboeuf2020": "Leboeuf, LeBlanc and Marchand (2020)",
    "yildiz2012": "Yıldız (2012)",
    "dhurandhar2008": "Dhurandhar and Dobra (2008)",
    "peng2019": "Peng (2019)",
    "george2023": "George (2023)",
    "new": "This book",
}
VERDICTS = (*claims.VERDICTS, "open")
FORMULA = r"\$([^$]+)\$"
COLUMNS = ("Claim", "Verdict", "Published", "Measured", "Scope and remarks")


def ledger_rows(
    listed: Iterable[claims.Claim], records: Iterable[Mapping[str, Any]], pages: Mapping[str, Path]
) -> list[dict[str, Any]]:
    """One row for each listed claim, with the record that settles it or the verdict "open"."""
    found = {record["id"]: record for record in records}
    rows = []
    for claim in listed:
        record = found.get(claim.id, {"verdict": "open", "scope": "", "published": None, "measured": None})
        link = ""
        if record.get("chapter") in pages:
            link = f"{pages[record['chapter']].with_suffix('.html').as_posix()}#claim-{claim.id}"
        rows.append({**record, "claim": claim, "link": link})
    return rows


def verdict_counts(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many claims ended with which verdict, as a line of badges that open the ledger at these claims."""
    counts = Counter(row["verdict"] for row in rows)
    badges = "".join(
        f'<li class="claim-{_kind(name)}"><a href="ledger.html{_query(verdict=name)}">'
        f"<strong>{counts[name]}</strong> {name}</a></li>"
        for name in VERDICTS
        if counts[name]
    )
    return f'<ul class="verdict-counts" aria-label="Verdicts on {len(rows)} claims">{badges}</ul>\n'


def counts_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Counts by source and verdict; each opens the ledger at its claims."""
    sources, verdicts = _present(rows)
    head = "".join(f'<th scope="col">{name}</th>' for name in (*verdicts, "all"))
    body = ""
    for source in sources:
        cells = _count_cells([row for row in rows if row["claim"].source == source], verdicts, source=source)
        body += f'<tr><th scope="row">{_link(SOURCES[source], source=source)}</th>{cells}</tr>\n'
    return f"""<div class="ledger-scroll" tabindex="0" role="region" aria-label="Counts of the verdicts">
<table class="ledger-counts">
<thead><tr><td></td>{head}</tr></thead>
<tbody>
{body}</tbody>
<tfoot><tr><th scope="row">All</th>{_count_cells(rows, verdicts)}</tr></tfoot>
</table></div>
"""


def _count_cells(rows: Sequence[Mapping[str, Any]], verdicts: Iterable[str], **filters: str) -> str:
    counts = Counter(row["verdict"] for row in rows)
    cells = "".join(
        f'<td class="claim-{_kind(name)}">{_count(counts[name], **filters, verdict=name)}</td>'
        for name in verdicts
    )
    return f"{cells}<td>{len(rows)}</td>"


def ledger_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The ledger as an HTML table, a body for each source, with filters by source, verdict and words."""
    sources, verdicts = _present(rows)
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    bodies = "\n".join(_source_body(source, rows) for source in sources)
    return f"""<form class="ledger-filters" role="search" aria-label="Filters of the ledger">
{_select("source", [(key, SOURCES[key]) for key in sources])}
{_select("verdict", [(name, name) for name in verdicts])}
<label>Words <input type="search" name="words" autocomplete="off"></label>
<output id="ledger-count" aria-live="polite">{len(rows)} claims</output>
</form>
<div class="ledger-scroll" tabindex="0" role="region" aria-label="The ledger of claims">
<table class="ledger" id="ledger">
<thead><tr>{head}</tr></thead>
{bodies}
</table></div>
"""


def _present(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Sources and verdicts that occur, in the order of the book."""
    sources, verdicts = {row["claim"].source for row in rows}, {row["verdict"] for row in rows}
    return [key for key in SOURCES if key in sources], [name for name in VERDICTS if name in verdicts]


def _source_body(source: str, rows: Sequence[Mapping[str, Any]]) -> str:
    own = "\n".join(_ledger_row(row) for row in rows if row["claim"].source == source)
    return (
        f'<tbody><tr class="ledger-source"><th colspan="{len(COLUMNS)}" scope="rowgroup">'
        f"{escape(SOURCES[source])}</th></tr>\n{own}\n</tbody>"
    )


def _ledger_row(row: Mapping[str, Any]) -> str:
    claim, verdict = row["claim"], row["verdict"]
    name = f'<a href="{escape(row["link"])}">{escape(claim.id)}</a>' if row["link"] else escape(claim.id)
    remarks = "".join(f"<p>{_formula(text)}</p>" for text in (row["scope"], row.get("note", "")) if text)
    tolerance = f" (± {row['tolerance']:.3g})" if row.get("tolerance") else ""
    cells = (
        f'<span class="verdict claim-{_kind(verdict)}">{escape(verdict)}</span>',
        f"{value_html(row['published'])}{tolerance}",
        value_html(row["measured"]),
        remarks,
    )
    return (
        f'<tr id="ledger-{escape(claim.id)}" data-source="{escape(claim.source)}" '
        f'data-verdict="{escape(verdict)}">'
        f'<th scope="row">{name}<p>{_formula(claim.statement)}</p>'
        f'<p class="where">{escape(claim.where)}</p></th>'
        # the names of the columns, for phones, where each cell is a line of its own
        + "".join(
            f'<td data-label="{label}">{cell}</td>' for label, cell in zip(COLUMNS[1:], cells, strict=True)
        )
        + "</tr>"
    )


def value_html(value: Any) -> str:
    """A published or measured value, long lists and tables cut after eight items."""
    if value is None:
        return ""
    if value is True or value is False:
        return "holds" if value else "does not hold"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return "<br>".join(f"{escape(str(key))}: {value_html(item)}" for key, item in list(value.items())[:8])
    if isinstance(value, list):
        shown = ", ".join(value_html(item) for item in value[:8])
        return shown + (f", … ({len(value)})" if len(value) > 8 else "")
    return escape(str(value))


def _formula(text: str) -> str:
    """Escaped text whose formulas, between dollars, are marked as Sphinx marks them for MathJax."""
    words = escape(text.replace("<=", "≤").replace(">=", "≥"))
    return re.sub(FORMULA, r'<span class="math notranslate nohighlight">\\(\1\\)</span>', words)


def _select(name: str, options: Sequence[tuple[str, str]]) -> str:
    choices = "".join(f'<option value="{escape(key)}">{escape(text)}</option>' for key, text in options)
    all_ = '<option value="">all</option>'
    return f'<label>{name.capitalize()} <select name="{name}">{all_}{choices}</select></label>'


def _count(count: int, **filters: str) -> str:
    return _link(str(count), **filters) if count else '<span class="none">0</span>'


def _link(text: str, **filters: str) -> str:
    return f'<a href="{_query(**filters)}">{escape(text)}</a>'


def _query(**filters: str) -> str:
    return f"?{escape(urlencode(filters))}#all-claims"


def _kind(verdict: str) -> str:
    return verdict.replace(" ", "-")
