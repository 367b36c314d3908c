"""Perturbations of the claims of capacity/partitioning-machines."""

from perturbing import Perturbation


def labels_may_repeat(chapter):
    """Labels of different parts may be equal."""
    chapter.perm = lambda n, a: n**a


PERTURBATIONS = {
    "L-eq2": Perturbation(
        patch=labels_may_repeat,
        becomes="refuted",
    ),
    "L-eq4": Perturbation(
        patch=labels_may_repeat,
        becomes="refuted",
    ),
    # half of the partitions
    "L-eq5": Perturbation(
        replace={"2**(d - 1) - 1": "2**(d - 2)"},
        becomes="refuted",
    ),
}
