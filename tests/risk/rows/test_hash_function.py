"""Hashes of rows, in every form of table."""

import tracemalloc
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, random_array

from oracles.equal_rows import keys
from treebounds.risk.rows.hash_function import hash_rows, share_of_column, upper_half
from treebounds.risk.rows.tables import as_table

ENTRIES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.1, 1e60, np.nan])


@pytest.mark.parametrize(
    "words",
    [
        ["2024-03-01", "today"],
        ["2024-02-30", "2024-03-01"],
        ["2024-03-01 10:00:00", "2024-03-01 10:00:01"],
        ["2024-03-01", "2024-03-01 00:00:00"],
        ["2024", "2024-01-01"],
    ],
)
def test_words_that_are_no_days_are_different(words):
    column = np.array(words, dtype=object)[:, np.newaxis]
    first, second = hash_rows(column)
    assert first != second
    assert np.array_equal(hash_rows(column), [first, second])


def test_rows_are_equal_as_trees_see_them():
    rows = [
        [0.0, 1.0],
        [-0.0, 1.0],
        [1e-60, 1.0],
        [1.0, 0.0],
        [np.nan, 1.0],
        [0.0, 1.0 + 1e-12],
    ]
    hashes = hash_rows(rows)
    assert len(set(hashes.tolist())) == 3
    assert hashes[0] == hashes[1] == hashes[2] == hashes[5]
    for gap in (np.nan, None, pd.NA):
        assert (
            hash_rows(pd.DataFrame(rows, dtype=object).where(np.isfinite(rows), gap))
            == hashes
        ).all()


def tables(entries=ENTRIES, least_rows=2):
    """Lists of rows of one to five entries."""
    return st.integers(1, 5).flatmap(
        lambda width: st.lists(
            st.lists(entries, min_size=width, max_size=width),
            min_size=least_rows,
            max_size=12,
        )
    )


@given(tables())
def test_rows_have_equal_hashes_just_if_they_are_equal(rows):
    hashes = hash_rows(rows)
    known = keys(rows)
    for first in range(len(rows)):
        for second in range(len(rows)):
            same = known[first] == known[second]
            assert (hashes[first] == hashes[second]) == same


@given(tables())
def test_the_form_of_a_table_does_not_change_the_hashes(rows):
    expected = hash_rows(rows)
    X = np.array(rows)
    frame = pd.DataFrame(X).convert_dtypes()
    for form in (np.asfortranarray(X), X.astype(object), pd.DataFrame(X), frame):
        assert (hash_rows(form) == expected).all()
    with np.errstate(over="ignore"):
        assert (hash_rows(X.astype(np.float32)) == expected).all()


def test_times_are_the_same_as_objects_and_in_an_array():
    times = ["2024-03-01T12:30", "2024-03-02T00:00"]
    objects = np.array([[datetime.fromisoformat(time)] for time in times], dtype=object)
    assert (hash_rows(objects) == hash_rows(np.array([times], "M8[s]").T)).all()


@given(tables())
def test_the_hash_without_a_column_is_that_of_the_other_columns(rows):
    X = np.array(rows)
    for column in range(X.shape[1]):
        zeroed = X.copy()
        zeroed[:, column] = 0
        for table in (as_table(X), as_table(csr_array(X))):
            others = hash_rows(table) - share_of_column(table, column)
            assert (others == hash_rows(zeroed)).all()
        alone = np.where(np.arange(X.shape[1]) == column, X, 0)
        share = share_of_column(as_table(X), column, alone=True)
        assert (share == hash_rows(alone)).all()


def test_the_hash_without_a_column_beside_words_is_that_of_the_other_columns():
    frame = pd.DataFrame({"color": ["red", "blue"], "size": [3.0, 5.0], "n": [1, 2]})
    for name in ("size", "n"):
        column = frame.columns.get_loc(name)
        others = hash_rows(frame) - share_of_column(as_table(frame), column)
        assert (others == hash_rows(frame.assign(**{name: 0}))).all()


@pytest.mark.parametrize(
    "kind", ["numbers", "grid", "binary", "one-hot", "neighbours", "swapped", "signs"]
)
def test_different_rows_seldom_agree_in_half_of_the_hash(kind):
    """As seldom as random numbers do, also where rows differ in few bits. No two have
    the same hash.
    """
    numbers = np.random.default_rng(0).permutation(2**17)
    column = numbers[:, np.newaxis]
    X = {
        "numbers": column,
        "grid": np.hstack([column % 64, column // 64 % 64, column // 4096]),
        "binary": (column >> np.arange(17)) & 1,
        "one-hot": (column % 64 == np.arange(64)) * (1 + column // 64),
        "neighbours": np.float32(1) + column * np.float32(2**-23),
        "swapped": np.hstack([column % 512, column // 512]),
        "signs": np.kron(1 - 2 * ((column >> np.arange(17)) & 1), [0, 1]),
    }[kind]
    hashes = hash_rows(X)
    assert len(np.unique(hashes)) == len(X)
    n_alike = len(X) - len(np.unique(upper_half(hashes)))
    assert n_alike <= 12  # 2 in the mean


def test_words_have_the_same_hash_in_every_sample():
    frame = pd.DataFrame(
        {
            "a": [1.5, 2.5, 1.5],
            "b": ["x", "y", "x"],
            "c": pd.Categorical(["u", "v", None]),
        }
    )
    hashes = hash_rows(frame)
    assert (hash_rows(frame.iloc[[2, 1]]) == hashes[[2, 1]]).all()
    assert hashes[0] != hashes[2]
    for rows in (frame[["a", "b"]], ["x y", "z", "x y"]):
        first, second, third = hash_rows(rows)
        assert first == third != second


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "us"])
def test_dates_have_the_same_hash_in_every_unit(unit):
    dates = np.array([["1970-01-01"], ["2015-01-01"], ["NaT"]], dtype="M8[ns]")
    assert (hash_rows(dates.astype(f"M8[{unit}]")) == hash_rows(dates)).all()


@pytest.mark.parametrize("unit", ["Y", "M", "D", "s"])
def test_durations_are_numbers_also_where_their_unit_has_no_length(unit):
    durations = np.array([[1], [14], [1]], dtype=f"m8[{unit}]")
    first, second, third = hash_rows(durations)
    assert first == third != second


@pytest.mark.parametrize("kind", [csr_array, coo_array])
def test_a_sparse_matrix_has_the_hashes_of_the_dense_one(kind):
    dense = np.random.default_rng(0).integers(3, size=(50, 7)).astype(float)
    assert (hash_rows(kind(dense)) == hash_rows(dense)).all()
    twice = coo_array(([1.0, 1.0, 0.0], ([0, 0, 0], [2, 2, 3])), shape=(1, 5))
    assert hash_rows(twice) == hash_rows([[0, 0, 2, 0, 0]])


def test_entries_at_one_place_stay_apart_in_the_matrix_of_the_caller():
    """Their sum is hashed, but not written into the caller's matrix."""
    X = coo_array(([1.0, 1.0], ([0, 0], [2, 2])), shape=(1, 5))
    hash_rows(X)
    assert X.data.tolist() == [1, 1]


@pytest.mark.no_cover
def test_a_sparse_matrix_is_not_made_dense():
    rng = np.random.default_rng(0)  # RandomState would permute all cells.
    X = random_array((2000, 50_000), density=0.0004, random_state=rng)
    tracemalloc.start()
    hash_rows(X)
    assert tracemalloc.get_traced_memory()[1] < 20e6  # dense: 400 MB
    tracemalloc.stop()


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_few_or_many_zeros_are_hashed_alike(n_columns):
    dense = np.random.default_rng(0).integers(2, size=(40, n_columns)).astype(float)
    assert (hash_rows(csr_array(dense)) == hash_rows(dense)).all()
    assert (hash_rows(csr_array((3, n_columns))) == 0).all()


def test_images_are_rows():
    X = np.random.default_rng(0).random((5, 4, 3))
    assert (hash_rows(X) == hash_rows(X.reshape(5, 12))).all()
