"""Classifiers whose learners take the labels 0, 1, ... only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline

from treebounds.risk.models.kinds import is_classifier_instance


class NumberedLabels(ClassifierMixin, BaseEstimator):
    """A classifier for learners that take the labels 0, 1, ... only, such as XGBoost's.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.numbered_labels import NumberedLabels
    >>> model = NumberedLabels(DecisionTreeClassifier()).fit([[0], [1]], ["a", "b"])
    >>> model.predict([[1]]).tolist(), model.estimator_.classes_.tolist()
    (['b'], [0, 1])

    Parameters
    ----------
    estimator : classifier
        Unfitted.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to the numbers of the labels.
    classes_ : (n_classes,) array
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> NumberedLabels:
        """Fit a clone of the learner to the numbers of the labels."""
        classes, numbers = np.unique(y, return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, numbers)
        self.classes_ = classes
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels of the rows."""
        numbers = np.asarray(self.estimator_.predict(X), dtype=int)
        return np.asarray(self.classes_[numbers])

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """The probabilities of the classes."""
        return np.asarray(self.estimator_.predict_proba(X))


def needs_numbers(learner: Any) -> bool:
    """Whether a learner, or the last step of a pipeline, takes the labels 0, 1, ...
    only: XGBoost's classifiers do.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.numbered_labels import needs_numbers
    >>> needs_numbers(DecisionTreeClassifier())
    False
    """
    last = learner[-1] if isinstance(learner, Pipeline) else learner
    if not is_classifier_instance(last):
        return False
    return any(kind.__module__.startswith("xgboost.") for kind in type(last).__mro__)
