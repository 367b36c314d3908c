"""The learners that a certified estimator chooses from, and how it halves."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds._validation import InvalidParameterError, shown
from treebounds.estimators.cost_complexity import CostComplexityPrunedTreeClassifier
from treebounds.estimators.pruned_regressor import PrunedTreeRegressor
from treebounds.risk.models.learners import check_learner
from treebounds.risk.questions import Costs, Errors


class KindOfLearners(NamedTuple):
    """The learners that a certified tree accepts.

    Attributes
    ----------
    tree : type
        The tree of scikit-learn whose predictions they have.
    pruned : type
        The learner with the name "pruned".
    trees, others : str
        The names of such trees, and of other learners of the same kind.
    example : str
        A learner that has no name of its own, for errors.
    instead : str
        The estimator that accepts others.
    """

    tree: type[DecisionTreeClassifier] | type[DecisionTreeRegressor]
    pruned: type
    trees: str
    others: str
    example: str
    instead: str


class PrunedLearner(CostComplexityPrunedTreeClassifier):
    """Cost-complexity pruning that also works on a half with very few examples."""

    def fit(self, X: Any, y: Any, *arguments: Any, **options: Any) -> Any:
        """As in the base class, but without its warnings, and with a stump if no class
        has two examples, or if errors on the classes that the half has cost nothing.
        """
        classes, sizes = np.unique(y, return_counts=True)
        weights = self.class_weight or {}
        is_free = not any(weights.get(label, 1) for label in classes.tolist())
        if sizes.max() < 2 or is_free:
            return DecisionTreeClassifier(
                max_leaf_nodes=2, random_state=self.random_state
            ).fit(X, y)
        with warnings.catch_warnings():
            # If the classes of the half are small, there are fewer folds, or folds that
            # lack a class.
            warnings.filterwarnings(
                "ignore", "The least populated class|cv=.*, but", UserWarning
            )
            return super().fit(X, y, *arguments, **options)


class PrunedRegressionLearner(PrunedTreeRegressor):
    """:class:`PrunedTreeRegressor` that also works on a half with one example."""

    def fit(self, X: Any, y: Any, *arguments: Any, **options: Any) -> Any:
        """As in the base class; a single leaf if there is one example."""
        if len(y) < 2:
            return DecisionTreeRegressor(random_state=self.random_state).fit(X, y)
        return super().fit(X, y, *arguments, **options)


CLASSIFIERS = KindOfLearners(
    tree=DecisionTreeClassifier,
    pruned=PrunedLearner,
    trees="decision trees",
    others="classifiers",
    example="ReducedErrorPrunedTreeClassifier()",
    instead="CertifiedClassifier",
)
REGRESSORS = KindOfLearners(
    tree=DecisionTreeRegressor,
    pruned=PrunedRegressionLearner,
    trees="regression trees",
    others="regressors",
    example="CostComplexityPrunedTreeRegressor()",
    instead="CertifiedRegressor",
)


def check_learners(
    entries: Any, kind: KindOfLearners, max_leaf_nodes: int | None
) -> list[tuple[str, Any]]:
    """The learners with their names, each with a limit on its leaves, or a ValueError.

    Parameters
    ----------
    entries : sequence of names or unfitted trees
        The parameter ``learners``. Trees are cloned.
    kind : KindOfLearners
    max_leaf_nodes : int or None
        Replaces a larger limit of a learner, or None.

    Returns
    -------
    list of (str, estimator)
    """
    if isinstance(entries, str) or not isinstance(entries, Iterable):
        raise InvalidParameterError(
            f"learners must be a sequence; got {shown(entries)}. Give ['pruned'], or"
            f" unfitted {kind.trees}, such as [{kind.example}]"
        )

    learners = []
    for entry in entries:
        name, learner = _named_learner(entry, kind)
        _limit_leaves(learner, max_leaf_nodes)
        learners.append((name, learner))
    return learners


def parameters_of_halvings(estimator: Any) -> dict[str, Any]:
    """The arguments of ``best_of_halvings`` that all certified estimators have as
    parameters.
    """
    names = ("n_halvings", "delta", "duplicates", "n_jobs", "random_state")
    return {name: getattr(estimator, name) for name in names}


def question_about_labels(cost: Any, y: NDArray[Any]) -> Errors | Costs:
    """What is asked of a classifier: its errors, or their costs if they have any."""
    return Errors() if cost is None else Costs(np.unique(y).tolist(), cost, None)


def _named_learner(entry: Any, kind: KindOfLearners) -> tuple[str, Any]:
    """The learner of a name, or a clone of one, with the name of its type."""
    if isinstance(entry, str):
        if entry != "pruned":
            raise InvalidParameterError(
                f"learners must be 'pruned' or unfitted {kind.trees}, such as"
                f" {kind.example}; got {shown(entry)}"
            )
        return entry, kind.pruned(remember=False)

    predicts_numbers = issubclass(kind.tree, DecisionTreeRegressor)
    learner = clone(check_learner(entry, predicts_numbers=predicts_numbers))
    is_tree = isinstance(learner, kind.tree)
    if not is_tree or type(learner).predict is not kind.tree.predict:
        raise ValueError(
            f"learners must be names or {kind.trees}; got {shown(entry)}. For other"
            f" {kind.others}, and for pipelines, use {kind.instead}"
        )
    return type(entry).__name__, learner


def _limit_leaves(learner: Any, max_leaf_nodes: int | None) -> None:
    """Set the limit of a learner on its leaves if its own is larger, or None."""
    own = learner.max_leaf_nodes
    if max_leaf_nodes is not None and (own is None or own > max_leaf_nodes):
        learner.set_params(max_leaf_nodes=max_leaf_nodes)


def accept_missing_values(learners: Any) -> bool:
    """Whether all learners that are given as objects accept missing values.

    Those with names do; ``fit`` refuses entries that are neither.
    """
    entries = learners if isinstance(learners, Iterable) else ()
    return all(
        entry.__sklearn_tags__().input_tags.allow_nan
        for entry in entries
        if hasattr(entry, "__sklearn_tags__") and not isinstance(entry, type)
    )


def weighted(learner: Any, weights: dict[Any, float]) -> Any:
    """The learner with these weights of classes, unless it has its own."""
    if getattr(learner, "class_weight", weights) is None:
        learner.set_params(class_weight=weights)
    return learner
