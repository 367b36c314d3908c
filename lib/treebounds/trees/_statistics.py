"""The cost and the prediction of each node, from its additive statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def weights_of_nodes(tree: Any) -> NDArray[np.float64]:
    """(n_nodes,) number, or weight, of the examples that each node counts.

    >>> from treebounds.trees import ArrayTree
    >>> from treebounds.trees._statistics import weights_of_nodes
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> weights_of_nodes(tree)
    array([7., 3., 4.])
    """
    weights: NDArray[np.float64]
    if tree.is_regression:
        weights = tree.target_sums[:, 0]
    else:
        weights = tree.class_counts.sum(axis=1)
    return weights


def errors_of_counts(tree: Any, counts: NDArray[Any]) -> NDArray[Any]:
    """The errors of each node as a leaf, from the number of examples of each class that
    reach it.

    >>> import numpy as np
    >>> from treebounds.trees import ArrayTree
    >>> from treebounds.trees.counting import errors_of_counts
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> errors_of_counts(tree, np.array([[2, 1], [1, 0], [1, 1]])).tolist()
    [2, 0, 1]

    Parameters
    ----------
    tree : ArrayTree
        It says which class each node predicts.
    counts : (n_nodes, n_columns) array
        A column for each of its classes, and perhaps more; not checked.

    Returns
    -------
    (n_nodes,) array
    """
    n_correct = counts[np.arange(tree.n_nodes), tree.labels]
    errors: NDArray[Any] = counts.sum(axis=1) - n_correct
    return errors


def squared_errors(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of the squared differences of y from its mean.

    >>> import numpy as np
    >>> from treebounds.trees.counting import squared_errors
    >>> squared_errors(np.array([[3.0, 12.0, 74.0], [0.0, 0.0, 0.0]]))
    array([26.,  0.])

    Parameters
    ----------
    sums : (n, 3) array
        Weight, sum of weight times y, sum of weight times the square of y.

    Returns
    -------
    (n,) array of float
        Not negative; 0 without examples. Values are not checked; one pass over the
        rows.
    """
    _, total, squares = sums.T
    # Rounding may leave a small negative difference.
    errors: NDArray[np.float64] = np.maximum(squares - total * _means(sums, 0.0), 0.0)
    return errors


def squared_errors_around(
    sums: NDArray[np.float64], predicted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The sum of the squared differences of y from a prediction: those from the mean,
    and the weight times the squared difference of the two.

    >>> import numpy as np
    >>> from treebounds.trees._statistics import squared_errors_around
    >>> squared_errors_around(np.array([[2.0, 4.0, 10.0]]), np.array([5.0]))
    array([20.])

    Parameters
    ----------
    sums : (n, 3) array
        See :func:`squared_errors`.
    predicted : (n,) array

    Returns
    -------
    (n,) array of float
        0 without examples, whatever is predicted.
    """
    weight = sums[:, 0]
    gap = np.where(weight > 0, _means(sums, 0.0) - predicted, 0.0)
    return np.asarray(squared_errors(sums) + weight * gap**2)


def means(sums: NDArray[np.float64], parents: NDArray[np.int64]) -> NDArray[np.float64]:
    """(n_nodes,) mean of y at each node, from the sums of y.

    A node without examples has the mean of the nearest node above it that has any, or
    NaN if there is none.
    """
    values = _means(sums, np.nan)
    # Parents come first, so theirs are known.
    for node in np.flatnonzero(sums[1:, 0] == 0) + 1:
        values[node] = values[parents[node]]
    return values


def _means(sums: NDArray[np.float64], of_none: float) -> NDArray[np.float64]:
    """The mean of y for each row of sums; a given number without examples."""
    weight, total, _ = sums.T
    values = np.full(len(sums), of_none)
    np.divide(total, weight, out=values, where=weight > 0)
    return values
