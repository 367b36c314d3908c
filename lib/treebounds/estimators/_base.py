"""How estimators publish what ``fit`` has learned, and the common base of the trees.

No estimator fits itself. ``fit`` grows a plain scikit-learn tree, computes into local
variables, and publishes all fitted attributes in one step, after everything has
succeeded. So a fit that fails changes nothing, and a second fit leaves nothing of the
first.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from types import FrameType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from treebounds._validation import check_labels, check_same_order, naming_words
from treebounds._versions import Versioned
from treebounds.exceptions import SelectionWarning
from treebounds.formats.scikit_learn import (
    from_sklearn,
    plain_tree,
    unfitted_like,
)
from treebounds.pruning.rules import checked_weights
from treebounds.risk.halving import best_of_halvings
from treebounds.risk.memory import RowMemory
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


def record_of_rows(X: Any) -> RowMemory:
    """The record of the rows that an estimator was fitted to.

    It is an attribute ``_row_memory_`` of the estimator and of the models inside it, so
    that :func:`treebounds.certify` recognizes the rows whichever of them it gets.
    """
    return RowMemory.of(X)


def as_float32(tree: Any, X: Any) -> Any:
    """The rows that a tree was fitted to, as scikit-learn's trees compare them."""
    if type(X) is np.ndarray and X.dtype.kind in "biuf":
        return np.asarray(X, dtype=np.float32)  # The fit has checked them.
    as_fit: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
    return validate_data(tree, X, reset=False, dtype=np.float32, **as_fit)


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


class _NoCheckInput:
    """The last base class of our trees: it declares metadata of ``fit`` that
    scikit-learn's trees withdraw.

    Without it, metadata routing raises an error, because our ``fit`` has no argument
    ``check_input``.
    """

    __metadata_request__fit: ClassVar = {"check_input": None}


# The module that fits the learners of certified estimators, also in other processes.
_HALVING = best_of_halvings.__module__


class NoticesMisuse:
    """Warns if an estimator with a certificate is fitted as a candidate of a search, or
    at the end of a pipeline whose earlier steps learn from the same rows.

    A certificate holds for one call of ``fit`` whose parameters, and whose input, were
    not chosen by looking at the same data. A search clones one estimator, or a pipeline
    with it, again and again, and sets parameters; to set one of another step, a
    pipeline asks each step for its parameters. Cross-validation only clones, and
    ensembles set nothing but seeds.
    """

    _n_clones = 0
    _is_further_clone = False
    _is_candidate = False
    _was_asked = False

    # Parameters by which no tree is chosen.
    _NO_CHOICE = frozenset({"random_state", "n_jobs", "remember"})

    def __sklearn_clone__(self) -> Any:
        copied = super().__sklearn_clone__()  # type: ignore[misc]
        copied._is_further_clone = self._n_clones > 0
        self._n_clones += 1
        return copied

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; see ``BaseEstimator``."""
        if self._is_further_clone and deep:
            self._was_asked = True
        params: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]
        return params

    def set_params(self, **params: Any) -> Any:
        """Set parameters; see ``BaseEstimator``."""
        super().set_params(**params)  # type: ignore[misc]
        self._note(params)
        return self

    def _note(self, params: Mapping[str, Any]) -> None:
        """Note new parameters of a clone that is not the first one."""
        if self._is_further_clone and params.keys() - self._NO_CHOICE:
            self._is_candidate = True
        elif params and self._was_asked:
            self._was_asked = False  # It was asked for its seed, as in an ensemble.

    def _warn_of_misuse(self) -> bool:
        """Warn of a search and of steps that learn from the same rows; return whether
        there are such steps.
        """
        steps = learning_steps_before(self)
        if is_judged_by_halvings():
            return bool(steps)

        if self._is_candidate or self._was_asked or is_fitted_by_search():
            warnings.warn(
                f"{type(self).__name__} is one of several clones with other parameters,"
                " its own or those of a step before it, as in a search. A certificate"
                " does not allow for a choice among several fits to the same data: give"
                " the candidates to CertifiedClassifier([...]) or"
                " CertifiedRegressor([...]), which do",
                SelectionWarning,
                stacklevel=3,
            )
        if steps:
            warnings.warn(
                f"The steps {', '.join(steps)} of the pipeline were fitted to the same"
                f" examples as {type(self).__name__}, and its certificate does not"
                " allow for what they have learned from those that judge: give the"
                " whole pipeline, with a tree without a certificate at its end, such as"
                " BoundPrunedTreeClassifier or PrunedTreeRegressor, to"
                " CertifiedClassifier or CertifiedRegressor",
                SelectionWarning,
                stacklevel=3,
            )
        return bool(steps)


def learning_steps_before(estimator: Any) -> list[str]:
    """The names of the steps that learn from rows before an estimator, in the pipelines
    that are fitting it now.

    Nothing tells the last step of a pipeline that there are others. So the callers are
    searched for pipelines that end in it.
    """
    names: list[str] = []
    for frame in _calling_frames():
        caller = frame.f_locals.get("self")
        if isinstance(caller, Pipeline) and caller.steps[-1][1] is estimator:
            before = [name for name, step in caller.steps[:-1] if _learns(step)]
            names = before + names
            estimator = caller
    return names


def is_judged_by_halvings() -> bool:
    """Whether the estimator that is fitted now is a learner of a certified estimator.

    Then the certificate that counts is that of the other one, which allows for steps
    and for the choice among learners.
    """
    return any(
        frame.f_globals.get("__name__") == _HALVING for frame in _calling_frames()
    )


def is_fitted_by_search() -> bool:
    """Whether a search over several candidates is fitting an estimator now.

    With several processes the candidates are fitted elsewhere, and the clone that is
    fitted at last knows of none. So the callers are searched for a search of
    scikit-learn that refits the best: what it has tried is one of its variables then.
    """
    for frame in _calling_frames():
        caller = frame.f_locals.get("self")
        # Look without asking: a caller that is being made may not be able to answer.
        if inspect.getattr_static(caller, "refit", None) is None:
            continue
        results = frame.f_locals.get("results")
        if isinstance(results, dict) and len(results.get("params", ())) > 1:
            return True
    return False


def _calling_frames() -> Iterator[FrameType]:
    """The frames of the functions that are running now, from the inside out."""
    frame = inspect.currentframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def _learns(step: Any) -> bool:
    """Whether a step of a pipeline learns from rows when it is fitted.

    Polynomials learn nothing but the number of columns, nor do codes of categories that
    are given.
    """
    if step is None or isinstance(step, str) or _is_a(step, "PolynomialFeatures"):
        return False
    if _is_a(step, "OrdinalEncoder", "OneHotEncoder"):
        drops = getattr(step, "drop", None) is not None
        is_given = not isinstance(step.categories, str)
        rare = step.min_frequency is not None or step.max_categories is not None
        return drops or rare or not is_given
    return bool(get_tags(step).requires_fit)


def _is_a(step: Any, *names: str) -> bool:
    """Whether a step is of one of these classes of scikit-learn's preprocessing.

    The import of that package would take a tenth of this library's.
    """
    return any(
        base.__name__ in names and base.__module__.startswith("sklearn.preprocessing")
        for base in type(step).__mro__
    )


def warn_of_limit(n_leaves: int | None, max_leaf_nodes: int | None) -> None:
    """Warn, in the caller of ``fit``, if a certified tree is as large as is allowed."""
    if max_leaf_nodes is not None and n_leaves == max_leaf_nodes:
        warnings.warn(
            "The certified tree has as many leaves as max_leaf_nodes ="
            f" {max_leaf_nodes} allows; a larger limit, or None, may give a smaller"
            " certificate. A second fit to the same examples is a second try: divide"
            " delta by the number of tries, beforehand",
            stacklevel=3,
        )


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

    def _publish_tree(self, tree: Any, X: Any, **learned: Any) -> None:
        """Publish a plain fitted tree as this estimator, and what was learned beside
        it.

        Parameters
        ----------
        tree : DecisionTreeClassifier or DecisionTreeRegressor
            It gets a record of the rows, too, if this estimator keeps one.
        X : (n_examples, n_features) array or sparse matrix
            All rows that made the tree.
        **learned
            Further fitted attributes.
        """
        vars(tree).pop("_row_memory_", None)  # that of a learner has fewer rows
        if self.remember:
            tree._row_memory_ = record_of_rows(X)
        of_tree = {
            name: value for name, value in vars(tree).items() if name.endswith("_")
        }
        publish(self, {**of_tree, **learned})


class OneOutputTreeClassifier(PublishedTree, DecisionTreeClassifier, _NoCheckInput):
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
    ) -> tuple[NDArray[np.float32], NDArray[Any], dict[str, Any]]:
        """X as float32, as in scikit-learn's trees, y as a vector, and the fitted
        attributes about the columns of X.
        """
        check_labels(y)
        finite = "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True

        scratch = copy(self)  # scikit-learn writes the names of columns to it
        with naming_words(X), naming_numbers():
            X, y = validate_data(
                scratch, X, y, dtype=np.float32, ensure_all_finite=finite
            )
            check_classification_targets(y)

        columns = {
            name: value
            for name, value in vars(scratch).items()
            if name in ("n_features_in_", "feature_names_in_")
        }
        return X, y, columns


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

    def _grown(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Grown:
        """The whole tree, grown as a plain one, and its sample."""
        check_same_order(X=X, y=y, sample_weight=sample_weight)
        check_labels(y)
        y = column_or_1d(y, warn=True)
        weights = checked_weights(sample_weight, len(y))

        passed_weights = None if sample_weight is None else weights
        with naming_words(X), naming_numbers():
            tree = unfitted_like(self).fit(X, y, sample_weight=passed_weights)
        return Grown(tree, as_float32(tree, X), y, weights)


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
    grown = clone(grower).fit(X, y, sample_weight=only(train, weights))
    return judged(grown, X[test], y[test], costs[test])


def judged(
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
