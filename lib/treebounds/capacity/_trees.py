"""Structures and numbers of features, read from a structure, a tree, a list of these or
an ensemble.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from treebounds.capacity.features import FeatureKinds, check_features
from treebounds.formats._assemble import assemble
from treebounds.formats.lightgbm import all_lightgbm_trees
from treebounds.formats.xgboost import all_xgboost_trees
from treebounds.structure import TreeStructure

_SUMS = {
    *(
        "RandomForestClassifier",
        "ExtraTreesClassifier",
        "BaggingClassifier",
        "AdaBoostClassifier",
    ),
    *("RandomForestRegressor", "ExtraTreesRegressor", "BaggingRegressor"),
    *("GradientBoostingClassifier", "GradientBoostingRegressor"),
}


def check_structure(structure: Any, n_features: Any = math.inf) -> TreeStructure:
    """Return the structure itself or that of a fitted tree, or raise a ValueError that
    names the argument.

    A fitted tree may test only the first ``n_features`` features, and if it splits by
    sets of categories, they must be :class:`FeatureKinds`. Otherwise a bound would not
    hold for it.
    """
    if isinstance(structure, TreeStructure):
        return structure
    fitted, found = structure, getattr(structure, "structure", None)
    if hasattr(structure, "tree_"):
        fitted, found = structure.tree_, TreeStructure.from_sklearn(structure)
    if not isinstance(found, TreeStructure):
        kinds = "a TreeStructure, an ArrayTree or a fitted scikit-learn tree"
        raise ValueError(f"structure must be {kinds}; got {type(structure).__name__}")
    used, given = (
        int(np.max(fitted.feature)) + 1,
        getattr(n_features, "n_features", n_features),
    )
    if used > given:
        raise ValueError(
            f"n_features must be at least {used}, which structure needs; got {given}"
        )
    if np.any(getattr(fitted, "asks_for_category", False)) and not getattr(
        n_features, "n_finite_splits", 0
    ):
        raise ValueError(
            "structure splits by sets of categories; only bounds for FeatureKinds hold"
            " for it"
        )
    return found


def check_trees(
    structure: Any, n_features: Any, regression: bool = False
) -> tuple[list[TreeStructure], FeatureKinds]:
    """Structures of all trees, without single leaves, which only add a constant, and
    the kinds of features.

    Parameters
    ----------
    structure : TreeStructure, ArrayTree, fitted tree, list of these, or fitted ensemble
    n_features : int, FeatureKinds or None
        None stands for the number of features of fitted trees.
    regression : bool
        Whether the trees predict numbers, not classes.

    Raises
    ------
    ValueError
        If ``structure`` is of another type, has trees on different numbers of features,
        or is a regressor in place of a classifier or vice versa; or if ``n_features``
        is not the number of features of the trees.
    """
    trees, known = _read_trees(structure, n_features, regression)
    if n_features is None and known is None:
        raise ValueError(
            "n_features may be omitted only for fitted trees; a TreeStructure does not"
            " have it"
        )
    kinds = check_features(known if n_features is None else n_features)
    if known is not None and kinds.n_features != known:
        raise ValueError(
            f"n_features must be {known}, as in structure; got {kinds.n_features}"
        )
    if len(trees) > 1 and kinds.n_finite_splits:
        raise ValueError(
            "n_features must be an integer (of real-valued features) for more than one"
            " tree"
        )
    return [tree for tree in trees if not tree.is_leaf], kinds


def _read_trees(
    structure: Any, kinds: Any, regression: bool
) -> tuple[list[TreeStructure], int | None]:
    """Structures of trees, and the number of features if fitted trees have it."""
    library = type(structure).__module__.partition(".")[0]
    if library in ("xgboost", "lightgbm"):
        return _boosted(structure, library, regression)
    given = structure if isinstance(structure, list | tuple) else [structure]
    for model in given:
        if isinstance(model, ClassifierMixin if regression else RegressorMixin):
            _refuse_task(model, regression)
    if (
        given is not structure
        and hasattr(structure, "fit")
        and not hasattr(structure, "tree_")
    ):
        return _members(structure), structure.n_features_in_
    if not given:
        raise ValueError("structure must not be an empty list")
    known = {
        getattr(tree, "n_features_in_", getattr(tree, "n_features", 0))
        for tree in given
    } - {0}
    if len(known) > 1:
        raise ValueError(
            f"structure: its trees have different numbers of features, {sorted(known)}"
        )
    kinds = kinds if isinstance(kinds, FeatureKinds) else math.inf
    return [check_structure(tree, kinds) for tree in given], (
        known.pop() if known else None
    )


def _refuse_task(model: Any, regression: bool) -> NoReturn:
    """Raise a ValueError that names the functions for the other task."""
    meant, other = ("a regressor", "vc") if regression else ("a classifier", "pseudo")
    functions = f"{other}_dimension_lower_bound and {other}_dimension_upper_bound"
    raise ValueError(
        f"structure must be {meant}; {functions} are for {type(model).__name__}"
    )


def _refuse(model: Any, reason: str) -> NoReturn:
    """Raise a ValueError with the reason why a model is not accepted, and the
    alternative.
    """
    raise ValueError(
        f"structure: {type(model).__name__} {reason}; pass a list of trees to bound"
        " their sum"
    )


def _members(model: Any) -> list[TreeStructure]:
    """The trees of a scikit-learn ensemble that predicts, or compares with a threshold,
    a sum of trees.
    """
    if not (
        hasattr(model, "estimators_")
        and {kind.__name__ for kind in type(model).__mro__} & _SUMS
    ):
        _refuse(model, "is not fitted, or not a supported sum of trees")
    if getattr(model, "n_outputs_", 1) != 1:
        _refuse(model, "has several outputs")
    if np.any(getattr(model, "n_classes_", 2) > 2):
        _refuse(model, f"has {model.n_classes_} classes, not two")
    if getattr(model, "init", None) not in (None, "zero"):
        _refuse(model, "adds its trees to another model, init")
    # Gradient boosting has an array of members, stages times classes.
    members = [
        one[0] if isinstance(one, np.ndarray) else one for one in model.estimators_
    ]
    for member in members:
        if not hasattr(member, "tree_"):
            _refuse(model, f"has a {type(member).__name__} among its members")
    return [TreeStructure.from_sklearn(member) for member in members]


def _boosted(
    model: Any, library: str, regression: bool
) -> tuple[list[TreeStructure], int]:
    """The trees of a model of XGBoost or LightGBM."""
    try:
        read = all_xgboost_trees if library == "xgboost" else all_lightgbm_trees
        trees, objective, n_outputs = read(model)
    except ValueError as error:
        _refuse(model, f"cannot be read ({error})")
    classifies = isinstance(model, ClassifierMixin) or objective.startswith(
        ("binary", "multi")
    )
    if classifies == regression:
        _refuse_task(model, regression)
    if n_outputs > 1:
        _refuse(
            model, "has more than two classes" if classifies else "has several outputs"
        )
    if any(tree.get("left_categories") is not None for tree in trees):
        _refuse(model, "splits categories, not numbers")
    return [assemble(**tree).structure for tree in trees], trees[0]["n_features"]
