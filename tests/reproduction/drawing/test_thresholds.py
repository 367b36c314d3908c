"""The figure of the chapter on thresholds is drawn."""

import matplotlib.pyplot as plt

from reproduction.drawing import thresholds


def test_the_times_of_both_ways_are_drawn():
    sizes = [100, 200, 400]
    thresholds.times(
        {
            "simple way": (sizes, [0.1, 0.4, 1.6]),
            "clever way": (sizes, [0.01, 0.02, 0.05]),
        }
    )
    dashed_and_dots = 2 * 2
    assert len(plt.gcf().axes[0].lines) == dashed_and_dots
