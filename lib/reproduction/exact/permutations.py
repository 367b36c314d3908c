"""Samples on which decision stumps realize as many partitions as any sample can.

Only the order of the examples matters to a stump, so a sample is a list of
permutations, one per feature. The first l permutations of one list attain the bound of
Theorem 7 of Leboeuf et al. for every number l of features. The list is built from the
middle of the permutations outwards. At its two ends, a half-built permutation has two
disjoint sets of j examples, called its feet, whose order is still open. A perfect
matching of all j-sets and (j-1)-sets, in which the two feet of a permutation may also
be matched to each other, determines the next step. The book's chapter *The conjecture
is true* proves that such a matching exists.

Sets of examples are integers here, one bit for each example.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from math import log10, pi

import numpy as np

from treebounds._validation import check_integer

__all__ = ["optimal_stump_permutations"]

_MOST_EXAMPLES = 22  # half a million permutations, which take about ten minutes
# An extra vertex if the number of sets is odd; the empty set itself is never a vertex.
_EXTRA = 0


def optimal_stump_permutations(n_examples: int) -> np.ndarray:
    """Features on which decision stumps realize as many partitions as possible, for any
    number of features.

    Parameters
    ----------
    n_examples : int
        From 1 to 22. The cost grows a little faster than ``C(m, m/2)``: seconds for 16,
        minutes for 20.

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
        If the argument is wrong, or its list of permutations would be too long.

    Notes
    -----
    Each level needs one maximum matching in a general graph, without backtracking.

    Examples
    --------
    >>> from reproduction.exact import optimal_stump_permutations
    >>> optimal_stump_permutations(4)
    array([[0, 1, 2, 3],
           [2, 0, 3, 1],
           [1, 2, 0, 3]])
    """
    m = check_integer(n_examples, "n_examples")
    if m > _MOST_EXAMPLES:
        # the central binomial coefficient is about 2^m / sqrt(pi m / 2)
        digits = (m - 1) * log10(2) - log10(pi * m / 2) / 2
        raise ValueError(
            f"n_examples must be at most {_MOST_EXAMPLES}; got {m}, for which the list"
            f" has about 10^{digits:.1f} permutations. stump_partitioning_function"
            " counts partitions without a list"
        )
    return _permutations(m).copy()


@lru_cache(maxsize=8)
def _permutations(m: int) -> np.ndarray:
    """The list for m examples; it is cached."""
    if m == 1:
        return np.zeros((1, 1), dtype=np.int64)
    live, odd_one = _middle_level(m)
    blocks = []
    for size in range(m // 2, 1, -1):
        live, odd_one, retired = _descend(live, odd_one, size, m)
        blocks.append(retired)
    blocks.append(live + odd_one)
    return np.array(
        [half.completed(m) for block in reversed(blocks) for half in block],
        dtype=np.int64,
    )


@dataclass
class _HalfBuilt:
    """The middle of a permutation: the feet, whose order is still open, and the
    examples between them.
    """

    foot: int
    other: int
    head: list[int] = field(default_factory=list)  # both from the middle outwards
    tail: list[int] = field(default_factory=list)

    def shrink(self, foot: int, other: int) -> None:
        """Replace each foot by a subset with one example less; the example is now in
        its final place.
        """
        self.head.append((self.foot ^ foot).bit_length() - 1)
        self.tail.append((self.other ^ other).bit_length() - 1)
        self.foot, self.other = foot, other

    def completed(self, m: int) -> list[int]:
        """The whole permutation; examples in neither feet nor head nor tail come in the
        middle.
        """
        first = _members(self.foot, m) + self.head[::-1]
        last = self.tail + _members(self.other, m)
        return first + sorted(set(range(m)) - set(first) - set(last)) + last


def _members(subset: int, m: int) -> list[int]:
    """The examples of a set in increasing order."""
    return [example for example in range(m) if subset >> example & 1]


def _subsets(size: int, m: int) -> Iterator[int]:
    """All sets of a given size."""
    return (
        sum(1 << example for example in chosen)
        for chosen in combinations(range(m), size)
    )


def _middle_level(m: int) -> tuple[list[_HalfBuilt], list[_HalfBuilt]]:
    """Pairs of disjoint sets of floor(m/2) examples that use each set once, or one set
    twice if necessary.
    """
    everything = (1 << m) - 1
    if m % 2 == 0:
        return [
            _HalfBuilt(a, everything ^ a)
            for a in _subsets(m // 2, m)
            if a < everything ^ a
        ], []
    disjoint = {
        a: [everything ^ a ^ 1 << i for i in range(m) if not a >> i & 1]
        for a in _subsets(m // 2, m)
    }
    mate = maximum_matching(disjoint, {})
    alone = [
        _HalfBuilt(a, neighbors[0])
        for a, neighbors in disjoint.items()
        if a not in mate
    ]
    return [_HalfBuilt(a, b) for a, b in mate.items() if a < b], alone


def _descend(
    live: list[_HalfBuilt], odd_one: list[_HalfBuilt], size: int, m: int
) -> tuple[list[_HalfBuilt], list[_HalfBuilt], list[_HalfBuilt]]:
    """Shrink the feet by one example; permutations whose feet are matched to each other
    retire instead.

    Each set of ``size`` examples is a foot of exactly one live permutation; if the
    number of such sets is odd, one of the sets is a foot of the odd one instead. The
    result is the same for ``size - 1``, and the list of permutations that retire.
    """
    mate = _match_to_smaller_sets(live, size, m)
    going, next_odd_one, retired = (list[_HalfBuilt]() for _ in range(3))
    for half in live:
        below, other_below = mate[half.foot], mate[half.other]
        if below == half.other:
            retired.append(half)
            continue
        (next_odd_one if _EXTRA in (below, other_below) else going).append(half)
        half.shrink(
            below or half.foot & half.foot - 1,
            other_below or half.other & half.other - 1,
        )
    return going, next_odd_one, retired + odd_one


def _match_to_smaller_sets(live: list[_HalfBuilt], size: int, m: int) -> dict[int, int]:
    """For each foot its partner in the next level, or the other foot if the permutation
    retires.
    """
    partner = {half.foot: half.other for half in live} | {
        half.other: half.foot for half in live
    }
    smaller = list(_subsets(size - 1, m))
    adjacent = {
        below: [
            above
            for i in range(m)
            if (above := below | 1 << i) != below and above in partner
        ]
        for below in smaller
    }
    extra = [_EXTRA] if len(smaller) % 2 else []
    for foot in partner:
        adjacent[foot] = (
            [foot ^ 1 << i for i in range(m) if foot >> i & 1] + extra + [partner[foot]]
        )
    if extra:
        adjacent[_EXTRA] = list(partner)
    mate = maximum_matching(adjacent, partner)
    if len(mate) != len(adjacent):
        raise AssertionError(
            f"no perfect matching between {size}-sets and their subsets for m = {m}"
        )
    return mate


def maximum_matching(
    adjacent: dict[int, list[int]], mate: dict[int, int]
) -> dict[int, int]:
    """Edmonds' maximum matching in a general graph, by augmentation of a given
    matching.

    Parameters
    ----------
    adjacent : dict of int to list of int
        The neighbors of each vertex.
    mate : dict of int to int
        A matching, in both directions.

    Returns
    -------
    dict of int to int

    Examples
    --------
    >>> from reproduction.exact.permutations import maximum_matching
    >>> path = {1: [2], 2: [1, 3], 3: [2, 4], 4: [3]}
    >>> maximum_matching(path, {2: 3, 3: 2})
    {2: 1, 3: 4, 4: 3, 1: 2}
    """
    mate = dict(mate)
    for root in adjacent:
        if root not in mate:
            _augment(root, adjacent, mate)
    return mate


def _augment(root: int, adjacent: dict[int, list[int]], mate: dict[int, int]) -> None:
    """Look for an alternating path from an unmatched vertex to another one, and flip
    it.

    The search tree has paths from the root that use edges outside and inside of the
    matching in turn. ``before`` leads from a vertex at odd distance to the one that
    discovered it, and from there ``mate`` leads on. An odd cycle is contracted to the
    vertex where the tree entered it, which the union-find forest ``leader`` stores; its
    other vertices can be reached at even distance, too.
    """
    before: dict[int, int] = {}
    leader, queue = {root: root}, [root]
    even = {root}

    def base(vertex: int) -> int:
        """The vertex to which a vertex is contracted: itself, unless it lies on an odd
        cycle.
        """
        while leader[vertex] != vertex:
            leader[vertex] = vertex = leader[leader[vertex]]
        return vertex

    def way_up(vertex: int) -> Iterator[int]:
        """The bases on the path of a vertex to the root."""
        yield (here := base(vertex))
        while here != root:
            yield (here := base(before[mate[here]]))

    def reach(vertex: int) -> None:
        """Record that a vertex can be reached at even distance, so that the search
        continues from it.
        """
        if vertex not in even:
            even.add(vertex)
            queue.append(vertex)

    def contract(vertex: int, neighbor: int) -> None:
        """Contract the cycle that the edge between two vertices at even distance
        closes.
        """
        seen = set(way_up(vertex))
        top = next(above for above in way_up(neighbor) if above in seen)
        for here, behind in ((vertex, neighbor), (neighbor, vertex)):
            while base(here) != top:
                before[here], odd = behind, mate[here]
                reach(odd)
                for member in (here, odd):
                    if leader[member] == member:
                        leader[member] = top
                here, behind = before[odd], odd

    for vertex in queue:  # The queue grows in the loop: breadth-first search.
        for neighbor in adjacent[vertex]:
            if neighbor not in leader:
                before[neighbor] = vertex
                if neighbor not in mate:
                    _flip(neighbor, before, mate)
                    return
                leader[neighbor], leader[mate[neighbor]] = neighbor, mate[neighbor]
                reach(mate[neighbor])
            elif neighbor in even and base(neighbor) != base(vertex):
                contract(vertex, neighbor)


def _flip(odd: int, before: dict[int, int], mate: dict[int, int]) -> None:
    """Exchange matched and unmatched edges along the path from a new vertex to the
    root.
    """
    vertex: int | None = odd
    while vertex is not None:
        even = before[vertex]
        following = mate.get(even)
        mate[vertex], mate[even] = even, vertex
        vertex = following
