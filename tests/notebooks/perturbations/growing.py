"""Perturbations of the claims of trees/growing."""

from perturbing import Perturbation


def add_the_share_on_the_right(chapter):
    """A split gains from the share of examples on its right."""
    gain_as_defined = chapter.gain
    chapter.gain = lambda cost, y, right: (
        gain_as_defined(cost, y, right) + right.mean() / 10
    )


PERTURBATIONS = {
    "G-greedy": Perturbation(
        patch=add_the_share_on_the_right,
        start=["rows = []\nfor name in [*data_names", "nodes = int(comparison"],
        becomes="refuted",
    ),
}
