"""Perturbations of the claims of capacity/conjecture."""

from perturbing import Perturbation


def exchange_two_examples(chapter):
    """Two examples of the first permutation change places."""
    best_permutations = chapter.optimal_stump_permutations

    def optimal_stump_permutations(m):
        rows = best_permutations(m).copy()
        rows[0, [0, -1]] = rows[0, [-1, 0]]
        return rows

    chapter.optimal_stump_permutations = optimal_stump_permutations


def reverse_the_permutations(chapter):
    """The same permutations in the opposite order."""
    best_permutations = chapter.optimal_stump_permutations
    chapter.optimal_stump_permutations = lambda m: best_permutations(m)[::-1]


PERTURBATIONS = {
    "L-conj": Perturbation(
        patch=exchange_two_examples,
    ),
    "N-nested": Perturbation(
        patch=reverse_the_permutations,
    ),
    # a stump that cannot exchange the labels of its leaves
    "N-growth": Perturbation(
        replace={"{*masks, *others}": "masks"},
    ),
}
