"""How complex is a decision tree: growth functions, VC dimensions, generalization
bounds and pruning.
"""

from treebounds.capacity import (
    FeatureKinds,
    all_structures_growth_bound,
    growth_function_bound,
    growth_function_lower_bound,
    log_all_structures_growth_bound,
    log_growth_function_bound,
    log_growth_function_lower_bound,
    partitioning_function_bound,
    pseudo_dimension_lower_bound,
    pseudo_dimension_upper_bound,
    realizing_tree,
    shattered_sample,
    stump_partitioning_function,
    stump_vc_dimension,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)
from treebounds.pruning import (
    BoundPrunedTreeClassifier,
    CertifiedTreeClassifier,
    CostComplexityPrunedTreeClassifier,
    DistilledTreeClassifier,
    ReducedErrorPrunedTreeClassifier,
    prune,
)
from treebounds.risk import (
    Certificate,
    CertifiedClassifier,
    certify,
    description_length_bound,
    shawe_taylor_bound,
    vc_srm_bound,
)
from treebounds.structure import (
    TreeStructure,
    enumerate_structures,
    wedderburn_etherington,
)
from treebounds.trees import ArrayTree

__version__ = "0.2.0"

__all__ = [
    "ArrayTree",
    "BoundPrunedTreeClassifier",
    "Certificate",
    "CertifiedClassifier",
    "CertifiedTreeClassifier",
    "CostComplexityPrunedTreeClassifier",
    "DistilledTreeClassifier",
    "FeatureKinds",
    "ReducedErrorPrunedTreeClassifier",
    "TreeStructure",
    "all_structures_growth_bound",
    "certify",
    "description_length_bound",
    "enumerate_structures",
    "growth_function_bound",
    "growth_function_lower_bound",
    "log_all_structures_growth_bound",
    "log_growth_function_bound",
    "log_growth_function_lower_bound",
    "partitioning_function_bound",
    "prune",
    "pseudo_dimension_lower_bound",
    "pseudo_dimension_upper_bound",
    "realizing_tree",
    "shattered_sample",
    "shawe_taylor_bound",
    "stump_partitioning_function",
    "stump_vc_dimension",
    "vc_dimension_lower_bound",
    "vc_dimension_upper_bound",
    "vc_srm_bound",
    "wedderburn_etherington",
]
