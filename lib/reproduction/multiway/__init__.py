"""Multiway trees: growth by ID3, and the prunings of the source documents."""

from reproduction.multiway.criteria import impurity, split_gain
from reproduction.multiway.generic import (
    EditedTree,
    description_length_estimate,
    generic_pruning,
)
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.id3_estimator import ID3Classifier
from reproduction.multiway.pruning import reduced_error_nodes, srm_nodes
from reproduction.multiway.tree import MultiwayTree
from reproduction.multiway.yildiz_lary import yildiz_lary_estimate

__all__ = [
    "EditedTree",
    "ID3Classifier",
    "MultiwayTree",
    "description_length_estimate",
    "generic_pruning",
    "grow_id3",
    "impurity",
    "reduced_error_nodes",
    "split_gain",
    "srm_nodes",
    "yildiz_lary_estimate",
]
