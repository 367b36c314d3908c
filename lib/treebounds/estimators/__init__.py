"""Everything that has ``fit``: pruned trees, certified trees, classifiers and
regressors.
"""

from treebounds.estimators.bound_pruned import BoundPrunedTreeClassifier
from treebounds.estimators.certified_classifier import CertifiedClassifier
from treebounds.estimators.certified_regressors import (
    CertifiedRegressor,
    CertifiedTreeRegressor,
)
from treebounds.estimators.certified_tree import CertifiedTreeClassifier
from treebounds.estimators.cost_complexity import (
    CostComplexityPrunedTreeClassifier,
    CostComplexityPrunedTreeRegressor,
)
from treebounds.estimators.pruned_regressor import PrunedTreeRegressor
from treebounds.estimators.reduced_error import ReducedErrorPrunedTreeClassifier

__all__ = [
    "BoundPrunedTreeClassifier",
    "CertifiedClassifier",
    "CertifiedRegressor",
    "CertifiedTreeClassifier",
    "CertifiedTreeRegressor",
    "CostComplexityPrunedTreeClassifier",
    "CostComplexityPrunedTreeRegressor",
    "PrunedTreeRegressor",
    "ReducedErrorPrunedTreeClassifier",
]
