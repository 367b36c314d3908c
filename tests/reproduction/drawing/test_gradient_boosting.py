"""The figures of the chapter on gradient boosting can be drawn."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeRegressor

from reproduction.drawing import gradient_boosting


def test_each_stage_has_a_model_and_residuals():
    x = np.arange(4.0)[:, None]
    labels = np.arange(4.0)
    next_tree = DecisionTreeRegressor(max_depth=1).fit(x, labels)
    stage = (lambda points: np.zeros((1, len(points))), labels, next_tree)
    gradient_boosting.stages_on_a_wave(x, labels, x, {0: stage, 1: stage})
    titles = [ax.get_title() for ax in plt.gcf().axes]
    n_lines = [len(ax.lines) for ax in plt.gcf().axes]
    assert titles == ["0 rounds", "1 round", "", ""]
    assert n_lines == [2, 2, 2, 2]


def test_gradient_steps_are_dashed():
    curve = np.array([0.6, 0.4])
    gradient_boosting.leaf_steps({("gradient", 0.1): curve, ("newton", 0.5): curve})
    styles = [line.get_linestyle() for line in plt.gca().lines]
    assert styles == ["--", "-"]


def test_the_legend_names_depth_and_rate():
    curve = np.array([0.6, 0.4])
    gradient_boosting.depths({(0.1, 1): curve, (1.0, 2): curve})
    names = [text.get_text() for text in plt.gca().get_legend().get_texts()]
    assert names == ["depth 1, rate 0.1", "depth 2, rate 1"]
