"""What is asked of a model, case by case: whether it errs, what the error costs, or
whether a number is off by too much.

A question turns predictions and true values into one loss for each case, and losses of
independent cases, or of a part of them, into an upper limit. So tables by leaf or by
group, halvings and batches treat all questions alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, column_or_1d

from treebounds._validation import (
    InvalidParameterError,
    check_number,
    check_numbers,
    is_missing,
)
from treebounds.risk.classifiers import is_regressor_instance, known_classes
from treebounds.risk.costs import mean_cost_limit, sums_of_limits
from treebounds.risk.groups import mean_over_groups
from treebounds.risk.numbers import (
    cases_needed,
    covering_tolerance,
    covering_tolerance_of_groups,
)
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    binomial_tail_inversions,
    bounded_mean_inversion,
)
from treebounds.risk.tally import (
    Tally,
    Verdict,
    as_vector,
    holds_rounded_integers,
)
from treebounds.risk.tree_certificates import read_labels
from treebounds.risk.words import number_in_words
from treebounds.trees import ArrayTree

# With more parts than this, each gets the simpler sum of limits, which takes no search.
_MOST_SEARCHES = 30
# The order of the cases must not depend on their costs; a fixed shuffle sees to that.
_SHUFFLE = 0
# A limit at or above this share says nothing about a case drawn at random.
_EVEN = 0.5


class Question(Protocol):
    """What is asked of a model; see the classes below.

    Attributes
    ----------
    is_monotone : bool
        Whether a limit never falls if a loss rises. Then the limits of parts and of the
        whole hold at once by a product of their levels.
    """

    is_monotone: bool

    def read(self, y: Any) -> NDArray[Any]:
        """The true values as a vector, or a ValueError."""

    def losses(
        self, predicted: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> NDArray[Any]:
        """The loss of each case; ``rows`` are the cases' numbers in the sample."""

    def verdict(
        self,
        losses: NDArray[Any],
        delta: float,
        *,
        units: NDArray[np.intp] | None = None,
    ) -> Verdict:
        """The limit for some cases, which fails with probability at most delta."""

    def verdicts(self, parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
        """The limit for each of several parts; each fails with probability at most
        delta.
        """

    def remark(
        self, predicted: Any, labels: NDArray[Any], verdict: Verdict, delta: float
    ) -> str:
        """A sentence if the model is constant, or no better than a constant one."""

    def least_cases(self, delta: float) -> int:
        """The smallest number of cases from which anything can be said."""


class Errors:
    """Does the classifier err? The share of errors is bounded.

    >>> import numpy as np
    >>> from treebounds.risk.questions import Errors
    >>> losses = Errors().losses(
    ...     np.array(["a", "b"]), np.array(["a", "a"]), np.arange(2)
    ... )
    >>> losses.tolist(), round(Errors().verdict(losses, 0.05).value, 3)
    ([False, True], 0.975)
    """

    is_monotone = True

    def read(self, y: Any) -> NDArray[Any]:
        """The labels as a vector."""
        return read_labels(y)

    def losses(
        self, predicted: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> NDArray[Any]:
        """A mask of the errors."""
        return np.asarray(as_vector(predicted, labels) != labels)

    def verdict(
        self,
        losses: NDArray[Any],
        delta: float,
        *,
        units: NDArray[np.intp] | None = None,
    ) -> Verdict:
        """Clopper and Pearson's limit, or that of the mean over groups."""
        return _limit_of_share(losses, delta, units)

    def verdicts(self, parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
        """Clopper and Pearson's limits of all parts at once."""
        return _limits_of_shares(parts, delta)

    def remark(
        self, predicted: Any, labels: NDArray[Any], verdict: Verdict, delta: float
    ) -> str:
        """The error of the majority, or that one class is predicted."""
        tally = Tally()
        tally.count(predicted, labels)
        constant = tally.remark_on_a_constant()
        if constant or verdict.n_groups is not None:
            return constant
        return tally.remark(verdict.value, math.log(delta))

    def least_cases(self, delta: float) -> int:
        """From as many cases on, none of them an error, the limit is below 1/2."""
        return _cases_below_even(delta)


class Tolerance:
    """Is a number off by more than a tolerance? The share of such cases is bounded.

    >>> import numpy as np
    >>> from treebounds.risk.questions import Tolerance
    >>> question = Tolerance(5)
    >>> question.losses(np.zeros(2), np.array([5.0, 6.0]), np.arange(2)).tolist()
    [5.0, 6.0]
    >>> question.verdict(np.array([5.0, 6.0]), 0.05).n_errors
    1
    """

    is_monotone = True

    def __init__(self, tolerance: float) -> None:
        self.tolerance = check_number(tolerance, "tolerance", "[0, inf)")

    def read(self, y: Any) -> NDArray[Any]:
        """The true values as a vector of finite numbers."""
        return read_numbers(y)

    def losses(
        self, predicted: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> NDArray[Any]:
        """The size of each error."""
        return sizes_of_errors(predicted, labels)

    def verdict(
        self,
        losses: NDArray[Any],
        delta: float,
        *,
        units: NDArray[np.intp] | None = None,
    ) -> Verdict:
        """The limit of the share of cases that are off by more than the tolerance."""
        verdict = _limit_of_share(losses > self.tolerance, delta, units)
        return replace(verdict, tolerance=self.tolerance)

    def verdicts(self, parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
        """Clopper and Pearson's limits of all parts at once."""
        wrong = [losses > self.tolerance for losses in parts]
        return [
            replace(verdict, tolerance=self.tolerance)
            for verdict in _limits_of_shares(wrong, delta)
        ]

    def remark(
        self, predicted: Any, labels: NDArray[Any], verdict: Verdict, delta: float
    ) -> str:
        """How often the best constant is off, or that one number is predicted."""
        return remark_on_numbers(predicted, labels, verdict)

    def least_cases(self, delta: float) -> int:
        """From as many cases on, none of them off, the limit is below 1/2."""
        return _cases_below_even(delta)


class Coverage:
    """By how much is a number off, for all but a share of the cases? That tolerance is
    bounded.

    >>> import numpy as np
    >>> from treebounds.risk.questions import Coverage
    >>> Coverage(0.9).verdict(np.arange(1.0, 101.0), 0.05).tolerance
    96.0
    """

    is_monotone = True

    def __init__(self, coverage: float, *, must_cover: bool = True) -> None:
        self.coverage = check_number(coverage, "coverage", "(0, 1)")
        # Whether too few cases are an error, or have an infinite tolerance.
        self._must_cover = must_cover

    def read(self, y: Any) -> NDArray[Any]:
        """The true values as a vector of finite numbers."""
        return read_numbers(y)

    def losses(
        self, predicted: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> NDArray[Any]:
        """The size of each error."""
        return sizes_of_errors(predicted, labels)

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
                f"To cover {self.coverage:.4g} takes at least {self.least_cases(delta)}"
                " examples, or groups, that judge."
            )
        return remark_on_numbers(predicted, labels, verdict)

    def least_cases(self, delta: float) -> int:
        """From as many cases on, the share can be covered."""
        return cases_needed(self.coverage, delta)


class Costs:
    """What do the classifier's errors cost? The mean cost of a case is bounded.

    >>> import numpy as np
    >>> from treebounds.risk.questions import Costs
    >>> question = Costs(["no", "yes"], {"no": 1, "yes": 10}, None)
    >>> predicted, labels = np.array(["no", "no", "yes"]), np.array(["no", "yes", "no"])
    >>> question.losses(predicted, labels, np.arange(3))
    array([ 0., 10.,  1.])

    Parameters
    ----------
    classes : list
        The labels that the classifier can predict.
    cost : see :func:`treebounds.certify`
    n_rows : int or None
        Number of judged cases, where it is known.
    """

    is_monotone = False

    def __init__(self, classes: list[Any], cost: Any, n_rows: int | None) -> None:
        self._classes = classes
        self._matrix: NDArray[np.float64] | None = None
        self._weights: NDArray[np.float64] | None = None

        costs = _as_numbers(classes, cost)
        n_classes = len(classes)
        if costs.shape == (n_classes, n_classes):
            self._matrix = costs
        elif costs.shape == (n_classes,):
            self._matrix = costs[:, np.newaxis] * (1 - np.eye(n_classes))
        elif costs.ndim == 1 and len(costs) == n_rows:
            self._weights = costs
        else:
            by_case = (
                "" if n_rows is None else f", or one for each of the {n_rows} cases"
            )
            raise InvalidParameterError(
                f"cost must be a matrix with a row and a column for each of the"
                f" {n_classes} classes, or a number for each class{by_case}; got the"
                f" shape {costs.shape}"
            )

        self._order = _order_of(classes, cost) if self._weights is None else ()
        self.values = np.unique(costs[costs > 0])
        if not len(self.values):
            raise InvalidParameterError("cost must not be 0 for every error")
        self.largest_cost = float(self.values[-1])

    @property
    def is_by_case(self) -> bool:
        """Whether each case has a cost of its own."""
        return self._weights is not None

    def read(self, y: Any) -> NDArray[Any]:
        """The labels as a vector."""
        return read_labels(y)

    def losses(
        self, predicted: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> NDArray[Any]:
        """The cost of each case."""
        vector = as_vector(predicted, labels)
        if self._matrix is not None:
            rows = self._positions(labels)
            return np.asarray(self._matrix[rows, self._positions(vector)])

        weights = self._weights[rows]  # type: ignore[index]
        return np.asarray(np.where(vector != labels, weights, 0.0))

    def verdict(
        self,
        losses: NDArray[Any],
        delta: float,
        *,
        units: NDArray[np.intp] | None = None,
    ) -> Verdict:
        """The limit of the mean cost; ``n_errors`` counts cases that cost anything."""
        largest = self.largest_cost
        if units is not None:
            n_groups, mean = mean_over_groups(losses / largest, units)
            share = bounded_mean_inversion(mean, n_groups, math.log(delta))
            return self._verdict(largest * share, losses, n_groups)

        shuffled = np.random.default_rng(_SHUFFLE).permutation(losses)
        value = mean_cost_limit(shuffled, self.values, delta=delta)
        return self._verdict(value, losses)

    def verdicts(self, parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
        """The limits of all parts; with two kinds of cost and many parts, the sums of
        limits, which take no search.
        """
        if len(self.values) > 2 or len(parts) <= _MOST_SEARCHES:
            return [self.verdict(losses, delta) for losses in parts]
        sums = sums_of_limits(parts, self.values, delta=delta)
        return [
            self._verdict(value, losses)
            for value, losses in zip(sums.tolist(), parts, strict=True)
        ]

    def _verdict(
        self, value: float, losses: NDArray[Any], n_groups: int | None = None
    ) -> Verdict:
        """A limit with the counts that it comes from."""
        return Verdict(
            value,
            len(losses),
            int((losses > 0).sum()),
            n_groups,
            largest_cost=self.largest_cost,
            is_by_case=self._matrix is None,
            cost_order=self._order,
        )

    def remark(
        self, predicted: Any, labels: NDArray[Any], verdict: Verdict, delta: float
    ) -> str:
        """What the best constant costs, or that one class is predicted."""
        tally = Tally()
        tally.count(predicted, labels)
        constant = tally.remark_on_a_constant()
        if constant or verdict.n_groups is not None:
            return constant

        rows = np.arange(len(labels))
        mean = float(self.losses(predicted, labels, rows).mean())
        rivals = [
            float(self.losses(np.full(len(labels), label), labels, rows).mean())
            for label in self._classes
        ]
        best = self._classes[int(np.argmin(rivals))]
        costs = f"costs {min(rivals):.3g} on average"
        if min(rivals) > mean:
            return f"On these examples, always predicting {best!r} {costs}."
        return (
            f"On these examples it shows no gain over always predicting {best!r}, which"
            f" {costs}."
        )

    def least_cases(self, delta: float) -> int:
        """From as many cases on, none of them an error, the limit is below half of the
        largest cost.
        """
        return _cases_below_even(delta)

    def class_weights(self) -> dict[Any, float]:
        """For each class the mean cost of its errors, to grow trees with; Breiman and
        others (1984), section 4.4, sum the costs instead.

        >>> from treebounds.risk.questions import Costs
        >>> Costs(["no", "yes"], [1, 10], None).class_weights()
        {'no': 1.0, 'yes': 10.0}
        """
        if self._matrix is None:
            raise InvalidParameterError(
                "cost must be a matrix or a number for each class"
            )
        sums_of_errors = self._matrix.sum(axis=1) - self._matrix.diagonal()
        means = sums_of_errors / max(1, len(self._classes) - 1)
        return dict(zip(self._classes, means.tolist(), strict=True))

    def _positions(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """The places of labels among the classes; a ValueError for an unknown one."""
        names, codes = np.unique(labels, return_inverse=True)
        places = {label: place for place, label in enumerate(self._classes)}
        unknown = [name for name in names.tolist() if name not in places]
        if unknown:
            raise ValueError(
                f"y may have only the classes {self._classes} if cost= is given, since"
                f" errors on others have no cost; got {unknown[0]!r}"
            )
        return np.array([places[name] for name in names.tolist()])[codes]


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
        check_is_fitted(
            model, msg="model is not fitted yet: call fit on this %(name)s first"
        )
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


def read_numbers(y: Any) -> NDArray[np.float64]:
    """True values as a vector of finite floats, or a ValueError.

    >>> from treebounds.risk.questions import read_numbers
    >>> read_numbers([1, 2])
    array([1., 2.])
    """
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        raise ValueError(
            f"y must be one number for each example; got {np.shape(y)[1]} outputs:"
            " certify a regressor for each of them"
        )
    values = column_or_1d(y)
    if values.dtype.kind == "O" and not is_missing(values).any():
        values = np.array(values.tolist())
    if values.dtype.kind == "b":
        values = values.astype(float)
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        raise ValueError("y must hold finite numbers, one for each example")
    if holds_rounded_integers(values):
        raise ValueError(
            "y holds whole numbers beyond 2**53, of which several become the same"
            " float; subtract a number from them, and from the predictions"
        )
    return np.asarray(values, dtype=float)


def sizes_of_errors(predicted: Any, labels: NDArray[Any]) -> NDArray[np.float64]:
    """By how much each prediction is off.

    >>> import numpy as np
    >>> from treebounds.risk.questions import sizes_of_errors
    >>> sizes_of_errors(np.array([[1.0], [2.0]]), np.array([1.0, 5.0]))
    array([0., 3.])
    """
    values = as_vector(predicted, labels)
    if holds_rounded_integers(values):
        raise ValueError(
            "model predicts whole numbers beyond 2**53, of which several become the"
            " same float"
        )
    try:
        sizes: NDArray[np.float64] = np.abs(labels.astype(float) - values.astype(float))
    except (TypeError, ValueError):
        raise ValueError("model must predict numbers") from None
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
    >>> from treebounds.risk.questions import remark_on_numbers
    >>> from treebounds.risk.tally import Verdict
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


def _limit_of_share(
    wrong: NDArray[Any], delta: float, units: NDArray[np.intp] | None
) -> Verdict:
    """The limit of the share of cases that are wrong."""
    n_errors = int(wrong.sum())
    n_cases = len(wrong)
    log_gamma = math.log(delta)
    if units is None:
        value = binomial_tail_inversion(n_errors, n_cases, log_gamma)
        return Verdict(value, n_cases, n_errors)

    n_groups, mean = mean_over_groups(wrong, units)
    value = bounded_mean_inversion(mean, n_groups, log_gamma)
    return Verdict(value, n_cases, n_errors, n_groups)


def _limits_of_shares(parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
    """The limits of the shares of wrong cases in several parts."""
    n_errors = [int(np.count_nonzero(wrong)) for wrong in parts]
    n_cases = list(map(len, parts))
    limits = binomial_tail_inversions(n_errors, n_cases, math.log(delta))
    return list(map(Verdict, limits.tolist(), n_cases, n_errors))


def _cases_below_even(delta: float) -> int:
    """The smallest n with ``1 - delta**(1/n) < 1/2``."""
    return max(1, math.floor(math.log(delta) / math.log(_EVEN)) + 1)


def _order_of(classes: list[Any], cost: Any) -> tuple[Any, ...]:
    """The classes that costs are of by their places alone, where these are words, whose
    order is that of the alphabet.
    """
    labels = [set(index.tolist()) for index in getattr(cost, "axes", ())]
    is_named = isinstance(cost, Mapping) or set(classes) in labels
    are_words = all(isinstance(label, str) for label in classes)
    return () if is_named or not are_words else tuple(classes)


def _as_numbers(classes: list[Any], cost: Any) -> NDArray[np.float64]:
    """The cost as an array; a mapping from classes becomes a vector."""
    if isinstance(cost, Mapping):
        unknown = [label for label in cost if label not in classes]
        missing = [label for label in classes if label not in cost]
        if unknown or missing:
            raise InvalidParameterError(
                f"cost must have a number for each of the classes {classes} and for no"
                f" other; got {list(cost)}"
            )
        cost = [cost[label] for label in classes]
    return check_numbers(_in_order(classes, cost), "cost", "[0, inf)")


def _in_order(classes: list[Any], cost: Any) -> ArrayLike:
    """A frame or a series of pandas as an array; labels that are the classes are put in
    their order.
    """
    if not hasattr(cost, "to_numpy"):
        return cost  # type: ignore[no-any-return]

    for axis, index in enumerate(getattr(cost, "axes", ())):
        labels = index.tolist()
        if len(labels) != len(classes) or labels == list(range(len(labels))):
            continue
        if set(labels) != set(classes):
            raise InvalidParameterError(
                f"cost must be labelled by the classes {classes}, or by nothing; got"
                f" {labels}"
            )
        cost = cost.reindex(classes, axis=axis)
    return cost.to_numpy()  # type: ignore[no-any-return]
