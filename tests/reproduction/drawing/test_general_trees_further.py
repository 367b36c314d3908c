"""The figures of the second chapter on growth functions are drawn."""

import matplotlib.pyplot as plt
import pytest

from reproduction.drawing import general_trees_further as drawing


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        (drawing.matchings, (2, 1, [[(0, 0)], [(1, 0)]])),
        (drawing.shapes, ()),
        (drawing.forms, (30, 60)),
    ],
)
def test_each_figure_has_axes(draw, arguments):
    draw(*arguments)
    assert plt.gcf().axes
