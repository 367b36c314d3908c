"""The ledger of claims: the assertion of a source, the finding of a notebook, and the
verdict that follows.

A notebook calls :func:`settle` once for each claim. The verdict is never passed in: it
is computed from the outcome of a check, which is the number of cases that held, a
measured value beside a published or an expected one, or the readings of a source under
which the claim holds. The record is one more output of the cell in the executed
notebook, so a page always agrees with its verdicts. :func:`collect` gathers the records
of all executed notebooks; :func:`check` compares them with the book's list of claims.
"""

from __future__ import annotations

import functools
import json
import math
import operator
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reproduction.cards import templates

MIME_TYPE = "application/vnd.treebounds.claim+json"

# The verdict of each method when its check holds, and when it does not.
_METHODS = {
    "proof": ("proved", "refuted"),
    "correction": ("holds with a correction", "refuted"),
    "exhaustion": ("verified", "refuted"),
    "measurement": ("reproduced", "not reproduced"),
    "protocols": ("reproduced", "not reproduced"),
    "refutation": ("refuted", "not reproduced"),
}
VERDICTS = (
    "proved",
    "holds with a correction",
    "verified",
    "reproduced",
    "depends on the protocol",
    "not reproduced",
    "refuted",
    "not run",
)


# --- the book's list of claims ---


@dataclass(frozen=True)
class Claim:
    """A claim of the book's list: the statement, its place, and the expected verdict.

    Attributes
    ----------
    id : str
    statement : str
    source : str
        Key of the source document, or ``"new"`` for a statement of this book.
    where : str
        Page, theorem, equation, table or figure in the source; the chapter for a
        statement of this book.
    expected : str or None
        One of the verdicts; None while no chapter settles the claim.
    criterion : str
        How it is decided, in one sentence.
    erratum : str
        Number of the entry in the errata that corrects it, if there is one.
    theorems : list of str
        Labels of the book's statements on which it rests.
    without_symbols : str
        Why no cell of its chapter shows something about it by computer algebra.
    """

    id: str
    statement: str
    source: str
    where: str
    expected: str | None = None
    criterion: str = ""
    erratum: str = ""
    theorems: Sequence[str] = ()
    without_symbols: str = ""


def load_claims(path: str | Path | None = None) -> list[Claim]:
    """Read the book's list of claims (``book/claims.toml`` by default)."""
    if path is None:
        path = book_directory() / "claims.toml"
    rows = tomllib.loads(Path(path).read_text(encoding="utf-8"))["claim"]

    claims = [Claim(**row) for row in rows]
    if twice := repeated(claim.id for claim in claims):
        raise ValueError(f"{path}: claims listed twice: {', '.join(twice)}")

    unknown = [claim.id for claim in claims if claim.expected not in (None, *VERDICTS)]
    if unknown:
        raise ValueError(f"{path}: unknown expected verdict for {', '.join(unknown)}")
    return claims


def published_values(source: str) -> dict[str, Any]:
    """The published values of one source document, from
    ``book/published/<source>.toml``.
    """
    path = book_directory() / "published" / f"{source}.toml"
    if not path.is_file():
        raise ValueError(f"source: no published values at {path}")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def book_directory() -> Path:
    """The ``book`` folder of the clone that holds the working directory, else of the
    clone of this file.
    """
    here = Path.cwd().resolve()
    for folder in (here, *here.parents):
        if (folder / "_config.yml").is_file() and (folder / "book").is_dir():
            return folder / "book"
    return Path(__file__).resolve().parents[2] / "book"


def repeated(names: Iterable[str]) -> list[str]:
    """The names that occur more than once.

    >>> from reproduction.claims import repeated
    >>> repeated(["a", "b", "a"])
    ['a']
    """
    return sorted(name for name, count in Counter(names).items() if count > 1)


# --- one claim in a notebook ---


@dataclass(frozen=True)
class Record:
    """The finding of a notebook about one claim; ``verdict`` follows from the other
    fields.
    """

    id: str
    verdict: str
    scope: str
    method: str = ""
    published: Any = None
    expected: Any = None
    expectation: str = ""
    measured: Any = None
    tolerance: float = 0.0
    held: int | None = None
    cases: int | None = None
    counts: dict[str, list[int]] | None = None
    symbolic: dict[str, bool] | None = None
    readings: dict[str, bool] | None = None
    correction: str = ""
    counter_example: str = ""
    chosen_after: str = ""
    note: str = ""

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> dict[str, Any]:
        """The record for the ledger, its card for the page, and one line of text."""
        macros: Any = templates().get_template("claim.html.jinja").module
        return {
            MIME_TYPE: asdict(self),
            "text/html": str(macros.card(self, _of_the_list(self.id))),
            "text/plain": f"{self.id}: {self.verdict} ({self.scope})",
        }


@functools.cache
def _of_the_list(id: str) -> dict[str, str]:
    """The statement and the criterion of a claim, as its card names them; empty outside
    a clone of the project.
    """
    try:
        claims = load_claims()
    except FileNotFoundError:
        return {}

    for claim in claims:
        if claim.id == id:
            return {"Claim": claim.statement, "Criterion": claim.criterion}
    return {}


def settle(
    id: str,
    *,
    method: str,
    scope: str,
    held: int | None = None,
    cases: int | None = None,
    measured: Any = None,
    published: Any = None,
    expected: Any = None,
    expectation: str = "",
    tolerance: float = 0.0,
    correction: str = "",
    counter_example: str = "",
    counts: Mapping[str, Sequence[int]] | None = None,
    symbolic: Mapping[str, bool] | None = None,
    readings: Mapping[str, bool] | None = None,
    chosen_after: str = "",
    note: str = "",
) -> Record:
    r"""Record what a notebook found about a claim; as a cell's last expression it shows
    the verdict.

    >>> from reproduction.claims import settle
    >>> settle(
    ...     "L-win",
    ...     method="measurement",
    ...     published=13,
    ...     measured=13,
    ...     scope="19 data sets",
    ... ).verdict
    'reproduced'
    >>> settle(
    ...     "Y-thm2",
    ...     method="correction",
    ...     held=40,
    ...     cases=40,
    ...     scope="chains of up to 10 nodes",
    ...     correction=r"for $d \ge N - 1$",
    ... ).verdict
    'holds with a correction'

    Parameters
    ----------
    id : str
        Identifier in the book's list of claims.
    method : {"proof", "correction", "exhaustion", "measurement", "protocols",
    "refutation"}
        How the claim is settled. If the check holds, the verdict of "proof" is "proved"
        (the text has a proof, and the check is an additional, finite one), of
        "correction" "holds with a correction" (the corrected statement is proved and
        checked), of "exhaustion" "verified", of "measurement" "reproduced", and of
        "refutation", which checks the counter-example, "refuted". The verdict of
        "protocols" is "reproduced" if the claim holds under all `readings`, "not
        reproduced" if it holds under none, else "depends on the protocol".
    scope : str
        For which parameters the verdict holds.
    held, cases : int, optional
        The number of cases in which the statement held, and the number of cases
        examined.
    measured, published, expected : number, str or short list of numbers, optional
        Instead of cases, a measured value and the value that a document prints
        (`published`) or another expected value (`expected`, with `expectation`).
    expectation : str
        Where `expected` comes from.
    tolerance : float
        Largest absolute difference of two numbers that counts as agreement.
    correction : str
        The corrected statement, in words and with TeX between dollar signs; required
        for "correction".
    counter_example : str
        The example that refutes the claim; :func:`check` requires it for a refuted one.
    counts : mapping of str to pair of int, optional
        Instead of `held` and `cases`, if there are several kinds of checks: each with
        its own (held, cases), so that none of them hides behind the others.
    symbolic : mapping of str to bool, optional
        Statements that computer algebra settled, and whether each came out. The claim
        holds only if all of them do and the other check does, too; the record keeps the
        two apart.
    readings : mapping of str to bool
        For "protocols": each reading that the source allows, and whether the claim
        holds under it. Names "row | column" are shown as a two-way table.
    chosen_after : str
        If the criterion was chosen after a first measurement: a sentence that states
        this.
    note : str
        One sentence for the ledger: the reason for a deviation, or what the check
        leaves open.

    Returns
    -------
    Record

    Raises
    ------
    ValueError
        If identifier or scope is empty, the check is missing or given twice, the
        correction or the origin of an expected value is missing, or no case was
        examined.
    """
    for name, value in (("id", id), ("scope", scope)):
        if not (isinstance(value, str) and value.strip()):
            raise ValueError(f"{name} must be a non-empty string; got {value!r}")

    if (method == "correction") != bool(correction):
        raise ValueError(
            f"{id}: correction must be given for method 'correction', and for no other"
            " method"
        )
    if (expected is not None) != bool(expectation):
        raise ValueError(
            f"{id}: expectation must be given with expected, and must name its origin"
        )

    evidence = {
        "held": _plain(held),
        "cases": _plain(cases),
        "measured": _plain(measured),
        "published": _plain(published),
        "expected": _plain(expected),
        "tolerance": _plain(tolerance),
        "counts": _plain(counts),
        "symbolic": _plain(symbolic),
        "readings": _plain(readings),
    }
    return Record(
        id,
        verdict(method, **evidence),
        scope,
        method,
        **evidence,
        expectation=expectation,
        correction=correction,
        counter_example=counter_example,
        chosen_after=chosen_after,
        note=note,
    )


def not_run(
    id: str, reason: str, *, published: Any = None, scope: str = "none"
) -> Record:
    """Record that a claim was not examined in this run, and why.

    >>> from reproduction.claims import not_run
    >>> not_run("L-tab1", "small parameters").verdict
    'not run'
    """
    if not reason:
        raise ValueError("reason must not be empty: why was the claim not run?")
    return Record(id, "not run", scope, published=_plain(published), note=reason)


def verdict(
    method: str,
    *,
    held: int | None = None,
    cases: int | None = None,
    measured: Any = None,
    published: Any = None,
    expected: Any = None,
    tolerance: float = 0.0,
    counts: Mapping[str, Sequence[int]] | None = None,
    symbolic: Mapping[str, bool] | None = None,
    readings: Mapping[str, bool] | None = None,
) -> str:
    """The verdict that follows from a check; the arguments are those of :func:`settle`.

    Examples
    --------
    >>> from reproduction.claims import verdict
    >>> verdict("exhaustion", held=3, cases=4)
    'refuted'
    >>> verdict("measurement", published=19.5, measured=19.1, tolerance=0.5)
    'reproduced'
    >>> verdict("proof", symbolic={"the sum is 2 l": False}, held=4, cases=4)
    'refuted'
    >>> verdict(
    ...     "protocols",
    ...     readings={"drawn with replacement": True, "drawn without": False},
    ... )
    'depends on the protocol'
    """
    if not (_is_number(tolerance) and 0 <= tolerance < math.inf):
        raise ValueError(f"tolerance must be a number in [0, inf); got {tolerance!r}")
    if method not in _METHODS:
        methods = ", ".join(map(repr, _METHODS))
        raise ValueError(f"method must be one of {methods}; got {method!r}")

    # Each kind of evidence has to hold by itself.
    algebra_holds = symbolic is None or all(
        _outcomes(symbolic, "symbolic", "statement that computer algebra settled")
    )

    if method == "protocols":
        outcomes = _outcomes(readings, "readings", "reading of the source")
        if algebra_holds and any(outcomes) and not all(outcomes):
            return "depends on the protocol"
        check_holds = all(outcomes)
    elif cases is not None or held is not None or counts is not None:
        if measured is not None or published is not None or expected is not None:
            raise ValueError(
                "held and cases must not be given with measured, published or expected"
            )
        check_holds = _all_held(held, cases, counts)
    else:
        check_holds = _agrees(measured, published, expected, tolerance)

    if_it_holds, if_not = _METHODS[method]
    if algebra_holds and check_holds:
        return if_it_holds
    return if_not


def _all_held(
    held: int | None, cases: int | None, counts: Mapping[str, Sequence[int]] | None
) -> bool:
    """Whether the statement held in every case of every count."""
    if counts is not None and (held is not None or cases is not None or not counts):
        raise ValueError(
            "counts must map each kind of check to (held, cases), and replaces held and"
            " cases"
        )
    pairs: list[Any] = [(held, cases)]
    if counts is not None:
        pairs = list(counts.values())

    for n_held, n_cases in pairs:
        if _count(n_held, "held", minimum=0) > _count(n_cases, "cases", minimum=1):
            raise ValueError(f"held must be at most cases; got {n_held} of {n_cases}")

    return all(n_held == n_cases for n_held, n_cases in pairs)


def _count(value: Any, name: str, minimum: int) -> int:
    """The value as an int, or a ValueError that names the argument.

    The library has such a check, too, but a notebook that settles a claim without it
    need not import it, nor scikit-learn behind it.
    """
    try:
        count = operator.index(value)
    except TypeError:
        count = None
    if count is None or count < minimum or isinstance(value, bool):
        raise ValueError(
            f"{name} must be an integer of at least {minimum}; got {value!r}"
        )
    return count


def _outcomes(
    mapping: Mapping[str, bool] | None, name: str, described: str
) -> list[bool]:
    """The values of a mapping that must have some, each of them True or False."""
    outcomes = list((mapping or {}).values())
    if not outcomes or not all(isinstance(o, bool | np.bool_) for o in outcomes):
        raise ValueError(f"{name} must map each {described} to True or False")
    return outcomes


def _agrees(measured: Any, published: Any, expected: Any, tolerance: float) -> bool:
    """Whether a measured value agrees with the published one, or the expected one."""
    if (published is None) == (expected is None):
        raise ValueError(
            "either published (a printed value) or expected must be given, and not both"
        )

    if published is not None:
        return agree(published, measured, tolerance)
    return agree(expected, measured, tolerance)


def agree(published: Any, measured: Any, tolerance: float = 0.0) -> bool:
    """Whether two values agree: numbers up to an absolute tolerance, everything else
    exactly.

    Lists, tuples and mappings agree when they have the same keys or length and agree
    item by item.

    >>> from reproduction.claims import agree
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
        # NaN agrees with nothing, so a measurement that failed does not look like a
        # success.
        return published == measured or abs(published - measured) <= tolerance

    return type(published) is type(measured) and published == measured


def _plain_of_sympy(value: Any) -> bool | int | float:
    """The truth value or the number that an object of sympy stands for."""
    if value.is_Boolean:
        return bool(value)
    if value.is_Integer:
        return int(value)
    return float(value)


def _is_number(value: Any) -> bool:
    """Whether a value is a number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """The value in types of JSON, also for numpy scalars and arrays, fractions and
    sympy numbers.
    """
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if hasattr(value, "is_Boolean"):
        return _plain_of_sympy(value)
    if isinstance(value, Real):
        return float(value)

    raise ValueError(
        "a claim's value must be made of numbers, strings, lists and mappings; got"
        f" {type(value)}"
    )


# --- a table as one claim ---


class TableCheck(NamedTuple):
    """How well two tables agree, measured and published; see :func:`table_misses`."""

    n_cells: int
    n_misses: int
    expected_misses: float
    p_value: float
    agrees: bool


def table_misses(
    published: ArrayLike,
    measured: ArrayLike,
    published_sd: ArrayLike,
    measured_sd: ArrayLike,
    n_repetitions: int,
    *,
    rounding: float = 0.0,
    level: float = 0.05,
) -> TableCheck:
    """Test whether a measured table of means differs from a published one by more than
    chance.

    >>> from reproduction.claims import table_misses
    >>> check = table_misses([0.90, 0.80], [0.91, 0.83], [0.05, 0.05], [0.05, 0.05], 25)
    >>> check.n_misses, check.agrees
    (1, True)
    >>> table_misses([0.90, 0.80], [0.91, 0.60], [0.05, 0.05], [0.05, 0.05], 25).agrees
    False

    A cell misses if Welch's test finds its two means different at the given level. If
    all cells were equal up to chance, each would still miss with that probability, so
    the number of misses is compared with a binomial count. A single cell can also be
    too far off, so the smallest p-value of all cells is tested, too, and each of the
    two tests gets half of the level.

    The deviations have to be those of what is repeated. If both programs run on the
    same data, and a repetition cuts all of them into folds anew, this is the mean of a
    repetition; with the deviation of single folds, which also differ in the examples
    that they test, differences are found too rarely. Cells that share their repetitions
    miss together, which makes large counts more common than under the binomial, and
    differences are found too often.

    Parameters
    ----------
    published, measured : array_like
        Means over the repetitions, one for each cell.
    published_sd, measured_sd : array_like
        Standard deviations of what is repeated, of the same shape.
    n_repetitions : int
        At least 2, and the same for both tables.
    rounding : float
        Half a unit of the last printed digit; differences up to it do not count.
    level : float
        Probability that a cell misses by chance, and that the table does.

    Returns
    -------
    TableCheck
        ``n_cells``, ``n_misses``, ``expected_misses``, ``agrees``, and ``p_value``: the
        probability by chance of as many misses or of a cell as far off.
    """
    cells = np.broadcast_arrays(published, measured, published_sd, measured_sd)
    if not np.isfinite(cells).all() or not cells[0].size:
        raise ValueError(
            "published, measured, published_sd and measured_sd must be finite, one for"
            " each cell"
        )

    from scipy import stats

    from treebounds._validation import check_integer

    n = check_integer(n_repetitions, "n_repetitions", minimum=2)
    means, other_means, sd, other_sd = cells
    gap = np.maximum(np.abs(means - other_means) - rounding, 0)

    # Standard deviations may be 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        welch = stats.ttest_ind_from_stats(gap, sd, n, 0, other_sd, n, equal_var=False)

    p_values = np.where(gap > 0, welch.pvalue, 1.0)
    n_misses = int((p_values < level).sum())
    of_count = stats.binom.sf(n_misses - 1, p_values.size, level)
    p_value = float(min(1.0, 2 * of_count, 2 * p_values.size * p_values.min()))

    return TableCheck(
        p_values.size, n_misses, level * p_values.size, p_value, p_value >= level
    )


# --- the ledger of all notebooks ---


def collect(notebooks: Mapping[str, str | Path]) -> list[dict[str, Any]]:
    """Gather the records inside executed notebooks.

    Parameters
    ----------
    notebooks : mapping of str to path
        The executed notebook of each chapter, by the chapter's name.

    Returns
    -------
    list of dict
        Records in order of the notebooks, each with the key "chapter".
    """
    records: list[dict[str, Any]] = []
    for chapter, path in notebooks.items():
        cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
        records += [{**record, "chapter": chapter} for record in records_in(cells)]
    return records


def records_in(cells: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The records among the outputs of an executed notebook's cells."""
    records = []
    for cell in cells:
        for output in cell.get("outputs", []):
            content = output.get("data", {})
            if MIME_TYPE in content:
                records.append(content[MIME_TYPE])
    return records


def check(
    claims: Iterable[Claim], records: Iterable[Mapping[str, Any]], *, complete: bool
) -> list[str]:
    """The errors of a ledger, one sentence each; an empty list if there are none.

    Parameters
    ----------
    claims : iterable of Claim
    records : iterable of mapping
        As :func:`collect` returns them.
    complete : bool
        Whether every claim must have its expected verdict, as in a build with all data
        and full parameters. Otherwise "not run" is accepted, too.
    """
    settled = {record["id"]: record for record in records}
    claim_of = {claim.id: claim for claim in claims}

    problems = [
        f"{id} is settled but not in the list of claims"
        for id in settled
        if id not in claim_of
    ]
    for id, claim in claim_of.items():
        problem = _problem(claim, settled.get(id), complete)
        if problem:
            problems.append(problem)
    return problems


def _problem(
    claim: Claim, record: Mapping[str, Any] | None, complete: bool
) -> str | None:
    """What is wrong about a claim and its record, if it has one."""
    id = claim.id
    if record is None:
        if claim.expected is None:
            return None
        return f"{id} is expected to be {claim.expected} but no chapter settles it"

    actual = record["verdict"]
    if claim.expected is None:
        return f"{id} is settled as {actual} but has no expected verdict"
    if actual != claim.expected and (complete or actual != "not run"):
        problem = f"{id} is {actual}, expected {claim.expected}"
        if record["note"]:
            problem += f": {record['note']}"
        return problem
    if actual == "refuted" and not record.get("counter_example"):
        return f"{id} is refuted without a counter-example"
    return None
