"""Perturbations of the claims of random-trees/purity."""

from perturbing import Perturbation


def empty_leaf_is_a_tie(chapter):
    """An empty leaf is a tie, and does not inherit."""
    inheriting = chapter.classify
    chapter.classify = lambda plan, sample, pure, d: inheriting(
        plan, sample, pure, d, inherit=False
    )


PERTURBATIONS = {
    "N-purity": Perturbation(
        patch=empty_leaf_is_a_tie,
        start="def all_samples(",
        becomes="refuted",
    ),
}
