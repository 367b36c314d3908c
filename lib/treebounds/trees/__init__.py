"""Concrete trees as arrays, read from scikit-learn and elsewhere; the weakest-link sequence."""

from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.errors import count_classes, held_out_errors
from treebounds.trees.scikit_learn import collapse_classifier, plain_classifier
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence
