"""Certificates of regressors: a share of cases that are off, a tolerance that
covers.
"""

import math
import re

import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds import ArrayTree, certify
from treebounds.risk.coverage import (
    cases_needed,
    covering_tolerance,
    covering_tolerance_of_groups,
)
from treebounds.risk.tail_inversion import bounded_mean_inversion


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(600, 1))
    return X, 10 * X[:, 0] + rng.normal(size=600)


@pytest.fixture(scope="module")
def tree(sample):
    X, y = sample
    return DecisionTreeRegressor(max_leaf_nodes=8).fit(X[:300], y[:300])


def test_the_share_off_by_more_than_a_tolerance(tree, sample):
    X, y = sample
    certificate = certify(tree, X[300:], y[300:], tolerance=2)
    k = int((np.abs(y[300:] - tree.predict(X[300:])) > 2).sum())
    assert certificate.n_errors == k
    assert binom.cdf(k, 300, certificate.value) == pytest.approx(0.05)
    assert certificate.tolerance == 2
    assert "is off by more than 2 on at most" in certificate.sentence


def test_the_sentence_calls_it_a_regressor(sample):
    X, y = sample
    model = LinearRegression().fit(X[:300], y[:300])
    certificate = certify(model, X[300:], y[300:], tolerance=2)
    assert ", this regressor is off by more than 2 on" in certificate.sentence


def test_the_tolerance_that_covers_a_share(tree, sample):
    X, y = sample
    residuals = y[300:] - tree.predict(X[300:])
    certificate = certify(tree, X[300:], y[300:], coverage=0.9)
    assert certificate.tolerance == covering_tolerance(residuals, coverage=0.9)
    assert certificate.value == 0.1
    assert certificate.n_errors == (np.abs(residuals) > certificate.tolerance).sum()


def test_the_tolerance_in_the_sentence_is_rounded_up(tree, sample):
    X, y = sample
    certificate = certify(tree, X[300:], y[300:], coverage=0.9)
    words = certificate.sentence.split("is off by more than ")[1]
    assert float(words.split()[0]) >= certificate.tolerance
    assert "on at most 10.0% of new cases" in words


@pytest.mark.no_cover
def test_both_hold_in_simulation():
    """A constant, whose errors are normal."""
    rng = np.random.default_rng(1)
    zero = DummyRegressor(strategy="constant", constant=0.0).fit([[0]], [0.0])
    n_draws = 500
    delta = 0.1
    share_of_two = 2 * norm.sf(2)
    n_wrong_shares = 0
    n_wrong_tolerances = 0
    for _ in range(n_draws):
        y = rng.normal(size=60)
        X = np.zeros((60, 1))
        share = certify(zero, X, y, tolerance=2, delta=delta)
        covering = certify(zero, X, y, coverage=0.9, delta=delta)
        n_wrong_shares += share.value < share_of_two
        n_wrong_tolerances += covering.tolerance < norm.isf(0.05)
    for n_wrong in (n_wrong_shares, n_wrong_tolerances):
        assert binomtest(n_wrong, n_draws, delta, alternative="greater").pvalue > 1e-3


def test_a_tolerance_that_no_prediction_keeps_is_named():
    mean = DummyRegressor().fit([[0]], [3.0])
    certificate = certify(mean, np.ones((50, 1)), np.arange(4, 54.0), tolerance=0.5)
    assert certificate.promises_nothing
    assert "nothing (test-set): 50 of 50 examples were off by more than 0.5. It " in (
        certificate.sentence
    )


def test_a_constant_says_so():
    mean = DummyRegressor().fit([[0]], [3.0])
    certificate = certify(mean, np.ones((50, 1)), np.arange(50.0), tolerance=5)
    assert "It predicts 3 for each of these examples." in certificate.sentence


def test_no_gain_over_a_constant_is_said():
    """By brute force: no constant is off less often than the one in the remark."""
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(100, 1))
    y = rng.normal(size=100)
    model = LinearRegression().fit(rng.uniform(size=(5, 1)), 9 * rng.normal(size=5))
    certificate = certify(model, X, y, tolerance=1)
    n_off = min((np.abs(y - c) > 1).sum() for c in np.linspace(-3, 3, 6001))
    assert f"is off by more on {n_off} of these" in certificate.remark


def test_batches_are_one_sample(tree, sample):
    X, y = sample
    whole = certify(tree, X[300:], y[300:], coverage=0.9)
    batches = ((X[i : i + 100], y[i : i + 100]) for i in (300, 400, 500))
    assert certify(tree, batches, coverage=0.9).tolerance == whole.tolerance


def test_an_array_tree_of_numbers_is_a_regressor():
    tree = ArrayTree(
        children_left=[1, -1, -1],
        children_right=[2, -1, -1],
        feature=[0, 0, 0],
        threshold=[0.5, 0, 0],
        target_sums=[[3, 12, 74], [2, 4, 10], [1, 8, 64]],
        n_features=1,
    )
    X = np.tile([[0.0], [1.0]], (30, 1))
    table = certify(
        tree, X, np.tile([2.0, 9.0], 30), tolerance=0.5, by="leaf", min_rows=1
    )
    assert table[1].n_errors == 0
    assert table[2].n_errors == 30


def test_groups_of_cases():
    zero = DummyRegressor(strategy="constant", constant=0.0).fit([[0]], [0.0])
    y = np.tile([0.0, 3.0], 40)
    certificate = certify(
        zero, np.zeros((80, 1)), y, tolerance=1, groups=np.arange(80) // 4
    )
    expected = bounded_mean_inversion(0.5, 20, math.log(0.05))
    assert certificate.value == expected
    assert certificate.n_groups == 20


def test_the_tolerance_of_groups_is_the_smallest_that_covers():
    """Against all sizes, one by one."""
    rng = np.random.default_rng(3)
    sizes = np.abs(rng.normal(size=300))
    units = np.arange(300) // 3
    tolerance = covering_tolerance_of_groups(sizes, units, coverage=0.8)
    covering = [
        t
        for t in sizes
        if bounded_mean_inversion((sizes > t).mean(), 100, math.log(0.05)) <= 0.2
    ]
    assert tolerance == min(covering)


def test_as_few_groups_as_suffice_have_the_largest_size():
    """Without a case beyond it at most .0981 are, by 1 - .05^(1/29), and with one more
    than .1.
    """
    sizes = np.random.default_rng(0).permutation(np.arange(1.0, 59))
    units = np.arange(58) // 2
    assert covering_tolerance_of_groups(sizes, units, coverage=0.9) == 58


def test_the_tolerance_of_groups_covers_in_simulation():
    rng = np.random.default_rng(4)
    n_draws = 300
    delta = 0.1
    n_wrong = 0
    units = np.repeat(np.arange(40), 3)
    for _ in range(n_draws):
        # The cases of a group are equal in size.
        sizes = np.repeat(np.abs(rng.normal(size=40)), 3)
        tolerance = covering_tolerance_of_groups(
            sizes, units, coverage=0.8, delta=delta
        )
        n_wrong += tolerance < norm.isf(0.1)
    assert binomtest(n_wrong, n_draws, delta, alternative="greater").pvalue > 1e-3


def test_too_few_rows_say_how_many_it_takes(tree, sample):
    X, y = sample
    needed = cases_needed(0.99, 0.05)
    with pytest.raises(
        ValueError, match=f"coverage=0.99 needs at least {needed} cases"
    ):
        certify(tree, X[300:400], y[300:400], coverage=0.99)


def test_too_few_groups_say_how_many_it_takes():
    with pytest.raises(ValueError, match="at least 29 groups"):
        covering_tolerance_of_groups(np.ones(40), np.arange(40) // 4)


def test_parts_too_small_to_cover_are_none(tree, sample):
    X, y = sample
    part = np.r_[np.zeros(290), np.ones(10)]
    table = certify(tree, X[300:], y[300:], coverage=0.9, by=part)
    assert table[1.0] is None
    assert table[0.0].tolerance > 0


class TestBadInput:
    @pytest.mark.parametrize("tolerance", [-1, math.nan, math.inf, "much", True])
    def test_a_bad_tolerance(self, tree, sample, tolerance):
        with pytest.raises(ValueError, match="tolerance"):
            certify(tree, *sample, tolerance=tolerance)

    @pytest.mark.parametrize("coverage", [0, 1, 1.5, math.nan])
    def test_a_bad_coverage(self, tree, sample, coverage):
        with pytest.raises(ValueError, match="coverage"):
            certify(tree, *sample, coverage=coverage)

    @pytest.mark.parametrize("arguments", [{}, {"tolerance": 1, "coverage": 0.9}])
    def test_a_regressor_needs_one_of_the_two(self, tree, sample, arguments):
        with pytest.raises(ValueError, match="certify\\(model, X, y, tolerance=5\\)"):
            certify(tree, *sample, **arguments)

    @pytest.mark.parametrize("name", ["tolerance", "coverage"])
    def test_a_classifier_has_neither(self, name):
        tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
        with pytest.raises(ValueError, match=f"{name} is for regressors"):
            certify(tree, [[0]], [0], **{name: 0.5})

    def test_several_outputs_are_certified_one_by_one(self, sample):
        X, y = sample
        both = np.column_stack([y, y])
        model = DecisionTreeRegressor(max_depth=1).fit(X, both)
        with pytest.raises(ValueError, match="got 2 outputs: certify a regressor"):
            certify(model, X + 100, both, tolerance=1)

    def test_costs_are_for_classifiers(self, tree, sample):
        with pytest.raises(ValueError, match="cost is for classifiers"):
            certify(tree, *sample, cost=[1, 2])

    def test_classes_are_not_parts_of_numbers(self, tree, sample):
        with pytest.raises(
            ValueError, match="by='class' is for the errors of classifiers"
        ):
            certify(tree, *sample, tolerance=1, by="class")

    @pytest.mark.parametrize("bad", [math.nan, math.inf, "a"])
    def test_y_must_hold_finite_numbers(self, tree, bad):
        with pytest.raises(ValueError, match="y must hold finite numbers"):
            certify(tree, [[0.0], [1.0]], [1.0, bad], tolerance=1)

    def test_the_sample_that_a_tree_was_grown_on_is_refused(self, tree, sample):
        X, y = sample
        with pytest.raises(ValueError, match="was grown on"):
            certify(tree, X[:300], y[:300], tolerance=1)

    def test_an_empty_sample(self, tree):
        with pytest.raises(ValueError, match="at least one example"):
            certify(tree, iter([]), tolerance=1)

    def test_a_regressor_must_be_fitted(self, sample):
        with pytest.raises(ValueError, match="not fitted yet"):
            certify(DecisionTreeRegressor(), *sample, tolerance=1)


@pytest.mark.parametrize("centre", [0.0, 1234567.8, 2e9])
def test_the_best_constant_is_off_as_often_as_the_remark_says(centre):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1))
    y = centre + 2 * rng.normal(size=300)
    model = LinearRegression().fit(X[:100], y[:100])

    remark = certify(model, X[100:], y[100:], tolerance=1.5).remark
    constant, n_off = re.search(r"redicting (\S+?),? .*on (\d+) of", remark).groups()
    assert np.count_nonzero(np.abs(y[100:] - float(constant)) > 1.5) == int(n_off)
