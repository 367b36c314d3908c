"""The figure of the chapter on growth functions is drawn."""

import matplotlib.pyplot as plt

from builders import CHAIN
from reproduction.drawing import general_trees


def test_both_bounds_and_all_labelings_are_drawn():
    general_trees.band(CHAIN, 2, 100)
    assert len(plt.gca().lines) == 3
