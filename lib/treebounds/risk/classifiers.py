"""What a classifier is: its classes, its leaves, and the classifiers inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from numbers import Integral, Number
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from treebounds._validation import shown
from treebounds.trees import ArrayTree

# Half of the entries of an array that are looked at to recognize it.
_MOST_ENTRIES = 1000

# Those of scikit-learn's trees and of an ArrayTree that hold splits and predictions.
_FIELDS_OF_TREES = ("children_left", "feature", "threshold", "value", "statistics")

# The rows and labels of nearest neighbors, what histogram boosting starts from, and the
# width of a kernel and what support vector machines predict from.
_PRIVATE = (
    "_fit_X",
    "_y",
    "_baseline_prediction",
    "_gamma",
    "_dual_coef_",
    "_intercept_",
)

# What boosting starts from, transformers inside others, and what turns numbers into
# labels.
_PARTS = (
    "init_",
    "transformer_",
    "transformers_",
    "transformer_list",
    "label_binarizer_",
    "_label_binarizer",
    "le_",
    "_le",
)

# Parameters that do not change what a fitted model predicts.
_WITHOUT_EFFECT = ("n_jobs", "random_state", "verbose")


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
            f"model must be a fitted classifier or regressor; got {shown(classifier)}"
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
        best of a search, and not only a part of an ensemble or an earlier step.
    is_grown_on_all : bool
        Whether the model was fitted to all rows, not to a part drawn for it.
    of_target : transformer or None
        It turns the numbers that the classifier predicts into those of the model.
    classes : array or None
        The labels of the classifier if the model is fitted to their numbers.
    """

    model: Any
    steps: tuple[Callable[[Any], Any], ...] = ()
    is_main: bool = True
    is_grown_on_all: bool = True
    of_target: Any = None
    classes: Any = None

    def rows(self, X: Any) -> Any:
        """The rows of the classifier as they reach the model."""
        for step in self.steps:
            X = step(X)
        return X

    def labels(self, y: NDArray[Any]) -> NDArray[Any]:
        """The labels, or numbers, of the classifier as the model is fitted to them."""
        if self.classes is not None:
            places = np.searchsorted(self.classes, y)
            places = np.minimum(places, len(self.classes) - 1)
            return np.where(self.classes[places] == y, places, -1)
        if self.of_target is None:
            return y
        # Numbers outside the domain of a function such as the logarithm become NaN.
        with np.errstate(all="ignore"):
            return np.ravel(self.of_target.transform(y[:, np.newaxis]))


def models_inside(classifier: Any) -> Iterator[InnerModel]:
    """A classifier and the models inside it: the steps of a pipeline, the best of a
    search, members of ensembles, what a threshold or a calibration is put around, what
    selects columns, and transformers of some columns.

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
        yield from _earlier_steps(outer)
        steps = (*steps, partial(through, steps=list(outer.model)[:-1]))
    yield from _with_inner(outer._replace(model=last, steps=steps))


def _earlier_steps(outer: InnerModel) -> Iterator[InnerModel]:
    """The steps of a pipeline before the last one, and the models inside them. A step
    may have chosen columns by a tree, or keep rows to fill in missing values from.
    """
    steps = list(outer.model)[:-1]
    for place, step in enumerate(steps):
        if step is None or isinstance(step, str):
            continue
        way = outer.steps
        if place:
            way = (*way, partial(through, steps=steps[:place]))
        yield from _with_inner(outer._replace(model=step, steps=way, is_main=False))


def _members(outer: InnerModel) -> Iterator[InnerModel]:
    """The fitted models inside a meta-estimator."""
    classifier = outer.model
    member = outer._replace(is_main=False)
    if isinstance(classifier, FrozenEstimator):
        yield outer._replace(model=classifier.estimator)
    if _fits_to_chosen_columns(classifier):
        member = member._replace(steps=(*outer.steps, classifier.transform))
    for name in ("estimator_", "base_estimator_"):
        if hasattr(classifier, name):
            yield member._replace(model=getattr(classifier, name))
    if _takes_the_same_predictions(classifier):
        steps = (*outer.steps, classifier.transform)
        last = classifier.final_estimator_
        classes = _numbered_classes(classifier, last)
        yield member._replace(model=last, steps=steps, classes=classes)
    if hasattr(classifier, "regressor_"):
        transformer = getattr(classifier, "transformer_", None)
        yield member._replace(model=classifier.regressor_, of_target=transformer)
    for calibrated in getattr(classifier, "calibrated_classifiers_", ()):
        yield member._replace(model=calibrated.estimator, is_grown_on_all=False)

    for columns, transformer in _parts_of_columns(classifier):
        steps = outer.steps
        if columns is not None:
            steps = (*steps, partial(_take_columns, columns=columns))
        yield from _with_inner(member._replace(model=transformer, steps=steps))

    yield from _drawn_members(outer)


def _fits_to_chosen_columns(selector: Any) -> bool:
    """Whether a selection of columns has fitted its model to the columns that it chose,
    as recursive elimination does, and not to all of them.
    """
    if not isinstance(selector, SelectorMixin):
        return False
    n_columns = getattr(selector, "n_features_in_", None)
    model = getattr(selector, "estimator_", None)
    return bool(getattr(model, "n_features_in_", n_columns) != n_columns)


def _takes_the_same_predictions(stack: Any) -> bool:
    """Whether the last model of a stack was fitted to what its other models predict
    now: only if they were fitted before. Else other fits predicted for it.
    """
    was_fitted_before = getattr(stack, "cv", None) == "prefit"
    return was_fitted_before and hasattr(stack, "final_estimator_")


def _parts_of_columns(transformer: Any) -> Iterator[tuple[Any, Any]]:
    """The transformers that a transformer of columns, or a union of features, puts side
    by side, each with the columns that it takes; None for all.
    """
    for _, part, columns in getattr(transformer, "transformers_", ()):
        if hasattr(part, "transform"):
            yield columns, part
    for _, part in getattr(transformer, "transformer_list", ()):
        if hasattr(part, "transform"):
            yield None, part


def _drawn_members(outer: InnerModel) -> Iterator[InnerModel]:
    """The members of a vote, a stack or an ensemble."""
    classifier = outer.model
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
            if not _are_all_columns(columns_of_model, classifier):
                steps = (*steps, partial(_take_columns, columns=columns_of_model))
            classes = _numbered_classes(classifier, model)
            yield InnerModel(model, steps, False, is_grown_on_all, classes=classes)


def _numbered_classes(classifier: Any, model: Any) -> NDArray[Any] | None:
    """The labels of a vote or a stack, if a model in it was fitted to their numbers."""
    classes = getattr(classifier, "classes_", None)
    own = getattr(model, "classes_", None)
    if classes is None or own is None or isinstance(classes, list):
        return None
    are_numbers = np.array_equal(own, np.arange(len(classes)))
    return classes if are_numbers and not np.array_equal(own, classes) else None


def _are_all_columns(columns: Any, ensemble: Any) -> bool:
    """Whether a member of an ensemble takes all columns in their order."""
    if columns is None:
        return True
    return np.array_equal(columns, np.arange(ensemble.n_features_in_))


def fingerprint(model: Any) -> int | None:
    """A number that is another one after nearly every change of a fitted model; None if
    nothing of the model can be read.

    It is made from trees and boosters; from public attributes of the model, of its
    steps and of its members that are numbers, words or arrays of them; from what
    nearest neighbors keep; from parameters of the model and of its steps that are
    numbers, words or functions; and from the names of their classes.

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
    Of a long array at most some 2000 entries are read. Cost: 50 microseconds per tree,
    and a boosted model written out once.
    """
    inside = list(models_inside(model))
    # The last model of a stack takes the predictions of the others, not rows.
    for inner in list(inside):
        if hasattr(inner.model, "final_estimator_"):
            inside += models_inside(inner.model.final_estimator_)
    steps = [
        step
        for inner in inside
        if isinstance(inner.model, Pipeline)
        for step in inner.model
    ]
    kept = [part for inner in inside for part in _learned_state(inner.model)]
    if not kept:
        return None

    # Members of an ensemble have its parameters.
    whole = [inner.model for inner in inside if inner.is_main]
    described = [_described(each) for each in (*whole, *steps)]
    number = crc32(repr(described).encode())
    for part in kept:
        number = crc32(part, number)
    return number


def _learned_state(model: Any) -> Iterator[bytes]:
    """What a fitted model keeps, in the order of the names."""
    attributes = getattr(model, "__dict__", {})
    if not isinstance(model, BaseEstimator):
        # The models of CatBoost are not estimators of scikit-learn.
        if hasattr(model, "get_leaf_values") and model.is_fitted():
            yield _few_bytes(model.get_leaf_values())
        return
    for name in sorted(attributes):
        is_public = name.endswith("_") and not name.startswith("_")
        if is_public or name in _PRIVATE:
            yield from map(_few_bytes, _arrays_of(attributes[name]))
            yield from _function_learned(attributes[name])
        for part in _parts(name, attributes[name]):
            yield repr(_described(part)).encode()
            yield from _learned_state(part)

    # The trees of histogram boosting, and of other libraries.
    for trees in attributes.get("_predictors", ()):
        values = [tree.nodes["value"] for tree in trees if hasattr(tree, "nodes")]
        yield from map(_few_bytes, values)
    if attributes.get("_Booster") is not None and hasattr(model, "booster_"):
        yield model.booster_.model_to_string().encode()
    elif attributes.get("_Booster") is not None and hasattr(model, "get_booster"):
        yield bytes(model.get_booster().save_raw())


def _function_learned(value: Any) -> Iterator[bytes]:
    """What a function that was learned computes: an isotonic regression keeps one that
    interpolates between points.
    """
    if not callable(value) or isinstance(value, BaseEstimator):
        return
    yield repr(_readable(value)).encode()
    points = [getattr(value, name, None) for name in ("x", "y")]
    yield from (_few_bytes(each) for each in points if isinstance(each, np.ndarray))


def _parts(name: str, value: Any) -> Iterator[Any]:
    """The estimators in an attribute that change what the model predicts."""
    if name in _PARTS:
        yield from _estimators_of(value)
    elif name == "calibrated_classifiers_":
        for calibrated in value:
            yield from _estimators_of(getattr(calibrated, "calibrators", None))


def _estimators_of(value: Any) -> Iterator[Any]:
    """The estimators that an attribute is, or consists of, and steps of pipelines."""
    if isinstance(value, Pipeline):
        value = value.steps
    if isinstance(value, list | tuple):
        for entry in value[:_MOST_ENTRIES]:
            yield from _estimators_of(entry)
    elif isinstance(value, BaseEstimator):
        yield value


def _arrays_of(value: Any) -> Iterator[NDArray[Any]]:
    """The arrays of numbers that an attribute is, or consists of."""
    if isinstance(value, list | tuple):
        if value and _is_plain(value):
            yield np.array([repr(entry) for entry in value[:_MOST_ENTRIES]])
            return
        for entry in value[:_MOST_ENTRIES]:
            if isinstance(entry, np.ndarray | list | tuple):
                yield from _arrays_of(entry)
    elif hasattr(value, "children_left") and hasattr(value, "threshold"):
        columns = [getattr(value, field, None) for field in _FIELDS_OF_TREES]
        yield from (array for array in columns if isinstance(array, np.ndarray))
    elif isinstance(value, np.ndarray | Number):
        array = np.asarray(value)
        if array.dtype.kind in "biufU":
            yield array
        elif all(isinstance(entry, Number | str) for entry in _few_entries(array)):
            # Words, as the categories of an encoder.
            yield np.array([repr(entry) for entry in _few_entries(array)])


def _few_bytes(array: NDArray[Any]) -> bytes:
    """The shape of an array, and its entries or some of them."""
    return repr(array.shape).encode() + _few_entries(array).tobytes()


def _few_entries(array: NDArray[Any]) -> NDArray[Any]:
    """The entries of an array, or some of them if they are many."""
    return array.ravel()[:: max(1, array.size // _MOST_ENTRIES)]


def _described(model: Any) -> tuple[Any, ...]:
    """The class of an estimator, a predict of its own, and its parameters that are
    numbers, words or functions, and may change what it predicts.
    """
    own_predict = getattr(model, "__dict__", {}).get("predict")
    names = (type(model).__module__, type(model).__qualname__, _readable(own_predict))
    try:
        parameters = model.get_params(deep=False)
    except (AttributeError, RuntimeError, TypeError):
        # It is a step that passes rows on, or a class without such parameters.
        return names
    readable = {
        name: _readable(value)
        for name, value in parameters.items()
        if name not in _WITHOUT_EFFECT
    }
    return (*names, readable)


def _readable(value: Any) -> Any:
    """What can be said of a parameter in each process alike: numbers and words, lists
    and mappings of them, and functions by their names and their code.
    """
    if isinstance(value, dict):
        return {str(name): _readable(entry) for name, entry in value.items()}
    if isinstance(value, partial):
        return _readable([value.func, list(value.args), value.keywords])
    code = getattr(value, "__code__", None)
    if code is not None:
        inside = [entry for entry in code.co_consts if isinstance(entry, Number | str)]
        return value.__module__, value.__qualname__, code.co_code, inside
    if isinstance(value, list | tuple):
        return [_readable(entry) for entry in value[:_MOST_ENTRIES]]
    if isinstance(value, Number | str):
        return value
    # Functions that are not written in Python, as those of NumPy are.
    return getattr(value, "__name__", None) if callable(value) else None


def _is_plain(value: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a list holds only numbers and words."""
    return all(isinstance(entry, Number | str) for entry in value)


def through(X: Any, steps: Iterable[Any]) -> Any:
    """Rows as they leave the steps of a pipeline. A step that draws rows, such as those
    of imbalanced-learn, does so in ``fit`` only.

    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from treebounds.risk.classifiers import through
    >>> through([[5.0]], [MinMaxScaler().fit([[0.0], [10.0]]), "passthrough"])
    array([[0.5]])

    Parameters
    ----------
    X : array or frame
    steps : iterable of transformers
        Fitted. What has no ``transform`` leaves the rows as they are.

    Returns
    -------
    array or frame
    """
    for step in steps:
        if hasattr(step, "transform"):
            X = step.transform(X)
        elif isinstance(step, Pipeline):
            X = through(X, step)
    return X


def _take_columns(X: Any, columns: Any) -> Any:
    """Some columns of an array, a frame or a sparse matrix, by place or by name."""
    if hasattr(X, "iloc"):
        are_names = any(isinstance(name, str) for name in np.atleast_1d(columns))
        return X.loc[:, columns] if are_names else X.iloc[:, columns]
    return X[:, columns] if hasattr(X, "shape") else np.asarray(X)[:, columns]
