"""Hashes of the rows of a table: equal for rows that a tree cannot tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds.risk.rows.entries import as_float32, bits_of, numbers_of
from treebounds.risk.rows.tables import Table, as_table

# Rows and entries that are hashed at a time, so that they fit into the cache.
_ROWS_AT_A_TIME = 2**14
_ENTRIES_AT_A_TIME = 2**17


def upper_half(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The upper 32 bits of hashes.

    >>> import numpy as np
    >>> from treebounds.risk.rows.hash_function import upper_half
    >>> upper_half(np.array([2**32 + 5, 2**33], dtype=np.uint64)).tolist()
    [1, 2]
    """
    return (hashes >> np.uint64(32)).astype(np.uint32)


def hash_rows(X: Any) -> NDArray[np.uint64]:
    """One 64-bit number for each row, equal for rows that a tree cannot tell apart.

    Entries that are numbers are compared as 32-bit floats, as in scikit-learn's trees,
    and words as they are. A column of days as words, such as 2024-03-01, is the same as
    one of times. A sparse matrix gives the same hashes as a dense one, and
    need not be converted.

    >>> from treebounds.risk.rows.hash_function import hash_rows
    >>> hashes = hash_rows([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)

    Parameters
    ----------
    X : (n_rows, n_features) array, frame or sparse matrix, list of texts, or Table
        NaN counts as a value that is equal to itself. An array of more dimensions, such
        as images, has a row for each entry of the first one.

    Returns
    -------
    (n_rows,) array of uint64

    Notes
    -----
    Two neighbouring entries are one word of 64 bits. The words w_0, w_1, ... of a row
    are mixed one by one, by a bijection g with g(0) = 0, and the hash is the sum of the
    k_j g(w_j), modulo 2**64, for fixed odd keys k_j.

    If the keys are random odd numbers, two rows have the same hash with probability at
    most 2**(s - 63), where 2**s is the largest power of 2 that divides all differences
    g(w_j) - g(w'_j). A random difference has s = 0, 1, ... with probability 1/2, 1/4,
    ...: on average at most 2**-58, or 2**-19 for all pairs of a million rows. If rows
    differ in the signs of every second column only, s is 16, and it is 2**-47. The
    upper 32 bits, which a memory keeps, agree with probability at most 2**-31 + 2**(s -
    63). (Keys and g are public: rows can be made that have the same hash.)

    Cost: one pass; about a nanosecond for each entry.
    """
    table = as_table(X)
    if table.is_sparse:
        return _hashes_of_sparse(table.values)
    if table.has_numbers:
        return _hashes_of_numbers(table.values)

    # Columns of words are hashed one by one, beside the numbers.
    numbers = np.zeros(table.values.shape, dtype=np.float32)
    words = np.zeros(len(table), dtype=np.uint64)
    for column in range(table.n_columns):
        values = table.column(column)
        as_numbers = numbers_of(values)
        if as_numbers is None:
            words += contributions(values, column)
        else:
            numbers[:, column] = as_numbers
    return words + _hashes_of_numbers(numbers)


def _hashes_of_numbers(rows: NDArray[Any]) -> NDArray[np.uint64]:
    """The hashes of the rows of a matrix of numbers."""
    n_rows, n_columns = rows.shape
    n_words = (n_columns + 1) // 2
    keys = _keys(np.arange(n_words))
    hashes = np.empty(n_rows, dtype=np.uint64)

    step = max(1, min(_ROWS_AT_A_TIME, _ENTRIES_AT_A_TIME // max(n_columns, 1)))
    for start in range(0, n_rows, step):
        numbers = as_float32(rows[start : start + step])
        if n_columns % 2:
            numbers = np.pad(numbers, ((0, 0), (0, 1)))
        words = _mixed_once(numbers.view(np.uint64))
        if n_words == 1:
            np.multiply(words[:, 0], keys[0], out=hashes[start : start + step])
        else:
            np.vecdot(words, keys, out=hashes[start : start + step])
    return hashes


def _hashes_of_sparse(X: Any) -> NDArray[np.uint64]:
    """The hashes of the rows of a sparse matrix, from its entries other than 0."""
    entries = X.tocoo(copy=True)
    entries.sum_duplicates()
    n_words = (X.shape[1] + 1) // 2

    places = entries.row.astype(np.int64) * n_words + entries.col // 2
    places, place = np.unique(places, return_inverse=True)
    numbers = np.zeros((len(places), 2), dtype=np.float32)
    numbers[place, entries.col % 2] = as_float32(entries.data)
    words = _mixed_once(numbers.view(np.uint64)[:, 0])

    hashes = np.zeros(X.shape[0], dtype=np.uint64)
    row, column = np.divmod(places, max(n_words, 1))
    np.add.at(hashes, row, words * _keys(column))
    return hashes


def contributions(values: Any, column: int) -> NDArray[np.uint64]:
    """The contributions of the entries of one column to the hashes of their rows; 0
    for the number 0.

    >>> from treebounds.risk.rows.hash_function import contributions
    >>> contributions([0.0, 0.0], 3).tolist()
    [0, 0]

    Parameters
    ----------
    values : (n_rows,) array
    column : int
        Position; it makes the hash depend on the order of the columns.

    Returns
    -------
    (n_rows,) array of uint64
    """
    mixed = _mixed_once(bits_of(np.asarray(values))) * _keys(column)
    return mixed ^ (mixed >> np.uint64(32))


def share_of_column(
    table: Table, column: int, *, alone: bool = False
) -> NDArray[np.uint64]:
    """What a column adds to the hashes of the rows: the hashes, minus those of the same
    rows with 0 in this column.

    >>> from treebounds.risk.rows.hash_function import hash_rows, share_of_column
    >>> from treebounds.risk.rows.tables import as_table
    >>> rows = as_table([[3.0, 1.0], [3.0, 2.0]])
    >>> others = hash_rows(rows) - share_of_column(rows, 1)
    >>> bool(others[0] == others[1])
    True

    Parameters
    ----------
    table : Table
    column : int
    alone : bool
        Whether the neighbour in the same word is taken for 0.

    Returns
    -------
    (n_rows,) array of uint64
    """
    values = table.column(column)
    numbers = numbers_of(values)
    if numbers is None:
        return contributions(values, column)

    pairs = np.zeros((len(numbers), 2), dtype=np.float32)
    neighbour = column ^ 1
    if not alone and neighbour < table.n_columns:
        beside = numbers_of(table.column(neighbour))
        pairs[:, neighbour % 2] = 0 if beside is None else beside
    without = _mixed_once(pairs.view(np.uint64)[:, 0])
    pairs[:, column % 2] = numbers
    whole = _mixed_once(pairs.view(np.uint64)[:, 0])
    return (whole - without) * _keys(column // 2)


def _mixed_once(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of words of 64 bits; 0 stays 0.

    Floats that are whole numbers, or differ in sign, differ in upper bits only. The
    shift brings these down, so that a high power of 2 divides few differences.
    """
    mixed = words * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(47)
    return mixed


def _keys(columns: ArrayLike) -> NDArray[np.uint64]:
    """An odd number for each position."""
    return _mixed(np.atleast_1d(columns).astype(np.uint64)) | np.uint64(1)


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of the generator SplitMix64 (Steele, Lea and Flood 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
