"""How many functions a tree of a given structure can realize, and what follows for its VC dimension.

A wrong argument of any function here is a ValueError that names it.
"""

from treebounds.capacity.binary import (
    binary_shattered_sample,
    binary_vc_dimension_lower_bound,
    binary_vc_dimension_upper_bound,
    tree_rank,
)
from treebounds.capacity.closed import all_structures_growth_bound, log_all_structures_growth_bound
from treebounds.capacity.exact import Certificate, ExactVCDimension, exact_vc_dimension
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.growth import growth_function_bound, partitioning_function_bound
from treebounds.capacity.lary import (
    exact_lary_vc_dimension,
    lary_vc_dimension_lower_bound,
    lary_vc_dimension_upper_bound,
    verify_lary_certificate,
)
from treebounds.capacity.log_growth import LogGrowth, log_growth_function_bound
from treebounds.capacity.lower import (
    growth_function_lower_bound,
    log_growth_function_lower_bound,
    realizing_tree,
    shattered_sample,
    vc_dimension_lower_bound,
)
from treebounds.capacity.permutations import optimal_stump_permutations
from treebounds.capacity.realize import find_tree, is_shattered
from treebounds.capacity.stumps import (
    one_sided_stump_vc_dimension,
    stump_partitioning_function,
    stump_vc_dimension,
)
from treebounds.capacity.vc_dimension import vc_dimension_per_node_bound, vc_dimension_upper_bound
from treebounds.capacity.verify import verify_certificate

__all__ = [
    "Certificate",
    "ExactVCDimension",
    "FeatureKinds",
    "LogGrowth",
    "all_structures_growth_bound",
    "binary_shattered_sample",
    "binary_vc_dimension_lower_bound",
    "binary_vc_dimension_upper_bound",
    "exact_lary_vc_dimension",
    "exact_vc_dimension",
    "find_tree",
    "growth_function_bound",
    "growth_function_lower_bound",
    "is_shattered",
    "lary_vc_dimension_lower_bound",
    "lary_vc_dimension_upper_bound",
    "log_all_structures_growth_bound",
    "log_growth_function_bound",
    "log_growth_function_lower_bound",
    "one_sided_stump_vc_dimension",
    "optimal_stump_permutations",
    "partitioning_function_bound",
    "realizing_tree",
    "shattered_sample",
    "stump_partitioning_function",
    "stump_vc_dimension",
    "tree_rank",
    "vc_dimension_lower_bound",
    "vc_dimension_per_node_bound",
    "vc_dimension_upper_bound",
    "verify_certificate",
    "verify_lary_certificate",
]
