"""The figures of the chapter on stumps are drawn."""

import matplotlib.pyplot as plt
import pytest

from reproduction.drawing import stumps

ORDERS = [[0, 1, 2, 3, 4], [1, 3, 0, 4, 2]]


@pytest.mark.parametrize(
    "draw",
    [
        stumps.four_points,
        lambda: stumps.cuts({"first": ORDERS[0], "second": ORDERS[1]}),
        stumps.trivial_bound,
        lambda: stumps.zigzags([range(8), range(7, -1, -1)]),
        stumps.vc_dimensions,
    ],
)
def test_each_figure_has_axes(draw):
    draw()
    assert plt.gcf().axes
