"""The bound and its priors, against literal formulas, and as laws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treebounds.risk import (
    log_geometric_prior,
    log_leaves_prior,
    log_structure_prior,
    shawe_taylor_bound,
)
from treebounds.structure import enumerate_structures


@given(
    m=st.integers(1, 10**6),
    fraction=st.floats(0, 1),
    log_growth=st.floats(0, 1e6),
    log_q=st.floats(-1e4, 0),
    log_p=st.floats(-1e4, 0),
    delta=st.floats(1e-9, 0.999),
)
def test_it_is_equation_8(m, fraction, log_growth, log_q, log_p, delta):
    k = int(fraction * m)
    literal = (
        2 * k + 4 * (math.log(4) + log_growth - math.log(delta) - log_q - log_p)
    ) / m
    assert shawe_taylor_bound(m, k, log_growth, log_q, log_p, delta) == pytest.approx(
        literal, rel=1e-14
    )


def test_arrays_broadcast():
    bounds = shawe_taylor_bound(100, np.arange(3), np.array([[1.0], [2.0]]), -1.0, -2.0)
    assert bounds.shape == (2, 3)
    assert bounds[1, 2] == shawe_taylor_bound(100, 2, 2.0, -1.0, -2.0)
    assert isinstance(shawe_taylor_bound(100, 2, 2.0, -1.0, -2.0), float)


def test_geometric_prior_sums_to_one():
    for ratio in (0.5, 0.9, 2**-13.7):
        terms = np.exp(log_geometric_prior(np.arange(2000), ratio))
        assert terms.sum() == pytest.approx(1, abs=1e-12)
        assert terms.sum() <= 1 + 1e-12


def test_structure_prior_shares_the_prior_of_leaves_equally():
    total = Fraction(0)
    for leaves in range(1, 13):
        structures = list(enumerate_structures(leaves))
        share = math.exp(log_structure_prior(leaves)) * len(structures)
        assert share == pytest.approx(math.exp(log_leaves_prior(leaves)), rel=1e-12)
        total += Fraction(1, leaves**2)
    assert float(total) * 6 / math.pi**2 < 1
    assert sum(math.exp(log_leaves_prior(leaves)) for leaves in range(1, 5000)) < 1
