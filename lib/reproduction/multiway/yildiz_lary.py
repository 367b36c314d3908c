"""Yıldız's estimate of the VC dimension of trees on features with several values (his
Figure 5).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.multiway.tree import path_up
from treebounds._validation import check_array, check_option
from treebounds.trees._arrays import add_up

__all__ = ["yildiz_lary_estimate"]

INPUTS = ("below", "path", "all")


def yildiz_lary_estimate(
    feature: ArrayLike, parent: ArrayLike, n_values: ArrayLike, inputs: str = "below"
) -> NDArray[np.int64]:
    """Yıldız's estimate of the VC dimension, for the subtree below every node of a
    tree.

    The estimate is 1 for a leaf, and ``floor(log2(sum_i (2^(L_i - 1) - 1) + 1)) + 1``
    for a node whose children are leaves, where the sum runs over the features that are
    not yet tested and L_i is the number of values of feature i. For any other node it
    is the sum of its children's estimates. The paper calls this a lower bound, which it
    is not in general, because its Theorem 5 is only an upper bound (for one node on
    features with 2, 3 and 3 values, the estimate is 4 and the VC dimension is 3).

    >>> from reproduction.multiway.yildiz_lary import yildiz_lary_estimate
    >>> yildiz_lary_estimate([0, -1, -1], [-1, 0, 0], [2, 3, 3]).tolist()
    [4, 1, 1]

    Parameters
    ----------
    feature : array_like of int, shape (n_nodes,)
        Feature of each node, -1 at a leaf.
    parent : array_like of int, shape (n_nodes,)
        Parent of each node, with a smaller number; -1 at the root.
    n_values : array_like of int, shape (n_features,)
        L_i, at least 1 each.
    inputs : {"below", "path", "all"}
        The features that are excluded at a node inside a subtree. "below": those that
        the subtree tests on its path to the node, as in Figure 5 when it is called for
        the subtree. "path": those tested on the whole path from the root of the tree.
        "all": none, so that all features count.

    Returns
    -------
    ndarray of int, shape (n_nodes,)

    Notes
    -----
    The cost is O(n_nodes height). The figure takes the sum over i = 1 .. d - 1 below a
    node and does not name the excluded feature; here it is the feature that the node
    tests.

    References
    ----------
    Yıldız (2012), Theorems 5 and 6 and Figure 5.
    """
    feature, parent, n_values = _check_tree(feature, parent, n_values)
    check_option(inputs, "inputs", INPUTS)

    is_stump = feature >= 0
    is_stump[parent[1:][feature[1:] >= 0]] = False
    value = _stump_value(feature, n_values)
    whole = value([])

    # A leaf adds 1, unless its parent has only leaves, whose value includes them.
    is_part = np.append(False, is_stump[parent[1:]])
    estimate = ((feature < 0) & ~is_part).astype(np.int64)
    above = parent.tolist()
    paths = [path_up(above, node) for node in np.flatnonzero(is_stump).tolist()]
    for path in paths:
        estimate[path[0]] = whole
        if inputs == "path":
            estimate[path[0]] = value(path[1:])

    add_up(parent, estimate)

    if inputs == "below":
        for path in paths:
            for i, ancestor in enumerate(path):
                estimate[ancestor] += value(path[1 : i + 1]) - whole

    return np.where(feature < 0, 1, estimate)


def _stump_value(
    feature: NDArray[np.int64], n_values: NDArray[np.int64]
) -> Callable[[list[int]], int]:
    """A function from some nodes to the value of a node above leaves, without the
    features that they test.
    """
    features = feature.tolist()
    splits = [2 ** (values - 1) - 1 for values in n_values.tolist()]
    all_splits = sum(splits)

    def value(nodes: list[int]) -> int:
        """Theorem 5 for the features that are left."""
        tested = {features[node] for node in nodes}
        n_splits = all_splits - sum(splits[j] for j in tested)
        # This is floor(log2(n_splits + 1)) + 1.
        return (n_splits + 1).bit_length()

    return value


def _check_tree(
    feature: ArrayLike, parent: ArrayLike, n_values: ArrayLike
) -> tuple[NDArray[np.int64], ...]:
    """The three arrays, or a ValueError if they do not describe a tree."""
    feature = check_array(feature, "feature", np.int64)
    parent = check_array(parent, "parent", np.int64)
    n_values = check_array(n_values, "n_values", np.int64)
    if feature.shape != parent.shape or feature.ndim != 1:
        raise ValueError("feature and parent must have one entry for each node")
    if n_values.ndim != 1 or np.any(n_values < 1):
        raise ValueError("n_values must be at least 1 for each feature")
    if np.any(feature >= len(n_values)) or np.any(parent >= np.arange(len(parent))):
        raise ValueError(
            "feature must be below n_features, and parent a node with a smaller number"
        )

    return feature, parent, n_values
