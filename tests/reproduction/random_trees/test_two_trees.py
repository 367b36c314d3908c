"""Two trees, hold-out and cross-validation, against brute force and simulation."""

import numpy as np
import pytest

from builders import fractions_of_cells
from oracles import random_trees as oracle
from reproduction.random_trees import (
    JointDistribution,
    StoppingRule,
    cross_validation_moments,
    error_moments,
    hold_out_moments,
    simulate_cross_validation,
    two_tree_covariance,
)


def system(n_values, seed=1):
    p, floats = fractions_of_cells(n_values, seed=seed)
    return p, JointDistribution(floats)


@pytest.mark.parametrize(
    ("n_values", "n"), [((2,), 4), ((2, 2), 3), ((2, 3), 3), ((2, 2, 2), 2)]
)
def test_covariance_against_brute_force(n_values, n):
    p, distribution = system(n_values)
    for height in (None, *range(len(n_values) + 1)):
        first, _, pair, _ = oracle.moments(p, n_values, 2, n, (height, False, None))
        covariance = two_tree_covariance(distribution, n, StoppingRule(height))
        assert abs(covariance - (pair - first**2)) < 1e-14


def test_covariance_is_the_variance_for_one_attribute_after_another():
    """A tree of height d is the all-attribute tree; the lattice sum must find its
    variance too.
    """
    from reproduction.random_trees.two_trees import _Leaves

    _, distribution = system((2, 2, 3))
    leaves = _Leaves(distribution, 3, 300, 0, np.array([1]))
    difference = leaves.p[:, 0] - leaves.p[:, 1]

    total = 0.0
    for i, j, joint in leaves.pairs(np.ones(len(difference))):
        covariance = joint[:, 0, 0] - leaves.tail[i, 0] * leaves.tail[j, 0]
        total += np.sum(
            np.where(i == j, 1, 2) * difference[i] * difference[j] * covariance
        )

    assert total == pytest.approx(
        error_moments(distribution, 300, StoppingRule()).variance, abs=1e-14
    )


@pytest.mark.parametrize(
    "rule",
    [(None, False, None), (1, False, None), (None, True, None), (None, False, 1)],
)
def test_hold_out_against_brute_force(rule):
    p, distribution = system((2, 2))
    for n_train, n_test in ((2, 1), (1, 2)):
        first, second = oracle.hold_out(p, (2, 2), 2, n_train, n_test, rule)
        covariance = hold_out_moments(
            distribution, n_train, n_test, StoppingRule(*rule)
        )
        assert abs(covariance.mean - first) < 1e-12
        assert abs(covariance.variance - (second - first**2)) < 1e-12


@pytest.mark.parametrize(
    ("n_values", "n", "n_folds"),
    [
        ((2,), 4, 2),
        ((2,), 4, 4),
        ((3,), 3, 3),
        ((2, 2), 2, 2),
        ((2, 2), 3, 3),
        ((2,), 6, 3),
    ],
)
def test_cross_validation_against_brute_force(n_values, n, n_folds):
    p, distribution = system(n_values, 3)
    for height in (None, *range(len(n_values) + 1)):
        first, second = oracle.cross_validation(
            p, n_values, 2, n, n_folds, (height, False, None)
        )
        covariance = cross_validation_moments(
            distribution, n, StoppingRule(height), n_folds
        )
        assert abs(covariance.mean - first) < 1e-12
        assert abs(covariance.variance - (second - first**2)) < 1e-14


@pytest.mark.parametrize("n_folds", [2, 5, 40])
def test_cross_validation_against_simulation(n_folds):
    _, distribution = system((2, 2, 2), 4)
    exact = cross_validation_moments(distribution, 40, StoppingRule(2), n_folds)
    errors = simulate_cross_validation(distribution, 40, StoppingRule(2), n_folds, 4000)
    assert abs(errors.mean() - exact.mean) < 4.5 * errors.std() / np.sqrt(4000)
    assert abs(errors.var() - exact.variance) < 4.5 * exact.variance * np.sqrt(
        2.5 / 4000
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda p: two_tree_covariance(p, 10, StoppingRule(pure=True)),
            "enumerated_moments.*simulate_moments",
        ),
        (
            lambda p: two_tree_covariance(p, 10, StoppingRule(scarcity=2)),
            "simulate_moments",
        ),
        (lambda p: two_tree_covariance(p, 10, StoppingRule(height=5)), "height is 5"),
        (lambda p: cross_validation_moments(p, 10, StoppingRule(), 3), "must divide"),
        (lambda p: cross_validation_moments(p, 10, StoppingRule(), 1), "n_folds"),
        (
            lambda p: cross_validation_moments(p, 10, StoppingRule(pure=True), 2),
            "simulate_cross_validation",
        ),
    ],
)
def test_bad_input(call, message):
    _, distribution = system((2, 2))
    with pytest.raises(ValueError, match=message):
        call(distribution)


def test_three_classes_and_too_many_leaves_are_refused():
    three = JointDistribution(np.full((2, 2, 3), 1 / 12))
    with pytest.raises(ValueError, match="two classes"):
        two_tree_covariance(three, 10, StoppingRule(1))
    large = JointDistribution(np.full((2,) * 13, 2.0**-13))
    with pytest.raises(ValueError, match="pairs"):
        two_tree_covariance(large, 10, StoppingRule(6))


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint64])
def test_numbers_of_examples_of_any_integer_type(kind):
    _, p = system((2, 2))
    rule = StoppingRule(height=1)
    assert (
        error_moments(p, kind(100), rule).variance
        == error_moments(p, 100, rule).variance
    )
    assert hold_out_moments(p, kind(100), kind(127), rule) == hold_out_moments(
        p, 100, 127, rule
    )
    assert two_tree_covariance(p, kind(100), rule) == two_tree_covariance(p, 100, rule)
    assert cross_validation_moments(
        p, kind(100), rule, kind(10)
    ) == cross_validation_moments(p, 100, rule, 10)
    drawn = [
        simulate_cross_validation(p, k(100), rule, k(10), n_samples=50)
        for k in (kind, int)
    ]
    assert np.array_equal(*drawn)
