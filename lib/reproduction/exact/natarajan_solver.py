"""Whether a chain of two nodes shatters a sample in the sense of Natarajan, as a
satisfiability problem.

With three leaves it can shatter more examples than with two classes only if the two
labels of the examples are pairs of three classes, each pair at least twice. A pattern
with all three classes fixes the examples at each leaf. A tree realizes it if and only
if one feature separates one of the three sets from the other two, and some feature
separates these two. The unknowns of the problem are the orders: for each feature and
each two examples, a variable states which comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise, permutations, product

import numpy as np
from numpy.typing import NDArray

from reproduction.exact.sat import Clause, Proof, solved
from treebounds._validation import check_integer, shown

__all__ = ["TriangleFormula", "shattered_triangle", "smallest_triangles"]

_PAIRS = ((0, 1), (0, 2), (1, 2))


class TriangleFormula:
    """Clauses that can be satisfied if a chain of two nodes shatters some sample with
    given numbers of examples for the pairs of three classes.

    Only patterns with all three classes are asked for, so the converse need not hold.

    >>> from reproduction.exact.natarajan_solver import TriangleFormula
    >>> formula = TriangleFormula(2, (2, 2, 2))
    >>> len(formula.pairs), formula.n_partitions
    (6, 48)

    Parameters
    ----------
    n_features : int
        l, at least 1.
    sizes : sequence of three int
        Numbers of examples with the pairs (0, 1), (0, 2) and (1, 2), at least 1.

    Attributes
    ----------
    pairs : list of (int, int)
        The two classes of each example.
    before : (n_features, n_examples, n_examples) array of int
        The literal which states that example i comes before example j along a feature;
        0 for i = j.
    clauses : list of list of int
        Literals as in DIMACS files.

    Notes
    -----
    Features can be reversed, so example 0 comes before example 1 along each. Examples
    with the same pair can be renamed, so they are in order along the first feature. The
    other features are sorted by whether example 0 comes before the last one.
    """

    def __init__(self, n_features: int, sizes: Sequence[int]) -> None:
        if len(sizes) != len(_PAIRS):
            raise ValueError(
                "sizes must be three numbers, one for each pair of classes; got"
                f" {shown(sizes)}"
            )

        self.pairs: list[tuple[int, int]] = []
        for pair, size in zip(_PAIRS, sizes, strict=True):
            self.pairs += [pair] * check_integer(size, "sizes")
        m = len(self.pairs)
        l = check_integer(n_features, "n_features")
        self.before: NDArray[np.int64] = np.zeros((l, m, m), dtype=np.int64)
        self.clauses: list[Clause] = []
        self._n_variables = 0
        self._separated: dict[frozenset[frozenset[int]], int] = {}

        self._add_orders()
        self._break_symmetries()

        partitions = self._partitions()
        self.n_partitions = len(partitions)
        for parts in partitions:
            self._add_partition(parts)

    def sample(self, true: set[int]) -> NDArray[np.int64]:
        """Ranks of the examples along the features, if these literals are true."""
        # The rank of an example is the number of examples before it.
        return np.isin(self.before, list(true)).sum(axis=1).T

    def _new(self) -> int:
        """Add a variable and return it."""
        self._n_variables += 1
        return self._n_variables

    def _add_orders(self) -> None:
        """Each feature orders the examples."""
        for order in self.before:
            for i, j in combinations(range(len(self.pairs)), 2):
                order[i, j] = self._new()
                order[j, i] = -order[i, j]
            for i, j, k in permutations(range(len(self.pairs)), 3):
                self._add(-order[i, j], -order[j, k], order[i, k])

    def _break_symmetries(self) -> None:
        """Leave one of the samples that differ by reversals or names only."""
        for order in self.before:
            self._add(order[0, 1])

        for i, (pair, following) in enumerate(pairwise(self.pairs)):
            if pair == following:
                self._add(self.before[0, i, i + 1])

        for order, following_order in pairwise(self.before[1:]):
            self._add(order[0, -1], -following_order[0, -1])

    def _partitions(self) -> list[tuple[frozenset[int], ...]]:
        """The examples at the three leaves, for each pattern with all three classes."""
        partitions: dict[frozenset[frozenset[int]], tuple[frozenset[int], ...]] = {}
        for pattern in product(*self.pairs):
            parts = tuple(
                frozenset(i for i, label in enumerate(pattern) if label == c)
                for c in range(3)
            )
            if all(parts):
                partitions.setdefault(frozenset(parts), parts)
        return list(partitions.values())

    def _add_partition(self, parts: tuple[frozenset[int], ...]) -> None:
        """Some tree has these examples at its leaves."""
        everything = frozenset().union(*parts)
        choices = []
        for first in parts:
            second, third = (part for part in parts if part != first)
            choice = self._new()
            self._add(-choice, self._separates(first, everything - first))
            self._add(-choice, self._separates(second, third))
            choices.append(choice)
        self._add(*choices)

    def _separates(self, first_set: frozenset[int], second_set: frozenset[int]) -> int:
        """A variable which implies that some feature has one of the sets before the
        other.
        """
        key = frozenset((first_set, second_set))
        if key not in self._separated:
            variable = self._new()
            self._separated[key] = variable
            ways = []
            for order in self.before:
                ways.append(self._all_before(order, first_set, second_set))
                ways.append(self._all_before(order, second_set, first_set))
            self._add(-variable, *ways)
        return self._separated[key]

    def _all_before(
        self, order: NDArray[np.int64], first: frozenset[int], last: frozenset[int]
    ) -> int:
        """A variable which implies that one set comes before the other."""
        way = self._new()
        for i, j in product(sorted(first), sorted(last)):
            self._add(-way, order[i, j])
        return way

    def _add(self, *literals: int) -> None:
        """Add a clause."""
        self.clauses.append([int(literal) for literal in literals])


def shattered_triangle(
    n_features: int, sizes: Sequence[int]
) -> tuple[NDArray[np.int64] | None, Proof | None]:
    """A sample that a chain of two nodes may shatter with three classes, or a proof
    that there is none.

    >>> from reproduction.exact.natarajan_solver import shattered_triangle
    >>> sample, proof = shattered_triangle(2, (2, 2, 2))
    >>> sample is None, proof is not None
    (True, True)

    Parameters
    ----------
    n_features, sizes
        See ``TriangleFormula`` of this module.

    Returns
    -------
    sample : (n_examples, n_features) array of int, or None
        Ranks; every pattern with all three classes is realized.
    proof : tuple of tuple of int, or None
        That the clauses of ``TriangleFormula`` cannot be satisfied; see
        :func:`reproduction.exact.sat.solved`.
    """
    formula = TriangleFormula(n_features, sizes)
    true, proof = solved(formula.clauses)
    if proof is not None:
        return None, proof
    return formula.sample(true), None


def smallest_triangles(n_examples: int) -> list[tuple[int, int, int]]:
    """The numbers of examples of the three pairs, each at least two, in decreasing
    order.

    >>> from reproduction.exact.natarajan_solver import smallest_triangles
    >>> smallest_triangles(8)
    [(3, 3, 2), (4, 2, 2)]
    """
    sizes = range(2, check_integer(n_examples, "n_examples") + 1)
    return [
        (a, b, c)
        for c, b, a in product(sizes, repeat=3)
        if a >= b >= c and a + b + c == n_examples
    ][::-1]
