"""Equations 5 to 10 as repaired, on every sample and input, against the list of all
trees.
"""

import numpy as np
import pytest

from reproduction.experiments.dhurandhar2008 import FAMILIES, SYSTEMS, purity_gap
from reproduction.random_trees import StoppingRule, error_moments, simulate_moments


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_families_have_the_correlation_and_the_prior(family, system):
    for rho in (0.02, 0.5, 0.95):
        p = FAMILIES[family](SYSTEMS[system], rho)
        assert p.correlation == pytest.approx(rho, abs=1e-9)
        assert p.probabilities.reshape(-1, 2).sum(axis=0) == pytest.approx([0.5, 0.5])
        # the Bayes error lies between these for every distribution with that
        # correlation
        assert (1 - np.sqrt(rho)) / 2 - 1e-9 <= p.bayes_error <= (1 - rho) / 2 + 1e-9


@pytest.mark.parametrize("n_examples", [2, 5, 12, 40])
def test_purity_trees_on_one_sample_differ_in_empty_cells_only(n_examples):
    p = FAMILIES["uneven cells"]((2, 2, 2), 0.5)
    rule = StoppingRule(pure=True)
    simulated = simulate_moments(p, n_examples, rule, 4000)
    gap = error_moments(p, n_examples, rule).variance - simulated.covariance
    assert (
        -4 * simulated.covariance_error
        < gap
        < purity_gap(p, n_examples) + 4 * simulated.covariance_error
    )
