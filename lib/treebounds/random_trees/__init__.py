"""Random decision trees: moments of their generalization error over all samples and all trees."""

from treebounds.random_trees.distribution import *
from treebounds.random_trees.exact import *
from treebounds.random_trees.rules import *
from treebounds.random_trees.simulation import *
from treebounds.random_trees.two_trees import *
