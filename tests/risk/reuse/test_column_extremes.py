"""Rows that a scaler to a range was fitted to do not judge it."""

import numpy as np
import pytest
from scipy.sparse import random_array
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, minmax_scale

from treebounds import certify
from treebounds.risk.reuse.column_extremes import chance_of_holders

SAME_EXTREMES = "Scaler was fitted to seem to be among these"


def pipeline(scaler=None):
    """A scaler to a range, and a model that keeps nothing of its rows."""
    return make_pipeline(scaler or MinMaxScaler(), LogisticRegression())


class TestOwnRows:
    @pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
    @pytest.mark.parametrize("scaler", [MinMaxScaler(), MaxAbsScaler()], ids=str)
    def test_they_are_refused(self, load, scaler):
        X, y = load(return_X_y=True)
        model = pipeline(scaler).fit(X, y)

        with pytest.raises(ValueError, match=SAME_EXTREMES):
            certify(model, X, y, duplicates="ignore")

    def test_among_others_in_batches_are_refused(self):
        X, y = load_breast_cancer(return_X_y=True)
        X, X_other, y, y_other = train_test_split(X, y, test_size=0.3, random_state=0)
        model = pipeline().fit(X, y)

        with pytest.raises(ValueError, match=SAME_EXTREMES):
            certify(model, iter([(X_other, y_other), (X, y)]))

    def test_in_a_sparse_table_are_refused(self):
        rng = np.random.default_rng(0)
        X = random_array((500, 20), density=0.2, rng=rng, format="csr")
        y = rng.integers(0, 2, 500)
        model = pipeline(MaxAbsScaler()).fit(X, y)

        with pytest.raises(ValueError, match=SAME_EXTREMES):
            certify(model, X, y)


class TestOtherRows:
    @pytest.mark.parametrize("seed", range(5))
    def test_of_the_same_table_are_certified(self, seed):
        X, y = load_breast_cancer(return_X_y=True)
        X, X_test, y, y_test = train_test_split(
            X, y, test_size=0.6, random_state=seed, stratify=y
        )

        assert certify(pipeline().fit(X, y), X_test, y_test).n_examples == 342

    @pytest.mark.parametrize(
        "prepared",
        [minmax_scale, lambda part: np.argsort(np.argsort(part, axis=0), axis=0) + 1.0],
        ids=["range", "ranks"],
    )
    def test_prepared_alike_are_certified(self, prepared):
        # Each half has the same extreme values, because each was prepared by itself.
        rng = np.random.default_rng(0)
        X, X_test = (prepared(rng.normal(size=(200, 12))) for _ in "ab")
        y, y_test = (rng.integers(0, 2, 200) for _ in "ab")
        assert np.allclose(X.max(axis=0), X_test.max(axis=0))

        assert certify(pipeline().fit(X, y), X_test, y_test).n_examples == 200

    def test_of_counts_with_rare_large_values_are_certified(self):
        # A third of such extreme values are held by one row of the other half.
        rng = np.random.default_rng(0)
        for _ in range(30):
            X, X_test = rng.poisson(np.geomspace(0.1, 5, 40), size=(2, 200, 40))
            y, y_test = rng.integers(0, 2, size=(2, 200))
            certify(pipeline().fit(X, y), X_test, y_test)


class TestChanceOfHolders:
    @pytest.mark.parametrize("mean", [0.5, 1.0, 2.0])
    @pytest.mark.parametrize(("K", "M", "R"), [(4, 0, 3), (6, 1, 3), (10, 2, 4)])
    def test_is_not_exceeded_by_independent_draws(self, mean, K, M, R):
        rng = np.random.default_rng(0)
        others = 1 - K * mean / 1000
        drawn = rng.multinomial(1000, [mean / 1000] * K + [others], size=20_000)[:, :K]
        is_extreme = ((drawn == 0).sum(axis=1) <= M) & ((drawn == 1).sum(axis=1) >= R)

        assert is_extreme.mean() <= chance_of_holders(K, M, R) + 0.01

    def test_of_values_in_one_row_each_is_exact(self):
        # A Poisson number is 1 with probability 1 / e at most.
        assert chance_of_holders(12, 0, 12) == pytest.approx(np.exp(-12), rel=0.02)

    def test_without_a_row_that_holds_one_alone_is_1(self):
        assert chance_of_holders(20, 0, 0) == 1.0
