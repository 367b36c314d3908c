"""Certificates of regressors: how often, and by how much, a prediction is off.

No model of the noise is needed. For a tolerance t that was fixed before, a case is an
error if the prediction is off by more than t; the errors on cases that had no part in
making the regressor are binomial, as those of a classifier are.

**The tolerance that covers a share.** Let r_(1) <= ... <= r_(n) be the sizes of the
errors on n such cases, and k the smallest number with ``P(Bin(n, q) >= k) <= delta``.
With probability at least 1 - delta, a new case is off by at most r_(k) with probability
at least q.

*Proof* (Wilks 1941). Let F(r) be the probability that a new case is off by at most r.
If F(r_(k)) < q, then at least k cases have F below q. Each of them has with probability
at most q, independently; so this happens with probability at most P(Bin(n, q) >= k).

**Groups.** If the groups but not the cases are independent, let the loss of a group be
the share of its cases that are off by more than t, and U(t) the limit of its mean
(:func:`bounded_mean_inversion`). The smallest t among the sizes with U(t) <= 1 - q
covers: with probability at least 1 - delta, the mean share that is off by more than it
is at most 1 - q.

*Proof.* The mean loss R(t) falls in t. If R(t) > 1 - q for the t found, some t* > t is
the first with R(t*) <= 1 - q, and counting cases off by *at least* t* has a mean of at
least 1 - q, but a limit of at most 1 - q, since that limit, too, falls in t. It depends
on t* alone, and has probability at most delta.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from treebounds._validation import InvalidParameterError, check_number, check_numbers
from treebounds.risk.checks import check_delta
from treebounds.risk.groups import mean_over_groups
from treebounds.risk.tail_inversion import bounded_mean_inversion


def covering_tolerance(
    residuals: ArrayLike, *, coverage: float = 0.9, delta: float = 0.05
) -> float:
    """The size of error that, with probability 1 - delta, a share of new cases does not
    exceed.

    >>> import numpy as np
    >>> from treebounds.risk import covering_tolerance
    >>> residuals = np.random.default_rng(0).normal(size=200)
    >>> round(covering_tolerance(residuals, coverage=0.9), 2)
    1.8

    Parameters
    ----------
    residuals : (n,) array
        True value minus prediction, or its size, of cases that had no part in making
        the regressor.
    coverage : float
        The share of new cases that are to be covered, strictly between 0 and 1.
    delta : float
        Probability with which the statement may fail, strictly between 0 and 1.

    Returns
    -------
    float
        In the unit of the residuals. It is one of their sizes.

    Raises
    ------
    ValueError
        If a residual is not a finite number, or there are fewer of them than
        :func:`cases_needed`.

    Notes
    -----
    The order statistic of Wilks (1941); exact if no two residuals are of the same size.
    Cost: O(n log n).
    """
    sizes = np.sort(np.abs(check_numbers(residuals, "residuals", "(-inf, inf)")))
    share = check_number(coverage, "coverage", "(0, 1)")
    gamma = check_delta(delta)

    n_cases = len(sizes)
    least = cases_needed(share, gamma)
    if n_cases < least:
        raise InvalidParameterError(
            f"coverage={share:.12g} needs at least {least} cases at delta={gamma:g};"
            f" got {n_cases}. Ask for less coverage, or give more cases"
        )

    # isf gives the smallest k with P(Bin > k) <= delta, so one more is at least k. The
    # probability of n cases is at most delta here, but isf may round it up.
    order = min(int(binom.isf(gamma, n_cases, share)) + 1, n_cases)
    return float(sizes[order - 1])


def covering_tolerance_of_groups(
    residuals: ArrayLike,
    units: NDArray[np.intp],
    *,
    coverage: float = 0.9,
    delta: float = 0.05,
) -> float:
    """The size of error that, in the mean over new groups, a share of the cases of a
    group does not exceed.

    >>> import numpy as np
    >>> from treebounds.risk.coverage import covering_tolerance_of_groups
    >>> residuals = np.random.default_rng(0).normal(size=400)
    >>> units = np.repeat(np.arange(100), 4)
    >>> round(covering_tolerance_of_groups(residuals, units, coverage=0.8), 2)
    1.48

    Parameters
    ----------
    residuals : (n,) array
        As in :func:`covering_tolerance`.
    units : (n,) array of int
        The group of each case.
    coverage, delta : float

    Returns
    -------
    float
        One of the sizes of the residuals.

    Raises
    ------
    ValueError
        As :func:`covering_tolerance`, with groups in place of cases.

    Notes
    -----
    Cost: O(n log n).
    """
    sizes = np.abs(check_numbers(residuals, "residuals", "(-inf, inf)"))
    share = check_number(coverage, "coverage", "(0, 1)")
    gamma = check_delta(delta)

    n_groups = len(np.unique(units))
    least = cases_needed(share, gamma)
    if n_groups < least:
        raise InvalidParameterError(
            f"coverage={share:.12g} needs at least {least} groups at delta={gamma:g};"
            f" got {n_groups}. Ask for less coverage, or give more groups"
        )

    def covers(tolerance: float) -> bool:
        _, mean = mean_over_groups(sizes > tolerance, units)
        return bounded_mean_inversion(mean, n_groups, math.log(gamma)) <= 1 - share

    # The limit falls as the tolerance grows, so the first that covers can be halved to.
    candidates = np.unique(sizes)
    first = 0
    last = len(candidates) - 1
    while first < last:
        middle = (first + last) // 2
        if covers(candidates[middle]):
            last = middle
        else:
            first = middle + 1
    return float(candidates[last])


def cases_needed(coverage: float, delta: float) -> int:
    """The smallest number of cases from which a share can be covered at all.

    >>> from treebounds.risk.coverage import cases_needed
    >>> cases_needed(0.9, 0.05)
    29

    Parameters
    ----------
    coverage, delta : float

    Returns
    -------
    int
        The smallest n with ``coverage**n <= delta``.
    """
    nearest = math.ceil(math.log(delta) / math.log(coverage))
    # Rounding moves the ratio across an integer if delta is a power of the coverage.
    candidates = (nearest - 1, nearest)
    enough = (n for n in candidates if n > 0 and coverage**n <= delta)
    return next(enough, nearest + 1)
