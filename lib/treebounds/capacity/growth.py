"""Bounds on the number of partitions and labelings that a tree structure can realize, in exact integers.

``S(m, c)`` is the number of partitions of m examples into c parts. A structure with no more examples than
leaves realizes them all. Every bound here is at most that number at every node.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import comb, factorial, perm
from operator import mul

from treebounds._validation import check_instance, check_integer, check_option
from treebounds.capacity.stumps import distinct_cuts
from treebounds.structure import TreeStructure

__all__ = ["all_structures_growth_bound", "growth_function_bound", "partitioning_function_bound"]

RECURSIVE_FORMS = ("tight", "loose", "loose-corrected")
FORMS = (*RECURSIVE_FORMS, "closed")


def check_structure(structure: TreeStructure) -> TreeStructure:
    """The structure itself, or a ValueError that names the argument."""
    check_instance(structure, "structure", TreeStructure)
    return structure


def partitioning_function_bound(
    structure: TreeStructure, n_parts: int, n_examples: int, n_features: int, form: str = "tight"
) -> int:
    """An upper bound on how many partitions into a number of parts a tree structure realizes on a sample.

    Parameters
    ----------
    structure : TreeStructure
    n_parts, n_examples, n_features : int
        At least 1; the features are real-valued.
    form : {"tight", "loose", "loose-corrected"}
        "tight" is Theorem 9 of Leboeuf et al. "loose" is the faster one of their section 6.2 as printed,
        which is not always an upper bound: it has a factor m - L for a sum of m - L + 1 terms.
        "loose-corrected" has the factor m - L + 1.

    Returns
    -------
    int
        At most ``S(m, c)`` at every node. 1 for one part, 0 for more parts than leaves, ``S(m, c)`` when
        there are no more examples than leaves.

    Raises
    ------
    ValueError
        For a wrong argument.

    Notes
    -----
    With m examples, L leaves and c parts the tight form takes ``O(L (m - L)^2 min(c, L))`` multiplications of
    integers, the others ``O(L min(c, L))``. The sum over the parts of the two subtrees in Theorem 9 is a
    product of growth bounds (the book's chapter on growth functions), from which the parts are recovered.

    Examples
    --------
    >>> stump = TreeStructure.from_nested([None, None])
    >>> partitioning_function_bound(stump, n_parts=2, n_examples=10, n_features=1)
    9
    >>> partitioning_function_bound(stump, n_parts=2, n_examples=10, n_features=1, form="loose")
    8
    """
    check_structure(structure)
    c = check_integer(n_parts, "n_parts")
    m = check_integer(n_examples, "n_examples")
    n_features = check_integer(n_features, "n_features")
    check_option(form, "form", RECURSIVE_FORMS)
    if c > min(structure.n_leaves, m):
        return 0
    return _partitions(structure, c, m, n_features, form)[c - 1]


def growth_function_bound(
    structure: TreeStructure, n_examples: int, n_features: int, n_classes: int = 2, form: str = "tight"
) -> int:
    """An upper bound on how many labelings of a sample a tree structure realizes.

    Parameters
    ----------
    structure : TreeStructure
    n_examples, n_features, n_classes : int
        At least 1; the features are real-valued.
    form : {"tight", "loose", "loose-corrected", "closed"}
        See :func:`partitioning_function_bound`. "closed" is ``n^L (2 l)^N C(m - 1, N) / 2^s`` for L leaves, N
        internal nodes of which s are symmetric, m examples, l features and n classes.

    Returns
    -------
    int

    See Also
    --------
    log_growth_function_bound : its logarithm in floating point, for any size.

    Notes
    -----
    The sum of ``(n)_c`` times the bound for c parts, over c up to min(n, L) (Leboeuf et al., Equation 4).

    Examples
    --------
    >>> stump = TreeStructure.from_nested([None, None])
    >>> [growth_function_bound(stump, 10, 1, form=form) for form in ("tight", "loose-corrected", "closed")]
    [20, 20, 36]
    >>> growth_function_bound(stump, n_examples=10, n_features=1, n_classes=3)
    57
    """
    check_structure(structure)
    m = check_integer(n_examples, "n_examples")
    n_features = check_integer(n_features, "n_features")
    n = check_integer(n_classes, "n_classes")
    check_option(form, "form", FORMS)
    parts = min(n, structure.n_leaves, m)
    if form == "closed" and m > structure.n_leaves:
        return min(_closed(structure, m, n_features, n), labelings(m, n, parts))
    partitions = _partitions(structure, parts, m, n_features, "tight" if form == "closed" else form)
    return growth_of(partitions, n)


def all_structures_growth_bound(n_leaves: int, n_examples: int, n_features: int, n_classes: int = 2) -> int:
    """An upper bound on how many labelings of a sample all trees with a number of leaves realize together.

    Parameters
    ----------
    n_leaves, n_examples, n_features, n_classes : int
        At least 1; the features are real-valued.

    Returns
    -------
    int
        ``n^L l^N Catalan(N) C(m - 1, N)`` with N = L - 1 internal nodes, the sum of the closed bounds of all
        structures with L leaves, not capped. For m < L, where every labeling is realized, ``n^m``.

    Examples
    --------
    >>> all_structures_growth_bound(n_leaves=3, n_examples=20, n_features=2)
    10944
    """
    n_leaves = check_integer(n_leaves, "n_leaves")
    m = check_integer(n_examples, "n_examples")
    l = check_integer(n_features, "n_features")
    n = check_integer(n_classes, "n_classes")
    if m < n_leaves:
        return n**m
    N = n_leaves - 1
    return n**n_leaves * l**N * comb(2 * N, N) // n_leaves * comb(m - 1, N)


@lru_cache(maxsize=1 << 16)
def stirling(m: int, c: int) -> int:
    """``S(m, c)``, the number of partitions of m examples into c parts.

    >>> [stirling(4, c) for c in range(6)]
    [0, 1, 7, 6, 1, 0]
    """
    return sum((-1) ** (c - j) * comb(c, j) * j**m for j in range(c + 1)) // factorial(c)


def growth_of(partitions: Sequence[int], n: int) -> int:
    """Labelings with n classes from the numbers of partitions into 1, 2, ... parts."""
    return sum(perm(n, c) * count for c, count in enumerate(partitions, 1))


def labelings(m: int, n: int, n_parts: int) -> int:
    """The labelings of m examples that use at most a number of the n classes.

    >>> labelings(4, 3, 2), labelings(4, 3, 3)
    (45, 81)
    """
    return n**m if n_parts >= n else growth_of([stirling(m, c) for c in range(1, n_parts + 1)], n)


def _partitions(structure: TreeStructure, n_parts: int, m: int, n_features: int, form: str) -> list[int]:
    """Bounds for 1, ..., n_parts parts, at most as many as there are leaves."""
    excess = m - structure.n_leaves
    if excess <= 0:
        return [stirling(m, c) for c in range(1, n_parts + 1)]
    if form == "tight":
        return tight_partitions(structure, n_parts, excess, n_features)[-1]
    return _loose_partitions(structure, n_parts, excess, n_features, excess + (form == "loose-corrected"))


def tight_partitions(structure: TreeStructure, n_parts: int, excess: int, n_features: int) -> list[list[int]]:
    """Theorem 9 for m = L, L + 1, ..., L + excess examples: for each m the bounds for 1, ..., n_parts parts.

    What a node gets beyond its number of leaves is shared by its two subtrees, so each subtree needs one
    table over 0..excess, and a table is a convolution of two.
    """
    growth: dict[TreeStructure, list[list[int]]] = {}
    for subtree in structure.subtrees():
        parts = min(n_parts, subtree.n_leaves)
        table = [[stirling(subtree.n_leaves, c) for c in range(1, parts + 1)]]
        for extra in range(1, excess + 1):
            values = _composed(subtree, growth, extra, parts, n_features) if parts > 1 else [1]
            table.append(_capped_partitions(values, subtree.n_leaves + extra))
        growth[subtree] = [[growth_of(partitions, n) for partitions in table] for n in range(1, n_parts + 1)]
    return table  # of the structure itself, which comes last


def _composed(
    subtree: TreeStructure,
    growth: dict[TreeStructure, list[list[int]]],
    extra: int,
    parts: int,
    n_features: int,
) -> list[int]:
    """The growth bounds of a tree with 1, ..., parts classes from the tables of its subtrees."""
    left, right = subtree.children
    cuts = distinct_cuts(subtree.n_leaves + extra, n_features)[left.n_leaves : left.n_leaves + extra + 1]
    values = []
    for n, on_left, on_right in zip(range(1, parts + 1), growth[left], growth[right], strict=False):
        labelings_of_cuts = map(mul, on_left, on_right[extra::-1])
        values.append(_joined(sum(map(mul, cuts, labelings_of_cuts)), sum(cuts), left is right, n))
    return values


def _joined(labelings_of_cuts: int, n_cuts: int, symmetric: bool, n: int) -> int:
    """Count each cut's labelings, but the n constant ones, which every cut has, only once in all.

    In a symmetric tree each was counted twice, the halves exchanged; the division has no remainder.
    """
    return n + (labelings_of_cuts - n * n_cuts) // (2 if symmetric else 1)


def _loose_partitions(
    structure: TreeStructure, n_parts: int, excess: int, n_features: int, n_terms: int
) -> list[int]:
    """Section 6.2: each sum over the cuts replaced by a number of times its largest term."""
    growth: dict[TreeStructure, list[int]] = {}
    n_cuts = 2 * n_features * n_terms
    for subtree in structure.subtrees():
        partitions = [1]
        if not subtree.is_leaf:
            left, right = subtree.children
            products = list(map(mul, growth[left], growth[right]))[: subtree.n_leaves]
            values = [_joined(n_cuts * p, n_cuts, left is right, n) for n, p in enumerate(products, 1)]
            partitions = _capped_partitions(values, subtree.n_leaves + excess)
        growth[subtree] = [growth_of(partitions, n) for n in range(1, n_parts + 1)]
    return partitions  # of the structure itself, which comes last


def _capped_partitions(growth: Sequence[int], m: int) -> list[int]:
    """Numbers of partitions, the differences of growth bounds for 1, 2, ... classes, at most ``S(m, c)``."""
    differences = [0, *growth]
    partitions = []
    for c in range(1, len(growth) + 1):
        differences = [b - a for a, b in pairwise(differences)]
        partitions.append(min(differences[0] // factorial(c), stirling(m, c)))
    return partitions


def _closed(structure: TreeStructure, m: int, n_features: int, n: int) -> int:
    N = structure.n_internal_nodes
    return n**structure.n_leaves * (2 * n_features) ** N * comb(m - 1, N) >> structure.n_symmetric_nodes
