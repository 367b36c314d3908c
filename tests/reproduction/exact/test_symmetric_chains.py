from math import comb

import pytest

from reproduction.exact.symmetric_chains import longest_chains


@pytest.mark.parametrize("n", range(7))
def test_the_longest_chains_have_as_many_prefixes_as_possible(n):
    orders = longest_chains(n)
    assert len(orders) == comb(n, n // 2)
    for l in range(1, len(orders) + 1):
        for k in range(n + 1):
            prefixes = {frozenset(order[:k]) for order in orders[:l]}
            assert len(prefixes) == min(l, comb(n, k))
