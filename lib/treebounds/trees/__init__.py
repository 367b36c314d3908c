"""Concrete trees: arrays of nodes, into and out of scikit-learn."""

from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.growing import GROWTH_ORDERS, grow_tree
from treebounds.trees.scikit_learn import collapse_classifier

__all__ = ["GROWTH_ORDERS", "ArrayTree", "collapse_classifier", "grow_tree"]
