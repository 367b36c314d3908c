"""Perturbations of the claims of guide/a-tree-you-may-sign."""

import numpy as np

from perturbing import Perturbation
from treebounds.risk import certificate_table, coverage, tail_inversion


def leaves_of_few_cases_alone(chapter):
    """Of the settings one, in which 40 draws tell the level from twice the level."""
    chapter.n_draws = 40
    name = "leaves of few cases"
    setting = chapter.simulation.SETTINGS[name]
    chapter.patch_attribute(chapter.simulation, "SETTINGS", {name: setting})


def every_limit_at_the_whole_level(chapter):
    """Each part has a limit that fails with probability delta."""
    chapter.patch_attribute(
        certificate_table,
        "level_of_each",
        lambda delta, n_statements, is_monotone: delta,
    )


def quantile_as_tolerance(chapter):
    """The observed quantile covers the share in half of the draws only."""
    chapter.patch_attribute(
        coverage,
        "covering_tolerance",
        lambda sizes, coverage, delta: float(np.quantile(sizes, coverage)),
    )


def share_as_limit(chapter):
    """The observed share of cases that are off is no limit."""
    chapter.patch_attribute(
        tail_inversion, "binomial_tail_inversion", lambda k, n, log_gamma: k / n
    )


PERTURBATIONS = {
    "N-leaf": Perturbation(
        given=leaves_of_few_cases_alone,
        patch=every_limit_at_the_whole_level,
        start=["failures = {"],
        becomes="refuted",
    ),
    "N-tolerance": [
        Perturbation(
            patch=quantile_as_tolerance,
            start=["off = {"],
            becomes="refuted",
        ),
        Perturbation(
            patch=share_as_limit,
            start=["off = {"],
            becomes="refuted",
        ),
    ],
}
