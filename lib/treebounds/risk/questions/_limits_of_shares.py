"""Limits of the share of cases that are wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.groups import mean_over_groups
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    binomial_tail_inversions,
    bounded_mean_inversion,
)
from treebounds.risk.verdict import Verdict

# A limit at or above this share says nothing about a case drawn at random.
_EVEN = 0.5


def limit_of_share(
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


def limits_of_shares(parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
    """The limits of the shares of wrong cases in several parts."""
    n_errors = [int(np.count_nonzero(wrong)) for wrong in parts]
    n_cases = list(map(len, parts))
    limits = binomial_tail_inversions(n_errors, n_cases, math.log(delta))
    return list(map(Verdict, limits.tolist(), n_cases, n_errors))


def cases_below_even(delta: float) -> int:
    """The smallest n with ``1 - delta**(1/n) < 1/2``."""
    return max(1, math.floor(math.log(delta) / math.log(_EVEN)) + 1)
