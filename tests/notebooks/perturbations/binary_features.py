"""Perturbations of the claims of capacity/binary-features."""

from types import SimpleNamespace

from perturbing import Perturbation


def one_more_feature_under_theorem_1(chapter):
    """Theorem 1 with d + 2 in place of d + 1."""
    chapter.formula_1 = lambda d: chapter.floor(chapter.log2(d + 2)) + 1


def one_more_feature_under_theorem_2(chapter):
    """Theorem 2 with one feature more."""
    chapter.formula_2 = lambda N, d: chapter.floor(chapter.log2(d - N + 3)) + N


def one_leaf_more_under_theorem_3(chapter):
    """Theorem 3 with twice as many examples added."""
    chapter.formula_3 = lambda h, d: (
        2 ** (h - 1) * chapter.floor(chapter.log2(d - h + 2)) + 2**h
    )


def one_more_in_each_sum(chapter):
    chapter.sums = {case: value + 1 for case, value in chapter.sums.items()}


def one_more_above_three_leaves(chapter):
    """Algorithm 4 gives one more to trees with more than three leaves."""
    printed_rule = chapter.figure_4
    chapter.figure_4 = lambda T, d: printed_rule(T, d) + (T.n_leaves > 3)


def every_node_brings_an_example(chapter):
    chapter.exact = {
        case: case[0].n_internal_nodes + 1 for case in chapter.exact if case[1]
    }


def take_printed_values_for_exact(chapter):
    """Figure 6 as it is printed takes the place of the exact dimensions."""
    as_printed = {(a[0], b[0]): (a[1], b[1]) for a, b in chapter.pairs}
    chapter.exact_vc_dimension = lambda T, d, children="": SimpleNamespace(
        value=as_printed[chapter.lower(T, 3), chapter.lower(T, 4)][d - 3]
    )


def search_finds_the_printed_values(chapter):
    """The search and both of its checks find what the figure prints."""
    chapter.wrong = []
    chapter.same_as_printed = len(chapter.said)


def exchange_children_in_the_plain_search(chapter):
    """The paper's values, checked by a search that exchanges left and right."""
    search_finds_the_printed_values(chapter)
    chapter.again_fixed = sum(
        chapter.true[case].value == chapter.free[case].value for case in chapter.true
    )


def lose_a_certificate(chapter):
    search_finds_the_printed_values(chapter)
    chapter.verified = chapter.verified - 1


# The cells of computer algebra: later ones bind their symbols anew.
SYMBOLIC = ["bottom =", "of_chain =", "identities =", "condition =", "by_symbols =", "by_symbols |="]

PERTURBATIONS = {
    "Y-thm1": [
        Perturbation(
            patch=one_more_feature_under_theorem_1,
            start=["tried, built = range"],
            becomes="refuted",
        ),
        # The empty part counts as a split.
        Perturbation(
            replace={"2**(m - 1) - 1, k - 1": "2**(m - 1), k - 1"},
            start=SYMBOLIC,
            becomes="refuted",
        ),
    ],
    "Y-thm2": [
        Perturbation(
            patch=one_more_feature_under_theorem_2,
            start=["checks = {2:"],
            becomes="refuted",
        ),
        # The leaf of a node brings nothing.
        Perturbation(
            replace={"V(N) - V(N - 1) - 1": "V(N) - V(N - 1)"},
            start=SYMBOLIC,
            becomes="refuted",
        ),
        # A tree without a feature shatters nothing.
        Perturbation(
            replace={"{V(0): 1}": "{V(0): 0}"},
            start=SYMBOLIC,
            becomes="refuted",
        ),
    ],
    "Y-thm3": [
        Perturbation(
            patch=one_leaf_more_under_theorem_3,
            start=["checks = {2:"],
            becomes="refuted",
        ),
        # One of the two subtrees is a leaf.
        Perturbation(
            replace={"V(h) - 2*V(h - 1)": "V(h) - V(h - 1) - 1"},
            start=SYMBOLIC,
            becomes="refuted",
        ),
    ],
    "Y-thm4": [
        Perturbation(
            patch=one_more_in_each_sum,
            becomes="refuted",
        ),
        # No feature is used up.
        Perturbation(
            replace={"theorem_3(h - 1, d - 1)": "theorem_3(h - 1, d)"},
            start=SYMBOLIC,
            becomes="refuted",
        ),
    ],
    "Y-alg4": [
        Perturbation(
            patch=one_more_above_three_leaves,
            start=["held_4 = sum"],
            becomes="refuted",
        ),
        # The logarithm of d - h + 1.
        Perturbation(
            replace={"D - H + 2 >= 1": "D - H + 1 >= 1"},
            start=SYMBOLIC,
            becomes="refuted",
        ),
    ],
    # Chains as if every node brought an example.
    "L-mansour": Perturbation(
        patch=every_node_brings_an_example,
        start=["linear_chains = "],
        becomes="reproduced",
    ),
    "Y-exh": [
        Perturbation(patch=search_finds_the_printed_values, becomes="reproduced"),
        Perturbation(
            given=search_finds_the_printed_values,
            patch=exchange_children_in_the_plain_search,
            becomes="not reproduced",
        ),
        Perturbation(
            given=search_finds_the_printed_values,
            patch=lose_a_certificate,
            becomes="not reproduced",
        ),
    ],
    "Y-fig6-exact": Perturbation(
        patch=take_printed_values_for_exact,
        start=["ten = [T for L", "true = {", "wrong = ["],
        becomes="reproduced",
    ),
    "Y-fig6-gap": Perturbation(
        patch=take_printed_values_for_exact,
        start=["ten = [T for L", "true = {", "wrong = ["],
        becomes="verified",
    ),
}
