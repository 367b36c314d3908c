import numpy as np
import pytest

from builders import CHAIN, STUMP
from reproduction.exact.shattering import realizable_labelings
from reproduction.exact.three_nodes import count_labelings, most_labelings
from treebounds import TreeStructure

STRUCTURES = {
    "chain": TreeStructure(CHAIN, TreeStructure()),
    "two stumps": TreeStructure(STUMP, STUMP),
}
ORDERS = [np.random.default_rng(seed).permutation(9) for seed in range(3)]


@pytest.mark.parametrize("shape", STRUCTURES)
@pytest.mark.parametrize("order", ORDERS)
def test_the_labelings_are_those_of_a_search_for_trees(shape, order):
    sample = np.column_stack([range(9), np.argsort(order)])
    found = realizable_labelings(STRUCTURES[shape], sample)
    assert count_labelings(order, shape) == len(found)


@pytest.mark.parametrize("shape", STRUCTURES)
def test_the_most_is_that_of_the_best_sample(shape):
    most = max(count_labelings(order, shape) for order in ORDERS)
    assert most_labelings(ORDERS, shape) == most


def test_another_shape_is_refused():
    with pytest.raises(ValueError, match="shape must be one of"):
        count_labelings([0, 1], "stump")
