"""Perturbations of the claims of pruning/by-the-textbook."""

import pandas as pd

from perturbing import Perturbation
from reproduction.experiments import tuned_trees


def complete_run(chapter):
    chapter.complete = True


def default_that_cuts_nearly_everything(chapter):
    """Another rule takes the place of the default; it cuts nearly everything."""
    chapter.DEFAULT = "Kearns-Mansour"


def complete_with_margin(chapter):
    chapter.complete = True
    chapter.margin = 5.0


def only_the_ratio_that_prunes_nearly_everything(chapter):
    """The held-out rows may choose one ratio only, which prunes nearly everything."""
    chapter.patch_attribute(tuned_trees, "RATIO_EXPONENTS", (0.05,))


def as_good_without_the_limit(chapter):
    """Limited trees lose or gain a little, by chance."""
    chapter.complete = True
    chapter.losses = {order: pd.Series([-0.01, 0.01]) for order in chapter.losses}


def a_limit_that_costs_accuracy(chapter):
    """Limited trees lose five points, in every order."""
    chapter.losses = {order: loss + 0.05 for order, loss in chapter.losses.items()}


PERTURBATIONS = {
    "L-forty": Perturbation(
        given=as_good_without_the_limit,
        patch=a_limit_that_costs_accuracy,
        becomes="not reproduced",
    ),
    "N-default": Perturbation(
        given=complete_run,
        patch=default_that_cuts_nearly_everything,
    ),
    "N-auto": Perturbation(
        flags=complete_with_margin,
        patch=only_the_ratio_that_prunes_nearly_everything,
        # What the claim does not read is left out.
        replace={
            "(chose, {})": "(chose, only)",
            "in sets.items()}": "in sets.items() if name == 'report'}",
        },
        start=["results = pd.concat(", "of = {name: over_sets("],
        becomes="not reproduced",
    ),
}
