"""What a classifier is: its classes, its leaves, and the classifiers inside it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from numbers import Integral
from types import CellType, FunctionType, MethodType
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    clone,
    is_classifier,
    is_regressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from treebounds.trees import ArrayTree

# Classes of these hold no models of the caller's but in parameters.
_LIBRARIES = frozenset(
    {
        # numba's type of compiled functions, which does not name its package.
        "_dispatcher",
        "catboost",
        "imblearn",
        "lightgbm",
        "numpy",
        "pandas",
        "scipy",
        "sklearn",
        "treebounds",
        "xgboost",
    }
)

# Entries of a container that are searched for models, and half of those of an array
# that are looked at to recognize it.
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


def fitted_parts(learner: Any) -> list[Any]:
    """The fitted models that a clone of a learner would still contain.

    ``sklearn.base.clone`` makes a learner and all learners among its parameters
    unfitted, but keeps a :class:`sklearn.frozen.FrozenEstimator`, and functions whose
    objects are fitted. What predicts but has no ``fit``, such as an :class:`ArrayTree`
    or a booster of LightGBM, is fitted already.

    >>> from sklearn.ensemble import VotingClassifier
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.classifiers import fitted_parts
    >>> tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> fitted_parts(VotingClassifier([("tree", tree)]))
    []
    >>> fitted_parts(VotingClassifier([("tree", FrozenEstimator(tree))]))
    [DecisionTreeClassifier()]

    Parameters
    ----------
    learner : estimator

    Returns
    -------
    list of fitted estimators
    """
    fitted: list[Any] = []
    waiting = [clone(learner)]
    ids: set[int] = set()
    while waiting:
        value = waiting.pop()
        if id(value) in ids:
            continue
        ids.add(id(value))
        can_fit, can_predict = (
            hasattr(type(value), name) for name in ("fit", "predict")
        )
        if _is_fitted(value) if can_fit else can_predict:
            fitted.append(value)
        waiting.extend(_values_inside(value))
    return fitted


def kept_by_clone(learner: Any) -> list[Any]:
    """The learners, among a learner and its parameters, of which a clone is the same
    object: it remembers what it was fitted to before.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.classifiers import kept_by_clone
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


def _values_inside(value: Any) -> list[Any]:
    """What a parameter consists of: parameters of an estimator, entries of a container,
    what a function holds, and all that an object of the caller's own class has.
    """
    if isinstance(value, FrozenEstimator):
        return [value.estimator]
    if isinstance(value, dict):
        return list(islice(value.values(), _MOST_ENTRIES))
    if isinstance(value, list | tuple | set):
        return list(islice(value, _MOST_ENTRIES))
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, FunctionType):
        if _is_of_a_library(value.__module__):
            return []
        # A cell is empty until the name that it holds is bound.
        full_cells = [cell for cell in value.__closure__ or () if cell != CellType()]
        cells = [cell.cell_contents for cell in full_cells]
        names = [name for name in value.__code__.co_names if name in value.__globals__]
        globals_used = [value.__globals__[name] for name in names]
        return [*cells, *globals_used, *(value.__defaults__ or ())]
    if isinstance(value, type):
        return []
    # Asked of the class, because some objects have every attribute that one asks for.
    has_params = hasattr(type(value), "get_params")
    params = value.get_params(deep=False) if has_params else {}
    return [*params.values(), *_values_of_own_classes(value)]


def _values_of_own_classes(value: Any) -> list[Any]:
    """Methods, and other attributes, of an object whose class no library defines: they
    may hold a model of the caller's.
    """
    kinds = type(value).__mro__
    own = [kind for kind in kinds if not _is_of_a_library(kind.__module__)]
    if not own:
        # Functions that are compiled, or that remember their results.
        wrapped = getattr(value, "__dict__", {}).get("__wrapped__")
        return [] if wrapped is None else [wrapped]
    of_classes = chain.from_iterable(vars(kind).values() for kind in own)
    values = [*of_classes, *getattr(value, "__dict__", {}).values()]
    functions = [getattr(entry, "__func__", None) for entry in values]
    return [*values, *functions, *(getattr(entry, "fget", None) for entry in values)]


def _is_of_a_library(name: str | None) -> bool:
    """Whether a module comes with Python, is installed, or belongs to a library of
    learners.
    """
    top = (name or "").partition(".")[0]
    if top in _LIBRARIES or top in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(name or ""), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


def _is_fitted(estimator: Any) -> bool:
    """Whether an estimator has learned something from rows."""
    if isinstance(estimator, FrozenEstimator):
        return False  # what is inside has
    try:
        if not get_tags(estimator).requires_fit:
            return False
        check_is_fitted(estimator)
    except (AttributeError, NotFittedError, TypeError):
        return False
    return True


class NumberedLabels(ClassifierMixin, BaseEstimator):
    """A classifier for learners that take the labels 0, 1, ... only, such as XGBoost's.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.classifiers import NumberedLabels
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
    >>> from treebounds.risk.classifiers import needs_numbers
    >>> needs_numbers(DecisionTreeClassifier())
    False
    """
    last = learner[-1] if isinstance(learner, Pipeline) else learner
    return any(kind.__module__.startswith("xgboost.") for kind in type(last).__mro__)
