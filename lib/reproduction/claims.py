"""The ledger of claims: what a source asserts, what a notebook found, and the verdict that follows.

A notebook calls :func:`settle` once for each claim. The verdict is computed from the published and the
measured value, never passed in. The record travels inside the executed notebook, as one more output of the
cell, so a page and its verdicts cannot get out of step. :func:`collect` gathers the records of all executed
notebooks; :func:`check` compares them with the book's list of claims.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from html import escape
from numbers import Real
from pathlib import Path
from typing import Any

from treebounds._validation import check_number, check_option

MIME_TYPE = "application/vnd.treebounds.claim+json"
VERDICTS = ("proved", "verified", "reproduced", "not reproduced", "refuted", "not run")

# What each way of settling a claim is called when measured and published values agree, and when they do not.
_METHODS = {
    "proof": ("proved", "refuted"),
    "exhaustion": ("verified", "refuted"),
    "measurement": ("reproduced", "not reproduced"),
}

__all__ = [
    "Claim",
    "Record",
    "agree",
    "book_directory",
    "check",
    "collect",
    "load_claims",
    "not_run",
    "published_values",
    "settle",
    "verdict",
]


@dataclass(frozen=True)
class Claim:
    """A claim of the book's list: what is asserted, where, and the verdict that is expected.

    Attributes
    ----------
    id : str
    statement : str
    source : str
        Key of the source document, or ``"new"`` for a result of this book.
    where : str
        Page, theorem, equation, table or figure in the source.
    expected : str or None
        One of the verdicts; None while no chapter settles the claim.
    """

    id: str
    statement: str
    source: str
    where: str
    expected: str | None = None


@dataclass(frozen=True)
class Record:
    """What a notebook found about one claim; ``verdict`` follows from the other fields."""

    id: str
    verdict: str
    scope: str
    published: Any
    measured: Any
    tolerance: float
    note: str = ""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            MIME_TYPE: asdict(self),
            "text/html": _card(self),
            "text/plain": f"{self.id}: {self.verdict} ({self.scope})",
        }


def agree(published: Any, measured: Any, tolerance: float = 0.0) -> bool:
    """Whether two values agree: numbers up to an absolute tolerance, everything else exactly.

    Lists, tuples and mappings agree when they have the same keys or length and agree item by item.

    >>> agree(0.942, 0.9421, tolerance=5e-4), agree([1, 2], [1, 3]), agree(True, True)
    (True, False, True)
    """
    if isinstance(published, Mapping) and isinstance(measured, Mapping):
        return published.keys() == measured.keys() and all(
            agree(published[key], measured[key], tolerance) for key in published
        )
    if isinstance(published, list | tuple) and isinstance(measured, list | tuple):
        return len(published) == len(measured) and all(
            agree(p, m, tolerance) for p, m in zip(published, measured, strict=True)
        )
    if _is_number(published) and _is_number(measured):
        # nan agrees with nothing: a measurement that failed must not look like a success
        return published == measured or abs(published - measured) <= tolerance
    return type(published) is type(measured) and published == measured


def verdict(method: str, published: Any, measured: Any, tolerance: float = 0.0) -> str:
    """The verdict that follows from a published and a measured value.

    Parameters
    ----------
    method : {"proof", "exhaustion", "measurement"}
        How the measured value came about.
    published, measured : number, bool, str, list, tuple or dict
    tolerance : float
        Largest absolute difference of two numbers that counts as agreement.

    Returns
    -------
    str
        "proved" or "refuted", "verified" or "refuted", "reproduced" or "not reproduced".

    Examples
    --------
    >>> verdict("exhaustion", published=4, measured=3)
    'refuted'
    >>> verdict("measurement", published=19.5, measured=19.1, tolerance=0.5)
    'reproduced'
    """
    check_number(tolerance, "tolerance", "[0, inf)")
    agreed, disagreed = _METHODS[check_option(method, "method", tuple(_METHODS))]
    return agreed if agree(published, measured, tolerance) else disagreed


def settle(
    id: str,
    *,
    method: str,
    published: Any,
    measured: Any,
    scope: str,
    tolerance: float = 0.0,
    counter_example: str = "",
    note: str = "",
) -> Record:
    """Record what a notebook found about a claim; as a cell's last expression it shows the verdict.

    Parameters
    ----------
    id : str
        Identifier in the book's list of claims.
    method, published, measured, tolerance
        See :func:`verdict`. For a statement that holds or does not, ``published=True`` and ``measured`` the
        outcome of the check; better, the number of cases and the number of cases in which it held.
    scope : str
        For which parameters the verdict holds.
    counter_example : str
        Required when the verdict is "refuted".
    note : str
        One sentence for the ledger: the reason for a deviation, or what the check leaves open.

    Returns
    -------
    Record

    Raises
    ------
    ValueError
        If the identifier or the scope is empty, or a refutation comes without a counter-example.

    Examples
    --------
    >>> settle("L-win", method="measurement", published=13, measured=13, scope="19 data sets").verdict
    'reproduced'
    """
    for name, value in (("id", id), ("scope", scope)):
        if not (isinstance(value, str) and value.strip()):
            raise ValueError(f"{name} must be a non-empty string; got {value!r}")
    published, measured = _plain(published), _plain(measured)
    result = verdict(method, published, measured, tolerance)
    if result == "refuted":
        if not counter_example:
            raise ValueError(f"{id} is refuted: counter_example must say by what")
        note = f"Counter-example: {counter_example}" + (f" {note}" if note else "")
    return Record(id, result, scope, published, measured, float(tolerance), note)


def not_run(id: str, reason: str, *, published: Any = None, scope: str = "none") -> Record:
    """Record that a claim was not examined in this run, and why.

    >>> not_run("L-tab1", "small parameters").verdict
    'not run'
    """
    if not reason:
        raise ValueError("reason must say why the claim was not run")
    return Record(id, "not run", scope, _plain(published), None, 0.0, reason)


def load_claims(path: str | Path | None = None) -> list[Claim]:
    """Read the book's list of claims (``book/claims.toml`` by default)."""
    path = book_directory() / "claims.toml" if path is None else Path(path)
    with open(path, "rb") as file:
        rows = tomllib.load(file)["claim"]
    claims = [Claim(**row) for row in rows]
    ids = [claim.id for claim in claims]
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        raise ValueError(f"{path}: claims listed twice: {', '.join(twice)}")
    unknown = [claim.id for claim in claims if claim.expected not in (None, *VERDICTS)]
    if unknown:
        raise ValueError(f"{path}: unknown expected verdict for {', '.join(unknown)}")
    return claims


def published_values(source: str) -> dict[str, Any]:
    """The published values of one source document, from ``book/published/<source>.toml``."""
    path = book_directory() / "published" / f"{source}.toml"
    if not path.is_file():
        raise ValueError(f"source: no published values at {path}")
    with open(path, "rb") as file:
        return tomllib.load(file)


def book_directory() -> Path:
    """The ``book`` folder of the project that contains the working directory.

    Raises
    ------
    FileNotFoundError
        Outside a clone of the project.
    """
    here = Path.cwd().resolve()
    for folder in (here, *here.parents):
        if (folder / "_config.yml").is_file() and (folder / "book" / "claims.toml").is_file():
            return folder / "book"
    raise FileNotFoundError(
        f"{here} is not inside a clone of the project: no _config.yml with book/claims.toml"
    )


def collect(notebooks: Mapping[str, str | Path]) -> list[dict[str, Any]]:
    """Gather the records inside executed notebooks.

    Parameters
    ----------
    notebooks : mapping of str to path
        From a chapter's name to its executed notebook.

    Returns
    -------
    list of dict
        Records in order of the notebooks, each with the key "chapter".

    Raises
    ------
    ValueError
        If two cells settle the same claim.
    """
    records: list[dict[str, Any]] = []
    for chapter, path in notebooks.items():
        cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            for output in cell.get("outputs", []):
                if MIME_TYPE in output.get("data", {}):
                    records.append({**output["data"][MIME_TYPE], "chapter": chapter})
    seen: dict[str, str] = {}
    for record in records:
        if record["id"] in seen:
            raise ValueError(
                f"{record['id']} is settled twice: in {seen[record['id']]} and {record['chapter']}"
            )
        seen[record["id"]] = record["chapter"]
    return records


def check(claims: Iterable[Claim], records: Iterable[Mapping[str, Any]], *, complete: bool) -> list[str]:
    """What is wrong with a ledger, one sentence each; an empty list when nothing is.

    Parameters
    ----------
    claims : iterable of Claim
    records : iterable of mapping
        As :func:`collect` returns them.
    complete : bool
        Whether every claim with an expected verdict has to be settled by it: true for a build with all data
        and full parameters. Otherwise "not run" is accepted.
    """
    found = {record["id"]: record for record in records}
    listed = {claim.id: claim for claim in claims}
    problems = [f"{id} is settled but not in the list of claims" for id in found if id not in listed]
    for id, claim in listed.items():
        if claim.expected is None:
            if id in found:
                problems.append(f"{id} is settled as {found[id]['verdict']} but has no expected verdict")
            continue
        if id not in found:
            problems.append(f"{id} is expected to be {claim.expected} but no chapter settles it")
            continue
        actual = found[id]["verdict"]
        if actual != claim.expected and (complete or actual != "not run"):
            problems.append(f"{id} is {actual}, expected {claim.expected}: {found[id]['note']}".rstrip(": "))
    return problems


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """The value in types that JSON knows; numpy scalars and arrays, fractions and sympy numbers included."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if hasattr(value, "is_Boolean"):
        return bool(value) if value.is_Boolean else (int(value) if value.is_Integer else float(value))
    if isinstance(value, Real):
        return float(value)
    raise ValueError(
        f"a claim's value must be made of numbers, strings, lists and mappings; got {type(value)}"
    )


def _card(record: Record) -> str:
    kind = record.verdict.replace(" ", "-")
    rows = [("published", record.published), ("measured", record.measured)]
    values = "".join(
        f"<dt>{name}</dt><dd>{escape(_shown(value))}</dd>" for name, value in rows if value is not None
    )
    note = f"<p>{escape(record.note)}</p>" if record.note else ""
    return (
        f'<div class="claim claim-{kind}" id="claim-{escape(record.id)}">'
        f'<p><strong>{escape(record.id)}</strong> <span class="claim-verdict">{record.verdict}</span> '
        f'<span class="claim-scope">{escape(record.scope)}</span></p><dl>{values}</dl>{note}</div>'
    )


def _shown(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 120 else text[:117] + "..."
