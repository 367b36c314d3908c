"""Perturbations of the claims of pruning/pruning-with-a-bound."""

from perturbing import Perturbation
from treebounds.risk import log_leaves_prior


def weight_of_all_structures(chapter):
    """Each structure with L leaves gets the whole weight of L."""
    chapter.log_structure_prior = log_leaves_prior


PERTURBATIONS = {
    "L-priors": Perturbation(
        patch=weight_of_all_structures,
        start=["L, k = sympy.symbols"],
        becomes="refuted",
    ),
    # a cut has to make the bound smaller by a twentieth
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
