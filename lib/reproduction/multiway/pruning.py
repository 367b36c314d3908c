"""Rules that prune a multiway tree: functions from a tree to the mask of nodes to make
leaves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.multiway.tree import MultiwayTree, path_up
from reproduction.multiway.yildiz_lary import yildiz_lary_estimate
from treebounds._validation import check_instance, check_numbers, check_option

__all__ = ["reduced_error_nodes", "srm_nodes"]

ORDERS = ("top-down", "bottom-up")


def reduced_error_nodes(
    tree: MultiwayTree,
    X: ArrayLike,
    y: ArrayLike,
    *,
    order: str = "bottom-up",
    ties: str = "cut",
) -> NDArray[np.bool_]:
    """Reduced-error pruning: turn every node that makes no more errors than its subtree
    into a leaf.

    >>> from reproduction.multiway import reduced_error_nodes
    >>> from reproduction.multiway import MultiwayTree
    >>> tree = MultiwayTree(
    ...     [0, -1, -1], [-1, 0, 0], [-1, 0, 1], [[3, 2], [3, 0], [0, 2]], [2]
    ... )
    >>> reduced_error_nodes(tree, [[0], [1], [1]], [0, 0, 0]).tolist()
    [True, False, False]

    Parameters
    ----------
    tree : MultiwayTree
    X, y : array_like of int, shapes (n_examples, n_features) and (n_examples,)
        Examples that were not used to grow the tree. A subtree that none of them
        reaches is cut.
    order : {"bottom-up", "top-down"}
        Whether a node is compared with its subtree after pruning, as usual, or with its
        full subtree, which cuts more and comes closest to Yıldız's tables.
    ties : {"cut", "keep"}
        Whether to cut a subtree that makes as many errors as the leaf.

    Returns
    -------
    ndarray of bool, shape (n_nodes,)

    Raises
    ------
    ValueError
        If the examples do not fit the tree or an option is unknown.
    """
    check_instance(tree, "tree", MultiwayTree)
    check_option(order, "order", ORDERS)
    check_option(ties, "ties", ("cut", "keep"))
    held_out = tree.recounted(X, y)
    as_leaf = held_out.leaf_errors + (ties == "keep")
    return _cut(held_out, lambda cut, errors: as_leaf <= errors, order)


def srm_nodes(
    tree: MultiwayTree,
    a1: ArrayLike = 0.1,
    a2: ArrayLike = 2.0,
    *,
    order: str = "top-down",
    sample: str = "node",
    inputs: str = "all",
) -> NDArray[np.bool_]:
    """Yıldız's SRM pruning: turn a node into a leaf if the leaf has a smaller VC
    generalization error.

    Equation 2 compares the subtree, whose VC dimension is taken from
    :func:`yildiz_lary_estimate`, with the leaf, whose VC dimension is 1. If eps of
    Equation 3 is negative, the subtree remains. The options cover choices that the
    paper leaves open; the defaults come closest to its tables.

    >>> from reproduction.multiway import srm_nodes
    >>> from reproduction.multiway import MultiwayTree
    >>> tree = MultiwayTree(
    ...     [0, -1, -1], [-1, 0, 0], [-1, 0, 1], [[30, 20], [25, 10], [5, 10]], [2] * 9
    ... )
    >>> srm_nodes(tree, a1=0.1).tolist(), srm_nodes(tree, a1=1).tolist()
    ([False, False, False], [True, False, False])

    Parameters
    ----------
    tree : MultiwayTree
    a1, a2 : float
        Constants of Equation 3. For "top-down" they may be arrays of shape (n_settings,
        1), which prune one tree with many settings at once.
    order : {"top-down", "bottom-up"}
        Whether a node is compared with its full subtree, or with its subtree after
        pruning.
    sample : {"node", "whole"}
        Whether N is the number of examples at the node or in the whole training set;
        E_t is a fraction of N.
    inputs : {"all", "below", "path"}
        See :func:`yildiz_lary_estimate`.

    Returns
    -------
    ndarray of bool, shape (n_nodes,) or (n_settings, n_nodes)

    Raises
    ------
    ValueError
        If a constant is not positive, an option is unknown, or constants are arrays
        bottom-up.

    References
    ----------
    Yıldız (2012), section 4.2.
    """
    check_instance(tree, "tree", MultiwayTree)
    check_option(order, "order", ORDERS)
    check_option(sample, "sample", ("node", "whole"))
    a1 = check_numbers(a1, "a1", "(0, inf)")
    a2 = check_numbers(a2, "a2", "(0, inf)")
    if order == "bottom-up" and (np.ndim(a1) or np.ndim(a2)):
        raise ValueError(
            "a1 and a2 must be numbers with order='bottom-up': each pair has its own"
            " path"
        )

    passing = tree.class_counts.sum(axis=1)
    if sample == "whole":
        passing = passing[0]
    n = np.maximum(passing, 1)
    as_leaf = vc_srm_estimates(tree.leaf_errors / n, 1, n, a1, a2)

    def smaller_as_leaf(
        cut: NDArray[np.bool_], errors: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """The nodes whose bound as leaves is smaller than that of their subtrees after
        the cuts.
        """
        return as_leaf < vc_srm_estimates(
            errors / n, _estimate(tree, cut, inputs), n, a1, a2
        )

    return _cut(tree, smaller_as_leaf, order)


def vc_srm_estimates(
    train_error: ArrayLike,
    vc_dimension: ArrayLike,
    n_examples: ArrayLike,
    a1: ArrayLike,
    a2: ArrayLike,
) -> NDArray[np.float64]:
    """:func:`reproduction.vc_srm_bound` for arrays that broadcast, without checks; a
    negative eps counts as 0.

    Pruning compares these values. If eps is not positive, the value is the training
    error itself, and no leaf has a smaller value, so a subtree for which Equation 3 is
    meaningless is kept.

    >>> from reproduction.multiway.pruning import vc_srm_estimates
    >>> vc_srm_estimates(0.0, [5, 60], 10, 0.1, 2.0).round(3)
    array([0.131, 0.   ])

    Parameters
    ----------
    train_error, vc_dimension, n_examples, a1, a2 : array_like

    Returns
    -------
    array of float
    """
    E, V, N = (
        np.asarray(values, dtype=float)
        for values in (train_error, vc_dimension, n_examples)
    )
    eps = np.maximum(a1 * (V * (np.log(a2 * N / V) + 1) + np.log(N) / 2) / N, 0.0)
    return E + eps / 2 + np.sqrt(eps * (eps / 4 + E))


def _cut(
    tree: MultiwayTree, better_as_leaf: Callable[..., NDArray[np.bool_]], order: str
) -> NDArray[np.bool_]:
    """The nodes that are better as leaves than their subtrees, which are full or
    already pruned.

    ``better_as_leaf(cut, errors)`` compares each node with its subtree after the cuts.
    """
    cut = np.zeros(tree.n_nodes, dtype=bool)
    errors = tree.subtree_errors.copy()
    better = ~tree.is_leaf & better_as_leaf(cut, errors)
    if order == "top-down":
        return better

    for node in range(tree.n_nodes - 1, -1, -1):
        if better[node]:
            cut[node] = True
            errors[path_up(tree.parents, node)] += tree.leaf_errors[node] - errors[node]
            better = ~tree.is_leaf & better_as_leaf(cut, errors)

    return cut


def _estimate(
    tree: MultiwayTree, cut: NDArray[np.bool_], inputs: str
) -> NDArray[np.int64]:
    """Yıldız's estimate for the subtrees that remain when the nodes of a mask become
    leaves; 1 elsewhere.
    """
    rest = tree
    if cut.any():
        rest = tree.collapse(cut)
    estimate = np.ones(tree.n_nodes, dtype=np.int64)
    estimate[tree.reachable(cut)] = yildiz_lary_estimate(
        rest.feature, rest.parents, tree.n_values, inputs
    )
    return estimate
