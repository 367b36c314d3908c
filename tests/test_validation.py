"""Checks of arguments, in cases that no other test reaches."""

import re

import numpy as np
import pandas as pd
import pytest

from treebounds._row_order import check_same_order
from treebounds._validation import is_missing, shown


def test_a_mask_of_no_objects_is_a_mask():
    mask = is_missing(np.array([], dtype=object))
    assert mask.dtype == bool
    assert mask.shape == (0,)


def test_an_error_prints_no_more_than_ten_entries():
    assert shown(np.arange(10)) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    assert shown(np.arange(11)) == "an array of shape (11,)"
    assert shown(list(range(11))) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]"


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([701, 702, 703], name="patient"),
        ["ann", "bob", "cid"],
        pd.date_range("2024-05-01", periods=3),
        pd.MultiIndex.from_tuples([("ann", 1), ("ann", 2), ("bob", 1)]),
    ],
    ids=["numbers of a column", "words", "days", "levels"],
)
def test_labels_of_two_kinds_are_no_contradiction(index):
    # Rows of a split, of which one object was given a column as its labels.
    X = pd.DataFrame({"age": [30, 40, 50]}, index=index)
    y = pd.Series([0, 1, 0], index=[57, 3, 21])
    check_same_order(X=X, y=y)
    check_same_order(X=y, y=X)
    check_same_order(X=X.reset_index(drop=True), y=y)
    check_same_order(X=y.reset_index(drop=True), y=X)


@pytest.mark.parametrize(
    ("labels", "alone"),
    [
        (pd.period_range("2024-05", periods=3, freq="M"), "Period('2024-07', 'M')"),
        (pd.MultiIndex.from_product([["ann"], [1, 2, 3]]), "('ann', 3)"),
    ],
    ids=["months", "levels"],
)
def test_an_error_prints_the_label_that_only_one_object_has(labels, alone):
    X = pd.DataFrame({"age": [30, 40]}, index=labels[:2])
    y = pd.Series([0, 1], index=labels[1:])
    with pytest.raises(ValueError, match=f"only one of them has {re.escape(alone)}"):
        check_same_order(X=X, y=y)


def test_labels_that_occur_twice_cannot_bring_rows_into_order():
    X = pd.DataFrame({"age": [30, 40, 50]}, index=[5, 6, 5])
    y = pd.Series([0, 1, 0], index=[5, 5, 6])
    with pytest.raises(ValueError, match="some of them several times") as refused:
        check_same_order(X=X, y=y)
    assert ".loc" not in str(refused.value)
    check_same_order(X=X, y=y.to_numpy())
