"""Perturbations of the claims of pruning/by-the-textbook."""

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


PERTURBATIONS = {
    "N-default": Perturbation(
        given=complete_run,
        patch=default_that_cuts_nearly_everything,
    ),
    "N-auto": Perturbation(
        flags=complete_with_margin,
        patch=only_the_ratio_that_prunes_nearly_everything,
        # what the claim does not read is left out
        replace={
            "(chose, {})": "(chose, only)",
            "in sets.items()}": "in sets.items() if name == 'report'}",
        },
        start=["results = pd.concat(", "is_noisy = experiment.noisy("],
        becomes="not reproduced",
    ),
}
