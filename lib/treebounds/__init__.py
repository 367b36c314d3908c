"""How complex is a decision tree: growth functions, VC dimensions, generalization bounds and pruning."""

from treebounds.capacity.binary import binary_vc_dimension_upper_bound
from treebounds.capacity.closed import *
from treebounds.capacity.exact import exact_vc_dimension
from treebounds.capacity.features import *
from treebounds.capacity.growth import *
from treebounds.capacity.lary import exact_lary_vc_dimension
from treebounds.capacity.log_growth import log_growth_function_bound
from treebounds.capacity.lower import *
from treebounds.capacity.permutations import *
from treebounds.capacity.stumps import *
from treebounds.capacity.vc_dimension import *
from treebounds.pruning.bound_estimator import BoundPrunedTreeClassifier
from treebounds.pruning.certified_estimator import CertifiedTreeClassifier
from treebounds.pruning.distilled import DistilledTreeClassifier
from treebounds.pruning.id3_estimator import ID3Classifier
from treebounds.pruning.prune import prune
from treebounds.pruning.validated import CostComplexityPrunedTreeClassifier, ReducedErrorPrunedTreeClassifier
from treebounds.risk.certificate import Certificate, certify
from treebounds.risk.description_length import description_length_bound
from treebounds.risk.shawe_taylor import shawe_taylor_bound
from treebounds.risk.vc_srm import vc_srm_bound
from treebounds.structure import *

__version__ = "0.2.0"

__all__ = [
    "BoundPrunedTreeClassifier",
    "Certificate",
    "CertifiedTreeClassifier",
    "CostComplexityPrunedTreeClassifier",
    "DistilledTreeClassifier",
    "FeatureKinds",
    "ID3Classifier",
    "ReducedErrorPrunedTreeClassifier",
    "TreeStructure",
    "all_structures_growth_bound",
    "binary_vc_dimension_upper_bound",
    "certify",
    "description_length_bound",
    "enumerate_structures",
    "exact_lary_vc_dimension",
    "exact_vc_dimension",
    "growth_function_bound",
    "growth_function_lower_bound",
    "log_all_structures_growth_bound",
    "log_growth_function_bound",
    "log_growth_function_lower_bound",
    "log_wedderburn_etherington",
    "one_sided_stump_vc_dimension",
    "optimal_stump_permutations",
    "partitioning_function_bound",
    "prune",
    "realizing_tree",
    "shattered_sample",
    "shawe_taylor_bound",
    "stump_partitioning_function",
    "stump_vc_dimension",
    "vc_dimension_lower_bound",
    "vc_dimension_per_node_bound",
    "vc_dimension_upper_bound",
    "vc_srm_bound",
    "wedderburn_etherington",
]
