"""The comparison of prunings where a class is rare."""

import pandas as pd
import pytest

from reproduction.experiments import rare_classes


def test_a_simulated_set_has_a_rare_class():
    X, X_new, y, y_new = rare_classes.sample("simulated 3", draw=0, most=1000)
    assert X.shape == (1000, 20)
    assert X_new.shape == (2000, 20)
    assert 0.03 < y.mean() < 0.12
    assert 0.03 < y_new.mean() < 0.12


def test_differences_are_means_over_data_sets():
    rows = [
        {"dataset": name, "draw": 0, "way": way, "points": points, "leaves": 3}
        for name, gain in (("a", 1.0), ("b", 3.0), ("c", 90.0))
        for way, points in (("ten folds", 50.0), ("bound", 50.0 + gain))
    ]
    table = rare_classes.differences(pd.DataFrame(rows), ["a", "b"])
    assert table.loc["bound", "mean"] == 2
    assert table.loc["bound", "standard_error"] == pytest.approx(1)
    assert table.loc["ten folds"].tolist() == [0, 0, 3]


def test_the_summary_has_a_row_for_each_shown_way_and_group():
    table = pd.DataFrame(
        {"mean": 1.0, "standard_error": 0.5, "n_leaves": 7.0}, index=rare_classes.SHOWN
    )
    shown = rare_classes.summary({"real": table, "simulated": table})
    assert len(shown) == 2 * len(rare_classes.SHOWN)
    assert shown["leaves"].unique().tolist() == [7]
