"""The figure of the chapter on XGBoost can be drawn."""

import matplotlib.pyplot as plt
import numpy as np

from reproduction.drawing import xgboost_by_hand


def test_each_strength_has_a_curve():
    curve = np.array([2.0, 1.0])
    xgboost_by_hand.penalties(
        {"a": {"a = 0": curve, "a = 1": curve}, "b": {"b": curve}}
    )
    n_lines = [len(ax.lines) for ax in plt.gcf().axes]
    assert n_lines == [2, 1]
