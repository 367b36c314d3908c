"""The one recursion behind the growth bounds of single structures, in integers and in logarithms.

For a node with subtrees l and r let d = 1 if they are equal, else 0, and let w_k be the number of sets of k
examples that real-valued features can cut off. From the leaves up,

    G(m) = n + 2^-d sum_k w_k (G_l(k) G_r(m - k) - n),    k from L_l to m - L_r,

where G = n at a leaf and ``G(m) = n^m`` for m <= L. The loose forms replace the sum by a number of times its
largest term. For "sharp" a node with one leaf has the smaller of this and

    G(m) = n + (n - 1) sum_k w_k G_l(m - k),    k from 1 to m - 1,

and S splits on features with finitely many values add ``2^-d S (G_l(k) G_r(m - k) + G_l(m - k) G_r(k) -
2 n)`` for the k that makes it largest. Every value is capped by the labelings with at most L classes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from math import comb, factorial, perm
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._compiled import njit
from treebounds.capacity._log_convolution import log_convolution
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.stumps import distinct_cuts
from treebounds.structure import TreeStructure

# What the tables may cost: some five minutes, and 2 GB for what is kept and what one step works on.
_MOST_PRODUCTS, _MOST_NUMBERS, _WORKING_TABLES = 5 * 10**11, 2**28, 5

Table = Any  # a value for each number of examples: lists of integers for some numbers of classes, or an array


class GrowthRecursion(ABC):
    """The recursion without its arithmetic, which subclasses give. Tables of subtrees are kept.

    Parameters
    ----------
    n_examples : int
    kinds : FeatureKinds
    n_classes : int
    form : {"tight", "sharp", "loose", "loose-corrected"}
    """

    def __init__(self, n_examples: int, kinds: FeatureKinds, n_classes: int, form: str) -> None:
        self.n_examples, self.n_classes, self.form = n_examples, n_classes, form
        self.n_real, self.n_finite_splits = kinds.n_real, kinds.n_finite_splits
        self.is_loose = form.startswith("loose")
        self._tables: dict[Any, Table] = {}  # of subtrees, from 0 examples on

    def table(self, structure: TreeStructure, first: int, last: int) -> Table:
        """Bounds for first, ..., last examples; the loose forms know one number at a time."""
        if self.is_loose:
            return self._loose_bound(structure, last - structure.n_leaves)
        for subtree in structure.subtrees()[:-1]:
            if subtree not in self._tables:
                self._tables[subtree] = self._bounds(subtree, 0, self._most_examples(subtree, structure))
        return self._bounds(structure, first, last)

    def _loose_bound(self, structure: TreeStructure, excess: int) -> Table:
        """The bound for so many more examples than leaves; kept with this number for every subtree."""
        n_cuts = 2 * self.n_real * (excess + (self.form == "loose-corrected"))
        for subtree in structure.subtrees():
            if (subtree, excess) not in self._tables:
                bounds = self._constant(1)
                if not subtree.is_leaf:
                    x, y = (self._tables[child, excess] for child in subtree.children)
                    bounds = self._over_equal_cuts(x, y, n_cuts, subtree.left is subtree.right)
                self._tables[subtree, excess] = self._capped(bounds, subtree, subtree.n_leaves + excess)
        return self._tables[structure, excess]

    def _most_examples(self, subtree: TreeStructure, structure: TreeStructure) -> int:
        """Up to how many examples the table of a subtree goes."""
        # a real-valued cut leaves every other leaf an example, another split may leave none
        elsewhere = 0 if self.n_finite_splits else structure.n_leaves - subtree.n_leaves
        return self.n_examples - elsewhere

    def _bounds(self, subtree: TreeStructure, first: int, last: int) -> Table:
        """The table of one node from those of its subtrees."""
        bounds = self._constant(last - first + 1)
        if not subtree.is_leaf:
            left, right = subtree.children
            if self.n_real:
                bounds = self._over_cuts(left, right, first, last)
            if self.n_real and self.form == "sharp" and right.is_leaf and not left.is_leaf:
                bounds = self._beside_a_leaf(bounds, left, first)
            if self.n_finite_splits:
                bounds = self._plus_finite(bounds, left, right, first)
        return self._capped(bounds, subtree, first)

    @abstractmethod
    def _constant(self, n_sizes: int) -> Table:
        """n for every number of examples."""

    @abstractmethod
    def _over_equal_cuts(self, x: Table, y: Table, n_cuts: int, symmetric: bool) -> Table:
        """The constant labelings, and the others of so many cuts of one size."""

    @abstractmethod
    def _over_cuts(self, left: TreeStructure, right: TreeStructure, first: int, last: int) -> Table:
        """The constant labelings, and the others of every cut by a real-valued feature."""

    @abstractmethod
    def _beside_a_leaf(self, bounds: Table, left: TreeStructure, first: int) -> Table:
        """The smaller of these and those of a leaf, where the example after its own has another label."""

    @abstractmethod
    def _plus_finite(self, bounds: Table, left: TreeStructure, right: TreeStructure, first: int) -> Table:
        """What splits on features with finitely many values add."""

    @abstractmethod
    def _capped(self, bounds: Table, subtree: TreeStructure, first: int) -> Table:
        """At most the number of labelings with no more classes than leaves."""


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

    def _constant(self, n_sizes: int) -> Table:
        return [[n] * n_sizes for n in self._classes]

    def _over_equal_cuts(self, x: Table, y: Table, n_cuts: int, symmetric: bool) -> Table:
        rows = zip(self._classes, x, y, strict=True)
        return [[joined(n_cuts * one * other, n_cuts, symmetric, n)] for n, (one,), (other,) in rows]

    def _over_cuts(self, left: TreeStructure, right: TreeStructure, first: int, last: int) -> Table:
        bounds, (L, R) = [], (left.n_leaves, right.n_leaves)
        for n, x, y in zip(self._classes[: L + R], self._tables[left], self._tables[right], strict=False):
            row = [n**m for m in range(first, L + R + 1)]  # where every labeling is realized
            for m in range(max(first, L + R + 1), last + 1):
                cuts = distinct_cuts(m, self.n_real)[L : m - R + 1]
                both = map(mul, x[L : m - R + 1], reversed(y[R : m - L + 1]))
                row.append(joined(sum(map(mul, cuts, both)), sum(cuts), left is right, n))
            bounds.append(row)
        return bounds

    def _beside_a_leaf(self, bounds: Table, left: TreeStructure, first: int) -> Table:
        (n,), (x,) = self._classes, self._tables[left]
        sums = list(accumulate(x[1:], initial=0))  # over one example, two, ...
        smaller = []
        for m, bound in enumerate(bounds[0], first):
            total = 2 * self.n_real * sums[max(m - 1, 0)]
            for k in range(1, m):  # the sizes of which there are fewer sets, from both ends
                missing = 2 * self.n_real - comb(m, k)
                if missing <= 0 or 2 * k > m:
                    break
                total -= missing * (x[m - k] + (x[k] if 2 * k < m else 0))
            smaller.append(min(bound, n + (n - 1) * total))
        return [smaller]

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
    """Count each cut's labelings, but the n constant ones, which every cut has, only once in all.

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
    """In logarithms: a table is an array; what was found for a subtree serves every structure.

    Parameters
    ----------
    n_examples, kinds, n_classes, form
        See :class:`GrowthRecursion`; more than one class.
    """

    def __init__(self, n_examples: int, kinds: FeatureKinds, n_classes: int, form: str) -> None:
        super().__init__(n_examples, kinds, n_classes, form)
        self.log_classes = math.log(n_classes)
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
        """Multiplications that the tables below the root still take, and numbers that are then held."""
        missing = [subtree for subtree in structure.subtrees() if subtree not in self._tables]
        inner = [subtree for subtree in missing if subtree.children and subtree is not structure]
        # beside a leaf, which is the right child if any is one, sums over real-valued cuts are cumulative
        dear = [subtree for subtree in inner if self.n_finite_splits or not subtree.children[1].is_leaf]
        n_products = sum((self.n_examples - subtree.n_leaves) ** 2 // 2 for subtree in dear)
        return n_products, self.n_examples * (len(self._tables) + len(missing) + _WORKING_TABLES)

    def _most_examples(self, subtree: TreeStructure, structure: TreeStructure) -> int:
        return self.n_examples

    def _constant(self, n_sizes: int) -> Table:
        return np.full(n_sizes, self.log_classes)

    def _over_equal_cuts(self, x: Table, y: Table, n_cuts: int, symmetric: bool) -> Table:
        log_cuts = math.log(n_cuts)
        return join_log_growth(log_cuts + x + y, log_cuts, symmetric, self.log_classes)

    def _over_cuts(self, left: TreeStructure, right: TreeStructure, first: int, last: int) -> Table:
        L, R = left.n_leaves, right.n_leaves
        tables = self._tables[left][L:], self._tables[right][R:]
        extra = max(first - L - R, 1), last - L - R
        sides = _small_sides(self.n_examples, self.n_real)
        labelings_of_cuts, log_cuts = _sum_over_cuts(*tables, L, R, *extra, *sides)
        bounds = join_log_growth(labelings_of_cuts, log_cuts, left is right, self.log_classes)
        few = np.arange(first, L + R + 1)  # where every labeling is realized
        return np.concatenate([few * self.log_classes, bounds])

    def _beside_a_leaf(self, bounds: Table, left: TreeStructure, first: int) -> Table:
        x, few = self._tables[left][1:], max(2 - first, 0)
        sides = _small_sides(self.n_examples, self.n_real)
        extra = first + few - 2, first + len(bounds) - 3
        sums, _ = _sum_over_cuts(x, np.zeros_like(x), 1, 1, *extra, *sides)
        some = np.logaddexp(self.log_classes, math.log(self.n_classes - 1) + sums)
        return np.minimum(bounds, np.concatenate([self._constant(few), some]))

    def _plus_finite(self, bounds: Table, left: TreeStructure, right: TreeStructure, first: int) -> Table:
        x, y = self._tables[left], self._tables[right]
        largest = _largest_splits(x, y, first, len(bounds), int(self.n_real > 0))
        log_splits = math.log(self.n_finite_splits) - math.log(2) * (left is right)
        with np.errstate(divide="ignore"):  # constant labelings alone
            others = np.log1p(-np.exp(np.minimum(math.log(2) + self.log_classes - largest, 0.0)))
        return np.logaddexp(bounds, log_splits + largest + others)

    def _capped(self, bounds: Table, subtree: TreeStructure, first: int) -> Table:
        if self.is_loose:
            return np.array([self.capped(float(bounds[0]), subtree.n_leaves, first)])
        m, L = np.arange(first, first + len(bounds)), subtree.n_leaves
        return np.minimum(bounds, self._few_classes(L)[m] if self.n_classes > L else m * self.log_classes)

    def capped(self, value: float, n_leaves: int, m: int) -> float:
        """A value for m examples, at most the labelings with so few leaves."""
        n = self.n_classes
        if n_leaves >= n:
            return min(value, m * self.log_classes)
        if value <= math.log(math.perm(n, n_leaves)) + (m - n_leaves) * math.log(n_leaves):
            return value  # S(m, L) alone is at least L^(m - L)
        return min(value, float(self._few_classes(n_leaves)[m]))

    def _few_classes(self, n_leaves: int) -> NDArray[np.float64]:
        """Logarithms of the labelings with no more classes than leaves, for 0, 1, ... examples."""
        if n_leaves not in self._log_labelings:
            sizes = self.n_classes, n_leaves, self.n_examples
            self._log_labelings[n_leaves] = log_labelings_with_few_classes(*sizes)
        return self._log_labelings[n_leaves]


@njit(cache=True)
def join_log_growth(log_labelings_of_cuts, log_cuts, symmetric, log_classes):
    """The logarithm of a node's growth bound, from its cuts and the labelings on both sides of each.

    ``G = n + (labelings_of_cuts - n cuts) / (2 if symmetric else 1)``: the n constant labelings, which every
    cut has, are counted once. For a loose form, ``cuts`` is ``2 l`` times the number of terms, and
    ``labelings_of_cuts`` is that times the bounds of the two subtrees.

    Parameters
    ----------
    log_labelings_of_cuts, log_cuts : float or ndarray
    symmetric : bool
        Whether the two subtrees are equal.
    log_classes : float
        Positive: more than one class.

    Returns
    -------
    float or ndarray
        In nats, not capped. It may also be called in compiled code.

    Examples
    --------
    >>> import math
    >>> from treebounds.capacity._recursion import join_log_growth
    >>> log_growth = join_log_growth(math.log(18 * 4), math.log(18), True, math.log(2))  # a stump, m = 10
    >>> round(math.exp(log_growth), 9)
    20.0
    """
    others = log_labelings_of_cuts + np.log1p(-np.exp(log_classes + log_cuts - log_labelings_of_cuts))
    if symmetric:
        others = others - np.log(2.0)
    return others + np.log1p(np.exp(log_classes - others))


@lru_cache(maxsize=32)
def _small_sides(m_max: int, l: int) -> tuple[np.ndarray, np.ndarray]:
    """Of how many k-sets 2 l sides can cut off: where there are enough of them, and how many there are.

    For each m = 0..m_max the smallest k >= 1 with ``C(m, k) >= 2 l`` (m if there is none), and the logarithms
    of ``min(2 l, C(m, k))`` for the k that are smaller for some m, and for one more k. From m = 2 l on there
    are enough single examples, and nothing is smaller.
    """
    full_size = np.ones(m_max + 1, dtype=np.int64)
    smaller: list[list[float]] = []
    for m in range(min(m_max + 1, 2 * l)):
        sizes = range(1, m // 2 + 1)
        full_size[m] = next((k for k in sizes if math.comb(m, k) >= 2 * l), m)
        smaller.append([math.log(math.comb(m, k)) for k in range(min(full_size[m], m // 2 + 1))])
    log_sides = np.full((len(smaller), max(map(len, smaller)) + 1), math.log(2 * l))
    for m, logs in enumerate(smaller):
        log_sides[m, : len(logs)] = logs
    return full_size, log_sides


@njit(cache=True)
def _sum_over_cuts(x, y, n_left, n_right, first, last, full_size, log_sides):
    """Logarithms of sums over the cuts of L + e examples, e = first..last: of labelings on both sides; of 1.

    Sides with as many examples as full_size says are cut off equally often and make a convolution. The few
    others are added one by one.
    """
    labelings, cuts = np.full(last - first + 1, -np.inf), np.full(last - first + 1, -np.inf)
    start = first
    while start <= last:
        size = full_size[n_left + n_right + start]
        stop = start + 1
        while stop <= last and full_size[n_left + n_right + stop] == size:
            stop += 1
        few_left, few_right = max(0, size - n_left), max(0, size - n_right)
        start = max(start, few_left + few_right)
        if start < stop:
            low, high = start - few_left - few_right, stop - few_left - few_right
            sums = log_convolution(x[few_left:], y[few_right:], low, high, n_right == 1)
            labelings[start - first : stop - first] = log_sides[0, -1] + sums
            cuts[start - first : stop - first] = log_sides[0, -1] + np.log(np.arange(low + 1, high + 1))
        start = stop
    for e in range(first, last + 1):
        m = n_left + n_right + e
        few_left, few_right = max(0, full_size[m] - n_left), max(0, full_size[m] - n_right)
        last_left, first_right = min(few_left, e + 1), max(few_left, e + 1 - few_right)
        for special in (range(last_left), range(first_right, e + 1)):
            for i in special:
                log_sets = log_sides[m, min(n_left + i, n_right + e - i)]
                labelings[e - first] = np.logaddexp(labelings[e - first], log_sets + x[i] + y[e - i])
                cuts[e - first] = np.logaddexp(cuts[e - first], log_sets)
    return labelings, cuts


@njit(cache=True)
def log_labelings_with_few_classes(n, n_parts, m_max):
    """Logarithms of how many labelings of 0..m_max examples use at most n_parts of n classes, n_parts < n."""
    out = np.zeros(m_max + 1)
    # of labelings that use exactly c classes, over n_parts^m and exp(log_scale)
    counts = np.zeros(n_parts + 1)
    counts[0] = 1.0
    log_scale = 0.0
    for m in range(1, m_max + 1):
        for c in range(n_parts, 0, -1):
            counts[c] = (counts[c] * c + counts[c - 1] * (n - c + 1)) / n_parts
        counts[0] = 0.0
        total = counts.sum()
        if total > 1e100 or total < 1e-100:
            counts /= total
            log_scale += np.log(total)
            total = 1.0
        out[m] = np.log(total) + log_scale + m * np.log(n_parts)
    return out


@njit(cache=True)
def _largest_splits(x, y, first, n_sizes, smallest):
    """For m = first, ... the largest ``log(exp(x_k + y_(m-k)) + exp(x_(m-k) + y_k))`` over k >= smallest."""
    out = np.full(n_sizes, -np.inf)
    for m in range(first, first + n_sizes):
        best = -np.inf
        for k in range(smallest, m // 2 + 1):
            one, other = x[k] + y[m - k], x[m - k] + y[k]
            if max(one, other) + 0.7 > best:  # ln 2 is less
                best = max(best, np.logaddexp(one, other))
        out[m - first] = best
    return out
