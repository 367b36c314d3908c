"""The rows of the ledger: each listed claim with the record that settles it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

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


def ledger_rows(
    listed: Iterable[claims.Claim], records: Iterable[Mapping[str, Any]], pages: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One row for each listed claim, with its record or the verdict "open"; ``theirs``: of a document.

    A row without an expected verdict is a definition, not a claim.
    """
    found = {record["id"]: record for record in records}
    rows = []
    for claim in (one for one in listed if one.expected):
        record = asdict(claims.Record(claim.id, "open", "")) | found.get(claim.id, {})
        page = pages.get(record.get("chapter", ""))
        link = f"{page}.html#claim-{claim.id}" if page else ""
        rows.append({**record, "claim": claim, "theirs": claim.source != "new", "link": link})
    return rows


def in_words(row: Mapping[str, Any]) -> str:
    """A row as MyST sentences: the claim, its verdict, a correction or counter-example, a remark."""
    scope = "" if row["verdict"] == "not run" else row["scope"]
    named = (("Corrected", "correction"), ("Counter-example", "counter_example"))
    parts = [row["claim"].statement, ": ".join(filter(None, (row["verdict"].capitalize(), scope)))]
    parts += [f"{name}: {row[key]}" for name, key in named if row[key]]
    parts += [row["note"]] if row["note"] else []
    sentences = (text if text.endswith((".", "?", "!")) else f"{text}." for text in parts)
    return plain_text(" ".join(sentences))


def plain_text(text: str) -> str:
    """Text in which MyST finds no links, no emphasis, and no mathematics but the formulas between dollars."""
    text, special = text.replace("<=", "≤").replace(">=", "≥"), r"[\\$`<>\[\]_*{}]"
    return re.sub(rf"\$([^$]+)\$|{special}", lambda found: found[0] if found[1] else "\\" + found[0], text)
