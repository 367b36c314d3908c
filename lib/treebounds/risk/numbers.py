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
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from treebounds._validation import InvalidParameterError, check_number, check_numbers
from treebounds.risk.tail_inversion import check_delta


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
            f"coverage={share:g} needs at least {least} cases at delta={gamma:g}; got"
            f" {n_cases}. Ask for less coverage, or give more cases"
        )

    # isf gives the smallest k with P(Bin > k) <= delta, so one more is at least k.
    order = int(binom.isf(gamma, n_cases, share)) + 1
    return float(sizes[order - 1])


def cases_needed(coverage: float, delta: float) -> int:
    """The smallest number of cases from which a share can be covered at all.

    >>> from treebounds.risk.numbers import cases_needed
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
    return math.ceil(math.log(delta) / math.log(coverage))
