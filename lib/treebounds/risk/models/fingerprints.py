"""Is a model still the one that was certified? A number made from what it learned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from numbers import Number
from types import CodeType
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from treebounds.risk.models.inner_models import models_inside
from treebounds.risk.models.learner_parts import held_by

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

# What boosting starts from, transformers inside others, such as the weights of words,
# and what turns numbers into labels.
_PARTS = (
    "init_",
    "transformer_",
    "transformers_",
    "transformer_list",
    "_tfidf",
    "label_binarizer_",
    "_label_binarizer",
    "le_",
    "_le",
)

# Parameters that do not change what a fitted model predicts.
_WITHOUT_EFFECT = ("n_jobs", "random_state", "verbose")


def fingerprint(model: Any) -> int | None:
    """A number that is another one after nearly every change of a fitted model; None if
    nothing of the model can be read.

    It is made from trees and boosters; from public attributes of the model, of its
    steps and of its members that are numbers, words, or arrays, lists and mappings of
    them; from functions that were learned; from what nearest neighbors keep; from
    parameters of the model and of its steps that are numbers, words or functions; and
    from the names of their classes.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.fingerprints import fingerprint
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
    interpolates between points, and splines are kept as functions, too.
    """
    if isinstance(value, list):
        for entry in value[:_MOST_ENTRIES]:
            yield from _function_learned(entry)
    if not callable(value) or isinstance(value, BaseEstimator):
        return
    yield repr(_readable(value)).encode()
    points = [getattr(value, name, None) for name in ("x", "y", "t", "c")]
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
        yield from _arrays_inside(value[:_MOST_ENTRIES])
    elif isinstance(value, dict):
        # The columns of words, for example.
        entries = _few_entries(np.arange(len(value))).tolist()
        keys, values = list(value), list(value.values())
        yield from _arrays_of([keys[place] for place in entries])
        yield from _arrays_of([values[place] for place in entries])
    elif issparse(value):
        matrix = value.tocsr()
        yield from (matrix.indptr, matrix.indices, matrix.data)
    elif hasattr(value, "children_left") and hasattr(value, "threshold"):
        columns = [getattr(value, field, None) for field in _FIELDS_OF_TREES]
        yield from (array for array in columns if isinstance(array, np.ndarray))
    elif isinstance(value, np.ndarray | Number):
        yield from _arrays_of_array(np.asarray(value))


def _arrays_of_array(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """An array of numbers, the words of one of words, or the arrays in one of arrays,
    such as the borders of bins.
    """
    few = _few_entries(array)
    if array.dtype.kind in "biufU":
        yield array
    elif all(isinstance(entry, Number | str) for entry in few):
        # Words, as the categories of an encoder.
        yield np.array([repr(entry) for entry in few])
    else:
        yield from _arrays_inside(few)


def _arrays_inside(entries: Iterable[Any]) -> Iterator[NDArray[Any]]:
    """The arrays of numbers of the entries that are arrays, lists or mappings."""
    for entry in entries:
        if isinstance(entry, np.ndarray | list | tuple | dict):
            yield from _arrays_of(entry)


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
    and mappings of them, and functions by their names, their code, and the numbers and
    words that they hold.
    """
    if isinstance(value, dict):
        return {str(name): _readable(entry) for name, entry in value.items()}
    if isinstance(value, partial):
        return _readable([value.func, list(value.args), value.keywords])
    if isinstance(value, CodeType):
        return value.co_code, value.co_names, _readable(value.co_consts)
    # Functions, methods, and functions that numba compiled.
    code = getattr(value, "__code__", None)
    if code is not None:
        # A function may hold itself, so what it holds is not read any further.
        held = [each for each in held_by(value) if isinstance(each, Number | str)]
        return value.__module__, value.__qualname__, _readable(code), held
    if isinstance(value, list | tuple):
        return [_readable(entry) for entry in value[:_MOST_ENTRIES]]
    if isinstance(value, Number | str):
        return value
    # Functions that are not written in Python, as those of NumPy are.
    return getattr(value, "__name__", None) if callable(value) else None


def _is_plain(value: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a list holds only numbers and words."""
    return all(isinstance(entry, Number | str) for entry in value)
