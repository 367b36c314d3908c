"""Perturbations of the claims of random-trees/selection-rules."""

from perturbing import Perturbation

PERTURBATIONS = {
    # The smallest gain in place of the largest.
    "D-ext": Perturbation(
        replace={
            "gains[a] >= max(gains.values()) - 1e-12": (
                "gains[a] <= min(gains.values()) + 1e-12"
            ),
        },
        start=["def end_of_path(", "by_conditions = ["],
        becomes="refuted",
    ),
}
