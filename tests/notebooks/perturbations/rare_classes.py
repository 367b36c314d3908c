"""Perturbations of the claims of guide/rare-classes."""

from perturbing import Perturbation
from reproduction.experiments import rare_classes as experiment
from treebounds.pruning import weights


def small_and_plain_sets(chapter):
    chapter.real = ["hmda", "default"]
    chapter.simulated = ["simulated 0", "simulated 4"]
    chapter.N_REAL = 2
    chapter.N_SIMULATED = 2
    chapter.n_splits = 3

    # A sixth of the rows, for time.
    chapter.patch_attribute(
        experiment,
        "sample",
        lambda name, draw, whole=experiment.sample: [
            part[:1000] for part in whole(name, draw)
        ],
    )


def unit_of_weight_is_an_example(chapter):
    """Every unit of weight counts as one example."""
    chapter.patch_attribute(weights, "effective_scale", lambda values: 1.0)


PERTURBATIONS = {
    "N-weights": Perturbation(
        given=small_and_plain_sets,
        patch=unit_of_weight_is_an_example,
        start=["here = readable(", "held = {"],
        becomes="not reproduced",
    ),
}
