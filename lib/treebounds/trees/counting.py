"""Counting rows into the nodes of a tree: classes, or sums of y, at every node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._labels import check_classes
from treebounds._validation import as_floats, check_numbers
from treebounds.trees._arrays import add_up
from treebounds.trees._statistics import (
    errors_of_counts,
    squared_errors,
    squared_errors_around,
)
from treebounds.trees.array_tree import ArrayTree, check_array_tree

__all__ = [
    "count_classes",
    "count_statistics",
    "counted",
    "counts_where_reached",
    "errors_of_counts",
    "errors_where_reached",
    "held_out_costs",
    "held_out_errors",
    "squared_errors",
    "sums_where_reached",
]

# The leaves of the rows of a batch, y, and the weights, or None.
_AtLeaves = tuple[NDArray[np.int64], Any, NDArray[np.float64] | None]

# The square of a larger number, and sums of such squares, may overflow.
LARGEST_TARGET = 1e140


def held_out_errors(tree: ArrayTree, X: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Number of held-out examples that each node would get wrong as a leaf.

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

    Parameters
    ----------
    tree : ArrayTree
        That predicts classes.
    X : (n_examples, n_features) array
    y : (n_examples,) array of int
        Indices of the classes. One that the tree does not have is an error at each
        node.

    Returns
    -------
    (n_nodes,) array of float

    Raises
    ------
    ValueError
        If ``tree`` is not an ArrayTree, X does not have its columns, or y is not an
        integer for each row.
    """
    leaves = check_array_tree(tree).apply(X)
    return errors_where_reached(tree, leaves, check_classes(y, len(leaves)))


def held_out_costs(
    tree: ArrayTree,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Cost of each node as a leaf on held-out examples: errors, or squared errors.

    >>> from treebounds.trees import ArrayTree
    >>> from treebounds.trees.counting import held_out_costs
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     target_sums=[[3, 12, 74], [2, 4, 10], [1, 8, 64]],
    ...     n_features=1,
    ... )
    >>> held_out_costs(tree, [[0.2], [0.7]], [3, 6])
    array([5., 1., 4.])

    Parameters
    ----------
    tree : ArrayTree
    X : (n_examples, n_features) array
    y : (n_examples,) array
        Indices of the classes, or numbers.
    sample_weight : (n_examples,) array, optional

    Returns
    -------
    (n_nodes,) array of float
        Weights of the errors, or of the squared differences from the node's prediction.

    Raises
    ------
    ValueError
        If the sample does not fit the tree, or a weight is negative.
    """
    leaves = check_array_tree(tree).apply(X)
    weights = _check_weights(sample_weight, len(leaves))
    if not tree.is_regression:
        return errors_where_reached(
            tree, leaves, check_classes(y, len(leaves)), weights
        )

    sums = sums_where_reached(tree, leaves, _check_targets(y, len(leaves)), weights)
    return squared_errors_around(sums, tree.leaf_values)


def count_statistics(
    tree: ArrayTree, batches: Iterable[Sequence[Any]], n_classes: int | None = None
) -> NDArray[np.float64]:
    """Class counts, or sums of y, at each node: what ``tree.statistics`` holds.

    The function passes once over the batches and keeps one of them at a time. Results
    from several machines can be added.

    >>> from treebounds.trees import ArrayTree, count_statistics
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     target_sums=[[3, 12, 74], [2, 4, 10], [1, 8, 64]],
    ...     n_features=1,
    ... )
    >>> count_statistics(tree, [([[0.2], [0.7]], [3, 6]), ([[0.9]], [2])])
    array([[ 3., 11., 49.],
           [ 1.,  3.,  9.],
           [ 2.,  8., 40.]])

    Parameters
    ----------
    tree : ArrayTree
    batches : iterable of (X, y) or (X, y, sample_weight)
        X is (n_examples, n_features); y holds the indices of the classes, or finite
        numbers; weights are not negative.
    n_classes : int, optional
        For classes: their number; that of the tree when not given.

    Returns
    -------
    (n_nodes, n_columns) array of float
        See ``class_counts`` and ``target_sums`` of :class:`ArrayTree`.

    Raises
    ------
    ValueError
        If a batch does not fit the tree, a class is not one of the tree's, y is not
        finite, or a weight is negative.
    """
    if not check_array_tree(tree).is_regression:
        return count_classes(tree, batches, n_classes)
    if n_classes is not None:
        raise ValueError("n_classes must be None: the tree predicts numbers")
    return _sums_of_batches(tree, _at_leaves(tree, batches))


def counted(tree: ArrayTree, batches: Iterable[Sequence[Any]]) -> ArrayTree:
    """The same tree with the statistics of batches, and with the number of examples
    that have a positive weight.

    >>> from treebounds.trees import ArrayTree
    >>> from treebounds.trees.counting import counted
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> batch = ([[0.2], [0.7], [0.9]], [0, 0, 1], [2.5, 1, 0])
    >>> counted(tree, [batch]).class_counts.tolist()
    [[3.5, 0.0], [2.5, 0.0], [1.0, 0.0]]
    >>> counted(tree, [batch]).example_counts
    array([2, 1, 1])

    Parameters
    ----------
    tree : ArrayTree
    batches : iterable of (X, y) or (X, y, sample_weight)
        See :func:`count_statistics`; one pass over them.

    Returns
    -------
    ArrayTree
    """
    numbers = np.zeros(tree.n_nodes)

    def with_numbers() -> Iterator[_AtLeaves]:
        for leaves, y, weights in _at_leaves(tree, batches):
            have_weight = leaves if weights is None else leaves[weights > 0]
            numbers[:] += np.bincount(have_weight, minlength=tree.n_nodes)
            yield leaves, y, weights

    if tree.is_regression:
        statistics = _sums_of_batches(tree, with_numbers())
    else:
        statistics = _counts_of_batches(tree, with_numbers(), tree.n_classes)
    add_up(tree.parents, numbers)
    return tree.with_statistics(statistics, numbers)


def count_classes(
    tree: ArrayTree, batches: Iterable[Sequence[Any]], n_classes: int | None = None
) -> NDArray[np.float64]:
    """Number, or total weight, of the examples of each class that reach each node.

    The function passes once over the batches and keeps one of them at a time. Counts
    from several machines can be added.

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
    """
    check_array_tree(tree)
    n = tree.n_classes if n_classes is None else n_classes
    return _counts_of_batches(tree, _at_leaves(tree, batches), n)


def errors_where_reached(
    tree: ArrayTree,
    leaves: NDArray[np.int64],
    y: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """:func:`held_out_errors` from the leaves that the examples reach, with weights."""
    n = tree.n_classes
    # n stands for all labels that the tree does not have.
    classes = np.where((y < 0) | (y >= n), n, y)
    counts = counts_where_reached(tree, leaves, classes, n + 1, weights)
    return errors_of_counts(tree, counts)


def counts_where_reached(
    tree: ArrayTree,
    leaves: NDArray[np.int64],
    y: NDArray[Any],
    n_classes: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """:func:`count_classes` from the leaves that the examples reach, with weights."""
    ending = np.bincount(leaves * n_classes + y, weights, tree.n_nodes * n_classes)
    counts = ending.reshape(tree.n_nodes, n_classes).astype(float)
    add_up(tree.parents, counts)
    return counts


def sums_where_reached(
    tree: ArrayTree,
    leaves: NDArray[np.int64],
    y: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """The sums of :func:`count_statistics` from the leaves that the examples reach, for
    a tree of numbers.
    """
    weight = np.ones(len(leaves)) if weights is None else weights
    sums = np.empty((tree.n_nodes, 3))
    for column, values in enumerate((weight, weight * y, weight * y**2)):
        sums[:, column] = np.bincount(leaves, values, tree.n_nodes)
    add_up(tree.parents, sums)
    return sums


def _counts_of_batches(
    tree: ArrayTree, batches: Iterable[_AtLeaves], n_classes: int
) -> NDArray[np.float64]:
    """The class counts of all batches."""
    counts = np.zeros((tree.n_nodes, n_classes))
    for leaves, y, weights in batches:
        classes = check_classes(y, len(leaves), n_classes)
        counts += counts_where_reached(tree, leaves, classes, n_classes, weights)
    return counts


def _sums_of_batches(
    tree: ArrayTree, batches: Iterable[_AtLeaves]
) -> NDArray[np.float64]:
    """The sums of y of all batches."""
    sums = np.zeros((tree.n_nodes, 3))
    for leaves, y, weights in batches:
        targets = _check_targets(y, len(leaves))
        sums += sums_where_reached(tree, leaves, targets, weights)
    return sums


def _at_leaves(
    tree: ArrayTree, batches: Iterable[Sequence[Any]]
) -> Iterator[_AtLeaves]:
    """The leaves that the rows of each batch reach, y, and the weights, or None."""
    for batch in batches:
        if len(batch) not in (2, 3):
            raise ValueError(
                "batches must hold pairs (X, y) or triples (X, y, sample_weight); got"
                f" {len(batch)} entries"
            )
        leaves = tree.apply(batch[0])
        weights = _check_weights(batch[2], len(leaves)) if len(batch) == 3 else None
        yield leaves, batch[1], weights


def _check_weights(
    sample_weight: ArrayLike | None, n_examples: int
) -> NDArray[np.float64] | None:
    """Weights as an array, or None, or a ValueError."""
    if sample_weight is None:
        return None
    weights = check_numbers(sample_weight, "sample_weight", "[0, inf)")
    if weights.shape != (n_examples,):
        raise ValueError(
            "sample_weight must have one number per row of X; got shape"
            f" {weights.shape} for {n_examples} rows"
        )
    return weights


def _check_targets(y: ArrayLike, n_examples: int) -> NDArray[np.float64]:
    """The numbers that a tree predicts as an array, or a ValueError."""
    targets = as_floats(y)
    if targets.shape == (n_examples, 1):
        targets = targets[:, 0]
    if targets.shape != (n_examples,):
        raise ValueError(
            f"y must have one number for each of the {n_examples} rows of X; got shape"
            f" {targets.shape}"
        )
    if not (np.abs(targets) < LARGEST_TARGET).all():
        raise ValueError(
            f"y must hold finite numbers below {LARGEST_TARGET:g}; the first other one"
            f" is {targets[~(np.abs(targets) < LARGEST_TARGET)][0]}"
        )
    return targets
