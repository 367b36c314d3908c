"""Concrete trees as arrays, counting rows into them, and the weakest-link sequence."""

from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import (
    count_classes,
    count_statistics,
    held_out_costs,
    squared_errors,
)
from treebounds.trees.weakest_link import weakest_link_sequence

__all__ = [
    "ArrayTree",
    "count_classes",
    "count_statistics",
    "held_out_costs",
    "squared_errors",
    "weakest_link_sequence",
]
