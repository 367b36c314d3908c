"""The figures of the chapter on boosting can be drawn."""

import matplotlib.pyplot as plt
import numpy as np

from reproduction.drawing import boosting


def test_titles_count_the_wrong_examples():
    points = np.array([[-0.5, 0.0], [0.5, 0.0]])
    labels = np.array([-1, 1])
    at_points = np.array([[1.0, 1.0], [-1.0, 1.0], [-2.0, 2.0]])
    plane = boosting.square(5)
    at_square = np.array([plane[:, 0]] * 3)
    boosting.ring(points, labels, at_points, at_square, (1, 2, 3))
    titles = [ax.get_title() for ax in plt.gcf().axes]
    assert titles == ["1 round: 50% wrong", "2 rounds: 0% wrong", "3 rounds: 0% wrong"]


def test_curves_start_at_the_first_round():
    falling = np.array([0.5, 0.25])
    boosting.weak_to_strong(falling, falling, falling)
    boosting.bias_and_variance(falling, falling)
    first = [
        line.get_xdata()[0]
        for number in plt.get_fignums()
        for line in plt.figure(number).axes[0].lines
    ]
    assert first == [1] * 5
