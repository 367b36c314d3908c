"""Growth bounds of all structures with a number of leaves together, as the partial sum
of a power series.

Its terms are products of a coefficient P_j and a sum q_j of binomial coefficients. Both
follow from the two before them, so one pass computes all partial sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds._compiled import compiled
from treebounds._validation import check_integer, check_option
from treebounds.capacity._binomials import binomial_sums
from treebounds.capacity.features import FeatureKinds, check_features

_FORMS = ("series",)


def all_structures_growth_bound(
    n_leaves: int,
    n_examples: int,
    n_features: int | FeatureKinds,
    n_classes: int = 2,
    *,
    form: str = "series",
) -> int:
    """An upper bound on the number of labelings of a sample that all trees with L
    leaves realize together.

    >>> from treebounds import FeatureKinds
    >>> from treebounds.capacity import all_structures_growth_bound
    >>> all_structures_growth_bound(n_leaves=3, n_examples=20, n_features=2)
    2814
    >>> all_structures_growth_bound(
    ...     n_leaves=3, n_examples=20, n_features=FeatureKinds(binary=2)
    ... )
    38

    Parameters
    ----------
    n_leaves, n_examples, n_classes : int
        L, m and n in the formulas; at least 1.
    n_features : int or FeatureKinds
        An integer l means l real-valued features.
    form : {"series"}
        Let N = L - 1 be the number of internal nodes. "series" is ``n + sum_j P_j l^j
        C(m - 1, j)`` over j = 1..N, where the P_j are the coefficients of the power
        series ``P = P_1 y + P_2 y^2 + ...`` that solves ``P = y ((P + n - 1)^2 + n -
        1)``.

    Returns
    -------
    int
        ``n^m`` for m < L, since trees can then realize every labeling. Otherwise not
        capped by ``n^m``.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Notes
    -----
    Term j of the series bounds the number of labelings that trees with j internal
    nodes, but no smaller ones, realize. Each further node multiplies the bound by about
    ``(2 (n - 1) + 2 sqrt(n (n - 1))) l m / N``. For two classes this is ``4.83 l m /
    N``, where the sum of the closed bounds of all structures has ``8 l m / N``.

    With S splits on features with finitely many values, the same argument leads to the
    power series R in y and z that solves ``R = z ((y + S) R^2 + 2 (x + n S) R + n (x +
    (n - 1) S))`` with x = (n - 1) y. The exponents of z and y are the numbers of all
    nodes and of those with a real-valued feature. Two series are upper bounds of R: P
    with ``y + n S / (n - 1)`` in place of y, and the solution of ``P = y (P^2 + 2 n P +
    n (n - 1))`` with ``y + S`` in place of y. The function returns the smaller sum. If
    no feature has finitely many values, or all have, one of the two is exact.

    The series is derived in the book's chapter *More on growth functions*. The
    integers have up to O(N log(l m)) digits; for thousands of leaves,
    :func:`log_all_structures_growth_bound` is much faster.
    """
    sample = _Sample.of(n_leaves, n_examples, n_features, n_classes, form)
    N, m, l, S, n = sample
    if m <= N or n == 1:
        return int(n**m)

    sums = binomial_sums(m - 1, n * S, (n - 1) * l, N)
    by_labels = _series(n, n - 1, sums, n - 1)
    if not S:
        return by_labels

    by_splits = _series(n, n, binomial_sums(m - 1, S, l, N), 1)
    return min(by_labels, by_splits)


def log_all_structures_growth_bound(
    n_leaves: int,
    n_examples: int,
    n_features: int | FeatureKinds,
    n_classes: int = 2,
    *,
    form: str = "series",
) -> float:
    """The natural logarithm of :func:`all_structures_growth_bound`, in floating point.

    >>> from math import log
    >>> from treebounds.capacity import log_all_structures_growth_bound
    >>> round(log_all_structures_growth_bound(3, 20, 2), 6), round(log(2814), 6)
    (7.942362, 7.942362)

    Parameters
    ----------
    n_leaves, n_examples, n_features, n_classes, form
        See :func:`all_structures_growth_bound`.

    Returns
    -------
    float
        In nats, within 1e-9 of the logarithm of the bound before it is rounded down to
        an integer.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Notes
    -----
    The first call with "series" takes O(N), for 10^5 leaves about a millisecond where
    numba is loaded and a few hundredths of a second without it. It keeps the values for
    fewer leaves on the same sample, so that further calls only look them up.
    """
    sample = _Sample.of(n_leaves, n_examples, n_features, n_classes, form)
    N, m, l, S, n = sample
    if m <= N or n == 1:
        return m * math.log(n)

    # The sizes are powers of two, so that calls with fewer or a few more leaves reuse
    # the table.
    size = min(m, 1 << N.bit_length())
    by_labels = _log_sum(N, size, m, n * S / (n - 1), l, n - 1, n)
    if not S:
        return by_labels
    return min(by_labels, _log_sum(N, size, m, S, l, n, n))


class _Sample(NamedTuple):
    """Internal nodes, examples, real-valued features, finite splits, and classes."""

    N: int
    m: int
    l: int
    S: int
    n: int

    @classmethod
    def of(
        cls, n_leaves: Any, n_examples: Any, n_features: Any, n_classes: Any, form: Any
    ) -> _Sample:
        """The sizes of the formulas, or a ValueError."""
        N = check_integer(n_leaves, "n_leaves") - 1
        m = check_integer(n_examples, "n_examples")
        kinds = check_features(n_features)
        n = check_integer(n_classes, "n_classes")
        check_option(form, "form", _FORMS)
        return cls(N, m, kinds.real, kinds.n_finite_splits, n)


def _series(n: int, b: int, sums: Iterator[int], divisor: int) -> int:
    """``n + sum_j P_j q_j / divisor^j``, rounded down, where ``P = y (P^2 + 2 b P + n
    (n - 1))``.
    """
    c = n * (n - 1)
    total = n * next(sums)
    power = 1
    before = 0
    P = c
    for j, q in enumerate(sums, 1):
        power *= divisor
        total = total * divisor + P * q

        linear = 2 * b * (2 * j + 1) * P
        following = (linear + 4 * (c - b * b) * (j - 1) * before) // (j + 2)
        before = P
        P = following
    return total // power


def _log_sum(N: int, size: int, m: int, *numbers: float) -> float:
    """The logarithm of the series with N terms, from a table for ``size`` terms."""
    sums, scales = _cached_partial_sums(size, m - 1.0, *map(float, numbers))
    return math.log(sums[N]) + float(scales[N]) * 1000 * math.log(2)


@lru_cache(maxsize=64)
def _cached_partial_sums(
    size: int, *numbers: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Partial sums, cached; compiled only if this saves more time than it takes."""
    sums: NDArray[np.float64]
    scales: NDArray[np.float64]
    sums, scales = compiled(_partial_sums, size)(size, *numbers)
    return sums, scales


def _partial_sums(
    size: int, M: float, s: float, l: float, b: float, n: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The result of ``_series`` for N = 0, ..., size - 1, over ``2^(1000 scale)``, by
    ratios of its terms.
    """
    sums = np.empty(size)
    scales = np.zeros(size)
    c = n * (n - 1.0)
    P_ratio = c / n
    q_ratio = 1.0
    term = n
    relative_sum = 1.0
    scale = 0.0
    sums[0] = n

    for j in range(1, size):
        # The recursions of binomial_sums and _series, divided by the last value.
        linear = (2.0 * s - l) * (j - 1) + s + M * l
        q_ratio = (linear - s * (s - l) * (j - 1) / q_ratio) * (1.0 / j)
        if j > 1:
            linear = 2.0 * b * (2 * j - 1)
            P_ratio = (linear + 4.0 * (c - b * b) * (j - 2) / P_ratio) * (1.0 / (j + 1))

        term *= P_ratio * q_ratio
        relative_sum = 1.0 + relative_sum / (P_ratio * q_ratio)

        if term > 2.0**500:
            term *= 2.0**-1000
            scale += 1.0
        elif term < 2.0**-500:
            term *= 2.0**1000
            scale -= 1.0

        sums[j] = term * relative_sum
        scales[j] = scale
    return sums, scales
