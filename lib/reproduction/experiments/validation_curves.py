"""How far estimates of the error are from the mean error, for several splits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reproduction.random_trees import (
    JointDistribution,
    StoppingRule,
    cross_validation_moments,
    error_moments,
    hold_out_moments,
)

_SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)


class Curve(NamedTuple):
    """Bias and variance of an estimate, for several numbers of test examples or
    folds.
    """

    at: NDArray[np.int64]
    bias: NDArray[np.float64]
    variance: NDArray[np.float64]

    @property
    def distance(self) -> NDArray[np.float64]:
        """The root mean squared distance from the mean error."""
        return np.sqrt(self.bias**2 + self.variance)


def hold_out_curve(p: JointDistribution, n: int, rule: StoppingRule) -> Curve:
    """Of a single hold-out, for several numbers of test examples."""
    truth = error_moments(p, n, rule).mean
    tests = sorted({max(1, int(n * share)) for share in _SHARES})
    all_moments = [hold_out_moments(p, n - t, t, rule) for t in tests]
    bias = np.array([moments.mean - truth for moments in all_moments])
    return Curve(np.array(tests), bias, np.array([m.variance for m in all_moments]))


def cross_validation_curve(
    p: JointDistribution, n: int, rule: StoppingRule, folds: Sequence[int]
) -> Curve:
    """Of cross-validation, for several numbers of folds."""
    truth = error_moments(p, n, rule).mean
    all_moments = [cross_validation_moments(p, n, rule, k) for k in folds]
    bias = np.array([moments.mean - truth for moments in all_moments])
    return Curve(np.array(folds), bias, np.array([m.variance for m in all_moments]))
