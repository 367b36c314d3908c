"""The one recursion behind the bounds of single structures, in integers and in logarithms.

For a node with subtrees A and B let d = 1 if they are equal, else 0, and let w_k = min(2 l, C(m, k)) be the
number of sets of k examples that real-valued features can cut off. From the leaves up, with G = n at a leaf
and ``G(m) = n^m`` for m examples, no more than leaves:

"tight" (Theorem 9 of Leboeuf et al.): ``n + 2^-d sum_k w_k (G_A(k) G_B(m - k) - n)``, k from L_A to m - L_B.

"sharp": give as many examples as possible to A, say k of K at most. The labelings of A on these and the next
example, which would have another label there, number ``H(k) = min(G_A(k), (n - 1)/n G_A(k + 1))``. So

    K = m - L_B:  n + sum_(k < K) w_k (H(k) G_B(m - k) - n) + w_K (G_A(K) G_B(L_B) - n),
    K = m:        G_A(m) + sum_(k < m) w_k (H(k) G_B(m - k) - n),

k from L_A, and from m/2 if the subtrees are equal (the term of k = m/2 counts half). If A is a leaf, the
terms with H have no constant labeling to subtract. The smaller of the two, with the smaller subtree as A; for
few examples also the other way around.

The loose forms replace the sum of "tight" by a number of times its largest term. S splits on features with
finitely many values add ``2^-d S (G_A(k) G_B(m - k) + G_A(m - k) G_B(k) - 2 n)`` for the k that makes it
largest. Every value is capped by the labelings with at most as many classes as leaves.

"patterns" counts for regression trees which of m values are above given thresholds: ``R(m) = m + 1`` at a
leaf, ``R(1) = 2`` and ``R(m) = 2^-d sum_k w_k R_A(k) R_B(m - k)``, k from 1 to m - 1, capped by ``2^m``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import count, pairwise
from math import comb, factorial, perm
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.capacity._log_convolution import log_convolution
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.stumps import distinct_cuts
from treebounds.structure import TreeStructure

# Limits on the cost of the tables: some five minutes, and 2 GB for kept tables and those of one step.
_MOST_PRODUCTS, _MOST_NUMBERS, _WORKING_TABLES = 10**12, 2**28, 8
# "sharp" tries both orders up to this number of examples, and K = m beside this number of leaves
_BOTH_WAYS, _MOST_LEAVES_FOR_ALL = 256, 64

Table = Any  # a value for each number of examples: lists of integers for some numbers of classes, or an array


class GrowthRecursion:
    """The recursion without its arithmetic. Tables of subtrees are kept.

    Parameters
    ----------
    n_examples : int
    kinds : FeatureKinds
    n_classes : int
    form : {"tight", "sharp", "loose", "loose-corrected", "patterns"}
    """

    _constant: Callable[..., Table]  # n for every number of examples
    _tight: Callable[..., Table]  # the labelings by roots with a real-valued feature, in two forms
    _sharp: Callable[..., Table]
    _plus_finite: Callable[..., Table]  # with those by other roots
    _over_equal_cuts: Callable[..., Table]  # for the loose forms, by this number of cuts of one size
    _capped: Callable[..., Table]  # at most the labelings with no more classes than leaves

    def __init__(self, n_examples: int, kinds: FeatureKinds, n_classes: int, form: str) -> None:
        self.n_examples, self.n_classes, self.form = n_examples, n_classes, form
        self.n_real, self.n_finite_splits = kinds.real, kinds.n_finite_splits
        self.is_loose = form.startswith("loose")
        self._tables: dict[Any, Table] = {}  # of subtrees, from 0 examples on

    def table(self, structure: TreeStructure, first: int, last: int) -> Table:
        """Bounds for first, ..., last examples; the loose forms know one number at a time."""
        if self.is_loose:
            return self._loose_bound(structure, last - structure.n_leaves)
        sizes = self._most_examples(structure)
        for subtree in structure.subtrees()[:-1]:
            if subtree not in self._tables:
                self._tables[subtree] = self._bounds(subtree, 0, sizes[subtree])
        return self._bounds(structure, first, last)

    def _loose_bound(self, structure: TreeStructure, excess: int) -> Table:
        """The bound for an excess of examples over leaves; cached with this excess for every subtree."""
        n_cuts = 2 * self.n_real * (excess + (self.form == "loose-corrected"))
        pending = [] if (structure, excess) in self._tables else [structure]
        while pending:  # only subtrees that are new are visited
            subtree = pending[-1]
            new = [child for child in subtree.children if (child, excess) not in self._tables]
            pending += new
            if not new:
                bounds = self._constant(1)
                if not subtree.is_leaf:
                    x, y = (self._tables[child, excess] for child in subtree.children)
                    bounds = self._over_equal_cuts(x, y, n_cuts, subtree.left is subtree.right)
                self._tables[subtree, excess] = self._capped(bounds, subtree, subtree.n_leaves + excess)
                pending.pop()
        return self._tables[structure, excess]

    def _most_examples(self, structure: TreeStructure) -> dict[TreeStructure, int]:
        """Largest number of examples in the table of each subtree."""
        return dict.fromkeys(structure.subtrees(), self.n_examples)

    def _bounds(self, subtree: TreeStructure, first: int, last: int) -> Table:
        """The table of one node from those of its subtrees."""
        bounds = self._constant(last - first + 1)
        if not subtree.is_leaf:
            left, right = subtree.children
            if self.n_real:
                bounds = (self._sharp if self.form == "sharp" else self._tight)(left, right, first, last)
            if self.n_finite_splits:
                bounds = self._plus_finite(bounds, left, right, first)
        return self._capped(bounds, subtree, first)


class ExactRecursion(GrowthRecursion):
    """In integers: a table holds a list of bounds for each of some numbers of classes.

    Parameters
    ----------
    n_examples, kinds, n_classes, form
        See :class:`GrowthRecursion`. "tight" and the loose forms give bounds for 1, ..., n_classes classes,
        since they cap the numbers of partitions into 1, ..., n_classes parts; "sharp" for n_classes alone.
    """

    def __init__(self, n_examples: int, kinds: FeatureKinds, n_classes: int, form: str) -> None:
        super().__init__(n_examples, kinds, n_classes, form)
        self._classes = (n_classes,) if form == "sharp" else tuple(range(1, n_classes + 1))

    def _most_examples(self, structure: TreeStructure) -> dict[TreeStructure, int]:
        sizes = dict.fromkeys(structure.subtrees(), 0) | {structure: self.n_examples}
        for subtree in reversed(sizes):
            m = sizes[subtree]
            for child, other in zip(subtree.children, reversed(subtree.children), strict=True):
                # real-valued cuts leave the other side an example per leaf, unless one side gets all
                all_here = self.n_finite_splits or (self.form == "sharp" and child is subtree.right)
                least = 0 if all_here else other.n_leaves
                few = min(m, _BOTH_WAYS) if self.form == "sharp" else 0
                sizes[child] = max(sizes[child], m - least, few)
        return sizes

    def _constant(self, n_sizes: int) -> Table:
        return [[n] * n_sizes for n in self._classes]

    def _over_equal_cuts(self, x: Table, y: Table, n_cuts: int, symmetric: bool) -> Table:
        rows = zip(self._classes, x, y, strict=True)
        return [[joined(n_cuts * one * other, n_cuts, symmetric, n)] for n, (one,), (other,) in rows]

    def _tight(self, left: TreeStructure, right: TreeStructure, first: int, last: int) -> Table:
        bounds, (L, R) = [], (left.n_leaves, right.n_leaves)
        for n, x, y in zip(self._classes[: L + R], self._tables[left], self._tables[right], strict=False):
            row = [n**m for m in range(first, L + R + 1)]  # where every labeling is realized
            for m in range(max(first, L + R + 1), last + 1):
                cuts = distinct_cuts(m, self.n_real)[L : m - R + 1]
                both = map(mul, x[L : m - R + 1], reversed(y[R : m - L + 1]))
                row.append(joined(sum(map(mul, cuts, both)), sum(cuts), left is right, n))
            bounds.append(row)
        return bounds

    def _sharp(self, left: TreeStructure, right: TreeStructure, first: int, last: int) -> Table:
        (n,), L = self._classes, left.n_leaves + right.n_leaves
        row = [n**m for m in range(first, L + 1)]
        for m in range(max(first, L + 1), last + 1):
            bound = self._with_most_examples(right, left, m)
            if left is not right and m <= _BOTH_WAYS:
                bound = min(bound, self._with_most_examples(left, right, m))
            row.append(bound)
        return [row]

    def _with_most_examples(self, a: TreeStructure, b: TreeStructure, m: int) -> int:
        """The bound where the subtree a has as many of m examples as it can."""
        (n,), (x,), (y,) = self._classes, self._tables[a], self._tables[b]
        cuts, constant = distinct_cuts(m, self.n_real), 0 if a.is_leaf else n
        low = max(a.n_leaves, (m + 1) // 2) if a is b else a.n_leaves
        terms = [
            cuts[k] * (min(x[k], (n - 1) * (x[k + 1] // n)) * y[m - k] - constant) for k in range(low, m)
        ]
        if a is b and 2 * low == m:
            terms[0] //= 2
        most = m - b.n_leaves
        bound = n + sum(terms[: most - low]) + cuts[most] * (x[most] * y[b.n_leaves] - n)
        return min(bound, x[m] + sum(terms)) if b.n_leaves <= _MOST_LEAVES_FOR_ALL or a.is_leaf else bound

    def _plus_finite(self, bounds: Table, left: TreeStructure, right: TreeStructure, first: int) -> Table:
        (n,), (x,), (y,) = self._classes, self._tables[left], self._tables[right]
        halves = 2 if left is right else 1
        larger = []
        for m, bound in enumerate(bounds[0], first):
            sizes = range(self.n_real > 0, m // 2 + 1)
            largest = max((x[k] * y[m - k] + x[m - k] * y[k] for k in sizes), default=2 * n)
            larger.append(bound + self.n_finite_splits * max(largest - 2 * n, 0) // halves)
        return [larger]

    def _capped(self, bounds: Table, subtree: TreeStructure, first: int) -> Table:
        L = subtree.n_leaves
        if self.form == "sharp":
            return [[min(bound, labelings(m, self.n_classes, L)) for m, bound in enumerate(bounds[0], first)]]
        columns = []
        for m, values in enumerate(zip(*bounds[:L], strict=True), first):
            if m <= L:  # every labeling is realized
                columns.append([n**m for n in self._classes])
                continue
            partitions = [min(count, stirling(m, c)) for c, count in enumerate(partitions_of(values), 1)]
            columns.append([growth_of(partitions, n) for n in self._classes])
        return [list(row) for row in zip(*columns, strict=True)]


def joined(labelings_of_cuts: int, n_cuts: int, symmetric: bool, n: int) -> int:
    """Count each cut's labelings, but count the n constant ones, which every cut has, only once in all.

    In a symmetric tree each was counted twice, the halves exchanged; the division has no remainder.
    """
    return n + (labelings_of_cuts - n * n_cuts) // (2 if symmetric else 1)


@lru_cache(maxsize=1 << 16)
def stirling(m: int, c: int) -> int:
    """``S(m, c)``, the number of partitions of m examples into c parts.

    >>> from treebounds.capacity._recursion import stirling
    >>> [stirling(4, c) for c in range(6)]
    [0, 1, 7, 6, 1, 0]
    """
    return sum((-1) ** (c - j) * comb(c, j) * j**m for j in range(c + 1)) // factorial(c)


def growth_of(partitions: Sequence[int], n: int) -> int:
    """Labelings with n classes from the numbers of partitions into 1, 2, ... parts."""
    return sum(perm(n, c) * count for c, count in enumerate(partitions, 1))


def partitions_of(growth: Sequence[int]) -> list[int]:
    """Numbers of partitions into 1, 2, ... parts: the differences of the labelings with 1, 2, ... classes.

    >>> from treebounds.capacity._recursion import partitions_of
    >>> partitions_of([1, 4, 15])
    [1, 1, 1]
    """
    differences, partitions = [0, *growth], []
    for c in range(1, len(growth) + 1):
        differences = [b - a for a, b in pairwise(differences)]
        partitions.append(differences[0] // factorial(c))
    return partitions


@lru_cache(maxsize=1 << 14)
def labelings(m: int, n: int, n_parts: int) -> int:
    """The labelings of m examples that use at most a number of the n classes.

    >>> from treebounds.capacity._recursion import labelings
    >>> labelings(4, 3, 2), labelings(4, 3, 3)
    (45, 81)
    """
    return n**m if n_parts >= min(n, m) else growth_of([stirling(m, c) for c in range(1, n_parts + 1)], n)


class LogRecursion(GrowthRecursion):
    """In logarithms: a table is an array; the tables of a subtree serve every structure.

    Parameters
    ----------
    n_examples, kinds, n_classes, form
        See :class:`GrowthRecursion`; more than one class.
    """

    def __init__(self, n_examples: int, kinds: FeatureKinds, n_classes: int, form: str) -> None:
        super().__init__(n_examples, kinds, n_classes, form)
        self.log_classes = math.log(n_classes)
        self._log_stirling: list[NDArray[np.float64]] = []  # of 0, 1, ... parts, for 0, 1, ... examples
        self._log_labelings: dict[int, NDArray[np.float64]] = {}

    def table(self, structure: TreeStructure, first: int, last: int) -> NDArray[np.float64]:
        """See :meth:`GrowthRecursion.table`; a ValueError where it would take minutes or too much memory."""
        n_products, n_numbers = (0, 0) if self.is_loose else self.cost(structure)
        if n_products > _MOST_PRODUCTS or n_numbers > _MOST_NUMBERS:
            raise ValueError(
                f"n_examples={self.n_examples}: form={self.form!r} would take {n_products:.1e} products and "
                f"hold {n_numbers:.1e} numbers; form='closed' is a bound for any number of examples"
            )
        return super().table(structure, first, last)

    def cost(self, structure: TreeStructure) -> tuple[int, int]:
        """Multiplications that the tables below the root still need, and values that are then in memory."""
        missing = [subtree for subtree in structure.subtrees() if subtree not in self._tables]
        inner = [subtree for subtree in missing if subtree.children and subtree is not structure]
        # beside a leaf, which is the right child if any is one, sums over real-valued cuts are cumulative
        dear = [subtree for subtree in inner if self.n_finite_splits or not subtree.children[1].is_leaf]
        n_products = sum((self.n_examples - subtree.n_leaves) ** 2 // 2 for subtree in dear)
        return n_products, self.n_examples * (len(self._tables) + len(missing) + _WORKING_TABLES)

    def _constant(self, n_sizes: int) -> Table:
        # only a leaf's table begins with no example and stays as it is
        return (
            np.log(np.arange(1, n_sizes + 1))
            if self.form == "patterns"
            else np.full(n_sizes, self.log_classes)
        )

    def _over_equal_cuts(self, x: Table, y: Table, n_cuts: int, symmetric: bool) -> Table:
        (x,), (y,), log_cuts, log_classes = x, y, math.log(n_cuts), self.log_classes
        both = log_cuts + x + y  # single numbers: join_log_growth without arrays, ten times as fast
        others = both + math.log1p(-math.exp(log_classes + log_cuts - both)) - symmetric * math.log(2)
        return [others + math.log1p(math.exp(log_classes - others))]

    def _tight(self, left: TreeStructure, right: TreeStructure, first: int, last: int) -> Table:
        L, R = left.n_leaves, right.n_leaves
        x, y = self._tables[left], self._tables[right]
        if self.form == "patterns":
            m = np.arange(max(first, 2), last + 1)
            sums = self._over_cuts(x, y, 1, 1, m) - math.log(2) * (left is right)
            return np.concatenate([np.arange(first, 2) * math.log(2), sums])
        m = np.arange(max(first, L + R + 1), last + 1)
        labelings_of_cuts, log_cuts = self._over_cuts(x, y, L, R, m), self._log_cuts_in_all(L, R, m)
        bounds = join_log_growth(labelings_of_cuts, log_cuts, left is right, self.log_classes)
        return np.concatenate([np.arange(first, L + R + 1) * self.log_classes, bounds])

    def _sharp(self, left: TreeStructure, right: TreeStructure, first: int, last: int) -> Table:
        L = left.n_leaves + right.n_leaves
        m = np.arange(max(first, L + 1), last + 1)
        bounds = self._with_most_examples(right, left, m)
        few = m[m <= _BOTH_WAYS]
        if left is not right and len(few):
            other = self._with_most_examples(left, right, few)
            bounds[: len(few)] = np.minimum(bounds[: len(few)], other)
        return np.concatenate([np.arange(first, L + 1) * self.log_classes, bounds])

    def _with_most_examples(self, a: TreeStructure, b: TreeStructure, m: NDArray[np.int64]) -> Table:
        """The bounds where the subtree a has as many of m examples as it can."""
        x, y, L = self._tables[a], self._tables[b], b.n_leaves
        n, symmetric = self.log_classes, a is b
        other_label = np.minimum(x[:-1], x[1:] + math.log1p(-1 / self.n_classes))
        sums = self._over_cuts(other_label, y, a.n_leaves, L, m, symmetric)
        # the sums hold other_label in place of x at K = m - L
        if a.is_leaf:
            missing = _less(y[L], n)
        else:
            sums = _less(sums, n + self._log_cuts_in_all(a.n_leaves, L, m) - math.log(2) * symmetric)
            missing = _less(x[m - L], other_label[m - L]) + y[L]
        bounds = np.logaddexp(np.logaddexp(n, sums), self._log_cuts(m, L) + missing)
        if a.is_leaf:
            sums = self._over_cuts(other_label, y, 1, 1, m, symmetric)
        elif L > _MOST_LEAVES_FOR_ALL:
            return bounds
        else:
            for j in range(1, L):
                sums = np.logaddexp(sums, self._log_cuts(m, j) + _less(other_label[m - j] + y[j], n))
        return np.minimum(bounds, np.logaddexp(x[m], sums))

    def _over_cuts(
        self, x: Table, y: Table, first_x: int, first_y: int, m: NDArray[np.int64], half: bool = False
    ) -> Table:
        """Logarithms of sums of ``w_k exp(x_k + y_(m - k))`` over all k with enough examples on both sides.

        With ``half`` k is at least m/2, whose own term counts half. The numbers of examples m are successive.
        """
        few = _few_examples(self.n_real)
        low, high = max(few, first_x), max(few, first_y)
        sums = np.full(len(m), -np.inf)
        large = m >= low + high
        if large.any():  # where both sides can be cut off equally often
            first = int(m[large][0]) - low - high
            products = log_convolution(x[low:], y[high:], first, first + int(large.sum()), half)
            sums[large] = math.log(2 * self.n_real) + products
        most = int(m[-1]) if len(m) else 0
        for k in range(first_x, min(few, most - first_y + 1)):
            here = (m >= k + first_y) & ((m <= 2 * k) | (not half))
            value = self._log_cuts(m[here], k) + x[k] + y[m[here] - k]
            sums[here] = np.logaddexp(sums[here], value - math.log(2) * (half & (m[here] == 2 * k)))
        for j in range(first_y, min(few, most - low + 1)):
            here = m >= low + j
            sums[here] = np.logaddexp(sums[here], self._log_cuts(m[here], j) + x[m[here] - j] + y[j])
        return sums

    def _log_cuts_in_all(self, first_x: int, first_y: int, m: NDArray[np.int64]) -> NDArray[np.float64]:
        """Logarithms of the sums of ``w_k`` over the same k."""
        zeros = np.zeros(self.n_examples + 1)
        return self._over_cuts(zeros, zeros, first_x, first_y, m)

    def _log_cuts(self, m: NDArray[np.int64], k: int) -> NDArray[np.float64]:
        """Logarithms of ``w_k``, the number of sets of k of m examples that can be cut off."""
        table, size = _log_few_cuts(min(self.n_examples, 2 * self.n_real), self.n_real), np.minimum(k, m - k)
        cuts = np.full(len(m), math.log(2 * self.n_real))
        fewer = (m < len(table)) & (size < table.shape[1])
        cuts[fewer] = table[m[fewer], size[fewer]]
        return cuts

    def _plus_finite(self, bounds: Table, left: TreeStructure, right: TreeStructure, first: int) -> Table:
        x, y = self._tables[left], self._tables[right]
        largest = _largest_splits(x, y, first, len(bounds), int(self.n_real > 0))
        log_splits = math.log(self.n_finite_splits) - math.log(2) * (left is right)
        others = _less(np.maximum(largest, math.log(2) + self.log_classes), math.log(2) + self.log_classes)
        return np.logaddexp(bounds, log_splits + others)

    def _capped(self, bounds: Table, subtree: TreeStructure, first: int) -> Table:
        if self.is_loose:
            return [self.capped(float(bounds[0]), subtree.n_leaves, first)]
        m, L = np.arange(first, first + len(bounds)), subtree.n_leaves
        few = self.n_classes > L and self.form != "patterns"
        return np.minimum(bounds, self._few_classes(L)[m] if few else m * self.log_classes)

    def capped(self, value: float, n_leaves: int, m: int) -> float:
        """A value for m examples, capped by the number of labelings with at most that many leaves."""
        n = self.n_classes
        if n_leaves >= n:
            return min(value, m * self.log_classes)
        if value <= math.log(math.perm(n, n_leaves)) + (m - n_leaves) * math.log(n_leaves):
            return value  # S(m, L) alone is at least L^(m - L)
        return min(value, float(self._few_classes(n_leaves)[m]))

    def _few_classes(self, n_leaves: int) -> NDArray[np.float64]:
        """Logarithms of the labelings with no more classes than leaves, for 0, 1, ... examples."""
        if n_leaves not in self._log_labelings:
            if not self._log_stirling:
                self._log_stirling.append(np.append(0.0, np.full(self.n_examples, -np.inf)))
            for c in range(len(self._log_stirling), n_leaves + 1):
                # S(m, c) = sum_i c^(m - 1 - i) S(i, c - 1)
                powers = np.arange(self.n_examples + 1) * math.log(c)
                sums = np.logaddexp.accumulate(self._log_stirling[-1][:-1] - powers[1:])
                self._log_stirling.append(np.append(-np.inf, sums + powers[1:]))
            logs = [
                rows + math.log(math.perm(self.n_classes, c)) for c, rows in enumerate(self._log_stirling)
            ]
            self._log_labelings[n_leaves] = np.logaddexp.reduce(logs[: n_leaves + 1])
        return self._log_labelings[n_leaves]


def _less(log_a: Any, log_b: Any) -> Any:
    """The logarithm of ``a - b`` for a >= b."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return log_a + np.log1p(-np.exp(np.minimum(log_b - log_a, 0.0)))


def join_log_growth(log_labelings_of_cuts: Any, log_cuts: Any, symmetric: bool, log_classes: float) -> Any:
    """The logarithm of a node's growth bound, from its cuts and the labelings on both sides of each.

    ``G = n + (labelings_of_cuts - n cuts) / (2 if symmetric else 1)``: the n constant labelings, which every
    cut has, are counted once. For a loose form, ``cuts`` is ``2 l`` times the number of terms, and
    ``labelings_of_cuts`` is that times the bounds of the two subtrees. Floats or arrays of floats, in nats.

    >>> import math
    >>> from treebounds.capacity._recursion import join_log_growth
    >>> log_growth = join_log_growth(math.log(18 * 4), math.log(18), True, math.log(2))  # a stump, m = 10
    >>> round(float(math.exp(log_growth)), 9)
    20.0
    """
    others = _less(log_labelings_of_cuts, log_classes + log_cuts) - math.log(2) * symmetric
    return np.logaddexp(log_classes, others)


@cache
def _few_examples(l: int) -> int:
    """The smallest c such that 2 l sides can cut off every set of c or more of examples with as many left."""
    return next(c for c in count(1) if comb(2 * c, c) >= 2 * l)


@lru_cache(maxsize=32)
def _log_few_cuts(m_max: int, l: int) -> NDArray[np.float64]:
    """Logarithms of ``min(2 l, C(m, k))`` for m = 0..m_max and the k for which 2 l may be larger."""
    rows = [
        [math.log(max(1, min(2 * l, comb(m, k)))) for k in range(_few_examples(l))] for m in range(m_max + 1)
    ]
    return np.array(rows)


def _largest_splits(x: Table, y: Table, first: int, n_sizes: int, smallest: int) -> NDArray[np.float64]:
    """For m = first, ... the largest ``log(exp(x_k + y_(m-k)) + exp(x_(m-k) + y_k))`` over k >= smallest."""
    out, m = np.full(n_sizes, -np.inf), np.arange(first, first + n_sizes)
    for k in range(smallest, (first + n_sizes - 1) // 2 + 1):
        start = max(2 * k - first, 0)
        one, other = x[k] + y[m[start:] - k], x[m[start:] - k] + y[k]
        better = start + np.flatnonzero(np.maximum(one, other) + 0.7 > out[start:])  # ln 2 is less
        both = np.logaddexp(one[better - start], other[better - start])
        out[better] = np.maximum(out[better], both)
    return out
