"""The figures of the chapter on bagging can be drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from reproduction.drawing import bagging


def test_bars_show_how_often_a_fraction_occurs():
    bagging.coverage(np.array([0.5, 0.5, 0.6, 0.7]), 0.63)
    heights = [bar.get_height() for bar in plt.gca().patches]
    assert heights == [0.5, 0.25, 0.25]


def test_single_trees_are_left_of_bags():
    line = np.linspace(0, 1, 5)
    bagging.wave(line, line, [line] * 3, [line] * 3, n_trees=7)
    axes = plt.gcf().axes
    titles = [ax.get_title() for ax in axes]
    n_lines = [len(ax.lines) for ax in axes]
    assert titles == ["single trees", "bags of 7 trees"]
    assert n_lines == [4, 4]


def test_variance_stands_on_bias():
    table = pd.DataFrame([[1.0, 2.0, 1.5, 0.5]], index=["stump"])
    bagging.parts(table)
    tops = [bar.get_y() + bar.get_height() for bar in plt.gca().patches[:4]]
    assert tops == [1, 3, 1.5, 2]


def test_the_curve_ends_at_the_formula():
    bagging.by_number([1, 4], [1.0, 0.4], total=1.0, shared=0.2)
    curve = plt.gca().lines[1].get_ydata()
    assert curve[[0, -1]] == pytest.approx([1.0, 0.4])
