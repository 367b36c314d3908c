"""Binomial coefficients, and sums of products of them, for any size.

The sums are ``q_j = sum_b C(j, b) s^(j - b) l^b C(M, b)``. By a three-term recursion,
one pass computes them for j = 0, 1, ... in integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np


def binomial_sums(M: int, s: int, l: int, N: int) -> Iterator[int]:
    """``q_j = sum_b C(j, b) s^(j - b) l^b C(M, b)`` for j = 0, ..., N."""
    before = 0
    q = 1
    yield q
    for j in range(1, N + 1):
        linear = (2 * s - l) * (j - 1) + s + M * l
        following = (linear * q - s * (s - l) * (j - 1) * before) // j
        before = q
        q = following
        yield q


def log_binomial_sum(N: int, M: int, z: float) -> float:
    """The logarithm of ``sum_j C(N, j) C(M, j) z^j``: the largest term, and the others
    by their ratios.
    """
    # Ratios of term j + 1 to term j; they decrease in j.
    j = np.arange(min(N, M))
    ratios = (N - j) * (float(M) - j) * z / (j + 1.0) ** 2
    top = int((ratios > 1).sum())

    after = np.cumprod(ratios[top:]).sum()
    before = np.cumprod(1 / ratios[:top][::-1]).sum()

    largest = log_binomial(N, top) + log_binomial(M, top)
    if top:
        largest += top * math.log(z)
    return largest + math.log1p(after + before)


@lru_cache(maxsize=1 << 12)
def log_binomial(n: int, k: int) -> float:
    """The logarithm of ``C(n, k)``, with a relative error below 1e-14.

    >>> import numpy as np
    >>> from treebounds.capacity._binomials import log_binomial
    >>> round(float(np.exp(log_binomial(20, 3))), 6)
    1140.0
    """
    k = min(k, n - k)
    if k < 1000:
        # A sum of logarithms is more accurate than a difference of log-gammas.
        return float(np.log1p(float(n - k) / np.arange(1, k + 1)).sum())
    # Stirling's formula with two correction terms.
    x = float(n)
    y = float(k)
    z = float(n - k)
    binary_entropy = y * math.log(x / y) - z * math.log1p(-y / x)
    root = math.log(x / (2 * math.pi * y * z)) / 2
    return binary_entropy + root + _correction(x) - (_correction(y) + _correction(z))


def _correction(v: float) -> float:
    """The first two terms of ``ln v! - Stirling's formula``."""
    return 1 / (12 * v) - 1 / (360 * v**3)
