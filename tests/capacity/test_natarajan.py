"""Bounds on the Natarajan dimension."""

import math
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from builders import BALANCED, CHAIN, LEAF, STUMP, chain_of, structures_up_to
from oracles.sharp import labelings_of
from treebounds import FeatureKinds, vc_dimension_lower_bound, vc_dimension_upper_bound
from treebounds.capacity import (
    natarajan,
    natarajan_dimension_lower_bound,
    natarajan_dimension_upper_bound,
)

STRUCTURES = structures_up_to(6)


def most_by_labels(N, l):
    """The largest d with 2^d <= 2 sum_j C(N, j) (2 l)^j C(d - 1, j)."""
    d = 1
    while 2 ** (d + 1) <= 2 * sum(
        math.comb(N, j) * (2 * l) ** j * math.comb(d, j) for j in range(N + 1)
    ):
        d += 1
    return d


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
@pytest.mark.parametrize("l", [1, 2, 3, 10, 100])
def test_two_classes_are_the_vc_dimension(structure, l):
    vc = vc_dimension_upper_bound(structure, l)
    assert natarajan_dimension_upper_bound(structure, l, 2) == vc
    vc = vc_dimension_lower_bound(structure, l)
    assert natarajan_dimension_lower_bound(structure, l) == vc


@pytest.mark.parametrize("structure", STRUCTURES[1:], ids=str)
@pytest.mark.parametrize("l", [1, 2, 3, 8, 10, 100])
def test_any_number_of_classes_has_the_constant_of_two(structure, l):
    bound = natarajan_dimension_upper_bound(structure, l)
    closed = most_by_labels(structure.n_internal_nodes, l)
    vc = vc_dimension_upper_bound(structure, l)
    assert vc <= bound <= closed
    if structure.n_internal_nodes > 3:
        assert bound == (vc if l == 1 else closed)


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
@pytest.mark.parametrize("l", [2, 3, 20])
def test_the_factors_of_few_classes(structure, l):
    vc = vc_dimension_upper_bound(structure, l)
    for n in range(2, 12):
        factor = 2 * (1 - 1 / n) if n % 2 == 0 else 2 * n / (n + 1)
        bound = natarajan_dimension_upper_bound(structure, l, n)
        assert bound <= natarajan_dimension_upper_bound(structure, l)
        assert bound <= max(vc, factor * vc + 1e-9)
    three = natarajan_dimension_upper_bound(structure, l, 3)
    assert three == vc or three <= 1.5 * (vc - 1)


@pytest.mark.parametrize("n", range(2, 12))
@pytest.mark.parametrize("vc", [2, 3, 7, 20])
def test_two_halves_of_the_classes_separate_a_share_of_the_pairs(vc, n):
    first = set(range(n // 2))
    separated = [len(first & set(pair)) == 1 for pair in combinations(range(n), 2)]
    share = Fraction(sum(separated), len(separated))
    assert natarajan._by_halves(vc, n) == math.floor(vc / share)


@pytest.mark.parametrize(
    ("structure", "l"),
    [(LEAF, 5), (STUMP, 9), (CHAIN, 7), (chain_of(3), 2), (BALANCED, 2), (BALANCED, 1)],
)
def test_where_both_dimensions_are_known_to_be_equal(structure, l):
    vc = vc_dimension_upper_bound(structure, l)
    assert natarajan_dimension_upper_bound(structure, l) == vc


def shatters(structure, orders, n):
    """Are there two labels for each example such that all patterns are realized?"""
    sample = np.argsort(orders, axis=1).T.tolist()
    numbered = labelings_of(structure, sample, FeatureKinds(real=len(orders)), n)
    labelings = {tuple(label for _, label in labeling) for labeling in numbered}
    pairs = list(combinations(range(n), 2))
    return any(
        all(pattern in labelings for pattern in product(*chosen))
        for chosen in product(pairs, repeat=len(sample))
    )


@pytest.mark.parametrize(("structure", "l"), [(LEAF, 2), (STUMP, 1), (STUMP, 2)])
def test_exact_values_for_three_classes_lie_between(structure, l):
    lower = natarajan_dimension_lower_bound(structure, l)
    upper = natarajan_dimension_upper_bound(structure, l, 3)

    def some(d):
        others = list(permutations(range(d)))
        first = tuple(range(d))
        samples = product([first], *[others] * (l - 1))
        return any(shatters(structure, orders, 3) for orders in samples)

    assert some(lower)
    assert not some(upper + 1)


def test_a_fitted_tree_knows_its_number_of_features():
    fitted = DecisionTreeClassifier(max_depth=1).fit(np.eye(5), [0, 0, 0, 1, 0])
    assert natarajan_dimension_lower_bound(fitted) == vc_dimension_lower_bound(STUMP, 5)
    assert natarajan_dimension_upper_bound(fitted) == vc_dimension_upper_bound(STUMP, 5)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((None, 2), "tree"),
        (([STUMP, STUMP], 2), "tree"),
        ((STUMP,), "n_features"),
        ((STUMP, 0), "n_features"),
        ((STUMP, 2, 1), "n_classes"),
        ((STUMP, 2, 2.5), "n_classes"),
    ],
)
def test_wrong_arguments_are_named(arguments, name):
    with pytest.raises(ValueError, match=name):
        natarajan_dimension_upper_bound(*arguments)
