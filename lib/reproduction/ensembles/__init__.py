"""Many trees: bootstrap samples, boosting, gradient and Newton boosting, in a few lines each.

The functions take a training set and return what was fitted. They are for reading, and for checking the
libraries that everyone uses, to which they are equal (see each function). For large data use those libraries.
"""

from reproduction.ensembles.additive import AdditiveModel
from reproduction.ensembles.bagging import bootstrap_coverage, bootstrap_sample
from reproduction.ensembles.boosting import Stump, adaboost, best_stump, forward_stagewise
from reproduction.ensembles.gradient import gradient_boosting
from reproduction.ensembles.newton import (
    NewtonNode,
    best_newton_split,
    grow_newton_tree,
    leaf_weight,
    newton_boosting,
    structure_score,
)

__all__ = [
    "AdditiveModel",
    "NewtonNode",
    "Stump",
    "adaboost",
    "best_newton_split",
    "best_stump",
    "bootstrap_coverage",
    "bootstrap_sample",
    "forward_stagewise",
    "gradient_boosting",
    "grow_newton_tree",
    "leaf_weight",
    "newton_boosting",
    "structure_score",
]
