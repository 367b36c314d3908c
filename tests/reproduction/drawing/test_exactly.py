"""The figures of the chapter on exact errors of random trees can be drawn."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np

from reproduction.drawing import exactly


def test_the_curve_has_its_points_and_the_bayes_error():
    moments = SimpleNamespace(mean=0.3, standard_deviation=0.1)
    exactly.curve(dict.fromkeys((1, 10, 100), moments), {10: 0.29}, 0.1)
    lengths = [len(line.get_xdata()) for line in plt.gca().lines]
    assert lengths == [3, 1, 2]


def test_a_series_is_drawn_relative_to_its_first_value():
    series = {n: np.full(50, 2.0 + 0j) for n in (100, 1000, 10_000)}
    exactly.contour(series)
    heights = [line.get_ydata() for line in plt.gca().lines]
    assert all((line == 1).all() for line in heights)


def test_costs_stand_beside_two_slopes():
    seconds = {name: [0.1, 0.2, 0.3] for name in "abc"}
    exactly.cost(seconds, [100, 400, 1600], seconds, [27, 81, 243])
    left, right = plt.gcf().axes
    n_lines = len(left.lines), len(right.lines)
    assert n_lines == (5, 3)
