"""A table by the hashes of its rows, which are computed where they are needed, and the
rows that may be equal to others.

**Not all columns are read of all rows.** A large sample chooses 2, 8 or all columns to
lead: the first of these that tell apart 99 of 100 different rows, by some of its rows.
Rows that differ there need not be read to the end. In a small sample all columns lead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.rows.hash_function import hash_rows, upper_half
from treebounds.risk.rows.tables import Table, as_table

# Of samples with more rows, these numbers of leading columns are tried, on some rows.
MANY_ROWS = 2**13
_LEADING = (2, 8)
_ROWS_TRIED = 512
_TOLD_APART = 0.99

# Bits of a hash that is kept, and of the place of a row.
_BITS = 32


class RowHashes:
    """The hashes of the rows of a table, which are computed where they are needed.

    >>> from treebounds.risk.rows.row_hashes import RowHashes
    >>> rows = RowHashes([[1.0, 2.0, 3.0], [1.0, 2.0, 4.0]])
    >>> (rows.of_leading(2) == rows.of_leading(2)[0]).tolist()
    [True, True]
    >>> (rows.of_all() == rows.of_all()[0]).tolist()
    [True, False]

    Parameters
    ----------
    X : (n_rows, n_features) array, frame or sparse matrix, list of texts, or Table
        As :func:`treebounds.risk.rows.hash_function.hash_rows` takes it.

    Attributes
    ----------
    n_columns : int
        Number of columns of the table.
    """

    def __init__(self, X: Any) -> None:
        self._table: Table | None = as_table(X)
        self._n_rows = len(self._table)
        self.n_columns = self._table.n_columns
        self._of_leading: dict[int, NDArray[np.uint32]] = {}
        self._of_all: NDArray[np.uint64] | None = None
        self._repeated: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return self._n_rows

    @property
    def table(self) -> Table:
        """The table, until it is forgotten."""
        assert self._table is not None, "the table was forgotten"
        return self._table

    def of_all(self, rows: NDArray[np.intp] | None = None) -> NDArray[np.uint64]:
        """The :func:`hash_rows` of the table, or of some of its rows."""
        if self._of_all is None:
            # Whether a column holds words is known from all of its entries only.
            are_few = rows is not None and 4 * len(rows) < len(self)
            if are_few and self.table.has_numbers:
                return hash_rows(self.table.values.take(rows, axis=0))
            self._of_all = hash_rows(self.table)
        return self._of_all if rows is None else self._of_all[rows]

    def of_leading(self, n_columns: int) -> NDArray[np.uint32]:
        """The upper halves of the hashes of the first columns alone; 0 stands for all
        columns.
        """
        if n_columns == 0 or n_columns >= self.n_columns:
            return upper_half(self.of_all())
        if n_columns not in self._of_leading:
            columns = self.table.first_columns(n_columns)
            self._of_leading[n_columns] = upper_half(hash_rows(columns))
        return self._of_leading[n_columns]

    def of_some_leading(self) -> NDArray[np.uint32]:
        """The same for some columns of which they are known already, or else for as
        many as tell most rows apart.
        """
        if self._of_all is not None or len(self) <= MANY_ROWS:
            return self.of_leading(0)
        known = list(self._of_leading.values())
        return known[0] if known else self.of_leading(self.n_leading())

    def repeated(self) -> NDArray[np.intp]:
        """The places of the rows that may be equal to others: all others are not."""
        if self._repeated is None:
            self._repeated = equal_to_others(self.of_some_leading())
        return self._repeated

    def n_leading(self) -> int:
        """How many columns tell nearly all different rows apart, by some of the rows: 2
        or 8, or else the number of all columns.
        """
        if not self.table.has_numbers:
            return self.n_columns
        some = self.table.values[:: max(1, len(self) // _ROWS_TRIED)]
        n_different = len(np.unique(hash_rows(some)))
        for n_columns in _LEADING:
            if n_columns >= self.n_columns:
                break
            n_told_apart = len(np.unique(hash_rows(some[:, :n_columns])))
            if n_told_apart >= _TOLD_APART * n_different:
                return n_columns
        return self.n_columns

    def without_columns(self, columns: list[int]) -> RowHashes:
        """The hashes of the rows without some of their columns."""
        if not columns:
            return self
        return RowHashes(self.table.without_columns(columns))

    def forget_table(self) -> None:
        """Hash all rows now, so that the table need not be kept."""
        self.of_all()
        self._table = None


def equal_to_others(numbers: NDArray[np.uint32]) -> NDArray[np.intp]:
    """The places of the numbers that are equal to another one, in increasing order.

    >>> import numpy as np
    >>> from treebounds.risk.rows.row_hashes import equal_to_others
    >>> equal_to_others(np.array([5, 2, 7, 5, 5, 3], dtype=np.uint32)).tolist()
    [0, 3, 4]

    Parameters
    ----------
    numbers : (n,) array of uint32

    Returns
    -------
    array of int

    Notes
    -----
    A number and its place make one word of 64 bits, so that one sort brings equal
    numbers together and keeps their places: NumPy sorts numbers faster than places. In
    most samples few numbers repeat others, so that only numbers that begin like one of
    these become words. Cost: one sort, or two if many repeat others.
    """
    places = _begin_like_repeated(numbers)
    words = numbers[places].astype(np.uint64) << np.uint64(_BITS)
    words |= places.astype(np.uint64)
    words.sort()

    ordered = words >> np.uint64(_BITS)
    equals_next = ordered[1:] == ordered[:-1]
    is_repeated = np.zeros(len(words), dtype=bool)
    is_repeated[:-1] = equals_next
    is_repeated[1:] |= equals_next
    found = words[is_repeated] & np.uint64(2**_BITS - 1)
    return np.sort(found.astype(np.intp))


def _begin_like_repeated(numbers: NDArray[np.uint32]) -> NDArray[np.intp]:
    """The places of the numbers whose upper halves are those of numbers that occur more
    than once.
    """
    ordered = np.sort(numbers)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    half = np.uint32(_BITS // 2)
    begins = np.zeros(2 ** (_BITS // 2), dtype=bool)
    begins[repeated >> half] = True
    return np.flatnonzero(begins[numbers >> half])
