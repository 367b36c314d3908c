"""The leaves of a fitted tree as parts of the cases: their rules in words, and how
small ones are joined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import check_is_fitted

from treebounds.trees import ArrayTree


@dataclass(frozen=True)
class FittedTree:
    """The one tree of a model, whatever is around it.

    Attributes
    ----------
    nodes : object
        It has ``children_left``, ``children_right``, ``feature`` and ``threshold``.
    n_rows : (n_nodes,) array of float
        Number, or weight, of training examples that reach each node.
    predictions : (n_nodes,) array
        What each node predicts as a leaf.
    feature_names : sequence of str
    holder : object
        What ``apply`` is asked of.
    steps : sequence of transformers
        They turn rows of the model into rows of the holder.
    """

    nodes: Any
    n_rows: NDArray[np.float64]
    predictions: NDArray[Any]
    feature_names: Sequence[str]
    holder: Any
    steps: Sequence[Any] = ()

    def apply(self, X: Any) -> NDArray[np.intp]:
        """The leaf that each row of the model reaches."""
        for step in self.steps:
            X = step.transform(X)
        return np.asarray(self.holder.apply(X))

    def rule(self, node: int) -> str:
        """The way to a node in words, with at most two limits for each feature."""
        limits: dict[int, list[float]] = {}
        others: list[str] = []
        for parent, goes_left in self._path(node):
            feature = int(self.nodes.feature[parent])
            categories = _categories(self.nodes, parent)
            if categories is not None:
                word = "in" if goes_left else "not in"
                others.append(f"{self._name(feature)} {word} {{{categories}}}")
                continue
            threshold = float(self.nodes.threshold[parent])
            pair = limits.setdefault(feature, [-math.inf, math.inf])
            if goes_left:
                pair[1] = min(pair[1], threshold)
            else:
                pair[0] = max(pair[0], threshold)

        rules = [_between(self._name(f), *pair) for f, pair in limits.items()]
        return " and ".join(rules + others) or "all cases"

    def joined(self, min_rows: int) -> dict[int, list[int]]:
        """The leaves in groups: a node is divided if both of its children have at least
        ``min_rows`` training examples.

        Returns
        -------
        dict from int to list of int
            From each node that is not divided to the leaves below it.
        """
        left, right = self.nodes.children_left, self.nodes.children_right
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

    def _path(self, node: int) -> list[tuple[int, bool]]:
        """The nodes above a node, from the root, and whether the way goes left."""
        path = []
        while node in self._parents:
            path.append(self._parents[node])
            node = self._parents[node][0]
        return path[::-1]

    @cached_property
    def _parents(self) -> dict[int, tuple[int, bool]]:
        """For each node but the root, its parent and whether it is the left child."""
        parents = {}
        for parent, child in enumerate(self.nodes.children_left):
            if child >= 0:
                parents[int(child)] = (parent, True)
                parents[int(self.nodes.children_right[parent])] = (parent, False)
        return parents

    def _name(self, feature: int) -> str:
        return str(self.feature_names[feature])


def fitted_tree(model: Any) -> FittedTree:
    """Find the one tree of a model, or raise a ValueError.

    Parameters
    ----------
    model : ArrayTree, tree of scikit-learn, pipeline or search that ends in one

    Returns
    -------
    FittedTree

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.leaves import fitted_tree
    >>> tree = DecisionTreeClassifier().fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> [fitted_tree(tree).rule(node) for node in range(3)]
    ['all cases', 'feature_0 <= 1.5', 'feature_0 > 1.5']
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
                names = _names_after(holder[:-1])
            holder = holder[-1]
        else:
            raise ValueError(
                "by='leaf' needs a single tree: one of scikit-learn, an ArrayTree, or a"
                f" pipeline or search that ends in one; got {type(model).__name__}"
            )

    if isinstance(holder, ArrayTree):
        return _of_array_tree(holder, names, steps)
    check_is_fitted(holder)
    return _of_sklearn_tree(holder, names, steps)


def _of_array_tree(tree: ArrayTree, names: Any, steps: list[Any]) -> FittedTree:
    """The record of an ArrayTree."""
    if tree.is_regression:
        n_rows = tree.target_sums[:, 0]
        predictions: NDArray[Any] = tree.leaf_values
    else:
        n_rows = tree.class_counts.sum(axis=1)
        predictions = tree.labels
    if tree.feature_names is not None:
        names = tree.feature_names
    names = _or_numbers(names, tree.n_features)
    return FittedTree(tree, n_rows, predictions, names, tree, steps)


def _of_sklearn_tree(model: Any, names: Any, steps: list[Any]) -> FittedTree:
    """The record of a tree of scikit-learn."""
    tree = model.tree_
    values = tree.value[:, 0, :]
    if hasattr(model, "classes_"):
        predictions = np.asarray(model.classes_)[values.argmax(axis=1)]
    else:
        predictions = values[:, 0]

    names = _or_numbers(names, tree.n_features)
    n_rows = np.asarray(tree.n_node_samples, dtype=float)
    return FittedTree(tree, n_rows, predictions, names, model, steps)


def _names_after(steps: Any) -> Any:
    """The names of the columns that a transformation makes; None if it gives none."""
    try:
        return steps.get_feature_names_out()
    except (AttributeError, ValueError, TypeError):
        return None


def _or_numbers(names: Any, n_features: int) -> list[str]:
    """The names of the features, or names made from their numbers."""
    if names is None or len(names) != n_features:
        return [f"feature_{number}" for number in range(n_features)]
    return [str(name) for name in names]


def _categories(nodes: Any, node: int) -> str | None:
    """The categories that go left at a node, or None if it has a threshold."""
    sets = getattr(nodes, "left_categories", None)
    if sets is None or node not in sets:
        return None
    table = getattr(nodes, "category_names", None) or {}
    names = table.get(int(nodes.feature[node]))
    numbers = [int(number) for number in sets[node]]
    words = numbers if names is None else [names[number] for number in numbers]
    return ", ".join(map(str, words))


def _between(name: str, low: float, high: float) -> str:
    """A feature's limits in words."""
    if low == -math.inf:
        return f"{name} <= {high:.6g}"
    if high == math.inf:
        return f"{name} > {low:.6g}"
    return f"{low:.6g} < {name} <= {high:.6g}"
