"""How estimators publish what ``fit`` has learned, and the common base of the trees.

No estimator fits itself. ``fit`` grows a plain scikit-learn tree, computes into local
variables, and publishes all fitted attributes in one step, after everything has
succeeded. So a fit that fails changes nothing, and a second fit leaves nothing of the
first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from treebounds._validation import (
    check_flag,
    check_labels,
    check_same_order,
    naming_words,
)
from treebounds._versions import Versioned
from treebounds.estimators._units import warn_of_units
from treebounds.formats.scikit_learn import (
    from_sklearn,
    plain_tree,
    unfitted_like,
)
from treebounds.pruning.weights import check_weights
from treebounds.risk.hashing import RowHashes
from treebounds.risk.memory import RowMemory
from treebounds.trees._record import RECORD, keep_record
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import errors_where_reached


def publish(estimator: Any, learned: dict[str, Any]) -> None:
    """Replace all that an earlier fit has learned, in one step.

    >>> from sklearn.dummy import DummyClassifier
    >>> from treebounds.estimators._base import publish
    >>> model = DummyClassifier().fit([[0]], [1])
    >>> publish(model, {"classes_": [2]})
    >>> model.strategy, model.classes_, hasattr(model, "n_classes_")
    ('prior', [2], False)

    Parameters
    ----------
    estimator : estimator
    learned : dict
        The new fitted attributes; their names end with an underscore.
    """
    parameters = {
        name: value for name, value in vars(estimator).items() if not name.endswith("_")
    }
    estimator.__dict__ = {**parameters, **learned}


def as_float32(tree: Any, X: Any) -> Any:
    """The rows that a tree was fitted to, as scikit-learn's trees compare them."""
    if type(X) is np.ndarray and X.dtype.kind in "biuf":
        return np.asarray(X, dtype=np.float32)  # The fit has checked them.
    as_fit: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
    return validate_data(tree, X, reset=False, dtype=np.float32, **as_fit)


def validate_rows(
    estimator: Any, X: Any, y: Any
) -> tuple[NDArray[np.float32], NDArray[Any], dict[str, Any]]:
    """X as float32, as in scikit-learn's trees, y as a vector, and the fitted
    attributes about the columns of X.

    Missing values are accepted if the tags of the estimator say so.
    """
    accepts_nan = estimator.__sklearn_tags__().input_tags.allow_nan
    # scikit-learn writes the names of columns to the estimator that it is given.
    scratch = copy(estimator)
    # Theorems exclude missing values, also where scikit-learn is told to look for none.
    with config_context(assume_finite=False):
        rows, targets = validate_data(
            scratch,
            X,
            y,
            dtype=np.float32,
            ensure_all_finite="allow-nan" if accepts_nan else True,
        )
    columns = {
        name: value
        for name, value in vars(scratch).items()
        if name in ("n_features_in_", "feature_names_in_")
    }
    return rows, targets, columns


@contextmanager
def naming_numbers() -> Iterator[None]:
    """Add the name of the regressor to scikit-learn's error for y that is
    continuous.
    """
    try:
        yield
    except ValueError as error:
        if "Unknown label type: continuous" not in str(error):
            raise
        advice = "y must hold labels; for numbers use PrunedTreeRegressor"
        raise ValueError(f"{error} ({advice})") from error


def check_groups_are_used(groups: ArrayLike | None, cv: Any) -> None:
    """Raise a ValueError if there are groups that ``cv`` does not keep together."""
    if groups is not None and not hasattr(cv, "split"):
        raise ValueError(
            "groups need a splitter that uses them, such as cv=GroupKFold(3)"
        )


class Grown(NamedTuple):
    """A plain tree before pruning, and its sample after validation.

    Attributes
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
    X : (n_examples, n_features) array or sparse matrix of float32
    y : (n_examples,) array
    weights : (n_examples,) array
        ``sample_weight``; all 1 if there was none.
    """

    tree: Any
    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64]


class NoCheckInput:
    """The last base class of our trees: it declares metadata of ``fit`` that
    scikit-learn's trees withdraw.

    Without it, metadata routing raises an error, because our ``fit`` has no argument
    ``check_input``.
    """

    __metadata_request__fit: ClassVar = {"check_input": None}


class PublishedTree(Versioned):
    """What trees of both kinds have in common: they publish a plain tree."""

    remember: bool

    def to_sklearn(self) -> Any:
        """The same tree as a plain one of scikit-learn, for programs that check types.

        It keeps the record of rows, if there is one.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        """
        return plain_tree(self)

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

    def _publish_tree(self, tree: Any, rows: RowHashes, **learned: Any) -> None:
        """Publish a plain fitted tree as this estimator, and what was learned beside
        it.

        Parameters
        ----------
        tree : DecisionTreeClassifier or DecisionTreeRegressor
            It gets a record of the rows, too, if this estimator keeps one.
        rows : RowHashes
            The hashes of all rows that made the tree.
        **learned
            Further fitted attributes.
        """
        # The record of a learner has fewer rows.
        vars(tree).pop(RECORD, None)
        if check_flag(self.remember, "remember"):
            keep_record(tree, RowMemory.of_hashes(rows))
        of_tree = {
            name: value for name, value in vars(tree).items() if name.endswith("_")
        }
        publish(self, {**of_tree, **learned})


class HasNoPruningPath:
    """A tree for which scikit-learn's path would be that of another tree."""

    @property
    def cost_complexity_pruning_path(self) -> Any:
        """Not available, because this tree is not grown by impurity on the sample that
        ``fit`` takes.
        """
        predicts_numbers = isinstance(self, DecisionTreeRegressor)
        plain = DecisionTreeRegressor if predicts_numbers else DecisionTreeClassifier
        raise AttributeError(
            f"{type(self).__name__} has no cost_complexity_pruning_path;"
            f" {plain.__name__}().cost_complexity_pruning_path(X, y) is that of a tree"
            " grown on X"
        )


class OfCertifiedTree:
    """An attribute of an estimator that says how its certified tree was grown: values
    of nodes mean what the criterion of the learner says.

    >>> from treebounds import CertifiedTreeRegressor
    >>> CertifiedTreeRegressor().criterion
    'squared_error'

    Parameters
    ----------
    name : str
        A parameter of scikit-learn's trees.
    default : object
        Its value as long as there is no tree.
    """

    def __init__(self, name: str, default: Any) -> None:
        self._name = name
        self._default = default

    def __get__(self, estimator: Any, owner: Any) -> Any:
        certificate = getattr(estimator, "certificate_", None)
        if certificate is None:
            return self._default
        return getattr(certificate.estimator, self._name)


class OneOutputTreeClassifier(PublishedTree, DecisionTreeClassifier, NoCheckInput):
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = False
        return tags

    def _validate_sample(
        self, X: Any, y: Any
    ) -> tuple[NDArray[np.float32], NDArray[Any], dict[str, Any]]:
        """X as float32, as in scikit-learn's trees, y as a vector, and the fitted
        attributes about the columns of X.
        """
        check_labels(y)
        with naming_words(X), naming_numbers():
            rows, labels, columns = validate_rows(self, X, y)
            check_classification_targets(labels)
        return rows, labels, columns


class PrunedTreeClassifier(OneOutputTreeClassifier):
    """A tree that scikit-learn grows and this library prunes; only the pruned tree is
    kept.
    """

    def _grow(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Grown:
        """The whole tree, grown as a plain one, and its sample."""
        check_same_order(X=X, y=y, sample_weight=sample_weight)
        check_labels(y)
        y = column_or_1d(y, warn=True)
        weights = check_weights(sample_weight, len(y))

        passed_weights = None if sample_weight is None else weights
        with naming_words(X), naming_numbers():
            tree = unfitted_like(self).fit(X, y, sample_weight=passed_weights)
        rows = as_float32(tree, X)
        # The warning names the line that calls fit.
        warn_of_units(rows, getattr(tree, "feature_names_in_", None), stacklevel=3)
        return Grown(tree, rows, y, weights)


def grow_and_judge(
    grower: Any,
    sample: Grown,
    costs: NDArray[Any],
    train: NDArray[Any],
    test: NDArray[Any],
) -> tuple[ArrayTree, NDArray[np.float64]]:
    """A tree grown on some rows, and the errors of its nodes as leaves on other rows.

    Parameters
    ----------
    grower : DecisionTreeClassifier
        A clone of it is fitted.
    sample : Grown
        All rows, after validation.
    costs : (n_rows,) array
        Weights, times class weights.
    train, test : array of int
        Row numbers.

    Returns
    -------
    tree : ArrayTree
    errors : (n_nodes,) array
        For each node, the sum of the costs of the test examples that it gets wrong as a
        leaf.
    """
    weights = only(train, sample.weights)
    grown = clone(grower).fit(sample.X, sample.y, sample_weight=weights)
    return tree_and_errors(grown, sample.X[test], sample.y[test], costs[test])


def tree_and_errors(
    grown: Any, X: Any, y: NDArray[Any], costs: NDArray[np.float64]
) -> tuple[ArrayTree, NDArray[np.float64]]:
    """A fitted tree as arrays, and the cost of the errors of each of its nodes as a
    leaf.
    """
    tree = from_sklearn(grown)
    leaves = grown.apply(X, check_input=False)
    classes = np.searchsorted(grown.classes_, y)
    return tree, errors_where_reached(tree, leaves, classes, costs)


def only(rows: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of some rows, and 0 for the others, which then do not influence the
    tree.

    The other rows still contribute their classes to ``classes_``.
    """
    result = np.zeros_like(weights)
    result[rows] = weights[rows]
    return result
