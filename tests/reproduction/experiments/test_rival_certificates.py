"""Certificates of others: the penalty against all prunings one by one, limits against
what they promise.
"""

import itertools
import math

import numpy as np
import pytest

from reproduction.experiments import rival_certificates as rival
from reproduction.experiments.leboeuf2020 import Split, split
from treebounds.risk import binomial_tail_inversion
from treebounds.risk.tail_inversion import bounded_mean_inversion
from treebounds.trees.counting import errors_where_reached


@pytest.fixture(scope="module")
def halves():
    data = split("sea", 0).first(400)
    return data.of_rows(np.arange(200), np.arange(200, 400))


def noise(m=400):
    rng = np.random.default_rng(3)
    X = rng.random((m, 3))
    y = rng.integers(2, size=m)
    return Split(X[: m // 2], X[m // 2 :], y[: m // 2], y[m // 2 :], 2)


def test_halves_share_no_row_and_a_block_joins_from_the_front(halves):
    assert len(halves.X_train) == len(halves.X_test) == 200
    more = halves.joined(30)
    assert np.array_equal(more.X_train[200:], halves.X_test[:30])
    assert np.array_equal(more.y_train[200:], halves.y_test[:30])


def test_the_penalty_is_the_largest_over_all_prunings(halves):
    small = halves.first(30)
    tree = small.grow("unlimited")
    inner = np.flatnonzero(~tree.is_leaf)
    assert 3 <= len(inner) <= 10
    signs = np.random.default_rng(1).choice([-1.0, 1.0], len(small.y_test))

    sums = []
    for some in itertools.product([False, True], repeat=len(inner)):
        wrong = tree.collapse(inner[list(some)]).predict(small.X_test) != small.y_test
        sums.append(float(signs @ wrong))

    signed = errors_where_reached(tree, tree.apply(small.X_test), small.y_test, signs)
    assert rival._largest_sum(tree, signed) == pytest.approx(max(sums))
    assert max(sums) > 0


def test_no_certificate_of_pure_noise_is_far_below_one_half():
    data = noise()
    grown = data.grow("unlimited")
    pruned = rival._pruned(data, grown)
    assert rival.rademacher(grown, data, 0)[0] > 0.5
    assert rival.progressive_validation(pruned, data)[0] > 0.45
    assert rival.out_of_bag(data, 0)[0] > 0.9
    value, tree = rival.fixed_sequence(pruned, data)
    assert math.isnan(value) or value > 0.45
    assert tree.n_leaves >= 1


def test_the_sequence_of_tests_ends_before_the_first_tree_whose_limit_is_too_large(
    halves,
):
    pruned = rival._pruned(halves, halves.grow("unlimited"))
    limit, tree = rival.fixed_sequence(pruned, halves)
    assert limit == 1 - np.bincount(halves.y_train).max() / 200
    errors = int(np.sum(tree.predict(halves.X_test) != halves.y_test))
    assert binomial_tail_inversion(errors, 200, math.log(0.05)) < limit
    assert 1 < tree.n_leaves <= pruned.n_leaves


def test_progressive_validation_grows_a_tree_for_each_block(halves):
    first = rival._pruned(halves, halves.grow("unlimited"))
    value, trees = rival.progressive_validation(first, halves)
    sizes = [int(tree.class_counts[0].sum()) for tree in trees]
    assert sizes == [200 + 40 * block for block in range(5)]
    wrong = sum(
        int(np.sum(tree.predict(halves.X_test[rows]) != halves.y_test[rows]))
        for tree, rows in zip(trees, np.array_split(np.arange(200), 5), strict=True)
    )
    assert value == pytest.approx(wrong / 200 + math.sqrt(math.log(20) / 400))


def test_the_out_of_bag_limit_rests_on_the_fewest_rows_that_a_tree_has_out_of_bag(
    halves,
):
    value, forest = rival.out_of_bag(halves, 0)
    X = halves.X_train
    y = halves.y_train

    errors = []
    sizes = []
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(y)), rows)
        errors.append(np.mean(tree.predict(X[out]) != y[out]))
        sizes.append(len(out))

    n = min(sizes)
    log_level = math.log(0.05 / (2 * math.sqrt(n)))
    assert value == pytest.approx(
        min(1.0, 2 * bounded_mean_inversion(np.mean(errors), n, log_level))
    )


def test_every_rival_has_its_row():
    rows = rival.rivals("iris", 0)
    assert len({row["method"] for row in rows}) == len(rows) == 5
    assert all(
        math.isnan(row["certificate"]) or 0 < row["certificate"] <= 1 for row in rows
    )
    assert all(0 <= row["test_error"] < 1 for row in rows)
