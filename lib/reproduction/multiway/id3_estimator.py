"""ID3 as a scikit-learn classifier for categorical data, pruned or not."""

from __future__ import annotations

from copy import copy
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from reproduction.multiway.generic import description_length_estimate, generic_pruning
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.pruning import reduced_error_nodes, srm_nodes
from reproduction.multiway.tree import MultiwayTree
from treebounds._labels import check_labels
from treebounds._validation import (
    check_instance,
    check_option,
    held_out_size,
    is_missing,
)
from treebounds.estimators._publishing import publish

__all__ = ["ID3Classifier"]

PRUNINGS = ("reduced-error", "srm", "description-length")


class ID3Classifier(ClassifierMixin, BaseEstimator):
    """ID3: a multiway decision tree on categorical features, with or without pruning.

    Every distinct value of a column is a category: strings, integers, booleans, pandas
    categories, also "?". Each feature is tested at most once on a path. If a node has
    no branch for the value of an example, because no training example there had this
    value, the prediction is the majority class of the node.

    >>> from reproduction.multiway import ID3Classifier
    >>> X = [
    ...     ["sun", "no"],
    ...     ["sun", "yes"],
    ...     ["rain", "no"],
    ...     ["rain", "yes"],
    ...     ["clouds", "no"],
    ... ]
    >>> model = ID3Classifier().fit(X, ["stay", "stay", "go", "stay", "go"])
    >>> print(model.to_text())
    column 0 = clouds: go (1)
    column 0 = rain
    |   column 1 = no: go (1)
    |   column 1 = yes: stay (1)
    column 0 = sun: stay (2)
    >>> model.predict([["snow", "no"]]).tolist()
    ['stay']

    Parameters
    ----------
    pruning : {None, "reduced-error", "srm", "description-length"}
        "reduced-error" prunes with a stratified part of the training set that is held
        out from growing. "srm" is Yıldız's rule, which uses Vapnik's bound and an
        estimate of the VC dimension (both hold for two classes and are heuristics for
        more). "description-length" is Peng's Algorithm 2 with the description-length
        bound; it may also replace a node by one of its children.
    criterion : {"entropy", "gini", "error"}
        Impurity that a split decreases. Ties go to the first column.
    empty_branches : bool
        Whether a split has a leaf for each value of its feature in the training set,
        even if no example of the node has it. It changes the size of the tree, on which
        "srm" and "description-length" depend.
    validation_fraction : float
        Fraction of the examples that "reduced-error" holds out. Like the next three
        parameters, it is ignored with any other pruning.
    a1, a2 : float
        Constants of "srm".
    delta : float
        The bound of "description-length" holds with probability 1 - delta.
    random_state : int, RandomState or None
        Draws the examples that "reduced-error" holds out; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray
        Classes in sorted order; ties between classes go to the first.
    categories_ : list of ndarray
        Values of each column in the training set, sorted.
    tree_ : MultiwayTree
        The tree on codes of ``categories_`` and ``classes_``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X is a data frame.

    Notes
    -----
    Real-valued columns are an error: cut them into bins first, for example with
    ``pandas.cut`` or ``sklearn.preprocessing.KBinsDiscretizer(encode="ordinal")``.
    Whole numbers stored as floats are categories. Missing entries (None, NaN) are an
    error: give them a value of their own, such as "?". ``fit`` takes no
    ``sample_weight``.
    """

    def __init__(
        self,
        *,
        pruning: str | None = None,
        criterion: str = "entropy",
        empty_branches: bool = True,
        validation_fraction: float = 0.2,
        a1: float = 0.1,
        a2: float = 2.0,
        delta: float = 0.05,
        random_state: Any = None,
    ) -> None:
        self.pruning = pruning
        self.criterion = criterion
        self.empty_branches = empty_branches
        self.validation_fraction = validation_fraction
        self.a1 = a1
        self.a2 = a2
        self.delta = delta
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any) -> ID3Classifier:
        """Grow a tree on categorical columns, and prune it by the method ``pruning``.

        Parameters
        ----------
        X : (n_examples, n_features) array of categories
        y : (n_examples,) array

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If entries or labels are missing, or a column holds real numbers.
        """
        if self.pruning is not None:
            check_option(self.pruning, "pruning, when not None,", PRUNINGS)

        check_instance(self.empty_branches, "empty_branches", bool)
        check_labels(y)
        # scikit-learn writes the names of columns to the estimator that it is given.
        scratch = copy(self)
        X, y = validate_data(scratch, X, y, dtype=None, ensure_all_finite=False)
        check_classification_targets(y)
        names = scratch._column_names()
        classes, labels = np.unique(y, return_inverse=True)
        categories = [_categories(X[:, i], name) for i, name in enumerate(names)]
        n_values = [len(values) for values in categories]
        tree = self._pruned(_codes(X, categories), labels, n_values, len(classes))

        columns = {
            name: value
            for name, value in vars(scratch).items()
            if name in ("n_features_in_", "feature_names_in_")
        }
        learned = {"classes_": classes, "categories_": categories, "tree_": tree}
        publish(self, {**columns, **learned})
        return self

    def _column_names(self) -> list[str]:
        """The names of the columns for error messages."""
        return [
            f"column {name!r}"
            for name in getattr(self, "feature_names_in_", range(self.n_features_in_))
        ]

    def _pruned(
        self,
        X: NDArray[np.int64],
        y: NDArray[np.int64],
        n_values: list[int],
        n_classes: int,
    ) -> MultiwayTree:
        """Grow and prune on codes of values."""

        def grow(X: NDArray[np.int64], y: NDArray[np.int64]) -> MultiwayTree:
            """The tree before pruning."""
            return grow_id3(
                X, y, n_values, n_classes, self.criterion, self.empty_branches
            )

        if self.pruning == "reduced-error":
            X, X_held_out, y, y_held_out = _hold_out(
                X, y, self.validation_fraction, self.random_state
            )
            tree = grow(X, y)
            return tree.collapse(reduced_error_nodes(tree, X_held_out, y_held_out))

        tree = grow(X, y)
        if self.pruning == "srm":
            return tree.collapse(srm_nodes(tree, self.a1, self.a2))
        if self.pruning == "description-length":
            estimate = description_length_estimate(len(n_values), n_classes, self.delta)
            return generic_pruning(tree, X, y, estimate).to_tree(X, y)

        return tree

    def predict(self, X: Any) -> NDArray:
        """Class of each row.

        Parameters
        ----------
        X : (n_examples, n_features) array of categories

        Returns
        -------
        (n_examples,) array of the type of ``classes_``
        """
        nodes = self.apply(X)
        return self.classes_[self.tree_.labels[nodes]]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class frequencies at the node where each row ends.

        Parameters
        ----------
        X : (n_examples, n_features) array of categories

        Returns
        -------
        (n_examples, n_classes) array of float
        """
        nodes = self.apply(X)
        return self.tree_.probabilities[nodes]

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Number of the node where each row ends: a leaf, or a node that has no branch
        for the row's value.

        Parameters
        ----------
        X : (n_examples, n_features) array of categories

        Returns
        -------
        (n_examples,) array of int
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=None, ensure_all_finite=False, reset=False)
        for i, name in enumerate(self._column_names()):
            _refuse_missing(X[:, i], name)
        return self.tree_.apply(_codes(X, self.categories_))

    def to_text(self) -> str:
        """The tree as indented text, one line per branch; a leaf has its class and
        number of examples.
        """
        check_is_fitted(self)
        tree = self.tree_
        lines = []
        for node in tree.preorder:
            parts = []
            if node:
                indent = "|   " * (tree.depth[node] - 1)
                question = self._feature_name(tree.parents[node])
                parts.append(f"{indent}{question} = {self._value(node)}")
            if tree.is_leaf[node]:
                parts.append(self._leaf_text(node))
            if parts:
                lines.append(": ".join(parts))

        return "\n".join(lines)

    def _leaf_text(self, node: int) -> str:
        """The class of a leaf and its number of examples."""
        label = self.classes_[self.tree_.labels[node]]
        return f"{label} ({self.tree_.class_counts[node].sum()})"

    def _feature_name(self, node: int) -> str:
        """The name of the feature that a node tests."""
        i = self.tree_.feature[node]
        if hasattr(self, "feature_names_in_"):
            return str(self.feature_names_in_[i])
        return f"column {i}"

    def _value(self, node: int) -> str:
        """The value on the branch to a node."""
        feature = self.tree_.feature[self.tree_.parents[node]]
        return str(self.categories_[feature][self.tree_.branch[node]])


def _codes(X: NDArray, categories: list[NDArray]) -> NDArray[np.int64]:
    """The position of each value among the column's categories; -1 if it is not one of
    them.
    """
    codes = np.empty(X.shape, dtype=np.int64)
    for i, values in enumerate(categories):
        code_of = {value: code for code, value in enumerate(values.tolist())}
        codes[:, i] = [code_of.get(value, -1) for value in X[:, i].tolist()]
    return codes


def _refuse_missing(column: NDArray, name: str) -> None:
    """Raise a ValueError if a column has missing values or infinities."""
    if is_missing(column).any():
        raise ValueError(
            f"X has NaN or None in {name}: give missing entries a value of their own,"
            ' like "?"'
        )
    if column.dtype.kind == "f" and np.isinf(column).any():
        raise ValueError(
            f"X has inf in {name}; ID3 takes categories. Cut the column into bins first"
        )


def _categories(column: NDArray, name: str) -> NDArray:
    """The distinct values of a column, numbers first, sorted within each type."""
    _refuse_missing(column, name)
    values = dict.fromkeys(column.tolist())
    if any(
        isinstance(v, Real) and not isinstance(v, Integral) and float(v) % 1
        for v in values
    ):
        raise ValueError(
            f"X has real numbers in {name}; ID3 takes categories. Cut them into bins"
            " first, for example with pandas.cut or"
            ' sklearn.preprocessing.KBinsDiscretizer(encode="ordinal")'
        )

    numbers = [v for v in values if isinstance(v, Real)]
    texts = sorted(
        (v for v in values if not isinstance(v, Real)),
        key=lambda v: (type(v).__name__, v),
    )
    return np.array([*sorted(numbers), *texts], dtype=column.dtype)


def _hold_out(
    X: NDArray, y: NDArray, fraction: float, random_state: Any
) -> list[NDArray]:
    """Split off a validation set, stratified if each class has two examples and fits
    into both parts.
    """
    n_held_out = held_out_size(fraction, len(X))
    smallest = np.bincount(y)[np.bincount(y) > 0]
    strata = None
    if smallest.min() >= 2 and len(smallest) <= min(n_held_out, len(X) - n_held_out):
        strata = y
    return train_test_split(
        X, y, test_size=n_held_out, random_state=random_state, stratify=strata
    )
