"""What a certificate is about: errors, costs, or predictions that are off by a
tolerance.
"""

import math

import numpy as np
import pytest

from treebounds.risk.questions import Costs, Coverage


def test_trees_are_grown_with_the_mean_cost_of_errors_alone():
    """What a right prediction costs says nothing about a class."""
    costs = [[3.0, 1.0, 2.0], [10.0, 7.0, 30.0], [0.0, 4.0, 5.0]]
    weights = Costs(["a", "b", "c"], costs, None).class_weights()
    assert weights == {"a": 1.5, "b": 20.0, "c": 2.0}


@pytest.mark.parametrize(("n_groups", "is_finite"), [(20, False), (200, True)])
def test_few_groups_cover_nothing_however_many_cases_they_have(n_groups, is_finite):
    """The largest loss of 20 groups covers less than 90 percent of them with
    probability (9/10)^20, which is above 5 percent.
    """
    units = np.arange(1000) % n_groups
    question = Coverage(0.9, must_cover=False)
    verdict = question.verdict(np.arange(1000.0), 0.05, units=units)
    assert math.isfinite(verdict.tolerance) == is_finite
