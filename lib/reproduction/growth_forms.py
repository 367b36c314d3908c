"""Forms of the growth bounds that only the documents need: printed, corrected, or
replaced by smaller ones.

All are upper bounds for real-valued features, in exact integers. Their logarithms are
those of the integers, so they cannot overflow.
"""

from __future__ import annotations

from math import comb

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
    "catalan_growth_bound",
    "closed_2020_growth_bound",
    "corrected_loose_growth_bound",
    "corrected_loose_partitioning_bound",
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


def corrected_loose_partitioning_bound(
    tree: TreeLike, n_parts: int, n_examples: int, n_features: int | None = None
) -> int:
    """The loose form with the right number of terms, on the number of partitions.

    >>> from reproduction.growth_forms import corrected_loose_partitioning_bound
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> corrected_loose_partitioning_bound(stump, 2, n_examples=10, n_features=1)
    9

    Parameters
    ----------
    tree, n_parts, n_examples, n_features
        See :func:`treebounds.capacity.partitioning_function_bound`.

    Returns
    -------
    int
        See :func:`corrected_loose_growth_bound`. 0 for more parts than leaves.
    """
    structure, l = check_real_tree(tree, n_features)
    c = check_integer(n_parts, "n_parts")
    m = check_integer(n_examples, "n_examples")
    if c > min(structure.n_leaves, m):
        return 0
    if m <= structure.n_leaves:
        return stirling(m, c)
    return _corrected_partitions(structure, m, l, c)[c - 1]


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


def catalan_growth_bound(
    n_leaves: int, n_examples: int, n_features: int, n_classes: int = 2
) -> int:
    """The sum of the closed bounds of all structures with L leaves:
    ``n^L l^N Catalan(N) C(m - 1, N)``.

    >>> from reproduction.growth_forms import catalan_growth_bound
    >>> catalan_growth_bound(n_leaves=3, n_examples=20, n_features=2)
    10944

    Parameters
    ----------
    n_leaves, n_examples, n_features, n_classes : int
        L = N + 1, m, l and n; at least 1. The features are real-valued.

    Returns
    -------
    int
        ``n^m`` for m < L, since trees can then realize every labeling. Otherwise not
        capped by ``n^m``.
    """
    N = check_integer(n_leaves, "n_leaves") - 1
    m = check_integer(n_examples, "n_examples")
    l = check_integer(n_features, "n_features")
    n = check_integer(n_classes, "n_classes")
    if m <= N or n == 1:
        return n**m

    catalan = comb(2 * N, N) // (N + 1)
    return n ** (N + 1) * l**N * catalan * comb(m - 1, N)
