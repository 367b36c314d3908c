"""Warnings if scikit-learn may take different numbers for equal, because it compares
their differences with fixed ones, whatever their unit is.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from treebounds.estimators._misuse import is_judged_by_halvings

# A node becomes a leaf where the variance of y is at most this.
_LEAST_VARIANCE = np.finfo(float).eps
# That may be the variance in a leaf of a tree that explains almost everything.
_UNEXPLAINED = 1e-4

# Values of a column that differ by no more than this are not separated.
_LEAST_STEP = 1e-7
# A column that varies by no more than some such steps has few values left.
_FEW_STEPS = 100

_ADVICE = "in a smaller unit, which makes them larger"


def warn_of_units(
    X: Any, names: Any, y: NDArray[np.float64] | None = None, *, stacklevel: int
) -> None:
    """Warn if the columns of a sample, or the numbers to predict, hardly differ.

    The learners of certified estimators are silent, since these have warned.

    >>> import warnings
    >>> import numpy as np
    >>> from treebounds.estimators._units import warn_of_units
    >>> lengths = np.array([[5e-7, 1.0], [7e-7, 2.0]])
    >>> with warnings.catch_warnings(record=True, action="always") as recorded:
    ...     warn_of_units(lengths, ["metres", "age"], stacklevel=1)
    >>> print(recorded[0].message)
    X: column 'metres' varies by no more than 1e-05, and scikit-learn separates no
    values that differ by up to 1e-07: give numbers in a smaller unit, which makes them
    larger

    Parameters
    ----------
    X : (n_examples, n_features) array or sparse matrix
    names : (n_features,) array or None
        The names of the columns, if they have any.
    y : (n_examples,) array, optional
        Numbers to predict.
    stacklevel : int
        As in ``warnings.warn``, counted from the caller.
    """
    if not X.shape[0] or is_judged_by_halvings():
        return

    small = np.flatnonzero(_hardly_vary(X)).tolist()
    if small:
        subject = _subject(small, names)
        warnings.warn(
            f"X: {subject} by no more than {_FEW_STEPS * _LEAST_STEP:g}, and"
            " scikit-learn separates no values that differ by up to"
            f" {_LEAST_STEP:g}: give numbers {_ADVICE}",
            stacklevel=stacklevel + 1,
        )

    # The deviation of equal numbers may be a rounding error.
    if y is None or y.min() == y.max():
        return
    deviation = float(np.std(y))
    if deviation**2 * _UNEXPLAINED < _LEAST_VARIANCE:
        warnings.warn(
            f"y has a standard deviation of only {deviation:.2g}, and scikit-learn"
            f" splits no node with a variance of up to {_LEAST_VARIANCE:.2g}: give"
            f" numbers {_ADVICE}",
            stacklevel=stacklevel + 1,
        )


def _subject(small: list[int], names: Any) -> str:
    """Up to five columns, with the verb of a sentence about them."""
    labels = small if names is None else [repr(str(names[i])) for i in small]
    some = ", ".join(map(str, labels[:5]))
    if len(small) == 1:
        return f"column {some} varies"
    others = " and others" if len(small) > 5 else ""
    return f"columns {some}{others} vary"


def _hardly_vary(X: Any) -> NDArray[np.bool_]:
    """Which columns vary by a few steps only; a constant column does not vary."""
    # Missing and infinite values are left to others.
    with np.errstate(invalid="ignore", over="ignore"):
        if issparse(X):
            ranges = (X.max(axis=0) - X.min(axis=0)).toarray().ravel()
        else:
            ranges = np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0)
    hardly: NDArray[np.bool_] = (ranges > 0) & (ranges <= _FEW_STEPS * _LEAST_STEP)
    return hardly
