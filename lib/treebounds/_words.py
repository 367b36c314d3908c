"""Errors about words, dates and objects that name the columns, or y."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

# What errors about words say: NumPy's, and those of pandas about categories.
_OF_WORDS = ("could not convert", "Cannot cast str dtype", "Cannot cast object dtype")


@contextmanager
def naming_words(X: Any) -> Iterator[None]:
    """Replace scikit-learn's errors for words in X and for objects in y by ones that
    name columns and y.
    """
    try:
        yield
    except ValueError as error:
        if "Unknown label type: unknown" in str(error):
            raise ValueError(
                "Unknown label type: y holds objects; try y.astype(int), for example"
            ) from error
        columns = ", ".join(_columns_with_words(X))
        is_about_words = any(text in str(error) for text in _OF_WORDS)
        if not columns or not is_about_words:
            raise
        raise ValueError(
            f"X: {columns} must be numeric; encode words first, for example with"
            " sklearn.preprocessing.OneHotEncoder"
        ) from error
    except TypeError as error:
        columns = ", ".join(_columns_of_times(X))
        if not columns:
            raise
        raise ValueError(
            f"X: {columns} must be numeric; give times as numbers, for example as days"
            " since a fixed date"
        ) from error


def _columns_with_words(X: Any) -> list[str]:
    """The names of the columns of a data frame that hold words."""
    columns = []
    for name in getattr(X, "columns", ()):
        values = np.asarray(X[name], dtype=object)
        if any(isinstance(value, str) for value in values):
            columns.append(str(name))
    return columns


def _columns_of_times(X: Any) -> list[str]:
    """The names of the columns of a data frame that hold dates or durations."""
    dtypes = zip(getattr(X, "columns", ()), getattr(X, "dtypes", ()), strict=False)
    return [str(name) for name, dtype in dtypes if getattr(dtype, "kind", "") in "mM"]
