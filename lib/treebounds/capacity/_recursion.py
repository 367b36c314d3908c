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

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.capacity._logs import concatenated, smaller
from treebounds.capacity.features import FeatureKinds
from treebounds.structure import TreeStructure

# "sharp" tries both subtrees as A up to this number of examples, and K = m up to this
# number L_B of leaves.
BOTH_WAYS = 256
_MOST_LEAVES_FOR_ALL = 64

# Consecutive numbers of examples.
Examples = NDArray[np.int64]
# A bound for each number of examples: Logs, or an array with a row for each number of
# classes.
Table = Any
Join = Callable[[Any, Any, int, bool], Any]


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
        few = m[m <= BOTH_WAYS]
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
        smallest = int(self.n_real > 0)
        best = self._best_splits(self._tables[left], self._tables[right], m, smallest)
        more = (best - 2 * self._n) * self.n_finite_splits
        return bounds + _halved(more, left is right)
