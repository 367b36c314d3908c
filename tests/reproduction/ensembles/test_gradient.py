"""Gradient boosting against scikit-learn."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from reproduction.ensembles import gradient_boosting

SETTINGS = [{}, {"learning_rate": 1.0, "max_depth": 2}, {"learning_rate": 0.03, "max_depth": 5}]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_equal_to_scikit_learn_for_squared_loss(settings):
    X, y = load_diabetes(return_X_y=True)
    theirs = GradientBoostingRegressor(n_estimators=60, random_state=7, **settings).fit(X, y)
    ours = gradient_boosting(X, y, "squared", 60, random_state=7, **settings)
    for a, b in zip(ours.staged_decision_function(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-8)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_equal_to_scikit_learn_for_logistic_loss(settings):
    X, y = load_breast_cancer(return_X_y=True)
    theirs = GradientBoostingClassifier(n_estimators=60, random_state=7, **settings).fit(X, y)
    ours = gradient_boosting(X, y, "logistic", 60, random_state=7, **settings)
    # close to the float limit of the log-odds scikit-learn's own sums lose digits: compare probabilities too
    for a, b in zip(ours.staged_decision_function(X), theirs.staged_decision_function(X), strict=True):
        np.testing.assert_allclose(a, b[:, 0], rtol=1e-8, atol=1e-8)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_the_plain_gradient_step_is_the_same_only_for_squared_loss():
    X, y = load_diabetes(return_X_y=True)
    plain, newton = (
        gradient_boosting(X, y, n_rounds=5, leaf_step=step, random_state=0) for step in ("gradient", "newton")
    )
    np.testing.assert_allclose(plain.predict(X), newton.predict(X), atol=1e-9)
    X, y = load_breast_cancer(return_X_y=True)
    plain, newton = (
        gradient_boosting(X, y, "logistic", 1, leaf_step=step, random_state=0)
        for step in ("gradient", "newton")
    )
    p = y.mean()
    step = newton.decision_function(X) - newton.start
    np.testing.assert_allclose(plain.decision_function(X) - plain.start, step * p * (1 - p), atol=1e-12)


def test_training_loss_falls_with_every_small_step():
    X, y = load_breast_cancer(return_X_y=True)
    for leaf_step in ("newton", "gradient"):
        model = gradient_boosting(X, y, "logistic", 40, leaf_step=leaf_step, random_state=0)
        losses = [np.mean(np.logaddexp(0, f) - y * f) for f in model.staged_decision_function(X)]
        assert (np.diff(losses) < 0).all()
