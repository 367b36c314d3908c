"""Labelings by sums of stumps on two features, against linear programs."""

import numpy as np
import pytest

from oracles.sums_of_trees import labelings_of_stump_sums
from reproduction.exact.stump_sums import count_stump_sum_labelings


@pytest.mark.parametrize(("m", "B"), [(1, 1), (2, 1), (4, 1), (5, 1), (4, 2), (5, 2)])
def test_the_labelings_are_those_of_linear_programs(m, B):
    rng = np.random.default_rng(0)
    for _ in range(3):
        ranks = rng.permutation(m)
        sample = np.column_stack([np.arange(m), ranks])
        expected = len(labelings_of_stump_sums(sample, B)) if m > 1 else 2
        assert count_stump_sum_labelings(ranks, B) == expected


def test_more_stumps_than_cuts_realize_everything():
    assert count_stump_sum_labelings([2, 0, 1], 7) == 8


@pytest.mark.parametrize(
    "ranks", [[], [0, 0], [1, 2], [[0, 1]], [0.5, 1], range(17), "ab", None]
)
def test_what_is_no_order_is_refused(ranks):
    with pytest.raises(ValueError, match="ranks"):
        count_stump_sum_labelings(ranks, 2)


@pytest.mark.parametrize("B", [0, 1.5, "2", None])
def test_wrong_numbers_of_stumps_are_refused(B):
    with pytest.raises(ValueError, match="n_stumps"):
        count_stump_sum_labelings([0], B)
