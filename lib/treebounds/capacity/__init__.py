"""The number of functions that trees of a structure realize, and bounds on their VC
dimension.
"""

# The rooms of this floor, by the question that each of them answers.
#
# How many labelings does a structure realize, at most?
#   growth             in integers
#   log_growth         its logarithm, for any size
#   closed             by formulas without a recursion
#   _recursion         the recursion over the nodes, for both of the next two
#   _exact_recursion   in integers
#   _log_recursion     in logarithms
#   _log_convolution   its sums, which take the most time
# How many, at least, or in other cases?
#   lower              at least
#   stumps             of a single node, exactly
#   all_structures     of all structures with as many leaves
#   partitions         without regard to the labels
#   many_stumps        of sums of stumps
# How many examples are shattered?
#   vc_dimension       bounds from both sides, also of sums of trees
#   natarajan          for more than two classes
#   shattering         a sample that is shattered
#   realizing          the tree that gives it some labels
#   _arrangement       how such a tree is drawn
#   _small_samples     samples that small trees shatter, found by search
#   _orders            orders in which every subset of examples is a prefix
# What all of them use
#   features           kinds of columns
#   _trees             what a caller may give as a tree
#   _ensembles         the trees of a model that adds them
#   _labelings         numbers of all partitions and labelings
#   _binomials         binomial coefficients, and sums of them
#   _logs              arithmetic with numbers that are kept as logarithms

from treebounds.capacity.all_structures import (
    all_structures_growth_bound,
    log_all_structures_growth_bound,
)
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.growth import (
    growth_function_bound,
    partitioning_function_bound,
)
from treebounds.capacity.log_growth import log_growth_function_bound
from treebounds.capacity.lower import (
    growth_function_lower_bound,
    log_growth_function_lower_bound,
)
from treebounds.capacity.natarajan import (
    natarajan_dimension_lower_bound,
    natarajan_dimension_upper_bound,
)
from treebounds.capacity.realizing import realizing_tree
from treebounds.capacity.shattering import shattered_sample
from treebounds.capacity.stumps import (
    one_sided_stump_vc_dimension,
    stump_partitioning_function,
    stump_vc_dimension,
)
from treebounds.capacity.vc_dimension import (
    pseudo_dimension_lower_bound,
    pseudo_dimension_upper_bound,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)

__all__ = [
    "FeatureKinds",
    "all_structures_growth_bound",
    "growth_function_bound",
    "growth_function_lower_bound",
    "log_all_structures_growth_bound",
    "log_growth_function_bound",
    "log_growth_function_lower_bound",
    "natarajan_dimension_lower_bound",
    "natarajan_dimension_upper_bound",
    "one_sided_stump_vc_dimension",
    "partitioning_function_bound",
    "pseudo_dimension_lower_bound",
    "pseudo_dimension_upper_bound",
    "realizing_tree",
    "shattered_sample",
    "stump_partitioning_function",
    "stump_vc_dimension",
    "vc_dimension_lower_bound",
    "vc_dimension_upper_bound",
]
