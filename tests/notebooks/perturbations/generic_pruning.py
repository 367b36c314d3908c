"""Perturbations of the claims of categorical/generic-pruning."""

from perturbing import Perturbation


def estimate_without_size(chapter):
    """The estimate forgets the size of the tree."""
    both = chapter.both_estimates

    def both_estimates(name, X, y, m):
        ours, plain = both(name, X, y, m)
        return ours, lambda t: plain(t) + 0.2 * (chapter.n_nodes(t) > 3)

    chapter.both_estimates = both_estimates


PERTURBATIONS = {
    "P-prune": Perturbation(
        patch=estimate_without_size,
        start=["equal = compared = grafts = 0"],
        becomes="not reproduced",
    ),
}
