"""The models inside a model, and the way of the rows to each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple
from warnings import catch_warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.multiclass import (
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
)
from sklearn.pipeline import Pipeline

from treebounds.risk.models.kinds import final_estimator
from treebounds.risk.models.learner_parts import has_learned, is_of_a_library
from treebounds.risk.rows.tables import take

# The number of a class that a model was fitted without. Binary models have -1, 0 and 1.
NO_CLASS = -2

# What divides the classes into two, several times.
_BINARY = (OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier)

# Values that are looked through for models in an object of the caller's own class.
_MOST_VALUES = 1000


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
        The labels of the classifier if the model is fitted to numbers of them.
    numbers : array of int or None
        The number of each of ``classes``; ``NO_CLASS`` if the model was fitted without
        the rows of a class. 0, 1, ... when None.
    is_guess : bool
        Whether the model is kept by an object of the caller's own class, which may
        change the rows on their way in a manner that is not known.
    """

    model: Any
    steps: tuple[Callable[[Any], Any], ...] = ()
    is_main: bool = True
    is_grown_on_all: bool = True
    of_target: Any = None
    classes: Any = None
    numbers: Any = None
    is_guess: bool = False

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
            numbers = places if self.numbers is None else self.numbers[places]
            return np.where(self.classes[places] == y, numbers, NO_CLASS)
        if self.of_target is None:
            return y
        # Numbers outside the domain of a function such as the logarithm become NaN.
        with np.errstate(all="ignore"):
            return np.ravel(self.of_target.transform(y[:, np.newaxis]))

    def sample(self, X: Any, y: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
        """The rows and labels of the classifier as they reach the model, without those
        of classes that it was fitted without.
        """
        rows, own = self.rows(X), self.labels(y)
        if self.takes_all_classes:
            return rows, own
        taken = np.flatnonzero(own != NO_CLASS)
        return take(rows, taken), own[taken]

    @property
    def takes_all_classes(self) -> bool:
        """Whether the model was fitted to the rows of all classes."""
        return self.numbers is None or NO_CLASS not in self.numbers

    @contextmanager
    def may_fail(self) -> Iterator[None]:
        """Where errors and warnings are passed over if rows may reach the model
        otherwise: it then has other columns, for example.
        """
        if not self.is_guess:
            yield
            return
        with catch_warnings(action="ignore"), suppress(KeyError, TypeError, ValueError):
            yield


def models_inside(classifier: Any) -> Iterator[InnerModel]:
    """A classifier and the models inside it: the steps of a pipeline, the best of a
    search, members of ensembles, what a threshold or a calibration is put around, what
    selects columns, transformers of some columns, and what an object of the caller's
    own class keeps.

    >>> from sklearn.calibration import CalibratedClassifierCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.inner_models import models_inside
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
        members = list(_members(outer))
        for member in (*members, *_kept_by_own_class(outer, members)):
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
        # Beside the members of an ensemble it is what they were cloned from, unfitted.
        if hasattr(classifier, name) and not hasattr(classifier, "estimators_"):
            yield member._replace(model=getattr(classifier, name))
    if _takes_the_same_predictions(classifier):
        steps = (*outer.steps, classifier.transform)
        last = classifier.final_estimator_
        classes = _numbered_classes(outer, last)
        yield member._replace(model=last, steps=steps, classes=classes)
    if hasattr(classifier, "regressor_"):
        transformer = getattr(classifier, "transformer_", None)
        yield member._replace(model=classifier.regressor_, of_target=transformer)
    for calibrated in getattr(classifier, "calibrated_classifiers_", ()):
        yield member._replace(model=calibrated.estimator)

    for columns, transformer in _parts_of_columns(classifier):
        steps = outer.steps
        if columns is not None:
            steps = (*steps, partial(_take_columns, columns=columns))
        yield from _with_inner(member._replace(model=transformer, steps=steps))

    yield from _binary_members(outer)
    yield from _drawn_members(outer)


def _kept_by_own_class(
    outer: InnerModel, members: list[InnerModel]
) -> Iterator[InnerModel]:
    """The fitted models that an object of the caller's own class keeps in attributes,
    alone, in containers, or in other objects of such classes; not the known members.
    """
    if is_of_a_library(type(outer.model)):
        return
    waiting = [outer.model]
    # An id is taken again after its object is gone, so they are all kept.
    seen: dict[int, Any] = {id(member.model): member.model for member in members}
    while waiting and len(seen) < _MOST_VALUES:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
        elif not is_of_a_library(type(value)):
            waiting += getattr(value, "__dict__", {}).values()
        elif has_learned(value):
            classes = _numbered_classes(outer, value)
            yield outer._replace(
                model=value, is_main=False, is_guess=True, classes=classes
            )


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


def _binary_members(outer: InnerModel) -> Iterator[InnerModel]:
    """The first model of a classifier that fits one to each of several divisions of its
    classes into two: one against the rest, one against another, or by a code.
    """
    classifier = outer.model
    if outer.classes is not None or not isinstance(classifier, _BINARY):
        return
    models = list(classifier.estimators_)
    is_divided = np.ones(len(models), dtype=bool)
    if isinstance(classifier, OutputCodeClassifier):
        # A code that is equal for all classes makes a model that knows no rows.
        is_divided = np.ptp(classifier.code_book_, axis=0) > 0
    learned = (i for i in np.flatnonzero(is_divided) if has_learned(models[i]))
    place = next(learned, None)
    n_classes = len(classifier.classes_)
    if place is None or getattr(classifier, "multilabel_", False):
        return
    numbers = np.arange(n_classes)
    if isinstance(classifier, OutputCodeClassifier):
        numbers = classifier.code_book_[:, place].astype(int)
    elif isinstance(classifier, OneVsOneClassifier):
        pair = list(combinations(range(n_classes), 2))[place]
        numbers = np.full(n_classes, NO_CLASS)
        numbers[list(pair)] = [0, 1]
    elif n_classes > 2:
        numbers = np.where(numbers == place, 1, 0)
    yield outer._replace(
        model=models[place],
        is_main=False,
        classes=np.asarray(classifier.classes_),
        numbers=numbers,
    )


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
            yield outer._replace(
                model=model,
                steps=steps,
                is_main=False,
                is_grown_on_all=is_grown_on_all,
                classes=_numbered_classes(outer, model),
            )


def _numbered_classes(outer: InnerModel, model: Any) -> NDArray[Any] | None:
    """The labels whose numbers a model in a vote or a stack was fitted to: those of the
    outermost one that numbers them.
    """
    classes = getattr(outer.model, "classes_", None)
    own = getattr(model, "classes_", None)
    known: NDArray[Any] | None = outer.classes
    if known is not None or classes is None or own is None or isinstance(classes, list):
        return known
    are_numbers = np.array_equal(own, np.arange(len(classes)))
    if are_numbers and not np.array_equal(own, classes):
        return np.asarray(classes)
    return None


def _are_all_columns(columns: Any, ensemble: Any) -> bool:
    """Whether a member of an ensemble takes all columns in their order."""
    if columns is None:
        return True
    return np.array_equal(columns, np.arange(ensemble.n_features_in_))


def through(X: Any, steps: Iterable[Any]) -> Any:
    """Rows as they leave the steps of a pipeline. A step that draws rows, such as those
    of imbalanced-learn, does so in ``fit`` only.

    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from treebounds.risk.models.inner_models import through
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
    if hasattr(X, "shape"):
        return X[:, columns]
    return np.asarray(X)[:, columns]
