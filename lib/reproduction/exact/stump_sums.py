"""Sums of stumps on two features: the number of labelings of a sample.

A sample is given by its ranks along feature 2, in the order of feature 1. B cuts, a of
feature 1 and b of feature 2, divide it into (a + 1)(b + 1) cells. A sum of the stumps
with these cuts is ``u(x) + v(y)``, constant on each cell. It exceeds a threshold on a
set of cells if and only if the sets of columns of the rows are nested: order the rows
by u, and each row has the columns of the one before it, and perhaps more.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.compiling import njit
from treebounds._validation import check_array, check_integer, shown

__all__ = ["count_stump_sum_labelings"]

_MOST_EXAMPLES = 16


class _Cuts(NamedTuple):
    """The cuts of both features, by position, and the nested sets of columns."""

    of_rows: NDArray[np.int64]
    of_columns: NDArray[np.int64]
    nested: NDArray[np.int64]


def count_stump_sum_labelings(ranks: ArrayLike, n_stumps: int) -> int:
    """The number of labelings of a sample on two features by sums of B stumps.

    >>> from reproduction.exact.stump_sums import count_stump_sum_labelings
    >>> count_stump_sum_labelings([1, 6, 5, 2, 4, 0, 7, 3], n_stumps=3)
    256

    Parameters
    ----------
    ranks : (n_examples,) array of int
        The ranks 0, 1, ... along feature 2, in the order of feature 1; at most 16
        examples.
    n_stumps : int
        B, at least 1. Several stumps may have the same cut.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If ``ranks`` are not a permutation of 0, 1, ... of at most 16 examples.

    Notes
    -----
    Cost for m examples: all choices of at most B of the 2 (m - 1) cuts, times the
    nested sets of columns, 1 ms for B = 4 and m = 10.
    """
    sample = check_array(ranks, "ranks", np.int64)
    n_stumps = check_integer(n_stumps, "n_stumps")
    m = sample.size
    in_order = np.sort(sample, axis=None)
    is_permutation = sample.ndim == 1 and np.array_equal(in_order, np.arange(m))
    if not is_permutation or not 1 <= m <= _MOST_EXAMPLES:
        raise ValueError(
            "ranks must be 0, 1, ... in some order, for 1 to"
            f" {_MOST_EXAMPLES} examples; got {shown(ranks)}"
        )
    return int(_realized(sample, n_stumps).sum())


def _realized(sample: NDArray[np.int64], n_stumps: int) -> NDArray[np.bool_]:
    """Which of the 2^m labelings sums of the stumps realize; labelings are bits."""
    m = len(sample)
    prefixes = np.zeros((2, m + 1), dtype=np.int64)
    prefixes[0, 1:] = np.cumsum(1 << np.arange(m))
    prefixes[1, 1:] = np.cumsum(1 << np.argsort(sample))

    realized = np.zeros(1 << m, dtype=np.bool_)
    for a in range(n_stumps // 2 + 1):
        cuts = _all_cuts(m, a, n_stumps - a)
        # Rows are cut by the feature with fewer cuts, which is either of the two.
        _mark(prefixes[0], prefixes[1], *cuts, realized)
        if 2 * a < n_stumps:
            _mark(prefixes[1], prefixes[0], *cuts, realized)
    return realized


@lru_cache(maxsize=256)
def _all_cuts(m: int, a: int, b: int) -> _Cuts:
    """All cuts of m examples, a for the rows and b for the columns, where possible."""
    a = min(a, m - 1)
    b = min(b, m - 1)
    subsets = range(1 << (b + 1))
    nested = [sets for sets in product(subsets, repeat=a + 1) if _are_nested(sets)]
    return _Cuts(_positions(m, a), _positions(m, b), np.array(nested, dtype=np.int64))


def _positions(m: int, n_cuts: int) -> NDArray[np.int64]:
    """The choices of cuts, each with the two ends of the sample."""
    choices = combinations(range(1, m), n_cuts)
    return np.array([(0, *chosen, m) for chosen in choices], dtype=np.int64)


def _are_nested(sets: tuple[int, ...]) -> bool:
    """Whether of any two sets, given as bits, one contains the other."""
    return all(x & y in (x, y) for x, y in combinations(sets, 2))


@njit
def _mark(row_prefixes, column_prefixes, of_rows, of_columns, nested, realized):
    """Mark the labelings of all sums with these cuts."""
    n_rows = of_rows.shape[1] - 1
    n_sets = 1 << (of_columns.shape[1] - 1)
    union = np.zeros(n_sets, np.int64)
    cells = np.zeros((n_rows, n_sets), np.int64)

    for columns in of_columns:
        # The examples in each set of columns.
        for chosen in range(1, n_sets):
            union[chosen] = 0
            for j in range(len(columns) - 1):
                if chosen >> j & 1:
                    column = column_prefixes[columns[j + 1]]
                    union[chosen] |= column & ~column_prefixes[columns[j]]

        for rows in of_rows:
            for i in range(n_rows):
                row = row_prefixes[rows[i + 1]] & ~row_prefixes[rows[i]]
                for chosen in range(n_sets):
                    cells[i, chosen] = row & union[chosen]

            for sets in nested:
                labeling = 0
                for i in range(n_rows):
                    labeling |= cells[i, sets[i]]
                realized[labeling] = True
