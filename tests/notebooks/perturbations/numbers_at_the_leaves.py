"""Perturbations of the claims of capacity/numbers-at-the-leaves."""

from perturbing import Perturbation

PERTURBATIONS = {
    # As if all pairs had one threshold
    "N-regression": Perturbation(
        replace={
            "np.array_equal(found > t, pattern == 1)": (
                "np.array_equal(found > 0 * t, pattern == 1)"
            ),
        },
        start=["def right_patterns"],
        becomes="refuted",
    ),
}
