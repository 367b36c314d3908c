"""The numbers that a regression tree is fitted to, or pruned on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.utils.validation import assert_all_finite, column_or_1d

from treebounds._validation import as_floats
from treebounds.trees.counting import LARGEST_TARGET


def check_numbers_to_predict(y: Any) -> NDArray[np.float64]:
    """Return y as a vector of finite numbers, or raise a ValueError that says what to
    do.

    >>> from treebounds.pruning._targets import check_numbers_to_predict
    >>> check_numbers_to_predict([1, 2])
    array([1., 2.])
    """
    array = np.asarray(y)
    if array.ndim == 0:
        raise ValueError(
            "y must be a vector of numbers; this estimator requires y to be passed, but"
            " the target y is None"
        )
    if array.ndim == 2 and array.shape[1] > 1:
        raise ValueError(
            f"y must be one number for each row; got {array.shape[1]} outputs: fit one"
            " tree for each (sklearn.multioutput.MultiOutputRegressor)"
        )
    targets = array if array.ndim == 1 else column_or_1d(array, warn=True)
    if targets.dtype.kind in "OSU" and _has_words(targets):
        raise ValueError(
            "y must hold numbers; for classes use a classifier such as"
            " BoundPrunedTreeClassifier"
        )
    numbers = as_floats(targets)
    if len(numbers):
        # scikit-learn leaves this out where its user has asked it to.
        with config_context(assume_finite=False):
            assert_all_finite(numbers, input_name="y")
        if np.abs(numbers).max() > LARGEST_TARGET:
            raise ValueError(
                f"y must lie within +-{LARGEST_TARGET:g}: squares overflow"
            )
    return numbers


def _has_words(targets: NDArray[Any]) -> bool:
    """Whether a target is a word."""
    return any(isinstance(target, str | bytes) for target in targets.tolist())
