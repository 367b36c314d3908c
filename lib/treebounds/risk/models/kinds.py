"""Whether a model is a classifier or a regressor, its classes, and its leaves."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from treebounds._validation import shown
from treebounds.trees import ArrayTree


def count_leaves(classifier: Any) -> int | None:
    """Number of leaves of a fitted tree, also of one at the end of a pipeline or of the
    best one of a search.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.kinds import count_leaves
    >>> count_leaves(make_pipeline(DecisionTreeClassifier()).fit([[0], [1]], [0, 1]))
    2

    Parameters
    ----------
    classifier : object

    Returns
    -------
    int or None
        None if there is no single tree.
    """
    last = final_estimator(classifier)
    if last is not None:
        return count_leaves(last)

    tree = getattr(classifier, "tree_", classifier)
    # A tree of Spark.
    if hasattr(tree, "numNodes"):
        return (int(tree.numNodes) + 1) // 2

    n_leaves = getattr(tree, "n_leaves", None)
    return int(n_leaves) if isinstance(n_leaves, Integral) else None


def final_estimator(classifier: Any) -> Any:
    """The last step of a pipeline (also of Spark) or the best estimator of a search;
    None for all others.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.kinds import final_estimator
    >>> final_estimator(make_pipeline(DecisionTreeClassifier()))
    DecisionTreeClassifier()
    """
    if isinstance(classifier, Pipeline):
        return classifier[-1]
    if hasattr(classifier, "stages"):
        return classifier.stages[-1]
    return getattr(classifier, "best_estimator_", None)


def known_classes(classifier: Any) -> list[Any]:
    """Return the labels that a fitted classifier can predict, or raise a ValueError if
    it is not one.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.kinds import known_classes
    >>> known_classes(DecisionTreeClassifier().fit([[0], [1]], ["a", "b"]))
    ['a', 'b']
    """
    if isinstance(classifier, ArrayTree):
        return list(range(classifier.n_classes))

    if not is_classifier_instance(classifier):
        raise ValueError(
            "model must be a fitted classifier or regressor with scikit-learn's"
            f" interface; got {shown(classifier)}. Boosters have it as LGBMClassifier,"
            " XGBClassifier and the like; a class of your own gets it from"
            " ClassifierMixin or RegressorMixin, from BaseEstimator after it, and from"
            " a method fit"
        )
    check_fitted(classifier)
    classes = classifier.classes_
    if isinstance(classes, list) and any(np.ndim(each) for each in classes):
        raise ValueError(
            f"model must predict one label for each example; {shown(classifier)} has"
            f" {len(classes)} outputs: certify a classifier for each of them"
        )
    return list(np.asarray(classes).tolist())


def check_fitted(model: Any) -> None:
    """Raise scikit-learn's NotFittedError, in our words, if a model is not fitted.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.kinds import check_fitted
    >>> check_fitted(DecisionTreeClassifier())
    Traceback (most recent call last):
    sklearn.exceptions.NotFittedError: model is not fitted yet: call fit on this ...
    """
    check_is_fitted(
        model, msg="model is not fitted yet: call fit on this %(name)s first"
    )


def is_regressor_instance(candidate: Any) -> bool:
    """Whether an object predicts numbers: an instance of a regressor with
    scikit-learn's interface, or an :class:`ArrayTree` of numbers.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treebounds.risk.models.kinds import is_regressor_instance
    >>> is_regressor_instance(DecisionTreeRegressor())
    True
    """
    if isinstance(candidate, ArrayTree):
        return candidate.is_regression
    if isinstance(candidate, type) or not hasattr(candidate, "__sklearn_tags__"):
        return False
    return bool(is_regressor(candidate))


def is_classifier_instance(candidate: Any) -> bool:
    """Whether an object is an instance of a classifier with scikit-learn's interface.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.kinds import is_classifier_instance
    >>> is_classifier_instance(DecisionTreeClassifier())
    True
    >>> is_classifier_instance(DecisionTreeClassifier)
    False
    """
    if isinstance(candidate, type) or not hasattr(candidate, "__sklearn_tags__"):
        return False
    return bool(is_classifier(candidate))
