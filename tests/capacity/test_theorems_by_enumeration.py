"""The sentences of the theorems on many trees and on many classes, by enumeration."""

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest

from builders import BALANCED, CHAIN, LEAF, STUMP, chain_of
from oracles.sharp import labelings_of
from oracles.sums_by_search import (
    four_stumps,
    sum_in_blocks,
    sum_with_stumps,
    three_stumps,
)
from oracles.sums_of_trees import labelings_of_stump_sums
from reproduction.exact.stump_sums import count_stump_sum_labelings
from treebounds import FeatureKinds, vc_dimension_lower_bound, vc_dimension_upper_bound
from treebounds.capacity import one_sided_stump_vc_dimension, shattered_sample

# Sums of trees


@pytest.mark.parametrize("B", [1, 2])
def test_on_one_feature_a_sum_shatters_one_example_more_than_it_has_nodes(B):
    line = np.arange(B + 1)[:, None]
    assert len(labelings_of_stump_sums(line, B)) == 2 ** (B + 1)
    longer = np.arange(B + 2)[:, None]
    assert len(labelings_of_stump_sums(longer, B)) < 2 ** (B + 2)
    assert vc_dimension_lower_bound([STUMP] * B, 1) == B + 1
    assert vc_dimension_upper_bound([STUMP] * B, 1) == B + 1


@pytest.mark.parametrize("n_above", [[0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]])
def test_three_trees_on_two_features_keep_the_sample_of_their_stumps(n_above):
    trees = [CHAIN if n else STUMP for n in n_above]
    sample = shattered_sample(trees, 2)
    n_nodes = 3 + sum(n_above)
    assert len(sample) == vc_dimension_lower_bound(trees, 2) == 2 * n_nodes + 2

    stumps_of = three_stumps(sample[:8])
    assert len(stumps_of) == 2**8
    every = np.array(list(product((0, 1), repeat=len(sample))))
    rng = np.random.default_rng(0)
    for labels in every if n_nodes < 5 else rng.choice(every, 1000, replace=False):
        stumps = stumps_of[int(labels[:8] @ 2 ** np.arange(8))]
        predicted = sum_with_stumps(sample, labels, 8, stumps, n_above)
        assert np.array_equal(predicted, labels)


@pytest.mark.parametrize("n_fours", [1, 2])
def test_four_stumps_in_a_block_add_nine_examples(n_fours):
    sample = shattered_sample([STUMP] * (3 + 4 * n_fours), 2)
    assert len(sample) == 8 + 9 * n_fours

    three = three_stumps(sample[:8])
    four = four_stumps(np.vstack([[0, 0], sample[8:17] - 7]))
    assert len(four) == 2**10
    rng = np.random.default_rng(0)
    for labels in rng.integers(0, 2, (1000, len(sample))):
        assert np.array_equal(sum_in_blocks(sample, labels, three, four), labels)


PARTS = [LEAF, STUMP, CHAIN, chain_of(3), BALANCED]


@pytest.mark.no_cover
@pytest.mark.parametrize("l", [1, 2, 3, 5, 18, 100])
@pytest.mark.parametrize("n_trees", [2, 3])
def test_the_bound_of_a_sum_is_at_least_that_of_any_part(n_trees, l):
    g = one_sided_stump_vc_dimension(l)
    for trees in product(PARTS, repeat=n_trees):
        bound = vc_dimension_lower_bound(trees, l)
        nodes = [tree.n_internal_nodes for tree in trees]
        for size in range(1, n_trees):
            for part in combinations(range(n_trees), size):
                own = vc_dimension_lower_bound([trees[i] for i in part], l)
                outside = sum(nodes) - sum(nodes[i] for i in part)
                assert bound >= own + outside * g
        assert len(shattered_sample(trees, l)) == bound


@pytest.mark.parametrize(("m", "B"), [(6, 1), (7, 2), (8, 3), (9, 3), (10, 4)])
def test_sums_of_stumps_have_no_more_labelings_than_sets_of_cuts_allow(m, B):
    rng = np.random.default_rng(m)
    allowed = 2 * sum(math.comb(m - 1, k) for k in range(B + 1))
    allowed *= math.comb(2 * (m - 1), B)
    for _ in range(5):
        assert count_stump_sum_labelings(rng.permutation(m), B) <= allowed


@pytest.mark.parametrize("l", [2, 3])
def test_with_the_cuts_given_the_ones_in_all_intervals_determine_the_labeling(l):
    rng = np.random.default_rng(l)
    n_repeated = 0
    for _ in range(30):
        m = rng.integers(4, 10)
        orders = [rng.permutation(m) for _ in range(l)]
        intervals = [np.minimum(order * rng.integers(2, 4) // m, 2) for order in orders]
        labeling_of = {}
        for _ in range(200):
            values = rng.integers(-3, 4, size=(l, 3))
            total = sum(v[i] for v, i in zip(values, intervals, strict=True))
            labels = total > rng.integers(-2, 3)
            ones = tuple(int(labels[i == k].sum()) for i in intervals for k in range(3))
            n_repeated += ones in labeling_of
            assert labeling_of.setdefault(ones, tuple(labels)) == tuple(labels)
    assert n_repeated > 1_000


# Many classes


def realized(structure, orders, n):
    """The labelings of a sample, given by its orders, with n classes."""
    sample = np.argsort(orders, axis=1).T.tolist()
    numbered = labelings_of(structure, sample, FeatureKinds(real=len(orders)), n)
    return {tuple(label for _, label in labeling) for labeling in numbered}


@pytest.mark.parametrize(
    ("structure", "l", "m"),
    [(STUMP, 1, 6), (STUMP, 2, 6), (STUMP, 3, 7), (CHAIN, 1, 8), (CHAIN, 2, 7)],
)
@pytest.mark.parametrize("n", [3, 4])
def test_patterns_of_many_classes_are_no_more_than_labelings_of_two(structure, l, m, n):
    """The count 2 (1 + w) (1 + 2 w)^(N - 1) with w = l y and y^j = C(m - 1, j)."""
    N = structure.n_internal_nodes
    polynomial = np.polynomial.Polynomial([2, 2 * l])
    polynomial *= np.polynomial.Polynomial([1, 2 * l]) ** (N - 1)
    allowed = sum(c * math.comb(m - 1, j) for j, c in enumerate(polynomial.coef))
    assert allowed < 2**m or structure is CHAIN

    rng = np.random.default_rng(n)
    orders = [range(m), *(rng.permutation(m) for _ in range(l - 1))]
    labelings = np.array(sorted(realized(structure, orders, n)))
    pairs = np.array(list(combinations(range(n), 2)))
    for _ in range(200):
        chosen = pairs[rng.integers(len(pairs), size=m)]
        is_pattern = (labelings[:, :, None] == chosen).any(axis=2).all(axis=1)
        assert np.count_nonzero(is_pattern) <= allowed


def classes_shatter(labelings, chosen):
    return all(pattern in labelings for pattern in product(*chosen))


@pytest.mark.parametrize(
    ("structure", "l", "m"),
    [(STUMP, 1, 2), (STUMP, 2, 3), (CHAIN, 1, 3), (CHAIN, 2, 4), (CHAIN, 2, 5)],
)
def test_one_example_away_from_bipartite_two_classes_shatter_the_same_sample(
    structure, l, m
):
    pairs = list(combinations(range(3), 2))
    n_shattered = 0
    rng = np.random.default_rng(0)
    every = list(permutations(range(m)))
    few = [every[i] for i in rng.choice(len(every), min(len(every), 12), replace=False)]
    for others in product(few, repeat=l - 1):
        orders = [range(m), *others]
        labelings = realized(structure, orders, 3)
        binary = all(labels in labelings for labels in product((0, 1), repeat=m))
        for chosen in product(pairs, repeat=m):
            rarest = min(chosen.count(pair) for pair in pairs)
            if rarest <= 1 and classes_shatter(labelings, chosen):
                n_shattered += 1
                assert binary
    assert n_shattered > 0


@pytest.mark.parametrize("n", range(2, 9))
def test_the_share_of_splits_into_halves_that_separate_a_pair(n):
    splits = list(combinations(range(n), n // 2))
    share = sum((0 in split) != (1 in split) for split in splits) / len(splits)
    expected = n / (2 * (n - 1)) if n % 2 == 0 else (n + 1) / (2 * n)
    assert share == pytest.approx(expected)


@pytest.mark.parametrize("l", [2, 3])
def test_a_stump_shatters_no_odd_cycle_of_classes(l):
    """Oriented around the cycle, its pairs need as many classes as it has, and a stump
    has two leaves.
    """
    cycle = [(0, 1), (1, 2), (2, 0)]
    for others in product(permutations(range(3)), repeat=l - 1):
        labelings = realized(STUMP, [range(3), *others], 3)
        assert not classes_shatter(labelings, cycle)
