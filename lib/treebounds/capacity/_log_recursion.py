"""The recursion behind the bounds of single structures, in logarithms."""

from __future__ import annotations

import math
from functools import cache
from itertools import count
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import binom

from treebounds.capacity._log_convolution import log_convolution
from treebounds.capacity._logs import Logs, smaller
from treebounds.capacity._recursion import Examples, GrowthRecursion, Join, Table
from treebounds.capacity.features import FeatureKinds
from treebounds.structure import TreeStructure

# Limits on the cost of the tables: about five minutes, and 2 GB for the tables that are
# kept and for those of one step.
_MOST_PRODUCTS = 10**12
_MOST_NUMBERS = 2**28
_WORKING_TABLES = 8


class LogRecursion(GrowthRecursion):
    """The recursion in logarithms. A table is an array, and all structures share the
    tables of subtrees.

    Parameters
    ----------
    n_examples, kinds, n_classes, form
        See :class:`GrowthRecursion`; more than one class.
    """

    def __init__(
        self, n_examples: int, kinds: FeatureKinds, n_classes: int, form: str
    ) -> None:
        super().__init__(n_examples, kinds, n_classes, form)
        self._n = n_classes
        self.log_classes = math.log(n_classes)
        # An array for each number of parts.
        self._log_stirling: list[NDArray[np.float64]] = []
        self._log_labelings: dict[int, NDArray[np.float64]] = {}
        self._log_cuts: dict[int, NDArray[np.float64]] = {}

    def table(
        self, structure: TreeStructure, first: int, last: int
    ) -> NDArray[np.float64]:
        """See :meth:`GrowthRecursion.table`. A ValueError if it would take minutes or
        too much memory.
        """
        if self.form == "loose":
            return np.array([self._loose_bound(structure, last - structure.n_leaves)])

        n_products, n_numbers = self.cost(structure)
        if n_products > _MOST_PRODUCTS or n_numbers > _MOST_NUMBERS:
            raise ValueError(
                f"n_examples={self.n_examples}: form={self.form!r} would take"
                f" {n_products:.1e} products and hold {n_numbers:.1e} numbers; use"
                " form='closed'"
            )

        logs: NDArray[np.float64] = super().table(structure, first, last).logs
        return logs

    def cost(self, structure: TreeStructure) -> tuple[int, int]:
        """Numbers of multiplications for the missing tables and of values that are then
        in memory.
        """
        missing = [
            subtree for subtree in structure.subtrees() if subtree not in self._tables
        ]

        # If a child is a leaf (always the right one), cumulative sums replace the sums
        # over real-valued cuts, except for "patterns": a leaf then has another value
        # for each number of examples.
        all_are_slow = self.n_finite_splits or self.form == "patterns"
        n_products = 0
        for subtree in missing:
            if subtree is structure or not subtree.children:
                continue
            if all_are_slow or not subtree.children[1].is_leaf:
                n_products += (self.n_examples - subtree.n_leaves) ** 2 // 2

        n_tables = len(self._tables) + len(missing) + _WORKING_TABLES
        return n_products, self.n_examples * n_tables

    def _all(self, m: Examples) -> Table:
        return Logs(m * self.log_classes)

    def _at_leaf(self, n_sizes: int) -> Table:
        # The values for "patterns" fit tables that begin with 0 examples, as those of
        # leaves do. All other tables overwrite them.
        if self.form == "patterns":
            return Logs(np.log(np.arange(1, n_sizes + 1)))
        return Logs(np.full(n_sizes, self.log_classes))

    def loose_terms(self, excess: int) -> tuple[float, Join]:
        """The loose bound of a leaf, and the function that gives that of a node, for an
        excess of examples.

        The function takes the bounds of the two subtrees, in nats, the leaves below the
        node, and whether the subtrees are equal. All cuts have the same bounds on their
        sides, so there is one product.
        """
        n = self.n_classes
        n_cuts = 2 * self.n_real * excess

        # In both pairs, the second number is for symmetric nodes. The constants are
        # n - n w / 2^d, divided by w / 2^d.
        factors = math.log(n_cuts), math.log(n_cuts / 2)
        constants = n * (1 / n_cuts - 1), n * (2 / n_cuts - 1)

        # Tested here, since a call takes as long as the rest.
        below_caps = excess * math.log(2)

        def join(x: float, y: float, n_leaves: int, symmetric: bool) -> float:
            """The loose bound of a node, in nats, from those of its two subtrees."""
            total = x + y
            remainder = math.log1p(constants[symmetric] * math.exp(-total))
            value = factors[symmetric] + total + remainder
            if value <= below_caps:
                return value
            return self.capped(value, n_leaves, n_leaves + excess)

        return self.log_classes, join

    def _over_cuts(
        self,
        x: Table,
        y: Table,
        first_x: int,
        first_y: int,
        m: Examples,
        half: bool = False,
    ) -> Table:
        """Sums over all k with enough examples on both sides.

        With ``half``, k is at least m/2, and the term of k = m/2 counts half. The
        numbers m are consecutive.
        """
        sums = np.full(len(m), -np.inf)
        if not len(m):
            return Logs(sums)

        few = _few_examples(self.n_real)
        cuts = _Cuts(x.logs, y.logs, int(m[0]), int(m[-1]), half)
        # The first k of each side for which w_k = 2 l, whatever the other side has.
        low = max(few, first_x)
        high = max(few, first_y)

        self._add_middle(sums, cuts, low, high)
        for k in range(first_x, min(few, cuts.last - first_y + 1)):
            self._add_small_left(sums, cuts, k, first_y)
        for j in range(first_y, min(few, cuts.last - low + 1)):
            self._add_small_right(sums, cuts, j, low)
        return Logs(sums)

    def _add_middle(
        self, sums: NDArray[np.float64], cuts: _Cuts, low: int, high: int
    ) -> None:
        """Add the terms with ``w_k = 2 l``: at least ``low`` examples on the left side
        and ``high`` on the right one.
        """
        fewest = low + high
        begin = max(cuts.first, fewest)
        if begin > cuts.last:
            return

        products = log_convolution(
            cuts.x[low:],
            cuts.y[high:],
            begin - fewest,
            cuts.last + 1 - fewest,
            cuts.half,
        )
        # Nothing has been added to these sums before.
        sums[begin - cuts.first :] = math.log(2 * self.n_real) + products

    def _add_small_left(
        self, sums: NDArray[np.float64], cuts: _Cuts, k: int, first_y: int
    ) -> None:
        """Add the terms with k examples on the left side."""
        begin = max(cuts.first, k + first_y)
        end = min(cuts.last, 2 * k) if cuts.half else cuts.last
        if begin > end:
            return

        right_side = cuts.y[begin - k : end - k + 1]
        terms = self._few_cuts(k)[begin : end + 1] + cuts.x[k] + right_side
        if cuts.half and end == 2 * k:
            terms[-1] -= math.log(2)

        here = sums[begin - cuts.first : end - cuts.first + 1]
        np.logaddexp(here, terms, out=here)

    def _add_small_right(
        self, sums: NDArray[np.float64], cuts: _Cuts, j: int, low: int
    ) -> None:
        """Add the terms with j examples on the right side, and more on the left one."""
        begin = max(cuts.first, low + j)
        left_side = cuts.x[begin - j : cuts.last - j + 1]
        terms = self._few_cuts(j)[begin : cuts.last + 1] + left_side + cuts.y[j]

        here = sums[begin - cuts.first :]
        np.logaddexp(here, terms, out=here)

    def _few_cuts(self, k: int) -> NDArray[np.float64]:
        """Logarithms of ``w_k`` for 0, 1, ... examples, kept because every node needs
        them for small k.
        """
        if k not in self._log_cuts:
            self._log_cuts[k] = self._cuts(np.arange(self.n_examples + 1), k).logs
        return self._log_cuts[k]

    def _cuts(self, m: Examples, k: int) -> Table:
        most = 2 * self.n_real
        cuts = np.full(len(m), math.log(most))

        # From 2 l examples on, there are at least 2 l sets of k.
        fewer = m < most
        # Fewer than k examples have no set of k, and its logarithm is -inf.
        with np.errstate(divide="ignore"):
            cuts[fewer] = np.log(np.minimum(binom(m[fewer], k), float(most)))
        return Logs(cuts)

    def _best_splits(self, x: Table, y: Table, m: Examples, smallest: int) -> Table:
        in_x = x.logs
        in_y = y.logs
        best = np.full(len(m), math.log(2 * self.n_classes))
        for k in range(smallest, int(m[-1]) // 2 + 1):
            start = max(2 * k - int(m[0]), 0)
            remaining = m[start:] - k
            totals = np.logaddexp(in_x[k] + in_y[remaining], in_x[remaining] + in_y[k])
            best[start:] = np.maximum(best[start:], totals)
        return Logs(best)

    def _capped(self, bounds: Table, L: int, first: int) -> Table:
        m = np.arange(first, first + len(bounds.logs))
        if self.n_classes > L and self.form != "patterns":
            return smaller(bounds, Logs(self._few_classes(L)[m]))
        return smaller(bounds, self._all(m))

    def capped(self, value: float, n_leaves: int, m: int) -> float:
        """A value for m examples, capped by the number of labelings with no more
        classes than leaves.
        """
        # Two classes have 2^m labelings, and a leaf's value equals its cap.
        if value <= m * math.log(2):
            return value
        if n_leaves >= self.n_classes:
            return min(value, m * self.log_classes)
        return min(value, float(self._few_classes(n_leaves)[m]))

    def _few_classes(self, n_leaves: int) -> NDArray[np.float64]:
        """Logarithms of the labelings with no more classes than leaves, for 0, 1, ...
        examples.
        """
        if n_leaves not in self._log_labelings:
            self._extend_stirling(n_leaves)
            logs = [
                row + math.log(math.perm(self.n_classes, c))
                for c, row in enumerate(self._log_stirling[: n_leaves + 1])
            ]
            self._log_labelings[n_leaves] = np.logaddexp.reduce(logs)
        return self._log_labelings[n_leaves]

    def _extend_stirling(self, n_parts: int) -> None:
        """Compute ``ln S(m, c)`` for up to c parts, if it is not there yet."""
        if not self._log_stirling:
            no_parts = np.full(self.n_examples + 1, -np.inf)
            no_parts[0] = 0.0
            self._log_stirling.append(no_parts)

        for c in range(len(self._log_stirling), n_parts + 1):
            # S(m, c) = sum_i c^(m - 1 - i) S(i, c - 1)
            powers = np.arange(self.n_examples + 1) * math.log(c)
            sums = np.logaddexp.accumulate(self._log_stirling[-1][:-1] - powers[1:])
            self._log_stirling.append(np.append(-np.inf, sums + powers[1:]))


class _Cuts(NamedTuple):
    """The tables of the two sides of a cut, as logarithms, the numbers of examples of
    the sums, and whether only half of the cuts count.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    first: int
    last: int
    half: bool


@cache
def _few_examples(l: int) -> int:
    """The smallest c such that ``w_k = 2 l`` whenever both sides of a cut have at least
    c examples.
    """
    return next(c for c in count(1) if comb(2 * c, c) >= 2 * l)
