"""Perturbations of the claims of capacity/vc-dimension."""

from perturbing import Perturbation

PERTURBATIONS = {
    # As if both ends of every order counted: 2 l in place of l under g
    "N-shape": Perturbation(
        replace={
            "1 + T.n_internal_nodes * g(l)": (
                "1 + T.n_internal_nodes * stump_vc_dimension(l)"
            ),
        },
        start=["between = ["],
        becomes="refuted",
    ),
    # As if the nodes of the subtree had groups of their own beside its sample
    "N-subtree": Perturbation(
        replace={
            "(T.n_internal_nodes - B.n_internal_nodes) * g(l)": (
                "T.n_internal_nodes * g(l)"
            ),
        },
        start=["def promised(T, l)", "attained = []"],
        becomes="refuted",
    ),
}
