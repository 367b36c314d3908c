"""Moments of the generalization error of random decision trees over all samples and all
trees.
"""

from reproduction.random_trees.distribution import JointDistribution
from reproduction.random_trees.exact import (
    ErrorMoments,
    class_probabilities,
    error_moments,
)
from reproduction.random_trees.rules import StoppingRule
from reproduction.random_trees.simulation import (
    SimulatedMoments,
    enumerated_moments,
    simulate_averages,
    simulate_cross_validation,
    simulate_errors,
    simulate_moments,
)
from reproduction.random_trees.two_trees import (
    cross_validation_moments,
    hold_out_moments,
    two_tree_covariance,
)

__all__ = [
    "ErrorMoments",
    "JointDistribution",
    "SimulatedMoments",
    "StoppingRule",
    "class_probabilities",
    "cross_validation_moments",
    "enumerated_moments",
    "error_moments",
    "hold_out_moments",
    "simulate_averages",
    "simulate_cross_validation",
    "simulate_errors",
    "simulate_moments",
    "two_tree_covariance",
]
