"""Limits of a mean cost: valid, ordered as the theorems say, equal to an
enumeration.
"""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, multinomial

from oracles import mean_costs as oracle
from treebounds.risk.costs import betting_limit, mean_cost_limit, sums_of_limits

DELTA = 0.1


def costs_of(n_cases, n_low, n_high, low=1.0, high=10.0):
    costs = np.zeros(n_cases)
    costs[:n_low] = low
    costs[n_low : n_low + n_high] = high
    return costs


def sum_of_limits(costs, values, *, delta):
    return float(sums_of_limits([costs], values, delta=delta)[0])


def test_one_value_is_clopper_and_pearson():
    limit = mean_cost_limit(costs_of(50, 0, 3), [10.0], delta=0.05)
    assert limit == pytest.approx(10 * beta.ppf(0.95, 4, 47), rel=1e-9)


def test_the_sum_of_limits_is_the_formula():
    limit = sum_of_limits(costs_of(40, 5, 2), [1, 10], delta=0.05)
    some = beta.ppf(1 - 0.025, 8, 33)
    high = beta.ppf(1 - 0.025, 3, 38)
    assert limit == pytest.approx(some + 9 * high, rel=1e-9)


@pytest.mark.parametrize(("n_low", "n_high"), [(0, 0), (3, 0), (0, 3), (5, 2), (12, 0)])
def test_the_exact_limit_is_never_above_the_sum(n_low, n_high):
    costs = costs_of(12, n_low, n_high)
    exact = mean_cost_limit(costs, [1, 10], delta=DELTA)
    assert exact <= sum_of_limits(costs, [1, 10], delta=DELTA) + 1e-9
    assert exact >= costs.mean()


def test_the_exact_limit_covers_by_enumeration():
    n_cases = 8
    outcomes = [
        (n_low, n_high)
        for n_low, n_high in product(range(n_cases + 1), repeat=2)
        if n_low + n_high <= n_cases
    ]
    limits = {
        outcome: mean_cost_limit(costs_of(n_cases, *outcome), [1, 10], delta=DELTA)
        for outcome in outcomes
    }
    grid = np.linspace(0, 1, 12)
    for p_low, p_high in product(grid, repeat=2):
        if p_low + p_high > 1:
            continue
        law = multinomial(n_cases, [max(0, 1 - p_low - p_high), p_low, p_high])
        failing = sum(
            law.pmf([n_cases - sum(outcome), *outcome])
            for outcome in outcomes
            if limits[outcome] < p_low + 10 * p_high - 1e-9
        )
        assert failing <= DELTA + 1e-9


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("n_cases", "n_low", "n_high", "high"),
    [(6, 1, 1, 10.0), (30, 0, 0, 3.0), (60, 9, 1, 10.0), (60, 2, 5, 1.5)],
)
def test_the_exact_limit_is_just_above_the_supremum(n_cases, n_low, n_high, high):
    costs = costs_of(n_cases, n_low, n_high, high=high)
    limit = mean_cost_limit(costs, [1, high], delta=DELTA)
    largest = oracle.mean_cost_limit(n_low, n_high, n_cases, 1.0, high, DELTA)
    width = sum_of_limits(costs, [1, high], delta=DELTA) - costs.mean()
    assert largest <= limit <= largest + 0.006 * width + high / 400


@pytest.mark.parametrize("high", [1 + 1e-9, 1 + 1e-7, 1 + 1e-5, 1.001])
@pytest.mark.parametrize(("n_low", "n_high"), [(1, 0), (1, 1), (1, 4), (5, 0), (30, 9)])
def test_nearly_equal_costs_of_all_cases_have_a_limit(n_low, n_high, high):
    # No case is without a cost, so Clopper and Pearson's limit of the share is 1.
    costs = costs_of(n_low + n_high, n_low, n_high, high=high)
    assert 1 <= mean_cost_limit(costs, [1, high], delta=DELTA) <= high
    assert mean_cost_limit(costs, [1, high], delta=DELTA) >= costs.mean()


def test_a_search_that_ends_before_it_is_close_gives_a_limit(monkeypatch):
    costs = costs_of(100, 30, 10, high=2)
    exact = mean_cost_limit(costs, [1, 2], delta=DELTA)
    for n_steps in (1, 5, 25):
        monkeypatch.setattr("treebounds.risk.costs._MOST_STEPS", n_steps)
        limit = mean_cost_limit(costs, [1, 2], delta=DELTA)
        assert exact <= limit <= sum_of_limits(costs, [1, 2], delta=DELTA)


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e6, 1e9, 1e96])
@pytest.mark.parametrize(
    ("n_cases", "n_low", "n_high", "high"),
    [(7, 2, 0, 2.0), (22, 0, 2, 1000.0), (39, 9, 0, 2.0), (123, 0, 3, 1000.0)],
)
def test_the_exact_limit_does_not_depend_on_the_unit(
    n_cases, n_low, n_high, high, unit
):
    costs = costs_of(n_cases, n_low, n_high, high=high)
    scaled = mean_cost_limit(unit * costs, [unit, unit * high], delta=0.05)
    assert scaled == pytest.approx(
        unit * mean_cost_limit(costs, [1.0, high], delta=0.05), rel=1e-9
    )


@given(st.integers(1, 40), st.data(), st.sampled_from([1.01, 2.0, 10.0, 1000.0]))
@settings(max_examples=40)
def test_a_cost_that_rises_lowers_no_limit(n_cases, data, high):
    n_high = data.draw(st.integers(0, n_cases - 1))
    n_low = data.draw(st.integers(0, n_cases - 1 - n_high))
    costs = costs_of(n_cases, n_low, n_high, high=high)
    limit = mean_cost_limit(costs, [1, high], delta=DELTA)
    total = sum_of_limits(costs, [1, high], delta=DELTA)
    # The search ends where it is closer than this to the exact limit, and above it.
    gap = 0.005 * (total - costs.mean())
    more = [(n_low + 1, n_high), (n_low, n_high + 1)]
    more += [(n_low - 1, n_high + 1)] if n_low else []
    for outcome in more:
        risen = costs_of(n_cases, *outcome, high=high)
        assert mean_cost_limit(risen, [1, high], delta=DELTA) >= limit - gap
        assert sum_of_limits(risen, [1, high], delta=DELTA) >= total


def test_cases_that_all_cost_the_most_allow_any_mean():
    assert mean_cost_limit([10.0, 10.0], [1, 10]) == 10


def test_very_many_cases_have_the_sum_of_limits():
    costs = costs_of(100_001, 5000, 400)
    expected = sum_of_limits(costs, [1, 10], delta=DELTA)
    assert mean_cost_limit(costs, [1, 10], delta=DELTA) == expected


def test_sums_of_parts_are_those_one_by_one():
    parts = [costs_of(20, 3, 1), costs_of(7, 0, 0), costs_of(3, 0, 3)]
    expected = [sum_of_limits(part, [1, 10], delta=DELTA) for part in parts]
    assert sums_of_limits(parts, [1, 10], delta=DELTA).tolist() == expected
    assert not len(sums_of_limits([], [1, 10]))


def test_betting_covers_in_simulation():
    rng = np.random.default_rng(0)
    n_draws = 400
    n_failures = 0
    for _ in range(n_draws):
        costs = rng.choice([0.0, 0.3, 1.0], size=60, p=[0.8, 0.15, 0.05])
        n_failures += betting_limit(costs, delta=DELTA) < 0.3 * 0.15 + 0.05
    # More failures than this have probability below one in ten thousand.
    assert n_failures <= DELTA * n_draws + 4 * math.sqrt(DELTA * n_draws)


def test_many_values_are_scaled_by_the_largest():
    costs = np.tile([0.0, 0.0, 1.0, 2.0, 5.0], 40)
    limit = mean_cost_limit(costs, [1, 2, 5], delta=DELTA)
    assert limit == pytest.approx(5 * betting_limit(costs / 5, delta=DELTA))
    assert costs.mean() < limit < 5


@pytest.mark.parametrize(
    ("costs", "values", "message"),
    [
        ([], [1], "costs"),
        ([-1.0], [1], "costs"),
        ([2.0], [1], "costs holds 2"),
        ([1.0], [], "values"),
        ([1.0], [0.0, 1.0], "values"),
        ([math.nan], [1.0], "costs"),
    ],
)
def test_bad_input_is_named(costs, values, message):
    with pytest.raises(ValueError, match=message):
        mean_cost_limit(costs, values)
