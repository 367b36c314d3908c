"""Orders of examples such that every subset is a prefix of one of them, or the first
or last examples of one: those of a symmetric chain decomposition.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from treebounds.capacity.stumps import one_sided_stump_vc_dimension


@lru_cache(maxsize=8)
def chains(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Orders of g examples such that every subset is a prefix of one, and the index of
    this order.

    There are ``C(g, floor(g/2))`` orders. Read a subset as a sequence of brackets: an
    example outside of it opens a bracket, one inside closes one. The subsets with the
    same matched brackets form a chain: each contains the examples of the matched
    closing brackets and the first few of the unmatched places from the left.
    """
    order_of = np.empty(2**size, dtype=np.int64)
    orders: dict[tuple[int, ...], int] = {}
    for subset in range(2**size):
        order = _chain_of(subset, size)
        order_of[subset] = orders.setdefault(order, len(orders))
    return np.array(list(orders), dtype=np.int64), order_of


def _chain_of(subset: int, size: int) -> tuple[int, ...]:
    """The order of the examples of which a subset, given as bits, is a prefix."""
    opened: list[int] = []
    unmatched: list[int] = []
    opening: list[int] = []
    closing: list[int] = []
    for place in range(size):
        if not subset >> place & 1:
            opened.append(place)
        elif opened:
            opening.append(opened.pop())
            closing.append(place)
        else:
            unmatched.append(place)
    return (*sorted(closing), *unmatched, *opened, *sorted(opening))


def orders_for_both_ends(size: int) -> NDArray[np.int64]:
    """Orders of d = 2 h + 1 examples such that every subset or its complement is a
    prefix of one.

    There are ``ceil(C(d, h) / 2)`` of them. Each set of h examples, in the order of its
    chain, is the beginning of one of them or, in reverse order, the end of one. So the
    sets have to be paired with sets that are disjoint from them.
    """
    orders, order_of = chains(size)
    everything = 2**size - 1
    half = size // 2
    sets = [sum(1 << i for i in chosen) for chosen in combinations(range(size), half)]
    partner = _disjoint_pairs(sets, size)

    rows = []
    for begin in sets:
        end = partner[begin]
        # A pair needs one order, which has the other set at its other end.
        if begin > end and partner[end] == begin:
            continue
        head = orders[order_of[begin]][:half]
        tail = orders[order_of[end]][:half]
        middle = (everything ^ begin ^ end).bit_length() - 1
        rows.append([*head, middle, *tail[::-1]])
    return np.array(rows, dtype=np.int64)


def _disjoint_pairs(sets: list[int], size: int) -> dict[int, int]:
    """Disjoint pairs of the sets of h among 2 h + 1 examples; a set that is left over
    shares a partner.
    """
    # A set without a partner takes any disjoint set. If that set had a partner, the
    # partner is now alone and does the same.
    random = Random(0)
    partner: dict[int, int] = {}
    alone = dict.fromkeys(sets)

    def disjoint(members: int) -> int:
        """A random set of h examples outside of a set: all but one of them."""
        outside = [1 << i for i in range(size) if not members >> i & 1]
        return int(2**size - 1 - members - random.choice(outside))

    while len(alone) > 1:
        single, _ = alone.popitem()
        other = disjoint(single)
        while other in partner:
            before = partner.pop(other)
            partner[single] = other
            partner[other] = single
            single = before
            other = disjoint(single)
        partner[single] = other
        partner[other] = single
        del alone[other]

    return partner | {single: disjoint(single) for single in alone}


def ranks(orders: NDArray[np.int64], l: int) -> NDArray[np.int64]:
    """Ranks of examples along l features, from orders, which repeat if there are fewer
    of them.
    """
    return orders.argsort(axis=1)[np.arange(l) % len(orders)].T


def ranks_of_orders(n_features: int) -> NDArray[np.int64]:
    """Ranks of a group of g examples along each feature such that every subset is a
    prefix of one.
    """
    return ranks(chains(one_sided_stump_vc_dimension(n_features))[0], n_features)
