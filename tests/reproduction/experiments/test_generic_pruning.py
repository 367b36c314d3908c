"""The comparisons of the chapter on generic pruning."""

import numpy as np

from reproduction.experiments import generic_pruning as experiment
from reproduction.multiway import description_length_estimate


def estimates(n_features, held_out):
    return {
        "whole": None,
        "description length": description_length_estimate(n_features),
    }


X = np.column_stack([np.arange(200) % 2, np.arange(200) // 2 % 2])
y = X[:, 0]


def test_one_split_is_whole_and_pruned():
    table = experiment.on_halves(X.astype(float), y, estimates, 2)
    assert table["estimate"].tolist() == ["whole", "description length"]
    assert table["error %"].tolist() == [0.0, 0.0]
    assert table["leaves"].tolist() == [2.0, 2.0]


def test_words_have_a_row_for_each_fold_and_estimate(monkeypatch):
    monkeypatch.setattr(experiment, "encoded", lambda slug: (X, y, np.array([2, 2])))
    rows = experiment.on_words(["words"], estimates, 2)
    assert rows["estimate"].tolist() == 2 * ["whole", "description length"]
    assert rows["error"].tolist() == 4 * [0.0]


def test_bounds_are_those_of_both_trees(monkeypatch):
    monkeypatch.setattr(experiment, "encoded", lambda slug: (X, y, np.array([2, 2])))
    table = experiment.bounds(["words"], lambda tree, m: tree.n_nodes / m)
    assert table["m"].tolist() == [200]
    assert table["bound"].tolist() == table["its bound"].tolist() == [3 / 200]
    assert table["minority"].tolist() == [0.5]
