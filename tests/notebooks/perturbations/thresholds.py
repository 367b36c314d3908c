"""Perturbations of the claims of categorical/thresholds."""

from perturbing import Perturbation


def three_sizes(chapter):
    chapter.sorted_sizes = [100, 200, 400]


def look_at_every_pair(chapter):
    """The sorted way looks at every pair, too."""
    chapter.sorted_cut = chapter.naive_cut


PERTURBATIONS = {
    "P-thresholds": Perturbation(
        given=three_sizes,
        patch=look_at_every_pair,
        start=["d = 2\nnaive_steps"],
        becomes="not reproduced",
    ),
}
