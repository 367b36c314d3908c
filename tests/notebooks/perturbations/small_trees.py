"""Perturbations of the claims of capacity/small-trees."""

from perturbing import Perturbation

PERTURBATIONS = {
    # As the formula that fits up to four nodes would go on
    "N-l2": Perturbation(
        replace={
            "{1: 3, 2: 5, 3: 8, 4: 10, 5: 12}": (
                "{N: (5 * N + 1) // 2 for N in range(1, 6)}"
            ),
        },
        start=["DIMENSION = {"],
        becomes="refuted",
    ),
}
