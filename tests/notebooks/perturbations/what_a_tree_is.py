"""Perturbations of the claims of trees/what-a-tree-is."""

import sympy

from perturbing import Perturbation


def random_trees_alone(chapter):
    """The random trees are enough to notice it."""
    chapter.all_trees = lambda depth: []


def every_example_reaches(chapter):
    """Every condition is solved by every example."""
    chapter.solutions = dict.fromkeys(chapter.solutions, sympy.true)


PERTURBATIONS = {
    "G-regions": Perturbation(
        patch=random_trees_alone,
        replace={"lo <= v < up": "lo <= v <= up"},
        start=["def inside(", "rng = np.random.default_rng(1)"],
        becomes="refuted",
    ),
    "G-exercise": Perturbation(
        patch=every_example_reaches,
        start=["agreeing = sum("],
        becomes="refuted",
    ),
}
