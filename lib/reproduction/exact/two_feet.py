"""The chain of two nodes on two features, counted on every sample.

A *foot* is a set of first or of last examples of a feature. The chain realizes a
partition into two parts if and only if one part is a foot or a union of two feet.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from reproduction.compiling import njit
from reproduction.exact.three_nodes import feet_of
from treebounds._validation import check_integer

__all__ = ["most_partitions_by_a_chain"]


def most_partitions_by_a_chain(n_examples: int) -> int:
    """The largest number of partitions into two parts by the chain of two nodes on two
    features, over all samples.

    >>> from reproduction.exact.two_feet import most_partitions_by_a_chain
    >>> most_partitions_by_a_chain(6)
    30

    Parameters
    ----------
    n_examples : int
        From 2 to 10. There are ``n_examples!`` samples, as the first feature numbers
        the examples.
    """
    m = check_integer(n_examples, "n_examples", 2)
    if m > 10:
        raise ValueError(f"n_examples must be at most 10; got {m}, with {m}! samples")
    return int(_most_unions(np.array(list(permutations(range(m))))))


@njit
def _most_unions(orders: NDArray[np.int64]) -> int:
    """The largest number of partitions, where the first order is 0, 1, ..., m - 1."""
    n_orders, m = orders.shape
    most = 0
    last_order_with = np.full(2**m, -1)
    for number in range(n_orders):
        feet = feet_of(orders[number])
        most = max(most, _count_unions(feet, last_order_with, number))
    return most


@njit
def _count_unions(
    feet: NDArray[np.int64], last_order_with: NDArray[np.int64], number: int
) -> int:
    """Partitions with a union of two feet as a part; marks them as seen."""
    m = feet.shape[1] - 1
    everything = 2**m - 1
    count = 0
    for a in range(4):
        for b in range(a):
            for i in range(m):
                for j in range(m):
                    union = feet[a, i] | feet[b, j]
                    part = min(union, everything - union)
                    if part > 0 and last_order_with[part] != number:
                        last_order_with[part] = number
                        count += 1
    return count
