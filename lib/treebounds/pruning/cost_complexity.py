"""Pruning by cross-validation and by held-out examples: Breiman's cost-complexity and reduced error.

Two cost-complexity procedures live here. The *textbook* one (Breiman et al. 1984, chapter 3) walks down the
weakest-link sequence of a tree and chooses its place on it by cross-validation. The *published* one is what
the program behind Table 1 of Leboeuf, LeBlanc and Marchand (2020) does under the names CART and M-CART:

- the link strengths g(t) are computed once, on the full tree, and every node with g(t) at most the chosen
  threshold is cut at once, while the trees of the folds are cut step by step, with g computed anew;
- the folds are contiguous, neither shuffled nor stratified;
- the chosen threshold is the mean of the first and of the last minimizer of the cross-validated errors, even
  if larger numbers of errors lie between them;
- the unpruned tree is not among the candidates.

Both count training errors, where scikit-learn's ``ccp_alpha`` counts impurity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_option
from treebounds.capacity import log_all_structures_growth_bound
from treebounds.trees._arrays import check_one_a_node
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence

__all__ = [
    "COMPLEXITIES",
    "SELECTIONS",
    "PruningPath",
    "cost_complexity_path",
    "cross_validated_errors",
    "published_cost_complexity",
    "reduced_error_cut",
    "select_member",
    "smallest_errors",
]

COMPLEXITIES = ("leaves", "growth")
SELECTIONS = ("minimum", "one-standard-error")


def published_cost_complexity(
    tree: ArrayTree,
    folds: Sequence[tuple[ArrayTree, NDArray[np.float64]]],
    complexity: str = "leaves",
) -> NDArray[np.bool_]:
    """The nodes that the CART and the M-CART of Leboeuf et al. (2020) cut; see the top of this module.

    Parameters
    ----------
    tree : ArrayTree
    folds : sequence of (ArrayTree, (n_nodes,) array)
        For each fold the tree grown without it, and that tree's :func:`held_out_errors` on the fold.
    complexity : {"leaves", "growth"}
        The price of a subtree with L leaves in a tree grown on m examples with l features: "leaves" (CART) is
        m (L - 1), "growth" (M-CART) is c(L) - c(1) with c(L) = d ln(m / d) and d = L ln(l L).

    Returns
    -------
    (n_nodes,) mask
        For :meth:`ArrayTree.collapse`.

    Raises
    ------
    ValueError
        If there are no folds or the complexity is unknown.

    Notes
    -----
    Linear in nodes times thresholds times folds. The thresholds are the values of g(t) on the full tree,
    duplicates kept: a duplicate is one more pass over the trees of the folds.
    """
    check_array_tree(tree)
    check_option(complexity, "complexity", COMPLEXITIES)
    if not folds:
        raise ValueError("folds must not be empty")
    strengths = _link_strengths(*_arrays(tree), tree.is_leaf, _published_price(tree, complexity))
    thresholds = np.sort(strengths[~tree.is_leaf])
    if len(thresholds) == 0:
        return np.zeros(tree.n_nodes, dtype=bool)
    errors = sum(
        _errors_along_thresholds(*_arrays(fold), held_out, _published_price(fold, complexity), thresholds)
        for fold, held_out in folds
    )
    minimizers = np.flatnonzero(errors == np.min(errors))
    return strengths <= (thresholds[minimizers[0]] + thresholds[minimizers[-1]]) / 2


def smallest_errors(tree: ArrayTree) -> NDArray[np.float64]:
    """The smallest number of training errors among all prunings with 1, 2, ... leaves.

    Parameters
    ----------
    tree : ArrayTree

    Returns
    -------
    (n_leaves,) array of float
        Entry i for i + 1 leaves.

    Notes
    -----
    A pruning of a tree is its root alone or a pruning of each subtree, so the numbers of a node are a
    min-plus convolution of its children's: ``O(n_leaves^2)`` in all.

    Examples
    --------
    >>> tree = ArrayTree([1, -1, -1], [2, -1, -1], [0, 0, 0], [0.5, 0, 0], [[3, 4], [3, 0], [0, 4]], 1)
    >>> smallest_errors(tree)
    array([3., 0.])
    """
    check_array_tree(tree)
    below: dict[int, NDArray[np.float64]] = {}
    for node in range(tree.n_nodes - 1, -1, -1):
        below[node] = tree.leaf_errors[[node]]
        if not tree.is_leaf[node]:
            split = _min_plus(below.pop(tree.children_left[node]), below.pop(tree.children_right[node]))
            below[node] = np.concatenate([below[node], split])
    return below[0]


class PruningPath(NamedTuple):
    """The prunings of a tree that are best for some price of complexity, ever smaller, down to the root.

    Attributes
    ----------
    prices : (n_members,) array
        Member i is best for prices from ``prices[i]`` to ``prices[i + 1]``, in training error, a fraction,
        per unit of complexity. The first is 0: its member has no more errors than the whole tree.
    steps : (n_members,) array of int
        Where the members stand in the weakest-link sequence.
    sequence : WeakestLinkSequence
    """

    prices: NDArray[np.float64]
    steps: NDArray[np.int64]
    sequence: WeakestLinkSequence


def cost_complexity_path(
    tree: ArrayTree, complexity: str = "leaves", costs: ArrayLike | None = None
) -> PruningPath:
    """Minimal cost-complexity prunings, complexity being the leaves or the growth function.

    Parameters
    ----------
    tree : ArrayTree
    complexity : {"leaves", "growth"}
        "leaves" prices every leaf alike (Breiman et al. 1984, chapter 3). "growth" prices a tree by the
        logarithm of the growth function of all trees with as many leaves, at twice as many examples. That
        price is concave in the leaves, so that its best prunings are members of the weakest-link sequence.
    costs : (n_nodes,) array, optional
        What each node costs as a leaf, in place of its training errors; scikit-learn's ``ccp_alpha`` takes
        the number of examples times the impurity.

    Returns
    -------
    PruningPath

    Examples
    --------
    >>> tree = ArrayTree([1, -1, -1], [2, -1, -1], [0, 0, 0], [0.5, 0, 0], [[3, 4], [3, 0], [0, 4]], 1)
    >>> cost_complexity_path(tree).prices.round(3)
    array([0.   , 0.429])
    """
    check_option(complexity, "complexity", COMPLEXITIES)
    sequence = weakest_link_sequence(
        tree, None if costs is None else check_one_a_node(costs, "costs", check_array_tree(tree).n_nodes)
    )
    errors = sequence.errors / tree.class_counts[0].sum()
    size = sequence.n_leaves.astype(float)
    if complexity == "growth":
        size = np.array([_log_growth(tree, n_leaves) for n_leaves in sequence.n_leaves.tolist()])
    steps, prices = [int(np.searchsorted(sequence.alphas, 0.0, side="right")) - 1], [0.0]
    while steps[-1] < len(size) - 1:
        here, rest = steps[-1], np.arange(steps[-1] + 1, len(size))
        slopes = (errors[rest] - errors[here]) / (size[here] - size[rest])
        steps.append(int(rest[np.flatnonzero(slopes == slopes.min())[-1]]))
        prices.append(float(slopes.min()))
    return PruningPath(np.array(prices), np.array(steps), sequence)


def cross_validated_errors(
    path: PruningPath, folds: Sequence[tuple[PruningPath, NDArray[np.float64]]]
) -> NDArray[np.float64]:
    """Held-out errors of each member of a path, summed over the folds.

    A member is judged by what its price does to the trees of the folds: the geometric mean of the first and
    the last price at which it is best.

    Parameters
    ----------
    path : PruningPath
        Of the tree grown on all examples.
    folds : sequence of (PruningPath, (n_nodes,) array)
        For each fold the path of the tree grown without it, and that tree's :func:`held_out_errors` on it.

    Returns
    -------
    (n_members,) array of float
    """
    if not folds:
        raise ValueError("folds must not be empty")
    prices = np.sqrt(path.prices * np.append(path.prices[1:], 0.0))
    prices[-1] = np.inf  # the root alone, best at every price beyond the last
    errors = np.zeros(len(prices))
    for fold, held_out in folds:
        members = np.searchsorted(fold.prices, prices, side="right") - 1
        errors += fold.sequence.along(held_out)[fold.steps[members]]
    return errors


def select_member(errors: NDArray[np.float64], n_examples: float, selection: str = "minimum") -> int:
    """Which member of a path to take, the trees getting smaller from one to the next.

    Parameters
    ----------
    errors : (n_members,) array
        See :func:`cross_validated_errors`.
    n_examples : float
        Held-out examples of all folds together.
    selection : {"minimum", "one-standard-error"}
        The smallest tree with the fewest errors, or with at most one standard error more (binomial, as if the
        examples were independent).

    Examples
    --------
    >>> errors = np.array([12.0, 10.0, 10.0, 13.0, 14.0])
    >>> select_member(errors, 100), select_member(errors, 100, "one-standard-error")
    (2, 3)
    """
    check_option(selection, "selection", SELECTIONS)
    rate = errors.min() / n_examples
    slack = np.sqrt(rate * (1 - rate) / n_examples) if selection == "one-standard-error" else 0.0
    return int(np.flatnonzero(errors / n_examples <= rate + slack)[-1])


def reduced_error_cut(tree: ArrayTree, held_out: ArrayLike) -> NDArray[np.bool_]:
    """The smallest pruning with the fewest held-out errors.

    Parameters
    ----------
    tree : ArrayTree
    held_out : (n_nodes,) array
        See :func:`held_out_errors`.

    Returns
    -------
    (n_nodes,) mask

    Examples
    --------
    >>> tree = ArrayTree([1, -1, -1], [2, -1, -1], [0, 0, 0], [0.5, 0, 0], [[3, 4], [3, 0], [0, 4]], 1)
    >>> reduced_error_cut(tree, np.array([1.0, 1.0, 0.0])), reduced_error_cut(tree, np.array([1.0, 0.0, 0.0]))
    (array([ True, False, False]), array([False, False, False]))
    """
    best, cut = (
        check_one_a_node(held_out, "held_out", check_array_tree(tree).n_nodes),
        np.zeros(tree.n_nodes, dtype=bool),
    )
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        below = best[tree.children_left[node]] + best[tree.children_right[node]]
        cut[node] = best[node] <= below
        best[node] = min(best[node], below)
    return cut


def _log_growth(tree: ArrayTree, n_leaves: int) -> float:
    m = max(int(tree.class_counts[0].sum()), n_leaves)
    return log_all_structures_growth_bound(n_leaves, 2 * m, tree.n_features, tree.n_classes)


def _arrays(tree: ArrayTree) -> tuple[NDArray, NDArray, NDArray]:
    return tree.children_left, tree.children_right, tree.leaf_errors


def _published_price(tree: ArrayTree, complexity: str) -> NDArray[np.float64]:
    """The price of a subtree by its number of leaves, from 0; in the order of the published arithmetic."""
    n_examples = tree.class_counts[0].sum()
    n_leaves = np.arange(1, tree.n_leaves + 1)
    if complexity == "leaves":
        price = n_examples * (n_leaves - 1)
    else:
        d = n_leaves * np.log(tree.n_features * n_leaves)
        price = d * np.log(n_examples / np.where(d > 0, d, n_examples))
        price -= price[0]
    return np.concatenate([[0.0], price])


@njit(cache=True)
def _subtree_sums(left, right, values, is_leaf):
    """For every node: the sum of the values of the leaves of its subtree, and their number."""
    total, n_leaves = values.copy(), np.ones(left.shape[0], np.int64)
    for node in range(left.shape[0] - 1, -1, -1):
        if not is_leaf[node]:
            total[node] = total[left[node]] + total[right[node]]
            n_leaves[node] = n_leaves[left[node]] + n_leaves[right[node]]
    return total, n_leaves


@njit(cache=True)
def _link_strengths(left, right, errors, is_leaf, price):
    """g(t): the training errors that the subtree of t saves, divided by the price of its leaves."""
    subtree_errors, n_leaves = _subtree_sums(left, right, errors, is_leaf)
    return np.where(is_leaf, np.inf, (errors - subtree_errors) / price[n_leaves])


@njit(cache=True)
def _errors_along_thresholds(left, right, errors, held_out, price, thresholds):
    """Held-out errors of one fold's tree after each threshold; the tree stays cut from one to the next."""
    is_leaf = left < 0
    found = np.empty(thresholds.shape[0])
    for i in range(thresholds.shape[0]):
        is_leaf |= _link_strengths(left, right, errors, is_leaf, price) <= thresholds[i]
        found[i] = _subtree_sums(left, right, held_out, is_leaf)[0][0]
    return found


@njit(cache=True)
def _min_plus(a, b):
    """Smallest a[i] + b[j] for i + j = 0, 1, ..."""
    smallest = np.full(a.shape[0] + b.shape[0] - 1, np.inf)
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            smallest[i + j] = min(smallest[i + j], a[i] + b[j])
    return smallest
