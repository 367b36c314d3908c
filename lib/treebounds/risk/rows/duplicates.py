"""How many rows of a sample repeat others, and what is done with them.

If the tests of :mod:`treebounds.risk.rows.copies` or
:mod:`treebounds.risk.rows.occurrences` find copies, they are refused, or equal rows are
kept together as one case. Rows that differ only by a column that names them
(:mod:`treebounds.risk.rows.numbering`) are then one case if a test finds copies, else
different ones. The count of equal rows reads few columns of most rows: those that no
other row equals in the leading columns repeat no other.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_option
from treebounds.risk.rows.copies import (
    COPIES,
    IF_NO_COPIES,
    LABELS,
    LEAST_REPEATED,
    REPETITION,
    copies_p_value,
    repetition_p_value,
)
from treebounds.risk.rows.hash_function import contributions, upper_half
from treebounds.risk.rows.numbering import numbering_columns
from treebounds.risk.rows.occurrences import occurrences_p_value
from treebounds.risk.rows.row_hashes import RowHashes, equal_to_others
from treebounds.risk.rows.tables import Table, stacked

Policy = Literal["refuse", "together", "ignore"]
POLICIES = ("refuse", "together", "ignore")

# Entries of a stream that are kept for the first test.
_ENTRIES_KEPT = 2**24


class Repeats(NamedTuple):
    """How many rows of a sample repeat others, and what was done with them.

    Attributes
    ----------
    policy : str
        "refuse", "together" or "ignore".
    n_rows : int
    n_repeats : int
        Number of rows minus number of different rows.
    """

    policy: str = "refuse"
    n_rows: int = 0
    n_repeats: int = 0


class Duplicates(NamedTuple):
    """The result of :func:`find_duplicates`.

    Attributes
    ----------
    repeats : Repeats
    cases : (n_rows,) array of int
        Number of the case of each row, from 0: equal for equal rows if they are kept
        "together", else all different.
    kept : (n_cases,) array of int
        The first row of each case, in increasing order.
    hashes : RowHashes
        Of all rows.
    """

    repeats: Repeats
    cases: NDArray[np.intp]
    kept: NDArray[np.intp]
    hashes: RowHashes


def find_duplicates(
    X: Any,
    y: Any,
    policy: str = "refuse",
    groups: NDArray[np.intp] | None = None,
) -> Duplicates:
    """Find rows that occur more than once, with equal labels; raise a ValueError if
    they are copies and the policy is "refuse".

    >>> from sklearn.datasets import load_iris
    >>> from treebounds.risk.rows.duplicates import find_duplicates
    >>> X, y = load_iris(return_X_y=True)
    >>> find_duplicates(X, y).repeats
    Repeats(policy='refuse', n_rows=150, n_repeats=1)
    >>> twice = list(range(150)) * 2
    >>> len(find_duplicates(X[twice], y[twice], policy="together").kept)
    149
    >>> find_duplicates(X[twice], y[twice])
    Traceback (most recent call last):
    ValueError: X: 151 of 300 rows (50.3%) repeat others, and look like copies rather
    ...

    Parameters
    ----------
    X : (n_rows, n_features) array, frame or sparse matrix
    y : (n_rows,) array
        Rows are equal if their labels are, too.
    policy : {"refuse", "together", "ignore"}
        What to do with rows that repeat others: "refuse" copies, keep equal rows
        "together" as one case, or "ignore" that they are equal.
    groups : (n_rows,) array of int, optional
        The group of each row. Rows of a group may be equal: only rows that are equal to
        one of another group count as repeated.

    Returns
    -------
    Duplicates

    Raises
    ------
    ValueError
        If the policy is unknown, "together" is asked for with groups, or the rows are
        copies and the policy is "refuse".

    Notes
    -----
    Cost: one hash of each row, of 2 or 8 columns if these tell the rows apart, and a
    sort of those that may repeat others. Only if at least seven different rows repeat,
    there is one sort for each column, up to the first column that speaks against
    copies.
    """
    check = DuplicateCheck(policy, groups)
    hashes = RowHashes(X)
    kept = check.examine(hashes, y)
    repeats = check.repeats()

    cases = np.arange(len(kept))
    if policy == "together" and repeats.n_repeats:
        _, cases = np.unique(check.cases(), return_inverse=True)
    return Duplicates(repeats, cases, kept, hashes)


class DuplicateCheck:
    """Search for rows that occur more than once, batch by batch.

    >>> from treebounds.risk.rows.duplicates import DuplicateCheck
    >>> from treebounds.risk.rows.row_hashes import RowHashes
    >>> check = DuplicateCheck("together")
    >>> check.examine(RowHashes([[1.0], [2.0], [1.0]]), [0, 0, 0]).tolist()
    [0, 1]
    >>> check.examine(RowHashes([[1.0], [1.0]]), [0, 1]).tolist()
    [1]
    >>> check.repeats()
    Repeats(policy='together', n_rows=5, n_repeats=2)

    Parameters
    ----------
    policy : {"refuse", "together", "ignore"}
    groups : (n_rows,) array of int, optional
        Of a sample that comes in one batch.

    Notes
    -----
    It keeps eight bytes and the label of each row, and of the first batches the rows
    themselves, for the test for copies: about 2**24 entries.
    """

    def __init__(self, policy: str, groups: NDArray[np.intp] | None = None) -> None:
        self.policy = check_option(policy, "duplicates", POLICIES)
        if policy == "together" and groups is not None:
            raise ValueError(
                "duplicates='together' and groups exclude each other: a group stays"
                " together already; give equal rows the same group instead"
            )
        self._groups = groups
        self._seen: _SeenRows | None = None
        self._cases: list[NDArray[np.uint64]] = []

    def examine(self, rows: RowHashes, y: Any) -> NDArray[np.intp]:
        """Look at further rows; return the numbers of those that are to be judged: for
        "together" the rows that were not there before, else all.
        """
        if self._seen is None:
            self._seen = _SeenRows(self._groups, _left_out(rows, y, self.policy))
        unnumbered = self._seen.add(rows, y)
        if self.policy != "together":
            return np.arange(len(rows))

        cases = unnumbered.of_all() + contributions(y, LABELS)
        _, first = np.unique(cases, return_index=True)
        was_seen = np.isin(cases[first], self.cases())
        self._cases.append(cases)
        return np.sort(first[~was_seen])

    def cases(self) -> NDArray[np.uint64]:
        """For "together": a number for each row with its label, equal for those that
        are one case.
        """
        return np.concatenate([np.empty(0, dtype=np.uint64), *self._cases])

    def repeats(self) -> Repeats:
        """How many rows repeat others; raise a ValueError if they are copies and the
        policy is "refuse".
        """
        seen = self._seen
        if seen is None:
            return Repeats(self.policy)

        # What differs by a number only is equal for the tests and for "together", but
        # not for somebody who reads that rows repeat others.
        n_rows = len(seen)
        equal = seen.equal()
        counts = seen.counts(equal)
        if self.policy == "refuse" and seen.holds_copies(counts):
            n_repeats = int((counts - 1).sum())
            raise ValueError(
                f"X: {n_repeats} of {n_rows} rows ({n_repeats / n_rows:.1%})"
                " repeat others, and look like copies rather than different cases that"
                " are alike. Give each case once (to balance classes, use weights or"
                " sample inside a learner), or pass duplicates='together', which takes"
                " equal rows for copies, keeps them on one side of a halving and counts"
                " them once. To certify a fitted model, give X_grown with it: a table"
                " that had copies before it was divided has them on both sides."
                f" {IF_NO_COPIES}"
            )

        # Without equal rows, "together" leaves the sample as it is.
        is_whole = self.policy == "refuse" or not len(counts)
        if is_whole and self.policy != "ignore" and self._groups is None:
            _check_features(seen.counts(equal, with_labels=False), n_rows)

        if seen.left_out and self.policy != "together":
            counts = seen.counts(seen.equal(with_numbers=True))
        return Repeats(self.policy, n_rows, int((counts - 1).sum()))


class _EqualRows(NamedTuple):
    """The rows that may equal others, by their hashes, with their places in all batches
    together.
    """

    hashes: NDArray[np.uint64]
    places: NDArray[np.intp]


class _SeenRows:
    """The rows of a sample that were looked at, batch by batch.

    ``groups`` are those of a sample that comes in one batch; ``left_out`` are the
    columns that only number the rows, and are not compared.
    """

    def __init__(self, groups: NDArray[np.intp] | None, left_out: list[int]) -> None:
        self.groups = groups
        self.left_out = left_out
        # The hashes of the rows, with and without the columns that number them.
        self._hashes: list[RowHashes] = []
        self._unnumbered: list[RowHashes] = []
        self._labels: list[NDArray[Any]] = []
        # The first tables, without these columns.
        self._tables: list[Table] = []
        self._n_entries = 0

    def __len__(self) -> int:
        return sum(map(len, self._hashes))

    def add(self, rows: RowHashes, y: Any) -> RowHashes:
        """Keep what the tests need of further rows; return their hashes without the
        columns that number them.
        """
        unnumbered = rows.without_columns(self.left_out)
        if self._n_entries < _ENTRIES_KEPT:
            self._tables.append(unnumbered.table)
            self._n_entries += len(rows) * rows.n_columns

        self._hashes.append(rows)
        self._unnumbered.append(unnumbered)
        self._labels.append(np.asarray(y))
        if len(self._hashes) > 1:
            for known in (*self._hashes[-2:], *self._unnumbered[-2:]):
                known.forget_table()
        return unnumbered

    def equal(self, *, with_numbers: bool = False) -> _EqualRows:
        """The rows that may equal others, with or without the columns that number
        them.
        """
        batches = self._hashes if with_numbers else self._unnumbered
        if len(batches) == 1:
            places = batches[0].repeated()
            return _EqualRows(batches[0].of_all(places), places)
        hashes = np.concatenate([batch.of_all() for batch in batches])
        places = equal_to_others(upper_half(hashes))
        return _EqualRows(hashes[places], places)

    def counts(
        self, equal: _EqualRows, *, with_labels: bool = True
    ) -> NDArray[np.int64]:
        """How often the rows occur, with equal labels or with any, that occur more than
        once; with groups, in how many of them.
        """
        hashes, places = equal
        if with_labels:
            hashes = hashes + contributions(self._labels_of(places), LABELS)
        if self.groups is not None:
            pairs = np.column_stack([hashes, self.groups[places].astype(np.uint64)])
            hashes = np.unique(pairs, axis=0)[:, 0]

        ordered = np.sort(hashes)
        is_first = np.append(True, ordered[1:] != ordered[:-1])
        counts = np.diff(np.append(np.flatnonzero(is_first), len(ordered)))
        return counts[counts > 1]

    def _labels_of(self, places: NDArray[np.intp]) -> NDArray[Any]:
        """The labels of some rows, by their places in all batches together."""
        if len(self._labels) == 1:
            return self._labels[0][places]
        return np.asarray(np.concatenate(self._labels)[places])

    def holds_copies(self, counts: NDArray[np.int64]) -> bool:
        """Whether one of the tests finds copies, from :meth:`counts`."""
        if self.groups is None:
            all_repeat = counts.sum() == len(self)
            if all_repeat and repetition_p_value(counts) <= REPETITION:
                return True
            if _occurrence(counts, len(self)) <= REPETITION:
                return True
        if len(counts) < LEAST_REPEATED:
            return False
        return self._copies_p_value() <= COPIES

    def _copies_p_value(self) -> float:
        """The p-value of the first test for the rows of all batches together."""
        if len(self._unnumbered) == 1:
            return copies_p_value(
                self._unnumbered[0], self._labels[0], groups=self.groups
            )
        rows = RowHashes(stacked(self._tables))
        return copies_p_value(rows, np.concatenate(self._labels)[: len(rows)])


def _left_out(rows: RowHashes, y: Any, policy: str) -> list[int]:
    """The columns that are not compared, from the first rows."""
    columns = numbering_columns(rows.table)
    if not columns or policy != "together":
        return columns
    # Rows that differ by a number alone are one case only if they are copies.
    first = _SeenRows(None, columns)
    first.add(rows, y)
    if first.holds_copies(first.counts(first.equal())):
        return columns
    return []


def _check_features(counts: NDArray[np.int64], n_rows: int) -> None:
    """Raise a ValueError if rows repeat the features of others, with any labels, as
    independent draws do not.
    """
    if _occurrence(counts, n_rows) > REPETITION:
        return
    n_repeats = int((counts - 1).sum())
    raise ValueError(
        f"X: {n_repeats} of {n_rows} rows ({n_repeats / n_rows:.1%}) have all"
        " features of another row, and not in such numbers as cases that were drawn"
        " independently, but as cases that were measured or labelled several times."
        " Give each case once, or pass groups with the case of each row, where"
        " groups are accepted. If each row was drawn by itself, pass"
        " duplicates='ignore', which counts all rows"
    )


def _occurrence(counts: NDArray[np.int64], n_rows: int) -> float:
    """The p-value of the numbers of occurrences, from those above 1 among some rows."""
    if not len(counts):
        return 1.0
    n_once = n_rows - int(counts.sum())
    times = np.append(np.ones(len(counts)), n_once)
    return occurrences_p_value(np.append(counts, 1), times)
