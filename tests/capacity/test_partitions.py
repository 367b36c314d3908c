"""The number of partitions by trees: against enumeration, and by laws."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from oracles.local_price import log_partitions
from treebounds import FeatureKinds
from treebounds.capacity.partitions import log_tree_partitions


def partitions(cell, X, n_leaves):
    """All partitions of a cell into this number of leaves, as sets of frozensets."""
    if n_leaves == 1:
        return {frozenset([cell])}
    divided = set()
    for column in X.T:
        for value in {column[row] for row in cell}:
            left = frozenset(row for row in cell if column[row] <= value)
            right = cell - left
            if not left or not right:
                continue
            for size in range(1, n_leaves):
                for of_left in partitions(left, X, size):
                    for of_right in partitions(right, X, n_leaves - size):
                        divided.add(of_left | of_right)
    return divided


@pytest.mark.no_cover
@pytest.mark.parametrize("l", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_no_sample_has_more_partitions(l, seed):
    m = 6
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.permutation(m) for _ in range(l)])
    for L in range(1, m + 1):
        n = len(partitions(frozenset(range(m)), X, L))
        assert n <= np.exp(log_tree_partitions(L, m, l)) * (1 + 1e-9)
        if L <= 2 and l == 1:
            assert n == pytest.approx(np.exp(log_tree_partitions(L, m, l)))


def test_binary_columns_offer_one_split_each():
    X = np.array(list(combinations_with_replacement((0, 1), 3)) * 2)
    for L in range(1, 5):
        n = len(partitions(frozenset(range(len(X))), X, L))
        kinds = FeatureKinds(binary=3)
        assert n <= np.exp(log_tree_partitions(L, len(X), kinds)) * (1 + 1e-9)
    assert log_tree_partitions(2, 8, kinds) == pytest.approx(np.log(3))


@pytest.mark.parametrize(("m", "l"), [(10, 1), (50, 7), (500, 40)])
def test_it_is_the_formula_and_concave(m, l):
    L = np.arange(1, m + 1)
    nats = log_tree_partitions(L, m, l)
    exact = [log_partitions(int(leaves), m, l) for leaves in L]
    np.testing.assert_allclose(nats, exact, rtol=1e-9, atol=1e-9)
    assert (np.diff(nats, 2) < 1e-9).all()


def test_mixed_kinds_lie_between():
    L = np.arange(1, 30)
    few = log_tree_partitions(L, 100, FeatureKinds(binary=5))
    mixed = log_tree_partitions(L, 100, FeatureKinds(real=2, binary=3))
    real = log_tree_partitions(L, 100, 5)
    assert (few[1:] < mixed[1:]).all()
    assert (mixed[1:] < real[1:]).all()


@pytest.mark.parametrize("leaves", [0, 11, [1, 11], 2.5])
def test_no_leaf_is_empty(leaves):
    with pytest.raises(ValueError, match="n_leaves must hold integers from 1 to n_ex"):
        log_tree_partitions(leaves, 10, 2)
