"""The figure of the chapter on trees of any size is drawn."""

import matplotlib.pyplot as plt

from reproduction.drawing import all_trees


def test_each_dimension_has_a_panel():
    all_trees.sizes({1: {1: 2, 2: 2}, 2: {1: 2, 2: 4, 3: 8, 4: 2}})
    assert [ax.get_title() for ax in plt.gcf().axes] == ["d = 1", "d = 2"]
