"""The prunings CART and M-CART of the program behind Table 1 of Leboeuf et al. (2020).

They differ from the textbook's cost-complexity pruning as follows.

- The link strengths g(t) are computed once, on the full tree, and every node with g(t)
  at most the chosen threshold is cut at once, while the trees of the folds are cut step
  by step, with g computed again;
- the folds are contiguous, neither shuffled nor stratified;
- the chosen threshold is the mean of the first and of the last minimizer of the
  cross-validated errors, even if larger numbers of errors lie between them;
- the unpruned tree is not among the candidates.

The module also computes the smallest errors of all prunings, with which the book
compares ways to prune.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reproduction.compiling import njit
from treebounds._validation import check_option
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.counting import errors_of_counts


class Judged(NamedTuple):
    """A tree grown on some rows, and the number of other rows of each class that reach
    each of its nodes.
    """

    tree: ArrayTree
    counts: NDArray[np.float64]

    @property
    def wrong(self) -> NDArray[np.float64]:
        """The held-out errors of each node as a leaf."""
        return errors_of_counts(self.tree, self.counts)


def published_cost_complexity(
    tree: ArrayTree,
    folds: Sequence[Judged],
    complexity: str = "leaves",
) -> NDArray[np.bool_]:
    """The nodes that CART or M-CART of Leboeuf et al. (2020) cuts; see the top of this
    module.

    Parameters
    ----------
    tree : ArrayTree
    folds : sequence of Judged
        For each fold, the tree grown without it, judged on it.
    complexity : {"leaves", "growth"}
        The price of a subtree with L leaves in a tree grown on m examples with l
        features: "leaves" (CART) is m (L - 1), "growth" (M-CART) is c(L) - c(1) with
        c(L) = d ln(m / d) and d = L ln(l L).

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
    The time is proportional to nodes times thresholds times folds. The thresholds are
    the values of g(t) on the full tree, with duplicates: each duplicate is one more
    pass over the trees of the folds.
    """
    check_array_tree(tree)
    check_option(complexity, "complexity", ("leaves", "growth"))
    if not folds:
        raise ValueError("folds must not be empty")

    strengths = _link_strengths(
        *_arrays(tree), tree.is_leaf, _published_price(tree, complexity)
    )
    thresholds = np.sort(strengths[~tree.is_leaf])
    if len(thresholds) == 0:
        return np.zeros(tree.n_nodes, dtype=bool)

    errors = sum(
        _errors_along_thresholds(
            *_arrays(fold.tree),
            fold.wrong,
            _published_price(fold.tree, complexity),
            thresholds,
        )
        for fold in folds
    )
    minimizers = np.flatnonzero(errors == np.min(errors))
    return strengths <= (thresholds[minimizers[0]] + thresholds[minimizers[-1]]) / 2


def smallest_errors(tree: ArrayTree) -> NDArray[np.float64]:
    """The smallest number of training errors among all prunings with 1, 2, ... leaves.

    >>> from reproduction.published import smallest_errors
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> smallest_errors(tree)
    array([3., 0.])

    Parameters
    ----------
    tree : ArrayTree

    Returns
    -------
    (n_leaves,) array of float
        Entry i for i + 1 leaves.

    Notes
    -----
    A pruning of a tree is its root alone or a pruning of each subtree, so the numbers
    of a node are a min-plus convolution of its children's, which takes
    ``O(n_leaves^2)`` in total.
    """
    check_array_tree(tree)
    below: dict[int, NDArray[np.float64]] = {}
    for node in range(tree.n_nodes - 1, -1, -1):
        below[node] = tree.leaf_errors[[node]]
        if not tree.is_leaf[node]:
            split = _min_plus(
                below.pop(tree.children_left[node]),
                below.pop(tree.children_right[node]),
            )
            below[node] = np.concatenate([below[node], split])

    return below[0]


def _arrays(tree: ArrayTree) -> tuple[NDArray, NDArray, NDArray]:
    """The arrays of a tree that the compiled functions need."""
    return tree.children_left, tree.children_right, tree.leaf_errors


def _published_price(tree: ArrayTree, complexity: str) -> NDArray[np.float64]:
    """The price of a subtree with 0, 1, ... leaves, computed in the order of the
    published arithmetic.
    """
    n_examples = tree.class_counts[0].sum()
    n_leaves = np.arange(1, tree.n_leaves + 1)
    if complexity == "leaves":
        price = n_examples * (n_leaves - 1)
    else:
        d = n_leaves * np.log(tree.n_features * n_leaves)
        price = d * np.log(n_examples / np.where(d > 0, d, n_examples))
        price -= price[0]

    return np.concatenate([[0.0], price])


@njit
def _link_strengths(left, right, errors, is_leaf, price):
    """g(t): the training errors that the subtree of t saves, divided by the price of
    its leaves.
    """
    n_leaves = _subtree_sums(is_leaf, left, right, np.ones(left.shape[0], np.int64))
    below = _subtree_sums(is_leaf, left, right, errors)
    strengths = np.full(left.shape[0], np.inf)
    for node in range(left.shape[0]):
        if not is_leaf[node]:
            strengths[node] = (errors[node] - below[node]) / price[n_leaves[node]]
    return strengths


@njit
def _errors_along_thresholds(left, right, errors, held_out, price, thresholds):
    """Held-out errors of one fold's tree after each threshold; cuts remain for the next
    thresholds.
    """
    is_leaf = left < 0
    errors_after = np.empty(thresholds.shape[0])
    for i in range(thresholds.shape[0]):
        is_leaf |= _link_strengths(left, right, errors, is_leaf, price) <= thresholds[i]
        errors_after[i] = _subtree_sums(is_leaf, left, right, held_out)[0]
    return errors_after


@njit
def _min_plus(a, b):
    """The smallest a[i] + b[j] with i + j = s, for s = 0, 1, ..."""
    smallest = np.full(a.shape[0] + b.shape[0] - 1, np.inf)
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            smallest[i + j] = min(smallest[i + j], a[i] + b[j])
    return smallest


@njit
def _subtree_sums(is_leaf, left, right, values):
    """For each node, the sum of the values of the leaves below it."""
    total = values.copy()
    for node in range(left.shape[0] - 1, -1, -1):
        if not is_leaf[node]:
            total[node] = total[left[node]] + total[right[node]]
    return total
