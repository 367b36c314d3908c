"""Distances of estimates from the mean error."""

import numpy as np
import pytest

from reproduction.experiments.dhurandhar2008 import uneven_cells
from reproduction.experiments.validation_curves import (
    cross_validation_curve,
    hold_out_curve,
)
from reproduction.random_trees import StoppingRule


def test_two_folds_are_two_halves_that_depend_on_each_other():
    p = uneven_cells((2, 2), 0.3)
    rule = StoppingRule(height=1)
    single = hold_out_curve(p, 20, rule)
    cross = cross_validation_curve(p, 20, rule, [2, 20])
    half = single.at.tolist().index(10)

    assert cross.bias[0] == pytest.approx(single.bias[half])
    assert cross.variance[0] < single.variance[half]
    assert np.all(cross.distance >= abs(cross.bias))
    assert cross.bias[1] < cross.bias[0]
