"""The figures of the chapter on how a tree grows are drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from reproduction.drawing import growing

X = np.array([[1.0, 0.5], [2.0, 0.5], [3.0, 1.0]])
y = np.array([0, 1, 2])
NAMES = ["a", "b", "c"]
TREE = (0, 1.5, "a", (1, 0.7, "b", "c"))
GREEDY = (0, 0.0, 0, 1)


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        (growing.costs, ()),
        (growing.gains, (X[:, 0], y, NAMES, np.array([1.5, 2.5]), [0.3, 0.1])),
        (growing.irises, (TREE, X, y, NAMES)),
        (growing.two_trees, (X, y, {"greedy": GREEDY, "best": GREEDY})),
    ],
)
def test_each_figure_has_axes(draw, arguments):
    draw(*arguments)
    assert plt.gcf().axes
