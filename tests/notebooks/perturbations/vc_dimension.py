"""Perturbations of the claims of capacity/vc-dimension."""

import treebounds as tb
from perturbing import Perturbation


def both_ends_count(chapter):
    """As if both ends of every order counted: 2 l in place of l under g."""
    stump = tb.capacity.stump_vc_dimension
    chapter.lower = lambda T, l: 1 + T.n_internal_nodes * stump(l)


PERTURBATIONS = {
    "N-shape": Perturbation(
        patch=both_ends_count,
        becomes="refuted",
    ),
    # As if the nodes of the subtree had groups of their own beside its sample
    "N-subtree": Perturbation(
        replace={
            "(T.n_internal_nodes - B.n_internal_nodes) * g(l)": (
                "T.n_internal_nodes * g(l)"
            ),
        },
        becomes="refuted",
    ),
}
