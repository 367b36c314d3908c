"""Perturbations of the claims of ensembles/bagging."""

from perturbing import Perturbation


def read_two_models_only(chapter):
    chapter.n_repeats = 30
    # The two models that the record reads.
    chapter.models = {name: chapter.models[name] for name in ("full tree", "linear")}


PERTURBATIONS = {
    # Samples without replacement.
    "G-bagging": Perturbation(
        given=read_two_models_only,
        replace={
            "rng.randint(0, size, (n_samples, size))": (
                "rng.rand(n_samples, size).argsort(axis=1)"
            ),
        },
        start=["sizes = [2, 3, 5", "rows = {}", "whole = {"],
        becomes="not reproduced",
    ),
}
