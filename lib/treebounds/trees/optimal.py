"""Trees with the fewest training errors for their size, found exactly: feasible for few features and
nodes."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from treebounds.trees.multiway import MultiwayTree

__all__ = ["optimal_trees"]


def optimal_trees(X: ArrayLike, y: ArrayLike, max_internal_nodes: int) -> list[MultiwayTree]:
    """For k = 0, 1, ..., a tree with at most k internal nodes that has the fewest training errors of all.

    Parameters
    ----------
    X : array_like of {0, 1}, shape (n_examples, n_features)
    y : array_like of {0, 1}, shape (n_examples,)
    max_internal_nodes : int

    Returns
    -------
    list of MultiwayTree
        One for each k; among trees with equally few errors, one with the fewest nodes, then with the lowest
        feature at the root.

    Notes
    -----
    Dynamic programming over the parts of the sample that a path can cut out: up to ``sum_j C(d, j) 2^j`` of
    them, j < max_internal_nodes, with ``d k`` ways to split each. That grows like ``(2d)^k / k!``: the exact
    problem is NP-hard.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> [int(tree.subtree_errors[0]) for tree in optimal_trees(X, y, 3)]
    [2, 2, 1, 0]
    """
    X, y = np.asarray(X), np.asarray(y)
    if X.ndim != 2 or y.shape != (len(X),) or not np.isin(X, (0, 1)).all() or not np.isin(y, (0, 1)).all():
        raise ValueError("X must be a matrix of zeros and ones, y zeros and ones, one for each row of X")
    if max_internal_nodes < 0:
        raise ValueError(f"max_internal_nodes must not be negative; got {max_internal_nodes}")
    # sets of examples are the bits of an integer
    ones = [_bits(column) for column in X.T]
    positive = _bits(y)

    @cache
    def best(rows: int, k: int):
        """(errors, internal nodes, feature or None, the sizes of the two subtrees) within k nodes."""
        n_positive = (rows & positive).bit_count()
        least: tuple = (min(n_positive, rows.bit_count() - n_positive), 0, None, 0, 0)
        for i, column in enumerate(ones) if k and least[0] else ():
            zero, one = rows & ~column, rows & column
            for left in range(k if zero and one else 0):
                a, b = best(zero, left), best(one, k - 1 - left)
                if (a[0] + b[0], 1 + a[1] + b[1]) < least[:2]:
                    least = (a[0] + b[0], 1 + a[1] + b[1], i, left, k - 1 - left)
        return least

    everything = (1 << len(X)) - 1
    return [_tree(best, everything, k, ones, positive, X.shape[1]) for k in range(max_internal_nodes + 1)]


def _bits(column) -> int:
    return sum(1 << int(row) for row in np.flatnonzero(column))


def _tree(best, rows: int, k: int, ones, positive: int, n_features: int) -> MultiwayTree:
    feature, parent, branch = (list[int]() for _ in range(3))
    counts = []
    stack = [(rows, k, -1, -1)]
    while stack:
        rows, k, above, value = stack.pop()
        _, _, asked, left, right = best(rows, k)
        n_positive = (rows & positive).bit_count()
        if asked is not None:
            stack.append((rows & ones[asked], right, len(feature), 1))
            stack.append((rows & ~ones[asked], left, len(feature), 0))
        feature.append(-1 if asked is None else asked)
        parent.append(above)
        branch.append(value)
        counts.append([rows.bit_count() - n_positive, n_positive])
    return MultiwayTree(feature, parent, branch, counts, [2] * n_features)
