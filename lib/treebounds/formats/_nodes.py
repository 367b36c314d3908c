"""The nodes that a reader finds in a model, and the ArrayTree that is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from treebounds._validation import check_array
from treebounds.trees._arrays import add_up, parents_first, parents_of
from treebounds.trees._checks import check_input_dtype
from treebounds.trees.array_tree import ArrayTree


@dataclass(frozen=True, eq=False, kw_only=True)
class Nodes:
    """The nodes of one tree, in any order.

    Attributes
    ----------
    children_left, children_right, feature, threshold : (n_nodes,) arrays
        As in :class:`ArrayTree`, but a parent may come after its children.
    n_features : int
    missing_go_to_left : (n_nodes,) array of bool, optional
    left_categories : mapping from int to array of int, optional
    strict : bool or (n_nodes,) mask
        Whether an example goes left only if its feature is smaller than the threshold.
    input_dtype : numpy dtype
    feature_names, category_names : optional
        As in :class:`ArrayTree`.
    """

    children_left: ArrayLike
    children_right: ArrayLike
    feature: ArrayLike
    threshold: ArrayLike
    n_features: int
    missing_go_to_left: ArrayLike | None = None
    left_categories: Mapping[int, ArrayLike] | None = None
    strict: bool | NDArray[np.bool_] = False
    input_dtype: DTypeLike = "float64"
    feature_names: Sequence[str] | None = None
    category_names: Mapping[int, Sequence[Any]] | None = None


def assemble(
    nodes: Nodes,
    *,
    class_counts: ArrayLike | None = None,
    target_sums: ArrayLike | None = None,
    example_counts: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
) -> ArrayTree:
    """An ArrayTree from nodes in any order; they keep their numbers if all parents come
    before children.

    Parameters
    ----------
    nodes : Nodes
    class_counts : (n_nodes, n_classes) array, optional
        NaN at an internal node stands for the sum of the counts below it.
    target_sums : (n_nodes, 3) array, optional
        As ``class_counts``. With neither, the tree has one class without examples.
    example_counts : (n_nodes,) array, optional
        As ``class_counts``.
    classes : sequence of labels, optional
    """
    left = check_array(nodes.children_left, "children_left", np.int64)
    right = check_array(nodes.children_right, "children_right", np.int64)
    order = parents_first(left, right)

    # Index -1, the child of leaves, is the last entry.
    number = np.append(np.argsort(order), -1)
    new_left = number[left[order]]
    new_right = number[right[order]]

    if class_counts is None and target_sums is None:
        class_counts = np.zeros((len(order), 1))
    dtype = check_input_dtype(nodes.input_dtype)
    threshold = check_array(nodes.threshold, "threshold", float)
    sets = nodes.left_categories or {}
    return ArrayTree(
        children_left=new_left,
        children_right=new_right,
        feature=_in_order(nodes.feature, order),
        threshold=largest_below(threshold, nodes.strict, dtype)[order],
        n_features=nodes.n_features,
        missing_go_to_left=_in_order(nodes.missing_go_to_left, order),
        left_categories={int(number[node]): sets[node] for node in sets} or None,
        input_dtype=dtype,
        feature_names=nodes.feature_names,
        category_names=nodes.category_names,
        class_counts=_completed(
            class_counts, "class_counts", order, new_left, new_right
        ),
        target_sums=_completed(target_sums, "target_sums", order, new_left, new_right),
        example_counts=_completed_column(example_counts, order, new_left, new_right),
        classes=classes,
    )


def _in_order(values: ArrayLike | None, order: NDArray[np.int64]) -> Any:
    """The rows of an array in the order of the new nodes; None stays None."""
    return None if values is None else np.asarray(values)[order]


def _completed(
    statistics: ArrayLike | None,
    name: str,
    order: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> NDArray[np.float64] | None:
    """Statistics in the order of the new nodes, with sums in place of NaN at internal
    nodes.
    """
    if statistics is None:
        return None
    rows = check_array(statistics, name, float)
    if rows.ndim != 2 or len(rows) != len(order):
        return rows  # ArrayTree says what is wrong with it.

    rows = rows[order]
    internal = left >= 0
    unknown = np.isnan(rows).all(axis=1) & internal
    if unknown.any():
        sums = np.where(internal[:, np.newaxis], 0, rows)
        add_up(parents_of(left, right), sums)
        rows[unknown] = sums[unknown]
    return rows


def _completed_column(
    numbers: ArrayLike | None,
    order: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> NDArray[np.float64] | None:
    """The same for one number at each node."""
    if numbers is None:
        return None
    column = np.asarray(numbers, dtype=float)[:, np.newaxis]
    completed = _completed(column, "example_counts", order, left, right)
    return None if completed is None else completed[:, 0]


@np.errstate(over="ignore")  # A threshold beyond float32 becomes infinite.
def largest_below(
    threshold: NDArray[np.float64],
    strict: bool | NDArray[np.bool_],
    dtype: np.dtype[Any],
) -> NDArray[np.float64]:
    """Thresholds t so that, where ``strict``, x <= t is the same as x < threshold for
    all x of the dtype.
    """
    if np.any(strict & np.isneginf(threshold)):
        raise ValueError(
            "threshold must not be minus infinity with '<': no value is smaller"
        )
    rounded = threshold.astype(dtype)
    smaller = np.nextafter(rounded, np.array(-np.inf, dtype))
    below = np.where(rounded >= threshold, smaller, rounded)
    return np.where(strict, below.astype(float), threshold)
