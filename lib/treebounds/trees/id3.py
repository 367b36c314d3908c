"""Growing ID3: multiway splits on categorical features, each feature once on a path."""

from __future__ import annotations

from dataclasses import dataclass
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
# Entries of one table of counts (nodes x values x classes); wider levels are worked off in pieces.
_TABLE_SIZE = 2**22


def grow_id3(
    X: ArrayLike,
    y: ArrayLike,
    n_values: ArrayLike,
    n_classes: int,
    criterion: str = "entropy",
    empty_branches: bool = True,
) -> MultiwayTree:
    """Grow a tree by ID3, a whole level at a time.

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
    O(n_examples n_features) and one table of counts for each level.

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
    offset = np.concatenate([[0], np.cumsum(n_values)])
    branches = [(np.array([-1]), np.array([-1]), np.bincount(y, minlength=n_classes)[None])]
    splits: list[tuple[Ints, Ints]] = []
    pending: list[_Level] = []
    n_nodes = 1
    if np.ptp(y):
        usable, place = np.ones((1, X.shape[1]), dtype=bool), np.zeros(len(X), dtype=np.int64)
        pending.append(_Level(np.array([0]), usable, np.arange(len(X)), place))
    while pending:
        level = pending.pop()
        if len(level.nodes) * offset[-1] * n_classes > _TABLE_SIZE and len(level.nodes) > 1:
            pending.extend(level.halves())
            continue
        table = _class_counts(X[level.rows], y[level.rows], level, offset, n_classes)
        best = _best_features(table, offset, level.usable, criterion)
        owner, value = _branches(best, n_values)
        counts = table[owner, offset[best[owner]] + value]
        kept = counts.any(axis=1) | bool(empty_branches)
        owner, value, counts = owner[kept], value[kept], counts[kept]
        splits.append((level.nodes[best >= 0], best[best >= 0]))
        branches.append((level.nodes[owner], value, counts))
        mixed = (counts > 0).sum(axis=1) > 1
        if mixed.any():
            numbers = n_nodes + np.flatnonzero(mixed)
            pending.append(level.next(X, best, owner[mixed], value[mixed], numbers, offset))
        n_nodes += len(owner)
    feature = np.full(n_nodes, -1)
    for nodes, chosen in splits:
        feature[nodes] = chosen
    parents, branch, counts = map(np.concatenate, zip(*branches, strict=True))
    return MultiwayTree(feature, parents, branch, counts, n_values)


@dataclass(frozen=True)
class _Level:
    """Nodes that may be split next, and the examples in them."""

    nodes: Ints
    usable: NDArray[np.bool_]  # (nodes, features): not asked for on the path
    rows: Ints  # examples in any of the nodes
    place: Ints  # position in nodes, for each of rows

    def halves(self) -> list[_Level]:
        middle = len(self.nodes) // 2
        left = self.place < middle
        return [
            _Level(self.nodes[middle:], self.usable[middle:], self.rows[~left], self.place[~left] - middle),
            _Level(self.nodes[:middle], self.usable[:middle], self.rows[left], self.place[left]),
        ]

    def next(self, X: Ints, best: Ints, owner: Ints, value: Ints, numbers: Ints, offset: Ints) -> _Level:
        """The children ``numbers``: branch ``value`` of node number ``owner`` of this level, each."""
        place_of = np.full((len(self.nodes), offset[-1]), -1)
        place_of[owner, offset[best[owner]] + value] = np.arange(len(owner))
        moving = best[self.place] >= 0
        rows, place = self.rows[moving], self.place[moving]
        place = place_of[place, offset[best[place]] + X[rows, best[place]]]
        usable = self.usable[owner]
        usable[np.arange(len(owner)), best[owner]] = False
        return _Level(numbers, usable, rows[place >= 0], place[place >= 0])


def _class_counts(X: Ints, y: Ints, level: _Level, offset: Ints, n_classes: int) -> Ints:
    """Examples of each class with each value of each feature, shape (nodes, all values, classes)."""
    table = np.empty((len(level.nodes), offset[-1], n_classes), dtype=np.int64)
    for i in range(X.shape[1]):
        size = offset[i + 1] - offset[i]
        cell = (level.place * size + X[:, i]) * n_classes + y
        counted = np.bincount(cell, minlength=len(level.nodes) * size * n_classes)
        table[:, offset[i] : offset[i + 1]] = counted.reshape(-1, size, n_classes)
    return table


def _best_features(table: Ints, offset: Ints, usable: NDArray[np.bool_], criterion: str) -> Ints:
    """Feature of largest gain at each node, the lowest among equals; -1 where no usable feature varies."""
    after = np.add.reduceat(weighted_impurity(table, criterion), offset[:-1], axis=1)
    varies = np.add.reduceat(table.any(axis=2), offset[:-1], axis=1, dtype=np.int64) > 1
    examples = table[:, : offset[1]].sum(axis=(1, 2))
    # the impurity before the split is the same for all features of a node
    loss = np.where(usable & varies, after / np.maximum(examples, 1)[:, None], np.inf)
    smallest = loss.min(axis=1, keepdims=True)
    return np.where(np.isfinite(smallest[:, 0]), (loss <= smallest + _TIE).argmax(axis=1), -1)


def _branches(best: Ints, n_values: Ints) -> tuple[Ints, Ints]:
    """Each branch of each node that is split: the node's position and the value."""
    split = np.flatnonzero(best >= 0)
    width = n_values[best[split]]
    value = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
    return np.repeat(split, width), value


def _checked(X: Any, y: Any, n_values: Any, n_classes: int, criterion: Any) -> tuple[Ints, Ints, Ints]:
    X, y, n_values = (
        check_array(values, name, np.int64) for values, name in ((X, "X"), (y, "y"), (n_values, "n_values"))
    )
    check_option(criterion, "criterion", CRITERIA)
    if X.ndim != 2 or not len(X) or not X.shape[1] or y.shape != (len(X),):
        raise ValueError(
            f"X and y must have shapes (n_examples, n_features) and (n_examples,), at least one of "
            f"each; got {X.shape} and {y.shape}"
        )
    if n_values.shape != (X.shape[1],) or np.any(X < 0) or np.any(n_values <= X):
        raise ValueError("n_values must be larger than the value codes in each column of X, codes at least 0")
    if y.min() < 0 or y.max() >= n_classes:
        raise ValueError("y must hold class codes 0 .. n_classes - 1")
    return X, y, n_values
