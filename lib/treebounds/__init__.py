"""How complex is a decision tree: growth functions, VC dimensions, generalization
bounds and pruning.
"""

from treebounds.capacity import (
    FeatureKinds,
    growth_function_bound,
    growth_function_lower_bound,
    log_growth_function_bound,
    log_growth_function_lower_bound,
    pseudo_dimension_lower_bound,
    pseudo_dimension_upper_bound,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)
from treebounds.estimators import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    CertifiedRegressor,
    CertifiedTreeClassifier,
    CertifiedTreeRegressor,
    CostComplexityPrunedTreeClassifier,
    CostComplexityPrunedTreeRegressor,
    PrunedTreeRegressor,
    ReducedErrorPrunedTreeClassifier,
)
from treebounds.pruning import prune
from treebounds.risk import Certificate, certify
from treebounds.structure import TreeStructure
from treebounds.trees import ArrayTree

__version__ = "1.0.0rc1"

__all__ = [
    "ArrayTree",
    "BoundPrunedTreeClassifier",
    "Certificate",
    "CertifiedClassifier",
    "CertifiedRegressor",
    "CertifiedTreeClassifier",
    "CertifiedTreeRegressor",
    "CostComplexityPrunedTreeClassifier",
    "CostComplexityPrunedTreeRegressor",
    "FeatureKinds",
    "PrunedTreeRegressor",
    "ReducedErrorPrunedTreeClassifier",
    "TreeStructure",
    "certify",
    "growth_function_bound",
    "growth_function_lower_bound",
    "log_growth_function_bound",
    "log_growth_function_lower_bound",
    "prune",
    "pseudo_dimension_lower_bound",
    "pseudo_dimension_upper_bound",
    "vc_dimension_lower_bound",
    "vc_dimension_upper_bound",
]
