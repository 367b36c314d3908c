"""Closed forms of the growth bounds of one structure, in integers and in logarithms."""

from __future__ import annotations

import math
from functools import lru_cache
from math import comb

from treebounds.capacity._binomials import (
    binomial_sums,
    log_binomial,
    log_binomial_sum,
)


def closed_sharp(N: int, m: int, l: int, n_splits: int, n: int) -> int:
    """``n sum_j C(N, j) (1 + 2 n S)^(N - j) (2 (n - 1) l)^j C(m - 1, j)``, not capped,
    for every m.
    """
    *_, last = binomial_sums(m - 1, 1 + 2 * n * n_splits, 2 * (n - 1) * l, N)
    return n * last


def closed_2020(N: int, n_symmetric: int, m: int, l: int, n: int) -> int:
    """``n^L (2 l)^N C(m - 1, N) / 2^s`` for s symmetric nodes, not capped; for m >= L
    only.
    """
    return int(n ** (N + 1) * (2 * l) ** N * comb(m - 1, N) >> n_symmetric)


@lru_cache(maxsize=1 << 12)
def log_closed_sharp(N: int, m: int, l: int, n_splits: int, n: int) -> float:
    """The logarithm of :func:`closed_sharp`."""
    s = 1.0 + 2 * n * n_splits
    log_sum = log_binomial_sum(N, m - 1, 2 * (n - 1) * l / s)
    return math.log(n) + N * math.log(s) + log_sum


def log_closed_2020(N: int, n_symmetric: int, m: int, l: int, n: int) -> float:
    """The logarithm of :func:`closed_2020`."""
    return (
        (N + 1) * math.log(n)
        + N * math.log(2 * l)
        - n_symmetric * math.log(2)
        + log_binomial(m - 1, N)
    )
