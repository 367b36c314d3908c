"""The stored results of the search for optimal trees."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from reproduction.experiments import leboeuf2020, optimal_trees
from reproduction.experiments import pruning_comparison as experiment

ROWS = optimal_trees.stored()["rows"]


def greedy_errors(row):
    """Training errors of a greedy tree of the same depth on the same rows."""
    data = leboeuf2020.split(row["dataset"], 0)
    X = data.X_train[: row["n_rows"]]
    y = data.y_train[: row["n_rows"]]
    greedy = DecisionTreeClassifier(max_depth=row["depth"], random_state=0).fit(X, y)
    return np.sum(greedy.predict(X) != y)


def test_no_greedy_tree_of_the_same_depth_has_fewer_training_errors():
    here = leboeuf2020.available({row["dataset"] for row in ROWS})
    if not here:
        pytest.skip("needs data")

    for row in ROWS:
        if row["dataset"] in here:
            assert row["training_errors"] <= greedy_errors(row), row


def test_no_tree_has_more_leaves_than_its_depth_allows():
    for row in ROWS:
        assert row["n_leaves"] <= 2 ** row["depth"], row


def test_every_data_set_of_the_comparison_with_few_entries_has_a_row():
    rows = {(row["dataset"], row["depth"]) for row in ROWS}
    for slug in leboeuf2020.available(experiment.CHOSE):
        data = leboeuf2020.split(slug, 0)
        n_entries = data.X_train[: experiment.MAX_ROWS].size
        for depth, most in optimal_trees.MAX_ENTRIES.items():
            assert ((slug, depth) in rows) == (n_entries <= most), slug


def test_results_are_shown_for_the_rows_on_which_they_were_found():
    row = ROWS[0]
    (shown, *_) = optimal_trees.optimal(row["dataset"], row["n_rows"])
    assert shown["accuracy"] == row["accuracy"]
    assert list(optimal_trees.optimal(row["dataset"], row["n_rows"] - 1)) == []
