"""The ledger: one line for each claim, which opens; counts by source and verdict, the book's own apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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
Row = Mapping[str, Any]


def ledger_rows(
    listed: Iterable[claims.Claim], records: Iterable[Row], pages: Mapping[str, Path]
) -> list[dict[str, Any]]:
    """One row for each listed claim, with the record that settles it or the verdict "open"."""
    found = {record["id"]: record for record in records}
    rows = []
    for claim in listed:
        record = found.get(claim.id, {"verdict": "open", "scope": ""})
        link = ""
        if record.get("chapter") in pages:
            link = f"{pages[record['chapter']].with_suffix('.html').as_posix()}#claim-{claim.id}"
        rows.append({**record, "claim": claim, "link": link})
    return rows


def of_documents(row: Row) -> bool:
    """Whether a row is a claim of one of the documents, not a statement of the book."""
    return row["claim"].source != "new"


def count_words(rows: Sequence[Row]) -> str:
    """For example "85 claims of five documents and 28 statements of this book", without those still open."""
    settled = [row for row in rows if row["verdict"] != "open"]
    theirs = sum(map(of_documents, settled))
    return f"{theirs} claims of five documents and {len(settled) - theirs} statements of this book"


def verdict_counts(rows: Sequence[Row], page: str = "ledger.html", **filters: str) -> str:
    """How many claims ended with which verdict, as badges that open the ledger at these claims."""
    counts = Counter(row["verdict"] for row in rows)
    badges = "".join(
        f'<li class="claim-{_kind(name)}"><a href="{page}?{_query(**filters, verdict=name)}">'
        f"<strong>{counts[name]}</strong> {name}</a></li>"
        for name in VERDICTS
        if counts[name]
    )
    return f'<ul class="verdict-counts">{badges}</ul>'


def landing_counts(rows: Sequence[Row]) -> str:
    """The verdicts on the claims of the documents, and apart from them those on the book's own statements."""
    parts = ""
    for whose, theirs in (("claims of the five documents", True), ("statements of this book", False)):
        own = [row for row in rows if of_documents(row) == theirs]
        of = "documents" if theirs else "new"
        parts += f"<div><p>{len(own)} {whose}</p>{verdict_counts(own, source=of)}</div>"
    return f'<div class="landing-counts">{parts}</div>\n'


def counts_list(rows: Sequence[Row]) -> str:
    """Counts by source and verdict; each opens the ledger at its claims."""

    def line(key: str, name: str, chosen: Callable[[Row], bool]) -> str:
        own = [row for row in rows if chosen(row)]
        link = f'<a href="?{_query(source=key)}">{escape(name)}</a>'
        return f"<dt>{link}: {len(own)}</dt><dd>{verdict_counts(own, '', source=key)}</dd>\n" if own else ""

    lines = [line("documents", "All five documents", of_documents)]
    lines += [
        line(key, name, lambda row, key=key: row["claim"].source == key) for key, name in SOURCES.items()
    ]
    return f'<dl class="ledger-counts">\n{"".join(lines)}</dl>\n'


def ledger_list(rows: Sequence[Row]) -> str:
    """The ledger as HTML, a section for each source, with filters by source, verdict and words."""
    sources = [key for key in SOURCES if any(row["claim"].source == key for row in rows)]
    verdicts = [name for name in VERDICTS if any(row["verdict"] == name for row in rows)]
    sections = "\n".join(_section(source, rows) for source in sources)
    choices = [("documents", "the five documents"), *((key, SOURCES[key]) for key in sources)]
    return f"""<form class="ledger-filters" role="search" aria-label="Filters of the ledger">
{_select("source", choices)}
{_select("verdict", [(name, name) for name in verdicts])}
<label>Words <input type="search" name="words" autocomplete="off"></label>
<button type="reset">Show all</button>
<output id="ledger-count" aria-live="polite">{len(rows)} claims</output>
</form>
<div class="ledger" id="ledger">
{sections}
</div>
"""


def _section(source: str, rows: Sequence[Row]) -> str:
    own = "\n".join(_line(row) for row in rows if row["claim"].source == source)
    return f"<section><h3>{escape(SOURCES[source])}</h3>\n{own}\n</section>"


def _line(row: Row) -> str:
    claim, verdict = row["claim"], row["verdict"]
    details = claims.details_html(row, scope=row["scope"], criterion=claim.criterion, source=claim.where)
    link = (
        f'<p><a href="{escape(row["link"])}">{escape(claim.id)} in its chapter</a></p>' if row["link"] else ""
    )
    return (
        f'<details class="claim claim-{_kind(verdict)}" id="ledger-{escape(claim.id)}" '
        f'data-source="{escape(claim.source)}" data-verdict="{escape(verdict)}">'
        f"<summary><strong>{escape(claim.id)}</strong> "
        f'<span class="claim-verdict">{escape(verdict)}</span> '
        f'<span class="claim-statement">{claims.formulas_to_html(claim.statement)}</span></summary>'
        f"{details}{link}</details>"
    )


def _select(name: str, options: Sequence[tuple[str, str]]) -> str:
    choices = "".join(f'<option value="{escape(key)}">{escape(text)}</option>' for key, text in options)
    all_ = '<option value="">all</option>'
    return f'<label>{name.capitalize()} <select name="{name}">{all_}{choices}</select></label>'


def _query(**filters: str) -> str:
    return f"{escape(urlencode(filters))}#all-claims"


def _kind(verdict: str) -> str:
    return verdict.replace(" ", "-")
