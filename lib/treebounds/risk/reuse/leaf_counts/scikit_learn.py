"""The numbers of rows at the leaves of a tree of scikit-learn, or of the first or last
tree of a forest, a bagging or gradient boosting.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.utils.validation import check_array

from treebounds.risk.reuse.leaf_counts.class_numbers import (
    ClassNumbers,
    FirstStep,
    place_of_first_tree,
)
from treebounds.risk.reuse.leaf_counts.record import LeafCounts
from treebounds.risk.reuse.leaf_counts.weights import numbers_without_weights


def of_scikit_learn(model: Any, place: int) -> LeafCounts | None:
    """The numbers at the leaves of a tree, or of the first or last one of an ensemble;
    None if the model has no trees.
    """
    member = _member(model, place)
    tree: Any = getattr(member, "tree_", None)
    if not hasattr(tree, "n_node_samples"):
        return None
    leaves = np.flatnonzero(tree.children_left < 0)
    columns = getattr(model, "estimators_features_", [slice(None)])[place]

    def leaf_of(X: Any) -> NDArray[np.intp]:
        # The members of a forest do not know the names of columns.
        if not hasattr(member, "feature_names_in_"):
            # A frame of sparse columns becomes a matrix whose columns cannot be taken.
            X = check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False)
            X = X[:, columns]
        reached: NDArray[np.intp] = np.searchsorted(leaves, member.apply(X))
        return reached

    counts = LeafCounts(
        grown=tree.n_node_samples[leaves].astype(float)[:, np.newaxis],
        classes=None,
        leaf_of=leaf_of,
        n_rows=int(tree.n_node_samples[0]),
    )
    if isinstance(model, GradientBoostingClassifier):
        of_a_class = _of_gradient_boosting(model, tree, leaves)
        return replace(counts, of_a_class=of_a_class)
    # Asked of the class, because the model would draw the rows of all its members.
    if hasattr(type(model), "estimators_samples_") and not _takes_all_rows(model, tree):
        counts = replace(
            counts, samples=lambda: _drawn_rows(model, place), n_rows=_n_rows_of(model)
        )
    if member is model and is_regressor(model):
        return _with_sums(counts, tree, leaves)
    return _by_classes(counts, tree, leaves, getattr(model, "classes_", ()))


def _with_sums(counts: LeafCounts, tree: Any, leaves: NDArray[np.intp]) -> LeafCounts:
    """The numbers at the leaves of a regression tree with the sums of y, where its
    values are means of rows without weights.
    """
    weights = tree.weighted_n_node_samples
    if tree.value.shape[1:] != (1, 1) or not _are_means(tree):
        return counts
    if not np.array_equal(weights, tree.n_node_samples):
        return counts
    sums = tree.value[leaves, 0, 0] * weights[leaves]
    grown = np.column_stack([counts.grown, sums])
    return replace(counts, grown=grown, is_of_numbers=True)


def _are_means(tree: Any) -> bool:
    """Whether the values of the nodes of a scikit-learn tree are means over their rows:
    then the mean over two branches is the value of their node. It is not if values are
    medians, or were moved to be monotonic.
    """
    sums = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, np.newaxis]
    nodes = np.flatnonzero(tree.children_left >= 0)
    left, right = sums[tree.children_left[nodes]], sums[tree.children_right[nodes]]
    allowed = 1e-9 * (np.abs(left) + np.abs(right) + np.abs(sums[nodes]))
    return bool((np.abs(left + right - sums[nodes]) <= allowed).all())


def _by_classes(
    counts: LeafCounts, tree: Any, leaves: NDArray[np.intp], classes: Any
) -> LeafCounts:
    """The numbers at the leaves of a tree of scikit-learn by classes, where they are
    numbers of rows, or follow from sums of weights.
    """
    labels = np.asarray(classes).tolist()
    weights = tree.weighted_n_node_samples
    if len(labels) < 2 or tree.value.shape[1:] != (1, len(labels)):
        return counts
    if not _are_means(tree):
        return counts
    at_root = tree.value[0, 0, :] * weights[0]
    counts = replace(counts, n_drawn=_drawn_of_classes(labels, at_root, counts))
    grown = tree.value[leaves, 0, :] * weights[leaves, np.newaxis]
    if not np.array_equal(weights, tree.n_node_samples):
        numbers = numbers_without_weights(grown, tree.n_node_samples[leaves])
        if numbers is None or counts.samples is not None:
            return counts
        grown = numbers
    return replace(counts, grown=grown, classes=labels)


def _drawn_of_classes(
    labels: list[Any], at_root: NDArray[Any], counts: LeafCounts
) -> dict[Any, float] | None:
    """How many rows of each class a tree drew, where the sums of weights at its root
    are numbers of rows: as whole numbers are that add up to all rows that it drew.
    """
    if counts.samples is None or counts.n_rows is None:
        return None
    is_whole = np.allclose(at_root, np.rint(at_root), rtol=1e-9)
    if not is_whole or round(float(at_root.sum())) != counts.n_rows:
        return None
    return dict(zip(labels, np.rint(at_root).tolist(), strict=True))


def _takes_all_rows(ensemble: Any, tree: Any) -> bool:
    """Whether each tree of an ensemble was grown on all of its rows, once each."""
    if getattr(ensemble, "bootstrap", True):
        return False
    return bool(tree.n_node_samples[0] == _n_rows_of(ensemble))


def _n_rows_of(model: Any) -> int:
    """Number of rows that an ensemble was fitted to: the largest one that was drawn, if
    scikit-learn does not tell.
    """
    n_rows = getattr(model, "_n_samples", None)
    if n_rows is None:
        n_rows = 1 + max(int(rows.max()) for rows in model.estimators_samples_)
    return int(n_rows)


def _drawn_rows(model: Any, place: int) -> list[NDArray[np.intp]]:
    """Row numbers that a tree of an ensemble was grown on.

    A forest's tree counts a row once, with a weight, or as often as it was drawn.
    """
    alone = copy(model)
    # A forest draws for its members only; a bagging draws for all.
    alone.estimators_ = [model.estimators_[place]]
    drawn = alone.estimators_samples_[place]
    return [drawn, np.flatnonzero(np.bincount(drawn))]


def _member(model: Any, place: int) -> Any:
    """A member of an ensemble, or the model itself."""
    members = getattr(model, "estimators_", None)
    if isinstance(members, np.ndarray) and members.size:
        return members.flat[place]
    if isinstance(members, list) and members:
        return members[place]
    return model


def _of_gradient_boosting(
    model: Any, tree: Any, leaves: NDArray[np.intp]
) -> ClassNumbers | None:
    """The numbers of a class in the first tree of a GradientBoostingClassifier.

    Parameters
    ----------
    model : GradientBoostingClassifier
    tree : sklearn.tree._tree.Tree
    leaves : (n_leaves,) array of int
        The numbers of the leaves.
    """
    n_classes = model.n_classes_
    if model.loss != "log_loss":
        return None
    if isinstance(model.init_, DummyClassifier):
        probabilities = model.init_.class_prior_
    elif model.init_ == "zero":
        probabilities = np.full(n_classes, 1 / n_classes)
    else:
        return None

    place = place_of_first_tree(n_classes)
    p = float(probabilities[place])
    values = tree.value[leaves, 0, 0]
    if n_classes > 2:
        # scikit-learn multiplies the step by another factor (Friedman 2001).
        values = values * n_classes / (n_classes - 1)
    step = FirstStep(
        place=place,
        p=p,
        derivative=p * (1 - p),
        values=values,
        derivatives=tree.weighted_n_node_samples[leaves] * p * (1 - p),
    )
    return step.numbers(tree.n_node_samples[leaves].astype(float))
