"""Lower and upper bounds on the VC dimension of a tree structure, and a sample that attains the lower one."""

from __future__ import annotations

import numpy as np

from treebounds._validation import check_integer, check_option
from treebounds.capacity.binary import binary_vc_dimension_lower_bound
from treebounds.capacity.growth import check_structure, tight_partitions
from treebounds.capacity.permutations import optimal_stump_permutations
from treebounds.capacity.stumps import stump_vc_dimension
from treebounds.structure import TreeStructure

__all__ = ["real_shattered_sample", "vc_dimension_lower_bound", "vc_dimension_upper_bound"]


def vc_dimension_upper_bound(structure: TreeStructure, n_features: int) -> int:
    """An upper bound on the VC dimension of a tree structure on real-valued features.

    Parameters
    ----------
    structure : TreeStructure
    n_features : int
        At least 1.

    Returns
    -------
    int
        m - 1 for the first m above the number of leaves for which the tight bound on the partitions into two
        parts is below ``2^(m-1) - 1``, the number that a shattered sample has (Leboeuf et al., Theorem 9 and
        Algorithm 2, with the bound capped at every node). A leaf has 1.

    Notes
    -----
    In exact integers: ``O(L d^2)`` multiplications for L leaves and a result d.

    Examples
    --------
    >>> stump = TreeStructure.from_nested([None, None])
    >>> [vc_dimension_upper_bound(stump, n_features) for n_features in (1, 2, 3, 5, 10)]
    [2, 3, 4, 5, 6]
    >>> vc_dimension_upper_bound(TreeStructure(stump, TreeStructure()), 2)
    10
    """
    check_structure(structure)
    n_features = check_integer(n_features, "n_features")
    if structure.is_leaf:
        return 1
    excess = 4 + structure.n_leaves
    while True:
        table = tight_partitions(structure, 2, excess, n_features)
        for m, (_, two_parts) in enumerate(table[1:], structure.n_leaves + 1):
            if two_parts < 2 ** (m - 1) - 1:
                return m - 1
        excess *= 2


def vc_dimension_lower_bound(structure: TreeStructure, n_features: int, feature_type: str = "real") -> int:
    """A lower bound on the VC dimension of a tree structure.

    Parameters
    ----------
    structure : TreeStructure
    n_features : int
        At least 1.
    feature_type : {"real", "binary"}

    Returns
    -------
    int
        For real-valued features 1 for a leaf, :func:`stump_vc_dimension` for a stump, else the sum over the
        two subtrees: their shattered samples can be moved apart along one feature, so no feature is used up.
        For binary features the algorithm of Yıldız, Figure 4, which takes a feature away at each level.

    Examples
    --------
    >>> stump = TreeStructure.from_nested([None, None])
    >>> vc_dimension_lower_bound(TreeStructure(stump, stump), 2)
    6
    """
    check_structure(structure)
    n_features = check_integer(n_features, "n_features")
    check_option(feature_type, "feature_type", ("real", "binary"))
    if feature_type == "binary":
        return binary_vc_dimension_lower_bound(structure, n_features)
    bounds: dict[TreeStructure, int] = {}
    for subtree in structure.subtrees():
        if subtree.n_leaves == 1:
            bounds[subtree] = 1
        elif subtree.n_leaves == 2:
            bounds[subtree] = stump_vc_dimension(n_features)
        else:
            bounds[subtree] = sum(bounds[child] for child in subtree.children)
    return bounds[structure]


def real_shattered_sample(structure: TreeStructure, n_features: int) -> np.ndarray:
    """A sample that a structure shatters, as large as :func:`vc_dimension_lower_bound`.

    The samples of the two subtrees are moved apart along feature 0, which moves no example past another one
    of its own sample. The root cuts between them, and all features still serve both subtrees.

    Parameters
    ----------
    structure : TreeStructure
    n_features : int
        At least 1.

    Returns
    -------
    ndarray of int, shape (lower bound, n_features)
        The rank of each example along each feature.

    Examples
    --------
    >>> real_shattered_sample(TreeStructure.from_nested([[None, None], None]), 1)
    array([[0],
           [1],
           [2]])
    """
    check_structure(structure)
    n_features = check_integer(n_features, "n_features")
    samples: dict[TreeStructure, np.ndarray] = {}
    for subtree in structure.subtrees():
        if subtree.n_leaves == 1:
            samples[subtree] = np.zeros((1, n_features), dtype=int)
        elif subtree.n_leaves == 2:
            samples[subtree] = _stump_sample(n_features)
        else:
            left, right = (samples[child] for child in subtree.children)
            apart = np.zeros(n_features, dtype=int)
            apart[0] = len(left)
            both = np.concatenate([left, right + apart])
            samples[subtree] = both.argsort(axis=0, kind="stable").argsort(axis=0)
    return samples[structure]


def _stump_sample(n_features: int) -> np.ndarray:
    orders = optimal_stump_permutations(stump_vc_dimension(n_features))
    # more features than orders: repeat some, they are not needed
    return orders.argsort(axis=1)[np.arange(n_features) % len(orders)].T
