"""Logarithms of growth function bounds, in floating point: no overflow, any number of
classes.
"""

from __future__ import annotations

import math

from treebounds._validation import check_integer
from treebounds.capacity._recursion import Join, LogRecursion
from treebounds.capacity._trees import check_structure
from treebounds.capacity.closed import log_closed_2020, log_closed_sharp
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.growth import check_form, growth_function_bound
from treebounds.structure import TreeStructure

# Up to these sizes, with more than two classes, the caps on numbers of partitions into
# c parts can matter by more than 5 %. Only the recursion in integers has them.
_FEW_LEAVES, FEW_EXAMPLES = 10, 56


def log_growth_function_bound(
    structure: TreeStructure,
    n_examples: int,
    n_features: int | FeatureKinds,
    n_classes: int = 2,
    form: str = "sharp",
) -> float:
    """The natural logarithm of :func:`growth_function_bound`, for trees and samples of
    any size.

    Parameters
    ----------
    structure, n_examples, n_features, n_classes, form
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
    4 s for a chain of 10 nodes and m = 10^6. The loose and closed forms take ``O(L)``
    for L leaves; the closed ones take at most a millisecond for 10^5 leaves.

    Examples
    --------
    >>> from treebounds import TreeStructure, log_growth_function_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> round(
    ...     log_growth_function_bound(
    ...         chain, n_examples=1000, n_features=10, n_classes=5
    ...     ),
    ...     3,
    ... )
    22.8
    """
    return LogGrowth(n_examples, n_features, n_classes, form)(structure)


class LogGrowth:
    """Logarithms of growth function bounds of many structures on one sample.

    The object keeps the values of structures. For "sharp" and "tight" it also keeps the
    tables of subtrees: after a node is pruned, only the tables on the path from this
    node to the root have to be computed.

    Parameters
    ----------
    n_examples, n_features, n_classes, form
        See :func:`growth_function_bound`.

    Examples
    --------
    >>> from treebounds import TreeStructure
    >>> from treebounds.capacity.log_growth import LogGrowth
    >>> log_growth = LogGrowth(
    ...     n_examples=300, n_features=13, n_classes=3, form="loose-corrected"
    ... )
    >>> stump = TreeStructure.from_nested([None, None])
    >>> round(log_growth(TreeStructure(stump, stump)), 3), round(log_growth(stump), 3)
    (28.36, 10.057)
    """

    def __init__(
        self,
        n_examples: int,
        n_features: int | FeatureKinds,
        n_classes: int = 2,
        form: str = "sharp",
    ) -> None:
        self.n_examples = check_integer(n_examples, "n_examples")
        self.n_classes = check_integer(n_classes, "n_classes")
        self.form, self._kinds = form, check_form(form, n_features)
        self._recursion = LogRecursion(
            self.n_examples, self._kinds, self.n_classes, form
        )
        self._values: dict[TreeStructure, float] = {}

    def __call__(self, structure: TreeStructure) -> float:
        """The bound for one structure, in nats."""
        structure = check_structure(structure, self._kinds)
        m = self.n_examples
        if self.n_classes == 1 or (self._kinds.real and m <= structure.n_leaves):
            return m * self._recursion.log_classes
        if self.form.startswith("closed"):
            return self.closed(structure.n_leaves, structure.n_symmetric_nodes)
        if structure not in self._values:
            if (
                self.n_classes > 2
                and structure.n_leaves <= _FEW_LEAVES
                and m <= FEW_EXAMPLES
            ):
                exact = growth_function_bound(
                    structure, m, self._kinds, self.n_classes, self.form
                )
                self._values[structure] = math.log(exact)
            else:
                self._values[structure] = float(
                    self._recursion.table(structure, m, m)[0]
                )
        return self._values[structure]

    def closed(self, n_leaves: int, n_symmetric: int) -> float:
        """The closed forms for more examples than leaves, with their caps, in nats."""
        m, l, S, n = (
            self.n_examples,
            self._kinds.real,
            self._kinds.n_finite_splits,
            self.n_classes,
        )
        if self.form == "closed-2020":
            return self._recursion.capped(
                log_closed_2020(n_leaves - 1, n_symmetric, m, l, n), n_leaves, m
            )
        bound = min(
            log_closed_sharp(n_leaves - 1, m, l, S, n), m * self._recursion.log_classes
        )
        return (
            bound
            if S
            else min(bound, log_closed_2020(n_leaves - 1, n_symmetric, m, l, n))
        )

    def loose_terms(self, n_leaves: int) -> tuple[float, Join]:
        """See ``LogRecursion.loose_terms``; for the subtrees of trees with fewer leaves
        than examples.
        """
        return self._recursion.loose_terms(self.n_examples - n_leaves)
