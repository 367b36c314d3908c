"""Copies or chance: the two tests, what they find, and how seldom they are wrong."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array
from scipy.stats import binom

from oracles.copies import copies_p_value as obvious_p_value
from oracles.copies import copies_p_value_with_labels
from treebounds.risk.rows.copies import (
    _chance_to_agree,
    copies_p_value,
    repetition_p_value,
)
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.risk.rows.tables import as_table


def p_value(X, y=None, **options):
    return copies_p_value(RowHashes(X), y, **options)


def discrete(n=300, n_columns=6, n_values=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(n_values, size=(n, n_columns)).astype(float)
    return X, rng.integers(2, size=n)


def repetition_probabilities(cells, n):
    """For each V, a bound on the probability that n draws fill V cells, all by
    multiples of some q > 1: the sum over q, each by the coefficients of a product of
    series.
    """
    exact = np.zeros(len(cells) + 1)
    for q in range(2, n + 1):
        table = np.zeros((n + 1, len(cells) + 1))
        table[0, 0] = 1.0
        for cell in cells:
            longer = table.copy()
            for count in range(q, n + 1, q):
                weight = cell**count / math.factorial(count)
                longer[count:, 1:] += weight * table[: n + 1 - count, :-1]
            table = longer
        exact += table[n] * math.factorial(n)
    return exact


def test_the_test_is_seldom_wrong_where_its_sentence_holds():
    """Two different cases agree in the last column with probability 1/2 at most."""
    n_draws = 300
    n_alarms = 0
    for seed in range(n_draws):
        X, y = discrete(n=60, n_columns=3, seed=seed)
        n_alarms += p_value(X, y) <= 0.01
    assert binom.sf(n_alarms - 1, n_draws, 0.01) > 0.001


@pytest.mark.parametrize("n", [60, 300, 1000])
def test_a_table_of_rare_flags_is_taken(n):
    """Different cases agree in each column with probability .82."""
    n_draws = 60
    n_alarms = 0
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        flags = rng.random((n, 9)) < 0.1
        n_alarms += p_value(flags[:, :8], flags[:, 8]) <= 0.01
    assert n_alarms <= 3


@pytest.mark.parametrize("n", [60, 300, 1000])
@pytest.mark.parametrize("noise", [0.1, 0.2])
def test_rare_flags_with_labels_that_follow_from_them_are_taken(n, noise):
    """Different cases agree in each of the last eight columns with probability .82,
    whatever else they have in common. Their labels agree more often if they are alike
    than if they are not.
    """
    n_draws = 60
    n_alarms = 0
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        flags = rng.random((n, 12)) < 0.1
        y = flags[:, :4].any(axis=1) ^ (rng.random(n) < noise)
        n_alarms += p_value(flags, y) <= 0.01
    assert n_alarms <= 3


def test_copies_of_rare_flags_are_found_among_labels_that_follow_from_them():
    rng = np.random.default_rng(0)
    flags = rng.random((1000, 60)) < 0.1
    y = flags[:, :6].any(axis=1) ^ (rng.random(1000) < 0.1)
    assert p_value(flags, y) > 0.01
    rows = np.append(np.arange(1000), rng.choice(1000, 100, replace=False))
    assert p_value(flags[rows], y[rows]) <= 0.01


def test_a_sorted_table_is_taken():
    X, y = discrete(n=400, n_columns=3)
    order = np.lexsort([*X.T, y])
    assert p_value(X[order], y[order]) > 0.01


@pytest.mark.parametrize("seed", range(20))
def test_the_fast_test_is_the_obvious_one_with_flags(seed):
    rng = np.random.default_rng(seed)
    flags = (rng.random((40, 3)) < 0.2).astype(int)
    chance = max(
        0.5,
        min(
            (flags[:, j, None] == flags[:, j])[np.triu_indices(40, 1)].mean()
            for j in range(3)
        ),
    )
    assert _chance_to_agree(as_table(flags), np.arange(40)) == pytest.approx(chance)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("form", [np.asarray, csr_array, coo_array])
def test_the_fast_test_is_the_obvious_one(seed, form):
    """The oracle takes the first two rows of a group in its own order: where no rows
    are alike in all but one column by chance, any two do.
    """
    rng = np.random.default_rng(seed)
    X = rng.random((40, 3))
    rows = np.append(np.arange(40), rng.choice(40, 9, replace=False))
    table = np.column_stack([np.unique(c, return_inverse=True)[1] for c in X[rows].T])
    assert p_value(form(X[rows])) == pytest.approx(obvious_p_value(table))


@pytest.mark.parametrize("n_copies", [7, 9, 10, 12])
def test_the_fast_test_is_the_obvious_one_with_labels(n_copies):
    """Rows of the first class share their second column, so that only the first class
    has pairs that are alike in all but the first column by chance.
    """
    rng = np.random.default_rng(n_copies)
    y = np.repeat([0, 1, 2], [40, 30, 5])
    X = rng.random((75, 3))
    X[:40, 1:] = np.repeat(rng.random((20, 2)), 2, axis=0)
    rows = np.append(np.arange(75), 40 + np.arange(n_copies))
    table = np.column_stack([np.unique(c, return_inverse=True)[1] for c in X[rows].T])
    expected = copies_p_value_with_labels(table, y[rows].tolist())
    assert p_value(X[rows], y[rows]) == pytest.approx(expected, rel=1e-9)
    assert (expected <= 0.01) == (n_copies > 9)


def test_seven_copies_are_enough_beside_the_comparison_within_classes():
    """They are of both classes, so all rows together, with 0.8 of the level, find them
    first.
    """
    X = np.random.default_rng(0).random((60, 3))
    y = np.arange(60) % 2
    rows = np.append(np.arange(60), np.arange(7))
    assert p_value(X[rows], y[rows]) == pytest.approx(2**-7 / 0.8)


@pytest.mark.parametrize("are", ["groups", "samples"])
def test_only_rows_of_different_units_are_compared(are):
    """Each row is there twice: in one unit, and then once in each of two."""
    rows = np.random.default_rng(0).random((50, 3))
    one_after_the_other = np.repeat(rows, 2, axis=0)
    halves = np.repeat([0, 1], 50)
    assert p_value(one_after_the_other, **{are: halves}) == 1
    assert p_value(np.tile(rows, (2, 1)), **{are: halves}) < 1e-9


@pytest.mark.parametrize(("n_values", "n_columns"), [(5, 4), (10, 4), (1000, 2)])
def test_copies_of_one_class_are_found_among_rows_that_are_alike(n_values, n_columns):
    """A tenth of the rows was drawn again until it was a half of them."""
    rng = np.random.default_rng(0)
    X = rng.integers(n_values, size=(400, n_columns)).astype(float)
    y = np.repeat([1, 0], [40, 360])
    assert p_value(X, y) > 0.01
    rows = np.append(np.arange(400), rng.choice(40, 320))
    assert p_value(X[rows], y[rows]) <= 0.01


def test_classes_are_seldom_taken_where_the_sentence_holds():
    """All columns but the last one name the case; this one is a coin."""
    n_draws = 300
    n_alarms = 0
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        cases = rng.integers(60, size=120)
        X = np.column_stack([cases, cases * 7 % 60, rng.integers(2, size=120)])
        n_alarms += p_value(X, cases % 3) <= 0.01
    assert binom.sf(n_alarms - 1, n_draws, 0.01) > 0.001


class TestRepetition:
    def test_one_row_that_occurs_once_is_enough(self):
        assert repetition_p_value(np.array([3] * 100 + [1])) == 1.0

    def test_it_is_a_bound_for_coins(self):
        """Both sides of a coin occur evenly often in half of all even samples."""
        assert repetition_p_value(np.array([10, 12])) == 1.0

    def test_it_bounds_what_is_simulated(self):
        rng = np.random.default_rng(0)
        draws = rng.multinomial(24, [1 / 6] * 6, size=20_000)
        draws = draws[(draws > 0).all(axis=1)]
        share = (np.gcd.reduce(draws, axis=1) > 1).mean()
        assert share <= repetition_p_value(np.full(6, 4))

    @pytest.mark.parametrize("n_cells", [12, 14, 16])
    @pytest.mark.parametrize("heavy", [0, 3, 8])
    def test_it_bounds_what_is_counted(self, n_cells, heavy):
        """Exact probabilities that all cells are filled by multiples of some q, for
        cells of equal and of unequal probabilities.
        """
        weights = np.append(np.full(heavy, 3.0), np.ones(n_cells - heavy))
        exact = repetition_probabilities(weights / weights.sum(), 2 * n_cells)
        bound = repetition_p_value(np.full(n_cells, 2))
        assert 0 < exact[n_cells] <= bound < 1

    def test_many_rows_cannot_all_be_even_by_chance(self):
        assert repetition_p_value(np.full(60, 2)) < 1e-9


@pytest.mark.parametrize("drop_first", [False, True])
def test_columns_of_one_nominal_feature_are_one_column(drop_first):
    """Each of them is known from the others, so it agrees in every pair."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        kinds = pd.DataFrame(rng.integers(0, 4, (300, 4)).astype(str))
        X = pd.get_dummies(kinds, drop_first=drop_first).to_numpy(float)
        y = X[:, 0].astype(bool) ^ (rng.random(300) < 0.05)
        assert p_value(X, y) > 0.01


def test_copies_of_nominal_features_are_found():
    rng = np.random.default_rng(0)
    kinds = pd.DataFrame(rng.integers(0, 6, (200, 6)).astype(str))
    X = pd.get_dummies(kinds).to_numpy(float)
    y = rng.integers(0, 2, 200)
    assert p_value(X, y) > 0.01
    assert p_value(np.tile(X, (2, 1)), np.tile(y, 2)) < 1e-6
