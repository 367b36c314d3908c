"""Numbers of partitions and of labelings of a sample, in integers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import comb, factorial, perm


@lru_cache(maxsize=1 << 16)
def stirling(m: int, c: int) -> int:
    """``S(m, c)``, the number of partitions of m examples into c parts.

    >>> from treebounds.capacity._labelings import stirling
    >>> [stirling(4, c) for c in range(6)]
    [0, 1, 7, 6, 1, 0]
    """
    # By inclusion and exclusion, the maps of the examples onto c numbered parts.
    onto = sum((-1) ** (c - j) * comb(c, j) * j**m for j in range(c + 1))
    return int(onto // factorial(c))


def growth_of(partitions: Sequence[int], n: int) -> int:
    """The number of labelings with n classes, from the numbers of partitions into 1, 2,
    ... parts.
    """
    return sum(perm(n, c) * count for c, count in enumerate(partitions, 1))


def partitions_of(growth: Sequence[int]) -> list[int]:
    """Numbers of partitions into 1, 2, ... parts, from the numbers of labelings with 1,
    2, ... classes.

    They are the differences of first, second, ... order, divided by 1!, 2!, ...

    >>> from treebounds.capacity._labelings import partitions_of
    >>> partitions_of([1, 4, 15])
    [1, 1, 1]
    """
    differences = [0, *growth]
    partitions = []
    for c in range(1, len(growth) + 1):
        differences = [b - a for a, b in pairwise(differences)]
        partitions.append(differences[0] // factorial(c))
    return partitions


@lru_cache(maxsize=1 << 14)
def labelings(m: int, n: int, n_parts: int) -> int:
    """The number of labelings of m examples with at most ``n_parts`` different ones of
    n classes.

    >>> from treebounds.capacity._labelings import labelings
    >>> labelings(4, 3, 2), labelings(4, 3, 3)
    (45, 81)
    """
    if n_parts >= min(n, m):
        return int(n**m)
    return growth_of([stirling(m, c) for c in range(1, n_parts + 1)], n)


def capped_bound(bound: int, m: int, n: int, n_parts: int) -> int:
    """The smaller of a bound on the growth function and :func:`labelings`.

    With one class or one part, the bound has to be the growth function itself.

    >>> from treebounds.capacity._labelings import capped_bound
    >>> capped_bound(100, 4, 3, 2), capped_bound(100, 10**12, 3, 2)
    (45, 100)
    """
    # With two classes and parts there are at least 2^m labelings. To compute how many
    # takes hours for 10^9 examples.
    if bound.bit_length() <= m:
        return bound
    return min(bound, labelings(m, n, n_parts))
