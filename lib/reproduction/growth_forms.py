"""Forms of the growth bounds that only the documents need: printed, corrected, or
replaced by smaller ones.

All are upper bounds for real-valued features, in exact integers. Their logarithms are
those of the integers, so they cannot overflow.
"""

from __future__ import annotations

from treebounds._validation import check_integer
from treebounds.capacity._labelings import (
    capped_bound,
    growth_of,
    partitions_of,
    stirling,
)
from treebounds.capacity._trees import TreeLike, check_real_tree
from treebounds.capacity.closed import closed_2020
from treebounds.structure import TreeStructure

__all__ = [
    "closed_2020_growth_bound",
    "corrected_loose_growth_bound",
]


def corrected_loose_growth_bound(
    tree: TreeLike, n_examples: int, n_features: int | None = None, n_classes: int = 2
) -> int:
    """The loose form of section 6.2 of Leboeuf et al. (2020) with the right number of
    terms, on the number of labelings.

    >>> from reproduction.growth_forms import corrected_loose_growth_bound
    >>> from treebounds import TreeStructure, growth_function_bound
    >>> stump = TreeStructure.from_nested([None, None])
    >>> corrected_loose_growth_bound(stump, n_examples=10, n_features=1)
    20
    >>> growth_function_bound(stump, 10, 1, form="loose")
    18

    Parameters
    ----------
    tree, n_examples, n_features, n_classes
        See :func:`treebounds.growth_function_bound`.

    Returns
    -------
    int
        At each node, the recursion of Theorem 9 with an upper bound of its terms times
        their number: m - L + 1 for m examples and L leaves, where the paper prints
        m - L. Capped by ``S(m, c)`` for c parts at every node; ``n^m`` for m <= L.
    """
    structure, l = check_real_tree(tree, n_features)
    m = check_integer(n_examples, "n_examples")
    n = check_integer(n_classes, "n_classes")
    if n == 1 or m <= structure.n_leaves:
        return n**m

    n_parts = min(n, structure.n_leaves)
    return growth_of(_corrected_partitions(structure, m, l, n_parts), n)


def _corrected_partitions(
    structure: TreeStructure, m: int, l: int, n_parts: int
) -> list[int]:
    """Bounds on the partitions of m > L examples into 1, ..., n_parts parts."""
    # Every subtree has the same excess of examples over leaves, so all nodes have the
    # same number of cuts.
    excess = m - structure.n_leaves
    n_cuts = 2 * l * (excess + 1)

    partitions: dict[TreeStructure, list[int]] = {}
    for subtree in structure.subtrees():
        counts = [1] + [0] * (n_parts - 1)
        if subtree.children:
            left, right = subtree.children
            counts = _joined(partitions[left], partitions[right], n_cuts)
            if left is right:
                counts = [count // 2 for count in counts]
            counts[0] = 1

        # A tree cannot make more parts than it has leaves.
        size = subtree.n_leaves + excess
        possible = enumerate(counts[: subtree.n_leaves], 1)
        capped = [_capped(count, size, c) for c, count in possible]
        partitions[subtree] = capped + [0] * (n_parts - len(capped))
    return partitions[structure]


def _capped(count: int, m: int, c: int) -> int:
    """A number of partitions of m examples into c parts, at most all of them."""
    # For c > 1 there are at least c^(m - c), and their number can have many digits.
    if c > 1 and count.bit_length() <= m - c:
        return count
    return min(count, stirling(m, c))


def _joined(left: list[int], right: list[int], n_cuts: int) -> list[int]:
    """The number of cuts times the pairs of partitions that a cut joins.

    A labeling of all examples by n classes is a pair of labelings of the two sides, so
    the numbers of labelings are multiplied.
    """
    classes = range(1, len(left) + 1)
    labelings = [n_cuts * growth_of(left, n) * growth_of(right, n) for n in classes]
    return partitions_of(labelings)


def closed_2020_growth_bound(
    tree: TreeLike, n_examples: int, n_features: int | None = None, n_classes: int = 2
) -> int:
    """The closed form with labels: ``n^L (2 l)^N C(m - 1, N) / 2^s``, never below
    Theorem 9 of Leboeuf et al. (2020).

    >>> from reproduction.growth_forms import closed_2020_growth_bound
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> closed_2020_growth_bound(stump, n_examples=10, n_features=1)
    36

    Parameters
    ----------
    tree, n_examples, n_features, n_classes
        See :func:`treebounds.growth_function_bound`.

    Returns
    -------
    int
        For L leaves, N = L - 1 internal nodes, s of them with equal subtrees, l
        features, m examples and n classes. Capped by the number of labelings with no
        more than L classes; ``n^m`` for m <= L.
    """
    structure, l = check_real_tree(tree, n_features)
    m = check_integer(n_examples, "n_examples")
    n = check_integer(n_classes, "n_classes")
    if n == 1 or m <= structure.n_leaves:
        return n**m

    N = structure.n_internal_nodes
    bound = closed_2020(N, structure.n_symmetric_nodes, m, l, n)
    return capped_bound(bound, m, n, structure.n_leaves)
