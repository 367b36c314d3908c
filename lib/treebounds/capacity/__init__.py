"""The number of functions that trees of a structure realize, and bounds on their VC
dimension.
"""

from treebounds.capacity.all_structures import (
    all_structures_growth_bound,
    log_all_structures_growth_bound,
)
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.growth import (
    growth_function_bound,
    partitioning_function_bound,
)
from treebounds.capacity.log_growth import log_growth_function_bound
from treebounds.capacity.lower import (
    growth_function_lower_bound,
    log_growth_function_lower_bound,
)
from treebounds.capacity.natarajan import (
    natarajan_dimension_lower_bound,
    natarajan_dimension_upper_bound,
)
from treebounds.capacity.realizing import realizing_tree
from treebounds.capacity.shattering import shattered_sample
from treebounds.capacity.stumps import (
    one_sided_stump_vc_dimension,
    stump_partitioning_function,
    stump_vc_dimension,
)
from treebounds.capacity.vc_dimension import (
    pseudo_dimension_lower_bound,
    pseudo_dimension_upper_bound,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)

__all__ = [
    "FeatureKinds",
    "all_structures_growth_bound",
    "growth_function_bound",
    "growth_function_lower_bound",
    "log_all_structures_growth_bound",
    "log_growth_function_bound",
    "log_growth_function_lower_bound",
    "natarajan_dimension_lower_bound",
    "natarajan_dimension_upper_bound",
    "one_sided_stump_vc_dimension",
    "partitioning_function_bound",
    "pseudo_dimension_lower_bound",
    "pseudo_dimension_upper_bound",
    "realizing_tree",
    "shattered_sample",
    "stump_partitioning_function",
    "stump_vc_dimension",
    "vc_dimension_lower_bound",
    "vc_dimension_upper_bound",
]
