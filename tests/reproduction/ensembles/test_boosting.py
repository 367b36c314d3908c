"""AdaBoost and forward stagewise additive modeling against brute force and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import AdaBoostClassifier

from reproduction.ensembles import Stump, adaboost, best_stump, forward_stagewise


class MinimalErrorStump(ClassifierMixin, BaseEstimator):
    """The library's stump as a scikit-learn classifier; scikit-learn's own stumps minimize impurity."""

    def fit(self, X, y, sample_weight):
        self.classes_ = np.unique(y)
        self.stump_ = best_stump(X, sample_weight * (2 * (y == self.classes_[1]) - 1))
        return self

    def predict(self, X):
        return self.classes_[(self.stump_.predict(X) > 0).astype(int)]


def all_stumps(X):
    return [
        Stump(j, threshold, sign)
        for j in range(X.shape[1])
        for threshold in (-np.inf, *np.unique(X[:, j]))
        for sign in (1, -1)
    ]


rows = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([-1, 1])), min_size=2, max_size=10
)


@given(rows)
def test_best_stump_by_trying_all(rows):
    *columns, r = np.array(rows, dtype=float).T
    X = np.column_stack(columns)
    best = max(r @ stump.predict(X) for stump in all_stumps(X))
    assert r @ best_stump(X, r).predict(X) == best


def test_the_threshold_separates_neighboring_floats():
    x = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    for low, high in (x.ravel(), -x.ravel()[::-1]):
        stump = best_stump([[low], [high]], [-1, 1])
        assert stump.predict([[low], [high]]).tolist() == [-1, 1]


def test_adaboost_is_forward_stagewise_modeling_with_exponential_loss():
    X, y = load_breast_cancer(return_X_y=True)
    a, b = adaboost(X, y, 60), forward_stagewise(X, y, 60, "exponential")
    assert a.terms == b.terms
    np.testing.assert_allclose(a.weights, b.weights, rtol=1e-9)


def test_equal_to_scikit_learn_with_the_same_stumps():
    X, y = load_breast_cancer(return_X_y=True)
    theirs = AdaBoostClassifier(MinimalErrorStump(), n_estimators=40).fit(X, y)
    ours = adaboost(X, y, 40)
    assert [tree.stump_ for tree in theirs.estimators_] == ours.terms
    np.testing.assert_allclose(theirs.estimator_weights_, 2 * np.array(ours.weights), rtol=1e-9)
    assert (theirs.predict(X) == ours.predict(X)).all()


@given(rows)
def test_each_round_minimizes_the_exponential_loss(rows):
    *columns, y = np.array(rows, dtype=float).T
    X = np.column_stack(columns)
    if len(set(y)) < 2:
        return
    model = forward_stagewise(X, y, 2, "exponential")
    if any(all(stump.predict(X) == y) for stump in model.terms):
        return  # no smallest loss: it falls to 0 with growing beta
    f = np.zeros(len(y))
    for stump, beta in zip(model.terms, model.weights, strict=True):
        reached = np.exp(-y * (f + beta * stump.predict(X))).sum()
        for other in all_stumps(X):
            h = other.predict(X)
            agree, differ = (np.exp(-y * f)[side].sum() for side in (h == y, h != y))
            assert reached <= 2 * np.sqrt(agree * differ) + 1e-9  # the least over beta
        f = f + beta * stump.predict(X)


def test_squared_loss_falls_by_the_closed_form():
    X, y = load_diabetes(return_X_y=True)
    model = forward_stagewise(X, y, 30, "squared")
    loss = np.mean(y**2)
    for f, beta in zip(model.staged_decision_function(X), model.weights, strict=True):
        assert np.mean((y - f) ** 2) == pytest.approx(loss - beta**2)
        loss = np.mean((y - f) ** 2)


def test_training_error_is_below_the_product_bound():
    X, y = load_breast_cancer(return_X_y=True)
    model = adaboost(X, y, 30)
    sign = 2 * y - 1
    for k, f in enumerate(model.staged_decision_function(X), 1):
        exponential_loss = np.exp(-sign * f).mean()
        # beta = ln((1 - e)/e) / 2, so 2 sqrt(e (1 - e)) = 1 / cosh(beta)
        assert exponential_loss == pytest.approx(np.prod(1 / np.cosh(model.weights[:k])))
        assert np.mean(sign * f <= 0) <= exponential_loss


def test_a_stump_without_error_stands_alone():
    for boost in (adaboost, forward_stagewise):
        model = boost([[0.0], [1.0], [2.0]], ["no", "yes", "yes"], 5)
        assert model.terms == [Stump(0, 0.5, 1)]
        assert model.weights == [1.0]
        assert model.predict([[0.4], [0.6]]).tolist() == ["no", "yes"]


def test_boosting_stops_when_no_stump_beats_a_guess():
    for boost in (adaboost, forward_stagewise):
        model = boost([[0.0], [0.0]], [0, 1], 5)
        assert model.terms == []
        assert model.predict([[0.0]]).tolist() == [0]
