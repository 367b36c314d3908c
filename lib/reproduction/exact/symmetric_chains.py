"""Chains of sets that are symmetric about the middle level, by brackets (Greene and
Kleitman 1976).
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, combinations

from treebounds._validation import check_integer

__all__ = ["longest_chains"]


def longest_chains(n_examples: int) -> list[tuple[int, ...]]:
    """Orders of some examples whose prefixes run through symmetric chains, the longest
    chains first.

    An order begins with the smallest set of its chain and gains one example after
    another. The first l orders have min(l, C(n, k)) different prefixes of size k.

    >>> from reproduction.exact.symmetric_chains import longest_chains
    >>> longest_chains(3)
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    """
    n = check_integer(n_examples, "n_examples", 0)
    subsets = chain.from_iterable(combinations(range(n), k) for k in range(n + 1))
    orders = {_along_the_chain(members, n) for members in subsets}
    return [order for _, order in sorted(orders)]


def _along_the_chain(members: Collection[int], n: int) -> tuple[int, tuple[int, ...]]:
    """The number of matched members of a set, and the order of its chain."""
    opened: list[int] = []
    pairs = []
    single = []
    for x in range(n):
        if x not in members:
            opened.append(x)
        elif opened:
            pairs.append((opened.pop(), x))
        else:
            single.append(x)

    ends = sorted(end for _, end in pairs)
    starts = sorted(start for start, _ in pairs)
    return len(pairs), (*ends, *single, *opened, *starts)
