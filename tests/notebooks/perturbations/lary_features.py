"""Perturbations of the claims of capacity/lary-features."""

from perturbing import Perturbation


def one_example_less(chapter):
    """One example less."""
    chapter.formula = lambda values: max(
        1, chapter.lary_vc_dimension_upper_bound(values) - 1
    )


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


PERTURBATIONS = {
    "Y-thm5": Perturbation(
        patch=one_example_less,
        becomes="refuted",
    ),
    "Y-thm6": Perturbation(
        patch=leave_no_feature_out,
        becomes="refuted",
    ),
    "Y-alg5": Perturbation(
        patch=correct_the_algorithm,
        becomes="verified",
    ),
}
