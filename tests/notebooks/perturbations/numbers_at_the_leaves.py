"""Perturbations of the claims of capacity/numbers-at-the-leaves."""

from perturbing import Perturbation

PERTURBATIONS = {
    # As if all pairs had one threshold
    "N-regression": Perturbation(
        replace={
            "int(predict(tree, x) > s)": "int(predict(tree, x) > 0 * s)",
        },
        start=["def right_patterns", "runs = [right_patterns"],
        becomes="refuted",
    ),
}
