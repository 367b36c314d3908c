"""Vapnik's bound in the practical form of Cherkassky and Mulier, as Yıldız uses it to prune."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_integer, check_number

__all__ = ["vc_srm_bound"]


def vc_srm_bound(
    train_error: float,
    vc_dimension: float,
    n_examples: int,
    a1: float = 0.1,
    a2: float = 2.0,
    confidence: float | None = None,
) -> float:
    """VC generalization error of structural risk minimization.

    ``E_t + (eps / 2) (1 + sqrt(1 + 4 E_t / eps))`` with ``eps = a1 (V (ln(a2 N / V) + 1) - ln v) / N``.

    Parameters
    ----------
    train_error : float
        E_t, a fraction.
    vc_dimension : float
        V, positive.
    n_examples : int
        The number N.
    a1, a2 : float
        Positive constants (a1 may be 0). The theory has a1 = 4, a2 = 2 in the worst case; with the small a1
        that works in practice the value is no bound any more.
    confidence : float, optional
        v, in (0, 1]; 1 / sqrt(N) by default.

    Returns
    -------
    float
        Not clipped at 1. For E_t = 0 it is eps, for eps = 0 it is E_t.

    Raises
    ------
    ValueError
        If an argument is out of range, or if eps is negative: that happens for V above about 2.7 a2 N, and
        already above a2 N eps falls when V grows, so that the value means nothing there.

    References
    ----------
    Yıldız (2012), Equations 2 and 3; Cherkassky and Mulier (1998).

    Examples
    --------
    >>> from treebounds import vc_srm_bound
    >>> round(vc_srm_bound(0.1, vc_dimension=20, n_examples=400), 4)
    0.1627
    """
    error = check_number(train_error, "train_error", "[0, 1]")
    V = check_number(vc_dimension, "vc_dimension", "(0, inf)")
    N = check_integer(n_examples, "n_examples")
    a1, a2 = check_number(a1, "a1", "[0, inf)"), check_number(a2, "a2", "(0, inf)")
    if confidence is not None:
        confidence = check_number(confidence, "confidence", "(0, 1]")
    eps = float(_epsilon(V, N, a1, a2, confidence))
    if eps < 0:
        raise ValueError(
            f"eps of Equation 3 is negative ({eps:.3g}): vc_dimension = {vc_dimension} is too large for "
            f"a2 * n_examples = {a2 * n_examples:g}; it has to stay below about 2.7 times that"
        )
    return float(_penalized(error, eps))


def vc_srm_estimates(
    train_error: ArrayLike, vc_dimension: ArrayLike, n_examples: ArrayLike, a1: ArrayLike, a2: ArrayLike
) -> NDArray[np.float64]:
    """:func:`vc_srm_bound` for arrays that broadcast, unchecked; a negative eps counts as 0.

    This is what pruning compares: where eps is not positive the value is the training error itself, which no
    leaf undercuts, so a subtree for which Equation 3 means nothing is kept.

    Parameters
    ----------
    train_error, vc_dimension, n_examples, a1, a2 : array_like

    Returns
    -------
    array of float

    Examples
    --------
    >>> from treebounds.risk.vc_srm import vc_srm_estimates
    >>> vc_srm_estimates(0.0, [5, 60], 10, 0.1, 2.0).round(3)
    array([0.131, 0.   ])
    """
    eps = _epsilon(vc_dimension, n_examples, a1, a2, None)
    return _penalized(np.asarray(train_error, dtype=float), np.maximum(eps, 0.0))


def _epsilon(V: Any, N: Any, a1: Any, a2: Any, v: float | None) -> Any:
    """Equation 3, for arrays."""
    V, N = np.asarray(V, dtype=float), np.asarray(N, dtype=float)
    v = 1 / np.sqrt(N) if v is None else v
    return a1 * (V * (np.log(a2 * N / V) + 1) - np.log(v)) / N


def _penalized(train_error: Any, eps: Any) -> Any:
    """Equation 2, for arrays."""
    # the same as E_t + eps/2 (1 + sqrt(1 + 4 E_t / eps)), and defined at eps = 0
    return train_error + eps / 2 + np.sqrt(eps * (eps / 4 + train_error))
