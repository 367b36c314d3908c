"""Bagging and forests against scikit-learn; the bootstrap against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from reproduction.ensembles import bag_trees, bootstrap_coverage, bootstrap_sample


def test_coverage_is_exact():
    for n in range(1, 60):
        exact = 1 - (1 - Fraction(1, n)) ** n
        assert bootstrap_coverage(n) == pytest.approx(float(exact), rel=1e-14)
    assert bootstrap_coverage(10**15) == pytest.approx(1 - np.exp(-1), rel=1e-14)


def test_coverage_is_the_mean_of_the_samples():
    rng = np.random.RandomState(0)
    held = [len(np.unique(bootstrap_sample(50, rng))) / 50 for _ in range(4000)]
    assert np.mean(held) == pytest.approx(bootstrap_coverage(50), abs=4 * np.std(held) / np.sqrt(4000))


@pytest.mark.parametrize("max_features", [None, 2])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_trees_are_those_of_scikit_learn(task, max_features):
    load, forest = {
        "classification": (load_iris, RandomForestClassifier),
        "regression": (load_diabetes, RandomForestRegressor),
    }[task]
    X, y = load(return_X_y=True)
    theirs = forest(n_estimators=12, max_features=max_features, random_state=5).fit(X, y)
    bag = bag_trees(X, y, 12, max_features, task, random_state=5)
    for mine, tree, a, b in zip(
        bag.trees, theirs.estimators_, bag.samples, theirs.estimators_samples_, strict=True
    ):
        assert (a == b).all()
        np.testing.assert_array_equal(mine.tree_.threshold, tree.tree_.threshold)
        np.testing.assert_array_equal(mine.tree_.feature, tree.tree_.feature)
    if task == "regression":
        np.testing.assert_allclose(bag.predict(X), theirs.predict(X))


def test_the_plurality_wins_and_ties_go_to_the_first_class():
    X, y = load_iris(return_X_y=True)
    bag = bag_trees(X, np.array(["a", "b", "c"])[y], 6, random_state=0)
    votes = np.stack([np.bincount(column, minlength=3) for column in bag.predict_each(X).T])
    assert bag.predict(X).tolist() == [["a", "b", "c"][np.flatnonzero(v == v.max())[0]] for v in votes]
