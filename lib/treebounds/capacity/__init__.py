"""How many functions a tree of a given structure can realize, and what follows for its VC dimension."""

from treebounds.capacity.binary import (
    binary_shattered_sample,
    binary_vc_dimension_lower_bound,
    binary_vc_dimension_upper_bound,
    tree_rank,
)
from treebounds.capacity.growth import (
    all_structures_growth_bound,
    growth_function_bound,
    partitioning_function_bound,
)
from treebounds.capacity.log_growth import (
    LogGrowth,
    log_all_structures_growth_bound,
    log_growth_function_bound,
)
from treebounds.capacity.permutations import (
    optimal_stump_permutations,
)
from treebounds.capacity.stumps import (
    stump_partitioning_function,
    stump_vc_dimension,
)
from treebounds.capacity.vc_dimension import (
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)

__all__ = [
    "LogGrowth",
    "all_structures_growth_bound",
    "binary_shattered_sample",
    "binary_vc_dimension_lower_bound",
    "binary_vc_dimension_upper_bound",
    "growth_function_bound",
    "log_all_structures_growth_bound",
    "log_growth_function_bound",
    "optimal_stump_permutations",
    "partitioning_function_bound",
    "stump_partitioning_function",
    "stump_vc_dimension",
    "tree_rank",
    "vc_dimension_lower_bound",
    "vc_dimension_upper_bound",
]
