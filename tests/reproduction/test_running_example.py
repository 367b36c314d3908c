"""The tree that goes through the book is one tree."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from reproduction import datasets, running_example

ROOT = Path(__file__).resolve().parents[2]
START = ROOT / "notebooks" / "guide" / "using-the-library.md"
EXAMPLE = re.compile(r"^:tags: \[example\]\n(.*?)^```$", re.M | re.S)


def assert_equal_trees(tree, other):
    assert np.array_equal(tree.tree_.feature, other.tree_.feature)
    assert np.array_equal(tree.tree_.threshold, other.tree_.threshold)


def test_it_is_the_tree_of_the_page_that_prunes_and_certifies():
    names = {}
    exec(EXAMPLE.search(START.read_text(encoding="utf-8"))[1], names)
    assert_equal_trees(names["tree"], running_example.grown_tree())
    assert_equal_trees(names["small"], running_example.pruned_tree())
    for name, part in running_example.tumors()._asdict().items():
        assert names[name].equals(part)


def test_it_is_the_tree_on_the_file_of_the_comparison():
    try:
        data = datasets.load("breast-cancer-wisconsin-diagnostic")
    except datasets.DataNotAvailable:
        pytest.skip("the data set is not available")
    X, _, y, _ = train_test_split(data.data, data.target, random_state=0)
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert_equal_trees(tree, running_example.grown_tree())
