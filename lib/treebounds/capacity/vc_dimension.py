"""Upper bounds on the VC dimension of a tree structure, from its growth bounds."""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np
from scipy.optimize import brentq

from treebounds._validation import check_integer
from treebounds.capacity._recursion import LogRecursion
from treebounds.capacity.features import FeatureKinds, check_features
from treebounds.capacity.growth import check_structure
from treebounds.capacity.log_growth import log_growth_function_bound
from treebounds.structure import TreeStructure

__all__ = ["vc_dimension_per_node_bound", "vc_dimension_upper_bound"]

_MOST_PRODUCTS, _MOST_NUMBERS = 3 * 10**9, 5 * 10**7  # some seconds, 400 MB
_ROUNDING = 1e-10


def vc_dimension_upper_bound(structure: TreeStructure, n_features: int | FeatureKinds) -> int:
    """An upper bound on the VC dimension of a tree structure.

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_features : int or FeatureKinds
        An integer l, at least 1, means real-valued features.

    Returns
    -------
    int
        The largest m for which the growth bound for two classes is still ``2^m``: "sharp" where that takes
        some seconds and 400 MB at most (always up to 200 leaves and 16 features), else "closed". Less than
        ``1 + N v`` for N internal nodes on real-valued features, where v is
        :func:`vc_dimension_per_node_bound`. Without real-valued features at most the number of different
        examples. A leaf has 1.

    See Also
    --------
    vc_dimension_lower_bound : from below.
    binary_vc_dimension_upper_bound : often smaller if all features are binary.

    Notes
    -----
    The recursion gives the bounds for all m at once. It runs in floating point, and what cannot be told from
    ``2^m`` by rounding counts as ``2^m``.

    Examples
    --------
    >>> from treebounds import FeatureKinds, TreeStructure, vc_dimension_upper_bound
    >>> stump = TreeStructure.from_nested([None, None])
    >>> [vc_dimension_upper_bound(stump, n_features) for n_features in (1, 2, 3, 5, 10)]
    [2, 3, 4, 5, 6]
    >>> vc_dimension_upper_bound(TreeStructure(stump, TreeStructure()), 2)
    8
    >>> vc_dimension_upper_bound(TreeStructure(stump, TreeStructure()), FeatureKinds(binary=3))
    6
    """
    structure = check_structure(structure)
    kinds = check_features(n_features)
    if structure.is_leaf:
        return 1
    closed = _closed_bound(structure, kinds)
    log2_points = sum(count * math.log2(size) for _, size, count in kinds.runs) if not kinds.n_real else 64
    if log2_points < 64:  # a sample has no more different examples
        closed = min(closed, math.prod(size**count for _, size, count in kinds.runs))
    recursion = LogRecursion(closed, kinds, 2, "sharp")
    n_products, n_numbers = recursion.cost(structure)
    if n_products > _MOST_PRODUCTS or n_numbers > _MOST_NUMBERS or closed <= structure.n_leaves:
        return closed
    first = structure.n_leaves if kinds.n_real else 1
    bounds = recursion.table(structure, first, closed)
    examples = np.arange(first, closed + 1)
    too_few = bounds < examples * math.log(2) - _ROUNDING
    return int(examples[too_few.argmax()]) - 1 if too_few.any() else closed


def _closed_bound(structure: TreeStructure, kinds: FeatureKinds) -> int:
    """The number before the first one, up to doubling and halving, where the closed bound is below 2^m."""

    def below_doubling(m: int) -> bool:
        """Whether the bound says that no m examples are shattered."""
        return log_growth_function_bound(structure, m, kinds, 2, "closed") < m * math.log(2) - _ROUNDING

    high = 2
    while not below_doubling(high):
        high *= 2
    return high // 2 + bisect_left(range(high // 2 + 1, high), True, key=below_doubling)


def vc_dimension_per_node_bound(n_features: int) -> float:
    """What an internal node can add to the VC dimension of a tree, at most: v in ``VCdim < 1 + N v``.

    Parameters
    ----------
    n_features : int
        l, at least 1; the features are real-valued.

    Returns
    -------
    float
        The positive root of ``2^x = e (1 + 2 l x)``, about ``log2 l + log2 log2 l + log2(2 e)``.

    See Also
    --------
    one_sided_stump_vc_dimension : what a node adds at least.

    Examples
    --------
    >>> from treebounds.capacity import vc_dimension_per_node_bound
    >>> [round(vc_dimension_per_node_bound(n_features), 2) for n_features in (1, 10, 100, 1000)]
    [4.87, 8.93, 12.76, 16.45]
    """
    l = check_integer(n_features, "n_features")
    # above 1 at x = 1/2 as at x = 0, below from the root on; at most 2 log2(l) + 6 by a look at both sides
    return float(brentq(lambda x: x * math.log(2) - 1 - math.log1p(2 * l * x), 1, 2 * math.log2(l) + 6))
