"""Trees grown by gains: enumeration and simulation against a plain program."""

from itertools import product
from math import log

import numpy as np
import pytest

from oracles import random_trees as oracle
from reproduction.random_trees import (
    JointDistribution,
    StoppingRule,
    enumerated_moments,
    error_moments,
    simulate_errors,
)

GAINS = ("information-gain", "gini", "gain-ratio")
RULES = [(1, False, None), (None, True, None), (2, False, 1)]


def impurity(counts, selection):
    n = sum(counts)
    if not n:
        return 0.0
    if selection == "gini":
        return 1 - sum((c / n) ** 2 for c in counts)
    return -sum(c / n * log(c / n) for c in counts if c)


def gain(table, path, a, n_values, k, selection):
    parts = [oracle.class_counts(table, {**path, a: v}, k) for v in range(n_values[a])]
    n = sum(map(sum, parts))
    if not n:
        return 0.0

    before = impurity([sum(column) for column in zip(*parts, strict=True)], selection)
    value = before - sum(sum(part) / n * impurity(part, selection) for part in parts)
    if selection == "gain-ratio":
        split = impurity([sum(part) for part in parts], "information-gain")
        return value / split if split > 1e-12 else 0.0

    return value


def error(table, p, n_values, k, rule, selection, path=()):
    path = dict(path)
    counts = oracle.class_counts(table, path, k)
    if oracle.stops(counts, path, len(n_values), rule):
        label = counts.index(max(counts))
        return sum(
            w
            for (x, c), w in p.items()
            if c != label and all(x[a] == v for a, v in path.items())
        )

    free = [a for a in range(len(n_values)) if a not in path]
    gains = [gain(table, path, a, n_values, k, selection) for a in free]
    best = free[next(i for i, g in enumerate(gains) if g >= max(gains) - 1e-12)]

    return sum(
        error(table, p, n_values, k, rule, selection, ({**path, best: v}).items())
        for v in range(n_values[best])
    )


@pytest.mark.parametrize("selection", GAINS)
@pytest.mark.parametrize(
    ("n_values", "k", "n"), [((2, 2), 2, 4), ((2, 3), 2, 3), ((2, 2), 3, 3)]
)
def test_enumeration_against_a_plain_program(n_values, k, n, selection):
    cells = list(product(*map(range, n_values)))
    weights = np.random.default_rng(n).dirichlet(np.ones(len(cells) * k))
    weights[2] = 0
    weights /= weights.sum()
    p = dict(zip(product(cells, range(k)), weights, strict=True))
    distribution = JointDistribution(weights.reshape(*n_values, k))

    for rule in RULES:
        first = second = 0.0
        for table, weight in oracle.count_tables(p, n):
            e = error(table, p, n_values, k, rule, selection)
            first += float(weight) * e
            second += float(weight) * e**2

        moments = enumerated_moments(distribution, n, StoppingRule(*rule), selection)
        assert moments[:2] == pytest.approx((first, second - first**2), abs=1e-12)
        sample = simulate_errors(
            distribution, n, StoppingRule(*rule), 4000, selection=selection
        )
        assert abs(sample.mean() - first) < 4.5 * sample.std() / np.sqrt(4000)


@pytest.mark.parametrize("selection", GAINS)
def test_purity_trees_do_not_depend_on_the_selection_when_no_cell_is_empty(selection):
    rng = np.random.default_rng(0)
    p = JointDistribution((rng.dirichlet(np.ones(16)) + 1 / 16).reshape(2, 2, 2, 2) / 2)
    pure = simulate_errors(p, 2000, StoppingRule(pure=True), 300, selection=selection)
    assert np.array_equal(
        pure, simulate_errors(p, 2000, StoppingRule(), 300, selection=selection)
    )
    assert (
        abs(pure.mean() - error_moments(p, 2000, StoppingRule()).mean)
        < 4.5 * pure.std() / 300**0.5
    )


def test_bad_input():
    p = JointDistribution([[0.4, 0.1], [0.1, 0.4]])
    with pytest.raises(ValueError, match="uniform"):
        enumerated_moments(p, 5, StoppingRule(), "gini", ties="uniform")
