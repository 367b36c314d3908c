import numpy as np
import pandas as pd
import pytest

from reproduction.experiments import as_data
from reproduction.experiments import pruning_comparison as experiment
from reproduction.experiments import pruning_tables as tables

GROUPS = ("chose", "old", "new", "clean", "noisy", "report", "all")


@pytest.fixture(scope="module")
def results():
    rows = [
        {"dataset": "iris", "draw": 0, **row} for row in experiment.compared("iris", 0)
    ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def of(results):
    table = experiment.summary(results, "unlimited", tables.TEN, ["iris"])
    table = table.reindex(table.index.union(list(tables.LABELS)))
    return dict.fromkeys(GROUPS, table)


def test_a_difference_is_shown_with_its_standard_error():
    row = {"mean": -0.5, "standard_error": 0.25}
    assert tables.against(row) == "−0.50 (0.25)"
    assert tables.against({"mean": np.nan, "standard_error": np.nan}) == "–"


def test_a_way_is_clearly_better_beyond_two_standard_errors():
    table = pd.DataFrame(
        {"mean": 0.0, "standard_error": 0.1}, index=list(tables.LABELS)
    )
    assert tables.clear(table) == "none"
    table.loc["forest", "mean"] = 0.3
    assert tables.clear(table) == "the forest itself, 80 trees"


def test_ten_folds_are_as_good_as_themselves(of):
    table = tables.ways(of, [tables.TEN, "forest"])
    assert list(table["way"]) == ["ten folds, minimum", "the forest itself, 80 trees"]
    assert table.loc[0, "new"].startswith("+0.00")
    assert len(tables.rivals(of)) == 10
    assert len(tables.numbers(of)) == len(tables.LABELS)


def test_folds_and_optimal_trees_are_compared_with_their_own_opponents(results, of):
    table = tables.folds(results, of, ["iris"])
    assert list(table["price from"])[::4] == ["ten folds", "one third"]

    numbers = tables.optimal(results, of, ["iris"], 2)
    ran = "optimal, depth 2" in set(results["method"])
    assert numbers["optimal_2_sets"] == ran
    assert numbers["optimal_2_missed"] == ("none" if ran else "iris")


def test_a_way_that_did_not_run_on_a_family_has_a_dash(results):
    table = tables.families(results, ["iris"]).set_index("pruning")
    assert table.loc["the paper's CART", "scikit-learn, no limit"] == "–"
    assert table.loc["no pruning", "scikit-learn, no limit"] != "–"


def test_a_set_of_many_splits_counts_once_in_the_table_of_families():
    splits = [("iris", 0.9, 3), ("iris", 0.9, 3), ("iris", 0.9, 3), ("wine", 0.7, 7)]
    results = pd.DataFrame(splits, columns=["dataset", "accuracy", "n_leaves"])
    results = results.assign(method="no pruning", family="unlimited")
    table = tables.families(results, ["iris", "wine"]).set_index("pruning")
    assert table.loc["no pruning", "scikit-learn, no limit"] == "80.0 (5.0)"


def test_the_table_of_changes_names_leaves(of):
    table = tables.changed(dict.fromkeys(tables.CHANGES, of["all"]))
    assert table.loc[1, "labels shuffled"].startswith("+0.0 (")


def test_growing_the_tree_takes_the_time_one(results, of):
    table = tables.decisions(results, of).set_index("way")
    assert table.loc["no pruning", "time"] == "1.0"


def test_the_flat_top_ends_one_standard_error_below_the_best_ratio(of):
    names = [f"bound 2^-{x:g}" for x in experiment.EXPONENTS]
    means = pd.Series([1.0, 0.8, *[0.5] * (len(names) - 2)], index=names)
    chose = pd.DataFrame({"mean": means, "standard_error": 0.3})
    table = tables.ratios({**of, "chose": chose}, best=names[0])
    assert table["flat top"].tolist() == ["yes", "yes", *["no"] * (len(names) - 2)]
    assert "$2^{-5}$ (default)" in list(table["ratio"])
    assert "2^-5 (default)" in list(as_data(table)["ratio"])


def test_seconds_are_measured_for_folds_on_few_rows_only():
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = X[:, 0] > 0.5
    few = tables.seconds_of_pruning(X, y, 100)
    many = tables.seconds_of_pruning(X, y, 100, most_for_folds=50)
    assert [row["method"] for row in few] == ["no pruning", tables.DEFAULT, tables.TEN]
    assert len(many) == 2
    assert all(row["accuracy"] > 0.9 for row in few)
