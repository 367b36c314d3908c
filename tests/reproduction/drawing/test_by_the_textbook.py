"""The figures of the chapter that compares ways to prune can be drawn."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from reproduction.drawing import by_the_textbook as drawing


@pytest.fixture
def of():
    methods = ["no pruning", "bound 2^-5", "bound 2^-6", "price 1", "price 2"]
    table = pd.DataFrame({"mean": 0.5, "standard_error": 0.1}, index=methods)
    return dict.fromkeys(("chose", "old", "new"), table)


def test_each_group_says_how_many_sets_it_has(of):
    sets = {"chose": ["a", "b"], "old": ["c"], "new": []}
    drawing.all_ways(of, sets, {"no pruning": "none", "price 2": "price"})
    words = [text.get_text() for text in plt.gcf().legends[0].get_texts()]
    assert words == ["2 sets to choose constants", "1 old set", "0 new sets"]


def test_there_is_a_panel_for_each_family_of_rules(of):
    drawing.constants(of, (5, 6), (1.0, 2.0))
    n_axes = len(plt.gcf().axes)
    assert n_axes == 2


def test_a_way_that_was_not_timed_on_many_rows_has_a_shorter_line():
    rows = [("bound", 10, 0.1), ("bound", 100, 0.2), ("folds", 10, 1.0)]
    clock = pd.DataFrame(rows, columns=["method", "n_examples", "seconds"])
    drawing.times(clock, {"bound": "the bound", "folds": "ten folds"})
    lengths = [len(line.get_xdata()) for line in plt.gca().lines]
    assert lengths == [2, 1]
