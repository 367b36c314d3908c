"""Ways to tune one tree on held-out rows: prices of a leaf, the bound's ratio, and
rivals of pruning.

All of them judge the trees of the same folds, which are grown once, because a tree with
a limit on leaves or levels is the whole tree with some nodes cut.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reproduction.experiments.leboeuf2020 import cross_validated, pruned_leaves
from reproduction.multiway.criteria import weighted_impurity
from reproduction.published import Judged
from treebounds.pruning import BoundRule
from treebounds.pruning.cost_complexity import select_member
from treebounds.risk import log_geometric_prior
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence

RATIO_EXPONENTS = (3, 4, 5, 6, 7, 8, 10, 12, 13.7)
# Values of ccp_alpha for scikit-learn's grid search.
N_ALPHAS = 10
SHRINKAGES = (0.0, 0.1, 1.0, 10.0, 25.0, 50.0, 100.0, 500.0)
Nodes = NDArray[np.int64]


def carried(
    tree: ArrayTree,
    folds: Sequence[Judged],
    carry: str = "fractions",
    selection: str = "minimum",
) -> Nodes:
    """Cost-complexity pruning at the price that the folds choose.

    Parameters
    ----------
    tree : ArrayTree
        The tree that is grown on all rows.
    folds : sequence of Judged
    carry : {"errors", "fractions"}
        Unit in which a price carries over from the folds to all rows: errors per leaf,
        or the fraction of the rows per leaf, as in the textbook (Breiman et al. 1984).
    selection : {"minimum", "one-standard-error"}
    """
    path, errors = cross_validated(tree, folds, carry)
    member = select_member(
        errors, sum(fold.counts[0].sum() for fold in folds), selection
    )
    return path.sequence.nodes(path.steps[member])


def held_out_ratio(tree: ArrayTree, folds: Sequence[Judged]) -> Nodes:
    """The bound's pruning with the ratio of fewest held-out errors; the largest ratio
    if several tie.
    """
    errors = [
        [leaf_sum(fold, cut) for cut in _cut_by_ratio(fold.tree)] for fold in folds
    ]
    return _cut_by_ratio(tree)[int(np.argmin(np.sum(errors, axis=0)))]


def _cut_by_ratio(tree: ArrayTree) -> list[Nodes]:
    """The nodes that the bound cuts for each ratio; only the prior of the errors
    depends on the ratio.
    """
    path = BoundRule().path(tree)
    m = tree.class_counts[0].sum()
    own_prior = log_geometric_prior(path.n_errors, BoundRule.error_prior_ratio)
    rest = path.bounds + 4 * own_prior / m
    priors = [
        log_geometric_prior(path.n_errors, 2.0**-exponent)
        for exponent in RATIO_EXPONENTS
    ]

    return [replace(path, bounds=rest - 4 * prior / m).nodes() for prior in priors]


def leaf_sum(fold: Judged, nodes: Nodes) -> float:
    """Held-out errors of a tree in which some nodes have become leaves."""
    return fold.wrong[pruned_leaves(fold.tree, nodes)].sum()


def grid_searched(tree: ArrayTree, folds: Sequence[Judged]) -> Nodes:
    """The nodes that ``GridSearchCV`` cuts with values of ``ccp_alpha`` between the
    critical ones.
    """
    path = _by_impurity(tree)
    critical = path.alphas.clip(0)
    between = np.sqrt(critical[1:] * critical[:-1])
    alphas = np.unique(np.append(0.0, between))
    places = np.linspace(0, len(alphas) - 1, N_ALPHAS).round().astype(int)
    alphas = alphas[np.unique(places)]
    scores = np.empty((len(folds), len(alphas)))

    for i, fold in enumerate(folds):
        sequence = _by_impurity(fold.tree)
        n_rows = fold.counts[0].sum()
        steps = [_step(sequence, alpha) for alpha in alphas]
        scores[i] = (n_rows - sequence.along(fold.wrong)[steps]) / n_rows

    best = alphas[scores.mean(axis=0).argmax()]
    return path.nodes(_step(path, best))


def _step(sequence: WeakestLinkSequence, alpha: float) -> int:
    """The member of a sequence that a ``ccp_alpha`` chooses; 0 prunes nothing, not even
    branches that save no impurity.
    """
    if alpha == 0:
        return 0
    return sequence.step(alpha)


def _by_impurity(tree: ArrayTree) -> WeakestLinkSequence:
    """scikit-learn's sequence of prunings, whose costs are Gini indices weighted by
    fractions of the rows.
    """
    impurities = weighted_impurity(tree.class_counts, "gini")
    return weakest_link_sequence(tree, impurities / tree.class_counts[0].sum())


# --- depth and number of leaves ---


def limited(
    tree: ArrayTree, folds: Sequence[Judged], ranks: Callable[[ArrayTree], Nodes]
) -> Nodes:
    """The nodes to cut for the limit on leaves, or levels, with the fewest errors in
    the folds.

    If several limits tie, the smallest is taken.

    Parameters
    ----------
    tree : ArrayTree
    folds : sequence of Judged
    ranks : callable
        Returns, for each node of a tree, the largest limit under which it is not split:
        :func:`depths` or :func:`best_first`.
    """
    own = ranks(tree)
    n_sizes = int(own.max(initial=0, where=~tree.is_leaf)) + 2
    errors = sum(_errors_by_size(fold, ranks(fold.tree), n_sizes) for fold in folds)
    return np.flatnonzero((own >= np.argmin(errors)) & ~tree.is_leaf)


def _errors_by_size(fold: Judged, ranks: Nodes, n_sizes: int) -> NDArray[np.float64]:
    """Held-out errors of the trees of size 0, 1, ..., in which nodes of smaller rank
    are split.
    """
    tree = fold.tree
    wrong = fold.wrong
    split = np.flatnonzero(~tree.is_leaf & (ranks < n_sizes - 1))
    saved = (
        wrong[split]
        - wrong[tree.children_left[split]]
        - wrong[tree.children_right[split]]
    )

    return wrong[0] - np.append(
        0.0, np.bincount(ranks[split], saved, n_sizes - 1).cumsum()
    )


def depths(tree: ArrayTree) -> Nodes:
    """The depth of each node."""
    depth = np.zeros(tree.n_nodes, dtype=np.int64)
    for level in _levels(tree):
        depth[level] = depth[tree.parents[level]] + 1
    return depth


def _levels(tree: ArrayTree) -> Iterator[Nodes]:
    """The nodes below the root, level by level."""
    here = np.zeros(1, dtype=np.int64)
    while len(here := here[~tree.is_leaf[here]]):
        here = np.concatenate([tree.children_left[here], tree.children_right[here]])
        yield here


def best_first(tree: ArrayTree) -> Nodes:
    """The place of each split in scikit-learn's best-first growth, by decreasing gain
    in the Gini index.
    """
    counts = tree.class_counts
    sizes = counts.sum(axis=1)
    gini = sizes - (counts**2).sum(axis=1) / np.maximum(sizes, 1e-300)
    gain = gini - gini[tree.children_left] - gini[tree.children_right]
    places = np.full(tree.n_nodes, -1)
    heap = [(-gain[0], 0)]

    for place in range(tree.n_leaves - 1):
        node = heapq.heappop(heap)[1]
        places[node] = place
        for child in tree.children(node):
            if not tree.is_leaf[child]:
                heapq.heappush(heap, (-gain[child], child))

    return places


# --- hierarchical shrinkage ---


def shrunk(tree: ArrayTree, shrinkage: float) -> NDArray[np.float64]:
    """Class probabilities of each node, shrunk towards those of its ancestors.

    The difference between a child and its parent, with N rows, is divided by 1 +
    shrinkage / N: Equation 2 of Agarwal, Tan, Ronen, Singh and Yu (2022), Hierarchical
    shrinkage, ICML.
    """
    sizes = tree.class_counts.sum(axis=1, keepdims=True)
    plain = tree.class_counts / sizes
    values = plain.copy()
    for level in _levels(tree):
        above = tree.parents[level]
        values[level] = values[above] + (plain[level] - plain[above]) / (
            1 + shrinkage / sizes[above]
        )

    return values


def hierarchical_shrinkage(
    tree: ArrayTree, folds: Sequence[Judged]
) -> NDArray[np.float64]:
    """:func:`shrunk` with the shrinkage that has the fewest errors in the folds; the
    smallest if some tie.
    """

    def errors(shrinkage: float) -> float:
        """Held-out errors over all folds."""
        return sum(
            float(shrunk_errors(fold, shrunk(fold.tree, shrinkage))) for fold in folds
        )

    return shrunk(tree, min(SHRINKAGES, key=errors))


def shrunk_errors(fold: Judged, values: NDArray[np.float64]) -> float:
    """Held-out errors of the leaves with these class probabilities."""
    counts = fold.counts[fold.tree.is_leaf]
    classes = values[fold.tree.is_leaf].argmax(axis=1)
    right = counts[np.arange(len(counts)), classes]
    return counts.sum() - right.sum()
