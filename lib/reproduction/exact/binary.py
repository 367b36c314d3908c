"""Trees on binary features: bounds on the VC dimension, and samples that attain the
lower one (Yıldız).
"""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np

from treebounds._validation import check_integer
from treebounds.capacity._trees import check_structure
from treebounds.structure import TreeStructure

__all__ = [
    "binary_shattered_sample",
    "binary_vc_dimension_lower_bound",
    "binary_vc_dimension_upper_bound",
    "tree_rank",
]


def binary_vc_dimension_lower_bound(structure: TreeStructure, n_features: int) -> int:
    """A lower bound on the VC dimension of a structure on binary features: Yıldız's
    Figure 4, corrected.

    The bound is 1 for a leaf, ``floor(log2(d + 1)) + 1`` for a stump on d features (his
    Theorem 1), and for any other node the sum of the bounds of its subtrees on one
    feature less (Theorem 4). The printed algorithm continues below a node that has no
    feature left, and takes the logarithm of 0; here the bound of such a node is 1, as
    for a leaf.

    >>> from treebounds import TreeStructure
    >>> from reproduction.exact import binary_vc_dimension_lower_bound
    >>> stump = TreeStructure.from_nested([None, None])
    >>> [binary_vc_dimension_lower_bound(stump, d) for d in (1, 3, 7, 8)]
    [2, 3, 4, 4]
    >>> binary_vc_dimension_lower_bound(TreeStructure(stump, stump), 1)
    2

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_features : int
        At least 1. The structure may be deeper.

    Returns
    -------
    int

    See Also
    --------
    binary_shattered_sample : a sample of that size that is shattered.

    Notes
    -----
    Each level of the tree is processed at once, and equal subtrees together: O(nodes)
    for a chain, O(height) for a complete tree.
    """
    n_features = check_integer(n_features, "n_features")
    bound = 0
    level = Counter([check_structure(structure, "structure")])
    while level and n_features > 0:
        below: Counter[TreeStructure] = Counter()
        for subtree, count in level.items():
            if subtree.n_leaves <= 2:
                bound += count * _stump_value(subtree, n_features)
            else:
                for child in subtree.children:
                    below[child] += count
        level = below
        n_features = n_features - 1

    return bound + level.total()


def _stump_value(structure: TreeStructure, n_features: int) -> int:
    """The VC dimension of a leaf or a stump, Theorem 1."""
    if structure.is_leaf or n_features == 0:
        return 1
    return (n_features + 1).bit_length()


def binary_shattered_sample(structure: TreeStructure, n_features: int) -> np.ndarray:
    """A sample that a structure shatters, as large as
    :func:`binary_vc_dimension_lower_bound`.

    The construction generalizes those of Yıldız's Figures 1 to 3 to every structure.
    The features of a stump are all ways to split its examples in two (Theorem 1). Any
    other node separates the examples of its two subtrees by one feature, which the
    subtrees do not use again (Theorem 4).

    >>> from treebounds import TreeStructure
    >>> from reproduction.exact import binary_shattered_sample
    >>> binary_shattered_sample(TreeStructure.from_nested([None, None]), 3)
    array([[0, 0, 0],
           [1, 0, 1],
           [0, 1, 1]])

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_features : int
        At least 1.

    Returns
    -------
    ndarray of int, shape (lower bound, n_features)
    """
    n_features = check_integer(n_features, "n_features")
    rows: list[np.ndarray] = []
    whole = check_structure(structure, "structure")
    stack = [(whole, np.zeros(n_features, dtype=int), n_features)]
    while stack:
        subtree, path, free = stack.pop()
        if subtree.n_leaves <= 2 or free == 0:
            rows.append(_split_in_all_ways(path, _stump_value(subtree, free)))
            continue

        for side, child in enumerate(subtree.children):
            child_path = path.copy()
            child_path[free - 1] = side
            stack.append((child, child_path, free - 1))

    return np.concatenate(rows)


def _split_in_all_ways(path: np.ndarray, size: int) -> np.ndarray:
    """Examples at the end of a path; its free features are all ways to split them in
    two.
    """
    block = np.tile(path, (size, 1))
    splits = np.arange(1, 2 ** (size - 1))
    # Digit i of j + 1, in base 2, is feature j of example i + 1.
    for example in range(1, size):
        block[example, : len(splits)] = splits >> (example - 1) & 1
    return block


def binary_vc_dimension_upper_bound(structure: TreeStructure, n_features: int) -> int:
    """An upper bound on the VC dimension of a structure on binary features.

    It is the smaller of two bounds. Trees of rank r compute polynomials of degree r, so
    the VC dimension is at most the sum of ``C(d, i)`` over i <= r (Simon 1991). A class
    of M functions shatters at most ``log2 M`` examples.

    For a stump the bound by rank is d + 1; counting functions gives the exact value.

    >>> from reproduction.exact import binary_vc_dimension_upper_bound
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> [binary_vc_dimension_upper_bound(stump, d) for d in (1, 3, 7, 8)]
    [2, 3, 4, 4]

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_features : int
        At least 1.

    Returns
    -------
    int
    """
    structure = check_structure(structure, "structure")
    n_features = check_integer(n_features, "n_features")
    degree = min(tree_rank(structure), n_features)
    by_rank = sum(comb(n_features, i) for i in range(degree + 1))

    n_functions = _functions_up_to(2**by_rank, structure, n_features)
    return min(by_rank, n_functions.bit_length() - 1)


def _functions_up_to(most: int, structure: TreeStructure, n_features: int) -> int:
    """The number of functions that a structure computes, or ``most`` if it is less."""
    count: dict[TreeStructure, int] = {}
    for subtree in structure.subtrees():
        constant = 2
        if subtree.is_leaf:
            count[subtree] = constant
            continue

        # Each feature, with the two subtrees in both orders.
        left, right = (count[child] for child in subtree.children)
        n_orders = 2
        if subtree.left is subtree.right:
            n_orders = 1
        total = constant + n_features * n_orders * (left * right - constant)

        # If a feature is tested again on its path, only one of the two subtrees is
        # used; it adds its own functions.
        if subtree is not structure:
            total += (left - constant) + (right - constant)
        count[subtree] = min(total, most)

    return count[structure]


def tree_rank(structure: TreeStructure) -> int:
    """The rank of a structure (Ehrenfeucht and Haussler 1989): the height of its
    largest complete minor.

    A leaf has rank 0. The rank of a node is the larger rank of its subtrees, plus 1 if
    both are equal. Chains have rank 1, and the rank of a complete tree is its height.

    >>> from treebounds import TreeStructure
    >>> from reproduction.exact import tree_rank
    >>> tree_rank(TreeStructure.from_nested([[[None, None], None], [None, None]]))
    2

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree

    Returns
    -------
    int
    """
    rank: dict[TreeStructure, int] = {}
    structure = check_structure(structure, "structure")
    for subtree in structure.subtrees():
        if subtree.is_leaf:
            rank[subtree] = 0
            continue

        left, right = (rank[child] for child in subtree.children)
        rank[subtree] = max(left, right)
        if left == right:
            rank[subtree] += 1
    return rank[structure]
