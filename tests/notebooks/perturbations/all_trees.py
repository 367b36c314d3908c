"""Perturbations of the claims of capacity/all-trees."""

from perturbing import Perturbation


def repeat_first_leaf(chapter):
    """The last leaf of a complete tree has the value of the first one."""
    complete_tree = chapter.complete_tree
    chapter.complete_tree = lambda values: complete_tree([*values[:-1], values[0]])


PERTURBATIONS = {
    "P-vc": Perturbation(
        patch=repeat_first_leaf,
        start=["def realized(d):"],
        becomes="refuted",
    ),
}
