"""Checks of arguments that the exact and the simulated moments share."""

from __future__ import annotations

from typing import Any

import numpy as np

from reproduction.random_trees.distribution import JointDistribution
from reproduction.random_trees.rules import StoppingRule
from treebounds._validation import check_instance, check_integer, check_option, shown


def check_system(
    distribution: Any,
    n_examples: Any,
    rule: Any,
    ties: Any = "lowest",
    empty: Any = "tie",
) -> int:
    """The number of examples, or a ValueError unless the arguments describe trees that
    can be grown.
    """
    check_instance(distribution, "distribution", JointDistribution)
    n_examples = check_integer(n_examples, "n_examples")
    check_instance(rule, "rule", StoppingRule)
    rule.depth(distribution.n_attributes)
    check_option(ties, "ties", ("lowest", "uniform"))
    check_option(empty, "empty", ("tie", "parent"))
    return n_examples


def generator(random_state: Any) -> np.random.Generator:
    """A generator from a seed or another generator."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be a seed or a numpy Generator; got"
            f" {shown(random_state)}"
        ) from None


def fold_size(n_examples: int, n_folds: Any) -> int:
    """Number of examples in each fold, or a ValueError.

    >>> from reproduction.random_trees._checks import fold_size
    >>> fold_size(20, 3)
    Traceback (most recent call last):
    ValueError: n_folds must divide n_examples; got 3 and 20
    """
    n_folds = check_integer(n_folds, "n_folds", minimum=2)
    if n_examples % n_folds:
        raise ValueError(
            f"n_folds must divide n_examples; got {n_folds} and {n_examples}"
        )
    return n_examples // n_folds
