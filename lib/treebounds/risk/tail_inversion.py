"""Exact inversions of binomial and hypergeometric tails, in logarithms.

The inversion of a binomial tail is Clopper and Pearson's upper confidence limit.
Certificates need it for tails whose probability gamma is as small as exp(-2000), which
underflows in floating point. The functions therefore take ``log_gamma``, the natural
logarithm of gamma.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import betainccinv, betaincinv

from treebounds._validation import check_integer, check_number
from treebounds.capacity._binomials import log_binomial
from treebounds.risk.checks import check_errors

# If the mean is above k, the terms P[k], P[k - 1], ... of a lower tail decrease faster
# than a geometric series. After a term of this share of the sum, the others do not
# change it beyond rounding. The number of terms before it is some multiple of sqrt(n).
_NEGLIGIBLE = 1e-20
# Smaller probabilities than exp of this underflow on the way to an incomplete beta
# function. Its inverse is off by a share of less than 3e-12 in all cases tried, so a
# limit that is larger by this share is not below the exact one.
_SMALLEST_LOG = -300.0
_INACCURACY = 1e-10
# Where gamma is closer to 1 than exp of this, its distance from 1 tells more than the
# logarithm of a tail, whose rounding errors are as large. The inverse of an incomplete
# beta function is then used, and a limit made larger by the second share.
_NEAR_ONE = -0.01
_INACCURACY_NEAR_ONE = 1e-11
# Relative errors of a few operations of floating point, and of log_binomial.
_ROUNDING = 4 * float(np.finfo(float).eps)
_ROUNDING_OF_CHOICES = 1e-14
# How exactly the logarithm of 1 - p is found.
_TOLERANCE_OF_ROOT = 1e-12
# That inverse is NaN at some distances from 1 that are smaller than this one. The limit
# at this distance is larger.
_LEAST_DISTANCE = 1e-100


def binomial_tail_inversion(n_errors: int, n_examples: int, log_gamma: float) -> float:
    """The largest risk p with P[Bin(n, p) <= k] >= gamma.

    Bin(n, p) is a binomial variable: the number of errors on n examples if each is an
    error with probability p. The value, ``sup {p : P[Bin(n, p) <= k] >= gamma}``, is
    the upper confidence limit of Clopper and Pearson (1934) in the form of Langford
    (2005), Definition 3.2.

    >>> import math
    >>> from treebounds.risk import binomial_tail_inversion
    >>> round(binomial_tail_inversion(3, 100, math.log(0.05)), 4)
    0.0757
    >>> round(binomial_tail_inversion(30, 4000, -2000.0), 4)
    0.4179

    Parameters
    ----------
    n_errors : int
        k, at least 0.
    n_examples : int
        n, at least 1 and at least k.
    log_gamma : float
        ln gamma in nats, at most 0; it may be -2000 or less.

    Returns
    -------
    float
        Between 0 and 1; 1 when every example is an error. Not below the exact value,
        and above it by hardly more than rounding errors.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Notes
    -----
    The logarithm of the tail is a concave, decreasing function of p. If Newton's method
    starts to the right of the root, it therefore stays to the right of it. It takes 5
    to 15 steps, each of O(k). The result is raised by the rounding errors that the
    tail may have.
    """
    n = check_integer(n_examples, "n_examples")
    k = check_errors(n_errors, n)
    log_gamma = check_number(log_gamma, "log_gamma", "[-inf, 0]")
    if k == n or log_gamma == -math.inf:
        return 1.0
    if log_gamma == 0:
        return 0.0
    if k and log_gamma > _NEAR_ONE:
        quantile = betaincinv(k + 1, n - k, _distance_from_one(log_gamma))
        return min(float(quantile) * (1 + _INACCURACY_NEAR_ONE), 1.0)
    log_choose = log_binomial(n, k)
    # The start is the smaller of two upper bounds of the root, from Hoeffding's
    # inequality and from P[Bin(n, p) <= k] <= C(n, k) (1 - p)^(n - k).
    p = min(
        k / n + math.sqrt(-log_gamma / (2 * n)),
        -math.expm1((log_gamma - log_choose) / (n - k)),
    )
    if k == 0:
        return _raised(p)
    while p < 1.0:
        odds = (1 - p) / p
        total = _relative_sum(j * odds / (n - j + 1) for j in range(k, 0, -1))
        log_tail = (
            log_choose + k * math.log(p) + (n - k) * math.log1p(-p) + math.log(total)
        )
        step = (log_tail - log_gamma) * (1 - p) * total / (n - k)
        # Here p is above the root up to rounding. The last case occurs only if gamma is
        # 1 up to rounding.
        if step >= 0 or p + step == p or p + step <= 0:
            # The rounding error of the logarithm of the tail, as a step.
            sizes = -k * math.log(p) - (n - k) * math.log1p(-p) - log_gamma + total
            error = _ROUNDING * sizes + _ROUNDING_OF_CHOICES * log_choose
            return _raised(p + error * (1 - p) * total / (n - k))
        p += step
    return 1.0


def _raised(limit: float) -> float:
    """A limit that is not below the exact one because of a few rounding errors."""
    return min(limit * (1 + _ROUNDING), 1.0)


def binomial_tail_inversions(
    n_errors: ArrayLike, n_examples: ArrayLike, log_gamma: float
) -> NDArray[np.float64]:
    """:func:`binomial_tail_inversion` for many pairs of numbers at once.

    >>> import math
    >>> from treebounds.risk.tail_inversion import binomial_tail_inversions
    >>> binomial_tail_inversions([0, 3, 7], [59, 100, 7], math.log(0.05)).round(4)
    array([0.0495, 0.0757, 1.    ])

    Parameters
    ----------
    n_errors, n_examples : (r,) array of int
        Each n at least 1 and at least its k, which is at least 0.
    log_gamma : float
        ln gamma in nats, below 0.

    Returns
    -------
    (r,) array of float
        Not below the exact values, and above them by a share of at most 1e-9.

    Notes
    -----
    The limit is a quantile of a beta distribution. Cost: about a microsecond for each
    pair, a hundredth of the other function's; that one takes over where gamma is below
    exp(-300).
    """
    k = np.asarray(n_errors, dtype=np.int64)
    n = np.asarray(n_examples, dtype=np.int64)
    log_gamma = check_number(log_gamma, "log_gamma", "[-inf, 0)")
    if log_gamma < _SMALLEST_LOG:
        pairs = zip(k.tolist(), n.tolist(), strict=True)
        return np.array([binomial_tail_inversion(*pair, log_gamma) for pair in pairs])

    # Where every example is an error the quantile is not defined; the limit is 1.
    n_right = np.maximum(n - k, 1)
    if log_gamma > _NEAR_ONE:
        limits = betaincinv(k + 1, n_right, _distance_from_one(log_gamma))
    else:
        limits = betainccinv(k + 1, n_right, math.exp(log_gamma))
    limits = limits * (1 + _INACCURACY)
    limits = np.where(k == 0, -np.expm1(log_gamma / n) * (1 + _ROUNDING), limits)
    return np.where(k == n, 1.0, np.minimum(limits, 1.0))


def _distance_from_one(log_gamma: float) -> float:
    """1 - gamma, or a larger number that the incomplete beta function can take."""
    return max(-math.expm1(log_gamma), _LEAST_DISTANCE)


def bounded_mean_inversion(mean: float, n: int, log_gamma: float) -> float:
    """An upper confidence limit of the mean of losses in [0, 1], from the average of n
    independent ones.

    >>> from math import exp, log
    >>> from treebounds.risk.tail_inversion import bounded_mean_inversion
    >>> round(bounded_mean_inversion(0.03, 100, log(0.05)), 4)
    0.0913
    >>> abs(bounded_mean_inversion(0.0, 10, -1.0) - (1 - exp(-0.1))) < 1e-12
    True

    The limit is ``sup {p : n kl(q, p) <= -ln gamma, p >= q}`` for an average q, where
    ``kl(q, p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p))`` is the Kullback-Leibler
    divergence between coins with probabilities q and p. The mean exceeds it with
    probability at most gamma.

    Proof (Hoeffding 1963, Theorem 1). Let p be the mean of the losses. The exponential
    function is convex, so a loss Z in [0, 1] has E exp(-s Z) <= 1 - p + p exp(-s), with
    equality for a coin. Hence P[average <= q] <= exp(n s q) (1 - p + p exp(-s))^n for
    every s >= 0. For q < p, the best s makes the right side exp(-n kl(q, p)), which
    decreases as p grows and increases as q grows. So if p exceeds the limit, then the
    average is at most a number q' with n kl(q', p) >= -ln gamma that depends on p, n
    and gamma alone. This event has probability at most gamma.

    Parameters
    ----------
    mean : float
        q, the average of the losses, between 0 and 1.
    n : int
        Number of losses.
    log_gamma : float
        ln gamma in nats, at most 0.

    Returns
    -------
    float
        Between ``mean`` and 1. If all losses are 0 or 1,
        :func:`binomial_tail_inversion` is never larger.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    q = check_number(mean, "mean", "[0, 1]")
    divergence = -check_number(log_gamma, "log_gamma", "[-inf, 0]") / check_integer(
        n, "n"
    )
    if q >= 1 or divergence == math.inf:
        return 1.0
    if divergence == 0:
        return q
    if q <= 0:
        return _raised(-math.expm1(-divergence))
    # The variable is s = ln(1 - p), because p may be close to 1.
    entropy = q * math.log(q) + (1 - q) * math.log1p(-q)
    top = math.log1p(-q)
    # A larger divergence has a larger limit. All terms below are at most this large.
    divergence += _ROUNDING * 2 * (divergence - entropy)

    def excess(s: float) -> float:
        """kl(q, p) + (ln gamma) / n at s = ln(1 - p)."""
        return entropy - q * math.log(-math.expm1(s)) - (1 - q) * s - divergence

    if excess(top) >= 0:
        return q
    lowest = (entropy - divergence - 1) / (1 - q)
    error = _TOLERANCE_OF_ROOT
    # The interval is wide if q is close to 1.
    root = brentq(excess, lowest, top, xtol=error, rtol=_ROUNDING, maxiter=10_000)
    # Smaller s belong to larger p.
    return _raised(max(q, -math.expm1(root * (1 + _ROUNDING) - error)))


def hypergeometric_tail_inversion(
    n_errors: int, n_examples: int, n_total: int, log_gamma: float
) -> int:
    """The smallest number of errors in a population that makes at most k errors in a
    sample improbable.

    It is ``min {K : P[Hyp(M, K, m) <= k] <= gamma}``, where Hyp(M, K, m) is the number
    of errors among m examples that are drawn without replacement from a population of
    M, of which K are errors (Leboeuf, LeBlanc and Marchand 2021, Definition 3).

    >>> import math
    >>> from treebounds.risk import hypergeometric_tail_inversion
    >>> hypergeometric_tail_inversion(3, 100, 500, math.log(0.05))
    36

    Parameters
    ----------
    n_errors : int
        k, the errors in the sample.
    n_examples : int
        m, the size of the sample.
    n_total : int
        M, the size of the population, greater than m.
    log_gamma : float
        ln gamma in nats, at most 0.

    Returns
    -------
    int
        Between k and k + M - m + 1. The last value means that no population makes at
        most k errors in the sample as improbable as gamma. Exact for gamma below 1/2;
        otherwise it may be too large, but never too small. Found by bisection, in about
        log2 M evaluations of the distribution.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    m = check_integer(n_examples, "n_examples")
    k = check_errors(n_errors, m)
    M = check_integer(n_total, "n_total", minimum=m + 1)
    log_gamma = check_number(log_gamma, "log_gamma", "[-inf, 0]")
    if log_gamma == 0:
        return k
    # As long as the mean m K / M is at most k, the probability of the tail is at least
    # 1/2.
    candidates = range(k * M // m + 1, k + M - m + 1)
    position = bisect_left(
        candidates,
        True,
        key=lambda K: _log_hypergeometric_tail(k, m, M, K) <= log_gamma,
    )
    return candidates.start + position


def _log_hypergeometric_tail(k: int, m: int, M: int, K: int) -> float:
    """ln P[Hyp(M, K, m) <= k] if the mean m K / M is above k; -inf if at most k errors
    are impossible.
    """
    first = max(0, m - (M - K))
    if k < first:
        return -math.inf
    top = log_binomial(K, k) + log_binomial(M - K, m - k) - log_binomial(M, m)
    ratios = (
        j * (M - K - m + j) / ((K - j + 1) * (m - j + 1)) for j in range(k, first, -1)
    )
    return top + math.log(_relative_sum(ratios))


def _relative_sum(ratios: Iterable[float]) -> float:
    """The sum of a tail's terms over the largest one, ``1 + r_1 + r_1 r_2 + ...``, from
    successive ratios.
    """
    term = total = 1.0
    for ratio in ratios:
        term *= ratio
        total += term
        if term < _NEGLIGIBLE * total:
            break
    return total
