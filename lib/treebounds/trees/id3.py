"""Growing ID3: multiway splits on categorical features, each feature once on a path."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_array, check_integer, check_option
from treebounds.trees.criteria import CRITERIA, weighted_impurity
from treebounds.trees.multiway import MultiwayTree

__all__ = ["grow_id3"]

Ints = NDArray[np.int64]

# Gains that differ by less are equal: sums of the same terms in another order may differ in the last bits.
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

    A node becomes a leaf when its examples have one class or agree in all features that are left. Otherwise
    it is split on the feature of largest gain, the first column among equals (up to 1e-12), even if that
    gain is 0, as Algorithm 1 does; a feature in which its examples agree is never chosen.

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
        Whether a split also has a leaf for each value that no example of the node has. It predicts what its
        parent would, so this changes the size of the tree and no prediction.

    Returns
    -------
    MultiwayTree

    Notes
    -----
    For each level O(n_examples n_features), and one table of counts for each node that is split.

    References
    ----------
    Peng's notes, Algorithm 1; Quinlan (1986).

    Examples
    --------
    >>> from treebounds.trees import grow_id3
    >>> tree = grow_id3([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], [2, 2], 2)
    >>> tree.feature.tolist(), tree.n_leaves
    ([0, 1, 1, -1, -1, -1, -1], 4)
    """
    n_classes = check_integer(n_classes, "n_classes")
    rows, classes, sizes = _checked(X, y, n_values, n_classes, criterion)
    return _grown(rows, classes, sizes, n_classes, criterion, empty_branches)


def _grown(
    X: Ints, y: Ints, n_values: Ints, n_classes: int, criterion: str, empty_branches: bool
) -> MultiwayTree:
    """The tree, level after level."""
    offset = np.concatenate([[0], np.cumsum(n_values)])
    cells = (X + offset[:-1]) * n_classes + y[:, None]  # of all counts of values and classes
    feature: list[int] = []
    branches = [(-1, -1, np.bincount(y, minlength=n_classes))]
    nodes = [(np.arange(len(X)), np.ones(X.shape[1], dtype=bool))]  # examples, and features to ask for
    for node, (rows, usable) in enumerate(nodes):  # grows while it is read: level after level
        feature.append(-1)
        if np.count_nonzero(branches[node][2]) < 2:
            continue
        table = np.bincount(cells[rows].ravel(), minlength=offset[-1] * n_classes).reshape(-1, n_classes)
        best = feature[node] = _best_feature(table, offset, usable, criterion)
        if best < 0:
            continue
        values, usable = X[rows, best], usable & (np.arange(X.shape[1]) != best)
        for value, counts in enumerate(table[offset[best] : offset[best + 1]]):
            if empty_branches or counts.any():
                branches.append((node, value, counts))
                nodes.append((rows[values == value], usable))
    parents, branch, counts = map(np.array, zip(*branches, strict=True))
    return MultiwayTree(feature, parents, branch, counts, n_values)


def _best_feature(table: Ints, offset: Ints, usable: NDArray[np.bool_], criterion: str) -> int:
    """The feature of largest gain, the lowest among equals; -1 where no usable feature varies."""
    # the impurity before the split is the same for all features
    after = np.add.reduceat(weighted_impurity(table, criterion), offset[:-1]) / table[: offset[1]].sum()
    varies = np.add.reduceat(table.any(axis=1), offset[:-1], dtype=np.int64) > 1
    loss = np.where(usable & varies, after, np.inf)
    return int((loss <= loss.min() + _TIE).argmax()) if np.isfinite(loss.min()) else -1


def _checked(X: Any, y: Any, n_values: Any, n_classes: int, criterion: Any) -> tuple[Ints, Ints, Ints]:
    """Codes of values and classes, and numbers of values, or a ValueError."""
    X, y, n_values = (
        check_array(values, name, np.int64) for values, name in ((X, "X"), (y, "y"), (n_values, "n_values"))
    )
    check_option(criterion, "criterion", CRITERIA)
    if X.ndim != 2 or not len(X) or not X.shape[1] or y.shape != (len(X),):
        shapes = "(n_examples, n_features) and (n_examples,), at least one of each"
        raise ValueError(f"X and y must have shapes {shapes}; got {X.shape} and {y.shape}")
    if n_values.shape != (X.shape[1],) or np.any(X < 0) or np.any(n_values <= X):
        raise ValueError("n_values must be larger than the value codes in each column of X, codes at least 0")
    if y.min() < 0 or y.max() >= n_classes:
        raise ValueError("y must hold class codes 0 .. n_classes - 1")
    return X, y, n_values
