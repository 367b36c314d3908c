"""How many examples sums of stumps shatter at most, on real-valued features.

A sum of B stumps is a constant plus a step at each of at most B cuts. Two counts bound
its labelings of d examples on l features, and 2^d labelings need more.

*By sets of cuts*: there are at most ``C(l (d - 1), B)`` sets of B cuts, and each has at
most ``2 sum_(k <= B) C(d - 1, k)`` labelings (Cover 1965).

*By intervals*: given the cuts, the numbers of ones in the intervals of all features
determine the labeling (Chow 1961). With a_j cuts of feature j, the numbers of choices
are coefficients of ``((1 - z)^-2 - 1)^(a_j + 1)``, at most ``z^-d`` times its value.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable

from scipy.optimize import minimize_scalar

from treebounds.capacity._binomials import log_binomial
from treebounds.capacity.lower import log_partial_sum

# From four features on, the count by sets of cuts is smaller.
_FEW_FEATURES = 3
_ROUNDING = 1e-10


def most_of_stumps(B: int, l: int) -> int:
    """An upper bound on the VC dimension of sums of B stumps on l features.

    >>> from treebounds.capacity.many_stumps import most_of_stumps
    >>> [most_of_stumps(B, 2) for B in (3, 4, 5, 10)]
    [26, 36, 47, 98]
    """
    by_cuts = largest_possible(lambda d: _log_labelings(d, B, l))
    if l > _FEW_FEATURES:
        return by_cuts
    return min(by_cuts, _most_by_intervals(B, l))


def largest_possible(log_count: Callable[[int], float]) -> int:
    """The largest d for which a count of labelings is not below ``2^d``, by doubling
    and bisection; 1 if there is none above.
    """

    def is_too_small(d: int) -> bool:
        """Whether the count implies that no d examples are shattered."""
        return log_count(d) < d * math.log(2) - _ROUNDING

    high = 2
    while not is_too_small(high):
        high *= 2
    return high // 2 + bisect_left(range(high // 2 + 1, high), True, key=is_too_small)


def _log_labelings(d: int, B: int, l: int) -> float:
    """The logarithm of the count by sets of cuts."""
    # So few examples are shattered, as far as this count tells.
    if d - 1 <= B:
        return math.inf

    sets = log_binomial(l * (d - 1), B)
    return math.log(2) + sets + log_partial_sum(B, d - 1)


def _most_by_intervals(B: int, l: int) -> int:
    """The count by intervals at the best z."""
    shares = log_binomial(B + l - 1, l - 1)

    def bound(z: float) -> float:
        """No more examples are shattered, by the count at this z."""
        choices = math.log((1 - z) ** -2 - 1)
        return ((B + l) * choices + shares) / (math.log(2) + l * math.log(z))

    # Every z gives a bound, so that of the search need not be exact.
    least = 2 ** (-1 / l)
    margin = (1 - least) / 1000
    limits = (least + margin, 1 - margin)
    best = minimize_scalar(bound, bounds=limits, method="bounded")
    return math.floor(float(best.fun) * (1 + _ROUNDING))
