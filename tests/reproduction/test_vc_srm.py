import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction import vc_srm_bound


def printed(E, V, N, a1, a2, v):
    """Equations 2 and 3 as printed."""
    eps = a1 * (V * (np.log(a2 * N / V) + 1) - np.log(v)) / N
    return E + eps / 2 * (1 + np.sqrt(1 + 4 * E / eps))


ERRORS = st.floats(0, 1)
SIZES = st.integers(10, 10**6)


@given(
    ERRORS,
    st.integers(1, 20),
    SIZES,
    st.floats(0.01, 4),
    st.floats(1, 5),
    st.floats(0.01, 1),
)
def test_as_printed(E, V, N, a1, a2, v):
    assert vc_srm_bound(E, V, N, a1, a2, v) == pytest.approx(
        printed(E, V, N, a1, a2, v)
    )


@given(ERRORS, st.integers(1, 9), SIZES, st.floats(0.01, 1))
def test_laws(E, V, N, a1):
    value = vc_srm_bound(E, V, N, a1)
    assert value >= E
    assert vc_srm_bound(E, V + 1, N, a1) > value  # below V = a2 N
    assert vc_srm_bound(min(E + 0.01, 1), V, N, a1) >= value
    assert vc_srm_bound(E, V, N, 2 * a1) > value
    assert vc_srm_bound(0, V, N, a1) == pytest.approx(
        a1 * (V * (np.log(2 * N / V) + 1) + np.log(N) / 2) / N
    )


def test_eps_zero_and_negative():
    assert vc_srm_bound(0.3, 5, 100, a1=0) == 0.3
    with pytest.raises(ValueError, match="eps is negative"):
        vc_srm_bound(0.3, 60, 10)
