"""Vapnik's bound in the practical form of Cherkassky and Mulier, as Yıldız uses it to
prune.
"""

from __future__ import annotations

import math

from treebounds._validation import check_integer, check_number


def vc_srm_bound(
    train_error: float,
    vc_dimension: float,
    n_examples: int,
    a1: float = 0.1,
    a2: float = 2.0,
    confidence: float | None = None,
) -> float:
    """VC generalization error of structural risk minimization.

    ``E_t + (eps / 2) (1 + sqrt(1 + 4 E_t / eps))`` with ``eps = a1 (V (ln(a2 N / V) +
    1) - ln v) / N``.

    >>> from reproduction import vc_srm_bound
    >>> round(vc_srm_bound(0.1, vc_dimension=20, n_examples=400), 4)
    0.1627

    Parameters
    ----------
    train_error : float
        E_t, a fraction.
    vc_dimension : float
        V, positive.
    n_examples : int
        The number N.
    a1, a2 : float
        Positive constants; a1 may also be 0. The proof of a bound needs a1 = 4 and a2 =
        2 for the worst case. With the small a1 that works well in practice, the value
        is not a bound.
    confidence : float, optional
        v, in (0, 1]; 1 / sqrt(N) by default.

    Returns
    -------
    float
        Not clipped at 1. For E_t = 0 it is eps, for eps = 0 it is E_t.

    Raises
    ------
    ValueError
        If an argument is out of range, or if eps is negative, which happens for V above
        about 2.7 a2 N. The value is meaningless already for V above a2 N, where eps
        decreases as V grows.

    References
    ----------
    Yıldız (2012), Equations 2 and 3; Cherkassky and Mulier (1998).
    """
    error = check_number(train_error, "train_error", "[0, 1]")
    V = check_number(vc_dimension, "vc_dimension", "(0, inf)")
    N = check_integer(n_examples, "n_examples")
    a1 = check_number(a1, "a1", "[0, inf)")
    a2 = check_number(a2, "a2", "(0, inf)")
    v = 1 / math.sqrt(N)
    if confidence is not None:
        v = check_number(confidence, "confidence", "(0, 1]")
    eps = a1 * (V * (math.log(a2 * N / V) + 1) - math.log(v)) / N
    if eps < 0:
        limit = f"it has to stay below about 2.7 a2 n_examples = {2.7 * a2 * N:.3g}"
        raise ValueError(f"vc_dimension {V:g} is too large: eps is negative; {limit}")

    # This equals E_t + eps/2 (1 + sqrt(1 + 4 E_t / eps)) and is defined for eps = 0,
    # too.
    return error + eps / 2 + math.sqrt(eps * (eps / 4 + error))
