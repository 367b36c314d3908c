"""Perturbations of the claims of random-trees/choosing-the-validation."""

from types import SimpleNamespace

import numpy as np

from perturbing import Perturbation


def same_input_distribution_twice(chapter):
    """The same distribution of the input twice."""
    chapter.noise = [chapter.system((1, 1, 1, 1), 1), chapter.system((2, 2, 2, 2), 1)]
    chapter.coins = [chapter.by_listing(p, 3, 3) for p in chapter.noise]
    chapter.same_moments = [moments[1:2] + moments[3:] for moments in chapter.coins]


def independent_folds(chapter):
    """Independent folds."""

    def library(p, n, k):
        joint = chapter.JointDistribution(
            np.reshape(
                [float(w) for w in p.values()], (2,) * (len(next(iter(p))[0]) + 1)
            )
        )
        fold = chapter.hold_out_moments(
            joint, n - n // k, n // k, chapter.StoppingRule(height=1)
        )
        return SimpleNamespace(variance=fold.variance / k)

    chapter.library = library


PERTURBATIONS = {
    "D-hecele": Perturbation(
        patch=same_input_distribution_twice,
        becomes="not reproduced",
    ),
    "N-cv": Perturbation(
        patch=independent_folds,
        start=["agree = ["],
        becomes="not reproduced",
    ),
}
