"""The families of distributions, and purity trees that are grown on one sample."""

import numpy as np
import pytest

from reproduction.experiments.dhurandhar2008 import FAMILIES, SYSTEMS, purity_gap
from reproduction.random_trees import StoppingRule, error_moments, simulate_moments


@pytest.fixture(params=(0.02, 0.5, 0.95), ids=lambda rho: f"rho={rho}")
def rho(request):
    """A correlation of input and class."""
    return request.param


@pytest.fixture(params=FAMILIES)
def family(request):
    """A function that makes the distributions of a family."""
    return FAMILIES[request.param]


@pytest.fixture(params=SYSTEMS)
def system(request):
    """The numbers of values of the attributes."""
    return SYSTEMS[request.param]


def test_families_have_the_correlation(family, system, rho):
    assert family(system, rho).correlation == pytest.approx(rho, abs=1e-9)


def test_families_have_equal_priors(family, system, rho):
    probabilities = family(system, rho).probabilities.reshape(-1, 2)
    assert probabilities.sum(axis=0) == pytest.approx([0.5, 0.5])


def test_the_bayes_error_is_one_that_the_correlation_allows(family, system, rho):
    """For every distribution with that correlation it lies between these two."""
    least = (1 - np.sqrt(rho)) / 2
    most = (1 - rho) / 2
    assert least - 1e-9 <= family(system, rho).bayes_error <= most + 1e-9


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
