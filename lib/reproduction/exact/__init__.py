"""Exact VC dimensions of trees, by search and by a SAT solver; bounds for binary and
L-ary features; smallest trees without errors.
"""

from reproduction.exact.binary import (
    binary_shattered_sample,
    binary_vc_dimension_lower_bound,
    binary_vc_dimension_upper_bound,
    tree_rank,
)
from reproduction.exact.lary import (
    exact_lary_vc_dimension,
    lary_vc_dimension_upper_bound,
)
from reproduction.exact.permutations import optimal_stump_permutations
from reproduction.exact.smallest_trees import fewest_leaves
from reproduction.exact.vc_dimension import (
    ExactVCDimension,
    SearchCertificate,
    exact_vc_dimension,
)

__all__ = [
    "ExactVCDimension",
    "SearchCertificate",
    "binary_shattered_sample",
    "binary_vc_dimension_lower_bound",
    "binary_vc_dimension_upper_bound",
    "exact_lary_vc_dimension",
    "exact_vc_dimension",
    "fewest_leaves",
    "lary_vc_dimension_upper_bound",
    "optimal_stump_permutations",
    "tree_rank",
]
