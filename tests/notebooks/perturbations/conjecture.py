"""Perturbations of the claims of capacity/conjecture."""

from perturbing import Perturbation


def exchange_two_examples(chapter):
    """Two examples of the first permutation change places."""

    def exchanged(orders):
        first, *others = orders
        return [[first[-1], *first[1:-1], first[0]], *others]

    chapter.lists = {m: exchanged(orders) for m, orders in chapter.lists.items()}


def reverse_the_permutations(chapter):
    """The same permutations in the opposite order."""
    chapter.lists = {m: orders[::-1] for m, orders in chapter.lists.items()}


PERTURBATIONS = {
    "L-conj": Perturbation(
        patch=exchange_two_examples,
    ),
    "N-nested": Perturbation(
        patch=reverse_the_permutations,
    ),
    # A stump that cannot exchange the labels of its leaves.
    "N-growth": Perturbation(
        replace={"{*firsts, *exchanged}": "set(firsts)"},
        start=["def labelings"],
    ),
}
