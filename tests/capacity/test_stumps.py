from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.partitioning import partitioning_functions
from treebounds import TreeStructure, growth_function_bound
from treebounds.capacity import stump_partitioning_function, stump_vc_dimension
from treebounds.capacity.stumps import distinct_cuts

STUMP = TreeStructure.from_nested([None, None])


def theorem_7(m, l):
    return sum(min(2 * l, comb(m, k)) for k in range(1, m)) / 2


@given(st.integers(1, 120), st.integers(1, 10**6))
def test_the_formula_as_printed(m, l):
    assert stump_partitioning_function(m, l) == theorem_7(m, l)
    assert distinct_cuts(m, l) == [min(2 * l, comb(m, k)) for k in range(m + 1)]


@pytest.mark.parametrize(
    ("m", "l"),
    [(1, 1), (2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (5, 1), (5, 2), (6, 2)],
)
def test_no_sample_has_more_partitions_and_some_sample_has_as_many(m, l):
    parts, _ = partitioning_functions(STUMP, m, l)
    assert parts == [1, stump_partitioning_function(m, l)]


@pytest.mark.no_cover
def test_large_arguments():
    assert stump_partitioning_function(10**5, 3) == 3 * (10**5 - 1)
    assert stump_partitioning_function(300, 10**100) == 2**299 - 1
    for m, form in ((10**6, "sharp"), (10**12, "closed")):  # without the integer 2^m
        assert 6 * m - 4 <= growth_function_bound(STUMP, m, 3, 2, form=form) <= 12 * m


def test_vc_dimension_of_stumps():
    for l, d in ((l, stump_vc_dimension(l)) for l in range(1, 200)):
        assert stump_partitioning_function(d, l) == 2 ** (d - 1) - 1
        assert stump_partitioning_function(d + 1, l) < 2**d - 1
    assert stump_vc_dimension(10**100) > 330
