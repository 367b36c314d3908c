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
    """The VC dimension of a leaf or a stump."""
    return 1 if structure.is_leaf else (n_features + 1).bit_length()


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
    stack = [
        (
            check_structure(structure, "structure"),
            np.zeros(n_features, dtype=int),
            n_features,
        )
    ]
    while stack:
        subtree, path, free = stack.pop()
        if subtree.n_leaves <= 2 or free <= 0:
            size = _stump_value(subtree, free) if free > 0 else 1
            rows.append(_split_in_all_ways(path, size))
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
    by_rank = sum(
        comb(n_features, i) for i in range(min(tree_rank(structure), n_features) + 1)
    )

    # Count functions: each feature, with the two subtrees in both orders, without the
    # two constant functions. If a feature is tested again on its path, only one of the
    # two subtrees is used; it adds its own functions.
    most = 2**by_rank
    count = {}
    for subtree in structure.subtrees():
        count[subtree] = 2
        if not subtree.is_leaf:
            left, right = (count[child] for child in subtree.children)
            orders = 1 if subtree.left is subtree.right else 2
            again = left + right - 4 if subtree is not structure else 0
            count[subtree] = min(
                n_features * orders * (left * right - 2) + again + 2, most
            )

    return min(by_rank, count[structure].bit_length() - 1)


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
        ranks = [rank[child] for child in subtree.children]
        rank[subtree] = max(ranks) + (ranks[0] == ranks[1]) if ranks else 0
    return rank[structure]
