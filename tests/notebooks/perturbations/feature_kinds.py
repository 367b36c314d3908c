"""Perturbations of the claims of capacity/feature-kinds."""

from perturbing import Perturbation


def half_of_the_splits_on_finite_features(chapter):
    """A split on a finite feature multiplies by n S in place of 2 n S."""
    chapter.formula = lambda N, n, l, S: [
        n * chapter.comb(N, j) * (1 + n * S) ** (N - j) * (2 * (n - 1) * l) ** j
        for j in range(N + 1)
    ]


PERTURBATIONS = {
    "N-kinds": Perturbation(
        patch=half_of_the_splits_on_finite_features,
        becomes="refuted",
    ),
}
