"""The exact engine against brute force in fractions, and by laws."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import fractions_of_cells
from oracles import random_trees as oracle
from reproduction.random_trees import (
    JointDistribution,
    StoppingRule,
    class_probabilities,
    enumerated_moments,
    error_moments,
    simulate_errors,
    simulate_moments,
    two_tree_covariance,
)

SYSTEMS = {
    "two values": ((2,), 2, 4),
    "two attributes": ((2, 2), 2, 3),
    "binary and ternary": ((2, 3), 2, 2),
    "three attributes": ((2, 2, 2), 2, 2),
    "three classes": ((2, 2), 3, 2),
    "three classes, three examples": ((3,), 3, 3),
}
RULES = list(product((None, 0, 1, 2), (False, True), (None, 0, 1)))
# The slow systems are left to the rules that can differ there; "two attributes" takes
# all of them.
HEIGHTS = {
    "three attributes": (None, 2),
    "binary and ternary": (None, 1),
    "three classes": (None, 1),
}
FEW_RULES = {
    name: [rule for rule in RULES if rule[0] in heights and rule[2] != 0]
    for name, heights in HEIGHTS.items()
}


def system(name):
    n_values, k, n = SYSTEMS[name]
    p, floats = fractions_of_cells(n_values, k, len(name))
    return p, JointDistribution(floats), n_values, k, n


def random_distribution(shape, seed):
    return JointDistribution(
        np.random.default_rng(seed).dirichlet(np.ones(np.prod(shape))).reshape(shape)
    )


def rules_of(name):
    rules = [rule for rule in RULES if (rule[0] or 0) <= len(SYSTEMS[name][0])]
    return FEW_RULES.get(name, rules)


@cache
def expected(name, rule, ties, empty):
    p, _, n_values, k, n = system(name)
    return oracle.moments(p, n_values, k, n, rule, ties, empty)


@pytest.mark.parametrize("ties", ["lowest", "uniform"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_moments_of_every_rule_against_brute_force(name, ties):
    _, distribution, _, _, n = system(name)
    for rule, empty in product(rules_of(name), ("tie", "parent")):
        first, second, *_ = expected(name, rule, ties, empty)
        moments = error_moments(distribution, n, StoppingRule(*rule), ties, empty)
        assert abs(moments.mean - first) <= 1e-12, (rule, empty)
        if empty == "tie":
            variance = pytest.approx(float(second - first**2), rel=1e-10, abs=1e-30)
            assert abs(moments.second_moment - second) <= 1e-12, rule
            assert moments.variance == variance, rule


@pytest.mark.parametrize("ties", ["lowest", "uniform"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_labels_of_every_rule_against_brute_force(name, ties):
    _, distribution, n_values, k, n = system(name)
    cell = tuple(a - 1 for a in n_values)
    for rule, empty in product(rules_of(name), ("tie", "parent")):
        *_, of_classes = expected(name, rule, ties, empty)
        probabilities = class_probabilities(
            distribution, n, StoppingRule(*rule), cell, ties, empty
        )
        differences = [abs(probabilities[c] - of_classes[cell, c]) for c in range(k)]
        assert max(differences) <= 1e-12, (rule, empty)


@pytest.mark.parametrize("empty", ["tie", "parent"])
@pytest.mark.parametrize("ties", ["lowest", "uniform"])
@pytest.mark.parametrize("name", ["two attributes", "three classes"])
def test_enumeration_of_tables_against_brute_force(name, ties, empty):
    p, distribution, n_values, k, n = system(name)
    for rule in RULES:
        first, second, pair, _ = oracle.moments(p, n_values, k, n, rule, ties, empty)
        moments = enumerated_moments(
            distribution, n, StoppingRule(*rule), "random", ties, empty
        )
        assert (
            np.abs(
                np.subtract(moments, (first, second - first**2, pair - first**2))
            ).max()
            <= 1e-12
        )


@pytest.mark.parametrize("first_class", [("0.45", "0.52"), ("0.97", "0.02")])
def test_against_a_direct_sum(first_class):
    """One attribute: each leaf's majority is one binomial sum, its size another; forty
    digits.

    The second case has a variance of about 1e-20.
    """
    from mpmath import binomial, mp, mpf

    mp.dps = 40
    n = 80
    share = [mpf("0.3"), mpf("0.7")]
    eta = [mpf(e) for e in first_class]
    p = [[[s * e, s * (1 - e)] for s, e in zip(share, eta, strict=True)]][0]

    def second_wins(m, value):
        q = 1 - eta[value]
        return sum(
            binomial(m, j) * q**j * (1 - q) ** (m - j) for j in range(m // 2 + 1, m + 1)
        )

    first = second = mpf(0)
    for m in range(n + 1):
        weight = binomial(n, m) * share[0] ** m * share[1] ** (n - m)
        w = [second_wins(m, 0), second_wins(n - m, 1)]
        for a, b in product((0, 1), repeat=2):
            probability = weight * (w[0] if a else 1 - w[0]) * (w[1] if b else 1 - w[1])
            error = p[0][0 if a else 1] + p[1][0 if b else 1]
            first += probability * error
            second += probability * error**2

    moments = error_moments(
        JointDistribution(np.array(p, dtype=float)), n, StoppingRule()
    )
    assert abs(moments.mean - first) < 1e-13
    assert abs(moments.variance / (second - first**2) - 1) < 1e-10


@pytest.mark.parametrize("empty", ["tie", "parent"])
@pytest.mark.parametrize("ties", ["lowest", "uniform"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "rule", [StoppingRule(2), StoppingRule(pure=True), StoppingRule(scarcity=7)]
)
def test_against_simulation(rule, k, ties, empty):
    p = random_distribution((2, 3, 2, k), 5)
    exact = error_moments(p, 30, rule, ties, empty)
    moments = simulate_moments(p, 30, rule, 4000, ties, empty)
    assert abs(moments.mean - exact.mean) < 4.5 * moments.mean_error
    errors = simulate_errors(p, 30, rule, 4000, ties, empty)
    assert abs(errors.mean() - exact.mean) < 4.5 * errors.std() / np.sqrt(4000)
    if empty == "tie":
        assert abs(moments.variance - exact.variance) < 4.5 * moments.variance_error

    if k == 2 and rule.height and ties == "lowest" and empty == "tie":
        assert (
            abs(moments.covariance - two_tree_covariance(p, 30, rule))
            < 4.5 * moments.covariance_error
        )


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.sampled_from(RULES),
    st.sampled_from(["lowest", "uniform"]),
)
def test_laws(seed, n, rule, ties):
    p = random_distribution((2, 2, 2), seed)
    rule = StoppingRule(*rule)
    moments = error_moments(p, n, rule, ties)
    assert p.bayes_error - 1e-12 <= moments.mean <= 1
    assert moments.variance >= 0
    probabilities = [
        class_probabilities(p, n, rule, x, ties) for x in product((0, 1), repeat=2)
    ]
    assert np.allclose(np.sum(probabilities, axis=1), 1, atol=1e-12)

    # Equation 1
    mean = np.sum(p.losses * np.reshape(probabilities, p.probabilities.shape))
    assert abs(mean - moments.mean) < 1e-12

    # Which attribute comes first, and how its values are numbered, does not matter.
    turned = JointDistribution(p.probabilities.transpose(1, 0, 2)[::-1])
    assert abs(error_moments(turned, n, rule, ties).variance - moments.variance) < 1e-12


@pytest.mark.parametrize("shape", [(2, 2, 2, 2), (3, 3, 2)])
def test_purity_trees_are_all_attribute_trees_when_no_cell_is_empty(shape):
    p = random_distribution(shape, 7)
    flat = JointDistribution(
        np.full(shape, 1 / np.prod(shape)) * 0.5 + 0.5 * p.probabilities
    )
    whole = error_moments(flat, 5000, StoppingRule())
    pure = error_moments(flat, 5000, StoppingRule(pure=True))
    assert abs(whole.mean - pure.mean) < 1e-12
    assert pure.variance == pytest.approx(whole.variance, rel=1e-9)


def test_the_variance_under_parent_is_refused():
    with pytest.raises(ValueError, match="simulate_moments"):
        _ = error_moments(
            random_distribution((2, 2, 2), 9), 3, StoppingRule(), empty="parent"
        ).variance


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: JointDistribution([[0.5, 0.6], [0.1, -0.2]]), r"\[0, inf\)"),
        (lambda: JointDistribution([[0.5, 0.1], [0.1, 0.2]]), "sum to 1"),
        (
            lambda: JointDistribution([[0.5, np.nan], [0.1, 0.2]]),
            "probabilities must hold numbers",
        ),
        (
            lambda: JointDistribution([[[0.5, 0.1]], [[0.1, 0.3]]]),
            "fewer than two values",
        ),
        (lambda: JointDistribution([[0.5], [0.5]]), "k >= 2"),
        (lambda: JointDistribution([0.5, 0.5]), "shape"),
        (
            lambda: JointDistribution.from_data([[1], [1]], [0, 1]),
            "fewer than two values",
        ),
        (lambda: JointDistribution.from_data([[1], [2]], [0, 1, 1]), "X must be"),
        (lambda: JointDistribution.from_data([[1], [2]], [0, 1], cut="median"), "cut"),
        (
            lambda: JointDistribution.from_data([["a"], ["b"]], [0, 1], cut="mean"),
            "X must hold numbers",
        ),
        (lambda: JointDistribution.from_data([[1.0], [np.nan]], [0, 1]), "NaN"),
        (
            lambda: JointDistribution.from_data([[1.0], [np.nan]], [0, 1], cut="mean"),
            "X must hold numbers",
        ),
        (
            lambda: class_probabilities(
                random_distribution((2, 2), 0), 5, StoppingRule(), 1
            ),
            "x must hold",
        ),
        (
            lambda: error_moments(random_distribution((2, 2), 0), 5, StoppingRule(2)),
            "height is 2",
        ),
        (
            lambda: class_probabilities(
                random_distribution((2, 2), 0), 5, StoppingRule(), [2]
            ),
            "x must hold",
        ),
        (
            lambda: class_probabilities(
                random_distribution((2, 2), 0), 5, StoppingRule(), [0, 0]
            ),
            "x must hold",
        ),
        (
            lambda: error_moments(
                random_distribution((2,) * 16, 0), 10**6, StoppingRule()
            ),
            "minutes",
        ),
        (
            lambda: enumerated_moments(
                random_distribution((2,) * 6, 0), 50, StoppingRule()
            ),
            "20000000 can be",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_simulation_refuses_what_takes_too_long():
    p = JointDistribution(np.full((2,) * 14 + (2,), 2.0**-15))
    with pytest.raises(
        ValueError, match="too many cells: 16384 attribute vectors make 9565938 counts"
    ):
        simulate_errors(p, 10, StoppingRule(), 1)
    assert simulate_errors(p, 10, StoppingRule(height=1), 1).tolist() == [0.5]
