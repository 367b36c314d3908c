"""Perturbations of the claims of pruning/trees-as-messages."""

import numpy as np

from perturbing import Perturbation


def decode_the_other_side(chapter):
    """The decoder takes the other side of the last split."""
    decode_as_printed = chapter.decode

    def broken_decode(values, message):
        sides = message.sides
        if sides:
            sides = (*sides[:-1], 1 - sides[-1])
        return decode_as_printed(values, message._replace(sides=sides))

    chapter.decode = broken_decode
    chapter.n_jobs = 1


def first_example_on_either_side(chapter):
    """Each node takes the first example that reaches it, on whichever side."""

    def first_ones(tree, X):
        first = {}
        for i, node in enumerate(tree.apply(X)):
            while node >= 0:
                first.setdefault(int(node), i)
                node = tree.parents[node]
        return [first[node] for node in np.flatnonzero(~tree.is_leaf)]

    chapter.first_ones = first_ones

    chapter.n_jobs = 1


PERTURBATIONS = {
    "C-code": Perturbation(
        patch=decode_the_other_side,
        start=["def rebuilt"],
        becomes="refuted",
    ),
    "C-distinct": Perturbation(
        patch=first_example_on_either_side,
        replace={
            "own += len(np.unique(kept))": (
                "own += len(np.unique(first_ones(one.tree, X)))"
            ),
        },
        start=["def rebuilt"],
        becomes="refuted",
    ),
}
