"""Rows that occur more than once: are they copies, or different cases that are alike?

A certificate counts independent cases. Rows that were copied, to balance classes or by
joining tables, are counted as often as they were copied, and a copy on the other side
of a halving is a case that the classifier has seen.

**No test can do without an assumption.** Drawing rows with repetition from a table *is*
independent sampling, from the uniform law on its rows.

**A sentence that suffices.** *In at least one column, the labels included, two
different cases that are alike in all other columns agree with probability at most r.*
Here r is 1/2, unless two rows agree more often in every single column, as in a table of
rare flags. Then r is the smallest share of pairs of rows that agree in a column. A run
of columns of 0 and 1 with at most one 1 in each row, as a nominal feature makes them,
counts as one more column: each of them is known from the others.

**Test.** Shuffle the rows. For each column j, group the rows by all other columns, and
take two rows of each group that has two. Let d_j of these n_j pairs agree in column j.
Then p_j = P[Bin(n_j, r) >= d_j], and p is the largest p_j. The rows are taken for
copies if p <= 1/100.

*Proof.* Let j be the column of the sentence. Given all other columns, rows are
independent and the pairs disjoint, so d_j is stochastically at most Bin(n_j, r), and
P[p <= 1/100] <= P[p_j <= 1/100] <= 1/100. Which column it is need not be known. The
shuffle matters: in a table that is sorted by j, neighbours agree too often. More
columns, such as a run, only make p larger. For two
samples, such as the rows that made a classifier and those that judge it, take one row
of each sample from each group; the proof is the same. (An r above 1/2 is estimated,
which the proof leaves out.)

**A second test, without an assumption.** If V different rows occur, each a multiple of
some q > 1 times, the table was repeated as a whole. Let
p = n sqrt(2 pi n) exp(1/(12 n)) 2**-V for such a table of n rows, and 1 for all others.
The rows are taken for a repetition if p <= 1/1000. For independent rows, whatever their
distribution, this has probability at most 1/1000.

*Proof.* Fix q, and draw a Poisson number of rows, n in the mean. The numbers of
occurrences of different rows are then independent and Poisson. Such a number, given
that it is not 0, is a multiple of q with probability at most 1/2: for q = 2 it is (1 -
exp(-L)) / 2, with the mean L; for q > 2 each multiple has a neighbour, on the side of
the mode, that is at least as probable, and no two have the same. So given *which* V
rows occur, all their numbers are multiples of q with probability at most 2**-V, and
2**-V falls below a in such a table with probability at most a. Add this up over the at
most n values of q. Exactly n rows are drawn with probability at least 1 / (sqrt(2 pi n)
exp(1/(12 n))); divide by it.

**Columns that only name the rows** are left out of the tests, because copies have names
of their own. All but two values of such a column are different, and they are words with
at most two blanks, dates, or whole numbers that are multiples, up to n^2 / 40, of a
common step above the smallest one. (Of n whole numbers drawn from such a range at most
two repeat others with a probability below 1e-6.) Or they are numbers which increase, or
decrease, from each row to the next, as times do; by chance n rows are in such an order
with probability 2 / n!. Other names, such as random numbers, are not recognized.
With "together", rows that differ by such a column alone
are one case if the first test or the second one speaks, else different ones.

**Where the first test is wrong.** If every column nearly follows from the others, such
as a product, its price and its category, or votes along party lines, the sentence is
false, and rows that were drawn one by one are taken for copies. In a table that was
repeated every column follows from the others, too, so this test does not tell the two
apart. Then "ignore" is right for cases that were drawn one by one, and "together" for
copies. For different cases "together" is wrong: half of the new cases may be alike,
and they would count as one.

*Without power* are the first test in small tables with few values, such as full
designs, where copies cannot be told from other cases, and both tests if there is only
one feature. Copies that were changed, by noise or by a column that says which copy it
is, are other rows. So where rows repeat and no test speaks, the certificate's sentence
gives their share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse, vstack
from scipy.stats import binom

from treebounds._validation import check_option, is_missing
from treebounds.risk.memory import (
    RowHashes,
    as_rows,
    column_of,
    contributions,
    row_hashes,
    share_of_column,
    upper_half,
)

Policy = Literal["refuse", "together", "ignore"]
POLICIES = ("refuse", "together", "ignore")

# Probabilities of an alarm if the rows are independent.
COPIES = 0.01
_CHANCE = 0.5
REPETITION = 0.001

# With fewer rows that occur twice, 2**-6 > 1/100, the first test cannot speak.
LEAST_REPEATED = 7

# Bits of hashes that are compared at a time. The table of rows then has at most 64 MB.
_MOST_BITS = 24
_BITS = 32

# Entries of a stream that are kept for the first test.
_ENTRIES_KEPT = 2**24

# Whole numbers below it are exact as floats.
_EXACT = 2**53

# Entries of a column that are looked at before all of them are.
_FEW = 64

# Values of a column that names the rows which may be missing, or repeat others; and
# blanks in a name.
_MOST_EXCEPTIONS = 2

# Fewer rows may be in order by chance.
_LEAST_IN_ORDER = 10

# The labels are one more column.
_LABELS = 2**40


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
    """

    repeats: Repeats
    cases: NDArray[np.intp]
    kept: NDArray[np.intp]


def find_duplicates(
    X: Any,
    y: Any,
    policy: str = "refuse",
    groups: NDArray[np.intp] | None = None,
) -> Duplicates:
    """Find rows that occur more than once, with equal labels; raise a ValueError if
    they are copies and the policy is "refuse".

    >>> from sklearn.datasets import load_iris
    >>> from treebounds.risk.duplicates import find_duplicates
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
    kept = check.examine(X, y)
    repeats = check.repeats()

    cases = np.arange(len(kept))
    if policy == "together" and repeats.n_repeats:
        _, cases = np.unique(check.cases(), return_inverse=True)
    return Duplicates(repeats, cases, kept)


class DuplicateCheck:
    """Search for rows that occur more than once, batch by batch.

    >>> from treebounds.risk.duplicates import DuplicateCheck
    >>> check = DuplicateCheck("together")
    >>> check.examine([[1.0], [2.0], [1.0]], [0, 0, 0]).tolist()
    [0, 1]
    >>> check.examine([[1.0], [1.0]], [0, 1]).tolist()
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
        self.groups = groups
        self.numbering: list[int] | None = None
        # The hashes of the rows, with and without the columns that number them.
        self._hashes: list[RowHashes] = []
        self._unnumbered: list[RowHashes] = []
        self._labels: list[NDArray[Any]] = []
        self._cases: list[NDArray[np.uint64]] = []
        self._rows: list[tuple[Any, Any]] = []
        self._n_entries = 0

    def examine(
        self, X: Any, y: Any, hashes: RowHashes | None = None
    ) -> NDArray[np.intp]:
        """Look at further rows; return the numbers of those that are to be judged: for
        "together" the rows that were not there before, else all.

        ``hashes`` are those of X, if they are known.
        """
        if self.numbering is None:
            self.numbering = self._left_out(X, y)
        hashes = RowHashes(X) if hashes is None else hashes
        unnumbered = hashes
        if self.numbering:
            unnumbered = RowHashes(_without(X, self.numbering))

        self._hashes.append(hashes)
        self._unnumbered.append(unnumbered)
        if len(self._hashes) > 1:
            for known in (*self._hashes[-2:], *self._unnumbered[-2:]):
                known.forget_table()
        self._labels.append(np.asarray(y))
        if self._n_entries < _ENTRIES_KEPT:
            self._rows.append((X, y))
            self._n_entries += int(np.prod(np.shape(X)))
        if self.policy != "together":
            return np.arange(len(hashes))

        cases = unnumbered.of_all() + contributions(y, _LABELS)
        _, first = np.unique(cases, return_index=True)
        seen = np.isin(cases[first], self.cases())
        self._cases.append(cases)
        return np.sort(first[~seen])

    def cases(self) -> NDArray[np.uint64]:
        """For "together": a number for each row with its label, equal for those that
        are one case.
        """
        return np.concatenate([np.empty(0, dtype=np.uint64), *self._cases])

    def repeats(self) -> Repeats:
        """How many rows repeat others; raise a ValueError if they are copies and the
        policy is "refuse".
        """
        if not self._hashes:
            return Repeats(self.policy)

        # What differs by a number only is equal for the tests and for "together", but
        # not for somebody who reads that rows repeat others.
        n_rows = sum(map(len, self._hashes))
        counts = self._counts(self._unnumbered)
        if self.policy == "refuse" and self._holds_copies(counts, n_rows):
            n_repeats = int((counts - 1).sum())
            raise ValueError(
                f"X: {n_repeats} of {n_rows} rows ({n_repeats / n_rows:.1%})"
                " repeat others, and look like copies rather than different cases that"
                " are alike. Give each case once (to balance classes, use weights or"
                " sample inside a learner), or pass duplicates='together', which takes"
                " equal rows for copies, keeps them on one side and counts them once."
                " If each row was drawn by itself, and rows are equal because their"
                " columns follow from each other, as a price from a product, pass"
                " duplicates='ignore', which counts all rows"
            )

        if self.numbering and self.policy != "together":
            counts = self._counts(self._hashes)
        return Repeats(self.policy, n_rows, int((counts - 1).sum()))

    def _left_out(self, X: Any, y: Any) -> list[int]:
        """The columns that are not compared, from the first rows."""
        columns = numbering_columns(X)
        if not columns or self.policy != "together":
            return columns
        # Rows that differ by a number alone are one case only if they are copies.
        trial = DuplicateCheck("refuse")
        trial.numbering = columns
        trial.examine(X, y)
        counts = trial._counts(trial._unnumbered)
        return columns if trial._holds_copies(counts, len(trial._labels[0])) else []

    def _counts(self, hashes: list[RowHashes]) -> NDArray[np.int64]:
        """How often the rows occur, with equal labels, that occur more than once; with
        groups, in how many of them.
        """
        if len(hashes) == 1:
            rows = equal_to_others(hashes[0].of_some_leading())
            numbers = hashes[0].of_all(rows)
            labels = self._labels[0][rows]
        else:
            numbers = np.concatenate([batch.of_all() for batch in hashes])
            rows = equal_to_others(upper_half(numbers))
            numbers = numbers[rows]
            labels = np.concatenate(self._labels)[rows]
        numbers = numbers + contributions(labels, _LABELS)
        if self.groups is not None:
            pairs = np.column_stack([numbers, self.groups[rows].astype(np.uint64)])
            numbers = np.unique(pairs, axis=0)[:, 0]

        ordered = np.sort(numbers)
        is_first = np.append(True, ordered[1:] != ordered[:-1])
        counts = np.diff(np.append(np.flatnonzero(is_first), len(ordered)))
        return counts[counts > 1]

    def _holds_copies(self, counts: NDArray[np.int64], n_rows: int) -> bool:
        """Whether one of the tests finds copies among so many rows, from
        :meth:`_counts`.
        """
        all_repeat = self.groups is None and counts.sum() == n_rows
        if all_repeat and repetition_p_value(counts) <= REPETITION:
            return True
        if len(counts) < LEAST_REPEATED:
            return False
        p = _copies_in_batches(self._rows, self.groups, self.numbering or [])
        return p <= COPIES


def numbering_columns(X: Any) -> list[int]:
    """Positions of the columns that number or name the rows.

    >>> import numpy as np
    >>> from treebounds.risk.duplicates import numbering_columns
    >>> rows = np.random.default_rng(0).random((100, 2))
    >>> numbering_columns(np.column_stack([rows, np.arange(100)]))
    [2]
    """
    table = as_rows(X) if not issparse(X) else np.empty((0, 0))
    columns = np.arange(table.shape[1])
    if isinstance(table, np.ndarray) and table.dtype.kind == "f":
        # A few rows are enough to exclude most columns.
        few = table[:_FEW]
        is_whole = ((few == np.floor(few)) | np.isnan(few)).all(axis=0)
        columns = np.flatnonzero(is_whole | _are_in_order(few))
    return [
        column
        for column in columns.tolist()
        if _numbers_the_rows(column_of(table, column))
    ]


def _numbers_the_rows(values: NDArray[Any]) -> bool:
    """Whether these are different words or dates, different whole numbers from a small
    range, or numbers in order.
    """
    if len(values) < 2:
        return False
    # A few entries are enough to exclude most columns.
    few = values[:_FEW]
    if values.dtype.kind == "O":
        return _are_names(few) and _are_names(values)
    if values.dtype.kind not in "iufMmUS":
        return False
    if values.dtype.kind in "iuf":
        is_long = len(values) >= _LEAST_IN_ORDER
        if is_long and _are_in_order(few) and _are_in_order(values):
            return True
        present = values[np.isfinite(values)]
        if not _nearly_different(few) or not _are_numbers_of_rows(present):
            return False
    return _nearly_different(few) and _nearly_different(values)


def _are_in_order(values: NDArray[Any]) -> Any:
    """Whether numbers, or those of each column, increase or decrease strictly."""
    before = values[:-1]
    after = values[1:]
    return (before < after).all(axis=0) | (before > after).all(axis=0)


def _nearly_different(values: NDArray[Any]) -> bool:
    """Whether at most two of the values repeat others."""
    return len(np.unique(values)) >= len(values) - _MOST_EXCEPTIONS


def _are_names(values: NDArray[Any]) -> bool:
    """Whether these are different words or dates, but for two that are missing or
    repeat others.
    """
    names = values[~is_missing(values)].tolist()
    if not names or not all(map(_is_name, names)):
        return False
    return len(set(names)) >= len(values) - _MOST_EXCEPTIONS


def _is_name(value: Any) -> bool:
    """Whether this is a date, a time, or a word with few blanks."""
    if isinstance(value, str):
        return value.count(" ") <= _MOST_EXCEPTIONS
    is_time = isinstance(value, bytes | date | timedelta)
    return is_time or type(value).__name__ == "Period"


def _are_numbers_of_rows(values: NDArray[Any]) -> bool:
    """Whether these are whole numbers from a small range, but for a common step."""
    few = values[:_FEW]
    if not len(values) or (few != np.floor(few)).any():
        return False
    above = values - values.min()
    if above.max() >= _EXACT or (above != np.floor(above)).any():
        return False
    step = max(1, int(np.gcd.reduce(above.astype(np.int64))))
    return bool(above.max() / step <= len(values) ** 2 / 40)


def _without(X: Any, columns: list[int]) -> Any:
    """A table without some of its columns."""
    table = as_rows(X)
    kept = np.setdiff1d(np.arange(table.shape[1]), columns)
    return table.iloc[:, kept] if hasattr(table, "iloc") else table[:, kept]


def equal_to_others(numbers: NDArray[np.uint32]) -> NDArray[np.intp]:
    """The places of the numbers that are equal to another one, in increasing order.

    >>> import numpy as np
    >>> from treebounds.risk.duplicates import equal_to_others
    >>> equal_to_others(np.array([5, 2, 7, 5, 5, 3], dtype=np.uint32)).tolist()
    [0, 3, 4]

    Parameters
    ----------
    numbers : (n,) array of uint32
        They should look random.

    Returns
    -------
    array of int

    Notes
    -----
    All numbers with the same first bits have one entry in a table, which keeps the
    place of one of them. The others are compared with that one; those that differ are
    compared among each other by their next bits. Cost: some four passes.
    """
    n_bits = min(1 + len(numbers).bit_length(), _MOST_BITS)
    lower = np.uint32(_BITS - n_bits)
    upper = np.uint32(n_bits)
    is_repeated = np.zeros(len(numbers), dtype=bool)
    places = np.arange(len(numbers), dtype=np.int32)
    turned = numbers

    while len(places):
        begins = (turned >> lower).astype(np.intp)
        table = np.empty(2**n_bits, dtype=np.int32)
        table[begins] = places
        kept = table.take(begins)

        others = np.flatnonzero(kept != places)
        kept = kept[others]
        places = places[others]
        is_equal = numbers[kept] == numbers[places]
        is_repeated[kept[is_equal]] = True
        is_repeated[places[is_equal]] = True
        turned = turned[others[~is_equal]]
        places = places[~is_equal]
        turned = (turned << upper) | (turned >> lower)
    return np.flatnonzero(is_repeated)


def repetition_p_value(counts: NDArray[np.int64], times: ArrayLike = 1) -> float:
    """An upper bound of the probability that all different rows occur a multiple of
    some q > 1 times, if they do; else 1. See the second test of this module.

    >>> import numpy as np
    >>> from treebounds.risk.duplicates import repetition_p_value
    >>> (
    ...     repetition_p_value(np.array([2, 4, 3])),
    ...     repetition_p_value(np.full(60, 3)) < 1e-9,
    ... )
    (1.0, True)

    Parameters
    ----------
    counts : (V,) array of int
        How often each of the different rows occurs.
    times : (V,) array of int
        How many rows each entry of ``counts`` stands for.

    Returns
    -------
    float
    """
    if np.gcd.reduce(counts) <= 1:
        return 1.0
    times = np.broadcast_to(times, counts.shape)
    n = int(counts @ times)
    log_p = math.log(n) + math.log(2 * math.pi * n) / 2 + 1 / (12 * n)
    return min(1.0, math.exp(log_p - int(times.sum()) * math.log(2)))


def copies_p_value(
    X: Any,
    y: Any = None,
    *,
    groups: NDArray[np.intp] | None = None,
    samples: NDArray[np.intp] | None = None,
    left_out: list[int] | None = None,
) -> float:
    """The p-value of the first test of this module, at least where it is above 1/100.

    Columns are looked at one after the other, and the first one with p_j above 1/100
    ends the search.

    >>> import numpy as np
    >>> from treebounds.risk.duplicates import copies_p_value
    >>> rows = np.random.default_rng(0).random((50, 3))
    >>> copies_p_value(rows), copies_p_value(np.tile(rows, (2, 1))) < 1e-9
    (1.0, True)

    Parameters
    ----------
    X : (n_rows, n_features) array, frame or sparse matrix
    y : (n_rows,) array, optional
        One more column.
    groups : (n_rows,) array of int, optional
        Only rows of different groups are compared.
    samples : (n_rows,) array of 0 and 1, optional
        Only rows of different samples are compared.
    left_out : list of int, optional
        Columns that are not compared.

    Returns
    -------
    float
    """
    table = _without(X, left_out) if left_out else X
    table = table.tocsc() if issparse(table) else as_rows(table)
    sums = row_hashes(table)
    shares = _shares(table)
    if y is None:
        y = np.zeros(len(sums))
    else:
        labels = contributions(y, _LABELS)
        shares = chain([labels], shares)  # the labels often end the search
        sums = sums + labels

    chance = _chance_to_agree(y, table)

    # In a table that is sorted by a column, neighbours agree too often.
    shuffle = np.random.default_rng(0).permutation(len(sums))
    units = groups if samples is None else samples
    if units is not None:
        units = units[shuffle]

    worst = 0.0
    for own in shares:
        others = (sums - own)[shuffle]
        n_equal, n_pairs = _pairs(others, sums[shuffle], units, samples is not None)
        worst = max(worst, float(binom.sf(n_equal - 1, n_pairs, chance)))
        if worst > COPIES:
            break
    return worst


def _chance_to_agree(y: Any, table: Any) -> float:
    """The probability r of the first test."""
    smallest = _share_of_equal_pairs(y)
    for column in range(table.shape[1]):
        if smallest <= _CHANCE:
            break
        share = _share_of_equal_pairs(contributions(column_of(table, column), column))
        smallest = min(smallest, share)
    return max(_CHANCE, smallest)


def _share_of_equal_pairs(values: Any) -> float:
    """The share of pairs of rows that have equal values."""
    counts = np.unique(values, return_counts=True)[1].astype(float)
    n = counts.sum()
    return float((counts * (counts - 1)).sum() / max(1.0, n * (n - 1)))


def _pairs(
    others: NDArray[np.uint64],
    whole: NDArray[np.uint64],
    units: NDArray[np.intp] | None,
    ordered: bool,
) -> tuple[int, int]:
    """How many pairs of rows agree in a column, and the number of pairs, from the
    hashes of the other columns and those of all.
    """
    # The first and the last row of each group that is alike in all other columns.
    if ordered and units is not None:
        order = np.lexsort((units, others))
    else:
        order = np.argsort(others, kind="stable")
    is_first = np.append(True, np.diff(others[order]) != 0)
    starts = np.flatnonzero(is_first)
    ends = np.append(starts[1:], len(order)) - 1
    first = order[starts]
    last = order[ends]

    is_pair = first != last
    if units is not None:
        is_pair &= units[first] != units[last]
    n_pairs = np.count_nonzero(is_pair)
    n_equal = np.count_nonzero((whole[first] == whole[last]) & is_pair)
    return int(n_equal), int(n_pairs)


def _shares(table: Any) -> Iterator[NDArray[np.uint64]]:
    """What the columns, and blocks of them, add to the hashes of the rows.

    A block is a run of columns of 0 and 1 with at most one 1 in each row, as a nominal
    feature makes them.
    """
    block = np.zeros(table.shape[0], dtype=np.uint64)
    taken = np.zeros(table.shape[0], dtype=bool)
    width = 0

    for column in range(table.shape[1]):
        own = share_of_column(table, column)
        yield own

        ones = _ones(column_of(table, column))
        if ones is not None and not (taken & ones).any():
            # The neighbour in the same word is in the block already, or never will be.
            if width and column % 2:
                own = share_of_column(table, column, alone=True)
            block = block + own
            taken = taken | ones
            width = width + 1
            continue

        if width > 1:
            yield block
        if ones is None:
            block = np.zeros_like(block)
            taken = np.zeros_like(taken)
            width = 0
        else:
            block = own
            taken = ones
            width = 1

    if width > 1:
        yield block


def _ones(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Where a column of 0 and 1 is 1; None for other columns."""
    if values.dtype.kind not in "biuf":
        return None
    ones = values == 1
    return ones if (ones | (values == 0)).all() else None


def _copies_in_batches(
    batches: list[tuple[Any, Any]],
    groups: NDArray[np.intp] | None,
    left_out: list[int],
) -> float:
    """The p-value of the first test for the rows of all batches together."""
    if len(batches) == 1:
        X, y = batches[0]
        return copies_p_value(X, y, groups=groups, left_out=left_out)
    X = stacked([rows for rows, _ in batches])
    y = np.concatenate([labels for _, labels in batches])
    return copies_p_value(X, y, left_out=left_out)


def stacked(tables: list[Any]) -> Any:
    """Tables of the same columns as one: frames, sparse matrices or arrays.

    >>> from treebounds.risk.duplicates import stacked
    >>> stacked([[[1.0]], [[2.0]]]).tolist()
    [[1.0], [2.0]]
    """
    if all(issparse(table) for table in tables):
        return vstack(tables, format="csc")
    return np.concatenate([np.asarray(as_rows(table)) for table in tables])
