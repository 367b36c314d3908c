"""Risk bounds from growth functions: relative deviations (Vapnik) and inverted hypergeometric tails."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.sparse import issparse

from treebounds._validation import check_integer, check_number
from treebounds.risk.tail_inversion import check_delta, check_errors, hypergeometric_tail_inversion


def relative_deviation_bound(
    n_examples: int, n_errors: int, log_growth: float, log_prior: float, delta: float = 0.05
) -> float:
    """Vapnik's bound of the risk by relative deviations.

    With e = 4 (ln G(2m) + ln 4 - ln delta - ln prior) / m and training error q, the risk is at most
    q + e/2 (1 + sqrt(1 + 4 q / e)) (Vapnik 1998, Theorem 5.3; Anthony and Shawe-Taylor 1993). Never above
    Shawe-Taylor's 2 q + e with the same growth function.

    Parameters
    ----------
    n_examples, n_errors : int
    log_growth : float
        ln G at 2 n_examples, in nats.
    log_prior : float
        ln of the weight of the class of functions, at most 0.
    delta : float

    Returns
    -------
    float
        Not clipped at 1.

    Examples
    --------
    >>> from treebounds.risk.growth_bounds import relative_deviation_bound
    >>> round(relative_deviation_bound(1000, 20, log_growth=30.0, log_prior=-2.0), 4)
    0.1833
    """
    m = check_integer(n_examples, "n_examples")
    q = check_errors(n_errors, m) / m
    e = 4 * (math.log(4) + _price(log_growth, log_prior, delta)) / m
    return q + e / 2 * (1 + math.sqrt(1 + 4 * q / e))


def hypergeometric_bound(
    n_examples: int, n_errors: int, n_ghosts: int, log_growth: float, log_prior: float, delta: float = 0.05
) -> float:
    """The risk by counting errors in a second, imagined sample (Leboeuf, LeBlanc and Marchand 2021).

    With M = m + m' and K* = min{K : P[Hyp(M, K, m) <= k] <= delta prior / (4 G(M))}, with probability at
    least 1 - delta the risk is at most max(1, K* - 1 - k) / m'.

    Proof. A function of risk R > 1/m' makes at least m' R errors on m' fresh examples with probability above
    1/4 (Greenberg and Mohri 2014). So the bound fails with at most four times the probability that, for some
    function, the fresh sample holds more than K* - 1 - k errors, both together at least K*. Given the M
    examples in random order this has probability at most delta prior / (4 G(M)) for each of G(M) labelings.

    Parameters
    ----------
    n_examples, n_errors : int
        m and k.
    n_ghosts : int
        m', fixed before the sample is seen.
    log_growth : float
        ln G at n_examples + n_ghosts, in nats.
    log_prior : float
        ln of the weight of the class of functions, at most 0.
    delta : float

    Returns
    -------
    float
        At most 1.

    Examples
    --------
    >>> from treebounds.risk.growth_bounds import hypergeometric_bound
    >>> round(hypergeometric_bound(1000, 20, n_ghosts=8000, log_growth=30.0, log_prior=-2.0), 4)
    0.0836
    """
    m = check_integer(n_examples, "n_examples")
    k, ghosts = check_errors(n_errors, m), check_integer(n_ghosts, "n_ghosts")
    log_gamma = -math.log(4) - _price(log_growth, log_prior, delta)
    total_errors = hypergeometric_tail_inversion(k, m, m + ghosts, log_gamma)
    return max(1, total_errors - 1 - k) / ghosts  # at most 1: there are at most k + m' + 1 errors


def n_orders(X: Any) -> int:
    """Number of orders of the examples for a split: one per feature, two if values are missing.

    A split sends the missing values of a feature to one side, as if they were all smaller, or all larger,
    than the others. Which features will have missing values is not known beforehand, so all count twice.

    Parameters
    ----------
    X : (m, l) array or sparse matrix

    Returns
    -------
    int
        l, or 2 l.

    Examples
    --------
    >>> from treebounds.risk.growth_bounds import n_orders
    >>> n_orders([[1.0, 2.0]]), n_orders([[1.0, float("nan")]])
    (2, 4)
    """
    values = X.data if issparse(X) else np.asarray(X)
    return np.shape(X)[1] * (2 if np.isnan(values).any() else 1)


def _price(log_growth: float, log_prior: float, delta: float) -> float:
    """ln(G / (delta prior)), in nats: the price of a bound that holds for all functions."""
    log_growth = check_number(log_growth, "log_growth", "[0, inf]")
    return log_growth - check_number(log_prior, "log_prior", "[-inf, 0]") - math.log(check_delta(delta))
