"""Perturbations of the claims of capacity/general-trees."""

from perturbing import Perturbation


def one_end_per_feature(chapter):
    """A feature has one end."""
    chapter.formula = lambda N, n, l: n * (1 + (n - 1) * l * chapter.y) ** N


def same_structure_on_both_sides(chapter):
    """The same structure on both sides."""
    chapter.of_two_stumps = chapter.by_recursion(chapter.CHAIN_3, 60, 2)


PERTURBATIONS = {
    "N-labels": Perturbation(
        patch=one_end_per_feature,
        replace={"def formula": "def as_it_was"},
        start=["coefficientwise = ["],
        becomes="refuted",
    ),
    # A label may stay the same from one leaf to the next.
    "N-growth-order": Perturbation(
        replace={"((n - 1) * prefixes(W, l))**j": "(n * prefixes(W, l))**j"},
        start=["def low(", "reached = ["],
        becomes="refuted",
    ),
    "N-shape-growth": Perturbation(
        patch=same_structure_on_both_sides,
        becomes="refuted",
    ),
}
