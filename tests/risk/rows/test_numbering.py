"""Columns that only name the rows do not hide copies."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csc_array, csr_array
from sklearn.datasets import load_breast_cancer

from treebounds.risk.rows.duplicates import find_duplicates
from treebounds.risk.rows.numbering import numbering_columns
from treebounds.risk.rows.tables import as_table

COPIES = "look like copies"


def three_times(X, y):
    return np.tile(X, (3, 1)), np.tile(y, 3)


def test_a_column_that_numbers_the_rows_does_not_hide_them():
    X, y = three_times(*load_breast_cancer(return_X_y=True))
    order = np.random.default_rng(0).permutation(len(y))[:900]
    numbered = np.column_stack([X, np.arange(len(y))])[order]
    with pytest.raises(ValueError, match=COPIES):
        find_duplicates(numbered, y[order])


@pytest.mark.parametrize(
    "names",
    [
        [f"customer{number}" for number in range(600)],
        pd.date_range("2020-01-01", periods=600, freq="h"),
        1_700_000_000 + 60 * np.arange(600),
        [f"row number {number}" for number in range(600)],
        pd.date_range("2020-01-01", periods=600, freq="h", tz="UTC"),
        pd.period_range("2020-01-01", periods=600, freq="D"),
        pd.to_timedelta(np.arange(600), unit="s"),
        [str(number).encode() for number in range(600)],
        np.where(np.arange(600) == 5, np.nan, np.arange(600)),
        np.minimum(np.arange(600), 598),
    ],
    ids=[
        "words",
        "dates",
        "seconds",
        "blanks",
        "zones",
        "periods",
        "durations",
        "bytes",
        "one is missing",
        "one occurs twice",
    ],
)
def test_a_column_that_names_the_rows_does_not_hide_them(names):
    X, y = three_times(*(part[:200] for part in load_breast_cancer(return_X_y=True)))
    frame = pd.DataFrame(X[:, :3]).assign(name=names)
    order = np.random.default_rng(0).permutation(600)
    with pytest.raises(ValueError, match=COPIES):
        find_duplicates(frame.iloc[order], y[order])
    together = find_duplicates(frame.iloc[order], y[order], "together")
    assert len(together.kept) == 200


@pytest.mark.parametrize(
    "numbers",
    [
        np.arange(600) / 600,
        (np.arange(600) - 299.5) / 173.2,
        1.7e9 + np.random.default_rng(0).random(600).cumsum(),
        -(np.arange(600) + 10**6 * (np.arange(600) > 300)),
    ],
    ids=["shares", "scaled", "times", "shards"],
)
@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame])
def test_numbers_in_order_do_not_hide_them(numbers, form):
    X, y = three_times(*(part[:200] for part in load_breast_cancer(return_X_y=True)))
    with pytest.raises(ValueError, match=COPIES):
        find_duplicates(form(np.column_stack([X[:, :3], numbers])), y)


def test_other_columns_are_no_names():
    rng = np.random.default_rng(0)
    texts = ["a b c d " * (1 + number) for number in range(100)]
    table = pd.DataFrame(
        {
            "random": rng.random(100),
            "whole at first": np.append(rng.permutation(64), 64 + rng.random(36)),
            "one beyond 2**53": np.append(rng.permutation(99), 2.0**60),
            "whole": rng.integers(10**6, size=100),
            "texts": texts,
            "repeated": np.minimum(np.arange(100), 96),
            "missing": np.where(np.arange(100) < 3, None, np.arange(100)),
        }
    )
    assert numbering_columns(as_table(table)) == []
    assert numbering_columns(as_table(table[["random", "whole"]].to_numpy())) == []
    # Nine rows may be in order by chance.
    assert numbering_columns(as_table(np.sort(rng.random(9))[:, np.newaxis])) == []


@pytest.mark.parametrize(("largest", "columns"), [(1000, [0]), (1001, [])])
def test_whole_numbers_from_a_large_range_are_no_numbers_of_rows(largest, columns):
    """200 numbers drawn from 200^2 / 40 = 1000 ones would hold about 20 equal pairs."""
    numbers = np.append(np.arange(199.0), largest)
    order = np.random.default_rng(0).permutation(200)
    assert numbering_columns(as_table(numbers[order, np.newaxis])) == columns


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
def test_a_column_of_numbers_does_not_hide_the_rows_of_a_sparse_matrix(form, first):
    rng = np.random.default_rng(0)
    words = rng.random((200, 30)) * (rng.random((200, 30)) < 0.2)
    numbered = np.column_stack([np.tile(words, (3, 1)), first + np.arange(600)])
    y = np.tile(rng.integers(2, size=200), 3)
    order = rng.permutation(600)
    with pytest.raises(ValueError, match=COPIES):
        find_duplicates(form(numbered[order]), y[order])
    together = find_duplicates(form(numbered[order]), y[order], "together")
    assert len(together.kept) == 200
    assert numbering_columns(as_table(form(words))) == []
