"""Questions about labels: does a classifier err, and what does the error cost?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import InvalidParameterError, check_numbers, shown
from treebounds.risk.costs import LARGEST_COST, mean_cost_limit, sums_of_limits
from treebounds.risk.groups import mean_over_groups
from treebounds.risk.questions._limits_of_shares import (
    cases_below_even,
    limit_of_share,
    limits_of_shares,
)
from treebounds.risk.rows.labels import as_vector, read_labels
from treebounds.risk.tail_inversion import bounded_mean_inversion
from treebounds.risk.tally import Tally
from treebounds.risk.verdict import Verdict

# With more parts than this, each gets the simpler sum of limits, which takes no search.
_MOST_SEARCHES = 30
# The order of the cases must not depend on their costs; a fixed shuffle sees to that.
_SHUFFLE = 0


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
    is_about_numbers = False

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
        return limit_of_share(losses, delta, units)

    def verdicts(self, parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
        """Clopper and Pearson's limits of all parts at once."""
        return limits_of_shares(parts, delta)

    def remark(
        self, predicted: Any, labels: NDArray[Any], verdict: Verdict, delta: float
    ) -> str:
        """The error of the majority, or that one class is predicted."""
        tally = Tally()
        tally.count(predicted, labels)
        if verdict.n_groups is not None:
            return tally.remark_on_a_constant()
        return tally.remark(verdict.value, math.log(delta))

    def least_cases(self, delta: float) -> int:
        """From as many cases on, none of them an error, the limit is below 1/2."""
        return cases_below_even(delta)


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
    is_about_numbers = False

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
            truth = self._positions(labels)
            return np.asarray(self._matrix[truth, self._positions(vector)])

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
        return cases_below_even(delta)

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
                f"y may have only the classes {shown(self._classes)} if cost= is given,"
                f" since errors on others have no cost; got {shown(unknown[0])}"
            )
        return np.array([places[name] for name in names.tolist()])[codes]


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
                f"cost must have a number for each of the classes {shown(classes)} and"
                f" for no other; got {shown(list(cost))}. Costs of pairs are a matrix"
                " or frame, with the true classes as rows and the predicted ones as"
                " columns"
            )
        cost = [cost[label] for label in classes]
    if isinstance(cost, str):
        raise InvalidParameterError(
            "cost must be a mapping with a number for each of the classes"
            f" {shown(classes)}, a matrix or an array; got {shown(cost)}"
        )
    return check_numbers(_in_order(classes, cost), "cost", f"[0, {LARGEST_COST:g}]")


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
                f"cost must be labelled by the classes {shown(classes)}, or by nothing;"
                f" got {shown(labels)}"
            )
        cost = cost.reindex(classes, axis=axis)
    return cost.to_numpy()  # type: ignore[no-any-return]
