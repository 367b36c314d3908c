"""Growth of trees by ID3: multiway splits on categorical features, each feature once on
a path.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.compiling import njit
from reproduction.multiway.criteria import CRITERIA, weighted_impurity_of_node
from reproduction.multiway.tree import MultiwayTree
from treebounds._labels import check_classes
from treebounds._validation import check_array, check_integer, check_option

__all__ = ["grow_id3"]

Ints = NDArray[np.int64]

# Gains that differ by less are equal: sums of the same terms in another order may
# differ in the last bits.
_TIE = 1e-12


def grow_id3(
    X: ArrayLike,
    y: ArrayLike,
    n_values: ArrayLike,
    n_classes: int,
    criterion: str = "entropy",
    empty_branches: bool = True,
) -> MultiwayTree:
    """Grow a tree by ID3.

    A node becomes a leaf if its examples have one class or agree in all features.
    Otherwise it is split on the feature of largest gain, the first column if several
    tie (up to 1e-12), even if that gain is 0, as in Algorithm 1. A feature in which its
    examples agree is never chosen.

    >>> from reproduction.multiway import grow_id3
    >>> tree = grow_id3([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], [2, 2], 2)
    >>> tree.feature.tolist(), tree.n_leaves
    ([0, 1, 1, -1, -1, -1, -1], 4)

    Parameters
    ----------
    X : array_like of int, shape (n_examples, n_features)
        Value codes 0 .. n_values[i] - 1.
    y : array_like of int, shape (n_examples,)
        Class codes 0 .. n_classes - 1.
    n_values : array_like of int, shape (n_features,)
    n_classes : int
    criterion : {"entropy", "gini", "error"}
    empty_branches : bool
        Whether a split also has a leaf for each value that no example of the node has.
        Such a leaf predicts the class of its parent, so it changes the size of the tree
        but no prediction.

    Returns
    -------
    MultiwayTree

    Notes
    -----
    The cost is O(n_examples n_features) for each level, and a table of counts for each
    node and feature.

    References
    ----------
    Peng's notes, Algorithm 1; Quinlan (1986).
    """
    n_classes = check_integer(n_classes, "n_classes")
    rows, classes, sizes = _check_sample(X, y, n_values, n_classes, criterion)
    number = CRITERIA.index(criterion)
    feature, parents, branch, counts = _grow(
        rows, classes, sizes, n_classes, number, bool(empty_branches)
    )
    return MultiwayTree(feature, parents, branch, counts, sizes)


@njit
def _grow(X, y, n_values, n_classes, criterion, empty_branches):
    """The feature, parent, branch and class counts of each node, level by level."""
    rows = np.arange(len(X))  # The examples of a node are a slice of this array.
    feature = [-1]
    parents = [-1]
    branch = [-1]
    start = [0]
    stop = [len(X)]

    node = 0
    while node < len(feature):
        here = rows[start[node] : stop[node]].copy()
        at = start[node]
        best = _best_feature(X, y, here, n_values, n_classes, criterion)
        feature[node] = best
        n_branches = 0
        if best >= 0:
            n_branches = n_values[best]

        for value in range(n_branches):
            first = at
            for row in here:
                if X[row, best] == value:
                    rows[at] = row
                    at += 1

            if empty_branches or at > first:
                feature.append(-1)
                parents.append(node)
                branch.append(value)
                start.append(first)
                stop.append(at)

        node += 1

    counts = np.zeros((node, n_classes), np.int64)
    for node in range(len(counts)):
        for row in rows[start[node] : stop[node]]:
            counts[node, y[row]] += 1

    return feature, parents, branch, counts


@njit
def _best_feature(X, y, rows, n_values, n_classes, criterion):
    """The feature of largest gain, the first if several tie; -1 if one class occurs or
    no feature varies.

    The impurity before the split is the same for all features, so the impurity after it
    decides.
    """
    if len(rows) == 0 or np.all(y[rows] == y[rows[0]]):
        return -1

    after = np.full(len(n_values), np.inf)
    for f in range(len(n_values)):
        table = np.zeros((n_values[f], n_classes), np.int64)
        for row in rows:
            table[X[row, f], y[row]] += 1
        n_occurring = 0
        total = 0.0
        for counts in table:
            n_occurring += counts.max() > 0
            total += weighted_impurity_of_node(counts, criterion)
        if n_occurring > 1:
            after[f] = total / len(rows)

    if np.isinf(after.min()):
        return -1
    return np.argmax(after <= after.min() + _TIE)


def _check_sample(
    X: Any, y: Any, n_values: Any, n_classes: int, criterion: Any
) -> tuple[Ints, Ints, Ints]:
    """Codes of values and classes, and numbers of values, or a ValueError."""
    X = check_array(X, "X", np.int64)
    y = check_array(y, "y", np.int64)
    n_values = check_array(n_values, "n_values", np.int64)
    check_option(criterion, "criterion", CRITERIA)
    if X.ndim != 2 or not len(X) or not X.shape[1] or y.shape != (len(X),):
        shapes = "(n_examples, n_features) and (n_examples,), at least one of each"
        raise ValueError(
            f"X and y must have shapes {shapes}; got {X.shape} and {y.shape}"
        )
    if n_values.shape != (X.shape[1],) or np.any(X < 0) or np.any(n_values <= X):
        raise ValueError(
            "n_values must exceed the value codes in each column of X, which must be at"
            " least 0"
        )

    return X, check_classes(y, len(X), n_classes), n_values
