"""Questions about numbers: is a prediction off by too much, and by how much?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from treebounds._validation import as_floats, check_number
from treebounds.risk.coverage import (
    cases_needed,
    covering_tolerance,
    covering_tolerance_of_groups,
)
from treebounds.risk.questions._limits_of_shares import (
    cases_below_even,
    limit_of_share,
    limits_of_shares,
)
from treebounds.risk.rows.labels import as_vector
from treebounds.risk.verdict import Verdict
from treebounds.risk.words import number_in_words


class _OfRegressors:
    """What the questions about numbers have in common: their losses."""

    is_monotone = True
    is_about_numbers = True

    def read(self, y: Any) -> NDArray[Any]:
        """The true values as a vector of finite numbers."""
        return read_numbers(y)

    def losses(
        self, predicted: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> NDArray[Any]:
        """The size of each error."""
        return sizes_of_errors(predicted, labels)


class Tolerance(_OfRegressors):
    """Is a number off by more than a tolerance? The share of such cases is bounded.

    >>> import numpy as np
    >>> from treebounds.risk.questions import Tolerance
    >>> question = Tolerance(5)
    >>> question.losses(np.zeros(2), np.array([5.0, 6.0]), np.arange(2)).tolist()
    [5.0, 6.0]
    >>> question.verdict(np.array([5.0, 6.0]), 0.05).n_errors
    1
    """

    def __init__(self, tolerance: float) -> None:
        self.tolerance = check_number(tolerance, "tolerance", "[0, inf)")

    def verdict(
        self,
        losses: NDArray[Any],
        delta: float,
        *,
        units: NDArray[np.intp] | None = None,
    ) -> Verdict:
        """The limit of the share of cases that are off by more than the tolerance."""
        verdict = limit_of_share(losses > self.tolerance, delta, units)
        return replace(verdict, tolerance=self.tolerance)

    def verdicts(self, parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
        """Clopper and Pearson's limits of all parts at once."""
        wrong = [losses > self.tolerance for losses in parts]
        return [
            replace(verdict, tolerance=self.tolerance)
            for verdict in limits_of_shares(wrong, delta)
        ]

    def remark(
        self, predicted: Any, labels: NDArray[Any], verdict: Verdict, delta: float
    ) -> str:
        """How often the best constant is off, or that one number is predicted."""
        return remark_on_numbers(predicted, labels, verdict)

    def least_cases(self, delta: float) -> int:
        """From as many cases on, none of them off, the limit is below 1/2."""
        return cases_below_even(delta)


class Coverage(_OfRegressors):
    """By how much is a number off, for all but a share of the cases? That tolerance is
    bounded.

    >>> import numpy as np
    >>> from treebounds.risk.questions import Coverage
    >>> Coverage(0.9).verdict(np.arange(1.0, 101.0), 0.05).tolerance
    96.0
    """

    def __init__(self, coverage: float, *, must_cover: bool = True) -> None:
        self.coverage = check_number(coverage, "coverage", "(0, 1)")
        # Whether too few cases are an error, or have an infinite tolerance.
        self._must_cover = must_cover

    def verdict(
        self,
        losses: NDArray[Any],
        delta: float,
        *,
        units: NDArray[np.intp] | None = None,
    ) -> Verdict:
        """The tolerance; ``value`` is the share of new cases that it may not cover."""
        n_groups = None if units is None else len(np.unique(units))
        n_units = len(losses) if n_groups is None else n_groups
        if n_units < self.least_cases(delta) and not self._must_cover:
            tolerance = math.inf
        elif units is None:
            tolerance = covering_tolerance(losses, coverage=self.coverage, delta=delta)
        else:
            tolerance = covering_tolerance_of_groups(
                losses, units, coverage=self.coverage, delta=delta
            )
        n_errors = int((losses > tolerance).sum())
        return Verdict(
            # 1 - .9 is .09999999999999998; what is not covered is .1.
            round(1 - self.coverage, 12),
            len(losses),
            n_errors,
            n_groups,
            tolerance=tolerance,
            coverage=self.coverage,
        )

    def verdicts(self, parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
        """The tolerance of each part."""
        return [self.verdict(losses, delta) for losses in parts]

    def remark(
        self, predicted: Any, labels: NDArray[Any], verdict: Verdict, delta: float
    ) -> str:
        """How often the best constant is off, or that one number is predicted, or that
        the cases are too few.
        """
        if verdict.tolerance == math.inf:
            return (
                f"To cover {self.coverage:.12g} takes at least"
                f" {self.least_cases(delta)} examples, or groups, that judge."
            )
        return remark_on_numbers(predicted, labels, verdict)

    def least_cases(self, delta: float) -> int:
        """From as many cases on, the share can be covered."""
        return cases_needed(self.coverage, delta)


def read_numbers(y: Any) -> NDArray[np.float64]:
    """True values as a vector of finite floats, or a ValueError.

    >>> from treebounds.risk.questions.of_regressors import read_numbers
    >>> read_numbers([1, 2])
    array([1., 2.])
    """
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        raise ValueError(
            f"y must be one number for each example; got {np.shape(y)[1]} outputs:"
            " certify a regressor for each of them"
        )
    values = as_floats(column_or_1d(y))
    if not np.isfinite(values).all():
        raise ValueError("y must hold finite numbers, one for each example")
    return values


def sizes_of_errors(predicted: Any, labels: NDArray[Any]) -> NDArray[np.float64]:
    """By how much each prediction is off.

    >>> import numpy as np
    >>> from treebounds.risk.questions.of_regressors import sizes_of_errors
    >>> sizes_of_errors(np.array([[1.0], [2.0]]), np.array([1.0, 5.0]))
    array([0., 3.])
    """
    values = as_floats(as_vector(predicted, labels), "model.predict(X)")
    sizes: NDArray[np.float64] = np.abs(labels - values)
    if not np.isfinite(sizes).all():
        raise ValueError(
            "model predicts NaN or an infinite number; a certificate needs a finite"
            " number for each example"
        )
    return sizes


def remark_on_numbers(predicted: Any, labels: NDArray[Any], verdict: Verdict) -> str:
    """How often the best constant is off by more than a tolerance, or that the
    regressor is constant; only the latter where a limit is about means over groups.

    The constant is counted as it is printed.

    >>> import numpy as np
    >>> from treebounds.risk.questions.of_regressors import remark_on_numbers
    >>> from treebounds.risk.verdict import Verdict
    >>> verdict = Verdict(0.9, 3, 1, tolerance=1.0)
    >>> remark_on_numbers(np.array([0, 5, 9]), np.array([0.0, 5.0, 6.0]), verdict)
    'It shows no gain over always predicting 5.5, which is off by more on 1 of these
    examples.'
    """
    values = np.unique(as_vector(predicted, labels))
    if len(values) == 1:
        return f"It predicts {number_in_words(values[0])} for each of these examples."
    if verdict.n_groups is not None:
        return ""

    tolerance = float(verdict.tolerance or 0.0)
    best = number_in_words(_best_constant(labels, tolerance))
    n_off = int(np.count_nonzero(np.abs(labels - float(best)) > tolerance))
    constant = f"always predicting {best}"
    is_off = f"is off by more on {n_off} of these examples"
    if n_off > verdict.n_errors:
        return f"{constant.capitalize()} {is_off}."
    return f"It shows no gain over {constant}, which {is_off}."


def _best_constant(labels: NDArray[Any], tolerance: float) -> float:
    """The middle of those values that one constant can be near to, if it is near to as
    many as possible.
    """
    ordered = np.sort(labels)
    ends = np.searchsorted(ordered, ordered + 2 * tolerance, side="right")
    first = int(np.argmax(ends - np.arange(len(ordered))))
    return float(ordered[first] / 2 + ordered[ends[first] - 1] / 2)
