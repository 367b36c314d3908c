"""Vapnik's bound in the practical form of Cherkassky and Mulier, as Yıldız uses it to prune."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["vc_srm_bound", "vc_srm_estimates"]


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
        N.
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
    >>> round(vc_srm_bound(0.1, vc_dimension=20, n_examples=400), 4)
    0.1627
    """
    if not 0 <= train_error <= 1:
        raise ValueError(f"train_error must be between 0 and 1; got {train_error!r}")
    for name, value in (("vc_dimension", vc_dimension), ("a2", a2)):
        if not (value > 0 and np.isfinite(value)):
            raise ValueError(f"{name} must be positive and finite; got {value!r}")
    if not (n_examples >= 1 and np.isfinite(n_examples)):
        raise ValueError(f"n_examples must be at least 1 and finite; got {n_examples!r}")
    if not (a1 >= 0 and np.isfinite(a1)):
        raise ValueError(f"a1 must not be negative; got {a1!r}")
    if confidence is not None and not 0 < confidence <= 1:
        raise ValueError(f"confidence must be in (0, 1]; got {confidence!r}")
    eps = float(_epsilon(vc_dimension, n_examples, a1, a2, confidence))
    if eps < 0:
        raise ValueError(
            f"eps of Equation 3 is negative ({eps:.3g}): vc_dimension = {vc_dimension} is too large for "
            f"a2 * n_examples = {a2 * n_examples:g}; it has to stay below about 2.7 times that"
        )
    return float(_penalized(train_error, eps))


def vc_srm_estimates(
    train_error: ArrayLike, vc_dimension: ArrayLike, n_examples: ArrayLike, a1: ArrayLike, a2: ArrayLike
) -> NDArray[np.float64]:
    """:func:`vc_srm_bound` for arrays that broadcast, unchecked; a negative eps counts as 0.

    This is what pruning compares: where eps is not positive the value is the training error itself, which no
    leaf undercuts, so a subtree for which Equation 3 means nothing is kept.

    >>> vc_srm_estimates(0.0, [5, 60], 10, 0.1, 2.0).round(3)
    array([0.131, 0.   ])
    """
    eps = _epsilon(vc_dimension, n_examples, a1, a2, None)
    return _penalized(np.asarray(train_error, dtype=float), np.maximum(eps, 0.0))


def _epsilon(V, N, a1, a2, v):
    V, N = np.asarray(V, dtype=float), np.asarray(N, dtype=float)
    v = 1 / np.sqrt(N) if v is None else v
    return a1 * (V * (np.log(a2 * N / V) + 1) - np.log(v)) / N


def _penalized(train_error, eps):
    # the same as E_t + eps/2 (1 + sqrt(1 + 4 E_t / eps)), and defined at eps = 0
    return train_error + eps / 2 + np.sqrt(eps * (eps / 4 + train_error))
