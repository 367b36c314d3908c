"""What the arrays of a tree must satisfy; each error names the array and the node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import shown

# Sums over the examples of a node may differ by rounding, relative to the whole tree.
_ROUNDING = 1e-9


def check_input_dtype(dtype: Any) -> np.dtype[Any]:
    """The type as NumPy's, or a ValueError."""
    for candidate in (np.dtype(np.float32), np.dtype(np.float64)):
        try:
            if dtype is not None and np.dtype(dtype) == candidate:
                return candidate
        except TypeError:
            break
    raise ValueError(f"input_dtype must be float32 or float64; got {shown(dtype)}")


def check_shape(array: NDArray[Any], name: str, n_nodes: int, columns: str) -> None:
    """Raise a ValueError unless an array has a row for each node.

    Parameters
    ----------
    array : array
    name : str
    n_nodes : int
    columns : str
        What the second dimension counts; empty for an array that has none.
    """
    n_dimensions = 2 if columns else 1
    if array.ndim != n_dimensions or len(array) != n_nodes or array.size == 0:
        shape = f"(n_nodes, {columns})" if columns else "(n_nodes,)"
        raise ValueError(
            f"{name} must have shape {shape} for {n_nodes} nodes; got {array.shape}"
        )


def check_children(left: NDArray[np.int64], right: NDArray[np.int64]) -> None:
    """Raise a ValueError unless the children form one tree, parents first."""
    n_nodes = len(left)
    nodes = np.arange(n_nodes)
    internal = left >= 0

    for name, child in (("children_left", left), ("children_right", right)):
        wrong = (child != -1) & ((child <= nodes) | (child >= n_nodes))
        refuse_first(
            wrong,
            f"{name} must be -1 or a later node; got {{value}} at node {{node}}",
            child,
        )

    refuse_first(
        internal != (right >= 0),
        "children_right: node {node} has one child, not two or none",
    )

    n_parents = np.bincount(
        np.append(left[internal], right[internal]), minlength=n_nodes
    )
    refuse_first(
        n_parents != (nodes > 0),
        "children_left, children_right: node {node} has {value} parents",
        n_parents,
    )


def check_splits(
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    internal: NDArray[np.bool_],
    n_features: int,
) -> None:
    """Raise a ValueError unless each internal node tests a feature and has a
    threshold.
    """
    outside = internal & ((feature < 0) | (feature >= n_features))
    refuse_first(
        outside,
        f"feature must be from 0 to {n_features - 1}; got {{value}} at node {{node}}",
        feature,
    )
    refuse_first(
        internal & np.isnan(threshold),
        "threshold must not be NaN; it is at node {node}",
    )


def check_class_counts(
    counts: NDArray[np.float64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> None:
    """Raise a ValueError unless counts are not negative, and add up."""
    with np.errstate(over="ignore"):
        total = counts[0].sum()
    if not ((counts >= 0).all() and np.isfinite(counts).all() and np.isfinite(total)):
        raise ValueError(
            "class_counts, times class_weight if given, must be finite and not negative"
        )
    _check_additive(
        counts, left, right, np.full(counts.shape[1], total), "class_counts"
    )


def check_target_sums(
    sums: NDArray[np.float64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> None:
    """Raise a ValueError unless weights and sums of squares are possible, and add
    up.
    """
    if sums.shape[1] != 3:
        raise ValueError(
            "target_sums must have three columns: the weight, the sum of y and the sum"
            f" of the squares of y; got {sums.shape[1]}"
        )
    if not np.isfinite(sums).all():
        raise ValueError("target_sums must be finite numbers")

    weight, total, squares = sums.T
    # Of y with this weight and this sum, the smallest sum of squares is that of a
    # constant.
    least = np.divide(total**2, weight, out=np.zeros_like(total), where=weight > 0)
    slack = _ROUNDING * squares[0]
    refuse_first(
        (weight < 0) | (squares < least - slack) | ((weight == 0) & (total != 0)),
        "target_sums of node {node}: no examples have this weight, this sum and this"
        " sum of squares",
    )
    typical = np.sqrt(max(weight[0] * squares[0], 0.0))
    _check_additive(
        sums, left, right, np.array([weight[0], typical, squares[0]]), "target_sums"
    )


def check_example_counts(
    numbers: NDArray[np.int64],
    weights: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> None:
    """Raise a ValueError unless numbers of examples are not negative, and add up, and
    examples have all the weight.
    """
    refuse_first(
        (numbers < 0) | ((numbers == 0) & (weights > 0)),
        "example_counts must not be negative, or 0 where examples have weight; got"
        " {value} at node {node}",
        numbers,
    )
    refuse_first(
        _differ_from_children(numbers, left, right),
        "example_counts of node {node} are not the sum of its children's",
    )


def add_up_to_parents(
    numbers: NDArray[Any], left: NDArray[Any], right: NDArray[Any]
) -> bool:
    """Whether the number of each internal node is the sum of its children's.

    >>> import numpy as np
    >>> from treebounds.trees._checks import add_up_to_parents
    >>> children = np.array([1, -1, -1]), np.array([2, -1, -1])
    >>> add_up_to_parents(np.array([7, 3, 4]), *children)
    True
    >>> add_up_to_parents(np.array([8, 3, 4]), *children)
    False
    """
    return not _differ_from_children(numbers, left, right).any()


def _differ_from_children(
    numbers: NDArray[Any], left: NDArray[Any], right: NDArray[Any]
) -> NDArray[np.bool_]:
    """A mask of the internal nodes whose number is not the sum of their children's."""
    return np.asarray((left >= 0) & (numbers != numbers[left] + numbers[right]))


def _check_additive(
    statistics: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    scale: NDArray[np.float64],
    name: str,
) -> None:
    """Raise a ValueError unless each node's statistics are its children's sum."""
    gap = np.abs(statistics - statistics[left] - statistics[right])
    differs = (left >= 0) & (gap > _ROUNDING * scale).any(axis=1)
    refuse_first(differs, f"{name} of node {{node}} are not the sum of its children's")


def refuse_first(
    wrong: NDArray[np.bool_], message: str, values: NDArray[Any] | None = None
) -> None:
    """Raise a ValueError about the first node of a mask, if there is any.

    ``{node}`` in the message stands for its number, ``{value}`` for its value.
    """
    if wrong.any():
        node = int(wrong.argmax())
        value = None if values is None else values[node]
        raise ValueError(message.format(node=node, value=value))
