"""The figures of the chapter on what many trees cost can be drawn."""

import matplotlib.pyplot as plt
import numpy as np

from reproduction.drawing import what_many_trees_cost


def test_an_example_stands_at_the_sum_of_its_interval():
    panel = ("obacd", (2, 4), (0, -2, 0), "labels 1, 0, 1, 0, 1")
    what_many_trees_cost.levels(panel, panel)
    texts = plt.gcf().axes[0].texts
    places = {text.get_text(): text.get_position()[1] for text in texts}
    assert [places[name] for name in "obacd"] == [0, 0, -2, -2, 0]


def test_each_kind_of_point_is_drawn():
    points = np.array([[0, 1], [1, 0], [2, 3], [3, 2]])
    what_many_trees_cost.nets(points[:2], [1, 0], points, points[::-1])
    lengths = [len(line.get_xdata()) for line in plt.gca().lines]
    assert lengths == [4, 4, 1, 1]
