"""One tree of an XGBoost model, read from the model's own JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds.formats._boosters import booster_of, check_has_trees, choose_tree
from treebounds.formats._nodes import Nodes
from treebounds.formats._samples import Sample, tree_of_sample
from treebounds.trees._arrays import preorder
from treebounds.trees.array_tree import ArrayTree

__all__ = ["all_xgboost_trees", "from_xgboost", "read_xgboost"]

_CLASSIFICATION = ("binary:", "multi:")


def from_xgboost(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    tree: int | None = None,
    sample_weight: ArrayLike | None = None,
    class_counts: ArrayLike | None = None,
    target_sums: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> ArrayTree:
    """One tree of an XGBoost model, with the class counts or the sums of y of a sample.

    It sends every example to the node that ``predict(pred_leaf=True)`` returns, except
    that nodes are renumbered if XGBoost has deleted some (``tree_method="exact"`` with
    ``gamma``). XGBoost's "x < t" becomes "x <= s" with the largest 32-bit number s
    below t. Where XGBoost splits by categories, left and right are exchanged, because
    it sends the categories of a set to the right. A leaf predicts the class with the
    largest count, or the mean of y, of the sample, not XGBoost's own score, which is
    shrunken.

    >>> import xgboost
    >>> from treebounds.formats import from_xgboost
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 10, [0, 0, 1, 1] * 10
    >>> model = xgboost.XGBClassifier(n_estimators=1, max_depth=1).fit(X, y)
    >>> from_xgboost(model, X, y).class_counts.tolist()
    [[20.0, 20.0], [20.0, 0.0], [0.0, 20.0]]

    Parameters
    ----------
    model : xgboost.Booster, xgboost.XGBClassifier or xgboost.XGBRegressor
        XGBoost writes the objective reg:squarederror for a function as objective: give
        ``classes`` if a Booster with one has labels.
    X : (n_examples, n_features) array or frame, or an iterable of batches
        As in :func:`from_lightgbm`. XGBoost takes the absent entries of sparse matrices
        for missing values: give dense rows with NaN there.
    y, tree, sample_weight, class_counts, target_sums, classes
        As in :func:`from_lightgbm`.

    Returns
    -------
    ArrayTree

    Raises
    ------
    ValueError
        If the model has no trees (gblinear, 0 rounds), has several and ``tree`` is
        missing, or has leaves with several outputs; or if columns differ from the
        model's, or a label is not among its classes; or if names of categories have
        letters beyond ASCII, since XGBoost does not keep them as they are.
    """
    sample = Sample(
        X=X,
        y=y,
        sample_weight=sample_weight,
        class_counts=class_counts,
        target_sums=target_sums,
        classes=classes,
    )
    nodes, objective, model_classes = read_xgboost(model, tree)
    regression = not objective.startswith(_CLASSIFICATION) and model_classes is None
    return tree_of_sample(nodes, sample, model_classes, regression)


def read_xgboost(model: Any, tree: int | None = None) -> tuple[Nodes, str, Any]:
    """The nodes of one tree, numbered as in the model, the objective of the model and
    its classes.

    XGBoost sends the categories of a set to the right and all others to the left, so
    the children of such nodes are exchanged here.

    Parameters
    ----------
    model : xgboost.Booster or a wrapper of one
    tree : int, optional
        Number of the tree, from 0; needed if the model has several.

    Returns
    -------
    nodes : Nodes
    objective : str
    classes : array, int or None
        Labels, or the number of classes if the model has no labels; None for a model
        of numbers.

    Raises
    ------
    ValueError
        If the model has no trees, has leaves with several outputs, or has missing
        values that are not NaN.
    """
    booster = booster_of(model, "XGBoost", "XGBModel")
    missing = getattr(model, "missing", np.nan)
    if missing is not None and not np.isnan(missing):
        raise ValueError(
            f"model: missing={missing} is not supported; put NaN in its place and fit"
            " with missing=NaN"
        )
    n_rounds = _n_rounds(model, booster)
    first, _ = _rounds(booster, slice(0, 1))
    width = len(first)
    number = choose_tree(tree, width * n_rounds)

    trees, learner = _rounds(booster, slice(number // width, number // width + 1))
    objective = learner["objective"]["name"]
    classes = getattr(model, "classes_", None)
    if classes is None and objective.startswith(_CLASSIFICATION):
        classes = max(2, int(learner["learner_model_param"]["num_class"]))
    nodes = _nodes(trees[number % width], learner, _category_names(booster))
    return nodes, objective, classes


def all_xgboost_trees(model: Any) -> tuple[list[Nodes], str, int]:
    """The nodes of all trees with which a model predicts, its objective, and the number
    of its outputs.
    """
    booster = booster_of(model, "XGBoost", "XGBModel")
    trees, learner = _rounds(booster, slice(0, _n_rounds(model, booster)))
    n_outputs = max(
        int(learner["learner_model_param"][name])
        for name in ("num_class", "num_target")
    )
    nodes = [_nodes(tree, learner) for tree in trees]
    return nodes, learner["objective"]["name"], n_outputs


def _n_rounds(model: Any, booster: Any) -> int:
    """The number of rounds with which a model predicts, or a ValueError if it has no
    trees.

    After early stopping the wrappers for scikit-learn predict with the best iteration,
    a Booster with all.
    """
    config = json.loads(booster.save_config())
    if config["learner"]["gradient_booster"]["name"] == "gblinear":
        raise ValueError(
            "model: booster='gblinear' has no trees; fit with 'gbtree' or 'dart'"
        )
    n_rounds = int(booster.num_boosted_rounds())
    check_has_trees(n_rounds)
    if model is booster or booster.attr("best_iteration") is None:
        return n_rounds
    return min(n_rounds, int(booster.attr("best_iteration")) + 1)


def _rounds(booster: Any, rounds: slice) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The trees of some rounds of boosting, and the entry "learner" of their JSON."""
    part = booster if rounds == slice(None) else booster[rounds]
    learner = json.loads(part.save_raw("json"))["learner"]
    return _inner_model(learner)["trees"], learner


def _inner_model(learner: dict[str, Any]) -> dict[str, Any]:
    """The entry that holds the trees; "dart" has one layer more."""
    inside = learner["gradient_booster"]
    model: dict[str, Any] = inside.get("gbtree", inside)["model"]
    return model


def _nodes(
    tree: dict[str, Any],
    learner: dict[str, Any],
    category_names: dict[int, Sequence[Any]] | None = None,
) -> Nodes:
    """The nodes of a tree, without those that XGBoost has deleted."""
    if int(tree["tree_param"].get("size_leaf_vector", "1")) > 1:
        raise ValueError(
            "model: leaves with several outputs (multi_output_tree) are not supported;"
            " fit with multi_strategy='one_output_per_tree'"
        )
    left = np.array(tree["left_children"], dtype=np.int64)
    right = np.array(tree["right_children"], dtype=np.int64)
    remaining = np.sort(preorder(left, right))
    # Index -1, the child of leaves, is the last entry.
    number = np.full(len(left) + 1, -1)
    number[remaining] = np.arange(len(remaining))

    internal = left >= 0
    by_category = (np.array(tree["split_type"]) == 1) & internal
    by_threshold = internal & ~by_category
    limits = np.array(tree["split_conditions"], np.float32)
    threshold = np.where(by_threshold, limits, 0)
    default_left = np.array(tree["default_left"], dtype=bool)
    # No value is below minus infinity, which XGBoost refuses as a value.
    strict = by_threshold & ~np.isneginf(threshold)
    return Nodes(
        children_left=number[np.where(by_category, right, left)][remaining],
        children_right=number[np.where(by_category, left, right)][remaining],
        feature=np.array(tree["split_indices"], dtype=np.int64)[remaining],
        threshold=threshold[remaining],
        missing_go_to_left=(default_left ^ by_category)[remaining],
        left_categories=_left_categories(tree, number),
        strict=strict[remaining],
        n_features=int(tree["tree_param"]["num_feature"]),
        input_dtype=np.float32,
        feature_names=learner.get("feature_names") or None,
        category_names=category_names,
    )


def _left_categories(
    tree: dict[str, Any], number: NDArray[np.int64]
) -> dict[int, Sequence[int]]:
    """The set of categories of each node that has one, by its new number."""
    segments = zip(
        tree["categories_nodes"],
        tree["categories_segments"],
        tree["categories_sizes"],
        strict=True,
    )
    return {
        int(number[node]): tree["categories"][start : start + size]
        for node, start, size in segments
        if number[node] >= 0
    }


def _category_names(booster: Any) -> dict[int, Sequence[Any]]:
    """The names of the numbers of categories, which XGBoost keeps from 3.1 on."""
    if "c" not in (booster.feature_types or []):
        return {}
    # A part of the rounds would not have them.
    _, learner = _rounds(booster, slice(None))
    encodings = _inner_model(learner).get("cats", {}).get("enc", [])
    names = {feature: _decoded(encoding) for feature, encoding in enumerate(encodings)}
    return {feature: words for feature, words in names.items() if words}


def _decoded(encoding: Mapping[str, Any]) -> list[Any]:
    """The categories of a feature: numbers, or words that are kept as one text."""
    values = encoding["values"]
    if "offsets" not in encoding:
        return list(values)
    text = bytes(value & 0xFF for value in values)
    if not text.isascii():
        # XGBoost counts letters where it should count bytes, and cuts the text.
        raise ValueError(
            "model: XGBoost does not keep the names of categories with letters beyond"
            " ASCII as they are; give all categories names in ASCII, or numbers, and"
            " fit again"
        )
    return [text[start:end].decode() for start, end in pairwise(encoding["offsets"])]
