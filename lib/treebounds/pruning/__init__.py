"""Pruning: rules from a tree to the nodes to cut or graft, and the estimators that apply them."""

from treebounds.pruning.bound import Bound, BoundPath, ShaweTaylorRule
from treebounds.pruning.bound_estimator import BoundPrunedTreeClassifier
from treebounds.pruning.certified_estimator import CertifiedTreeClassifier
from treebounds.pruning.cost_complexity import CostComplexityPath, cost_complexity_path
from treebounds.pruning.displays import PrunedTreeDisplay, PruningPathDisplay
from treebounds.pruning.distilled import DistilledTreeClassifier
from treebounds.pruning.generic import (
    EditedTree,
    description_length_estimate,
    generic_pruning,
    validation_error,
    vc_srm_estimate,
)
from treebounds.pruning.id3_estimator import ID3Classifier
from treebounds.pruning.multiway import reduced_error_nodes, srm_nodes
from treebounds.pruning.polish import polish
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
from treebounds.pruning.validated import (
    CostComplexityPrunedTreeClassifier,
    ReducedErrorPrunedTreeClassifier,
)
from treebounds.trees.errors import held_out_errors

__all__ = [
    "Bound",
    "BoundPath",
    "BoundPrunedTreeClassifier",
    "CertifiedTreeClassifier",
    "CostComplexityPath",
    "CostComplexityPrunedTreeClassifier",
    "CountingRule",
    "DistilledTreeClassifier",
    "EditedTree",
    "ErrorBasedRule",
    "ID3Classifier",
    "KearnsMansourRule",
    "MinimumErrorRule",
    "PessimisticRule",
    "PriceRule",
    "PrunedTreeDisplay",
    "PruningPathDisplay",
    "ReducedErrorPrunedTreeClassifier",
    "ReducedErrorRule",
    "ShaweTaylorRule",
    "cheapest_pruning",
    "cost_complexity_path",
    "description_length_estimate",
    "generic_pruning",
    "held_out_errors",
    "noise_price",
    "polish",
    "prune",
    "reduced_error_nodes",
    "srm_nodes",
    "validation_error",
    "vc_srm_estimate",
]
