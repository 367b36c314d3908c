"""What each node of a tree would get wrong among examples that it was not grown on."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_classes
from treebounds.trees._arrays import add_up, errors_of_counts
from treebounds.trees.array_tree import ArrayTree, check_array_tree

__all__ = ["held_out_errors"]


def held_out_errors(tree: ArrayTree, X: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """How many held-out examples each node would get wrong if it were a leaf.

    Parameters
    ----------
    tree : ArrayTree
    X : (n_examples, n_features) array
    y : (n_examples,) array of int
        Indices of the classes.

    Returns
    -------
    (n_nodes,) array of float

    Examples
    --------
    >>> from treebounds.trees import ArrayTree
    >>> from treebounds.trees.errors import held_out_errors
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1], children_right=[2, -1, -1], feature=[0, 0, 0], threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]], n_features=1
    ... )
    >>> held_out_errors(tree, [[0.2], [0.7], [0.9]], [0, 0, 1])
    array([2., 0., 1.])
    """
    reached = check_array_tree(tree).apply(X)
    return errors_where_reached(tree, reached, check_classes(y, len(reached)))


def held_out_counts(tree: ArrayTree, X: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """How many held-out examples of each class reach each node.

    Parameters
    ----------
    tree : ArrayTree
    X : (n_examples, n_features) array
    y : (n_examples,) array of int
        Indices of the classes.

    Returns
    -------
    (n_nodes, n_classes) array of float

    Examples
    --------
    >>> from treebounds.trees import ArrayTree
    >>> from treebounds.trees.errors import held_out_counts
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1], children_right=[2, -1, -1], feature=[0, 0, 0], threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]], n_features=1
    ... )
    >>> held_out_counts(tree, [[0.2], [0.7], [0.9]], [0, 0, 1])
    array([[2., 1.],
           [1., 0.],
           [1., 1.]])
    """
    reached, n = check_array_tree(tree).apply(X), tree.n_classes
    return counts_where_reached(tree, reached, check_classes(y, len(reached), n), n)


def errors_where_reached(
    tree: ArrayTree, reached: NDArray, y: NDArray, weights: NDArray | None = None
) -> NDArray[np.float64]:
    """:func:`held_out_errors` from the leaves that the examples reach, with weights."""
    n = tree.n_classes
    classes = np.where((y < 0) | (y >= n), n, y)  # one more for those that the tree does not know
    return errors_of_counts(tree, counts_where_reached(tree, reached, classes, n + 1, weights))


def counts_where_reached(
    tree: ArrayTree, reached: NDArray, y: NDArray, n_classes: int, weights: NDArray | None = None
) -> NDArray[np.float64]:
    """:func:`held_out_counts` from the leaves that the examples reach, with weights."""
    ending = np.bincount(reached * n_classes + y, weights, tree.n_nodes * n_classes)
    counts = ending.reshape(tree.n_nodes, n_classes).astype(float)
    add_up(tree.parents, counts)
    return counts
