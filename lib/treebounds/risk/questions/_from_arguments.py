"""Which question the arguments of a call ask of a model."""

from __future__ import annotations

from typing import Any

from treebounds._validation import InvalidParameterError
from treebounds.risk.models.kinds import (
    check_fitted,
    is_regressor_instance,
    known_classes,
)
from treebounds.risk.questions._protocol import Question
from treebounds.risk.questions.of_classifiers import Costs, Errors
from treebounds.risk.questions.of_regressors import Coverage, Tolerance
from treebounds.trees import ArrayTree


def ask(
    model: Any, *, tolerance: Any, coverage: Any, cost: Any, n_rows: int | None
) -> Question:
    """The question that the arguments of :func:`treebounds.certify` ask of a model, or
    a ValueError if they do not fit it.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treebounds.risk.questions import ask
    >>> tree = DecisionTreeRegressor().fit([[0], [1]], [0, 1])
    >>> question = ask(tree, tolerance=5, coverage=None, cost=None, n_rows=None)
    >>> type(question).__name__
    'Tolerance'
    """
    if is_regressor_instance(model):
        return _ask_regressor(model, tolerance, coverage, cost)

    classes = known_classes(model)
    for name, value in (("tolerance", tolerance), ("coverage", coverage)):
        if value is not None:
            raise InvalidParameterError(
                f"{name} is for regressors; {type(model).__name__} is a classifier,"
                " whose errors certify(model, X, y) counts"
            )
    return Errors() if cost is None else Costs(classes, cost, n_rows)


def _ask_regressor(model: Any, tolerance: Any, coverage: Any, cost: Any) -> Question:
    """A question about numbers."""
    if not isinstance(model, ArrayTree):
        check_fitted(model)
    if cost is not None:
        raise InvalidParameterError(
            f"cost is for classifiers; {type(model).__name__} is a regressor: call"
            " certify(model, X, y, tolerance=...) or certify(model, X, y, coverage=...)"
        )
    if (tolerance is None) == (coverage is None):
        raise InvalidParameterError(
            f"tolerance or coverage must be given, and not both, since"
            f" {type(model).__name__} is a regressor: certify(model, X, y, tolerance=5)"
            " bounds the share of cases that are off by more than 5, certify(model, X,"
            " y, coverage=0.9) the size of error of the best 90%"
        )
    return Tolerance(tolerance) if coverage is None else Coverage(coverage)
