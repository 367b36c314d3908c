"""The leaves of a fitted tree as parts of the cases: their rules in words, and how
small ones are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import check_is_fitted

from treebounds._validation import check_integer, is_missing, place_of_tree
from treebounds.formats._sklearn_trees import predicts_by_nodes
from treebounds.formats.text import rule_of
from treebounds.risk.models.inner_models import through
from treebounds.risk.words import plain_scalar
from treebounds.trees import ArrayTree
from treebounds.trees._statistics import weights_of_nodes


class Leaves:
    """The leaves of a tree, of which small ones are joined.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.leaves import Leaves
    >>> rows, labels = np.arange(90.0)[:, np.newaxis], np.arange(90) > 29
    >>> tree = DecisionTreeClassifier().fit(rows, labels)
    >>> Leaves(tree, 30).labels, Leaves(tree, 31).labels
    ([1, 2], [0])

    Parameters
    ----------
    model : see :func:`fitted_tree`
    min_rows : int
        A node is divided if both of its children have as many training examples.
    feature_names : sequence of str, optional
        For the rules; by default those that the tree knows.
    """

    kind = "leaf"

    def __init__(self, model: Any, min_rows: int, feature_names: Any = None) -> None:
        self._fitted = fitted_tree(model, feature_names)
        groups = self._fitted.joined(check_integer(min_rows, "min_rows"))
        self.labels: list[Any] = sorted(groups)

        self._part = np.zeros(len(self._fitted.n_rows), dtype=np.intp)
        for part, label in enumerate(self.labels):
            self._part[groups[label]] = part
        self._leaves = groups
        self._some_missing = False

    def codes(self, X: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The part of the leaf that each case reaches."""
        numbers = through(X, self._fitted.steps)
        self._some_missing = self._some_missing or _has_missing(numbers)
        return np.asarray(self._part[self._fitted.holder.apply(numbers)])

    def describe(self, label: Any) -> dict[str, Any]:
        """The rule of a node in words, and what its leaves predict if they agree.

        A rule says where missing values pass if a case that was seen has one.
        """
        predictions = self._fitted.predictions
        values = {plain_scalar(predictions[leaf]) for leaf in self._leaves[label]}
        prediction = None
        if len(values) == 1:
            (prediction,) = values
        rule = rule_of(self._fitted.tree, label, missing=self._some_missing)
        return {"rule": rule, "prediction": prediction}


@dataclass(frozen=True)
class FittedTree:
    """The one tree of a model, whatever is around it.

    Attributes
    ----------
    tree : ArrayTree
        Its nodes, with the names of the features if these are known.
    n_rows : (n_nodes,) array of float
        Number, or weight, of training examples that reach each node.
    predictions : (n_nodes,) array
        What each node predicts as a leaf.
    holder : object
        What ``apply`` is asked of.
    steps : sequence of transformers
        They turn rows of the model into rows of the holder.
    """

    tree: ArrayTree
    n_rows: NDArray[np.float64]
    predictions: NDArray[Any]
    holder: Any
    steps: Sequence[Any] = ()

    def joined(self, min_rows: int) -> dict[int, list[int]]:
        """The leaves in groups: a node is divided if both of its children have at least
        ``min_rows`` training examples.

        Returns
        -------
        dict from int to list of int
            From each node that is not divided to the leaves below it.
        """
        left = self.tree.children_left
        right = self.tree.children_right
        groups: dict[int, list[int]] = {}
        waiting = [(0, -1)]
        while waiting:
            node, top = waiting.pop()
            children = [int(right[node]), int(left[node])]
            is_leaf = children[0] < 0
            divides = (
                top < 0 and not is_leaf and self.n_rows[children].min() >= min_rows
            )
            if top < 0 and not divides:
                top = node
            if is_leaf:
                groups.setdefault(top, []).append(node)
            else:
                waiting.extend((child, top) for child in children)
        return groups


def fitted_tree(model: Any, feature_names: Any = None) -> FittedTree:
    """Find the one tree of a model, or raise a ValueError.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.leaves import fitted_tree
    >>> tree = DecisionTreeClassifier().fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> fitted_tree(tree).n_rows, fitted_tree(tree).predictions
    (array([4., 2., 2.]), array([0, 0, 1]))

    Parameters
    ----------
    model : ArrayTree, tree of scikit-learn, pipeline or search that ends in one
    feature_names : sequence of str, optional
        By default those that the model knows.

    Returns
    -------
    FittedTree
    """
    steps: list[Any] = []
    names: Any = getattr(model, "feature_names_in_", None)
    holder = model
    while not isinstance(holder, ArrayTree | BaseDecisionTree):
        if hasattr(holder, "best_estimator_"):
            holder = holder.best_estimator_
        elif isinstance(holder, Pipeline):
            if len(holder) > 1:
                steps.append(holder[:-1])
                names = names_after(holder[:-1])
            holder = holder[-1]
        else:
            place = place_of_tree(holder)
            instead = f": give the model that it holds, {place}" if place else ""
            raise ValueError(
                "by='leaf' needs a single tree: one of scikit-learn, an ArrayTree, or a"
                " pipeline or search that ends in one; got"
                f" {type(model).__name__}{instead}"
            )

    if isinstance(holder, ArrayTree):
        return _of_array_tree(holder, steps)
    check_is_fitted(holder)
    if feature_names is not None:
        names = feature_names
    return _of_sklearn_tree(holder, names, steps)


def _of_array_tree(tree: ArrayTree, steps: list[Any]) -> FittedTree:
    """The record of an ArrayTree."""
    predictions = tree.leaf_values if tree.is_regression else tree.labels
    return FittedTree(tree, weights_of_nodes(tree), predictions, tree, steps)


def _of_sklearn_tree(model: Any, names: Any, steps: list[Any]) -> FittedTree:
    """The record of a tree of scikit-learn."""
    if not predicts_by_nodes(model):
        raise ValueError(
            "by='leaf' needs a tree that predicts by its nodes; the predict or apply of"
            f" {type(model).__name__} is not that of a scikit-learn tree"
        )
    tree = model.tree_
    values = tree.value[:, 0, :]
    if hasattr(model, "classes_"):
        predictions = np.asarray(model.classes_)[values.argmax(axis=1)]
    else:
        predictions = values[:, 0]

    # Only the conditions matter here, so the rows are counted as those of one class.
    n_rows = np.asarray(tree.n_node_samples, dtype=float)
    feature_names = None
    if names is not None and len(names) == tree.n_features:
        feature_names = [str(name) for name in names]
    nodes = ArrayTree(
        children_left=tree.children_left,
        children_right=tree.children_right,
        feature=tree.feature,
        threshold=tree.threshold,
        class_counts=n_rows[:, np.newaxis],
        n_features=tree.n_features,
        missing_go_to_left=tree.__getstate__()["nodes"]["missing_go_to_left"] != 0,
        input_dtype=np.float32,
        feature_names=feature_names,
    )
    return FittedTree(nodes, n_rows, predictions, model, steps)


def names_after(steps: Pipeline) -> list[str] | None:
    """The names of the columns that the first steps of a pipeline make.

    A step that changes values may keep the name of a column. Then the name says so, as
    a threshold is not in the units of the column.

    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from treebounds.risk.leaves import names_after
    >>> frame = pd.DataFrame({"months": [1.0, 2.0]})
    >>> names_after(make_pipeline(StandardScaler()).fit(frame))
    ['months after StandardScaler']

    Parameters
    ----------
    steps : Pipeline
        Fitted; all steps are transformers.

    Returns
    -------
    list of str or None
        None if a step gives no names.
    """
    try:
        names = [str(name) for name in steps.get_feature_names_out()]
    except (AttributeError, ValueError, TypeError):
        return None

    changing = [type(step).__name__ for step in steps if not _only_selects(step)]
    if not changing:
        return names
    known = set(getattr(steps, "feature_names_in_", _numbered_names(steps)))
    ending = f" after {', '.join(changing)}"
    # A ColumnTransformer puts the name of a part and "__" before that of a column.
    for place, name in enumerate(names):
        if name.split("__")[-1] in known:
            names[place] = name + ending
    return names


def _only_selects(step: Any) -> bool:
    """Whether a step hands columns on as they are."""
    return step is None or step == "passthrough" or isinstance(step, SelectorMixin)


def _numbered_names(steps: Any) -> list[str]:
    """What scikit-learn calls the columns of an array."""
    return [f"x{column}" for column in range(getattr(steps, "n_features_in_", 0))]


def _has_missing(X: Any) -> bool:
    """Whether a value is missing; a sparse matrix has none."""
    if issparse(X):
        return False
    # A frame of several types would become an array of objects, which takes long.
    mask = X.isna().to_numpy() if hasattr(X, "isna") else is_missing(X)
    return bool(mask.any())
