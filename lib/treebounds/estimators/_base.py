"""The common base of the pruned trees for scikit-learn."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from treebounds._validation import check_labels, naming_words
from treebounds.formats.scikit_learn import (
    from_sklearn,
    plain_tree,
    unfitted_like,
)
from treebounds.pruning.rules import checked_weights
from treebounds.risk.memory import RowMemory, row_hashes
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import errors_where_reached


class _NoCheckInput:
    """The last base class of our trees: it declares metadata of ``fit`` that
    scikit-learn's trees withdraw.

    Without it, metadata routing raises an error, because our ``fit`` has no argument
    ``check_input``.
    """

    __metadata_request__fit: ClassVar = {"check_input": None}


class OneOutputTreeClassifier(DecisionTreeClassifier, _NoCheckInput):
    """A scikit-learn tree of one output with its own ``fit``.

    Each subclass lists the parameters of scikit-learn that it accepts in its own
    ``__init__``, because scikit-learn reads them from the signature. The other
    parameters have the values set here.
    """

    criterion: Any = "gini"
    splitter: Any = "best"
    class_weight: Any = None
    monotonic_cst = None
    ccp_alpha = 0.0
    remember: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = False
        return tags

    def to_sklearn(self) -> DecisionTreeClassifier:
        """The same tree as a plain ``DecisionTreeClassifier``, for programs that check
        types.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier
        """
        return plain_tree(self)

    @property
    def cost_complexity_pruning_path(self) -> Any:
        """Not available, because this tree is not grown by impurity on the sample that
        ``fit`` takes.
        """
        instead = (
            "DecisionTreeClassifier().cost_complexity_pruning_path(X, y) is that of a"
            " tree grown on X"
        )
        raise AttributeError(
            f"{type(self).__name__} has no cost_complexity_pruning_path; {instead}"
        )

    def _checked_sample(
        self, X: Any, y: Any
    ) -> tuple[NDArray[np.float32], NDArray[Any]]:
        """X as float32, as in scikit-learn's trees, and y as a vector; hashes of some
        rows are kept.
        """
        check_labels(y)
        finite = "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True
        with naming_words(X):
            X, y = validate_data(self, X, y, dtype=np.float32, ensure_all_finite=finite)
            check_classification_targets(y)
        self._row_memory_ = RowMemory.of(row_hashes(X)) if self.remember else None
        return X, y


class PrunedTreeClassifier(OneOutputTreeClassifier):
    """A tree that scikit-learn grows and this library prunes; only the pruned tree is
    kept.
    """

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Any:
        """The path that scikit-learn computes for the tree before pruning, with
        impurity as the cost.

        Parameters
        ----------
        X : (n_examples, n_features) array or sparse matrix
        y : (n_examples,) array
        sample_weight : (n_examples,) array, optional

        Returns
        -------
        sklearn.utils.Bunch
            ``ccp_alphas`` and ``impurities``.
        """
        return unfitted_like(self).cost_complexity_pruning_path(X, y, sample_weight)

    def _grow(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> tuple[Any, NDArray[Any], NDArray[np.float64]]:
        """Grow the whole tree, and return X as float32, and the labels and weights as
        vectors.
        """
        check_labels(y)
        y = column_or_1d(y, warn=True)
        weights = checked_weights(sample_weight, len(y))
        with naming_words(X):
            super().fit(X, y, sample_weight=sample_weight)
        allowed: dict[str, Any] = {
            "accept_sparse": "csr",
            "ensure_all_finite": "allow-nan",
        }
        X = validate_data(self, X, reset=False, dtype=np.float32, **allowed)
        self._row_memory_ = RowMemory.of(row_hashes(X)) if self.remember else None
        return X, y, weights


def grow_and_judge(
    grower: Any,
    X: Any,
    y: NDArray[Any],
    weights: NDArray[Any],
    costs: NDArray[Any],
    train: NDArray[Any],
    test: NDArray[Any],
) -> tuple[ArrayTree, NDArray[np.float64]]:
    """A tree grown on some rows, and the errors of its nodes as leaves on other rows.

    Parameters
    ----------
    grower : DecisionTreeClassifier
        A clone of it is fitted.
    X, y
        All rows, after validation.
    weights, costs : (n_rows,) array
        ``sample_weight``, and its product with the class weights.
    train, test : array of int
        Row numbers.

    Returns
    -------
    tree : ArrayTree
    errors : (n_nodes,) array
        For each node, the sum of the costs of the test examples that it gets wrong as a
        leaf.
    """
    return judged(
        clone(grower).fit(X, y, sample_weight=only(train, weights)),
        X[test],
        y[test],
        costs[test],
    )


def judged(
    grown: Any, X: Any, y: NDArray[Any], costs: NDArray[Any]
) -> tuple[ArrayTree, NDArray[np.float64]]:
    """A fitted tree as arrays, and the cost of the errors of each of its nodes as a
    leaf.
    """
    tree = from_sklearn(grown)
    reached = grown.apply(X, check_input=False)
    return tree, errors_where_reached(
        tree, reached, np.searchsorted(grown.classes_, y), costs
    )


def only(rows: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of some rows, and 0 for the others, which then do not influence the
    tree.

    The other rows still contribute their classes to ``classes_``.
    """
    return np.where(np.isin(np.arange(len(weights)), rows), weights, 0.0)
