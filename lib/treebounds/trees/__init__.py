"""Concrete trees: arrays of nodes, into and out of scikit-learn."""

from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.scikit_learn import collapse_classifier

__all__ = ["ArrayTree", "collapse_classifier"]
