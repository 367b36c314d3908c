"""Perturbations of the claims of capacity/general-trees-further."""

from functools import cache

from perturbing import Perturbation


def labels_differ_between_sides(chapter):
    """Leaves on different sides never have the same label."""
    chapter.coefficient = lambda a, b, c: int(c == a + b)


def two_sets_per_feature_however_few(chapter):
    """A cut has 2 l sets on its ends, however few there are."""
    chapter.min = lambda first, second: first


def constants_are_not_counted_apart(chapter):
    """Constant labelings are not counted apart."""

    @cache
    def by_product(T, n, m, l):
        if T.is_leaf or m <= T.n_leaves:
            return n if T.is_leaf else n**m
        total = sum(
            min(2 * l, chapter.comb(m, k))
            * chapter.by_product(T.left, n, k, l)
            * chapter.by_product(T.right, n, m - k, l)
            for k in range(T.left.n_leaves, m - T.right.n_leaves + 1)
        )
        return n + (total // 2 if T.left is T.right else total)

    chapter.by_product = by_product


def factor_as_printed(chapter):
    """The factor as printed."""
    chapter.n_terms = lambda T, m: m - T.n_leaves


PERTURBATIONS = {
    "L-thm9": Perturbation(
        patch=labels_differ_between_sides,
        becomes="refuted",
    ),
    "L-thm9-stump": Perturbation(
        patch=two_sets_per_feature_however_few,
        start=["right = [by_parts"],
        becomes="refuted",
    ),
    "N-parts": [
        Perturbation(
            patch=constants_are_not_counted_apart,
            start=["few_cases = ["],
            becomes="refuted",
        ),
        # The last term of the sum is missing.
        Perturbation(
            replace={"a + b + 1))) == 0": "a + b))) == 0"},
            becomes="refuted",
        ),
    ],
    # A feature has one end.
    "N-closed": Perturbation(
        replace={"(2 * l)**T.n_internal_nodes": "l**T.n_internal_nodes"},
        start=["def closed("],
        becomes="refuted",
    ),
    # Twice as many orders as features.
    "N-growth-low": Perturbation(
        replace={"min(l, comb(M, k))": "min(2 * l, comb(M, k))"},
        start=["def promised(", "reached = ["],
        becomes="refuted",
    ),
    # One label fewer to choose.
    "N-all": Perturbation(
        replace={"n**(N + 1) * l**N": "n**N * l**N"},
        start=["def by_adding", "def together"],
        becomes="refuted",
    ),
    # The constant term of the equation.
    "N-series": Perturbation(
        replace={"n * (n - 1) * (j == 1)": "(n - 1)**2 * (j == 1)"},
        start=["def series(", "fits = [", "concave = ["],
        becomes="refuted",
    ),
    "L-loose-bound": [
        Perturbation(
            patch=factor_as_printed,
            start=["mended = ["],
            becomes="refuted",
        ),
        # If nothing was missing, there would be nothing to correct.
        Perturbation(
            replace={"return m - T.n_leaves\n": "return m - T.n_leaves + 1\n"},
            start=["def printed_factor", "below_count = ["],
            becomes="refuted",
        ),
        # Theorem 9 with twice the features of the form that replaces it.
        Perturbation(
            replace={"by_product(T, 2, m, l)\n": "by_product(T, 2, m, 2 * l)\n"},
            start=["mended = ["],
            becomes="refuted",
        ),
    ],
    "N-loose": Perturbation(
        patch=factor_as_printed,
        start=["mended = ["],
        becomes="refuted",
    ),
}
