"""Polishing a tree: each split in turn replaced by the one with the fewest training errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_array, check_classes, check_integer
from treebounds.trees._arrays import remaining
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.errors import count_classes

__all__ = ["polish"]


def polish(tree: ArrayTree, X: ArrayLike, y: ArrayLike, max_passes: int = 3) -> ArrayTree:
    """Lower a tree's training errors at the same shape, one split after the other.

    With the two subtrees of a node fixed as classifiers, an example that reaches it is right only on the
    left, only on the right, or on both sides or none alike. The best split of the node is the one that sends
    most examples to the side where they are right (Carreira-Perpinan and Tavallali 2018). Errors never rise.

    Parameters
    ----------
    tree : ArrayTree
    X : (m, l) array
    y : (m,) array of int
        Indices of the classes.
    max_passes : int
        Through all nodes, from the root down; fewer when nothing changes.

    Returns
    -------
    ArrayTree
        Class counts are those of X and y; thresholds that changed are values of training examples.

    Raises
    ------
    ValueError
        If the sample does not fit the tree, or X has missing values.

    Examples
    --------
    >>> from treebounds.pruning import polish
    >>> from treebounds.trees import ArrayTree
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> grown = ArrayTree.from_sklearn(DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X, y))
    >>> (grown.predict(X) != y).sum() >= (polish(grown, X, y).predict(X) != y).sum()
    np.True_
    """
    X = check_array(X, "X", check_array_tree(tree).input_dtype)
    y = check_classes(y, len(tree.apply(X)), tree.n_classes)
    if np.isnan(X).any():
        raise ValueError("X must not contain NaN: a new split would not know where missing values go")
    if len(y) == 0:
        raise ValueError("y must hold indices of classes, at least one")
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    columns = np.ascontiguousarray(X.T)
    order = np.argsort(columns, axis=1, kind="stable")
    for _ in range(check_integer(max_passes, "max_passes")):
        before = tree
        for node in inner:
            tree = _better_split(tree, node, X, y, columns, order)
        if tree is before:
            break
    return tree


def _better_split(
    tree: ArrayTree, node: int, X: NDArray, y: NDArray[np.int64], columns: NDArray, order: NDArray[np.int64]
) -> ArrayTree:
    """The tree with the best split at one node, or the tree itself."""
    here = ~remaining(tree.parents, np.arange(tree.n_nodes) == node)[tree.apply(X)]
    right_on_left, right_on_right = (
        tree.labels[tree.apply(X[here], child)] == y[here] for child in tree.children(node)
    )
    gain = np.zeros(len(y), dtype=np.int64)
    gain[here] = right_on_left.astype(np.int64) - right_on_right
    now = gain[columns[tree.feature[node]] <= tree.threshold[node]].sum()
    best, feature, threshold = _best_split(columns, order, here, gain)
    if best <= now:
        return tree
    features, thresholds = tree.feature.copy(), tree.threshold.copy()
    features[node], thresholds[node] = feature, threshold
    changed = replace(tree, feature=features, threshold=thresholds)
    counts = count_classes(changed, [(X, y)])
    # a leaf without examples would have no label
    return replace(changed, class_counts=counts) if counts.sum(axis=1).all() else tree


def _best_split(
    values: NDArray, order: NDArray[np.int64], here: NDArray[np.bool_], gain: NDArray[np.int64]
) -> tuple[int, int, float]:
    """The largest sum of gains on the left side of a cut of some examples, and the first cut that has it."""
    among = order[here[order]].reshape(len(values), -1)
    sorted_values = np.take_along_axis(values, among, axis=1)
    on_the_left = np.where(
        sorted_values[:, 1:] > sorted_values[:, :-1], gain[among].cumsum(axis=1)[:, :-1], -len(gain) - 1
    )
    if on_the_left.size == 0:
        return -len(gain) - 1, -1, 0.0
    feature, place = np.unravel_index(on_the_left.argmax(), on_the_left.shape)
    threshold = float(sorted_values[feature, place])
    return int(on_the_left[feature, place]), int(feature), threshold
