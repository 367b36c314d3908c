"""The numbers of rows at the leaves of an ArrayTree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.reuse.leaf_counts.record import LeafCounts
from treebounds.risk.reuse.leaf_counts.weights import numbers_without_weights
from treebounds.trees import ArrayTree


def of_array_tree(tree: ArrayTree) -> LeafCounts:
    """The numbers at the leaves of an ArrayTree, which come from the rows that it was
    made from.
    """
    leaves = np.flatnonzero(tree.is_leaf)

    def leaf_of(X: Any) -> NDArray[np.intp]:
        return np.searchsorted(leaves, tree.apply(X))

    # Where the tree does not have the numbers, its rounded weights are the numbers.
    statistics = tree.statistics[leaves]
    weights = statistics[:, 0] if tree.is_regression else statistics.sum(axis=1)
    known = tree.example_counts
    n_rows = np.rint(weights) if known is None else known[leaves].astype(float)
    counts = LeafCounts(n_rows[:, np.newaxis], None, leaf_of, n_rows=int(n_rows.sum()))
    if tree.is_regression:
        if not np.allclose(weights, n_rows, rtol=1e-6):
            return counts
        return replace(counts, grown=statistics[:, :2], is_of_numbers=True)

    numbers: Any = statistics
    if not _are_numbers(statistics, n_rows):
        numbers = numbers_without_weights(statistics, n_rows)
    if numbers is None:
        return counts
    return replace(counts, grown=numbers, classes=list(range(tree.n_classes)))


def _are_numbers(counts: NDArray[Any], n_rows: NDArray[Any]) -> bool:
    """Whether class counts are numbers of rows, and not weights."""
    rounded = np.rint(counts)
    is_whole = np.allclose(counts, rounded, rtol=1e-6)
    return is_whole and np.array_equal(rounded.sum(axis=1), n_rows)
