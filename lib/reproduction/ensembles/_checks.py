"""Checks of training data, with scikit-learn's conventions."""

from __future__ import annotations

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

    >>> from reproduction.ensembles._checks import check_two_classes
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
