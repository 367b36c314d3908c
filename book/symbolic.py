"""The theorems of the documents and the kinds of evidence for each: the proof in the
text, cells of computer algebra, counted cases, and Coq.

A cell declares in its header what it shows: ``symbolic: [L-thm7]``. A claim that rests
on a theorem and has no such cell gives its reason in ``book/claims.toml``,
``without_symbols``.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from reproduction.claims import Claim

STATEMENTS = ("thm-", "cor-", "prop-", "lem-")


class Evidence(NamedTuple):
    """What speaks for one claim; a row of the table.

    ``link`` is the address of the claim in its chapter, "" if it was not settled;
    ``statements`` are labels of the theorems of the book on which it rests; ``cells``
    are addresses of cells of computer algebra, and ``reason`` says why there are none;
    ``counted`` holds entries such as "all samples: 16 of 16".
    """

    claim: Claim
    verdict: str
    link: str
    statements: list[str]
    cells: list[str]
    reason: str
    counted: list[str]


def is_a_theorem(claim: Claim) -> bool:
    """Whether a document states the claim and it rests on a theorem of the book."""
    return claim.source != "new" and bool(statements(claim))


def statements(claim: Claim) -> list[str]:
    """The labels of the theorems on which a claim rests, without algorithms and
    definitions.
    """
    return [label for label in claim.theorems if label.startswith(STATEMENTS)]


def declared(cells: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    """The numbers of the cells that show something about a claim, by claim."""
    numbers: dict[str, list[int]] = {}
    for number, cell in enumerate(cells):
        for claim in cell["metadata"].get("symbolic", ()):
            numbers.setdefault(claim, []).append(number)
    return numbers


def evidence(
    rows: Iterable[Mapping[str, Any]], cells: Mapping[str, Mapping[str, list[int]]]
) -> list[Evidence]:
    """The rows of the table, in the order of the ledger.

    Parameters
    ----------
    rows : iterable of mapping
        The rows of the ledger.
    cells : mapping of str to mapping
        For each page, what `declared` finds in its executed notebook.
    """
    addresses: dict[str, list[str]] = {}
    for page, numbers in cells.items():
        for claim, cell_numbers in numbers.items():
            addresses[claim] = [f"{page}.html#cell-{number}" for number in cell_numbers]

    return [
        Evidence(
            claim=row["claim"],
            verdict=row["verdict"],
            link=row["link"],
            statements=statements(row["claim"]),
            cells=addresses.get(row["claim"].id, []),
            reason=row["claim"].without_symbols,
            counted=_counted(row),
        )
        for row in rows
        if is_a_theorem(row["claim"])
        or (row["theirs"] and row["claim"].id in addresses)
    ]


def _counted(row: Mapping[str, Any]) -> list[str]:
    """Each kind of counted cases in words."""
    if row["cases"] is not None:
        return [f"{row['held']:,} of {row['cases']:,}"]
    return [
        f"{kind}: {held:,} of {cases:,}"
        for kind, (held, cases) in (row["counts"] or {}).items()
    ]
