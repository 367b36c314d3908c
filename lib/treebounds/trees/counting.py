"""The errors of each node of a tree as a leaf on examples that it was not grown on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_classes, check_numbers
from treebounds.trees._arrays import add_up, errors_of_counts
from treebounds.trees.array_tree import ArrayTree, check_array_tree


def held_out_errors(tree: ArrayTree, X: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Number of held-out examples that each node would get wrong as a leaf.

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
    >>> from treebounds.trees.counting import held_out_errors
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> held_out_errors(tree, [[0.2], [0.7], [0.9]], [0, 0, 1])
    array([2., 0., 1.])
    """
    reached = check_array_tree(tree).apply(X)
    return errors_where_reached(tree, reached, check_classes(y, len(reached)))


def count_classes(
    tree: ArrayTree, batches: Iterable[Sequence[Any]], n_classes: int | None = None
) -> NDArray[np.float64]:
    """Number, or total weight, of the examples of each class that reach each node.

    The function passes once over the batches and keeps one of them at a time. Counts
    from several machines can be added.

    Parameters
    ----------
    tree : ArrayTree
    batches : iterable of (X, y) or (X, y, sample_weight)
        X is (n_examples, n_features), y the indices of the classes, and weights are not
        negative.
    n_classes : int, optional
        Number of classes; that of the tree when not given.

    Returns
    -------
    (n_nodes, n_classes) array of float

    Raises
    ------
    ValueError
        If a batch does not fit the tree, a class is not one of the tree's, or a weight
        is negative.

    Examples
    --------
    >>> from treebounds.trees import ArrayTree, count_classes
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> count_classes(tree, [([[0.2], [0.7]], [0, 0]), ([[0.9]], [1])])
    array([[2., 1.],
           [1., 0.],
           [1., 1.]])
    """
    n = check_array_tree(tree).n_classes if n_classes is None else n_classes
    counts = np.zeros((tree.n_nodes, n))
    for batch in batches:
        X, y, weight = batch if len(batch) == 3 else (*batch, None)
        reached = tree.apply(X)
        weight = (
            None
            if weight is None
            else check_numbers(weight, "sample_weight", "[0, inf)")
        )
        if weight is not None and weight.shape != reached.shape:
            raise ValueError(
                "sample_weight must have one number per row of X; got shape"
                f" {weight.shape}"
            )
        counts += counts_where_reached(
            tree, reached, check_classes(y, len(reached), n), n, weight
        )
    return counts


def errors_where_reached(
    tree: ArrayTree,
    reached: NDArray[Any],
    y: NDArray[Any],
    weights: NDArray[Any] | None = None,
) -> NDArray[np.float64]:
    """:func:`held_out_errors` from the leaves that the examples reach, with weights."""
    n = tree.n_classes
    classes = np.where(
        (y < 0) | (y >= n), n, y
    )  # n stands for all labels that the tree does not have
    return errors_of_counts(
        tree, counts_where_reached(tree, reached, classes, n + 1, weights)
    )


def counts_where_reached(
    tree: ArrayTree,
    reached: NDArray[Any],
    y: NDArray[Any],
    n_classes: int,
    weights: NDArray[Any] | None = None,
) -> NDArray[np.float64]:
    """:func:`count_classes` from the leaves that the examples reach, with weights."""
    ending = np.bincount(reached * n_classes + y, weights, tree.n_nodes * n_classes)
    counts = ending.reshape(tree.n_nodes, n_classes).astype(float)
    add_up(tree.parents, counts)
    return counts
