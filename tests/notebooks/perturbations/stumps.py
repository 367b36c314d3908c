"""Perturbations of the claims of capacity/stumps."""

from itertools import islice, permutations
from math import comb as binomial

import numpy as np

from perturbing import Perturbation


def one_cut_fewer(chapter):
    """One cut of a feature fewer than Theorem 7 allows."""
    chapter.theorem_7 = lambda m, l: (
        sum(min(2 * l - 1, chapter.comb(m, k)) for k in range(1, m)) // 2
    )
    chapter.stump_partitioning_function = chapter.theorem_7


def go_round_the_circle(chapter):
    """A feature that goes round the circle in place of the zigzag."""
    chapter.zigzag = lambda m, i: [(i + step) % m for step in range(m)]


def leave_in_order(chapter):
    """Members leave in the order of their numbers, no brackets matched."""
    chapter.chain_down = lambda subset, m: (sorted(subset), [])


def lexicographic_permutations(chapter):
    """The first permutations in lexicographic order."""

    def optimal_stump_permutations(m):
        n_features = -(-chapter.comb(m, m // 2) // 2)
        return np.array(list(islice(permutations(range(m)), n_features)))

    chapter.optimal_stump_permutations = optimal_stump_permutations


def binomial_beside_the_middle(chapter):
    """The binomial beside the middle one."""
    chapter.comb = lambda d, k: binomial(d, k - 1)


def twice_the_features(chapter):
    """Twice the features, as for stumps."""
    chapter.cuts_need = chapter.stumps_need


PERTURBATIONS = {
    "L-thm7": [
        Perturbation(
            patch=one_cut_fewer,
        ),
        # One size more is used up on either side.
        Perturbation(
            replace={"(k, j + 1, m - j - 1)": "(k, j + 2, m - j - 2)"},
            start=["between = sympy.factor"],
            becomes="refuted",
        ),
    ],
    "L-thm7-eq1": [
        Perturbation(
            patch=go_round_the_circle,
            start=["few = [(m, l)"],
            becomes="refuted",
        ),
        # One cut of each feature is forgotten.
        Perturbation(
            replace={"(2*l, (k, 1, m - 1))": "(2*l, (k, 1, m - 2))"},
            start=["few_features ="],
            becomes="refuted",
        ),
        # The second arc starts further on.
        Perturbation(
            replace={"sympy.floor((k - 1)/2)": "sympy.floor(k/2)"},
            start=["leads = sympy.Matrix", "room = sympy.Matrix"],
            becomes="refuted",
        ),
    ],
    "L-thm7-eq2": [
        Perturbation(
            patch=leave_in_order,
            start=["many_counted ="],
            becomes="refuted",
        ),
        # Beyond the middle the binomials fall.
        Perturbation(
            replace={"(m, 2*k + 1 + s)": "(m, 2*k - s)"},
            start=["rise = sympy.factor"],
            becomes="refuted",
        ),
        # The empty part is counted.
        Perturbation(
            replace={"(all_sizes - 2) / 2": "(all_sizes - 1) / 2"},
            start=["rise = sympy.factor"],
            becomes="refuted",
        ),
    ],
    "L-thm7-eq3": [
        Perturbation(
            patch=lexicographic_permutations,
            becomes="refuted",
        ),
        # One feature fewer than there are chains.
        Perturbation(
            replace={"enough(m) + s": "enough(m) - 1 + s"},
            start=["saturated ="],
            becomes="refuted",
        ),
    ],
    "L-trivial": [
        # The gap without its 1.
        Perturbation(
            replace={"== l*(m - 1) + 1 - 2**(m - 1)": "== l*(m - 1) - 2**(m - 1)"},
            start=["def as_stated"],
            becomes="refuted",
        ),
        # The sizes 0 and m are counted, too.
        Perturbation(
            replace={"(terms - 2 * (2*l - 1)) / 2": "terms / 2"},
            start=["gap = sympy.expand", "estimate ="],
            becomes="refuted",
        ),
        # The two bounds are compared where they are equal.
        Perturbation(
            replace={"cut_off(m + e, m)": "cut_off(m, m + e)"},
            start=["gap = sympy.expand"],
            becomes="refuted",
        ),
    ],
    "L-cor8": [
        Perturbation(
            patch=binomial_beside_the_middle,
        ),
        # A binomial two steps from the middle.
        Perturbation(
            replace={"sympy.binomial(2*p + 1, p)": "sympy.binomial(2*p + 1, p - 2)"},
            start=["lacking ="],
            becomes="refuted",
        ),
        # As many features as the middle binomial asks for.
        Perturbation(
            replace={"sympy.Min(C - e, C)": "sympy.Min(C + e, C)"},
            start=["lacking ="],
            becomes="refuted",
        ),
    ],
    "L-gey": [
        Perturbation(
            patch=twice_the_features,
        ),
        # A binomial two steps from the middle.
        Perturbation(
            replace={"sympy.binomial(2*p + 1, p)": "sympy.binomial(2*p + 1, p - 2)"},
            start=["lacking ="],
            becomes="refuted",
        ),
    ],
}
