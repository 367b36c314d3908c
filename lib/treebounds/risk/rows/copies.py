"""Rows that occur more than once: are they copies, or different cases that are alike?

A certificate counts independent cases. Rows that were copied, to balance classes or by
joining tables, are counted as often as they were copied, and a copy on the other side
of a halving is a case that the classifier has seen.

**No test can do without an assumption.** Drawing rows with repetition from a table *is*
independent sampling, from the uniform law on its rows.

**A sentence that suffices.** *In at least one column, the labels included, two
different cases that are alike in all other columns agree with probability at most r.*
Here r is 1/2, unless two rows agree more often in every single feature, as in a table
of rare flags. Then r is the smallest share of pairs of rows that agree in a feature.
The labels are left out of this share: if r were small because the labels are even, rare
flags would agree more often than r by themselves, and so would labels that follow from
the features. A run of columns of 0 and 1 with at most one 1 in each row, as a nominal
feature makes them, counts as one more column: each of them is known from the others.

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

**Within a class.** Rows of one class that were copied, to balance classes, hide among
pairs of the other classes that are alike by chance. So for a column j of features, let
p_jc be p_j of the rows of class c alone, and K the number of classes that have at least
14 rows. The test then takes min(p_j / 0.8, K min_c p_jc / 0.2) in place of p_j, and
p_j / 0.8 for the labels. Without a class of as many rows it takes p_j.

*Proof.* The labels are among the other columns, so each p_jc is at most a with
probability at most a, as p_j is: 1/100 is divided into 0.8/100 and K times 0.2/(100 K).
The labels, which determine K, are given where a column of features is tested; where the
labels are tested, p_j / 0.8 is no smaller than p_j.

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

Columns that only name the rows are left out of the tests; see
:mod:`treebounds.risk.rows.numbering`.

**Where the first test is wrong.** If every column nearly follows from the others, such
as a product, its price and its category, or votes along party lines, the sentence is
false, and rows that were drawn one by one are taken for copies. In a table that was
repeated every column follows from the others, too, so this test does not tell the two
apart. Then "ignore" is right for cases that were drawn one by one, and "together" for
copies. For different cases "together" is wrong: half of the new cases may be alike,
and they would count as one.

*Without power* are the first test in small tables with few values, such as full
designs, where a copy cannot be told from another case, and both tests if there is only
one feature. How often rows occur may still show that some of them are copies, see
:mod:`treebounds.risk.rows.occurrences`. Copies that were changed, by noise or by a
column that says which copy it is, are other rows. So where rows repeat and no test
speaks, the certificate's sentence gives their share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from treebounds.risk.rows.hash_function import contributions, share_of_column
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.risk.rows.tables import Table

# Probabilities of an alarm if the rows are independent.
COPIES = 0.01
_CHANCE = 0.5
REPETITION = 0.001

# What the errors say of the first test's assumption.
IF_NO_COPIES = (
    "If each row was drawn by itself, and rows are equal because their columns depend"
    " on each other, as a price on the product, or a pixel on its neighbours, pass"
    " duplicates='ignore', which counts all rows"
)

# With fewer rows that occur twice, 2**-6 > 1/100, the first test cannot speak.
LEAST_REPEATED = 7

# How much of 1/100 the comparison within classes gets. The rest is still enough for
# seven pairs: 2**-7 / 0.8 < 1/100.
_WITHIN_CLASSES = 0.2

# The labels are one more column.
LABELS = 2**40


def copies_p_value(
    rows: RowHashes,
    y: Any = None,
    *,
    groups: NDArray[np.intp] | None = None,
    samples: NDArray[np.intp] | None = None,
) -> float:
    """The p-value of the first test of this module, at least where it is above 1/100.

    Columns are looked at one after the other, and the first one with p_j above 1/100
    ends the search.

    >>> import numpy as np
    >>> from treebounds.risk.rows.copies import copies_p_value
    >>> from treebounds.risk.rows.row_hashes import RowHashes
    >>> X = np.random.default_rng(0).random((50, 3))
    >>> copies_p_value(RowHashes(X))
    1.0
    >>> copies_p_value(RowHashes(np.tile(X, (2, 1)))) < 1e-9
    True

    Parameters
    ----------
    rows : RowHashes
    y : (n_rows,) array, optional
        One more column.
    groups : (n_rows,) array of int, optional
        Only rows of different groups are compared.
    samples : (n_rows,) array of 0 and 1, optional
        Only rows of different samples are compared.

    Returns
    -------
    float
    """
    table = rows.table
    sums = rows.of_all()
    shares = _shares(table)
    # In a table that is sorted by a column, neighbours agree too often.
    shuffle = np.random.default_rng(0).permutation(len(sums))
    classes: list[NDArray[np.intp]] = []
    if y is not None:
        labels = contributions(y, LABELS)
        # The labels come first, because they often end the search.
        shares = chain([labels], shares)
        sums = sums + labels
        classes = _large_classes(labels, shuffle)

    units = groups if samples is None else samples
    test = _FirstTest(sums, units, is_of_samples=samples is not None)
    whole = _Rows(shuffle, _chance_to_agree(table, shuffle))
    within = [
        _Rows(places, max(whole.chance, _chance_to_agree(table, places)))
        for places in classes
    ]
    return _largest_p_value(test, shares, whole, within)


def _largest_p_value(
    test: _FirstTest,
    shares: Iterable[NDArray[np.uint64]],
    whole: _Rows,
    classes: list[_Rows],
) -> float:
    """The largest p_j of the columns, up to the first one above 1/100."""
    largest = 0.0
    for column, own in enumerate(shares):
        if not classes:
            p = test.p_value(own, whole)
        elif column == 0:
            # The labels, which come first, are the same in a class.
            p = test.divided_p_value(own, whole, [])
        else:
            p = test.divided_p_value(own, whole, classes)
        largest = max(largest, p)
        if largest > COPIES:
            break
    return largest


class _Rows(NamedTuple):
    """Some rows in shuffled order, and the probability r of the first test for them."""

    places: NDArray[np.intp]
    chance: float


class _FirstTest(NamedTuple):
    """What the first test knows of all rows.

    Attributes
    ----------
    sums : (n_rows,) array of uint64
        Hashes of all columns together.
    units : (n_rows,) array of int or None
        Only rows of different units, which are groups or samples, are compared.
    is_of_samples : bool
        Whether a pair has one row of each of two samples.
    """

    sums: NDArray[np.uint64]
    units: NDArray[np.intp] | None
    is_of_samples: bool

    def p_value(self, own: NDArray[np.uint64], rows: _Rows) -> float:
        """The p_j of some rows, from what column j adds to the hashes."""
        units = None if self.units is None else self.units[rows.places]
        others = (self.sums - own)[rows.places]
        whole = self.sums[rows.places]
        n_equal, n_pairs = _pairs(others, whole, units, self.is_of_samples)
        return float(binom.sf(n_equal - 1, n_pairs, rows.chance))

    def divided_p_value(
        self, own: NDArray[np.uint64], whole: _Rows, classes: list[_Rows]
    ) -> float:
        """The p_j of a column from that of all rows and those within classes."""
        p = self.p_value(own, whole) / (1 - _WITHIN_CLASSES)
        if classes and p > COPIES:
            smallest = min(self.p_value(own, rows) for rows in classes)
            p = min(p, len(classes) * smallest / _WITHIN_CLASSES)
        return min(1.0, p)


def repetition_p_value(counts: NDArray[np.int64], times: ArrayLike = 1) -> float:
    """An upper bound of the probability that all different rows occur a multiple of
    some q > 1 times, if they do; else 1. See the second test of this module.

    >>> import numpy as np
    >>> from treebounds.risk.rows.copies import repetition_p_value
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


def _large_classes(
    labels: NDArray[np.uint64], shuffle: NDArray[np.intp]
) -> list[NDArray[np.intp]]:
    """The rows of each label that has enough of them for pairs, in shuffled order."""
    of_label, counts = np.unique(
        labels[shuffle], return_inverse=True, return_counts=True
    )[1:]
    large = np.flatnonzero(counts >= 2 * LEAST_REPEATED)
    order = np.argsort(of_label, kind="stable")
    ends = np.cumsum(counts)
    return [
        shuffle[order[ends[label] - counts[label] : ends[label]]] for label in large
    ]


def _chance_to_agree(table: Table, rows: NDArray[np.intp]) -> float:
    """The probability r of the first test, from some rows."""
    smallest = 1.0
    for column in range(table.n_columns):
        if smallest <= _CHANCE:
            break
        values = contributions(table.column(column)[rows], column)
        smallest = min(smallest, _share_of_equal_pairs(values))
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
    is_of_samples: bool,
) -> tuple[int, int]:
    """How many pairs of rows agree in a column, and the number of pairs, from the
    hashes of the other columns and those of all.
    """
    # The first and the last row of each group that is alike in all other columns.
    if is_of_samples and units is not None:
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


def _shares(table: Table) -> Iterator[NDArray[np.uint64]]:
    """What the columns, and blocks of them, add to the hashes of the rows.

    A block is a run of columns of 0 and 1 with at most one 1 in each row, as a nominal
    feature makes them.
    """
    block = np.zeros(len(table), dtype=np.uint64)
    taken = np.zeros(len(table), dtype=bool)
    width = 0

    for column in range(table.n_columns):
        own = share_of_column(table, column)
        yield own

        ones = _ones(table.column(column))
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
