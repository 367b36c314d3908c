"""Perturbations of the claims of capacity/feature-kinds."""

from perturbing import Perturbation

PERTURBATIONS = {
    # A split on a finite feature multiplies by n S in place of 2 n S.
    "N-kinds": Perturbation(
        replace={"((1 + 2*n*S) + 2": "((1 + n*S) + 2"},
        start=["def formula(", "smaller = [all("],
        becomes="refuted",
    ),
}
