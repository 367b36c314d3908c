"""Samples on which decision stumps realize as many partitions as any sample can.

Only the order of the examples matters to a stump, so a sample is a list of
permutations, one per feature. The first l permutations of one list attain the bound of
Theorem 7 of Leboeuf et al. for every number l of features. The list is built from the
middle of the permutations outwards. At its two ends, a half-built permutation has two
disjoint sets of j examples, called its feet, whose order is still open. A perfect
matching of all j-sets and (j-1)-sets, in which the two feet of a permutation may also
be matched to each other, determines the next step. The book's chapter *The conjecture
is true* proves that such a matching exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, pairwise, product
from math import comb, log10, pi
from typing import NamedTuple

import networkx as nx
import numpy as np

from treebounds._validation import check_integer

__all__ = ["optimal_stump_permutations"]

Examples = frozenset[int]
Edge = tuple[Examples, Examples]

_MOST_EXAMPLES = 15

# An extra vertex if the number of sets is odd; no set that is a vertex is empty.
_EXTRA: Examples = frozenset()


def optimal_stump_permutations(n_examples: int) -> np.ndarray:
    """Features on which decision stumps realize as many partitions as possible, for any
    number of features.

    >>> from reproduction.exact import optimal_stump_permutations
    >>> optimal_stump_permutations(4)
    array([[0, 1, 3, 2],
           [3, 0, 2, 1],
           [0, 2, 3, 1]])

    Parameters
    ----------
    n_examples : int
        From 1 to 15. The matchings take nearly all the time: about one second for 12,
        twenty for 14 and a hundred for 15.

    Returns
    -------
    ndarray of int64, shape (ceil(C(m, floor(m/2)) / 2), m)
        Row r lists the examples 0..m-1 in increasing order of feature r, so its
        prefixes are the sets that the feature cuts off. The first l rows realize
        :func:`stump_partitioning_function` partitions, for each l up to the number of
        rows; all rows together realize all ``2**(m-1) - 1``.

    Raises
    ------
    ValueError
        If the argument is wrong, or its list of permutations would take too long.

    Notes
    -----
    Each level needs one maximum matching in a general graph (networkx), without
    backtracking.
    """
    m = check_integer(n_examples, "n_examples")
    if m > _MOST_EXAMPLES:
        # The central binomial coefficient is about 2^m / sqrt(pi m / 2).
        digits = (m - 1) * log10(2) - log10(pi * m / 2) / 2
        raise ValueError(
            f"n_examples must be at most {_MOST_EXAMPLES}; got {m}, for which the list"
            f" has about 10^{digits:.1f} permutations. stump_partitioning_function"
            " counts partitions without a list"
        )

    return _permutations(m).copy()


@cache
def _permutations(m: int) -> np.ndarray:
    """The list for m examples, level by level from the middle outwards.

    Permutations are listed by the level at which they retired, the outermost first.
    """
    level = _middle_level(m)
    blocks = []

    for size in range(m // 2, 1, -1):
        level, retired = _next_level(level, size, m)
        blocks.append(retired)

    blocks.append([*level.live, *level.alone])
    rows = [half.completed(m) for half in chain.from_iterable(reversed(blocks))]
    return np.array(rows, dtype=np.int64)


@dataclass
class _HalfBuilt:
    """A permutation whose middle is built: the feet at its first and at its last end,
    level by level.

    Each foot is a subset of the one before, with one example less; this example is then
    in its final place.
    """

    first: list[Examples]
    last: list[Examples]

    @property
    def feet(self) -> tuple[Examples, Examples]:
        """The two disjoint sets whose order is still open."""
        return self.first[-1], self.last[-1]

    def shrink(self, mate: dict[Examples, Examples]) -> None:
        """Replace each foot by the subset to which it is matched, or by any subset if
        it is matched to the extra vertex.
        """
        for feet in (self.first, self.last):
            foot = feet[-1]
            below = mate[foot]
            if below == _EXTRA:
                below = foot - {max(foot)}
            feet.append(below)

    def completed(self, m: int) -> list[int]:
        """The whole permutation; examples in no foot come in the middle."""
        start = _from_the_end(self.first)
        stop = _from_the_end(self.last)
        middle = set(range(m)).difference(start, stop)
        return [*start, *sorted(middle), *reversed(stop)]


def _from_the_end(feet: list[Examples]) -> list[int]:
    """The examples of a chain of sets, those of the smallest set first."""
    order = sorted(feet[-1])
    for smaller, larger in pairwise(reversed(feet)):
        order.extend(larger - smaller)
    return order


class _Level(NamedTuple):
    """Permutations in which each set of some size is a foot, each set of one.

    If the number of sets is odd, one of the sets is a foot of no live permutation, but
    of another one, which stands alone.
    """

    live: list[_HalfBuilt]
    alone: list[_HalfBuilt]


def _middle_level(m: int) -> _Level:
    """Pairs of disjoint sets of floor(m/2) examples that use each set once, or one set
    twice if necessary.
    """
    sets = list(_subsets(m // 2, m))
    if m % 2 == 0:
        # Lexicographic order puts the complement of the first set last, and so on.
        halves = sets[: len(sets) // 2]
        return _Level([_HalfBuilt([a], [_complement(a, m)]) for a in halves], [])

    disjoint = {}
    edges: list[Edge] = []
    for a in sets:
        outside = _complement(a, m)
        disjoint[a] = [outside - {i} for i in outside]
        edges += product([a], disjoint[a])
    mate = _maximum_matching(edges)

    live = []
    alone = []
    for a in sets:
        if a not in mate:
            alone.append(_HalfBuilt([a], [disjoint[a][0]]))
        elif min(a) < min(mate[a]):
            live.append(_HalfBuilt([a], [mate[a]]))

    return _Level(live, alone)


def _next_level(level: _Level, size: int, m: int) -> tuple[_Level, list[_HalfBuilt]]:
    """The level of the sets with one example less, and the permutations that retire
    because their feet are matched to each other.
    """
    mate = _maximum_matching(_edges(level.live, size, m))

    following = _Level([], [])
    retired = []
    for half in level.live:
        first, last = half.feet
        if mate[first] == last:
            retired.append(half)
            continue

        half.shrink(mate)
        if _EXTRA in (mate[first], mate[last]):
            following.alone.append(half)
        else:
            following.live.append(half)

    return following, [*retired, *level.alone]


def _edges(live: list[_HalfBuilt], size: int, m: int) -> Iterator[Edge]:
    """The graph of one step: each foot is adjacent to its subsets with one example less
    and to the other foot of its permutation.
    """
    has_extra = comb(m, size - 1) % 2 == 1
    for half in live:
        yield half.feet
        for foot in half.feet:
            yield from ((foot, foot - {i}) for i in foot)
            if has_extra:
                yield foot, _EXTRA


def _maximum_matching(edges: Iterable[Edge]) -> dict[Examples, Examples]:
    """The partner of each vertex in a matching with as many edges as possible."""
    matching = nx.max_weight_matching(nx.Graph(edges), maxcardinality=True)
    return dict(chain.from_iterable(((a, b), (b, a)) for a, b in matching))


def _subsets(size: int, m: int) -> Iterator[Examples]:
    """All sets of a given size, in lexicographic order."""
    return map(frozenset, combinations(range(m), size))


def _complement(subset: Examples, m: int) -> Examples:
    """The other examples."""
    return frozenset(range(m)) - subset
