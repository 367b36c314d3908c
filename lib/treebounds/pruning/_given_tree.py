"""The tree that is to be pruned, as arrays, and what pruning asks of the form in which
it was given: arrays, or a fitted tree of scikit-learn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.class_weight import compute_sample_weight

from treebounds._validation import InvalidParameterError, name_of_type, place_of_tree
from treebounds.formats._sklearn_trees import rows_as_fitted
from treebounds.formats.scikit_learn import collapse_sklearn, from_sklearn
from treebounds.trees._statistics import weights_of_nodes
from treebounds.trees.array_tree import ArrayTree, as_numbers


class ReachedRows(NamedTuple):
    """Rows at the nodes of a tree, after validation.

    Attributes
    ----------
    X : (n_examples, n_features) array or sparse matrix
    leaves : (n_examples,) array of int
        The leaf that each example reaches.
    costs : (n_examples,) array
        Weights, times class weights.
    statistics : (n_nodes, n_columns) array
        Weights of the classes, or sums of y.
    """

    X: Any
    leaves: NDArray[np.int64]
    costs: NDArray[np.float64]
    statistics: NDArray[np.float64]


class GivenTree:
    """A tree that was given as arrays."""

    # Whether the statistics of the nodes are those of rows that nobody observed.
    counts_made_up_rows = False

    def __init__(self, arrays: ArrayTree) -> None:
        self.arrays = arrays

    @property
    def labels(self) -> NDArray[Any]:
        """The labels that a sample may have."""
        return np.arange(self.arrays.n_classes)

    @property
    def weight_of_each(self) -> float:
        """The common weight of the examples that the statistics count."""
        return 1.0

    def read(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """Rows as the tree compares them, and the leaves that they reach."""
        rows = as_numbers(self.arrays, X)
        return rows, self.arrays.apply(rows)

    def class_weights(self, labels: NDArray[Any]) -> Any:
        """The class weight of each example, by which the tree was grown."""
        return 1.0

    @property
    def n_grown(self) -> NDArray[np.int64] | None:
        """The numbers of examples at the nodes, where they are not their weights."""
        return self.arrays.example_counts

    def are_own(self, rows: ReachedRows) -> bool:
        """Whether these seem to be the rows that the tree was grown on: as many reach
        each leaf.
        """
        if self.n_grown is None:
            return np.allclose(rows.statistics, self.arrays.statistics)
        n_rows = np.bincount(rows.leaves, minlength=self.arrays.n_nodes)
        is_leaf = self.arrays.is_leaf
        return np.array_equal(n_rows[is_leaf], self.n_grown[is_leaf])

    def lacks_weights(self, rows: ReachedRows) -> bool:
        """Whether the tree was grown with weights, but these seem to be its rows
        without them.
        """
        if self.n_grown is None or self.arrays.n_leaves == 1 or not self.are_own(rows):
            return False
        if self.arrays.is_regression:
            # The sums of y may be those of differences from its mean.
            weights = weights_of_nodes(self.arrays)
            return not np.allclose(rows.statistics[:, 0], weights)
        return not np.allclose(rows.statistics, self.arrays.statistics)

    def collapse(self, nodes: NDArray[np.int64]) -> Any:
        """A copy of the tree, in the form in which it was given, in which some nodes
        have become leaves.
        """
        return self.arrays.collapse(nodes)


class GivenSklearnTree(GivenTree):
    """A tree that was given as a fitted one of scikit-learn, and the same as arrays."""

    def __init__(self, fitted: Any, arrays: ArrayTree) -> None:
        super().__init__(arrays)
        self.fitted = fitted
        self.counts_made_up_rows = getattr(fitted, "counts_made_up_rows", False)

    @property
    def labels(self) -> NDArray[Any]:
        """The labels that a sample may have."""
        return np.asarray(self.fitted.classes_)

    @property
    def weight_of_each(self) -> float:
        """The common weight of the examples that the tree was grown on; NaN if weights
        differ.
        """
        inside = self.fitted.tree_
        weights = inside.weighted_n_node_samples / inside.n_node_samples
        if np.allclose(weights, weights[0], rtol=1e-9):
            return float(weights[0])
        return np.nan

    def read(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """Rows as the tree compares them, and the leaves that they reach."""
        rows = rows_as_fitted(self.fitted, X)
        return rows, self.fitted.apply(rows, check_input=False)

    def class_weights(self, labels: NDArray[Any]) -> Any:
        """The class weight of each example, by which the tree was grown."""
        return compute_sample_weight(self.fitted.class_weight, labels)

    @property
    def n_grown(self) -> NDArray[np.int64]:
        """The numbers of examples at the nodes."""
        return np.asarray(self.fitted.tree_.n_node_samples)

    def lacks_weights(self, rows: ReachedRows) -> bool:
        """Whether the tree was grown with weights, but these seem to be its rows
        without them.
        """
        if getattr(self.fitted, "class_weight", None) is None:
            n_rows = len(rows.leaves)
            return np.isnan(self.weight_of_each) and not self._is_bootstrap(n_rows)
        return super().lacks_weights(rows)

    def _is_bootstrap(self, n_rows: int) -> bool:
        """Whether the weights in the tree may say how often a forest has drawn each of
        the rows: whole numbers that sum to the number of rows.
        """
        weights = weights_of_nodes(self.arrays)
        return np.array_equal(weights, np.rint(weights)) and weights[0] == n_rows

    def collapse(self, nodes: NDArray[np.int64]) -> Any:
        """A copy of the tree, in the form in which it was given, in which some nodes
        have become leaves.
        """
        return collapse_sklearn(self.fitted, nodes)


def given_tree(tree: Any, X: Any, y: Any) -> GivenTree:
    """A tree that is to be pruned, or a ValueError that says what to do.

    The sample, if there is one, gives a tree its statistics if its nodes do not tell
    them.
    """
    if isinstance(tree, ArrayTree):
        return GivenTree(tree)
    _check_kind(tree)
    # A subclass may have its own parameters only.
    criterion = getattr(tree, "criterion", None)
    if isinstance(tree, DecisionTreeRegressor) and criterion == "absolute_error":
        raise ValueError(
            "tree must predict means, since pruning counts squared errors; with"
            " criterion='absolute_error' it predicts medians"
        )
    if criterion == "poisson" and X is not None and y is not None:
        return GivenSklearnTree(tree, from_sklearn(tree, X, y))
    return GivenSklearnTree(tree, from_sklearn(tree))


def _check_kind(tree: Any) -> None:
    """Raise a ValueError, which says what to do, unless this is a tree of
    scikit-learn.
    """
    if isinstance(tree, DecisionTreeClassifier | DecisionTreeRegressor):
        return

    name = name_of_type(tree)
    library = type(tree).__module__.partition(".")[0]
    place = place_of_tree(tree)
    if place:
        advice = f"prune the tree that it holds, {place}"
    elif library in ("lightgbm", "xgboost"):
        advice = f"prune(treebounds.formats.from_{library}(model, X, y))"
    elif hasattr(tree, "estimators_"):
        # The members predict numbers, or the numbers of classes in place of labels.
        targets = "model.classes_.searchsorted(y)" if hasattr(tree, "classes_") else "y"
        advice = (
            "prune its members one by one: prune(model.estimators_[0], np.asarray(X),"
            f" {targets})"
        )
    else:
        advice = "treebounds.formats reads trees of other libraries"
    raise InvalidParameterError(
        "tree must be a fitted DecisionTreeClassifier or DecisionTreeRegressor, a"
        f" pipeline that ends in one, or an ArrayTree; got {name}: {advice}"
    )
