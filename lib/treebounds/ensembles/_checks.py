"""Checks of training data and of real parameters, with scikit-learn's conventions."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_X_y


def check_regression(X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Training data for regression: finite numbers, at least one example."""
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    return X, y.astype(np.float64)


def check_two_classes(X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[Any]]:
    """Training data for two classes: the data, the class of each example as 0 or 1, and the two classes.

    >>> check_two_classes([[1.0], [2.0]], ["a", "a"])
    Traceback (most recent call last):
    ValueError: y must hold two classes; got 1
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    classes, encoded = np.unique(y, return_inverse=True)
    if len(classes) != 2:
        raise ValueError(f"y must hold two classes; got {len(classes)}")
    return X, encoded, classes


def check_for_loss(
    X: Any, y: Any, loss: str
) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[Any] | None]:
    """Training data for a loss: numbers for the squared loss, else two classes, encoded as 0 and 1."""
    return (*check_regression(X, y), None) if loss == "squared" else check_two_classes(X, y)


def check_features(X: Any, n_features: int) -> NDArray[np.float64]:
    """Data to predict for: finite numbers, as many features as in training."""
    X = check_array(X, dtype=np.float64, input_name="X")
    if X.shape[1] != n_features:
        raise ValueError(f"X must have {n_features} features, as in training; got {X.shape[1]}")
    return X


def check_real(
    value: Any, name: str, low: float = 0.0, high: float = math.inf, *, open_low: bool = False
) -> float:
    """A finite real number in an interval, or a ValueError that names the argument.

    >>> check_real(0.0, "learning_rate", open_low=True)
    Traceback (most recent call last):
    ValueError: learning_rate must be a number in (0.0, inf); got 0.0
    """
    number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not number or value < low or value > high or (open_low and value == low):
        interval = f"{'(' if open_low else '['}{low}, {high}{')' if math.isinf(high) else ']'}"
        raise ValueError(f"{name} must be a number in {interval}; got {value!r}")
    return float(value)
