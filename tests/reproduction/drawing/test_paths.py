"""The figures of the chapter on the paths of a random tree can be drawn."""

from fractions import Fraction

import matplotlib.pyplot as plt

from reproduction.drawing import paths


def test_both_paths_have_their_leaves():
    figure = paths.two_paths()
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {"leaf of x", "leaf of x′"} <= set(texts)
    assert texts.count("d") == 2


def test_the_repaired_weights_have_one_line():
    sums = [Fraction(1, 2), Fraction(1, 3)]
    keys = [("height", 3), ("last", 3), ("last", 4)]
    table = {(*key, is_whole): sums for key in keys for is_whole in (False, True)}
    paths.sums_of_weights(table)
    labels = [line.get_label() for line in plt.gca().lines]
    assert len(labels) == 4
    assert labels[-1] == "repaired, all three"
