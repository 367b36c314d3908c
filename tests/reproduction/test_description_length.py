import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction import description_length_bound


@given(
    st.floats(0, 1),
    st.integers(1, 500),
    st.integers(1, 100),
    st.integers(1, 10**6),
    st.floats(0.001, 0.999),
)
def test_bound_is_the_printed_formula(error, n, d, m, delta):
    printed = error + math.sqrt(
        ((n + 1) * math.log2(d + 3) + math.log(2 / delta)) / (2 * m)
    )
    value = description_length_bound(error, n, d, m, delta)
    assert value == pytest.approx(printed)
    assert description_length_bound(error, n + 2, d, m, delta) > value
    assert description_length_bound(error, n, d, m, delta, n_classes=3) > value


def test_no_infinite_bound_for_large_trees():
    assert np.isfinite(description_length_bound(0.0, 10**9, 10**6, 10))
