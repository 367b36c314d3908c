"""Columns that only number or name the rows.

Copies have names of their own, so these columns are left out when copies are looked
for. All but two values of such a column are different, and they are words with at most
two blanks, dates, or whole numbers that are multiples, up to n^2 / 40, of a common step
above the smallest one. (Of n whole numbers drawn from such a range at most two repeat
others with a probability below 1e-6.) Or they are numbers which increase, or decrease,
from each row to the next, as times do; by chance n rows are in such an order with
probability 2 / n!. Other names, such as random numbers, are not recognized.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import is_missing
from treebounds.risk.rows.tables import Table

# Whole numbers below it are exact as floats.
_EXACT = 2**53

# Entries of a column that are looked at before all of them are.
_FEW = 64

# Values of a column that names the rows which may be missing, or repeat others; and
# blanks in a name.
_MOST_EXCEPTIONS = 2

# Fewer rows may be in order by chance.
_LEAST_IN_ORDER = 10


def numbering_columns(table: Table) -> list[int]:
    """Positions of the columns that number or name the rows.

    >>> import numpy as np
    >>> from treebounds.risk.rows.numbering import numbering_columns
    >>> from treebounds.risk.rows.tables import as_table
    >>> rows = np.random.default_rng(0).random((100, 2))
    >>> numbering_columns(as_table(np.column_stack([rows, np.arange(100)])))
    [2]
    """
    columns = np.arange(table.n_columns)
    if table.is_sparse:
        # Of a column that numbers the rows few entries are 0, which is one value.
        n_zeros = len(table) - np.diff(table.by_columns.indptr)
        columns = np.flatnonzero(n_zeros <= 1 + _MOST_EXCEPTIONS)
    elif table.has_numbers and table.values.dtype.kind == "f":
        # A few rows are enough to exclude most columns.
        few = table.values[:_FEW]
        is_whole = ((few == np.floor(few)) | np.isnan(few)).all(axis=0)
        columns = np.flatnonzero(is_whole | _are_in_order(few))
    return [
        column for column in columns.tolist() if _numbers_the_rows(table.column(column))
    ]


def _numbers_the_rows(values: NDArray[Any]) -> bool:
    """Whether these are different words or dates, different whole numbers from a small
    range, or numbers in order.
    """
    if len(values) < 2:
        return False
    # A few entries are enough to exclude most columns.
    few = values[:_FEW]
    if values.dtype.kind == "O":
        return _are_names(few) and _are_names(values)
    if values.dtype.kind not in "iufMmUS":
        return False
    if values.dtype.kind in "iuf":
        is_long = len(values) >= _LEAST_IN_ORDER
        if is_long and _are_in_order(few) and _are_in_order(values):
            return True
        present = values[np.isfinite(values)]
        if not _nearly_different(few) or not _are_numbers_of_rows(present):
            return False
    return _nearly_different(few) and _nearly_different(values)


def _are_in_order(values: NDArray[Any]) -> Any:
    """Whether numbers, or those of each column, increase or decrease strictly."""
    before = values[:-1]
    after = values[1:]
    return (before < after).all(axis=0) | (before > after).all(axis=0)


def _nearly_different(values: NDArray[Any]) -> bool:
    """Whether at most two of the values repeat others."""
    return len(np.unique(values)) >= len(values) - _MOST_EXCEPTIONS


def _are_names(values: NDArray[Any]) -> bool:
    """Whether these are different words or dates, but for two that are missing or
    repeat others.
    """
    names = values[~is_missing(values)].tolist()
    if not names or not all(map(_is_name, names)):
        return False
    return len(set(names)) >= len(values) - _MOST_EXCEPTIONS


def _is_name(value: Any) -> bool:
    """Whether this is a date, a time, or a word with few blanks."""
    if isinstance(value, str):
        return value.count(" ") <= _MOST_EXCEPTIONS
    is_time = isinstance(value, bytes | date | timedelta)
    return is_time or type(value).__name__ == "Period"


def _are_numbers_of_rows(values: NDArray[Any]) -> bool:
    """Whether these are whole numbers from a small range, but for a common step."""
    few = values[:_FEW]
    if not len(values) or (few != np.floor(few)).any():
        return False
    above = values - values.min()
    if above.max() >= _EXACT or (above != np.floor(above)).any():
        return False
    step = max(1, int(np.gcd.reduce(above.astype(np.int64))))
    return bool(above.max() / step <= len(values) ** 2 / 40)
