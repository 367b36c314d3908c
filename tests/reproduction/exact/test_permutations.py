from math import comb

import numpy as np
import pytest

from oracles.partitioning import splits_of_thresholds
from reproduction.exact import optimal_stump_permutations
from treebounds.capacity import stump_partitioning_function


@pytest.mark.parametrize("m", range(1, 13))
def test_every_number_of_features_attains_the_bound(m):
    permutations = optimal_stump_permutations(m)
    assert permutations.shape == (-(-comb(m, m // 2) // 2), m)
    assert permutations.dtype == np.int64
    assert (np.sort(permutations, axis=1) == np.arange(m)).all()

    partitions = set()
    for l, row in enumerate(permutations.tolist(), 1):
        partitions.update(splits_of_thresholds(row))
        assert len(partitions) == stump_partitioning_function(m, l)

    assert len(partitions) == 2 ** (m - 1) - 1


def test_the_result_is_the_callers_own():
    optimal_stump_permutations(5)[:] = 0
    assert optimal_stump_permutations(5).max() == 4


def test_a_list_that_would_be_too_long_is_refused_with_its_length():
    with pytest.raises(
        ValueError,
        match=r"n_examples must be at most 15; got 30, for which .* 10\^7\.9 ",
    ):
        optimal_stump_permutations(30)
