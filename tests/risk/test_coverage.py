"""The tolerance that covers a share of new cases: Wilks' order statistic."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from treebounds.risk.coverage import cases_needed, covering_tolerance


@pytest.mark.parametrize("n_cases", [29, 30, 59, 200])
@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_it_is_the_smallest_order_statistic_that_covers(n_cases, coverage):
    sizes = np.arange(1.0, n_cases + 1)
    order = int(covering_tolerance(sizes, coverage=coverage, delta=0.05))
    assert binom.sf(order - 1, n_cases, coverage) <= 0.05
    assert binom.sf(order - 2, n_cases, coverage) > 0.05


def test_it_covers_in_simulation():
    rng = np.random.default_rng(1)
    n_draws = 1000
    quantile = 1.6448536269514722  # |N(0, 1)| is below it with probability 0.9
    n_failures = sum(
        covering_tolerance(rng.normal(size=60), coverage=0.9, delta=0.1) < quantile
        for _ in range(n_draws)
    )
    assert n_failures <= 0.1 * n_draws + 4 * math.sqrt(0.1 * n_draws)


def test_signs_do_not_matter():
    residuals = np.random.default_rng(2).normal(size=50)
    assert covering_tolerance(residuals) == covering_tolerance(-residuals)


@pytest.mark.parametrize(("coverage", "delta"), [(0.9, 0.05), (0.5, 0.5), (0.99, 0.01)])
def test_the_number_of_cases_that_it_takes(coverage, delta):
    n_cases = cases_needed(coverage, delta)
    assert coverage**n_cases <= delta < coverage ** (n_cases - 1) or n_cases == 1
    covering_tolerance(np.ones(n_cases), coverage=coverage, delta=delta)
    if n_cases > 1:
        with pytest.raises(ValueError, match=f"at least {n_cases} cases"):
            covering_tolerance(np.ones(n_cases - 1), coverage=coverage, delta=delta)


@pytest.mark.filterwarnings("ignore:delta is the probability")
@given(
    st.sampled_from([0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.9, 0.99]),
    st.integers(1, 40),
    st.integers(-1, 1),
)
@example(0.1, 4, 0)  # rounding asked for a fifth of four sizes here
@example(0.1, 5, 0)  # and for six cases, where five are enough, here
def test_the_level_may_be_a_power_of_the_coverage(coverage, n_cases, ulps):
    """All n cases are covered with probability coverage**n, so n are just enough."""
    delta = coverage**n_cases
    if ulps:
        delta = math.nextafter(delta, max(0, ulps))
    least = cases_needed(coverage, delta)
    assert least == n_cases + (ulps < 0)
    assert (
        covering_tolerance(np.arange(1.0, least + 1), coverage=coverage, delta=delta)
        == least
    )


@pytest.mark.parametrize("coverage", [0, 1, 1.5, math.nan, "much"])
def test_a_bad_coverage_is_named(coverage):
    with pytest.raises(ValueError, match="coverage"):
        covering_tolerance(np.ones(100), coverage=coverage)


def test_a_residual_that_is_no_number_is_named():
    with pytest.raises(ValueError, match="residuals"):
        covering_tolerance([1.0, math.nan])
