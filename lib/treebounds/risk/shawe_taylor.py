"""The risk bound of Shawe-Taylor et al., with the priors of Leboeuf et al."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treebounds._validation import check_integer, check_number, check_numbers
from treebounds.structure import log_wedderburn_etherington

_LOG_ZETA_2 = math.log(math.pi**2 / 6)


def shawe_taylor_bound(
    n_examples: float,
    n_errors: ArrayLike,
    log_growth: ArrayLike,
    log_error_prior: ArrayLike,
    log_complexity_prior: ArrayLike,
    delta: float = 0.05,
) -> Any:
    """Upper bound on the risk of a classifier from a countable family of classes.

    It is ``(2 k + 4 (ln 4 + ln G(2 m) - ln delta - ln q_k - ln p_d)) / m`` for a
    classifier with k errors that belongs to a class d with growth function G. With
    probability at least 1 - delta over m independent examples, it holds for all classes
    d and all their classifiers at once.

    >>> import math
    >>> from treebounds.risk import shawe_taylor_bound
    >>> log_growth = math.log(2 * 200)  # thresholds on a line, both ways round
    >>> round(shawe_taylor_bound(100, 3, log_growth, math.log(1 / 101), 0.0), 4)
    0.6595

    Parameters
    ----------
    n_examples : float
        m, positive. If examples are weighted, their total weight.
    n_errors : float or array
        k, the errors on these examples, 0 to m.
    log_growth : float or array
        Natural logarithm of (a bound on) the class's growth function at 2 m examples;
        not negative.
    log_error_prior : float or array
        Logarithm of q_k; the sum of the q_k is at most 1. See
        :func:`log_geometric_prior`.
    log_complexity_prior : float or array
        Logarithm of p_d; the sum of the p_d is at most 1. See
        :func:`log_structure_prior`.
    delta : float
        In (0, 1).

    Returns
    -------
    float, or array if an argument is an array
        Not clipped at 1.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Shawe-Taylor, Bartlett, Williamson and Anthony (1998), Theorem 2.3; Leboeuf et al.
    (2020), Equation 8.
    """
    m = check_number(n_examples, "n_examples", "(0, inf)")
    log_delta = math.log(check_number(delta, "delta", "(0, 1)"))
    k = check_numbers(n_errors, "n_errors", f"[0, {m:.17g}]")
    log_growth = check_numbers(log_growth, "log_growth", "[0, inf]")
    log_q = check_numbers(log_error_prior, "log_error_prior", "[-inf, 0]")
    log_p = check_numbers(log_complexity_prior, "log_complexity_prior", "[-inf, 0]")
    bound = (2 * k + 4 * (math.log(4) + log_growth - log_delta - log_q - log_p)) / m
    return float(bound) if np.ndim(bound) == 0 else bound


def log_geometric_prior(n_errors: ArrayLike, ratio: float = 2**-13.7) -> Any:
    """Logarithm of ``(1 - r) r^k``, Leboeuf et al.'s prior over the number of training
    errors.

    >>> from treebounds.risk import log_geometric_prior
    >>> log_geometric_prior(2, ratio=0.5), round(log_geometric_prior(0), 8)
    (-2.0794415416798357, -7.515e-05)

    Parameters
    ----------
    n_errors : float or array
        k, not negative.
    ratio : float
        r, in (0, 1). The paper's 2^-13.7 makes one error cost about as much as one
        leaf.

    Returns
    -------
    float or ndarray
        An array if ``n_errors`` is an array.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    References
    ----------
    Leboeuf et al. (2020), section 6.2.
    """
    r = check_number(ratio, "ratio", "(0, 1)")
    errors = check_numbers(n_errors, "n_errors", "[0, inf)")
    prior = math.log1p(-r) + errors * math.log(r)
    return float(prior) if np.ndim(prior) == 0 else prior


def log_leaves_prior(n_leaves: int) -> float:
    """Logarithm of ``6 / (pi^2 L^2)``, which sums to 1 over all numbers of leaves L.

    This is the complexity prior of a class that contains the trees of all structures
    with L leaves.

    >>> import math
    >>> from treebounds.risk import log_leaves_prior
    >>> round(math.exp(log_leaves_prior(1)), 4)
    0.6079

    Parameters
    ----------
    n_leaves : int
        L, at least 1.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        If ``n_leaves`` is not an integer of at least 1.
    """
    return -_LOG_ZETA_2 - 2 * math.log(check_integer(n_leaves, "n_leaves"))


def log_structure_prior(n_leaves: int) -> float:
    """Logarithm of ``6 / (pi^2 L^2 WE(L))``, the prior of one structure with L leaves;
    they sum to 1.

    WE(L), the Wedderburn-Etherington number, is the number of structures with L leaves
    (Leboeuf et al. 2020, section 6.2).

    >>> import math
    >>> from treebounds.risk import log_structure_prior

    Three structures have five leaves, and share 6 / (25 pi^2):

    >>> round(math.exp(log_structure_prior(5)), 6)
    0.008106

    Parameters
    ----------
    n_leaves : int
        L, at least 1.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        If ``n_leaves`` is not an integer of at least 1.
    """
    return log_leaves_prior(n_leaves) - log_wedderburn_etherington(n_leaves)
