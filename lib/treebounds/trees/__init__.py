"""Concrete trees as arrays, into and out of scikit-learn; the weakest-link sequence."""

from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.errors import held_out_errors
from treebounds.trees.scikit_learn import collapse_classifier, plain_classifier
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence

__all__ = [
    "ArrayTree",
    "WeakestLinkSequence",
    "collapse_classifier",
    "held_out_errors",
    "plain_classifier",
    "weakest_link_sequence",
]
