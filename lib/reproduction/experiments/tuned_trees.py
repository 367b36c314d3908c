"""Ways to tune one tree on held-out rows: prices carried over, the bound's ratio, and rivals of pruning.

All of them judge the trees of the same folds, which are grown once: a tree of at most so many leaves or
levels is the whole tree with some nodes cut.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from reproduction.experiments.leboeuf2020 import Split
from treebounds.pruning import BoundRule
from treebounds.pruning.cost_complexity import (
    cost_complexity_path,
    cross_validated_errors,
    select_member,
)
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.errors import count_classes, errors_of_counts

RATIO_EXPONENTS = (3, 4, 5, 6, 7, 8, 10, 12, 13.7)
SHRINKAGES = (0.0, 0.1, 1.0, 10.0, 25.0, 50.0, 100.0, 500.0)
Nodes = NDArray[np.int64]


class Judged(NamedTuple):
    """A tree grown on some rows, and how many of the other rows of each class reach each of its nodes."""

    tree: ArrayTree
    counts: NDArray[np.float64]

    @property
    def wrong(self) -> NDArray[np.float64]:
        """The held-out errors of each node as a leaf."""
        return errors_of_counts(self.tree, self.counts)


def judged(family: str, data: Split, rows: NDArray, held_out: NDArray) -> Judged:
    """Grow on some rows of the training set and judge on others."""
    tree = data.grow(family, rows)
    return Judged(tree, count_classes(tree, [(data.X_train[held_out], data.y_train[held_out])]))


def folds_of(family: str, data: Split, n_folds: int) -> list[Judged]:
    """For each contiguous fold of the training set: the tree grown without it, judged on it."""
    return [judged(family, data, *rows) for rows in KFold(n_folds).split(data.X_train)]


def carried(tree: ArrayTree, folds: Sequence[Judged], carry: str) -> Nodes:
    """Cost-complexity pruning at the price that the folds choose.

    Parameters
    ----------
    tree : ArrayTree
        Grown on all rows.
    folds : sequence of Judged
    carry : {"errors", "fractions"}
        How a price goes from the folds to all rows: as errors a leaf, or as a fraction of the rows a leaf,
        which is the textbook's (Breiman et al. 1984).
    """
    path = cost_complexity_path(tree)
    judged_paths = [(cost_complexity_path(fold.tree), fold.wrong) for fold in folds]
    errors = cross_validated_errors(path, judged_paths, carry)
    member = select_member(errors, sum(fold.counts[0].sum() for fold in folds))
    return path.sequence.nodes(path.steps[member])


def held_out_ratio(tree: ArrayTree, folds: Sequence[Judged]) -> Nodes:
    """The bound's pruning with the prior ratio that errs least on held-out rows; the largest of several."""

    def pruned(grown: ArrayTree, exponent: float) -> Nodes:
        return BoundRule(error_prior_ratio=2.0**-exponent).path(grown).nodes()

    def errors(exponent: float) -> float:
        return sum(float(leaf_sum(fold, pruned(fold.tree, exponent))) for fold in folds)

    return pruned(tree, min(RATIO_EXPONENTS, key=errors))


def leaf_sum(fold: Judged, nodes: Nodes) -> float:
    """Held-out errors of a tree in which some nodes have become leaves."""
    kept = fold.tree.kept_nodes(nodes)
    return fold.wrong[kept[fold.tree.collapse(nodes).is_leaf]].sum()


# --- depth and number of leaves ----------------------------------------------------------------------------


def limited_depth(tree: ArrayTree, folds: Sequence[Judged]) -> Nodes:
    """The largest depth chosen by folds; the smallest of several."""
    depth = depths(tree)
    best = _best([_errors_by_depth(fold) for fold in folds], int(depth.max()))
    return np.flatnonzero((depth == best) & ~tree.is_leaf)


def depths(tree: ArrayTree) -> Nodes:
    """The depth of each node."""
    depth = np.zeros(tree.n_nodes, dtype=np.int64)
    for level in _levels(tree):
        depth[level] = depth[tree.parents[level]] + 1
    return depth


def _levels(tree: ArrayTree) -> list[Nodes]:
    """The nodes below the root, level by level."""
    levels, here = [], np.zeros(1, dtype=np.int64)
    while len(here := here[~tree.is_leaf[here]]):
        here = np.concatenate([tree.children_left[here], tree.children_right[here]])
        levels.append(here)
    return levels


def _errors_by_depth(fold: Judged) -> NDArray[np.float64]:
    """Held-out errors of the trees of depth 0, 1, ..., the whole tree."""
    depth, tree = depths(fold.tree), fold.tree
    ends = np.bincount(depth, np.where(tree.is_leaf, fold.wrong, 0.0))  # leaves at this depth
    return np.bincount(depth, fold.wrong) + np.append(0.0, ends.cumsum()[:-1])


def limited_leaves(tree: ArrayTree, folds: Sequence[Judged]) -> Nodes:
    """``max_leaf_nodes`` chosen by folds, the best splits first; the smallest of several."""
    order = best_first(tree)
    best = _best([_errors_by_leaves(fold) for fold in folds], len(order))
    opened = np.zeros(tree.n_nodes, dtype=bool)
    opened[order[:best]] = True
    return np.flatnonzero(~opened & ~tree.is_leaf)


def best_first(tree: ArrayTree) -> Nodes:
    """The splits in the order of scikit-learn's best-first growth: the largest decrease of Gini first."""
    counts = tree.class_counts
    sizes = counts.sum(axis=1)
    gini = sizes - (counts**2).sum(axis=1) / np.maximum(sizes, 1e-300)
    gain = gini - gini[tree.children_left] - gini[tree.children_right]
    order, heap = [], [(-gain[0], 0)] if not tree.is_leaf[0] else []
    while heap:
        node = heapq.heappop(heap)[1]
        order.append(node)
        for child in (int(tree.children_left[node]), int(tree.children_right[node])):
            if not tree.is_leaf[child]:
                heapq.heappush(heap, (-gain[child], child))
    return np.array(order, dtype=np.int64)


def _errors_by_leaves(fold: Judged) -> NDArray[np.float64]:
    """Held-out errors of the trees of 1, 2, ... leaves, the whole tree."""
    tree, wrong = fold.tree, fold.wrong
    order = best_first(tree)
    saved = wrong[order] - wrong[tree.children_left[order]] - wrong[tree.children_right[order]]
    return wrong[0] - np.append(0.0, saved.cumsum())


def _best(errors: Sequence[NDArray[np.float64]], largest: int) -> int:
    """The first size with the fewest errors of all folds; a fold's tree stays as it is beyond its end."""
    sizes = np.arange(largest + 1)
    return int(np.sum([of_fold[np.minimum(sizes, len(of_fold) - 1)] for of_fold in errors], axis=0).argmin())


# --- hierarchical shrinkage --------------------------------------------------------------------------------


def shrunk(tree: ArrayTree, shrinkage: float) -> NDArray[np.float64]:
    """Class probabilities of each node, drawn towards those of its ancestors.

    A step from a parent with N rows to its child is divided by 1 + shrinkage / N: Equation 2 of Agarwal, Tan,
    Ronen, Singh and Yu (2022), Hierarchical shrinkage, ICML.
    """
    sizes = tree.class_counts.sum(axis=1, keepdims=True)
    plain = tree.class_counts / sizes
    values = plain.copy()
    for level in _levels(tree):
        above = tree.parents[level]
        values[level] = values[above] + (plain[level] - plain[above]) / (1 + shrinkage / sizes[above])
    return values


def hierarchical_shrinkage(tree: ArrayTree, folds: Sequence[Judged]) -> NDArray[np.float64]:
    """:func:`shrunk` by what errs least in the folds; the smallest of several."""

    def errors(shrinkage: float) -> float:
        return sum(float(shrunk_errors(fold, shrunk(fold.tree, shrinkage))) for fold in folds)

    return shrunk(tree, min(SHRINKAGES, key=errors))


def shrunk_errors(fold: Judged, values: NDArray[np.float64]) -> float:
    """Held-out errors of the leaves with these class probabilities."""
    counts = fold.counts[fold.tree.is_leaf]
    classes = values[fold.tree.is_leaf].argmax(axis=1)
    return counts.sum() - counts[np.arange(len(counts)), classes].sum()
