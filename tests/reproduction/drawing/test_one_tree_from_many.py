"""The figures of the chapter on trees that learn from a forest can be drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from reproduction.drawing import one_tree_from_many


@pytest.fixture
def sample():
    return make_moons(40, noise=0.3, random_state=0)


def test_a_panel_names_leaves_and_error(sample):
    X, y = sample
    stump = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    line = LogisticRegression().fit(X, y)
    models = {"stump": stump, "line": line, "again": stump, "and again": line}
    one_tree_from_many.moons(models, dict.fromkeys(models, 0.25), X, y)
    titles = [ax.get_title() for ax in plt.gcf().axes]
    assert titles[:2] == ["stump, 2 leaves: 25.0%", "line: 25.0%"]


def test_made_rows_have_a_color_bar(sample):
    X, y = sample
    one_tree_from_many.probabilities(X, y, X, np.linspace(0, 1, len(X)))
    n_axes = len(plt.gcf().axes)
    assert n_axes == 3


def test_clean_and_noisy_sets_have_their_own_marks():
    gain = pd.DataFrame(
        {"forest": [1.0, 2.0, 3.0], "distilled, 300 leaves": [0.5, 1.0, 1.5]},
        index=["a", "b", "c"],
    )
    is_noisy = pd.Series([False, True, False, True], index=["a", "b", "c", "d"])
    one_tree_from_many.gains(gain, is_noisy)
    lengths = [len(line.get_xdata()) for line in plt.gca().lines[:2]]
    assert lengths == [2, 1]
