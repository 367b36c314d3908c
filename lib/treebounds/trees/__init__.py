"""Concrete trees as arrays, into and out of scikit-learn; splitting criteria, and growing ID3.

A wrong argument of any function here is a ValueError that names it.
"""

from treebounds.trees.array_tree import *
from treebounds.trees.criteria import *
from treebounds.trees.id3 import *
from treebounds.trees.multiway import *
from treebounds.trees.multiway_drawing import *
from treebounds.trees.scikit_learn import *
from treebounds.trees.weakest_link import *
