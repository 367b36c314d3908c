"""Upper limits of a mean cost: a classifier's errors may cost more or less.

A cost takes one of the values 0 < v_1 < ... < v_r, or 0. Let k_c be the number of the m
cases that cost at least v_c, and CP(k; m, gamma) the upper limit of Clopper and Pearson
for a probability. All limits here fail with probability at most delta.

**Sum of limits.** ``T = sum_c (v_c - v_(c-1)) CP(k_c; m, delta / r)``, with v_0 = 0.

*Proof.* The mean cost is ``sum_c (v_c - v_(c-1)) P(cost >= v_c)``. Each of the r limits
fails with probability at most delta / r, so with probability 1 - delta none does.

**The exact limit ordered by T** (Buehler 1957). For probabilities p of the values put
``U(t) = sup {mean(p) : P_p(T <= t) > delta}``. Then U(T) is a limit, too, and never
larger than T.

*Proof.* If U(T) < mean(p) for the true p, then G(T) <= delta for ``G(t) = P_p(T <=
t)``, an event of probability at most delta. If mean(p) > t, then ``P_p(T <= t) <=
P_p(T < mean(p)) <= delta``, because T is a limit; hence U <= T.

With two values, U is a search in one dimension; with more values it is one in several,
and the limit by betting takes its place.

**Betting** (Waudby-Smith and Ramdas 2024). For costs X_1, X_2, ... in [0, 1] with mean
mu, and bets lambda_t that depend on X_1, ..., X_(t-1) only, the wealth ``prod_t (1 +
lambda_t (mu - X_t))`` is a non-negative martingale if ``lambda_t (1 - mu) <= 1``. By
Ville's inequality it ever reaches 1 / delta with probability at most delta. The limit
is the largest mu at which it does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, betaincinv, gammaln

from treebounds._validation import InvalidParameterError, check_numbers
from treebounds.risk.checks import check_delta
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    binomial_tail_inversions,
)

# The search for the exact limit ends this close to it, as a share of the distance from
# the observed mean cost to the sum of limits.
_GAP = 0.005
# The search takes at most this number of steps; a limit is less close if they are used
# up. Where nearly every case costs nearly the same, it would take millions of them.
_MOST_STEPS = 500
# Each step of the search is as precise as this share of the same distance.
_PART = 0.05
# With more cases the search may take longer than ten seconds, and gains little: the
# limit is close to the observed mean then.
_MOST_SEARCHED = 100_000
# Numbers of cases that are less likely than this are not gone through.
_UNLIKELY = 1e-18
# Halvings of the interval of the means that are bet against.
_N_BISECTIONS = 34
# A bet of more than this share of what the rules of the game allow is too bold.
_BOLDEST_BET = 0.75
# Sums and differences of larger costs may overflow.
LARGEST_COST = 1e100
# Rounding changes a sum of limits by less than this, in units of the largest cost.
_ROUNDING = 1e-12


def mean_cost_limit(
    costs: ArrayLike, values: ArrayLike, *, delta: float = 0.05
) -> float:
    """An upper limit of the mean cost of new cases, from the costs of observed ones.

    >>> import numpy as np
    >>> from treebounds.risk import mean_cost_limit
    >>> costs = np.zeros(100)
    >>> costs[:5] = 1.0  # five small errors
    >>> costs[5] = 10.0  # and one that costs ten times as much
    >>> round(mean_cost_limit(costs, values=[1, 10]), 2)
    0.49

    Parameters
    ----------
    costs : (m,) array
        The cost of each case, 0 or one of ``values``. The cases are independent draws,
        in an order that does not depend on their costs.
    values : (r,) array
        All positive values that a cost may have, known before the cases were seen; or
        for more than two values at least the largest of them.
    delta : float
        Probability with which the limit may fail, strictly between 0 and 1.

    Returns
    -------
    float
        In the unit of the costs, at most the largest value.

    Raises
    ------
    ValueError
        If there are no cases, a cost is negative or not among the values, or a value is
        not positive or above 1e100.

    Notes
    -----
    Which limit is computed depends on ``values`` and m alone: one value, Clopper and
    Pearson's; two, the exact limit ordered by the sum of two limits, or this sum if m
    is above 100,000; more, betting. See the module for theorems and sources. Cost: O(m)
    for one value and for betting; for two values a search of at most 500 steps, each
    O(m).

    With two values, the order of the outcomes depends on m and delta, so a further case
    without a cost may raise the limit a little, and a smaller delta may lower it. By
    betting, the limit depends on the order of the cases.
    """
    delta = check_delta(delta)
    allowed = _check_values(values)
    observed = _check_costs(costs, allowed)
    largest = float(allowed[-1])

    if len(allowed) > 2:
        return largest * betting_limit(observed / largest, delta=delta)

    n_cases = len(observed)
    exceeding = _exceeding([observed], allowed)
    if len(allowed) == 1:
        share = binomial_tail_inversion(int(exceeding[0, 0]), n_cases, math.log(delta))
        return largest * share
    if n_cases > _MOST_SEARCHED:
        return float(_sums(exceeding, [n_cases], allowed, delta)[0])

    game = _TwoCosts(float(allowed[0]) / largest, n_cases, delta)
    some_cost, high_cost = exceeding[0].tolist()
    return largest * game.limit(some_cost - high_cost, high_cost)


def sums_of_limits(
    parts: Sequence[ArrayLike], values: ArrayLike, *, delta: float = 0.05
) -> NDArray[np.float64]:
    """The sums of Clopper-Pearson limits: simple upper limits of the mean costs of
    several parts of the cases.

    >>> from treebounds.risk.costs import sums_of_limits
    >>> sums_of_limits([[0, 0, 0, 1, 10], [0, 0, 0]], values=[1, 10]).round(2)
    array([7.3 , 7.08])

    Parameters
    ----------
    parts : sequence of arrays
        The costs of the cases of each part.
    values : (r,) array
        All positive values that a cost may have.
    delta : float
        Probability with which the limit of each part may fail.

    Returns
    -------
    (n_parts,) array of float
        At most the largest value.
    """
    delta = check_delta(delta)
    allowed = _check_values(values)
    observed = [_check_costs(costs, allowed) for costs in parts]
    exceeding = _exceeding(observed, allowed)
    return _sums(exceeding, list(map(len, observed)), allowed, delta)


def betting_limit(costs: ArrayLike, *, delta: float = 0.05) -> float:
    """An upper limit of the mean of numbers in [0, 1], by betting against each mean.

    >>> import numpy as np
    >>> from treebounds.risk.costs import betting_limit
    >>> costs = np.tile([0.0, 0.0, 0.0, 0.2], 100)
    >>> round(betting_limit(costs), 3)
    0.062

    Parameters
    ----------
    costs : (m,) array
        In the order in which they were drawn, or any order that does not depend on
        their values.
    delta : float

    Returns
    -------
    float
    """
    delta = check_delta(delta)
    losses = check_numbers(costs, "costs", "[0, 1]")
    goal = math.log(1 / delta)
    bets = _bets(losses, goal)

    def wealth(mean: float) -> float:
        """The largest logarithm of the wealth of one who bets against this mean."""
        stakes = bets
        if mean < 1:
            stakes = np.minimum(bets, _BOLDEST_BET / (1 - mean))
        return float(np.cumsum(np.log1p(stakes * (mean - losses))).max())

    # The wealth grows with the mean, so the means that are not refuted are an interval.
    low = 0.0
    high = 1.0
    if wealth(high) < goal:
        return 1.0
    for _ in range(_N_BISECTIONS):
        middle = (low + high) / 2
        if wealth(middle) >= goal:
            high = middle
        else:
            low = middle
    return high


def _bets(losses: NDArray[np.float64], goal: float) -> NDArray[np.float64]:
    """The bet before each loss, from the mean and the variance of the losses so far."""
    n_seen = np.arange(1, len(losses) + 1)
    means = (0.5 + np.cumsum(losses)) / (n_seen + 1)
    variances = (0.25 + np.cumsum((losses - means) ** 2)) / (n_seen + 1)
    before = np.append(0.25, variances[:-1])
    return np.sqrt(2 * goal / (len(losses) * before))


class _Cell(NamedTuple):
    """An interval of the probability of the high value, for the search of
    :class:`_TwoCosts`. A heap has the cell with the largest mean on top.

    Attributes
    ----------
    minus_mean : float
        Minus the largest mean cost that the cell allows.
    left, right : float
        The ends of the interval.
    p_low : float
        The largest probability of the low value at the left end.
    """

    minus_mean: float
    left: float
    right: float
    p_low: float


class _TwoCosts(NamedTuple):
    """The exact limit of a mean cost with two values, ordered by the sum of limits.

    The unit of all costs is the higher value, so that neither precision nor limit
    depends on the unit of the caller.

    Attributes
    ----------
    low : float
        The lower value, between 0 and 1.
    n_cases : int
    delta : float
    """

    low: float
    n_cases: int
    delta: float

    def limit(self, n_low: int, n_high: int) -> float:
        """The limit for some numbers of cases that cost the low and the high value."""
        halves = self._limits(self.delta / 2)
        total = self._sum(halves, n_low, n_high)
        observed = (self.low * n_low + n_high) / self.n_cases
        most_low = self._region(halves, total + _ROUNDING)
        gap = max(_GAP * (total - observed), _ROUNDING)
        return min(total, self._largest_mean(most_low, gap), 1.0)

    def _limits(self, gamma: float) -> NDArray[np.float64]:
        """Clopper and Pearson's limit for each number of cases."""
        k = np.arange(self.n_cases)
        limits = betaincinv(k + 1, self.n_cases - k, 1 - gamma)
        return np.append(limits, 1.0)

    def _sum(self, limits: NDArray[np.float64], n_low: int, n_high: int) -> float:
        """The sum of limits, T."""
        some_cost = limits[n_low + n_high]
        high_cost = limits[n_high]
        return float(self.low * some_cost + (1 - self.low) * high_cost)

    def _region(self, limits: NDArray[np.float64], total: float) -> NDArray[np.int64]:
        """For j = 0, 1, ... cases of high cost, the most cases of low cost with a sum
        of limits of at most ``total``.

        The region ends at the first j for which even no case of low cost is too many.
        """
        most_low = []
        for n_high in range(self.n_cases + 1):
            left = (total - (1 - self.low) * limits[n_high]) / self.low
            n_costly = int(np.searchsorted(limits, left, side="right")) - 1
            if n_costly < n_high:
                break
            most_low.append(n_costly - n_high)
        return np.array(most_low)

    def _largest_mean(self, most_low: NDArray[np.int64], gap: float) -> float:
        """The largest mean cost at which the region has more than probability delta, or
        a number that is larger: by at most ``gap``, unless the search ends before.

        The probability of the region falls in both p_low and p_high. So, on a cell of
        p_high, the mean is at most that of its right end with the largest p_low of its
        left end. The cell that allows the largest mean is halved until this mean is
        close to one that is reached. No cell is lost, so at each step the largest of
        their means is an upper bound.
        """
        # Then even cases that all cost the high value are in the region.
        if len(most_low) > self.n_cases:
            return 1.0
        # The ends where no case costs the low value, and where none costs the high one.
        limits = self._limits(self.delta)
        top = float(limits[len(most_low) - 1])
        p_low = float(limits[most_low[0]])

        lower_end = self.low * p_low
        cells = [self._cell(0.0, top, p_low)]
        for _ in range(_MOST_STEPS):
            if -cells[0].minus_mean <= lower_end + gap:
                break
            cell = heappop(cells)
            middle = (cell.left + cell.right) / 2
            heappush(cells, self._cell(cell.left, middle, cell.p_low))
            beyond = self._largest_p_low(most_low, middle, cell.p_low, gap)
            if beyond is not None:
                lower_end = max(lower_end, self.low * beyond + middle)
                heappush(cells, self._cell(middle, cell.right, beyond))
        return -cells[0].minus_mean

    def _cell(self, left: float, right: float, p_low: float) -> _Cell:
        """The cell between two probabilities of the high value."""
        return _Cell(-self.low * p_low - right, left, right, p_low)

    def _largest_p_low(
        self, most_low: NDArray[np.int64], p_high: float, most: float, gap: float
    ) -> float | None:
        """The largest probability of a low cost at which the region has probability
        delta, which is at most ``most``; None if it has less without any.

        A number that is larger by a small part of ``gap`` may take its place.
        """
        weights = self._weights(len(most_low), p_high)
        likely = np.flatnonzero(weights > _UNLIKELY)
        # The other terms add up to less than this.
        remainder = self.n_cases * _UNLIKELY
        n_others = self.n_cases - likely
        most_low_cases = np.minimum(most_low[likely], n_others)
        weights = weights[likely]

        def probability(p_low: float) -> float:
            share = min(1.0, p_low / (1 - p_high))
            return remainder + float(weights @ bdtr(most_low_cases, n_others, share))

        if probability(0.0) < self.delta:
            return None

        # The upper end never has more than probability delta, up to the last step.
        low = 0.0
        high = min(most, 1 - p_high)
        while self.low * (high - low) > _PART * gap:
            middle = (low + high) / 2
            if probability(middle) >= self.delta:
                low = middle
            else:
                high = middle
        return high

    def _weights(self, n_terms: int, p_high: float) -> NDArray[np.float64]:
        """The probabilities of 0, 1, ... cases of high cost."""
        m = self.n_cases
        j = np.arange(n_terms)
        log_choose = gammaln(m + 1) - gammaln(j + 1) - gammaln(m - j + 1)
        logs = log_choose + j * math.log(p_high) + (m - j) * math.log1p(-p_high)
        weights: NDArray[np.float64] = np.exp(logs)
        return weights


def _exceeding(
    parts: list[NDArray[np.float64]], allowed: NDArray[np.float64]
) -> NDArray[np.int64]:
    """For each part and each value, the number of cases that cost at least as much."""
    return np.array(
        [[np.count_nonzero(costs >= value) for value in allowed] for costs in parts],
        dtype=np.int64,
    ).reshape(len(parts), len(allowed))


def _sums(
    exceeding: NDArray[np.int64],
    n_cases: list[int],
    allowed: NDArray[np.float64],
    delta: float,
) -> NDArray[np.float64]:
    """The sum of limits of each part, T."""
    steps = np.diff(allowed, prepend=0.0)
    total = np.zeros(len(exceeding))
    for step, numbers in zip(steps, exceeding.T, strict=True):
        limits = binomial_tail_inversions(
            numbers, n_cases, math.log(delta / len(allowed))
        )
        total += step * limits
    return total


def _check_values(values: ArrayLike) -> NDArray[np.float64]:
    """The values in increasing order, each once, or a ValueError."""
    allowed = np.unique(check_numbers(values, "values", f"(0, {LARGEST_COST:g}]"))
    if not len(allowed):
        raise InvalidParameterError("values must hold at least one positive cost")
    return allowed


def _check_costs(costs: ArrayLike, allowed: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cost of each case, or a ValueError if there is none or one is impossible."""
    observed = np.atleast_1d(check_numbers(costs, "costs", "[0, inf)"))
    if not observed.size:
        raise InvalidParameterError("costs must hold at least one case")

    unknown = (observed > 0) & ~np.isin(observed, allowed)
    if len(allowed) > 2:
        unknown = observed > allowed[-1]
    if unknown.any():
        raise InvalidParameterError(
            f"costs holds {observed[unknown][0]:g}, which is not among the values that"
            " were declared before"
        )
    return observed
