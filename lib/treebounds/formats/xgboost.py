"""One tree of an XGBoost model, read from the model's own JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treebounds.formats._assemble import (
    booster_of,
    category_table,
    choose_tree,
    from_model,
)
from treebounds.trees._arrays import preorder
from treebounds.trees.array_tree import ArrayTree

_CLASSIFICATION = ("binary:", "multi:")


def from_xgboost(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    tree: int | None = None,
    sample_weight: ArrayLike | None = None,
    class_counts: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> ArrayTree:
    """One tree of an XGBoost classifier, with the class counts of a sample.

    It sends every example to the node that ``predict(pred_leaf=True)`` returns,
    except that nodes are renumbered if XGBoost has deleted some
    (``tree_method="exact"`` with ``gamma``). XGBoost's "x < t" becomes "x <= s"
    with the largest 32-bit number s below t. Where XGBoost splits by categories,
    left and right are exchanged, because it sends the categories of a set to the
    right.

    Parameters
    ----------
    model : xgboost.Booster or xgboost.XGBClassifier
    X, y, tree, sample_weight, class_counts, classes
        As in :func:`from_lightgbm`.

    Returns
    -------
    ArrayTree

    Raises
    ------
    ValueError
        If the model is not a classifier, has no trees (gblinear), has several and
        ``tree`` is missing, has leaves with several outputs, or a label is not
        among its classes.

    Examples
    --------
    >>> import xgboost
    >>> from treebounds.formats import from_xgboost
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 10, [0, 0, 1, 1] * 10
    >>> model = xgboost.XGBClassifier(n_estimators=1, max_depth=1).fit(X, y)
    >>> from_xgboost(model, X, y).class_counts.tolist()
    [[20.0, 20.0], [20.0, 0.0], [0.0, 20.0]]
    """
    return from_model(
        *read_xgboost(model, tree), X, y, sample_weight, class_counts, classes
    )


def read_xgboost(model: Any, tree: int | None = None) -> tuple[dict[str, Any], Any]:
    """The nodes of one tree, numbered as in the model, and the classes of the model.

    XGBoost sends the categories of a set to the right and all others to the left, so
    the children of such nodes are exchanged here.

    Parameters
    ----------
    model : xgboost.Booster or xgboost.XGBClassifier
    tree : int, optional
        Number of the tree, from 0; needed if the model has several.

    Returns
    -------
    dict
        Arguments of ``assemble``.
    array or int
        Labels, or the number of classes if the model has no labels.

    Raises
    ------
    ValueError
        If the model is not an XGBoost classification model, has no trees (gblinear),
        has leaves with several outputs, or has missing values that are not NaN.
    """
    booster = booster_of(model, "XGBoost", "XGBModel")
    missing = getattr(model, "missing", np.nan)
    if missing is not None and not np.isnan(missing):
        raise ValueError(
            f"model: missing={missing} is not supported; missing values must be NaN"
        )
    trees, learner = _rounds(booster, slice(0, 1))
    objective = learner["objective"]["name"]
    if not objective.startswith(_CLASSIFICATION):
        raise ValueError(f"model must be a classifier; its objective is {objective}")
    number, width = (
        choose_tree(tree, len(trees) * booster.num_boosted_rounds()),
        len(trees),
    )
    trees, learner = _rounds(booster, slice(number // width, number // width + 1))
    classes = getattr(
        model, "classes_", max(2, int(learner["learner_model_param"]["num_class"]))
    )
    return _nodes(trees[number % width]), classes


def all_xgboost_trees(model: Any) -> tuple[list[dict[str, Any]], str, int]:
    """The nodes of all trees of a model, its objective, and the number of its outputs."""
    trees, learner = _rounds(booster_of(model, "XGBoost", "XGBModel"), slice(None))
    n_outputs = max(
        int(learner["learner_model_param"][name])
        for name in ("num_class", "num_target")
    )
    return list(map(_nodes, trees)), learner["objective"]["name"], n_outputs


def _rounds(booster: Any, rounds: slice) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The trees of some rounds of boosting, and the entry "learner" of their JSON, or a
    ValueError.
    """
    if (
        json.loads(booster.save_config())["learner"]["gradient_booster"]["name"]
        == "gblinear"
    ):
        raise ValueError("model: booster='gblinear' has no trees")
    learner = json.loads(booster[rounds].save_raw("json"))["learner"]
    inside = learner["gradient_booster"]
    return inside.get("gbtree", inside)["model"]["trees"], learner


def _nodes(tree: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a tree, without the nodes that XGBoost has deleted."""
    if int(tree["tree_param"].get("size_leaf_vector", "1")) > 1:
        raise ValueError(
            "model: leaves with several outputs (multi_output_tree) are not supported"
        )
    left, right = (
        np.array(tree[f"{side}_children"], dtype=np.int64) for side in ("left", "right")
    )
    kept = np.sort(preorder(left, right))
    number = np.full(
        len(left) + 1, -1
    )  # Index -1, the child of leaves, is the last entry.
    number[kept] = np.arange(len(kept))
    by_category = (np.array(tree["split_type"]) == 1) & (left >= 0)
    starts, sizes = tree["categories_segments"], tree["categories_sizes"]
    sets = {
        int(number[node]): tree["categories"][start : start + size]
        for node, start, size in zip(
            tree["categories_nodes"], starts, sizes, strict=True
        )
    }
    columns = {
        "children_left": number[np.where(by_category, right, left)],
        "children_right": number[np.where(by_category, left, right)],
        "feature": np.array(tree["split_indices"], dtype=np.int64),
        "threshold": np.where(
            by_category | (left < 0), 0, np.array(tree["split_conditions"], np.float32)
        ),
        "missing_go_to_left": np.array(tree["default_left"], dtype=bool) ^ by_category,
        "strict": ~by_category & (left >= 0),
    }
    nodes: dict[str, Any] = {name: column[kept] for name, column in columns.items()}
    nodes["left_categories"] = category_table(sets, len(kept))
    return nodes | {
        "n_features": int(tree["tree_param"]["num_feature"]),
        "input_dtype": np.float32,
    }
