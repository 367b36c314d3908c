"""Learners: what is fitted to one half of the examples and judged on the other.

A learner has to be new. It must not have been fitted, a clone must not remember earlier
fits, and no model that is fitted may be inside: such a model may have seen the rows
that judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from treebounds._validation import shown
from treebounds.risk.models.kinds import is_classifier_instance, is_regressor_instance
from treebounds.risk.models.learner_parts import fitted_parts, says_it_is_fitted


def check_learner(learner: Any, *, predicts_numbers: bool = False) -> Any:
    """Return the learner if it is not fitted and predicts what it should, else raise a
    ValueError.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.learners import check_learner
    >>> check_learner(DecisionTreeClassifier(max_depth=1))
    DecisionTreeClassifier(max_depth=1)

    Parameters
    ----------
    learner : classifier or regressor
    predicts_numbers : bool
        Whether it has to be a regressor, not a classifier.

    Returns
    -------
    classifier or regressor

    Raises
    ------
    ValueError
        If the learner is fitted, of another kind, or contains a fitted model, or if a
        clone of it would be the same object.
    """
    if isinstance(learner, Mapping):
        raise ValueError(
            "learners (or estimators) must be a list of learners or of pairs (name,"
            " learner); got a mapping: give list(estimators.items())"
        )
    if predicts_numbers and not is_regressor_instance(learner):
        raise ValueError(
            f"learners (or estimators) must be regressors; got {shown(learner)}. For"
            " classifiers use CertifiedTreeClassifier or CertifiedClassifier"
        )
    if not predicts_numbers and not is_classifier_instance(learner):
        raise ValueError(
            f"learners (or estimators) must be classifiers; got {shown(learner)}. For"
            " regressors use CertifiedTreeRegressor or CertifiedRegressor"
        )
    if says_it_is_fitted(learner):
        way = f"pass sklearn.base.clone of this {shown(learner)}"
        # A clone of what is frozen holds the same fitted model.
        fitted = fitted_parts(learner)
        inside = [part for part in fitted if type(part) is not type(learner)]
        if inside:
            way = f"pass the {shown(inside[0])} that it contains unfitted"
        raise ValueError(f"learners (or estimators) must not be fitted; {way}")

    kept = kept_by_clone(learner)
    if kept:
        raise ValueError(
            "learners (or estimators) must be new after sklearn.base.clone; a clone of"
            f" {shown(kept[0])} is the same object, so each fit may learn from the rows"
            " of those before it, which judge"
        )

    fitted = fitted_parts(learner)
    if fitted:
        raise ValueError(
            "learners (or estimators) must not contain a fitted model, since it may"
            f" have seen the rows that judge; {type(learner).__name__} contains"
            f" a fitted {shown(fitted[0])}. Pass it unfitted, so that it is fitted to"
            " one half"
        )
    return learner


def seeded(learner: Any, rng: np.random.RandomState) -> Any:
    """A clone with integers as random states, so that the result does not depend on the
    number of jobs.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.learners import seeded
    >>> type(
    ...     seeded(DecisionTreeClassifier(), np.random.RandomState(0)).random_state
    ... ).__name__
    'int'

    Parameters
    ----------
    learner : estimator
    rng : numpy.random.RandomState

    Returns
    -------
    estimator
        Unfitted. Each ``random_state`` that was None, also that of a step inside, is an
        integer.
    """
    unfitted = clone(learner)
    parameters = unfitted.get_params()
    states = {
        name: rng.randint(2**31 - 1)
        for name in sorted(parameters)
        if (name == "random_state" or name.endswith("__random_state"))
        and parameters[name] is None
    }
    # The result is not used, since that of FrozenEstimator, in which one passes a
    # fitted model, is None.
    unfitted.set_params(**states)
    return unfitted


def kept_by_clone(learner: Any) -> list[Any]:
    """The learners, among a learner and its parameters, of which a clone is the same
    object: it remembers what it was fitted to before.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.learners import kept_by_clone
    >>> kept_by_clone(DecisionTreeClassifier())
    []

    Parameters
    ----------
    learner : estimator

    Returns
    -------
    list of estimators
        Without frozen ones.
    """
    values = [learner, *learner.get_params(deep=True).values()]
    return [
        value
        for value in values
        if hasattr(type(value), "fit")
        and not isinstance(value, FrozenEstimator)
        and clone(value, safe=False) is value
    ]
