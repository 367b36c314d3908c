"""The bootstrap against exact fractions and scikit-learn's forests."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from reproduction.ensembles import bootstrap_coverage, bootstrap_sample


def test_coverage_is_exact():
    for n in range(1, 60):
        exact = 1 - (1 - Fraction(1, n)) ** n
        assert bootstrap_coverage(n) == pytest.approx(float(exact), rel=1e-14)
    assert bootstrap_coverage(10**15) == pytest.approx(1 - np.exp(-1), rel=1e-14)


def test_coverage_is_the_mean_of_the_samples():
    rng = np.random.RandomState(0)
    held = [len(np.unique(bootstrap_sample(50, rng))) / 50 for _ in range(4000)]
    assert np.mean(held) == pytest.approx(bootstrap_coverage(50), abs=4 * np.std(held) / np.sqrt(4000))


def test_samples_are_those_of_scikit_learns_forests():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=12, random_state=5).fit(X, y)
    for tree, sample in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        assert (bootstrap_sample(len(y), tree.random_state) == sample).all()
