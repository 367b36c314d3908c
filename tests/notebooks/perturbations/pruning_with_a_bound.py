"""Perturbations of the claims of pruning/pruning-with-a-bound."""

from perturbing import Perturbation
from treebounds.risk import log_leaves_prior


def weight_of_all_structures(chapter):
    """Each structure with L leaves gets the whole weight of L."""
    chapter.log_structure_prior = log_leaves_prior


PERTURBATIONS = {
    "L-priors": [
        Perturbation(
            patch=weight_of_all_structures,
            start=["counted = [sum(1 for"],
            becomes="refuted",
        ),
        # Products of neighbors in place of squares.
        Perturbation(
            replace={"6 / (sympy.pi**2 * L**2)": "6 / (sympy.pi**2 * L * (L + 1))"},
            start=["over_leaves = sympy"],
            becomes="refuted",
        ),
    ],
    # A cut has to make the bound smaller by a twentieth.
    "L-alg3": Perturbation(
        replace={
            "if epsilon(best) > epsilon(tree)": (
                "if epsilon(best) > epsilon(tree) - 0.05"
            ),
        },
        start=["def algorithm_3(tree)", "agreements = []"],
        becomes="refuted",
    ),
}
