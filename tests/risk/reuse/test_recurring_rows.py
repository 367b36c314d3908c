"""When two samples have more rows in common than independent ones."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from oracles.equal_rows import n_recurring, smallest_counts
from treebounds.risk.reuse import recurring_rows as comparing
from treebounds.risk.reuse.memory import MOST, RowMemory
from treebounds.risk.reuse.recurring_rows import Comparison
from treebounds.risk.rows.hash_function import hash_rows, upper_half
from treebounds.risk.rows.row_hashes import RowHashes


def compared(made, new):
    comparison = Comparison(RowMemory.of(made))
    comparison.add_rows(RowHashes(new))
    return comparison


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
        comparing, "_too_many_recur", lambda *counts: seen.extend(counts) or True
    )
    assert comparison.in_common() == (comparison.n_recurring > 0)
    if seen:
        halves = (upper_half(hash_rows(rows)) for rows in (made, new))
        expected = smallest_counts(*halves, MOST)
        assert [counts.tolist() for counts in seen[:2]] == list(expected)


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
