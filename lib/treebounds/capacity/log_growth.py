"""Logarithms of growth function bounds, in floating point: no overflow, any number of
classes.
"""

from __future__ import annotations

import math

from treebounds._validation import check_instance, check_integer
from treebounds.capacity._log_recursion import LogRecursion
from treebounds.capacity._recursion import Join
from treebounds.capacity._trees import TreeLike, check_tree
from treebounds.capacity.closed import log_closed_2020, log_closed_sharp
from treebounds.capacity.features import FeatureKinds, check_features
from treebounds.capacity.growth import check_form, growth_function_bound
from treebounds.structure import TreeStructure

# Up to these sizes, with more than two classes, the caps on numbers of partitions into
# c parts can matter by more than 5 %. Only the recursion in integers has them.
FEW_EXAMPLES = 56
_FEW_LEAVES = 10


def log_growth_function_bound(
    tree: TreeLike,
    n_examples: int,
    n_features: int | FeatureKinds | None = None,
    n_classes: int = 2,
    *,
    form: str = "sharp",
) -> float:
    """The natural logarithm of :func:`growth_function_bound`, for trees and samples of
    any size.

    >>> from treebounds import TreeStructure, log_growth_function_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> nats = log_growth_function_bound(chain, 1000, n_features=10, n_classes=5)
    >>> round(nats, 3)
    22.8

    Parameters
    ----------
    tree, n_examples, n_features, n_classes, form
        See :func:`growth_function_bound`.

    Returns
    -------
    float
        In nats. Never below the logarithm of the integer (up to 1e-9), and equal to it
        for two classes. With more classes it is up to 5 % larger where the number of
        partitions into some parts is capped.

    Raises
    ------
    ValueError
        If an argument is outside its range, or if "sharp" or "tight" would take more
        than about five minutes or 2 GB. The other forms have no such limit.

    Notes
    -----
    "sharp" and "tight" take ``O(m)`` memory and ``O(m^2)`` time for each distinct
    subtree below the root. If one child is a leaf and all features are real-valued, the
    time is ``O(m)``. Examples: 0.1 s for 40 leaves and m = 8000, 4 s for 2,000 leaves,
    4 s for a chain of 10 nodes and m = 10^6. "loose" and "closed" take ``O(L)`` for L
    leaves; "closed" takes at most a millisecond for 10^5 leaves. The recursion and its
    source are those of :func:`growth_function_bound`.
    """
    structure, kinds = check_tree(tree, n_features)
    return LogGrowth(n_examples, kinds, n_classes, form=form)(structure)


class LogGrowth:
    """Logarithms of growth function bounds of many structures on one sample.

    The object keeps the values of structures. For "sharp" and "tight" it also keeps the
    tables of subtrees: after a node is pruned, only the tables on the path from this
    node to the root have to be computed.

    >>> from treebounds import TreeStructure
    >>> from treebounds.capacity.log_growth import LogGrowth
    >>> log_growth = LogGrowth(n_examples=300, n_features=13, n_classes=3, form="tight")
    >>> stump = TreeStructure.from_nested([None, None])
    >>> round(log_growth(TreeStructure(stump, stump)), 3), round(log_growth(stump), 3)
    (26.575, 10.057)

    Parameters
    ----------
    n_examples, n_features, n_classes, form
        See :func:`growth_function_bound`; ``n_features`` may not be omitted.
    """

    def __init__(
        self,
        n_examples: int,
        n_features: int | FeatureKinds,
        n_classes: int = 2,
        *,
        form: str = "sharp",
    ) -> None:
        self.n_examples = check_integer(n_examples, "n_examples")
        self.n_classes = check_integer(n_classes, "n_classes")
        self.form = form
        self._kinds = check_features(n_features)
        check_form(form, self._kinds)

        self._recursion = LogRecursion(
            self.n_examples, self._kinds, self.n_classes, form
        )
        self._values: dict[TreeStructure, float] = {}

    def __call__(self, structure: TreeStructure) -> float:
        """The bound for one structure, in nats."""
        check_instance(structure, "structure", TreeStructure)
        m = self.n_examples
        all_are_realized = self._kinds.real and m <= structure.n_leaves
        if self.n_classes == 1 or all_are_realized:
            return m * self._recursion.log_classes

        if self.form == "closed":
            return self.closed(structure.n_leaves, structure.n_symmetric_nodes)

        if structure not in self._values:
            self._values[structure] = self._by_recursion(structure)
        return self._values[structure]

    def _by_recursion(self, structure: TreeStructure) -> float:
        """The bound of a recursive form, by integers where their caps matter."""
        m = self.n_examples
        few = structure.n_leaves <= _FEW_LEAVES and m <= FEW_EXAMPLES
        if few and self.n_classes > 2:
            exact = growth_function_bound(
                structure, m, self._kinds, self.n_classes, form=self.form
            )
            return math.log(exact)
        return float(self._recursion.table(structure, m, m)[0])

    def closed(self, n_leaves: int, n_symmetric: int) -> float:
        """The closed form for more examples than leaves, in nats."""
        m = self.n_examples
        n = self.n_classes
        l = self._kinds.real
        S = self._kinds.n_finite_splits

        bound = log_closed_sharp(n_leaves - 1, m, l, S, n)
        if not S:
            by_leaves = log_closed_2020(n_leaves - 1, n_symmetric, m, l, n)
            bound = min(bound, by_leaves)
        return self._recursion.capped(bound, n_leaves, m)

    def loose_terms(self, n_leaves: int) -> tuple[float, Join]:
        """See ``LogRecursion.loose_terms``; for the subtrees of trees with fewer leaves
        than examples.
        """
        return self._recursion.loose_terms(self.n_examples - n_leaves)
