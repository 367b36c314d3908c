"""One tree of an XGBoost model, read from the model's own JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from treebounds.trees._assemble import category_table, choose_tree

_CLASSIFICATION = ("binary:", "multi:")


def read_xgboost(model: Any, tree: int | None = None) -> tuple[dict[str, Any], Any]:
    """The nodes of one tree, numbered as in the model, and the classes of the model.

    XGBoost sends the categories of a set to the right and all others to the left: such nodes are mirrored.

    Parameters
    ----------
    model : xgboost.Booster or xgboost.XGBClassifier
    tree : int, optional
        Its number; needed where the model has several.

    Returns
    -------
    dict
        Arguments of ``assemble``.
    array or int
        Labels, or the number of classes if the model has no labels.

    Raises
    ------
    ValueError
        If it is not an XGBoost classification model, has no trees (gblinear), leaves with several outputs, or
        another number than NaN for missing values.
    """
    found = type(model).__module__.startswith("xgboost")
    booster = model.get_booster() if found and hasattr(model, "get_booster") else model
    if not (found and hasattr(booster, "save_raw")):
        raise ValueError(f"model must be an XGBoost booster or classifier; got {type(model).__name__}")
    missing = getattr(model, "missing", np.nan)
    if missing is not None and not np.isnan(missing):
        raise ValueError(f"model: missing={missing} stands for missing values; only NaN is read")
    trees, learner = _round(booster, 0)
    number = choose_tree(tree, len(trees) * booster.num_boosted_rounds())
    nodes = _round(booster, number // len(trees))[0][number % len(trees)]
    if int(nodes["tree_param"].get("size_leaf_vector", "1")) > 1:
        raise ValueError("model: leaves with several outputs (multi_output_tree) are not supported")
    parameters = learner["learner_model_param"]
    classes = getattr(model, "classes_", max(2, int(parameters["num_class"])))
    return _nodes(nodes) | {"n_features": int(parameters["num_feature"])}, classes


def _round(booster: Any, number: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The trees of one round of boosting, and the model's parameters, or a ValueError."""
    name = json.loads(booster.save_config())["learner"]["gradient_booster"]["name"]
    if name == "gblinear":
        raise ValueError("model: booster='gblinear' has no trees")
    learner = json.loads(booster[number : number + 1].save_raw("json"))["learner"]
    objective = learner["objective"]["name"]
    if not objective.startswith(_CLASSIFICATION):
        raise ValueError(f"model must be a classifier; its objective is {objective}")
    inside = learner["gradient_booster"]
    return inside.get("gbtree", inside)["model"]["trees"], learner


def _nodes(tree: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a tree."""
    left, right = (np.array(tree[f"{side}_children"], dtype=np.int64) for side in ("left", "right"))
    by_category = (np.array(tree["split_type"]) == 1) & (left >= 0)
    starts, sizes = tree["categories_segments"], tree["categories_sizes"]
    sets = {
        node: tree["categories"][start : start + size]
        for node, start, size in zip(tree["categories_nodes"], starts, sizes, strict=True)
    }
    return {
        "children_left": np.where(by_category, right, left),
        "children_right": np.where(by_category, left, right),
        "feature": np.array(tree["split_indices"], dtype=np.int64),
        "threshold": np.where(by_category | (left < 0), 0, np.array(tree["split_conditions"], np.float32)),
        "missing_go_to_left": np.array(tree["default_left"], dtype=bool) ^ by_category,
        "left_categories": category_table(sets, len(left)),
        "strict": ~by_category & (left >= 0),
        "input_dtype": np.float32,
    }
