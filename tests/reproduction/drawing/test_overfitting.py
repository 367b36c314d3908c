"""The figures of the chapter on overfitting are drawn."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from reproduction.drawing import overfitting


def test_the_trees_are_drawn_with_their_errors():
    sample = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([0, 1])
    fitted = DecisionTreeClassifier().fit(*sample)
    overfitting.moons([fitted, fitted], sample, sample, 5)
    assert "train 0.0%" in plt.gca().get_title()


def test_each_brake_has_a_panel():
    brakes = {name: [3.0, 2.0, 1.0] for name in overfitting.BRAKES}
    errors = {name: np.full((2, 3, 2), 0.1) for name in brakes}
    overfitting.curves(brakes, errors)
    assert len(plt.gcf().axes) == len(brakes) + 1


def test_disagreement_is_drawn_with_its_scale():
    axis = np.linspace(0, 1, 4)
    overfitting.unstable(axis, axis, np.linspace(0, 1, 16))
    assert len(plt.gcf().axes) == 2
