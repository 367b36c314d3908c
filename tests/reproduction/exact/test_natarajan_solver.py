"""Triangles of classes for the chain of two nodes, against trees."""

from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest

from builders import CHAIN
from oracles.sharp import labelings_of
from reproduction.exact.natarajan_solver import (
    TriangleFormula,
    shattered_triangle,
    smallest_triangles,
)
from reproduction.exact.sat import solved
from treebounds import FeatureKinds


def realizes_all(sample, pairs):
    """Whether the chain of two nodes realizes every pattern with all three classes."""
    kinds = FeatureKinds(real=sample.shape[1])
    numbered = labelings_of(CHAIN, sample.tolist(), kinds, 3)
    labelings = {tuple(label for _, label in labeling) for labeling in numbered}
    patterns = [pattern for pattern in product(*pairs) if len(set(pattern)) == 3]
    return all(pattern in labelings for pattern in patterns)


@pytest.mark.parametrize(
    ("l", "sizes"), [(2, (1, 1, 1)), (2, (2, 1, 1)), (4, (2, 2, 1)), (5, (2, 2, 2))]
)
def test_the_sample_that_is_found_has_all_patterns(l, sizes):
    sample, proof = shattered_triangle(l, sizes)
    assert proof is None
    assert sorted(sample[:, 0]) == list(range(sum(sizes)))
    assert realizes_all(sample, TriangleFormula(l, sizes).pairs)


@pytest.mark.parametrize("l", [2, 3, 4])
def test_six_examples_in_a_triangle_need_five_features(l):
    sample, proof = shattered_triangle(l, (2, 2, 2))
    assert sample is None
    assert proof


def samples_up_to_symmetry(pairs):
    """Two orders of the examples: every sample on two features, up to reversing or
    exchanging the features, and up to exchanging examples with the same two classes.
    """
    m = len(pairs)
    alike = [s for s in permutations(range(m)) if [pairs[i] for i in s] == list(pairs)]
    orders = [p for p in permutations(range(m)) if p[0] < p[1]]
    seen = set()
    for sample in combinations_with_replacement(orders, 2):
        if sample not in seen:
            yield sample
        for s in alike:
            images = (turned([order[i] for i in s]) for order in sample)
            seen.add(tuple(sorted(images)))


def turned(order):
    """An order or its reversal: the one with the first example before the second."""
    if order[0] > order[1]:
        order = [len(order) - 1 - rank for rank in order]
    return tuple(order)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 1, 1), (2, 2, 1)])
def test_all_orders_on_two_features_agree(sizes):
    pairs = TriangleFormula(2, sizes).pairs
    samples = map(np.column_stack, samples_up_to_symmetry(pairs))
    some = any(realizes_all(sample, pairs) for sample in samples)
    assert some == (shattered_triangle(2, sizes)[0] is not None)


def test_the_clauses_without_patterns_can_be_satisfied():
    formula = TriangleFormula(2, (2, 2, 2))
    orders = [clause for clause in formula.clauses if len(clause) <= 3]
    assert solved(orders)[1] is None


def test_numbers_of_examples_of_ten():
    assert smallest_triangles(10) == [(4, 3, 3), (4, 4, 2), (5, 3, 2), (6, 2, 2)]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((0, (2, 2, 2)), "n_features"), ((2, (2, 2, 0)), "sizes"), ((2, (2, 2)), "sizes")],
)
def test_wrong_arguments_are_named(arguments, name):
    with pytest.raises(ValueError, match=name):
        TriangleFormula(*arguments)
