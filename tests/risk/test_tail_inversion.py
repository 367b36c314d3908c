"""Tail inversions against sums with 50 digits, against scipy, and by their laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from oracles import certificates as oracle
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    binomial_tail_inversions,
    bounded_mean_inversion,
    hypergeometric_tail_inversion,
)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("k", "n", "log_gamma"),
    [
        (0, 1, -0.5),
        (0, 50, -3.0),
        (3, 100, math.log(0.05)),
        (50, 100, -0.01),
        (99, 100, -3.0),
        (1, 2, -50.0),
        (30, 400, -200.0),
        (30, 400, -2000.0),
        (30, 4000, -2000.0),
        (199, 200, -2000.0),
        (70, 90, -1e-3),
    ],
)
def test_binomial_inversion_equals_the_sum(k, n, log_gamma):
    exact = oracle.binomial_tail_inversion(k, n, log_gamma)
    value = binomial_tail_inversion(k, n, log_gamma)
    # Where gamma is close to 1 the tail hardly depends on p: the problem itself is
    # ill-conditioned.
    assert abs(value - float(exact)) <= (4e-15 if log_gamma < -0.1 else 1e-11)


@pytest.mark.no_cover
@pytest.mark.parametrize("log_gamma", [-1e-3, -1e-6, -1e-9, -1e-12])
@pytest.mark.parametrize(("k", "n"), [(1, 3), (1, 2000), (60, 200), (300, 1000)])
def test_no_inversion_is_below_the_exact_one_where_gamma_is_near_1(k, n, log_gamma):
    exact = float(oracle.binomial_tail_inversion(k, n, log_gamma))
    for value in (
        binomial_tail_inversion(k, n, log_gamma),
        float(binomial_tail_inversions(k, n, log_gamma)),
    ):
        assert exact <= value <= exact * (1 + 1e-9)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("k", "n", "log_gamma"),
    [
        (1080, 1081, -30.0),
        (3, 4, -40.0),
        (690, 55357, -0.025),
        (249, 1436, -0.015),
        (11, 3405, -0.0107),
        (0, 7, -1.0),
        (0, 50, -6.98),
        (0, 1000, -2000.0),
        (210, 430, -0.5),
        (12, 35051, -3.0),
    ],
)
def test_no_inversion_is_below_the_exact_one_by_rounding(k, n, log_gamma):
    """Compared with 50 digits: a float next to 1 is not the exact value."""
    exact = oracle.binomial_tail_inversion(k, n, log_gamma)
    for value in (
        binomial_tail_inversion(k, n, log_gamma),
        float(binomial_tail_inversions([k], [n], log_gamma)[0]),
    ):
        assert exact <= value <= exact * (1 + 1e-9)


@pytest.mark.no_cover
@pytest.mark.parametrize("q", [0.0, 1e-9, 0.03, 0.5, 0.97, 1 - 1e-9])
@pytest.mark.parametrize("n", [1, 100, 10**7])
@pytest.mark.parametrize("log_gamma", [-1e-3, -3.0, -40.0, -900.0])
def test_no_limit_of_a_mean_is_below_the_exact_one(q, n, log_gamma):
    """Above the exact one the divergence is larger, as it grows with p."""
    p = bounded_mean_inversion(q, n, log_gamma)
    assert p == 1 or oracle.divergence(q, p) * n >= -log_gamma
    lower = max(q, q + (p - q) * (1 - 1e-4) - 1e-11)
    assert lower == 0 or oracle.divergence(q, lower) * n <= -log_gamma


@pytest.mark.parametrize(
    ("q", "n", "log_gamma"),
    [
        (0.9999506888891257, 637_137_293, -1.0480672764546233e-07),
        (0.9997990628515103, 259_661, -3.385278273307517e-11),
        (0.999999999936083, 1509, -2.313005222286609e-13),
    ],
)
def test_the_limit_of_a_mean_next_to_one_is_found(q, n, log_gamma):
    assert q <= bounded_mean_inversion(q, n, log_gamma) <= q + 1e-7


@given(st.integers(1, 3000), st.data(), st.floats(-30, -0.01))
def test_binomial_inversion_is_clopper_and_pearsons_limit(n, data, log_gamma):
    k = data.draw(st.integers(0, n - 1))
    expected = stats.beta.isf(math.exp(log_gamma), k + 1, n - k)
    assert binomial_tail_inversion(k, n, log_gamma) == pytest.approx(expected, rel=1e-8)


@given(st.integers(2, 400), st.data())
def test_binomial_inversion_is_monotone(n, data):
    k = data.draw(st.integers(0, n - 1))
    log_gamma = data.draw(st.floats(-3000, -1e-6))
    value = binomial_tail_inversion(k, n, log_gamma)
    assert value <= binomial_tail_inversion(k + 1, n, log_gamma) + 1e-14
    assert value <= binomial_tail_inversion(k, n, log_gamma - 1) + 1e-14
    assert value >= binomial_tail_inversion(k, n + 1, log_gamma) - 1e-14
    assert 0 <= value <= 1


def test_binomial_inversion_at_the_ends():
    assert binomial_tail_inversion(7, 7, -1e-9) == 1
    assert binomial_tail_inversion(3, 7, 0.0) == 0
    assert binomial_tail_inversion(3, 7, -math.inf) == 1
    assert binomial_tail_inversion(0, 59, math.log(0.05)) == pytest.approx(
        1 - 0.05 ** (1 / 59)
    )


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=20),
    st.floats(-2000, -0.01),
)
def test_many_inversions_at_once_are_those_one_by_one(pairs, log_gamma):
    k = [min(pair) for pair in pairs]
    n = [max(*pair, 1) for pair in pairs]
    at_once = binomial_tail_inversions(k, n, log_gamma)
    one_by_one = [
        binomial_tail_inversion(*pair, log_gamma) for pair in zip(k, n, strict=True)
    ]
    assert at_once == pytest.approx(np.array(one_by_one), rel=1e-9)


@pytest.mark.no_cover
@pytest.mark.parametrize("log_gamma", [-0.5, math.log(0.05), -9.9, -60.0, -299.0])
def test_no_inversion_of_many_is_below_the_exact_one(log_gamma):
    pairs = [(0, 9), (1, 2), (3, 100), (17, 20), (8, 5000), (60, 70), (5, 5)]
    values = binomial_tail_inversions(*zip(*pairs, strict=True), log_gamma)
    for pair, value in zip(pairs, values.tolist(), strict=True):
        exact = float(oracle.binomial_tail_inversion(*pair, log_gamma))
        assert exact * (1 - 1e-15) <= value <= exact * (1 + 1e-9)


@pytest.mark.no_cover
@pytest.mark.parametrize(("m", "M"), [(1, 2), (5, 9), (10, 30), (20, 25), (12, 50)])
def test_hypergeometric_inversion_equals_the_sum(m, M):
    for k in range(0, m + 1, max(1, m // 5)):
        for log_gamma in (math.log(0.3), math.log(0.05), -10.0, -60.0, -800.0):
            expected = oracle.hypergeometric_tail_inversion(k, m, M, log_gamma)
            assert hypergeometric_tail_inversion(k, m, M, log_gamma) == expected, (
                k,
                log_gamma,
            )


@given(st.integers(1, 300), st.integers(2, 900), st.data(), st.floats(-900, -0.7))
def test_hypergeometric_inversion_is_monotone(m, n_others, data, log_gamma):
    k = data.draw(st.integers(0, m - 1))
    M = m + n_others
    value = hypergeometric_tail_inversion(k, m, M, log_gamma)
    assert value <= hypergeometric_tail_inversion(k + 1, m, M, log_gamma)
    assert value <= hypergeometric_tail_inversion(k, m, M, log_gamma - 0.5)
    assert value <= hypergeometric_tail_inversion(k, m, M + 1, log_gamma)
    # One more of the same population is seen, and is right.
    assert value >= hypergeometric_tail_inversion(k, m + 1, M, log_gamma)
    assert k <= value <= k + n_others + 1


@pytest.mark.parametrize("log_gamma", [-0.5, -0.1, -1e-3])
def test_hypergeometric_inversion_is_on_the_safe_side_for_large_gamma(log_gamma):
    for k in range(6):
        expected = oracle.hypergeometric_tail_inversion(k, 12, 40, log_gamma)
        assert hypergeometric_tail_inversion(k, 12, 40, log_gamma) >= expected


def test_the_binomial_inversion_covers():
    """By exact sums: P[risk > bound] <= gamma for every risk on a grid."""
    n = 25
    gamma = 0.1
    bounds = np.array(
        [binomial_tail_inversion(k, n, math.log(gamma)) for k in range(n + 1)]
    )
    for risk in np.linspace(0.01, 0.99, 99):
        violation = stats.binom.pmf(np.arange(n + 1), n, risk)[bounds < risk].sum()
        assert violation <= gamma + 1e-12


@pytest.mark.parametrize("log_gamma", [-1e-90, -1e-150, -1e-200, -3e-287, -5e-324])
@pytest.mark.parametrize(("k", "n"), [(1, 2), (1, 5), (3, 100_000), (39, 40)])
def test_a_probability_next_to_one_has_a_limit_next_to_zero(k, n, log_gamma):
    """More than k errors occur if the first k + 1 examples are errors, which has
    probability p^(k + 1). So the limit is at most that root of 1 - gamma.
    """
    limit = binomial_tail_inversion(k, n, log_gamma)
    assert 0 < limit <= (1 + 1e-9) * max(-log_gamma, 1e-100) ** (1 / (k + 1))
    assert binomial_tail_inversions([k], [n], log_gamma) >= limit


@given(st.integers(0, 40), st.integers(1, 40), st.floats(-50, 0))
def test_the_limit_of_a_mean_is_above_that_of_a_count(k, n, log_gamma):
    k = min(k, n)
    limit = bounded_mean_inversion(k / n, n, log_gamma)
    assert k / n <= limit <= 1
    assert limit >= binomial_tail_inversion(k, n, log_gamma) - 1e-9
    # Closer to 1, a float does not hold 1 - limit to six digits.
    if 0 < k < n and 0 < limit < 1 - 1e-8:
        q = k / n
        divergence = q * math.log(q / limit) + (1 - q) * math.log((1 - q) / (1 - limit))
        assert n * divergence == pytest.approx(-log_gamma, abs=1e-6)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 1000), st.floats(-900, 0))
def test_the_limit_of_a_mean_is_monotone(first, second, n, log_gamma):
    low, high = sorted([first, second])
    limit = bounded_mean_inversion(low, n, log_gamma)
    # The divergence is flat near its root, which is less exact there.
    assert limit <= bounded_mean_inversion(high, n, log_gamma) + 1e-7
    assert limit <= bounded_mean_inversion(low, n, log_gamma - 0.5) + 1e-7
    assert limit >= bounded_mean_inversion(low, n + 1, log_gamma) - 1e-7
    # A further loss of 0 makes the average smaller.
    assert limit >= bounded_mean_inversion(low * n / (n + 1), n + 1, log_gamma) - 1e-7


@pytest.mark.parametrize("shape", [(0.05, 0.05), (1, 3), (5, 2)])
def test_the_limit_of_a_mean_holds(shape):
    rng = np.random.default_rng(0)
    mean = shape[0] / sum(shape)
    averages = rng.beta(*shape, size=(2000, 12)).mean(axis=1)
    broken = sum(bounded_mean_inversion(q, 12, math.log(0.1)) < mean for q in averages)
    assert broken <= 200


@pytest.mark.parametrize("n", [1, 30, 10**6])
def test_a_mean_is_its_own_limit_where_nothing_is_improbable(n):
    # The divergence is flat near q, so roots there are less exact.
    for q in np.linspace(0, 1, 201):
        assert q <= bounded_mean_inversion(q, n, 0.0) <= q + 1e-7
