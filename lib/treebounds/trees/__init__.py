"""Concrete trees as arrays, read from scikit-learn and elsewhere; the weakest-link
sequence.
"""

from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.errors import count_classes
from treebounds.trees.scikit_learn import collapse_classifier
from treebounds.trees.weakest_link import weakest_link_sequence
