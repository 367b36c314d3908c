"""The figure of the chapter on generic pruning is drawn."""

import matplotlib.pyplot as plt

from reproduction.drawing import generic_pruning
from reproduction.multiway import grow_id3


def test_both_trees_are_drawn():
    tree = grow_id3([[0, 0, 0], [1, 0, 1]], [0, 1], [2, 2, 2], 2)
    generic_pruning.grafted(tree, tree)
    assert [bool(ax.texts) for ax in plt.gcf().axes] == [True, True]
