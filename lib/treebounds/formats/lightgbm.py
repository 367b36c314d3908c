"""One tree of a LightGBM model, read from the model's own text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds.formats._assemble import (
    booster_of,
    category_table,
    choose_tree,
    from_model,
)
from treebounds.trees.array_tree import ArrayTree

_CLASSIFICATION = ("binary", "multiclass", "multiclassova", "cross_entropy", "custom")
_SMALL = float(np.float32(1e-35))


def from_lightgbm(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    tree: int | None = None,
    sample_weight: ArrayLike | None = None,
    class_counts: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> ArrayTree:
    """One tree of a LightGBM classifier, with the class counts of a sample.

    It sends every example to the leaf that ``predict(pred_leaf=True)`` returns:
    leaf i is node ``n_internal_nodes + i``. A leaf predicts the class with the
    largest count, whereas LightGBM adds the leaf's score to those of other trees.

    Parameters
    ----------
    model : lightgbm.Booster or lightgbm.LGBMClassifier
    X : (n_examples, n_features) array, or an iterable of batches
        Rows whose classes are counted, in one pass. Batches are pairs (X, y) or
        triples (X, y, sample_weight); the arguments y and sample_weight are then
        None.
    y : (n_examples,) array
        Labels; those of a Booster are 0, 1, ...
    tree : int, optional
        Number of the tree, from 0; needed if the model has several.
    sample_weight : (n_examples,) array, optional
    class_counts : (n_nodes, n_classes) array, optional
        Replaces X, y and classes; from :func:`treebounds.trees.count_classes`, or
        zeros if the classes are to be counted later.
    classes : (n_classes,) array, optional
        All labels in increasing order, if they differ from the model's.

    Returns
    -------
    ArrayTree

    Raises
    ------
    ValueError
        If the model is not a classifier, has several trees and ``tree`` is missing,
        has linear trees, or a label is not among its classes.

    Examples
    --------
    >>> import lightgbm
    >>> from treebounds.formats import from_lightgbm
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 10, [0, 0, 1, 1] * 10
    >>> model = lightgbm.LGBMClassifier(n_estimators=1, num_leaves=2, verbose=-1).fit(
    ...     X, y
    ... )
    >>> from_lightgbm(model, X, y).class_counts.tolist()
    [[20.0, 20.0], [20.0, 0.0], [0.0, 20.0]]
    """
    return from_model(
        *read_lightgbm(model, tree), X, y, sample_weight, class_counts, classes
    )


def read_lightgbm(model: Any, tree: int | None = None) -> tuple[dict[str, Any], Any]:
    """The nodes of one tree, internal nodes before leaves, and the classes of the
    model.

    Parameters
    ----------
    model : lightgbm.Booster or lightgbm.LGBMClassifier
    tree : int, optional
        Number of the tree, from 0; needed if the model has several.

    Returns
    -------
    dict
        Arguments of :class:`treebounds.ArrayTree`; leaf i has row n_internal_nodes + i.
    array or int
        Labels, or the number of classes if the model has no labels.

    Raises
    ------
    ValueError
        If the model is not a LightGBM classification model, has linear models at its
        leaves, or treats zeros as missing values and sends them to another side than
        the threshold would.
    """
    booster = booster_of(model, "LightGBM", "LGBMModel")
    number, width = (
        choose_tree(tree, booster.num_trees()),
        booster.num_model_per_iteration(),
    )
    header, trees = _text(booster, start_iteration=number // width, num_iteration=1)
    if header["objective"] not in _CLASSIFICATION:
        raise ValueError(
            f"model must be a classifier; its objective is {header['objective']}"
        )
    classes = getattr(model, "classes_", max(2, int(header["num_class"])))
    return _nodes(trees[number % width], header), classes


def all_lightgbm_trees(model: Any) -> tuple[list[dict[str, Any]], str, int]:
    """The nodes of all trees of a model, its objective, and the number of its outputs."""
    header, trees = _text(booster_of(model, "LightGBM", "LGBMModel"))
    nodes = [_nodes(fields, header) for fields in trees]
    return nodes, header["objective"], int(header["num_tree_per_iteration"])


def _text(booster: Any, **rounds: int) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The entries of the header of a model, and the entries of each of its trees."""
    head, *trees = booster.model_to_string(**rounds).split("\nTree=")
    header = _pairs(head)
    header["objective"] = header.get("objective", "custom").split(" ")[0]
    return header, list(map(_pairs, trees))


def _nodes(fields: dict[str, str], header: dict[str, str]) -> dict[str, Any]:
    """The arrays of a tree from its lines of text."""
    if fields.get("is_linear", "0") != "0":
        raise ValueError(
            "model: linear_tree is not supported, because its leaves hold linear models"
        )
    n_leaves = int(fields["num_leaves"])
    n_internal, n_nodes = n_leaves - 1, 2 * n_leaves - 1
    decision = _numbers(fields, "decision_type", np.int64, n_internal)
    threshold = _numbers(fields, "threshold", np.float64, n_internal)
    by_category, default_left, missing = (
        decision & 1 == 1,
        decision & 2 == 2,
        decision >> 2 & 3,
    )
    zero_left = threshold >= 0
    # LightGBM replaces values as small as this by 0 before it compares them.
    as_zero = np.where(zero_left, _SMALL, np.nextafter(-_SMALL, -1))
    threshold = np.where(
        (np.abs(threshold) <= _SMALL) & ~by_category, as_zero, threshold
    )
    moved_zeros = ~by_category & (missing == 1) & (default_left != zero_left)
    if moved_zeros.any():
        raise ValueError(
            "model: zero_as_missing is supported only if zeros go where the threshold"
            " sends 0"
        )
    # If only zeros count as missing, or no value does, LightGBM treats NaN as 0.
    missing_left = np.where(missing == 2, default_left, zero_left) & ~by_category
    nodes: dict[str, Any] = {"n_features": int(header["max_feature_idx"]) + 1}
    nodes["missing_go_to_left"] = _with_leaves(missing_left, n_nodes, False)
    for side in ("left", "right"):
        child = _numbers(fields, f"{side}_child", np.int64, n_internal)
        child = np.where(
            child < 0, n_internal - 1 - child, child
        )  # LightGBM writes ~i for leaf i.
        nodes[f"children_{side}"] = _with_leaves(child, n_nodes, -1)
    nodes["feature"] = _with_leaves(
        _numbers(fields, "split_feature", np.int64, n_internal), n_nodes, -2
    )
    nodes["threshold"] = _with_leaves(
        np.where(by_category, 0.0, threshold), n_nodes, -2.0
    )
    if by_category.any():
        bounds = np.fromstring(fields["cat_boundaries"], dtype=np.int64, sep=" ")
        words = np.fromstring(fields["cat_threshold"], dtype=np.uint32, sep=" ").astype(
            "<u4"
        )
        sets = {}
        for node in np.flatnonzero(by_category).tolist():
            index = int(threshold[node])
            bits = np.unpackbits(
                words[bounds[index] : bounds[index + 1]].view(np.uint8),
                bitorder="little",
            )
            sets[node] = np.flatnonzero(bits)
        nodes["left_categories"] = category_table(sets, n_nodes)
    return nodes


def _pairs(lines: str) -> dict[str, str]:
    """The names and values of lines of the form name=value."""
    return {
        name: value
        for name, _, value in (line.partition("=") for line in lines.splitlines())
    }


def _numbers(
    fields: dict[str, str], name: str, dtype: Any, length: int
) -> NDArray[Any]:
    """The values of a line, or an empty array for a tree of one leaf."""
    return (
        np.array(fields[name].split(), dtype=np.float64).astype(dtype)
        if length
        else np.empty(0, dtype)
    )


def _with_leaves(values: NDArray[Any], n_nodes: int, at_leaves: Any) -> NDArray[Any]:
    """The values of the internal nodes, followed by the same value for every leaf."""
    return np.append(
        values, np.full(n_nodes - len(values), at_leaves, dtype=values.dtype)
    )
