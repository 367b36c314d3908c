"""Hashes where they are needed, and the places of equal ones."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from treebounds.risk.rows.row_hashes import RowHashes, equal_to_others


@pytest.mark.parametrize(("n_telling", "n_leading"), [(1, 2), (6, 8), (12, 12)])
def test_few_columns_lead_if_they_tell_the_rows_apart(n_telling, n_leading):
    """The other columns are binary, and stand before the one that tells."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(20_000, 12)).astype(float)
    X[:, n_telling - 1] = rng.random(20_000)
    for rows in (X, X.astype(np.float32), np.asfortranarray(X)):
        assert RowHashes(rows).n_leading() == n_leading
    frame = pd.DataFrame(X).assign(word="a")
    assert RowHashes(frame).n_leading() == 13


@pytest.mark.parametrize("n_values", [1, 3, 300, 2**20, 2**32])
@pytest.mark.parametrize("step", [1, 2**11, 2**22])
def test_equal_numbers_are_found(n_values, step):
    """With a step all numbers begin, or end, with the same bits."""
    rng = np.random.default_rng(n_values)
    for n in (0, 1, 2, 100, 5000):
        draws = rng.integers(n_values, size=n, dtype=np.uint64) * np.uint64(step)
        numbers = draws.astype(np.uint32)
        counts = Counter(numbers.tolist())
        expected = [i for i, one in enumerate(numbers.tolist()) if counts[one] > 1]
        assert equal_to_others(numbers).tolist() == expected
