"""Hashes of rows, and when two samples have more of them in common than independent
ones.
"""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, random_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from builders import ESTIMATORS
from oracles.equal_rows import keys, n_recurring, smallest_counts
from treebounds import certify, prune
from treebounds.risk import memory
from treebounds.risk.memory import (
    MOST,
    Comparison,
    RowHashes,
    RowMemory,
    row_hashes,
    share_of_column,
)

ENTRIES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.1, 1e60, np.nan])


def compared(made, new):
    comparison = Comparison(RowMemory.of(made))
    comparison.add_rows(RowHashes(new))
    return comparison


def test_rows_are_equal_as_trees_see_them():
    rows = [
        [0.0, 1.0],
        [-0.0, 1.0],
        [1e-60, 1.0],
        [1.0, 0.0],
        [np.nan, 1.0],
        [0.0, 1.0 + 1e-12],
    ]
    hashes = row_hashes(rows)
    assert len(set(hashes.tolist())) == 3
    assert hashes[0] == hashes[1] == hashes[2] == hashes[5]
    for gap in (np.nan, None, pd.NA):
        assert (
            row_hashes(pd.DataFrame(rows, dtype=object).where(np.isfinite(rows), gap))
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
    hashes = row_hashes(rows)
    known = keys(rows)
    for first in range(len(rows)):
        for second in range(len(rows)):
            same = known[first] == known[second]
            assert (hashes[first] == hashes[second]) == same


@given(tables())
def test_the_form_of_a_table_does_not_change_the_hashes(rows):
    expected = row_hashes(rows)
    X = np.array(rows)
    frame = pd.DataFrame(X).convert_dtypes()
    for form in (np.asfortranarray(X), X.astype(object), pd.DataFrame(X), frame):
        assert (row_hashes(form) == expected).all()
    with np.errstate(over="ignore"):
        assert (row_hashes(X.astype(np.float32)) == expected).all()


@given(tables())
def test_the_hash_without_a_column_is_that_of_the_other_columns(rows):
    X = np.array(rows)
    for column in range(X.shape[1]):
        zeroed = X.copy()
        zeroed[:, column] = 0
        for table in (X, csr_array(X)):
            others = row_hashes(table) - share_of_column(table, column)
            assert (others == row_hashes(zeroed)).all()
        alone = np.where(np.arange(X.shape[1]) == column, X, 0)
        share = share_of_column(X, column, alone=True)
        assert (share == row_hashes(alone)).all()


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
    hashes = row_hashes(X)
    assert len(np.unique(hashes)) == len(X)
    n_alike = len(X) - len(np.unique(memory.upper_half(hashes)))
    assert n_alike <= 12  # 2 in the mean


def test_words_have_the_same_hash_in_every_sample():
    frame = pd.DataFrame(
        {
            "a": [1.5, 2.5, 1.5],
            "b": ["x", "y", "x"],
            "c": pd.Categorical(["u", "v", None]),
        }
    )
    hashes = row_hashes(frame)
    assert (row_hashes(frame.iloc[[2, 1]]) == hashes[[2, 1]]).all()
    assert hashes[0] != hashes[2]
    for rows in (frame[["a", "b"]], ["x y", "z", "x y"]):
        first, second, third = row_hashes(rows)
        assert first == third != second


@pytest.mark.parametrize("kind", [csr_array, coo_array])
def test_a_sparse_matrix_has_the_hashes_of_the_dense_one(kind):
    dense = np.random.default_rng(0).integers(3, size=(50, 7)).astype(float)
    assert (row_hashes(kind(dense)) == row_hashes(dense)).all()
    twice = coo_array(([1.0, 1.0, 0.0], ([0, 0, 0], [2, 2, 3])), shape=(1, 5))
    assert row_hashes(twice) == row_hashes([[0, 0, 2, 0, 0]])


@pytest.mark.no_cover
def test_a_sparse_matrix_is_not_made_dense():
    rng = np.random.default_rng(0)  # RandomState would permute all cells.
    X = random_array((2000, 50_000), density=0.0004, random_state=rng)
    tracemalloc.start()
    row_hashes(X)
    assert tracemalloc.get_traced_memory()[1] < 20e6  # dense: 400 MB
    tracemalloc.stop()


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_few_or_many_zeros_are_hashed_alike(n_columns):
    dense = np.random.default_rng(0).integers(2, size=(40, n_columns)).astype(float)
    assert (row_hashes(csr_array(dense)) == row_hashes(dense)).all()
    assert (row_hashes(csr_array((3, n_columns))) == 0).all()


def test_a_memory_counts_the_smallest_hashes():
    X = np.random.default_rng(0).random((10_000, 3))
    memory = RowMemory.of(np.repeat(X, 2, axis=0), n_leading=0)
    smallest = np.sort(row_hashes(X) >> np.uint64(32))[:MOST]
    assert np.array_equal(memory.hashes, smallest)
    assert memory.counts.tolist() == [2] * MOST


def test_few_of_many_rows_are_different():
    X = np.arange(MOST + 10).repeat(np.where(np.arange(MOST + 10) < 5, 5000, 1))
    memory = RowMemory.of(X.reshape(-1, 1))
    assert len(memory.hashes) == MOST
    assert set(memory.counts.tolist()) <= {1, 5000}


def test_a_memory_is_small():
    X = np.random.default_rng(0).random((10_000, 3))
    assert len(pickle.dumps(RowMemory.of(X))) < 16_800
    assert RowMemory.of(X[:3000]).n_leading == 0


def test_memories_are_joined():
    X = np.random.default_rng(0).random((10_000, 3))
    whole, first, second = (
        RowMemory.of(part, n_leading=2) for part in (X, X[:4000], X[4000:])
    )
    assert np.array_equal(first.joined(second).hashes, whole.hashes)
    assert (first.joined(first).counts == 2).all()


def test_a_pickled_memory_is_a_plain_tuple():
    memory = RowMemory.of([[1.0], [2.0]])
    loaded = pickle.loads(pickle.dumps(memory))
    assert type(loaded) is tuple
    assert np.array_equal(RowMemory(*loaded).hashes, memory.hashes)


def test_rows_beyond_the_memory_are_not_compared():
    X = np.random.default_rng(0).random((10_000, 3))
    assert compared(X, X).n_compared == MOST


@pytest.mark.parametrize(
    ("n_made", "n_new"), [(50, 300), (300, 50), (6000, 9000), (300, 9000), (9000, 300)]
)
@pytest.mark.parametrize("n_values", [40, 4000, 10**6])
def test_the_fast_comparison_is_the_obvious_one(n_made, n_new, n_values, monkeypatch):
    rng = np.random.default_rng(n_values)
    made, new = (rng.integers(n_values, size=(n, 1)) for n in (n_made, n_new))
    new[:9] = made[:9]
    comparison = Comparison(RowMemory.of(made))
    for batch in np.array_split(new, 3):
        comparison.add_rows(RowHashes(batch))
    if comparison.is_complete:
        assert comparison.n_recurring == n_recurring(made, new)

    seen = []
    monkeypatch.setattr(
        memory, "_too_many_recur", lambda *counts: seen.extend(counts) or True
    )
    assert comparison.in_common() == (comparison.n_recurring > 0)
    if seen:
        halves = (memory.upper_half(row_hashes(rows)) for rows in (made, new))
        expected = smallest_counts(*halves, MOST)
        assert [counts.tolist() for counts in seen[:2]] == list(expected)


@pytest.mark.parametrize(("n_telling", "n_leading"), [(1, 2), (6, 8), (12, 12)])
def test_few_columns_lead_if_they_tell_the_rows_apart(n_telling, n_leading):
    """The other columns are binary, and stand before the one that tells."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(20_000, 12)).astype(float)
    X[:, n_telling - 1] = rng.random(20_000)
    for rows in (X, X.astype(np.float32), np.asfortranarray(X)):
        assert RowMemory.of(rows).n_leading == n_leading
    frame = pd.DataFrame(X).assign(word="a")
    assert RowMemory.of(frame).n_leading == 13


@pytest.mark.parametrize("form", [np.asarray, csr_array, pd.DataFrame, "words"])
def test_rows_are_compared_by_all_columns_though_few_lead(form):
    """One in ten rows recurs, and one in ten is like another in the leading columns
    only.
    """
    rng = np.random.default_rng(0)
    made, new = (rng.random((20_000, 5)).astype(np.float32) for _ in range(2))
    new[:2000] = made[:2000]
    new[2000:4000, :2] = made[2000:4000, :2]
    memory = RowMemory.of(made)
    assert memory.n_leading == 2

    if form == "words":
        comparison = Comparison(memory)
        comparison.add_rows(RowHashes(pd.DataFrame(new).assign(word="a")))
        assert comparison.n_recurring == 0
        return
    comparison, mask = Comparison(memory), Comparison(memory).recurs
    recurring = mask(RowHashes(form(new)))
    for batch in (new[:7000], new[7000:]):
        comparison.add_rows(RowHashes(form(batch)))
    assert recurring[:2000].sum() == comparison.n_recurring == recurring.sum()
    assert 350 < comparison.n_recurring < 470
    assert 3800 < comparison.n_compared < 4400


def test_independent_samples_with_leading_columns_are_taken_for_what_they_are():
    """The rows of both samples come from the same 20,000 rows."""
    rng = np.random.default_rng(0)
    rows = rng.random((20_000, 4))
    for _ in range(5):
        made, new = (rows[rng.integers(20_000, size=n)] for n in (10_000, 15_000))
        comparison = compared(made, new)
        assert comparison.memory.n_leading == 2
        assert comparison.n_recurring > 1000
        assert not comparison.in_common()


def test_images_are_rows():
    X = np.random.default_rng(0).random((5, 4, 3))
    assert (row_hashes(X) == row_hashes(X.reshape(5, 12))).all()


@pytest.mark.parametrize("n_values", [1, 4, 40, 400, 10**5])
def test_independent_samples_are_taken_for_what_they_are(n_values):
    """With 1 value both samples hold it equally often, as they do in each division."""
    rng = np.random.default_rng(n_values)
    for n in (300, 100):
        draws = rng.integers(n_values, size=(15, 300 + n, 1))
        assert sum(compared(one[:300], one[300:]).in_common() for one in draws) <= 1


@pytest.mark.parametrize(
    ("n_values", "copies"), [(40, 1), (400, 1), (10**5, 1), (400, 2), (10**5, 3)]
)
def test_the_same_sample_is_found(n_values, copies):
    X = np.random.default_rng(0).integers(n_values, size=(300, 1))
    assert compared(np.repeat(X, copies, axis=0), X[::-1]).in_common()


@pytest.mark.parametrize(("n_made", "n_new"), [(1000, 500), (20_000, 5000)])
def test_an_overlap_of_one_in_fifty_is_refused(n_made, n_new):
    """The rows have three continuous columns."""
    rng = np.random.default_rng(0)
    n_common = n_new // 50
    n_draws = 20
    n_found = 0
    for _ in range(n_draws):
        made = rng.random((n_made, 3))
        new = rng.random((n_new, 3))
        new[:n_common] = made[:n_common]
        n_found += compared(made, new).in_common()
    assert n_found >= 0.9 * n_draws


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_rows_are_remembered_or_not(estimator):
    X, y = load_breast_cancer(return_X_y=True)
    model = clone(estimator).set_params(max_leaf_nodes=6).fit(X, y)
    assert len(model._row_memory_.hashes) == len(np.unique(row_hashes(X)))
    assert len(pickle.dumps(model)) < len(pickle.dumps(model.to_sklearn())) + 17_000
    with pytest.raises(ValueError, match="are among those that the model was grown"):
        certify(model, X[:300], y[:300])
    assert (
        certify(model.set_params(remember=False).fit(X, y), X[:300], y[:300]).n_compared
        == 0
    )


def test_a_pruned_copy_remembers_what_it_was_pruned_on():
    X, y = load_breast_cancer(return_X_y=True)
    pruned = prune(
        DecisionTreeClassifier(random_state=0).fit(X[:300], y[:300]),
        X[:300],
        y[:300],
        remember=True,
    )
    twice = prune(pruned, X[:300], y[:300])
    again = prune(pruned, X[300:], y[300:], rule="reduced-error")
    for model, start in ((pruned, 1), (twice, 250), (again, 0), (again, 300)):
        with pytest.raises(
            ValueError, match="are among those that the model was grown"
        ):
            certify(model, X[start : start + 199], y[start : start + 199])
