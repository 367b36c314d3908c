"""Perturbations of the claims of ensembles/what-many-trees-cost."""

from perturbing import Perturbation

PERTURBATIONS = {
    # Each tree begins with the sign of the first tree instead of the last leaf of the
    # tree before.
    "N-many": Perturbation(
        replace={
            "start, sign = start + N, sign * (-1) ** N": (
                "start, sign = start + N, first"
            ),
        },
        start=["def sum_of_trees", "def right_labelings", "checks = {"],
        becomes="refuted",
    ),
    # The sum begins at 0 behind the part, not at the value of the part.
    "N-part": Perturbation(
        replace={"level = total[-1]": "level = 0"},
        start=["def labels_with_part", "def right_with_part"],
        becomes="refuted",
    ),
}
