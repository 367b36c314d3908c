"""The chain of two nodes shatters no eight examples on four real-valued features: a search of all samples.

A chain of two nodes realizes a labeling if and only if one class is what two feet have in common, where the
feet of a feature are its first examples or its last ones (:mod:`reproduction.chain_solver` says it of the
other class, the union of two feet). What matters is the orders, not how examples are numbered, which feature
comes first, and in which direction it runs. So the first feature numbers the examples, the second runs
through one order of each class, the third through all orders that are in no earlier class with one of the
two. For the fourth, :func:`last_order` looks for a chain of feet that adds what the three leave out.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

_EMPTY = np.uint64(0)
_RECORD = Path(__file__).with_name("chain_search.tsv")


@cache
def all_orders(n_examples: int) -> NDArray[np.int64]:
    """Every order of m examples, as they come along a feature, in lexicographic order: (m!, m)."""
    return np.array(list(permutations(range(n_examples))))


@cache
def classes_of_pairs(n_examples: int) -> NDArray[np.int64]:
    """The class of the pair of features (0, 1, ..., m - 1) and each order: the place of the least alike.

    Two pairs are alike if they differ in the numbers of the examples, in which feature is the first one, or
    in the direction of a feature.

    Parameters
    ----------
    n_examples : int
        m, at most 8.

    Returns
    -------
    (m!,) array of int
        Places in :func:`all_orders`.

    Examples
    --------
    >>> from reproduction.chain_search import classes_of_pairs
    >>> len(set(classes_of_pairs(4)))
    7
    """
    orders, last = all_orders(n_examples), n_examples - 1
    images = []
    for rows in (orders, np.argsort(orders, axis=1)):  # numbered by one feature or by the other
        for turned in (rows, last - rows):
            images += [_places(turned), _places(turned[:, ::-1])]
    return np.min(images, axis=0)


def _places(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each row stands in :func:`all_orders`."""
    m = rows.shape[1]
    later_and_smaller = np.triu(rows[:, :, None] > rows[:, None, :]).sum(axis=2)
    return later_and_smaller @ [factorial(m - 1 - i) for i in range(m)]


def last_order(orders: ArrayLike) -> NDArray[np.int64] | None:
    """An order of one more feature that completes the others, or None if there is none.

    Completed is what realizes every labeling with half of the examples in one class, and with one fewer.
    More labelings are not needed for a "no".

    Parameters
    ----------
    orders : (l - 1, m) array of int
        The examples 0 to m - 1 along each feature that is fixed; m is at most 8.

    Returns
    -------
    (m,) array of int, or None

    Examples
    --------
    >>> from reproduction.chain_search import last_order
    >>> last_order([[0, 1, 2, 3, 4]])
    array([0, 2, 1, 4, 3])
    >>> last_order([[0, 1, 2, 3, 4, 5]])  # two features shatter five
    """
    orders = np.atleast_2d(np.asarray(orders, dtype=np.int64))
    m = orders.shape[1]
    label, between = _labelings(m)
    feet, missing, hit = np.zeros(0, np.int64), np.bitwise_or.reduce(label), label.T.copy()
    for order in orders:
        feet = _add(order, feet, missing, hit, label)
    chain, _ = _complete(missing, hit, label, between)
    if chain[0] < 0:
        return None
    steps = np.diff(np.append(chain, (1 << m) - 1))
    return np.round(np.log2(steps)).astype(np.int64)


def search(n_examples: int, second: int) -> tuple[int, int, bool]:
    """Look for a sample on four features whose first two features are a given pair.

    Parameters
    ----------
    n_examples : int
        m, at most 8.
    second : int
        The place of the second feature's order; one that is its own class in :func:`classes_of_pairs`.

    Returns
    -------
    cases : int
        How many third features were tried: those of no earlier class.
    nodes : int
        How many beginnings of a fourth feature were looked at in all of them.
    found : bool
        Whether some sample has all labelings that :func:`last_order` asks for. The search ends there.

    Notes
    -----
    Eight examples have 5,282 classes with some 7,000 cases each; one takes half a second.

    Examples
    --------
    >>> from reproduction.chain_search import search
    >>> search(7, 147)
    (1, 1, True)
    """
    orders = all_orders(n_examples)
    place = np.argsort(orders[second])
    return _search(orders, classes_of_pairs(n_examples), second, place, *_labelings(n_examples))


def recorded_search() -> NDArray[np.int64]:
    """What :func:`search` says of each class of eight examples: its place, cases, nodes; none has a sample.

    Returns
    -------
    (5282, 3) array of int

    Raises
    ------
    OSError
        If the record is not there; ``python -m reproduction.chain_search`` writes it in three quarters of an
        hour.

    Examples
    --------
    >>> from reproduction.chain_search import recorded_search
    >>> recorded_search().shape
    (5282, 3)
    """
    return np.loadtxt(_RECORD, dtype=np.int64, skiprows=1)


def _write_record() -> None:
    """Search all classes of eight examples."""
    rows = []
    for second in np.unique(classes_of_pairs(8)).tolist():
        cases, nodes, found = search(8, second)
        if found:
            raise ValueError(f"second: {second} is part of a sample that has all these labelings")
        rows.append((second, cases, nodes))
    np.savetxt(_RECORD, rows, fmt="%d", delimiter="\t", header="second\tcases\tnodes", comments="")


@cache
def _labelings(m: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Each labeling with m // 2, or one fewer, in a class as a bit; and how many are intervals of a feature.

    Two words have at most 35 and 56 of them. ``label[S, word]`` is the bit of the labeling that cuts off the
    examples S, or nothing. ``between[k, word]`` counts the intervals, neither the first examples nor the last
    ones, that end beyond place k.
    """
    sizes, full = (m // 2, m // 2 - 1), (1 << m) - 1
    label = np.zeros((1 << m, 2), dtype=np.uint64)
    between = np.zeros((m, 2), dtype=np.int64)
    for word, size in enumerate(sizes):
        cut_off = [S for S in range(1 << (m - 1)) if S.bit_count() in (size, m - size)]
        for bit, S in enumerate(cut_off):
            label[S, word] = label[full ^ S, word] = 1 << bit
        for k in range(m):
            lengths = [stop - start for stop in range(k + 1, m) for start in range(1, stop)]
            between[k, word] = sum(length in (size, m - size) for length in lengths)
    return label, between


@njit(cache=True)
def _feet(order: Any) -> Any:
    """The sets of first and of last examples along a feature, but for none and all; example i is bit i."""
    m = len(order)
    feet = np.empty(2 * (m - 1), np.int64)
    foot = 0
    for k in range(m - 1):
        foot |= 1 << order[k]
        feet[2 * k] = foot
        feet[2 * k + 1] = (1 << m) - 1 - foot
    return feet


@njit(cache=True)
def _size(bits: Any) -> Any:
    """The number of elements of a set of bits."""
    size = 0
    while bits:
        bits &= bits - np.uint64(1)
        size += 1
    return size


@njit(cache=True)
def _most(P: int, full: int, hit: Any, left: Any, best: Any) -> Any:
    """At most so many of the labelings left are hit by the feet beyond P, whatever the order.

    The largest sum over chains of feet, where a labeling counts as often as it is hit.
    """
    outside = full & ~P
    more = (outside - 1) & outside  # runs down through the proper subsets, so larger feet come first
    while True:
        top, rest = 0, outside & ~more
        while rest:
            Q = P | more | (rest & -rest)
            rest &= rest - 1
            if full != Q:
                top = max(top, best[Q])
        if more == 0:
            return top
        best[P | more] = top + _size(hit[P | more] & left)
        more = (more - 1) & outside


@njit(cache=True)
def _add(order: Any, feet: Any, left: Any, hit: Any, label: Any) -> Any:
    """Add a feature: strike from ``left`` what its feet and others realize, and note what more they can.

    ``hit[w, P]`` are the labelings that a foot P of one more feature would make with the feet so far.
    """
    full, own = (1 << len(order)) - 1, _feet(order)
    feet = np.concatenate((feet, own))
    for w in range(2):
        for foot in own:
            for other in feet:
                left[w] &= ~label[foot & other, w]
        for P in range(1, (full + 1) // 2):  # the feet P and its complement come together
            hits = hit[w, P]
            for foot in own:
                hits |= label[P & foot, w] | label[foot & ~P, w]
            hit[w, P] = hit[w, full ^ P] = hits
    return feet


@njit(cache=True)
def _complete(missing: Any, hit: Any, label: Any, between: Any) -> Any:
    """The feet of a feature that adds all labelings missing (-1 if none does), and the nodes visited.

    Goes through the orders example by example. ``left[k]`` are the labelings that are left after the first k.
    """
    m = len(between)
    full = (1 << m) - 1
    left = np.zeros((m, 2), np.uint64)
    left[0] = missing
    chain, following, best = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(full, np.int64)
    k, nodes = 0, 0
    while k >= 0:
        if following[k] == 0:
            nodes += 1
            if left[k, 0] == _EMPTY and left[k, 1] == _EMPTY:
                for rest in range(k, m - 1):  # any order of the others will do
                    outside = full & ~chain[rest]
                    chain[rest + 1] = chain[rest] | (outside & -outside)
                return chain, nodes
            for w in range(2):
                short = _size(left[k, w]) - between[k, w]
                if k == m - 1 or (short > 0 and _most(chain[k], full, hit[w], left[k, w], best) < short):
                    following[k] = m
                    break
        while following[k] < m and chain[k] >> following[k] & 1:
            following[k] += 1
        if following[k] == m:
            following[k] = 0
            k -= 1
            continue
        foot = chain[k] | (1 << following[k])
        following[k] += 1
        for w in range(2):
            left[k + 1, w] = left[k, w] & ~hit[w, foot]
            for start in range(1, k + 1):
                left[k + 1, w] &= ~label[foot & ~chain[start], w]
        k += 1
        chain[k] = foot
    chain[0] = -1
    return chain, nodes


@njit(cache=True)
def _search(orders: Any, classes: Any, second: int, place: Any, label: Any, between: Any) -> Any:
    """:func:`search`; ``place`` says where each example stands along the second feature."""
    m = orders.shape[1]
    feet, missing, hit = np.zeros(0, np.int64), label[0], label.T.copy()
    for S in range(len(label)):
        missing = missing | label[S]
    for order in (orders[0], orders[second]):
        feet = _add(order, feet, missing, hit, label)
    cases, nodes = 0, 0
    for third in range(len(orders)):
        order = orders[third]
        if order[0] > order[m - 1] or classes[third] < second:
            continue
        seen_from_second = 0  # the place of the third feature's order when the second numbers the examples
        for i in range(m):
            later = 0
            for j in range(i + 1, m):
                later += place[order[j]] < place[order[i]]
            seen_from_second = seen_from_second * (m - i) + later
        if classes[seen_from_second] < second:
            continue
        missing_here, hit_here = missing.copy(), hit.copy()
        _add(order, feet, missing_here, hit_here, label)
        chain, visited = _complete(missing_here, hit_here, label, between)
        cases += 1
        nodes += visited
        if chain[0] >= 0:
            return cases, nodes, True
    return cases, nodes, False


if __name__ == "__main__":
    _write_record()
