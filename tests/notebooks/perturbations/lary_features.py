"""Perturbations of the claims of capacity/lary-features."""

from perturbing import Perturbation


def one_example_less(chapter):
    """One example less."""
    formula = chapter.formula
    chapter.formula = lambda values: max(1, formula(values) - 1)


def leave_no_feature_out(chapter):
    """No feature is left out."""
    chapter.held_6 = sum(
        chapter.true[T, v] >= sum(chapter.vc(child, v) for child in T)
        for T, v in chapter.sums
    )


def correct_the_algorithm(chapter):
    """The corrected algorithm."""
    chapter.too_high = [
        case
        for case in chapter.cases
        if chapter.corrected_5(*case) > chapter.cases[case]
    ]


# The cells of computer algebra: later ones bind their symbols anew.
ONE_NODE = ["largest =", "shared =", "of_one_node ="]
TREES = ["largest =", "of_chain =", "binary_trees =", "by_symbols ="]

PERTURBATIONS = {
    "Y-thm5": [
        Perturbation(
            patch=one_example_less,
            becomes="not reproduced",
        ),
        # Each split is counted for either side.
        Perturbation(
            replace={"(subsets - 2) / 2": "subsets - 2"},
            start=ONE_NODE,
            becomes="not reproduced",
        ),
        # The groupings have no piece in common.
        Perturbation(
            replace={"pieces = 2*L - promised": "pieces = 1 + 0*L"},
            start=ONE_NODE,
            becomes="not reproduced",
        ),
    ],
    "Y-thm6": [
        Perturbation(
            patch=leave_no_feature_out,
            becomes="refuted",
        ),
        # A node of a chain has c leaves beside the next one.
        Perturbation(
            replace={"V(N) - V(N - 1) - (c - 1)": "V(N) - V(N - 1) - c"},
            start=TREES,
            becomes="refuted",
        ),
        # No feature is used up.
        Perturbation(
            replace={"bottom(d - h + 1)": "bottom(d)"},
            start=TREES,
            becomes="refuted",
        ),
    ],
    "Y-alg5": Perturbation(
        patch=correct_the_algorithm,
        becomes="verified",
    ),
}
