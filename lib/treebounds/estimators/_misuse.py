"""Warnings for certificates that do not allow for how an estimator is fitted.

A certificate holds for one call of ``fit`` whose parameters, and whose input, were not
chosen by looking at the same data. An estimator cannot know this, but it sees signs of
a search: clones whose parameters are set, and the functions that are calling it. By
the same functions it notices labels that a model has predicted.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from treebounds.exceptions import SelectionWarning
from treebounds.risk.halving import best_of_halvings

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
        """Warn of a search, of labels that a model gave, and of steps and other models
        that make its input and learn from the same rows; return whether there are any.
        """
        steps = learning_steps_before(self)
        makers = makers_of_input(self)
        is_prepared = bool(steps or makers)
        if is_judged_by_halvings():
            return is_prepared

        name = type(self).__name__
        messages = []
        if self._is_candidate or self._was_asked or is_fitted_by_search():
            messages.append(_about_search(name))
        if is_fitted_to_own_labels():
            messages.append(_about_own_labels(name))
        if steps:
            messages.append(_about_steps(name, steps, hasattr(self, "estimators")))
        if makers:
            messages.append(_about_makers(name, makers))
        for message in messages:
            warnings.warn(message, SelectionWarning, stacklevel=3)
        return is_prepared


def _about_search(name: str) -> str:
    """The warning of an estimator that is a candidate of a search."""
    return (
        f"{name} is one of several clones with other parameters, its own or those of a"
        " step before it, as in a search. A certificate does not allow for a choice"
        " among several fits to the same data: give the candidates to"
        " CertifiedClassifier([...]) or CertifiedRegressor([...]), which do"
    )


def _about_own_labels(name: str) -> str:
    """The warning of an estimator that is fitted to labels that a model gave."""
    return (
        f"Some labels that {name} is fitted to are predictions of"
        " SelfTrainingClassifier, so its certificate is not about the true labels of"
        " new cases: give the whole SelfTrainingClassifier, with a tree without a"
        " certificate inside, and labelled examples that had no part in it, to certify"
    )


def _about_steps(name: str, steps: list[str], has_candidates: bool) -> str:
    """The warning of an estimator behind steps that learn from the same rows; one with
    candidates can have the steps before each of them.
    """
    advice = (
        "give the whole pipeline, with a tree without a certificate at its end, such as"
        " BoundPrunedTreeClassifier or PrunedTreeRegressor, to CertifiedClassifier or"
        " CertifiedRegressor"
    )
    if has_candidates:
        advice = (
            "put the steps before each of the models that it chooses from,"
            f" {name}([make_pipeline(..., model), ...]), so that they are fitted to one"
            " half"
        )
    return (
        f"The steps {', '.join(steps)} of the pipeline were fitted to the same examples"
        f" as {name}, and its certificate does not allow for what they have learned"
        f" from those that judge: {advice}"
    )


def _about_makers(name: str, makers: list[str]) -> str:
    """The warning of an estimator whose input other models make from the same rows."""
    return (
        f"{' and '.join(makers)} made the columns or the numbers that {name} is fitted"
        " to from the same examples, and its certificate does not allow for what was"
        f" learned from those that judge: give the whole {makers[0]}, with a tree"
        " without a certificate inside, to CertifiedClassifier or CertifiedRegressor; a"
        " chain of outputs has to be judged by other examples"
    )


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


def makers_of_input(estimator: Any) -> list[str]:
    """The names of the classes that are fitting an estimator now to columns that they
    chose or made from the same rows, or to numbers that they transformed.
    """
    names: list[str] = []
    for frame in _calling_frames():
        caller = frame.f_locals.get("self")
        if isinstance(caller, Pipeline) and caller.steps[-1][1] is estimator:
            estimator = caller
        elif caller is not estimator and _makes_input(caller, estimator):
            names.insert(0, type(caller).__name__)
            estimator = caller
    return names


def _makes_input(caller: Any, estimator: Any) -> bool:
    """Whether a meta-estimator makes the input of an estimator that it fits from the
    rows and labels that it was given itself.
    """
    if _is_a(caller, "RFE", package="feature_selection"):
        return True
    if _is_a(caller, "_BaseStacking", package="ensemble"):
        return getattr(caller, "final_estimator_", None) is estimator
    if _is_a(caller, "_BaseChain", package="multioutput"):
        # The first member of a chain gets no labels of others.
        members = getattr(caller, "estimators_", ())
        return any(member is estimator for member in members[1:])
    if _is_a(caller, "TransformedTargetRegressor", package="compose"):
        return caller.transformer is not None and _learns(caller.transformer)
    return False


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


def is_fitted_to_own_labels() -> bool:
    """Whether a SelfTrainingClassifier is fitting an estimator to labels that it has
    predicted itself.
    """
    for frame in _calling_frames():
        caller = frame.f_locals.get("self")
        if not _is_a(caller, "SelfTrainingClassifier", package="semi_supervised"):
            continue
        # In the round of each label: -1 if it is unknown, 0 if it was given.
        rounds = getattr(caller, "labeled_iter_", None)
        if rounds is not None and (rounds > 0).any():
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


def _is_a(step: Any, *names: str, package: str = "preprocessing") -> bool:
    """Whether a step is of one of these classes of a package of scikit-learn.

    The import of that package would take a tenth of this library's.
    """
    return any(
        base.__name__ in names and base.__module__.startswith(f"sklearn.{package}")
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
