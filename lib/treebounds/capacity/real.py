"""Trees on real-valued features: a sample that attains the lower bound on the VC dimension."""

from __future__ import annotations

import numpy as np

from treebounds._validation import check_integer
from treebounds.capacity.growth import check_structure
from treebounds.capacity.permutations import optimal_stump_permutations
from treebounds.capacity.stumps import stump_vc_dimension
from treebounds.structure import TreeStructure

__all__ = ["real_shattered_sample"]


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
    samples = {structure: np.zeros((1, n_features), dtype=int)}
    for subtree in structure.subtrees():
        if subtree.n_leaves == 2:
            samples[subtree] = _stump_sample(n_features)
        elif subtree.n_leaves == 1:
            samples[subtree] = np.zeros((1, n_features), dtype=int)
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
