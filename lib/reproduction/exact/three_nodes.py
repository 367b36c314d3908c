"""The labelings with two classes by trees of three nodes on two features: the chain,
and two stumps under a root.

A sample is given by the order in which the second feature lists the examples that the
first feature numbers. Sets of examples are bits, so it has at most 62 of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.compiling import njit

__all__ = ["count_labelings", "feet_of", "most_labelings"]

Bits = NDArray[np.int64]

SHAPES = ("chain", "two stumps")


def count_labelings(order: ArrayLike, shape: str) -> int:
    """The number of labelings of one sample.

    >>> from reproduction.exact.three_nodes import count_labelings
    >>> count_labelings([1, 3, 0, 2], "chain")
    16

    Parameters
    ----------
    order : (n_examples,) array of int
        The examples 0, 1, ... in the order of the second feature.
    shape : {"chain", "two stumps"}
    """
    ends = feet_of(np.asarray(order, dtype=np.int64))
    out = np.empty(_most_ways(len(ends[0]) - 1), np.int64)
    n_listed = _list_labelings(ends, _is_chain(shape), out)
    return 2 * len(np.unique(out[:n_listed]))


def most_labelings(orders: ArrayLike, shape: str) -> int:
    """The largest number of labelings of some samples of the same size.

    >>> from reproduction.exact.three_nodes import most_labelings
    >>> most_labelings([[0, 1, 2, 3], [1, 3, 0, 2]], "two stumps")
    16

    Parameters
    ----------
    orders : (n_samples, n_examples) array of int
        The order of the second feature in each sample.
    shape : {"chain", "two stumps"}
    """
    return int(_most(np.asarray(orders, dtype=np.int64), _is_chain(shape)))


def _is_chain(shape: str) -> bool:
    """Whether the shape is the chain; an error if it is neither of the two."""
    if shape not in SHAPES:
        raise ValueError(f"shape must be one of {SHAPES}; got {shape!r}")
    return shape == "chain"


@njit
def _most_ways(m: int) -> int:
    """At most as many trees are tried on m examples."""
    return 2**7 * (m + 1) ** 3


@njit
def feet_of(order: Bits) -> Bits:
    """The sets of 0, 1, ..., m first examples in each direction of each feature.

    >>> import numpy as np
    >>> from reproduction.exact.three_nodes import feet_of
    >>> feet_of(np.array([1, 0]))
    array([[0, 1, 3],
           [0, 2, 3],
           [0, 2, 3],
           [0, 1, 3]])

    Parameters
    ----------
    order : (m,) array of int
        The examples in the order of the second feature.

    Returns
    -------
    (4, m + 1) array of int
        Sets as bits: from below along both features, then from above.
    """
    m = len(order)
    ends = np.zeros((4, m + 1), np.int64)
    for k in range(m):
        ends[0, k + 1] = ends[0, k] | 1 << k
        ends[1, k + 1] = ends[1, k] | 1 << order[k]
        ends[2, k + 1] = ends[2, k] | 1 << (m - 1 - k)
        ends[3, k + 1] = ends[3, k] | 1 << order[m - 1 - k]
    return ends


@njit
def _list_labelings(ends: Bits, is_chain: bool, out: Bits) -> int:
    """Write labelings into out, as the examples with label 1, those in which example 0
    has label 0; returns how many.
    """
    if is_chain:
        return _list_chain(ends, out)
    return _list_two_stumps(ends, out)


@njit
def _list_chain(ends: Bits, out: Bits) -> int:
    """Write the labelings of the chain: a and then b are cut off, and the last node is
    a stump on what is left.
    """
    everything = (1 << (ends.shape[1] - 1)) - 1
    n = 0
    for i in range(4):
        for a in ends[i]:
            rest = everything & ~a
            for j in range(4):
                b = -1
                for cut in ends[j]:
                    if cut & rest == b:
                        continue
                    b = cut & rest
                    # The second cut may as well come first, with all labels exchanged.
                    if cut & a == 0 and cut < a:
                        continue
                    # The labels of the first two leaves: equal or different.
                    n = _list_stumps(ends, rest & ~b, (0, b), out, n)
    return n


@njit
def _list_two_stumps(ends: Bits, out: Bits) -> int:
    """Write the labelings of two stumps: the first one cuts b from a, and the second
    one is on the other examples.
    """
    everything = (1 << (ends.shape[1] - 1)) - 1
    n = 0
    # The stumps can be exchanged, so one direction of the root is enough.
    for i in range(2):
        for a in ends[i]:
            for j in range(2):
                b = -1
                for cut in ends[j]:
                    if cut & a == b:
                        continue
                    b = cut & a
                    n = _list_stumps(ends, everything & ~a, (b, a & ~b), out, n)
    return n


@njit
def _list_stumps(
    ends: Bits, left: int, labeled: tuple[int, int], out: Bits, n: int
) -> int:
    """Write the labelings by a stump on the examples that are left, beside each set of
    other examples that have label 1.
    """
    everything = (1 << (ends.shape[1] - 1)) - 1
    for k in range(2):
        c = -1
        for end in ends[k]:
            if end & left == c:
                continue
            c = end & left
            for x in labeled:
                for f in (x | c, x | (left & ~c)):
                    out[n] = f
                    if f & 1:
                        out[n] = everything & ~f
                    n += 1
    return n


@njit
def _most(orders: Bits, is_chain: bool) -> int:
    """The most labelings of a sample with one of these orders."""
    m = orders.shape[1]
    out = np.empty(_most_ways(m), np.int64)
    last_sample_with = np.full(2**m, -1)
    most = 0
    for sample, order in enumerate(orders):
        n = _list_labelings(feet_of(order), is_chain, out)
        count = 0
        for f in out[:n]:
            count += last_sample_with[f] != sample
            last_sample_with[f] = sample
        most = max(most, 2 * count)
    return most
