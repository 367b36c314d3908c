"""The figures of the chapter on the error of an algorithm can be drawn."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np

from reproduction.drawing import error_of_an_algorithm


def test_each_rule_has_a_column_and_each_size_a_row():
    cases = [(name, n) for name in ("purity", "height 2") for n in (10, 40)]
    exact = SimpleNamespace(mean=0.3, standard_deviation=0.1)
    error_of_an_algorithm.histograms(
        {case: np.array([0.2, 0.3, 0.3]) for case in cases},
        dict.fromkeys(cases, exact),
        bayes_error=0.1,
    )
    titles = [ax.get_title() for ax in plt.gcf().axes]
    assert titles == [
        "purity, N = 10",
        "height 2, N = 10",
        "purity, N = 40",
        "height 2, N = 40",
    ]


def test_small_variances_are_not_drawn():
    rows = [(0.4, 0.01, 0.001), (0.3, 1e-9, 1e-9)]
    error_of_an_algorithm.parts({"one": rows, "other": rows}, [5, 20], 0.1)
    left, right = plt.gcf().axes
    lengths = [len(line.get_xdata()) for line in (*left.lines[:2], *right.lines)]
    assert lengths == [2, 2, 1, 1, 1, 1]
