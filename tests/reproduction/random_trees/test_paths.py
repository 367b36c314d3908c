"""Equations 5 to 10 as repaired, on every sample and input, against the list of all trees."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from oracles import random_trees as oracle
from reproduction.experiments.dhurandhar2008 import (
    FAMILIES,
    SYSTEMS,
    closer,
    compare,
    last_attribute_weight,
    paper_rules,
    purity_gap,
    same_tree_weight,
)
from reproduction.random_trees import StoppingRule, error_moments, simulate_moments

RULES = [(1, False, None), (2, False, None), (None, True, None), (None, False, 0), (None, True, 1)]


def label(counts):
    return counts.index(max(counts))


def paths_of(table, x, d, rule):
    """(path, last attribute, label, weight) of each path of x that the sample allows: Equations 5 and 8."""

    def counts(path):
        return oracle.class_counts(table, path, 2)

    if oracle.stops(counts({}), {}, d, rule):
        return [({}, None, label(counts({})), Fraction(1))]
    found = []
    for size in range(1, d + 1):
        for chosen in combinations(range(d), size):
            path = {a: x[a] for a in chosen}
            if not oracle.stops(counts(path), path, d, rule):
                continue
            if not rule[1] and rule[2] is None:
                if size == rule[0]:
                    found.append((path, None, label(counts(path)), Fraction(1, comb(d, size))))
                continue
            for a in chosen:
                above = {b: v for b, v in path.items() if b != a}
                if not oracle.stops(counts(above), above, d, rule):
                    weight = Fraction(1, comb(d, size - 1) * (d - size + 1))
                    found.append((path, a, label(counts(path)), weight))
    return found


def pair_weight(d, one, other):
    (path, a, _, weight), (path2, b, _, _) = one, other
    if not path:
        return weight
    if a is None:
        return same_tree_weight(d, path, path2)
    return last_attribute_weight(d, path, a, path2, b)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n_values", "n"), [((2, 2), 3), ((2, 3), 2), ((2, 2, 2), 1)])
def test_repaired_equations(n_values, n, rule):
    d, cells = len(n_values), list(product(*map(range, n_values)))
    p = {(x, c): Fraction(1, 2 * len(cells)) for x in cells for c in (0, 1)}
    for table, _ in oracle.count_tables(p, n):
        table = defaultdict(int, table)
        listed = [(dict(c), w) for c, w in oracle.trees(table, n_values, 2, rule).items()]
        found = {x: paths_of(table, x, d, rule) for x in cells}
        for x, y in product(cells, repeat=2):
            same, truth = Counter(), Counter()
            for one, other in product(found[x], found[y]):
                same[one[2], other[2]] += pair_weight(d, one, other)
            for classifier, w in listed:
                truth[classifier[x], classifier[y]] += w
            assert all(same[key] == truth[key] for key in same | truth), (table, x, y)
            single = Counter()
            for _, _, predicted, w in found[x]:
                single[predicted] += w
            assert all(single[i] == truth[i, 0] + truth[i, 1] for i in (0, 1))


@pytest.mark.parametrize("d", [3, 4, 5])
def test_printed_weights_lose_what_does_not_part(d):
    x = (0,) * d
    for h, agreeing in product(range(1, d + 1), range(d + 1)):
        y = (0,) * agreeing + (1,) * (d - agreeing)
        sets = list(combinations(range(d), h))
        pairs = [({a: x[a] for a in s}, {a: y[a] for a in t}) for s, t in product(sets, repeat=2)]
        assert sum(same_tree_weight(d, one, other) for one, other in pairs) == 1
        printed = sum(same_tree_weight(d, one, other, repaired=False) for one, other in pairs)
        # the paths do not part when their h attributes are all among the agreeing ones
        assert printed == 1 - Fraction(comb(agreeing, h), comb(d, h))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_families_have_the_correlation_and_the_prior(family, system):
    for rho in (0.02, 0.5, 0.95):
        p = FAMILIES[family](SYSTEMS[system], rho)
        assert p.correlation == pytest.approx(rho, abs=1e-9)
        assert p.probabilities.reshape(-1, 2).sum(axis=0) == pytest.approx([0.5, 0.5])
        # the Bayes error lies between these for every distribution with that correlation
        assert (1 - np.sqrt(rho)) / 2 - 1e-9 <= p.bayes_error <= (1 - rho) / 2 + 1e-9


def test_comparison_finds_who_is_closer():
    p = FAMILIES["uneven cells"]((2, 2, 2, 2), 0.3)
    import pandas as pd

    rows = {name: pd.DataFrame([compare(p, 1000, rule, 10, 200)]) for name, rule in paper_rules(1000).items()}
    assert closer(rows["fixed height"], 1)
    # all purity trees on a sample are one classifier here
    assert not closer(rows["purity"], 1)
    assert closer(rows["purity"], 1, "fresh")
    assert not closer(rows["purity"], 10, "fresh")
    assert closer(rows["purity"], 1, n_test=100)


@pytest.mark.parametrize("n_examples", [2, 5, 12, 40])
def test_purity_trees_on_one_sample_differ_in_empty_cells_only(n_examples):
    p = FAMILIES["uneven cells"]((2, 2, 2), 0.5)
    rule = StoppingRule(pure=True)
    found = simulate_moments(p, n_examples, rule, 4000)
    gap = error_moments(p, n_examples, rule).variance - found.covariance
    assert -4 * found.covariance_error < gap < purity_gap(p, n_examples) + 4 * found.covariance_error
