"""Perturbations of the claims of random-trees/error-of-an-algorithm."""

from perturbing import Perturbation


def weigh_by_the_label(chapter):
    """An input has the probability of its label, not that of the other one."""
    chapter.risk = {(x, y): chapter.q[x, y] for x, y in chapter.q}


PERTURBATIONS = {
    "D-eq12": Perturbation(
        patch=weigh_by_the_label,
        start=["by_inputs = ["],
        becomes="refuted",
    ),
}
