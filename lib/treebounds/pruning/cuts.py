"""How many cuts the columns of a sample, and the nodes of a tree, allow.

A column with k different values allows k - 1 thresholds, and a node with n examples no
more than the n - 1 gaps between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from treebounds.capacity.features import FeatureKinds

# The cuts of each column are bounded by one of this number of rows; the other is the
# smallest number of rows that is taken.
_ONE_OF = 16
_SOME_ROWS = 2048

# Up to this number of values, sorting is the fastest way to count the different ones.
_FEW = 4096

# Odd numbers, each for one round of hashing: a bit of a value reaches all higher ones.
_MULTIPLIERS = np.array([2654435769, 2246822519, 3266489917], dtype=np.uint32)


def cuts_at_nodes(n_cuts: ArrayLike, most: NDArray[np.float64]) -> NDArray[np.float64]:
    """The number of cuts that each node could make: over the columns, the sum of the
    smaller of a column's cuts and the gaps between the node's examples.

    >>> import numpy as np
    >>> from treebounds.pruning.cuts import cuts_at_nodes
    >>> cuts_at_nodes([1, 5, np.inf], np.array([1.0, 3.0, 9.0]))
    array([ 3.,  7., 15.])

    Parameters
    ----------
    n_cuts : (n_features,) array
    most : (n_nodes,) array

    Returns
    -------
    (n_nodes,) array of float
    """
    columns = np.sort(np.asarray(n_cuts, dtype=float))
    finite = columns[np.isfinite(columns)]
    below = np.append(0.0, np.cumsum(finite))
    n_below = np.searchsorted(finite, most)
    sums: NDArray[np.float64] = below[n_below] + (len(columns) - n_below) * most
    return sums


def cuts_of_columns(X: Any) -> NDArray[np.float64]:
    """For each column, the number of cuts that a sample allows: one fewer than its
    different values.

    Missing values double it, because a cut also decides where they go, and "missing or
    not" is one more.

    >>> from treebounds.pruning.cuts import cuts_of_columns
    >>> cuts_of_columns([[1.0, 5.0], [2.0, 5.0], [3.0, float("nan")]])
    array([2., 1.])

    Parameters
    ----------
    X : (n_examples, n_features) array or sparse matrix

    Returns
    -------
    (n_features,) array of float

    Notes
    -----
    The values of each column are hashed: O(m) for m examples.
    """
    if not issparse(X):
        columns = np.asarray(X, dtype=np.float32).T
        return np.array([_n_cuts(column) for column in columns], dtype=float)

    by_column = X.tocsc()
    n_cuts = []
    for start, end in zip(by_column.indptr[:-1], by_column.indptr[1:], strict=True):
        values = by_column.data[start:end].astype(np.float32)
        if end - start < X.shape[0]:
            values = np.append(values, np.float32(0))
        n_cuts.append(_n_cuts(values))
    return np.array(n_cuts, dtype=float)


def least_and_most_cuts(X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds from below and above of the cuts of each column, from a part of the rows;
    the cuts themselves of columns with many ties, where bounds would be far apart.
    """
    step = max(min(X.shape[0] // _SOME_ROWS, _ONE_OF), 1)
    some = X[::step]
    least = cuts_of_columns(some)
    if step == 1:
        return least, least

    most = np.full(len(least), np.inf)
    tied = least < some.shape[0] / 2
    if tied.any():
        least[tied] = most[tied] = cuts_of_columns(X[:, tied])
    return least, most


def cuts_of_kinds(kinds: FeatureKinds) -> tuple[list[float], list[float]]:
    """The numbers of cuts that columns of declared kinds offer: those with an order of
    their values, and those of categories without one.

    >>> from treebounds import FeatureKinds
    >>> from treebounds.pruning.cuts import cuts_of_kinds
    >>> cuts_of_kinds(FeatureKinds(real=1, ordinal=[4], nominal_subsets=[3], binary=1))
    ([inf, 1.0, 3.0], [3.0])
    """
    of_orders = [np.inf] * kinds.real + [1.0] * kinds.binary
    of_orders += [size - 1.0 for size in kinds.ordinal]
    of_sets = [float(size) for size in kinds.nominal]
    of_sets += [2.0 ** (size - 1) - 1 for size in kinds.nominal_subsets]
    return of_orders, of_sets


def _n_cuts(values: NDArray[np.float32]) -> int:
    """The number of cuts of a column."""
    missing = np.isnan(values)
    present = values[~missing] if missing.any() else values
    n_cuts = max(n_different(present) - 1, 0)
    if len(present) == len(values):
        return n_cuts
    return 2 * n_cuts + (len(present) > 0)


def n_different(values: NDArray[np.float32]) -> int:
    """The number of different values, none of them NaN.

    >>> import numpy as np
    >>> from treebounds.pruning.cuts import n_different
    >>> n_different(np.array([2.0, 0.0, -0.0, 2.0], dtype=np.float32))
    2
    """
    # Adding 0 makes -0 and 0 the same bits; no key is 0, which stands for an empty
    # slot.
    keys = (values + np.float32(0)).view(np.uint32) + np.uint32(1)
    n_found = 0
    for multiplier in _MULTIPLIERS:
        if len(keys) <= _FEW:
            break
        n_bits = min((2 * len(keys)).bit_length(), 32)
        slots = (keys * multiplier) >> np.uint32(32 - n_bits)
        table = np.zeros(1 << n_bits, dtype=np.uint32)
        # Of the keys with one slot, one stays: it is found, the others try again.
        table[slots] = keys
        n_found += int(np.count_nonzero(table))
        keys = keys[table[slots] != keys]

    keys.sort()
    return n_found + int(np.count_nonzero(keys[1:] != keys[:-1])) + (len(keys) > 0)
