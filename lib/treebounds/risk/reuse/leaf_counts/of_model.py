"""The numbers of rows at the leaves of any fitted tree, or of one of an ensemble.

A tree's own sample is recognized by them, see
:mod:`treebounds.risk.reuse.leaf_evidence`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.base import is_regressor

from treebounds.risk.reuse.leaf_counts.array_trees import of_array_tree
from treebounds.risk.reuse.leaf_counts.histogram_boosting import of_histogram_boosting
from treebounds.risk.reuse.leaf_counts.lightgbm import of_lightgbm
from treebounds.risk.reuse.leaf_counts.record import LeafCounts
from treebounds.risk.reuse.leaf_counts.scikit_learn import of_scikit_learn
from treebounds.risk.reuse.leaf_counts.xgboost import of_xgboost
from treebounds.trees import ArrayTree


def leaf_counts(model: Any, place: int = 0) -> LeafCounts | None:
    """The numbers of rows at the leaves of a tree, or of the first or the last tree of
    an ensemble. The last one was grown on other rows if the ensemble was continued.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.reuse.leaf_counts.of_model import leaf_counts
    >>> tree = DecisionTreeClassifier().fit([[0], [1], [2]], ["a", "b", "b"])
    >>> counts = leaf_counts(tree)
    >>> counts and counts.grown.tolist()
    [[1.0, 0.0], [0.0, 2.0]]

    Parameters
    ----------
    model : object
        Any fitted classifier or tree.
    place : {0, -1}
        The first or the last tree.

    Returns
    -------
    LeafCounts or None
        None if the model keeps none, or the tree is a single leaf. None, too, for the
        last tree of a model that is a single tree, or one of XGBoost's.
    """
    counts = _read(model, place)
    if counts is None or len(counts.grown) < 2:
        return None
    is_array = isinstance(model, ArrayTree)
    is_regression = model.is_regression if is_array else is_regressor(model)
    counts = replace(counts, is_regression=is_regression)
    if counts.of_a_class is None or place or is_regression:
        # Later trees are grown where predictions differ.
        return replace(counts, of_a_class=None)
    return replace(counts, label=model.classes_[counts.of_a_class.place])


def _read(model: Any, place: int) -> LeafCounts | None:
    """The numbers as the model's library keeps them."""
    if hasattr(model, "booster_"):
        return of_lightgbm(model.booster_, place)
    if hasattr(model, "_predictors"):
        return of_histogram_boosting(model, place)
    if place and not hasattr(model, "estimators_"):
        return None
    if isinstance(model, ArrayTree):
        return of_array_tree(model)
    if hasattr(model, "get_booster"):
        return of_xgboost(model)
    return of_scikit_learn(model, place)
