"""What a classifier is: its classes, its leaves, and the classifiers inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from treebounds.trees import ArrayTree

# Half of the entries of an array that are looked at to recognize it.
_MOST_ENTRIES = 1000

# Those of scikit-learn's trees and of an ArrayTree that hold splits and predictions.
_FIELDS_OF_TREES = ("feature", "threshold", "value", "statistics")


def count_leaves(classifier: Any) -> int | None:
    """Number of leaves of a fitted tree, also of one at the end of a pipeline or of the
    best one of a search.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.classifiers import count_leaves
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
    if hasattr(tree, "numNodes"):  # a tree of Spark
        return (int(tree.numNodes) + 1) // 2

    n_leaves = getattr(tree, "n_leaves", None)
    return int(n_leaves) if isinstance(n_leaves, Integral) else None


def final_estimator(classifier: Any) -> Any:
    """The last step of a pipeline (also of Spark) or the best estimator of a search;
    None for all others.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.classifiers import final_estimator
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
    >>> from treebounds.risk.classifiers import known_classes
    >>> known_classes(DecisionTreeClassifier().fit([[0], [1]], ["a", "b"]))
    ['a', 'b']
    """
    if isinstance(classifier, ArrayTree):
        return list(range(classifier.n_classes))

    if not is_classifier_instance(classifier):
        raise ValueError(
            f"model must be a fitted classifier or regressor; got {classifier!r}"
        )
    check_is_fitted(
        classifier, msg="model is not fitted yet: call fit on this %(name)s first"
    )
    return list(np.asarray(classifier.classes_).tolist())


def is_regressor_instance(candidate: Any) -> bool:
    """Whether an object predicts numbers: an instance of a regressor with
    scikit-learn's interface, or an :class:`ArrayTree` of numbers.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treebounds.risk.classifiers import is_regressor_instance
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
    >>> from treebounds.risk.classifiers import is_classifier_instance
    >>> is_classifier_instance(DecisionTreeClassifier())
    True
    >>> is_classifier_instance(DecisionTreeClassifier)
    False
    """
    if isinstance(candidate, type) or not hasattr(candidate, "__sklearn_tags__"):
        return False
    return bool(is_classifier(candidate))


class InnerModel(NamedTuple):
    """A model inside a classifier, and the way of the rows to it.

    Attributes
    ----------
    model : object
    steps : tuple of functions
        Applied one after the other, they turn the rows of the classifier into those of
        the model.
    is_main : bool
        Whether the model is the classifier itself, the last step of a pipeline, or the
        best of a search, and not only a part of an ensemble.
    is_grown_on_all : bool
        Whether the model was fitted to all rows, not to a part drawn for it.
    """

    model: Any
    steps: tuple[Callable[[Any], Any], ...] = ()
    is_main: bool = True
    is_grown_on_all: bool = True

    def rows(self, X: Any) -> Any:
        """The rows of the classifier as they reach the model."""
        for step in self.steps:
            X = step(X)
        return X


def models_inside(classifier: Any) -> Iterator[InnerModel]:
    """A classifier and the models inside it: the last step of a pipeline, the best of a
    search, members of ensembles, what a threshold or a calibration is put around.

    >>> from sklearn.calibration import CalibratedClassifierCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.classifiers import models_inside
    >>> X, y = [[0], [1]] * 4, [0, 1] * 4
    >>> model = CalibratedClassifierCV(DecisionTreeClassifier(), cv=2).fit(X, y)
    >>> [type(inner.model).__name__ for inner in models_inside(model)]
    ['CalibratedClassifierCV', 'DecisionTreeClassifier', 'DecisionTreeClassifier']

    Parameters
    ----------
    classifier : object

    Yields
    ------
    InnerModel
        The classifier itself comes first.
    """
    yield from _with_inner(InnerModel(classifier))


def _with_inner(outer: InnerModel) -> Iterator[InnerModel]:
    """A model and the models inside it."""
    yield outer

    last = final_estimator(outer.model)
    if last is None:
        for member in _members(outer):
            yield from _with_inner(member)
        return

    steps = outer.steps
    if isinstance(outer.model, Pipeline) and len(outer.model) > 1:
        steps = (*steps, outer.model[:-1].transform)
    yield from _with_inner(outer._replace(model=last, steps=steps))


def _members(outer: InnerModel) -> Iterator[InnerModel]:
    """The fitted models inside a meta-estimator."""
    classifier = outer.model
    member = outer._replace(is_main=False)
    if isinstance(classifier, FrozenEstimator):
        yield outer._replace(model=classifier.estimator)
    for name in ("estimator_", "base_estimator_", "regressor_"):
        if hasattr(classifier, name):
            yield member._replace(model=getattr(classifier, name))
    for calibrated in getattr(classifier, "calibrated_classifiers_", ()):
        yield member._replace(model=calibrated.estimator, is_grown_on_all=False)

    models = getattr(classifier, "estimators_", ())
    if isinstance(models, np.ndarray):
        models = models.ravel().tolist()
    if not isinstance(models, list | tuple):
        return
    # Named members, as of a vote, are fitted to all rows; others, as of a forest, to
    # rows that are drawn for them.
    is_grown_on_all = hasattr(classifier, "named_estimators_")
    columns = getattr(classifier, "estimators_features_", [None] * len(models))
    for model, columns_of_model in zip(models, columns, strict=False):
        if hasattr(model, "fit"):
            steps = outer.steps
            if columns_of_model is not None:
                steps = (*steps, partial(_take_columns, columns=columns_of_model))
            yield InnerModel(model, steps, False, is_grown_on_all)


def fingerprint(model: Any) -> int | None:
    """A number that is another one after nearly every change of a fitted model; None if
    the model keeps no arrays.

    It is made from trees, and from public attributes of the model, of its steps and of
    its members that are arrays of numbers.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.classifiers import fingerprint
    >>> tree = DecisionTreeClassifier(random_state=0).fit([[0], [1]], [0, 1])
    >>> before = fingerprint(tree)
    >>> fingerprint(tree.fit([[0], [1]], [0, 1])) == before
    True
    >>> fingerprint(tree.fit([[0], [2]], [0, 1])) == before
    False

    Parameters
    ----------
    model : object

    Returns
    -------
    int or None

    Notes
    -----
    Of a long array at most some 2000 entries are read. Cost: 20 microseconds per tree.
    """
    if not isinstance(model, BaseEstimator):
        return None
    models = [inner.model for inner in models_inside(model)]
    steps = [step for each in models if isinstance(each, Pipeline) for step in each]
    arrays = [array for each in (*models, *steps) for array in _arrays_of(each)]
    if not arrays:
        return None

    number = 0
    for array in arrays:
        few = array.ravel()[:: max(1, array.size // _MOST_ENTRIES)]
        number = crc32(few.tobytes(), crc32(repr(array.shape).encode(), number))
    return number


def _arrays_of(model: Any) -> Iterator[NDArray[Any]]:
    """The arrays that a fitted estimator keeps, in the order of their names."""
    attributes = getattr(model, "__dict__", {})
    for name in sorted(attributes):
        value = attributes[name]
        is_public = name.endswith("_") and not name.startswith("_")
        if not is_public:
            continue
        if hasattr(value, "children_left") and hasattr(value, "threshold"):
            columns = [getattr(value, field, None) for field in _FIELDS_OF_TREES]
            yield from (array for array in columns if isinstance(array, np.ndarray))
        elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            yield value

    # The trees of histogram boosting.
    for trees in attributes.get("_predictors", ()):
        yield from (tree.nodes["value"] for tree in trees if hasattr(tree, "nodes"))


def _take_columns(X: Any, columns: Any) -> Any:
    """Some columns of an array, a frame or a sparse matrix."""
    if hasattr(X, "iloc"):
        return X.iloc[:, columns]
    return X[:, columns] if hasattr(X, "shape") else np.asarray(X)[:, columns]
