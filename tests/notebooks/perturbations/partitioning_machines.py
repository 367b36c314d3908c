"""Perturbations of the claims of capacity/partitioning-machines."""

from perturbing import Perturbation


def labels_may_repeat(chapter):
    """Labels of different parts may be equal."""
    chapter.perm = lambda n, a: n**a


PERTURBATIONS = {
    "L-eq2": Perturbation(
        patch=labels_may_repeat,
        start=["equal = ["],
        becomes="refuted",
    ),
    "L-eq4": Perturbation(
        patch=labels_may_repeat,
        start=["def both_sides"],
        becomes="refuted",
    ),
    # Half of the partitions.
    "L-eq5": Perturbation(
        replace={"2**(d - 1) - 1": "2**(d - 2)"},
        start=["def by_equation_5", "vc_chain = by_equation_5"],
        becomes="refuted",
    ),
}
