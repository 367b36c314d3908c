"""Samples that small structures shatter: a leaf, a stump, and on two features those
that an exhaustive search has found.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from treebounds.capacity._orders import orders_for_both_ends, ranks
from treebounds.capacity.stumps import stump_vc_dimension
from treebounds.structure import TreeStructure

LEAF = TreeStructure()
_STUMP = TreeStructure(LEAF, LEAF)
_CHAIN = TreeStructure(_STUMP, LEAF)
_CHAIN_3 = TreeStructure(_CHAIN, LEAF)
_BALANCED = TreeStructure(_STUMP, _STUMP)
# Samples on two features that sums of three and of four stumps shatter, written as
# those below. The first example of the second one comes first along both features.
THREE_STUMPS = (1, 6, 5, 2, 4, 0, 7, 3)
FOUR_STUMPS = (0, 6, 2, 9, 4, 7, 3, 5, 8, 1)
# Samples on two features that these structures shatter, found by exhaustive search: 2 N
# + 2 examples, in the order of feature 1, with their ranks along feature 2.
_TWO_FEATURES = {
    _CHAIN_3: (1, 6, 5, 2, 4, 0, 7, 3),
    _BALANCED: (2, 6, 0, 3, 4, 7, 1, 5),
    TreeStructure(_CHAIN, _STUMP): (1, 8, 0, 2, 4, 6, 9, 5, 3, 7),
    TreeStructure(_CHAIN, _CHAIN): (1, 0, 4, 8, 2, 5, 6, 9, 3, 7, 11, 10),
}
# The same for every smallest structure with at least four internal nodes; the first
# example comes first along both features.
LATER = {
    TreeStructure(_CHAIN, _STUMP): (0, 2, 1, 8, 4, 7, 5, 9, 3, 6),
    TreeStructure(_BALANCED, LEAF): (0, 6, 2, 5, 3, 7, 1, 4, 9, 8),
    TreeStructure(_CHAIN_3, LEAF): (0, 9, 2, 6, 4, 7, 1, 5, 8, 3),
    TreeStructure(_CHAIN, _CHAIN): (0, 2, 1, 9, 4, 11, 7, 10, 6, 3, 8, 5),
    TreeStructure(_CHAIN_3, _STUMP): (0, 7, 2, 9, 11, 4, 1, 10, 6, 3, 8, 5),
    TreeStructure(_BALANCED, _STUMP): (0, 6, 4, 9, 11, 8, 2, 5, 3, 7, 1, 10),
    TreeStructure(_CHAIN_3, _CHAIN): (0, 11, 6, 2, 13, 10, 4, 7, 9, 1, 5, 3, 12, 8),
    TreeStructure(_BALANCED, _CHAIN): (0, 11, 5, 2, 13, 10, 4, 7, 9, 1, 6, 3, 12, 8),
}


def base_size(base: TreeStructure, l: int) -> int:
    """Number of examples that the base shatters."""
    if base.is_leaf:
        return 1
    if base is _STUMP:
        return stump_vc_dimension(l)
    return len(_TWO_FEATURES[base])


@lru_cache(maxsize=4)
def base_sample(base: TreeStructure, l: int) -> NDArray[np.int64]:
    """Ranks of the base's examples along each feature."""
    if base.is_leaf:
        return np.zeros((1, l), dtype=np.int64)
    if base is _STUMP:
        return ranks(orders_for_both_ends(stump_vc_dimension(l)), l)

    return with_ranks(_TWO_FEATURES[base])


def with_ranks(second: tuple[int, ...]) -> NDArray[np.int64]:
    """A sample on two features, in the order of the first, from its ranks along the
    second.
    """
    return np.stack([np.arange(len(second)), second], axis=1)
