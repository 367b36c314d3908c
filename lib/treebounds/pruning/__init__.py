"""Pruning: rules from a tree to the nodes to cut or graft, and the estimators that apply them."""

from treebounds.pruning.generic import (
    EditedTree,
    description_length_estimate,
    generic_pruning,
    validation_error,
    vc_srm_estimate,
)
from treebounds.pruning.id3_estimator import ID3Classifier
from treebounds.pruning.multiway import reduced_error_nodes, srm_nodes
from treebounds.pruning.weakest_link import WeakestLinkSequence, weakest_link_sequence

__all__ = [
    "EditedTree",
    "ID3Classifier",
    "WeakestLinkSequence",
    "description_length_estimate",
    "generic_pruning",
    "reduced_error_nodes",
    "srm_nodes",
    "validation_error",
    "vc_srm_estimate",
    "weakest_link_sequence",
]
