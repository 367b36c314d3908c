"""Whether the arguments of a call have the same rows in the same order, as far as
their row labels show it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treebounds._validation import CHARACTERS


def check_same_order(**arguments: Any) -> None:
    """Raise a ValueError if two objects of pandas name their rows otherwise, or if an
    entry is masked.

    All arguments are paired by position, as in scikit-learn. If their labels disagree
    in nothing but the order, they were meant to be paired by label; if they disagree in
    more, they are about other rows. What has no labels, or the numbers from 0 that
    pandas gives, is not looked at, unless only the order differs. Neither are labels of
    two kinds, as after ``X_test.set_index("patient")``.

    >>> import pandas as pd
    >>> from treebounds._row_order import check_same_order
    >>> X = pd.DataFrame({"age": [30, 40]}, index=["ann", "bob"])
    >>> check_same_order(X=X, y=pd.Series([1, 0], index=["bob", "ann"]))
    Traceback (most recent call last):
    ValueError: y has the row labels of X in another order, but rows are paired by
    position; give y.loc[X.index], or y.to_numpy() if it is in the order of X
    """
    for name, values in arguments.items():
        _refuse_masked(values, name)

    labelled = {
        name: values.index for name, values in arguments.items() if _has_index(values)
    }
    if not labelled:
        return
    first, expected = next(iter(labelled.items()))
    for name, index in labelled.items():
        _refuse_other_labels(index, name, expected, first)


def _refuse_masked(values: Any, name: str) -> None:
    """Raise a ValueError if an entry is masked: NumPy would go on with what is below
    the mask.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} has masked entries, which have no value; leave out these rows, or"
            f" give {name}.filled(np.nan) where a number may be missing"
        )


def _refuse_other_labels(index: Any, name: str, expected: Any, first: str) -> None:
    """Raise a ValueError if the row labels of an argument are others than those of the
    first one, or in another order.
    """
    if len(index) != len(expected) or index.equals(expected):
        return
    if _are_of_different_kinds(index, expected):
        return

    alone = [*index[~index.isin(expected)], *expected[~expected.isin(index)]]
    in_order = f"{name}.to_numpy() if it is in the order of {first}"
    if not alone and index.is_unique:
        raise ValueError(
            f"{name} has the row labels of {first} in another order, but rows are"
            f" paired by position; give {name}.loc[{first}.index], or {in_order}"
        )
    if not alone:
        raise ValueError(
            f"{name} and {first} have the same row labels, some of them several times,"
            f" but not at the same rows, and rows are paired by position; give"
            f" {in_order}"
        )
    if not _is_default(index) and not _is_default(expected):
        raise ValueError(
            f"{name} and {first} label different rows: only one of them has"
            f" {alone[0]!r:.{CHARACTERS}}. Rows are paired by position; give the"
            f" labels of {first} to {name}, or {in_order}"
        )


def _are_of_different_kinds(index: Any, expected: Any) -> bool:
    """Whether two objects of pandas do not name rows in the same way, so that labels
    which differ say nothing: one has the numbers of a larger table, and the other one
    was given a column as its labels.
    """
    # Pandas compares labels of several levels with none of another number of levels.
    if index.nlevels != expected.nlevels:
        return True
    if index.isin(expected).any():
        return False
    kinds = (index.inferred_type, *index.names)
    return kinds != (expected.inferred_type, *expected.names)


def _is_default(index: Any) -> bool:
    """Whether row labels are the numbers from 0 on, which pandas gives by itself."""
    values = np.asarray(index)
    return values.dtype.kind in "iu" and np.array_equal(values, np.arange(len(values)))


def _has_index(values: Any) -> bool:
    """Whether a table or a vector labels its rows as pandas does."""
    return hasattr(values, "iloc") and hasattr(getattr(values, "index", None), "equals")
