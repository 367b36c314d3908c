"""Upper bounds on the VC dimension of a tree structure."""

from __future__ import annotations

from treebounds._validation import check_integer
from treebounds.capacity.growth import check_structure, tight_partitions
from treebounds.structure import TreeStructure

__all__ = ["vc_dimension_upper_bound"]


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
