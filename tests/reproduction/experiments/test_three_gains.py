"""The table of the three gains."""

import numpy as np
import pandas as pd

from reproduction.experiments import three_gains


def test_a_word_that_decides_the_class_needs_two_leaves(monkeypatch):
    X = np.column_stack([np.arange(40) % 2, np.zeros(40, dtype=int)])
    monkeypatch.setattr(
        three_gains, "encoded", lambda slug: (X, X[:, 0], np.array([2, 2]))
    )
    gains = three_gains.measure(["words"], repetitions=1)

    assert gains["gain"].tolist() == ["entropy", "gini", "error"]
    assert gains["leaves"].tolist() == gains["leaves reversed"].tolist() == [2, 2, 2]
    assert gains["error %"].tolist() == [0.0, 0.0, 0.0]


def test_the_table_has_a_line_for_each_data_set():
    rows = [("a", gain, 3, 4, 1.5) for gain in three_gains.NAMES]
    shown = three_gains.table(pd.DataFrame(rows, columns=three_gains.COLUMNS), ["a"])
    assert shown.iloc[0].tolist() == ["a", *["3 / 4"] * 3, *[1.5] * 3]
    assert shown.columns[1] == "leaves: information"
