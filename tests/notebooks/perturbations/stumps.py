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
    "L-thm7": Perturbation(
        patch=one_cut_fewer,
    ),
    "L-thm7-eq1": Perturbation(
        patch=go_round_the_circle,
    ),
    "L-thm7-eq2": Perturbation(
        patch=leave_in_order,
    ),
    "L-thm7-eq3": Perturbation(
        patch=lexicographic_permutations,
    ),
    # the gap without its 1
    "L-trivial": Perturbation(
        replace={"l*(m - 1) + 1 - 2**(m - 1)": "l*(m - 1) - 2**(m - 1)"},
    ),
    "L-cor8": Perturbation(
        patch=binomial_beside_the_middle,
    ),
    "L-gey": Perturbation(
        patch=twice_the_features,
    ),
}
