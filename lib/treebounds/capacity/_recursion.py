"""The recursion behind the bounds of single structures, in integers and in logarithms.

From the leaves up, it bounds the number G(m) of labelings of m examples with n classes
that each subtree realizes. A leaf has G(m) = n. If there are no more examples than
leaves, ``G(m) = n^m``. Otherwise consider a node with subtrees A and B, which have L_A
and L_B leaves and the bounds G_A and G_B. Let d = 1 if the subtrees are equal, else 0,
and let ``w_k = min(2 l, C(m, k))`` be the number of sets of k examples that thresholds
on l real-valued features can cut off. The forms of G(m) are as follows.

"tight" (Theorem 9 of Leboeuf et al.): ``n + 2^-d sum_k w_k (G_A(k) G_B(m - k) - n)``, k
from L_A to m - L_B.

"sharp": for each labeling, consider the cut that gives as many examples as possible to
A, namely k, but at most K. If k < K, then A does not give the next example its label,
so at most ``H(k) = min(G_A(k), (n - 1)/n G_A(k + 1))`` labelings of A are possible. For
two values of K this yields

    K = m - L_B:  n + sum_(k < K) w_k (H(k) G_B(m - k) - n) + w_K (G_A(K) G_B(L_B) - n),
    K = m:        G_A(m) + sum_(k < m) w_k (H(k) G_B(m - k) - n).

Here k starts at L_A. If the subtrees are equal, it starts at m/2, and the term of k =
m/2 counts half. If A is a leaf, the terms with H contain no constant labeling, so n is
not subtracted from them. "sharp" is the smaller of the two bounds, where A is the
smaller subtree. For few examples the code also tries the larger one as A.

"loose" replaces the sum of "tight" by an upper bound of its terms times m - L, one less
than their number. S splits on features with finitely many values add ``2^-d S (G_A(k)
G_B(m - k) + G_A(m - k) G_B(k) - 2 n)`` for the k that makes this largest. Every value
is capped by the number of labelings that have no more classes than there are leaves.

"patterns" is for regression trees. It bounds the number R(m) of ways in which the
values of m examples can be above or below given thresholds: ``R(m) = m + 1`` at a leaf,
``R(1) = 2``, and otherwise ``R(m) = 2^-d sum_k w_k R_A(k) R_B(m - k)``, k from 1 to m -
1, capped by ``2^m``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import count, pairwise
from math import comb, factorial, perm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import binom

from treebounds.capacity._log_convolution import log_convolution
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.stumps import distinct_cuts
from treebounds.structure import TreeStructure

# Limits on the cost of the tables: about five minutes, and 2 GB for the tables that are
# kept and for those of one step.
_MOST_PRODUCTS = 10**12
_MOST_NUMBERS = 2**28
_WORKING_TABLES = 8
# "sharp" tries both subtrees as A up to this number of examples, and K = m up to this
# number L_B of leaves.
_BOTH_WAYS = 256
_MOST_LEAVES_FOR_ALL = 64

Examples = NDArray[np.int64]  # consecutive numbers of examples
# A bound for each number of examples: Logs, or an array with a row for each number of
# classes.
Table = Any
Join = Callable[[Any, Any, int, bool], Any]


class Logs:
    """Nonnegative numbers stored as logarithms; they can be added, subtracted,
    multiplied and divided.

    >>> import math
    >>> from treebounds.capacity._recursion import Logs
    >>> round(math.exp((3 + Logs(math.log(4.0)) * 5 - 2).logs), 9)
    21.0
    """

    def __init__(self, logs: Any) -> None:
        self.logs = logs

    def __getitem__(self, places: Any) -> Logs:
        return Logs(self.logs[places])

    def __add__(self, other: Any) -> Logs:
        return Logs(np.logaddexp(self.logs, logs_of(other)))

    def __sub__(self, other: Any) -> Logs:
        # Differences that are below 0 by rounding count as 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            log_share = np.minimum(logs_of(other) - self.logs, 0.0)
            return Logs(self.logs + np.log1p(-np.exp(log_share)))

    def __mul__(self, other: Any) -> Logs:
        return Logs(self.logs + logs_of(other))

    def __floordiv__(self, other: Any) -> Logs:
        return Logs(self.logs - logs_of(other))

    __radd__ = __add__
    __rmul__ = __mul__


def logs_of(numbers: Any) -> Any:
    """The logarithms of numbers, which may be stored as logarithms already."""
    return numbers.logs if isinstance(numbers, Logs) else math.log(numbers)


def smaller(a: Table, b: Table) -> Table:
    """The smaller of two numbers at each place."""
    if isinstance(a, Logs):
        return Logs(np.minimum(a.logs, logs_of(b)))
    return np.minimum(a, b)


def concatenated(a: Table, b: Table) -> Table:
    """The table for the examples of both tables; the first one has fewer."""
    if isinstance(a, Logs):
        return Logs(np.append(a.logs, b.logs))
    return np.append(a, b, axis=-1)


def joined(labelings_of_cuts: Any, n_cuts: Any, symmetric: bool, n: Any) -> Any:
    """Add up the labelings of all cuts, but count the n constant ones, which every cut
    has, only once.

    In a symmetric tree each labeling of a cut is counted twice, the second time with
    the two sides exchanged. The division by 2 has no remainder.
    """
    return n + _halved(labelings_of_cuts - n * n_cuts, symmetric)


def _halved(numbers: Any, symmetric: bool) -> Any:
    """Half of the numbers if a node's two subtrees are equal, else the numbers."""
    return numbers // 2 if symmetric else numbers


class GrowthRecursion:
    """The recursion for integers and for logarithms. It keeps the tables of subtrees.

    A subclass defines ``_n``, the number or numbers of classes; ``_all``, the numbers
    of all labelings; ``_at_leaf``, the table of a leaf; ``_cuts``, the numbers w_k;
    ``_over_cuts``, the sums of w_k x(k) y(m - k); ``_best_splits``, the largest x(k)
    y(m - k) + x(m - k) y(k), at least 2 n; ``_capped``, values capped by the number of
    labelings with no more classes than leaves; and ``loose_terms``, the loose bound of
    a leaf and the function that joins the bounds of two subtrees.

    Parameters
    ----------
    n_examples : int
    kinds : FeatureKinds
    n_classes : int
    form : {"tight", "sharp", "loose", "patterns"}
    """

    _n: Any
    _all: Callable[[Examples], Table]
    _at_leaf: Callable[[int], Table]
    _cuts: Callable[[Examples, int], Table]
    _over_cuts: Callable[..., Table]
    _best_splits: Callable[..., Table]
    _capped: Callable[[Table, int, int], Table]
    loose_terms: Callable[[int], tuple[Any, Join]]

    def __init__(
        self, n_examples: int, kinds: FeatureKinds, n_classes: int, form: str
    ) -> None:
        self.n_examples = n_examples
        self.n_classes = n_classes
        self.form = form
        self.n_real = kinds.real
        self.n_finite_splits = kinds.n_finite_splits
        # The tables of subtrees, which begin with 0 examples.
        self._tables: dict[TreeStructure, Table] = {}

    def table(self, structure: TreeStructure, first: int, last: int) -> Table:
        """Bounds for first, ..., last examples; "loose" gives only the bound for the
        last number.
        """
        if self.form == "loose":
            return self._loose_bound(structure, last - structure.n_leaves)

        sizes = self._most_examples(structure)
        for subtree in structure.subtrees()[:-1]:
            if subtree not in self._tables:
                self._tables[subtree] = self._bounds(subtree, 0, sizes[subtree])

        return self._bounds(structure, first, last)

    def _loose_bound(self, structure: TreeStructure, excess: int) -> Table:
        """The bound for an excess of examples over leaves, which every subtree has,
        too.
        """
        leaf, join = self.loose_terms(excess)
        leaf_structure, *subtrees = structure.subtrees()
        bounds = {leaf_structure: leaf}
        for subtree in subtrees:
            left, right = subtree.children
            bounds[subtree] = join(
                bounds[left], bounds[right], subtree.n_leaves, left is right
            )
        return bounds[structure]

    def _most_examples(self, structure: TreeStructure) -> dict[TreeStructure, int]:
        """Largest number of examples in the table of each subtree."""
        return dict.fromkeys(structure.subtrees(), self.n_examples)

    def _bounds(self, subtree: TreeStructure, first: int, last: int) -> Table:
        """The table of one node from those of its subtrees."""
        bounds = self._at_leaf(last - first + 1)

        if not subtree.is_leaf:
            left, right = subtree.children
            if self.n_real:
                bounds = self._by_real_cuts(subtree, first, last)
            if self.n_finite_splits:
                m = np.arange(first, last + 1)
                bounds = self._plus_finite(bounds, left, right, m)

        return self._capped(bounds, subtree.n_leaves, first)

    def _by_real_cuts(self, subtree: TreeStructure, first: int, last: int) -> Table:
        """The labelings by roots with a real-valued feature, by the form."""
        left, right = subtree.children
        # Up to this number of examples, every labeling is realized.
        most = 1 if self.form == "patterns" else subtree.n_leaves

        m = np.arange(max(first, most + 1), last + 1)
        recursion = self._sharp if self.form == "sharp" else self._tight
        return concatenated(
            self._all(np.arange(first, most + 1)), recursion(left, right, m)
        )

    def _tight(self, left: TreeStructure, right: TreeStructure, m: Examples) -> Table:
        """The labelings by roots with a real-valued feature, by Theorem 9."""
        x = self._tables[left]
        y = self._tables[right]
        if self.form == "patterns":
            return _halved(self._over_cuts(x, y, 1, 1, m), left is right)

        sums = self._over_cuts(x, y, left.n_leaves, right.n_leaves, m)
        n_cuts = self._n_cuts(left.n_leaves, right.n_leaves, m)
        return joined(sums, n_cuts, left is right, self._n)

    def _n_cuts(
        self, first_left: int, first_right: int, m: Examples, half: bool = False
    ) -> Table:
        """Sums of ``w_k`` over k."""
        ones = self._at_leaf(self.n_examples + 1) // self._n
        return self._over_cuts(ones, ones, first_left, first_right, m, half)

    def _sharp(self, left: TreeStructure, right: TreeStructure, m: Examples) -> Table:
        """The labelings by roots with a real-valued feature, by "sharp"."""
        bounds = self._with_most_examples(right, left, m)
        few = m[m <= _BOTH_WAYS]
        if left is right or not len(few):
            return bounds

        other_way = self._with_most_examples(left, right, few)
        fewer = smaller(bounds[..., : len(few)], other_way)
        return concatenated(fewer, bounds[..., len(few) :])

    def _with_most_examples(
        self, a: TreeStructure, b: TreeStructure, m: Examples
    ) -> Table:
        """The bounds of "sharp" with a as the subtree A, which gets as many examples as
        possible.
        """
        x = self._tables[a]
        n = self._n
        # H(k): the next example has a label that a does not give it.
        other_label = smaller(x[..., :-1], x[..., 1:] // n * (n - 1))

        if a.is_leaf:
            return self._with_most_at_leaf(other_label, b, m, a is b)

        y = self._tables[b]
        L = b.n_leaves
        sums = self._over_cuts(other_label, y, a.n_leaves, L, m, a is b)
        sums = sums - n * self._n_cuts(a.n_leaves, L, m, a is b)

        # At K = m - L, the sums contain H in place of G_A.
        missing = (x[..., m - L] - other_label[..., m - L]) * y[..., L]
        bounds = n + sums + self._cuts(m, L) * missing
        if L > _MOST_LEAVES_FOR_ALL:
            return bounds

        # The sums for K = m have a term more for each k from m - L + 1 on.
        for j in range(1, L):
            more = other_label[..., m - j] * y[..., j] - n
            sums = sums + self._cuts(m, j) * more
        return smaller(bounds, x[..., m] + sums)

    def _with_most_at_leaf(
        self, other_label: Table, b: TreeStructure, m: Examples, symmetric: bool
    ) -> Table:
        """The bounds of "sharp" with a leaf as the subtree A.

        The terms with H contain no constant labeling, so n is not subtracted.
        """
        y = self._tables[b]
        n = self._n
        L = b.n_leaves

        sums = self._over_cuts(other_label, y, 1, L, m, symmetric)
        bounds = n + sums + self._cuts(m, L) * (y[..., L] - n)

        sums = self._over_cuts(other_label, y, 1, 1, m, symmetric)
        return smaller(bounds, n + sums)

    def _plus_finite(
        self, bounds: Table, left: TreeStructure, right: TreeStructure, m: Examples
    ) -> Table:
        """The bounds plus the labelings by roots with a feature that has finitely many
        values.
        """
        # If the other cuts are real-valued, those with all examples on one side count
        # there.
        smallest = 1 if self.n_real else 0
        best = self._best_splits(self._tables[left], self._tables[right], m, smallest)
        more = (best - 2 * self._n) * self.n_finite_splits
        return bounds + _halved(more, left is right)


class ExactRecursion(GrowthRecursion):
    """The recursion in integers. A table has a row for each of some numbers of classes.

    Parameters
    ----------
    n_examples, kinds, n_classes, form
        See :class:`GrowthRecursion`. "tight" and "loose" give bounds for 1, ...,
        n_classes classes, since they cap the numbers of partitions into 1, ...,
        n_classes parts; "sharp" for n_classes alone.
    """

    def __init__(
        self, n_examples: int, kinds: FeatureKinds, n_classes: int, form: str
    ) -> None:
        super().__init__(n_examples, kinds, n_classes, form)
        classes = [n_classes] if form == "sharp" else range(1, n_classes + 1)
        self._n = np.array(classes, dtype=object)[:, np.newaxis]

    def _most_examples(self, structure: TreeStructure) -> dict[TreeStructure, int]:
        """No more examples than the root can leave to the subtree, since large integers
        are slow.
        """
        sizes = dict.fromkeys(structure.subtrees(), 0)
        sizes[structure] = self.n_examples

        for subtree in reversed(sizes):
            m = sizes[subtree]
            few = min(m, _BOTH_WAYS) if self.form == "sharp" else 0
            siblings = reversed(subtree.children)
            for child, sibling in zip(subtree.children, siblings, strict=True):
                most = m - self._least_beside(child, sibling, subtree)
                sizes[child] = max(sizes[child], most, few)
        return sizes

    def _least_beside(
        self, child: TreeStructure, sibling: TreeStructure, parent: TreeStructure
    ) -> int:
        """The fewest examples that a cut leaves to the other side."""
        if self.n_finite_splits:
            return 0

        # One side of "sharp" gets all; it is the smaller subtree.
        if self.form == "sharp" and child is parent.right:
            return 0
        return sibling.n_leaves

    def _all(self, m: Examples) -> Table:
        return self._n ** m.astype(object)

    def _at_leaf(self, n_sizes: int) -> Table:
        return np.repeat(self._n, n_sizes, axis=1)

    def _cuts(self, m: Examples, k: int) -> Table:
        cuts = [min(2 * self.n_real, comb(size, k)) for size in m.tolist()]
        return np.array(cuts, dtype=object)

    def _over_cuts(
        self,
        x: Table,
        y: Table,
        first_x: int,
        first_y: int,
        m: Examples,
        half: bool = False,
    ) -> Table:
        """Sums over all k with enough examples on both sides; for ``half`` see
        :class:`LogRecursion`.
        """
        sums = []
        for size in m.tolist():
            low = max(first_x, (size + 1) // 2) if half else first_x
            last = size - first_y

            cuts = distinct_cuts(size, self.n_real)[low : last + 1]
            other_side = y[:, first_y : size - low + 1][:, ::-1]
            terms = x[:, low : last + 1] * other_side
            terms *= np.array(cuts, dtype=object)

            if half and 2 * low == size:
                terms[:, 0] //= 2
            sums.append(terms.sum(axis=1))
        return np.array(sums, dtype=object).reshape(len(m), len(x)).T

    def _best_splits(self, x: Table, y: Table, m: Examples, smallest: int) -> Table:
        # "sharp" has one row, for its number of classes.
        in_x = x[0]
        in_y = y[0]
        best = []
        for size in m.tolist():
            largest = 2 * self.n_classes
            for k in range(smallest, size // 2 + 1):
                total = in_x[k] * in_y[size - k] + in_x[size - k] * in_y[k]
                largest = max(largest, total)
            best.append(largest)
        return np.array([best], dtype=object)

    def loose_terms(self, excess: int) -> tuple[Table, Join]:
        """See :meth:`LogRecursion.loose_terms`."""
        n_cuts = 2 * self.n_real * excess

        def join(x: Table, y: Table, n_leaves: int, symmetric: bool) -> Table:
            """The loose bound of a node from those of its two subtrees."""
            bounds = joined(n_cuts * x * y, n_cuts, symmetric, self._n)
            return self._capped(bounds, n_leaves, n_leaves + excess)

        return self._at_leaf(1), join

    def _capped(self, bounds: Table, L: int, first: int) -> Table:
        if self.form == "sharp":
            values = enumerate(bounds[0], first)
            row = [capped_bound(bound, m, self.n_classes, L) for m, bound in values]
            return np.array([row], dtype=object)

        # The numbers of partitions are capped; with few examples all are realized.
        capped = self._all(np.arange(first, first + bounds.shape[1]))
        for i in range(max(L + 1 - first, 0), bounds.shape[1]):
            parts = enumerate(partitions_of(bounds[:L, i]), 1)
            partitions = [min(count, stirling(first + i, c)) for c, count in parts]
            capped[:, i] = [growth_of(partitions, n) for n in self._n[:, 0]]
        return capped


@lru_cache(maxsize=1 << 16)
def stirling(m: int, c: int) -> int:
    """``S(m, c)``, the number of partitions of m examples into c parts.

    >>> from treebounds.capacity._recursion import stirling
    >>> [stirling(4, c) for c in range(6)]
    [0, 1, 7, 6, 1, 0]
    """
    onto = sum((-1) ** (c - j) * comb(c, j) * j**m for j in range(c + 1))
    return int(onto // factorial(c))


def growth_of(partitions: Sequence[int], n: int) -> int:
    """The number of labelings with n classes, from the numbers of partitions into 1, 2,
    ... parts.
    """
    return sum(perm(n, c) * count for c, count in enumerate(partitions, 1))


def partitions_of(growth: Sequence[int]) -> list[int]:
    """Numbers of partitions into 1, 2, ... parts, from the numbers of labelings with 1,
    2, ... classes.

    They are the differences of first, second, ... order, divided by 1!, 2!, ...

    >>> from treebounds.capacity._recursion import partitions_of
    >>> partitions_of([1, 4, 15])
    [1, 1, 1]
    """
    differences = [0, *growth]
    partitions = []
    for c in range(1, len(growth) + 1):
        differences = [b - a for a, b in pairwise(differences)]
        partitions.append(differences[0] // factorial(c))
    return partitions


@lru_cache(maxsize=1 << 14)
def labelings(m: int, n: int, n_parts: int) -> int:
    """The number of labelings of m examples with at most ``n_parts`` different ones of
    n classes.

    >>> from treebounds.capacity._recursion import labelings
    >>> labelings(4, 3, 2), labelings(4, 3, 3)
    (45, 81)
    """
    if n_parts >= min(n, m):
        return int(n**m)
    return growth_of([stirling(m, c) for c in range(1, n_parts + 1)], n)


def capped_bound(bound: int, m: int, n: int, n_parts: int) -> int:
    """A bound for several classes and parts, or for one part, capped by
    :func:`labelings`.

    >>> from treebounds.capacity._recursion import capped_bound
    >>> capped_bound(100, 4, 3, 2), capped_bound(100, 10**12, 3, 2)
    (45, 100)
    """
    # There are at least 2^m labelings. Their number takes hours to compute for 10^9
    # examples.
    if bound.bit_length() <= m:
        return bound
    return min(bound, labelings(m, n, n_parts))


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
        with np.errstate(divide="ignore"):  # fewer than k examples have no set of k
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
