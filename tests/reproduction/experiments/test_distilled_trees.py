"""The comparison of distilled trees with pruned ones."""

import pandas as pd
import pytest

from reproduction.experiments import distilled_trees
from reproduction.experiments.leboeuf2020 import available


def test_a_smaller_tree_has_fewer_leaves_and_every_model_an_error():
    if not available(["iris"]):
        pytest.skip("NOT RUN: iris is missing")
    rows = pd.DataFrame(distilled_trees.one_tree("iris", 0)).set_index("model")
    leaves = rows["n_leaves"]
    assert leaves["distilled, 40 leaves"] <= 40
    assert leaves["distilled, 100 leaves"] <= leaves["distilled, 300 leaves"]
    assert rows["test_error"].between(0, 0.7).all()


def test_the_table_has_means_over_the_sets_of_a_group():
    gain = pd.DataFrame({"forest": [1.0, 3.0, 7.0]}, index=["a", "b", "c"])
    leaves = pd.DataFrame({"forest": [-1.0, -1.0, -1.0]}, index=gain.index)
    table = distilled_trees.table(gain, leaves, {"clean": ["a", "b"]})
    assert table["clean (2)"].tolist() == ["+2.00 (1.00)"]
    assert table["leaves"].tolist() == ["–"]
