"""The recursion behind the bounds of single structures, in integers."""

from __future__ import annotations

from math import comb

import numpy as np

from treebounds.capacity._labelings import (
    capped_bound,
    growth_of,
    partitions_of,
    stirling,
)
from treebounds.capacity._recursion import (
    BOTH_WAYS,
    Examples,
    GrowthRecursion,
    Join,
    Table,
    joined,
)
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.stumps import distinct_cuts
from treebounds.structure import TreeStructure


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
            few = min(m, BOTH_WAYS) if self.form == "sharp" else 0
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
