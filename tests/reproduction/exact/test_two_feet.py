from itertools import permutations

import pytest

from reproduction.exact.two_feet import most_partitions_by_a_chain


def feet(order):
    ends = [frozenset(order[:k]) for k in range(len(order))]
    return ends + [frozenset(order) - end for end in ends]


def partitions(sample):
    """Those with a union of two feet as a part."""
    everything = frozenset(sample[0])
    ends = [foot for order in sample for foot in feet(order)]
    unions = {a | b for a in ends for b in ends} - {frozenset(), everything}
    return {frozenset([part, everything - part]) for part in unions}


@pytest.mark.parametrize("m", [2, 3, 4, 5, 6])
def test_it_counts_unions_of_two_feet(m):
    samples = [(range(m), order) for order in permutations(range(m))]
    most = max(len(partitions(sample)) for sample in samples)
    assert most_partitions_by_a_chain(m) == most


def test_too_many_examples_are_refused():
    with pytest.raises(ValueError, match="n_examples must be at most 10"):
        most_partitions_by_a_chain(11)
