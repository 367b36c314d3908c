"""The numbers that a regression tree is fitted to, or pruned on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.utils.validation import assert_all_finite, column_or_1d

from treebounds._validation import as_floats
from treebounds.trees.counting import LARGEST_TARGET

# scikit-learn makes a leaf where the variance is at most this, whatever the unit of y.
_LEAST_VARIANCE = np.finfo(float).eps
# It may be reached in a leaf of a tree that explains almost everything.
_EXPLAINED = 1e-4


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


def warn_of_small_unit(targets: NDArray[np.float64], stacklevel: int) -> None:
    """Warn if scikit-learn may take numbers for equal because their unit is large.

    >>> import warnings
    >>> import numpy as np
    >>> from treebounds.pruning._targets import warn_of_small_unit
    >>> with warnings.catch_warnings(record=True, action="always") as recorded:
    ...     warn_of_small_unit(np.array([1e-9, 3e-9]), 1)
    >>> print(recorded[0].message)
    y has a standard deviation of only 1e-09, and scikit-learn splits no node with a
    variance of up to 2.2e-16: give y in a smaller unit, which makes the numbers larger

    Parameters
    ----------
    targets : (n,) array
    stacklevel : int
        As in ``warnings.warn``, counted from the caller.
    """
    # The deviation of equal numbers may be a rounding error.
    if not len(targets) or targets.min() == targets.max():
        return
    deviation = float(np.std(targets))
    if deviation**2 * _EXPLAINED < _LEAST_VARIANCE:
        warnings.warn(
            f"y has a standard deviation of only {deviation:.2g}, and scikit-learn"
            f" splits no node with a variance of up to {_LEAST_VARIANCE:.2g}: give y in"
            " a smaller unit, which makes the numbers larger",
            stacklevel=stacklevel + 1,
        )


def _has_words(targets: NDArray[Any]) -> bool:
    """Whether a target is a word."""
    return any(isinstance(target, str | bytes) for target in targets.tolist())
