"""Perturbations of the claims of guide/a-tree-you-may-sign."""

import numpy as np

from perturbing import Perturbation
from treebounds.risk import by_group, questions


def more_draws(chapter):
    chapter.n_draws = 150


def every_limit_at_the_whole_level(chapter):
    """Each part has a limit that fails with probability delta."""
    chapter.patch_attribute(
        by_group, "level_of_each", lambda delta, n_statements, is_monotone: delta
    )


def quantile_as_tolerance(chapter):
    """The observed quantile covers the share in half of the draws only."""
    chapter.patch_attribute(
        questions,
        "covering_tolerance",
        lambda sizes, coverage, delta: float(np.quantile(sizes, coverage)),
    )


def share_as_limit(chapter):
    """The observed share of cases that are off is no limit."""
    chapter.patch_attribute(
        questions, "binomial_tail_inversion", lambda k, n, log_gamma: k / n
    )


PERTURBATIONS = {
    "N-leaf": Perturbation(
        given=more_draws,
        patch=every_limit_at_the_whole_level,
        start=["failures = {"],
        becomes="refuted",
    ),
    "N-tolerance": [
        Perturbation(
            given=more_draws,
            patch=quantile_as_tolerance,
            start=["off = {"],
            becomes="refuted",
        ),
        Perturbation(
            given=more_draws,
            patch=share_as_limit,
            start=["off = {"],
            becomes="refuted",
        ),
    ],
}
