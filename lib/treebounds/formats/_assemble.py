"""Conversion of other libraries' trees to ArrayTree: order of nodes, strict "<",
labels, class counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_array, check_integer, check_labels
from treebounds.formats._labels import class_indices, known_classes
from treebounds.trees._arrays import add_up, parents_first, parents_of
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import count_classes

ROWS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "missing_go_to_left",
    "left_categories",
)


def assemble(
    *,
    strict: bool | NDArray[np.bool_] = False,
    class_counts: Any = None,
    target_sums: Any = None,
    **fields: Any,
) -> ArrayTree:
    """An ArrayTree from nodes in any order; they keep their numbers if all parents come
    before children.

    Parameters
    ----------
    strict : bool or (n_nodes,) mask
        Whether an example goes left only if its feature is smaller than the threshold.
    class_counts : (n_nodes, n_classes) array, optional
        NaN at an internal node stands for the sum of the counts below it.
    target_sums : (n_nodes, 3) array, optional
        As ``class_counts``. With neither, the tree has one class without examples.
    fields
        Other fields of :class:`ArrayTree`.
    """
    dtype = np.dtype(fields.get("input_dtype", np.float64))
    fields["threshold"] = largest_below(
        check_array(fields["threshold"], "threshold", float), strict, dtype
    )
    left, right = (check_array(fields[name], name, np.int64) for name in ROWS[:2])
    name = "class_counts" if target_sums is None else "target_sums"
    statistics = class_counts if target_sums is None else target_sums
    if statistics is None:
        statistics = np.zeros((len(left), 1))
    order = parents_first(left, right)
    rows = {
        name: np.asarray(fields[name])[order]
        for name in ROWS
        if fields.get(name) is not None
    }
    number = np.append(
        np.argsort(order), -1
    )  # Index -1, the child of leaves, is the last entry.
    rows["children_left"], rows["children_right"] = (
        number[left[order]],
        number[right[order]],
    )
    counts = check_array(statistics, name, float)
    if counts.ndim == 2 and len(counts) == len(order):
        counts = counts[order]
        open_nodes = np.isnan(counts).all(axis=1) & (left[order] >= 0)
        if open_nodes.any():
            sums = np.where((left[order] < 0)[:, np.newaxis], counts, 0)
            add_up(parents_of(rows["children_left"], rows["children_right"]), sums)
            counts[open_nodes] = sums[open_nodes]
    return ArrayTree(**fields | rows | {name: counts})


def largest_below(
    threshold: NDArray[Any], strict: bool | NDArray[np.bool_], dtype: np.dtype
) -> NDArray[Any]:
    """Thresholds t so that, where ``strict``, x <= t is the same as x < threshold for
    all x of the dtype.
    """
    rounded = threshold.astype(dtype)
    below = np.where(
        rounded >= threshold, np.nextafter(rounded, np.array(-np.inf, dtype)), rounded
    )
    if np.any(strict & np.isneginf(threshold)):
        raise ValueError(
            "threshold must not be minus infinity with '<': no value is smaller"
        )
    return np.where(strict, below.astype(float), threshold)


def from_model(
    nodes: dict[str, Any],
    known: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    class_counts: Any,
    classes: Any,
) -> ArrayTree:
    """The tree of a model, with class counts that are given or are counted in one pass
    over a sample.

    Parameters
    ----------
    nodes : dict
        Arguments of :func:`assemble`.
    known : (n_classes,) array, or a number of classes, or None
        The labels of the model in increasing order, or their number if they are 0, 1,
        ...
    X, y, sample_weight, class_counts, classes
        See :meth:`from_lightgbm`.
    """
    if class_counts is not None:
        if any(argument is not None for argument in (X, y, sample_weight, classes)):
            raise ValueError(
                "X, y, sample_weight, classes must be None: the class counts are"
                " already given"
            )
        labels = None if known is None else known_classes(known)
        if labels is not None and np.shape(class_counts)[1:] == labels.shape:
            nodes["classes"] = labels
        return assemble(**nodes, class_counts=class_counts)
    classes = known if classes is None else classes
    batches: Iterable[Any] = [
        (X, y) if sample_weight is None else (X, y, sample_weight)
    ]
    if y is None:
        if X is None or hasattr(X, "shape"):
            raise ValueError(
                "y: the model has no class counts; give X and y to count them, or"
                " batches as X"
            )
        if sample_weight is not None or classes is None:
            raise ValueError(
                "with batches as X, give classes, and put sample_weight into the"
                " batches"
            )
        batches = X
    check_labels(y)
    tree, classes = (
        assemble(**nodes),
        np.unique(y) if classes is None else known_classes(classes),
    )
    in_numbers = (
        (rows, class_indices(labels, classes), *weights)
        for rows, labels, *weights in batches
    )
    if not (counts := count_classes(tree, in_numbers, len(classes))).any():
        raise ValueError("X has no rows to count, or all have weight 0")
    return replace(tree, class_counts=counts, classes=tuple(classes.tolist()))


def choose_tree(tree: int | None, n_trees: int) -> int:
    """The number of a tree in a model, or a ValueError if it is out of range, or None
    with several trees.
    """
    if tree is None and n_trees != 1:
        raise ValueError(
            f"tree: the model has {n_trees} trees; name one, from 0 to {n_trees - 1}"
        )
    number = check_integer(tree or 0, "tree", minimum=0)
    if number >= n_trees:
        raise ValueError(f"tree must be from 0 to {n_trees - 1}; got {tree}")
    return number


def booster_of(model: Any, library: str, wrapper: str) -> Any:
    """The model if it is a booster, or the booster inside its scikit-learn wrapper, or
    a ValueError.
    """
    kinds = {kind.__name__ for kind in type(model).__mro__}
    if not type(model).__module__.startswith(library.lower()) or not kinds & {
        "Booster",
        wrapper,
    }:
        raise ValueError(
            f"model must be a {library} booster or classifier; got"
            f" {type(model).__name__}"
        )
    if "Booster" in kinds:
        return model
    return model.get_booster() if hasattr(model, "get_booster") else model.booster_


def category_table(sets: dict[int, Any], n_nodes: int) -> NDArray[np.bool_] | None:
    """``left_categories`` of an ArrayTree from the categories that go left at each
    node; None if none do.
    """
    if not sets:
        return None
    table = np.zeros(
        (n_nodes, 1 + max(int(np.max(categories)) for categories in sets.values())),
        dtype=bool,
    )
    for node, categories in sets.items():
        table[node, np.asarray(categories, dtype=np.int64)] = True
    return table
