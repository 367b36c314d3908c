"""The construction under the lower bound on the pseudo-dimension, pattern by pattern."""

import numpy as np
import pytest

from builders import chain_of
from reproduction.exact import pseudo_shattered_sample, realizing_regression_tree
from treebounds import TreeStructure, enumerate_structures, pseudo_dimension_lower_bound


def value_at(nested, tree, node, values, example):
    """Follow an example by the nested structure alone, left where it is at most the threshold."""
    while nested is not None:
        left = example[tree.feature[node]] <= tree.threshold[node]
        nested = nested[0 if left else 1]
        node = (tree.children_left if left else tree.children_right)[node]
    return values[node]


@pytest.mark.parametrize("l", [1, 2, 6])
@pytest.mark.parametrize("structure", [s for L in range(1, 6) for s in enumerate_structures(L)], ids=str)
def test_every_pattern_is_realized(structure, l):
    sample, thresholds = pseudo_shattered_sample(structure, l)
    d = len(sample)
    assert d == len(thresholds) == pseudo_dimension_lower_bound(structure, l)
    assert all(sorted(column) == list(range(d)) for column in sample.T.tolist())
    rng = np.random.default_rng(0)
    every = range(2**d) if d <= 9 else rng.integers(0, 2**d, 100).tolist()
    for code in every:
        pattern = code >> np.arange(d) & 1
        tree, values = realizing_regression_tree(structure, l, pattern)
        assert tree.structure is structure
        assert np.array_equal(values[tree.apply(sample)] > thresholds, pattern == 1)
    nested = structure.to_nested()
    predicted = [value_at(nested, tree, 0, values, example) for example in sample]
    assert np.array_equal(np.greater(predicted, thresholds), pattern == 1)


def test_a_thousand_random_patterns_of_a_larger_tree():
    structure = chain_of(30)
    sample, thresholds = pseudo_shattered_sample(structure, 10)
    rng = np.random.default_rng(0)
    for _ in range(1000):
        pattern = rng.integers(0, 2, len(sample))
        tree, values = realizing_regression_tree(structure, 10, pattern)
        assert np.array_equal(values[tree.apply(sample)] > thresholds, pattern == 1)


def test_wrong_patterns_are_refused():
    for wrong in ([0, 1], [0, 1, 2, 0], np.zeros((2, 2))):
        with pytest.raises(ValueError, match="pattern"):
            realizing_regression_tree(TreeStructure.from_nested([None, None]), 2, wrong)
