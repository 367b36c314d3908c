"""Pruning: rules from a tree to the nodes to cut or graft, and the estimators that apply them."""

from treebounds.pruning.bound import BoundPath, ShaweTaylorRule
from treebounds.pruning.bound_estimator import BoundPrunedTreeClassifier, prune
from treebounds.pruning.certified_estimator import CertifiedTreeClassifier
from treebounds.pruning.cost_complexity import (
    PruningPath,
    cost_complexity_path,
    published_cost_complexity,
    reduced_error_cut,
    smallest_errors,
)
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
from treebounds.pruning.validated import (
    CostComplexityPrunedTreeClassifier,
    ReducedErrorPrunedTreeClassifier,
)
from treebounds.trees.errors import held_out_errors

__all__ = [
    "BoundPath",
    "BoundPrunedTreeClassifier",
    "CertifiedTreeClassifier",
    "CostComplexityPrunedTreeClassifier",
    "DistilledTreeClassifier",
    "EditedTree",
    "ID3Classifier",
    "PruningPath",
    "ReducedErrorPrunedTreeClassifier",
    "ShaweTaylorRule",
    "cost_complexity_path",
    "description_length_estimate",
    "generic_pruning",
    "held_out_errors",
    "polish",
    "prune",
    "published_cost_complexity",
    "reduced_error_cut",
    "reduced_error_nodes",
    "smallest_errors",
    "srm_nodes",
    "validation_error",
    "vc_srm_estimate",
]
