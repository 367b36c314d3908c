"""Concrete trees as arrays, into and out of scikit-learn; splitting criteria, and growing ID3.

A wrong argument of any function here is a ValueError that names it.
"""

from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.criteria import impurity, split_gain
from treebounds.trees.id3 import grow_id3
from treebounds.trees.multiway import MultiwayTree
from treebounds.trees.multiway_drawing import plot_multiway
from treebounds.trees.scikit_learn import collapse_classifier, plain_classifier
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence

__all__ = [
    "ArrayTree",
    "MultiwayTree",
    "WeakestLinkSequence",
    "collapse_classifier",
    "grow_id3",
    "impurity",
    "plain_classifier",
    "plot_multiway",
    "split_gain",
    "weakest_link_sequence",
]
