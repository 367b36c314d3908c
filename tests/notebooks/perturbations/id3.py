"""Perturbations of the claims of categorical/id3."""

from perturbing import Perturbation


def sides_count_the_same(chapter):
    """Each side of a split counts the same, whatever its size."""
    weighted = chapter.gain_in_table
    chapter.gain_in_table = lambda table, C: weighted(
        [(row[0], row[1]) if sum(row) < 2 else (row[0] // 2, row[1]) for row in table],
        C,
    )


def last_of_equal_gains(chapter):
    """The last of several equal gains."""
    first_of_equals = chapter.id3
    chapter.id3 = lambda X, y, features, values, gain: first_of_equals(
        X, y, features[::-1], values, gain
    )


PERTURBATIONS = {
    "N-gain": Perturbation(
        patch=sides_count_the_same,
        start=["tables = [((a, b), (c, d))"],
        becomes="refuted",
    ),
    "P-id3": Perturbation(
        patch=last_of_equal_gains,
        start=["cube = list(product"],
        becomes="refuted",
    ),
}
