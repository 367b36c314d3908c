"""The cost of the estimates that Dhurandhar and Dobra compare."""

from itertools import product

import pytest

from reproduction.experiments.dhurandhar2008 import (
    n_summands,
    random_signs,
    seconds_per_iteration,
)
from reproduction.random_trees import StoppingRule


def all_paths(n_values):
    """Every choice of attributes and of their values."""
    for chosen in product((False, True), repeat=len(n_values)):
        values = [range(v) for v, is_in in zip(n_values, chosen, strict=True) if is_in]
        yield from product(*values)


@pytest.mark.parametrize("n_values", [(2, 3), (2, 2, 3)])
def test_for_a_fixed_height_each_path_of_that_length_has_a_summand(n_values):
    listed = sum(len(path) == 2 for path in all_paths(n_values))
    assert n_summands(n_values, StoppingRule(height=2)) == listed


@pytest.mark.parametrize("n_values", [(2,), (2, 3), (2, 2, 3)])
def test_for_other_rules_each_path_has_one_for_each_last_attribute(n_values):
    listed = sum(len(path) or 1 for path in all_paths(n_values))
    assert n_summands(n_values, StoppingRule(pure=True)) == listed


def test_measured_times_are_positive():
    p = random_signs((2, 2), 0.3)
    seconds = seconds_per_iteration(p, 20, StoppingRule(height=1), n_iterations=5)
    assert set(seconds) == {"af", "mc", "draw"}
    assert min(seconds.values()) > 0
