"""Rules that prune a tree, and the estimators that apply them."""

from treebounds.pruning.bound import BoundRule
from treebounds.pruning.bound_estimator import BoundPrunedTreeClassifier
from treebounds.pruning.certified_tree import CertifiedTreeClassifier
from treebounds.pruning.distilled import DistilledTreeClassifier
from treebounds.pruning.prune import prune
from treebounds.pruning.rules import CountingRule
from treebounds.pruning.validated import (
    CostComplexityPrunedTreeClassifier,
    ReducedErrorPrunedTreeClassifier,
)
