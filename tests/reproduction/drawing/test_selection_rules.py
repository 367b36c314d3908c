"""The figure of the chapter on selection rules can be drawn."""

import matplotlib.pyplot as plt
import numpy as np

from reproduction.drawing import selection_rules
from reproduction.random_trees import JointDistribution


def test_each_rule_has_a_curve_beside_the_bayes_error():
    joint = JointDistribution(np.full((2, 2), 0.25))
    names = {"random": "random choice", "gini": "Gini gain"}
    rules = ["height 2", "purity"]
    curves = {
        (source, rule, selection): [0.5, 0.4]
        for source in ("a", "b")
        for rule in rules
        for selection in names
    }
    selection_rules.mean_errors([2, 4], curves, {"a": joint, "b": joint}, rules, names)
    n_lines = [len(ax.lines) for ax in plt.gcf().axes]
    assert n_lines == [3, 3, 3, 3]
