"""Rules that prune a tree, and the estimators that apply them."""

from treebounds.pruning.bound import BoundPath, BoundRule
from treebounds.pruning.bound_estimator import BoundPrunedTreeClassifier
from treebounds.pruning.candidates import growth_candidates, message_candidates
from treebounds.pruning.certified_tree import CertifiedTreeClassifier
from treebounds.pruning.cost_complexity import CostComplexityPath, cost_complexity_path
from treebounds.pruning.distilled import DistilledTreeClassifier
from treebounds.pruning.prune import prune
from treebounds.pruning.rules import (
    CountingRule,
    ErrorBasedRule,
    KearnsMansourRule,
    MinimumErrorRule,
    PessimisticRule,
    PriceRule,
    ReducedErrorRule,
    cheapest_pruning,
    noise_price,
)
from treebounds.pruning.validated import CostComplexityPrunedTreeClassifier, ReducedErrorPrunedTreeClassifier

__all__ = [
    "BoundPath",
    "BoundPrunedTreeClassifier",
    "BoundRule",
    "CertifiedTreeClassifier",
    "CostComplexityPath",
    "CostComplexityPrunedTreeClassifier",
    "CountingRule",
    "DistilledTreeClassifier",
    "ErrorBasedRule",
    "KearnsMansourRule",
    "MinimumErrorRule",
    "PessimisticRule",
    "PriceRule",
    "ReducedErrorPrunedTreeClassifier",
    "ReducedErrorRule",
    "cheapest_pruning",
    "cost_complexity_path",
    "growth_candidates",
    "message_candidates",
    "noise_price",
    "prune",
]
