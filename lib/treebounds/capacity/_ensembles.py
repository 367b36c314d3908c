"""The trees of a model that predicts a sum of trees, an ensemble of scikit-learn or a
booster, and the errors for models of another kind.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from treebounds._validation import place_of_tree
from treebounds.formats._nodes import assemble
from treebounds.formats.lightgbm import all_lightgbm_trees
from treebounds.formats.xgboost import all_xgboost_trees
from treebounds.structure import TreeStructure

# Ensembles of scikit-learn that predict, or compare with a threshold, a sum of trees.
_SUMS = {
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
}


def check_task(model: Any, regression: bool) -> None:
    """Raise a ValueError for a model of the other task.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.capacity._ensembles import check_task
    >>> check_task(DecisionTreeClassifier(), regression=False)
    """
    predicts_other = isinstance(model, RegressorMixin)
    if regression:
        predicts_other = isinstance(model, ClassifierMixin)
    if predicts_other:
        _refuse_task(model, regression)


def trees_of_ensemble(model: Any) -> list[TreeStructure]:
    """The trees of a scikit-learn ensemble that predicts, or compares with a threshold,
    a sum of trees.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treebounds.capacity._ensembles import trees_of_ensemble
    >>> forest = RandomForestClassifier(3).fit([[0], [1]], ["a", "b"])
    >>> len(trees_of_ensemble(forest))
    3
    """
    class_names = {parent.__name__ for parent in type(model).__mro__}
    if not (hasattr(model, "estimators_") and class_names & _SUMS):
        if class_names & _SUMS:
            _refuse(model, "is not fitted")
        _refuse(model, "is not a supported sum of trees")
    if getattr(model, "n_outputs_", 1) != 1:
        _refuse(model, "has several outputs")
    if np.any(getattr(model, "n_classes_", 2) > 2):
        _refuse(model, f"has {model.n_classes_} classes, not two")
    if getattr(model, "init", None) not in (None, "zero"):
        _refuse(model, "adds its trees to another model, init")

    structures = []
    for member in model.estimators_:
        # Gradient boosting has an array of members, stages times classes.
        tree = member[0] if isinstance(member, np.ndarray) else member
        if not hasattr(tree, "tree_"):
            _refuse(model, f"has a {type(tree).__name__} among its members")
        structures.append(TreeStructure.from_sklearn(tree))
    return structures


def boosted_trees(
    model: Any, library: str, regression: bool
) -> tuple[list[TreeStructure], int]:
    """The trees of a model of XGBoost or LightGBM, and their number of features.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.capacity._ensembles import boosted_trees
    >>> boosted_trees(DecisionTreeClassifier(), "xgboost", regression=False)
    Traceback (most recent call last):
    ValueError: tree: DecisionTreeClassifier cannot be read ...
    """
    read_trees = all_xgboost_trees if library == "xgboost" else all_lightgbm_trees
    try:
        trees, objective, n_outputs = read_trees(model)
    except ValueError as error:
        _refuse(model, f"cannot be read ({error})")

    has_classes = objective.startswith(("binary", "multi"))
    classifies = has_classes or isinstance(model, ClassifierMixin)
    if classifies == regression:
        _refuse_task(model, regression)

    if n_outputs > 1 and classifies:
        _refuse(model, "has more than two classes")
    if n_outputs > 1:
        _refuse(model, "has several outputs")
    if any(tree.left_categories for tree in trees):
        # A list of its trees, which other refusals propose, has the same splits.
        raise ValueError(
            f"tree: {type(model).__name__} splits by sets of categories; the bounds of"
            " sums are for splits by thresholds: fit it to columns of numbers, for"
            " example with sklearn.preprocessing.OneHotEncoder"
        )

    return [assemble(tree).structure for tree in trees], trees[0].n_features


def _refuse_task(model: Any, regression: bool) -> NoReturn:
    """Raise a ValueError that names the functions for the other task."""
    kind, prefix = "a classifier", "pseudo"
    if regression:
        kind, prefix = "a regressor", "vc"
    raise ValueError(
        f"tree must be {kind}; {prefix}_dimension_lower_bound and"
        f" {prefix}_dimension_upper_bound are for {type(model).__name__}"
    )


def _refuse(model: Any, reason: str) -> NoReturn:
    """Raise a ValueError with the reason why a model is not accepted, and the
    alternative.
    """
    instead = "pass a list of trees to bound their sum"
    place = place_of_tree(model)
    if place:
        instead = f"pass the tree that it holds, {place}"
    elif _is_unfitted(model):
        instead = "fit it first"
    raise ValueError(f"tree: {type(model).__name__} {reason}; {instead}")


def _is_unfitted(model: Any) -> bool:
    """Whether a model of scikit-learn has not been fitted yet."""
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError) as error:
        return isinstance(error, NotFittedError)
    return False
