"""The figures of the chapter on choosing the validation can be drawn."""

import matplotlib.pyplot as plt
import numpy as np

from reproduction.drawing import choosing_the_validation
from reproduction.experiments.validation_curves import Curve

CURVE = Curve(np.array([2, 5]), np.array([0.03, 0.0]), np.array([0.0016, 0.0025]))


def test_a_distance_has_a_part_of_the_bias_and_one_of_the_variance():
    curves = {"height 1": CURVE, "height 3": CURVE}
    choosing_the_validation.distances(curves, curves, n_examples=20)
    hold_out, cross, bias = plt.gcf().axes[0].lines
    assert hold_out.get_xdata().tolist() == [0.1, 0.25]
    assert cross.get_ydata().round(6).tolist() == [0.05, 0.05]
    assert bias.get_ydata().tolist() == [0.03, 0.0]


def test_three_shortcuts_stand_beside_the_exact_deviation():
    wrong = [np.array([0.0004, 0.0009])] * 3
    curves = {"height 1": CURVE, "height 3": CURVE}
    choosing_the_validation.shortcuts(curves, dict.fromkeys(curves, wrong))
    lines = plt.gcf().axes[1].lines
    heights = [line.get_ydata().round(6).tolist() for line in lines]
    assert heights == [[0.04, 0.05], *[[0.02, 0.03]] * 3]
