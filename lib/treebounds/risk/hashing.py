"""Hashes of the rows of tables: equal for rows that a tree cannot tell apart.

**Not all columns are read of all rows.** A large sample chooses 2, 8 or all columns to
lead: the first of these that tell apart 99 of 100 different rows, by some of its rows.
Rows that differ there need not be read to the end. In a small sample all columns lead.
"""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from treebounds._validation import is_missing
from treebounds.risk.tables import as_rows, column_of, first_columns

# Of samples with more rows, these numbers of leading columns are tried, on some rows.
MANY_ROWS = 2**13
_LEADING = (2, 8)
_ROWS_TRIED = 512
_TOLD_APART = 0.99

# How often each unit of time, from the second down, is in a second.
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9, "ps": 1e12}

# Bits of a hash that is kept, and of the place of a row.
_BITS = 32

# Rows and entries that are hashed at a time, so that they fit into the cache.
_ROWS_AT_A_TIME = 2**14
_ENTRIES_AT_A_TIME = 2**17


class RowHashes:
    """The hashes of the rows of a table, which are computed where they are needed.

    >>> from treebounds.risk.hashing import RowHashes
    >>> rows = RowHashes([[1.0, 2.0, 3.0], [1.0, 2.0, 4.0]])
    >>> (rows.of_leading(2) == rows.of_leading(2)[0]).tolist()
    [True, True]
    >>> (rows.of_all() == rows.of_all()[0]).tolist()
    [True, False]

    Parameters
    ----------
    X : (n_rows, n_features) array, frame or sparse matrix, or list of texts
        As :func:`row_hashes` takes it.
    """

    def __init__(self, X: Any) -> None:
        self._table = X if issparse(X) else as_rows(X)
        self._n_rows, self._n_columns = self._table.shape
        self._of_leading: dict[int, NDArray[np.uint32]] = {}
        self._of_all: NDArray[np.uint64] | None = None
        self._repeated: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return int(self._n_rows)

    @property
    def n_columns(self) -> int:
        """Number of columns of the table."""
        return int(self._n_columns)

    def of_all(self, rows: NDArray[np.intp] | None = None) -> NDArray[np.uint64]:
        """The :func:`row_hashes` of the table, or of some of its rows."""
        if self._of_all is None:
            # Whether a column holds words is known from all of its entries only.
            if rows is not None and 4 * len(rows) < len(self) and self._has_numbers():
                return row_hashes(self._table.take(rows, axis=0))
            self._of_all = row_hashes(self._table)
        return self._of_all if rows is None else self._of_all[rows]

    def of_leading(self, n_columns: int) -> NDArray[np.uint32]:
        """The upper halves of the hashes of the first columns alone; 0 stands for all
        columns.
        """
        if n_columns == 0 or n_columns >= self._n_columns:
            return upper_half(self.of_all())
        if n_columns not in self._of_leading:
            columns = first_columns(self._table, n_columns)
            self._of_leading[n_columns] = upper_half(row_hashes(columns))
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
        if not self._has_numbers():
            return int(self._n_columns)
        some = self._table[:: max(1, len(self) // _ROWS_TRIED)]
        n_different = len(np.unique(row_hashes(some)))
        for n_columns in _LEADING:
            if n_columns >= self._n_columns:
                break
            n_told_apart = len(np.unique(row_hashes(some[:, :n_columns])))
            if n_told_apart >= _TOLD_APART * n_different:
                return n_columns
        return int(self._n_columns)

    def _has_numbers(self) -> bool:
        """Whether the table is an array of numbers."""
        return isinstance(self._table, np.ndarray) and self._table.dtype.kind in "biuf"

    def forget_table(self) -> None:
        """Hash all rows now, so that the table need not be kept."""
        self.of_all()
        self._table = None


def equal_to_others(numbers: NDArray[np.uint32]) -> NDArray[np.intp]:
    """The places of the numbers that are equal to another one, in increasing order.

    >>> import numpy as np
    >>> from treebounds.risk.hashing import equal_to_others
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


def upper_half(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The upper 32 bits of hashes.

    >>> import numpy as np
    >>> from treebounds.risk.hashing import upper_half
    >>> upper_half(np.array([2**32 + 5, 2**33], dtype=np.uint64)).tolist()
    [1, 2]
    """
    return (hashes >> np.uint64(32)).astype(np.uint32)


def row_hashes(X: Any) -> NDArray[np.uint64]:
    """One 64-bit number for each row, equal for rows that a tree cannot tell apart.

    Entries that are numbers are compared as 32-bit floats, as in scikit-learn's trees,
    and words as they are. A column of days as words, such as 2024-03-01, is the same as
    one of times. A sparse matrix gives the same hashes as a dense one, and
    need not be converted.

    >>> from treebounds.risk.hashing import row_hashes
    >>> hashes = row_hashes([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)

    Parameters
    ----------
    X : (n_rows, n_features) array, frame or sparse matrix, or list of texts
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
    if issparse(X):
        return _hashes_of_sparse(X)

    rows = as_rows(X)
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "biuf":
        return _hashes_of_numbers(rows)

    # Columns of words are hashed one by one, beside the numbers.
    numbers = np.zeros(rows.shape, dtype=np.float32)
    words = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]):
        values = column_of(rows, column)
        as_numbers = _numbers(values)
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
        numbers = _canonical(rows[start : start + step])
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
    numbers[place, entries.col % 2] = _canonical(entries.data)
    words = _mixed_once(numbers.view(np.uint64)[:, 0])

    hashes = np.zeros(X.shape[0], dtype=np.uint64)
    row, column = np.divmod(places, max(n_words, 1))
    np.add.at(hashes, row, words * _keys(column))
    return hashes


def contributions(values: Any, column: int) -> NDArray[np.uint64]:
    """The contributions of the entries of one column to the hashes of their rows.

    >>> from treebounds.risk.hashing import contributions
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
    return _contributions(_bits(np.asarray(values)), column)


def share_of_column(
    rows: Any, column: int, *, alone: bool = False
) -> NDArray[np.uint64]:
    """What a column adds to the hashes of the rows: the hashes, minus those of the same
    rows with 0 in this column.

    >>> import numpy as np
    >>> from treebounds.risk.hashing import row_hashes, share_of_column
    >>> rows = np.array([[3.0, 1.0], [3.0, 2.0]])
    >>> others = row_hashes(rows) - share_of_column(rows, 1)
    >>> bool(others[0] == others[1])
    True

    Parameters
    ----------
    rows : array, frame or sparse matrix
        What :func:`as_rows` returns, or a sparse matrix.
    column : int
    alone : bool
        Whether the neighbour in the same word is taken for 0.

    Returns
    -------
    (n_rows,) array of uint64
    """
    values = column_of(rows, column)
    numbers = _numbers(values)
    if numbers is None:
        return contributions(values, column)

    pairs = np.zeros((len(numbers), 2), dtype=np.float32)
    neighbour = column ^ 1
    if not alone and neighbour < rows.shape[1]:
        beside = _numbers(column_of(rows, neighbour))
        pairs[:, neighbour % 2] = 0 if beside is None else beside
    without = _mixed_once(pairs.view(np.uint64)[:, 0])
    pairs[:, column % 2] = numbers
    whole = _mixed_once(pairs.view(np.uint64)[:, 0])
    return (whole - without) * _keys(column // 2)


def _contributions(bits: NDArray[np.uint64], columns: ArrayLike) -> NDArray[np.uint64]:
    """The contributions of entries, given by their bits and columns, to the hashes of
    their rows; 0 for the number 0.
    """
    mixed = _mixed_once(bits) * _keys(columns)
    return mixed ^ (mixed >> np.uint64(32))


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


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    """One number for each entry, 0 for the number 0."""
    numbers = _numbers(values)
    if numbers is None:
        return _bits_of_words(values)
    return numbers.view(np.uint32).astype(np.uint64)


def _numbers(values: NDArray[Any]) -> NDArray[np.float32] | None:
    """The entries as :func:`_canonical` numbers; None if one of them is a word, or if
    they are complex.
    """
    if values.dtype.kind == "c":
        return None
    # NumPy converts None to NaN, but not the NA of pandas.
    if values.dtype.kind == "O":
        kinds = {type(value).__name__ for value in values.flat}
        if "NAType" in kinds:
            values = np.where(is_missing(values), np.array(None), values)
        if "datetime" in kinds and kinds <= {"datetime", "NoneType"}:
            values = _without_zones(values)
    if values.dtype.kind in "OU":
        days = _days(values)
        values = values if days is None else days
    try:
        return _canonical(values)
    except (TypeError, ValueError):
        return None


def _canonical(values: NDArray[Any]) -> NDArray[np.float32]:
    """The entries as 32-bit floats, equal ones with the same bits."""
    if values.dtype.kind in "mM":
        values = _seconds(values)
    # Numbers beyond float32 become infinite.
    with np.errstate(over="ignore"):
        if values.ndim == 2 and not values.flags.c_contiguous:
            # Few columns of a table are copied quickly only one by one.
            numbers = np.empty(values.shape, dtype=np.float32)
            for column in range(values.shape[1]):
                numbers[:, column] = values[:, column]
        else:
            numbers = values.astype(np.float32, order="C")
    # -0.0 becomes 0.0.
    numbers += np.float32(0)
    if numbers.size and np.isnan(numbers.max()):
        numbers[np.isnan(numbers)] = np.nan
    return numbers


def _days(values: NDArray[Any]) -> NDArray[Any] | None:
    """Days that are written as words, such as 2024-03-01, or are objects of ``date``,
    as times; None if other entries are among them.

    Words with a time of day stay words: as 32-bit floats, times of one minute are
    equal.
    """
    # Most columns of words are known by their first word.
    if not _are_days([next(filter(_is_word, values.flat), "")]):
        return None
    known = np.fromiter(map(_is_word, values.flat), bool, values.size)
    known = known.reshape(values.shape)
    words = values[known].astype(str)
    if not _are_days(words) or not is_missing(values[~known]).all():
        return None
    days = np.full(values.shape, np.datetime64("NaT"), dtype="M8[D]")
    try:
        days[known] = words.astype("M8[D]")
    except ValueError:
        # No month has so many days.
        return None
    return days


def _is_word(value: Any) -> bool:
    """Whether an entry is a word or a date, and not missing."""
    return isinstance(value, str | date) and bool(value == value)


def _are_days(words: Any) -> bool:
    """Whether all words have the form of 2024-03-01."""
    texts = np.asarray(words, dtype=str)
    if texts.dtype != np.dtype("U10"):
        return False
    codes = texts.view(np.uint32).reshape(-1, 10)
    are_digits = (codes >= ord("0")) & (codes <= ord("9"))
    are_digits[:, [4, 7]] = codes[:, [4, 7]] == ord("-")
    return bool(are_digits.all())


def _without_zones(times: NDArray[Any]) -> NDArray[Any]:
    """Objects of ``datetime`` as times of NumPy, if they are in no time zone."""
    zones = {getattr(time, "tzinfo", None) for time in times.flat}
    return times if zones != {None} else times.astype("M8[us]")


def _seconds(times: NDArray[Any]) -> NDArray[np.float64]:
    """Times in seconds, whatever their unit is; NaN where one is missing."""
    kind = times.dtype.kind
    unit, step = np.datetime_data(times.dtype)
    # Numbers of months or years, which are not dates, have no length in seconds.
    has_length = kind == "M" or unit not in ("Y", "M")
    if unit not in _PER_SECOND and has_length:
        times = times.astype(f"{kind}8[s]")
        unit = "s"
        step = 1
    counts = times.astype(np.int64).astype(float) * step
    seconds: NDArray[np.float64] = counts / _PER_SECOND.get(unit, 1.0)
    seconds[np.isnat(times)] = np.nan
    return seconds


def _bits_of_words(values: NDArray[Any]) -> NDArray[np.uint64]:
    """One number for each word, the same in every sample."""
    try:
        texts = values.astype(str)
    except ValueError:
        # The entries are lists or arrays.
        lists = [np.asarray(entry, dtype=object).tolist() for entry in values.ravel()]
        texts = np.array(list(map(str, lists))).reshape(values.shape)
    words, places = np.unique(texts, return_inverse=True)
    digests = [
        hashlib.blake2b(word.encode(), digest_size=8).digest()
        for word in words.tolist()
    ]
    numbers = np.frombuffer(b"".join(digests), dtype=np.uint64)
    return numbers[places].reshape(values.shape)


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of the generator SplitMix64 (Steele, Lea and Flood 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
