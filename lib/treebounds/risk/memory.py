"""A record of the rows that an estimator was made from, and a test whether other rows
are the same.

Each row is hashed to a number. The memory of a sample keeps the smallest of these
numbers and how often each of them occurs. For the smallest numbers of two samples
together, the two memories thus contain the number of occurrences in both samples.

**Not all columns are read of all rows.** The upper half of a number is that of a hash
of the leading columns, the lower half that of a hash of all columns. So the leading
columns decide whether a number is small, and the others are read only if it is. A large
sample chooses 2, 8 or all columns to lead: the first of these that tell apart 99 of 100
different rows, by some of its rows. In a small sample all columns lead.

**Rule.** If features have few values, rows recur in independent samples, too. Pool the
rows of two samples that have these numbers, and divide the pool at random into two
parts of the same sizes, 9999 times. The samples have rows *in common* in two cases.
First, fewer than ten of these divisions have as many different rows in both parts as
the two samples have in common. (Different rows are counted, so that this case also
covers a sample in which each row was repeated.) Second, both samples contain the same
rows equally often, and fewer than ten of the divisions do so.

*The rule rarely fails.* If all rows are independent draws, then, given the pool, every
division is equally probable; the pool alone determines which numbers are compared. So
the real division is one of 10,000 that are exchangeable, and each of the two cases has
probability at most 1/1000. Where one of the samples chose the leading columns, "fewer
than three" replaces "fewer than ten": at most 3/10,000 for each of three choices. Rows
that belong together, such as visits of one patient, recur more often within a sample
than between two. This makes both cases less probable.

*What it finds.* Of 500 rows, a share was among the 1000 rows that made the model; 60
draws each. With three continuous columns 2 % were refused in all draws, and 1 % in
none. With sixteen binary columns 10 % were refused in all draws, 5 % in 53, and 2 % in
3; with ten binary columns, where most of the rows recur anyway, 50 % in all and 10 % in
1. So the number of recurring rows is in the certificate's sentence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from treebounds._validation import is_missing

# Hashes of 32 bits that a memory keeps, 16 kB. If 2 % of 1000 rows are in another
# sample of 500, all of these 10 rows are among the hashes.
MOST = 4096

# Bits of hashes that are compared before the hashes are searched.
_BITS_COMPARED = 16

# A division is rare if fewer than this many of the random ones are as extreme; the
# second number is for samples that chose their leading columns.
_DRAWS = 9999
_RARE = 10
_RARE_OF_CHOSEN = 3

# Of samples with more rows, these numbers of leading columns are tried, on some rows.
_MANY_ROWS = 2 * MOST
_LEADING = (2, 8)
_ROWS_TRIED = 512
_TOLD_APART = 0.99

# Rows and entries that are hashed at a time, so that they fit into the cache.
_ROWS_AT_A_TIME = 2**14
_ENTRIES_AT_A_TIME = 2**17


class RowMemory(NamedTuple):
    """The smallest hashes of a sample's rows, at most 4096 different ones, and how
    often each occurs.

    Attributes
    ----------
    hashes : (n,) array of uint32
        Increasing: the upper halves of the hashes of 64 bits.
    counts : (n,) array of uint32
        Empty if each hash occurs once, which is usual and saves half of the space.
    n_leading : int
        Number of leading columns that the sample chose; 0 if it is small, and all lead.
    """

    hashes: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    n_leading: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain tuple, so that a scikit-learn tree with a record loads
        where this library is not installed.
        """
        return tuple, (tuple(self),)

    @classmethod
    def of(cls, X: Any, n_leading: int | None = None) -> RowMemory:
        """The memory of some rows.

        >>> from treebounds.risk.memory import RowMemory
        >>> sorted(RowMemory.of([[1.0], [2.0], [1.0]]).counts.tolist())
        [1, 2]

        Parameters
        ----------
        X : (n_rows, n_features) array, frame or sparse matrix
        n_leading : int, optional
            The number that another sample chose.

        Returns
        -------
        RowMemory
        """
        rows = RowHashes(X)
        if n_leading is None:
            n_leading = rows.n_leading() if len(rows) > _MANY_ROWS else 0
        numbers = _numbers_kept(rows.of_leading(n_leading), rows.of_all())
        return cls._kept(*_smallest(numbers), n_leading)

    def joined(self, other: RowMemory) -> RowMemory:
        """The memory of both samples together, which have the same leading columns."""
        values = np.union1d(self.hashes, other.hashes)[:MOST]
        counts = self.occurrences(values) + other.occurrences(values)
        return self._kept(values, counts, self.n_leading)

    def occurrences(self, values: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The number of occurrences of each hash; 0 for those that are not kept."""
        if not len(self.hashes):
            return np.zeros(len(values), dtype=np.int64)

        places = np.searchsorted(self.hashes, values)
        places = np.minimum(places, len(self.hashes) - 1)
        counts = self.counts[places] if len(self.counts) else np.int64(1)
        return np.where(self.hashes[places] == values, counts, 0).astype(np.int64)

    @classmethod
    def _kept(
        cls, values: NDArray[np.uint32], counts: NDArray[Any], n_leading: int
    ) -> RowMemory:
        """The memory with these hashes and counts, without counts that are all 1."""
        if (counts == 1).all():
            counts = counts[:0]
        return cls(values, counts.astype(np.uint32), n_leading)


def hand_on_record(tree: Any, copy: Any, X: Any) -> None:
    """Give a copy of a tree the record of the rows that made the tree, with further
    rows; nothing if the tree has none.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.memory import RowMemory, hand_on_record
    >>> tree, copy = DecisionTreeClassifier(), DecisionTreeClassifier()
    >>> tree._row_memory_ = RowMemory.of([[1.0], [2.0]])
    >>> hand_on_record(tree, copy, [[2.0], [3.0]])
    >>> sorted(copy._row_memory_.counts.tolist())
    [1, 1, 2]

    Parameters
    ----------
    tree, copy : estimator
    X : array or frame
        Rows that had a part in making the copy.
    """
    record = getattr(tree, "_row_memory_", None)
    if record is not None:
        copy._row_memory_ = joined_record(record, X)


def joined_record(record: Any, X: Any) -> RowMemory:
    """A record with further rows; a sample that is given again counts once.

    >>> from treebounds.risk.memory import joined_record
    >>> record = joined_record(None, [[1.0], [2.0]])
    >>> len(joined_record(record, [[1.0], [2.0]]).counts)
    0
    """
    if record is None:
        return RowMemory.of(X)
    known = RowMemory(*record)
    rows = RowMemory.of(X, known.n_leading)
    is_same = all(
        np.array_equal(old, new) for old, new in zip(known[:2], rows[:2], strict=True)
    )
    return rows if is_same else rows.joined(known)


def upper_half(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The upper 32 bits of hashes.

    >>> import numpy as np
    >>> from treebounds.risk.memory import upper_half
    >>> upper_half(np.array([2**32 + 5, 2**33], dtype=np.uint64)).tolist()
    [1, 2]
    """
    return (hashes >> np.uint64(32)).astype(np.uint32)


def _numbers_kept(
    leading: NDArray[np.uint32], whole: NDArray[np.uint64]
) -> NDArray[np.uint32]:
    """What a memory keeps of rows: the upper 16 bits of the hashes of their leading
    columns, and 16 bits of those of all columns; if all columns lead, the upper half.
    """
    upper = np.uint32(0xFFFF0000)
    lower = np.uint32(0xFFFF)
    return (leading & upper) | (upper_half(whole) & lower)


def _smallest(values: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[Any]]:
    """The smallest different values, at most 4096, and how often each occurs."""
    # Most samples repeat few rows: then the smallest 2 * 4096 contain 4096 different.
    few = 2 * MOST
    if len(values) > few:
        limit = np.partition(values, few)[few]
        different, counts = np.unique(values[values < limit], return_counts=True)
        if len(different) >= MOST:
            return different[:MOST], counts[:MOST]

    different, counts = np.unique(values, return_counts=True)
    return different[:MOST], counts[:MOST]


class Comparison:
    """Count, batch by batch, of the rows that are equal to rows in a memory.

    >>> import numpy as np
    >>> from treebounds.risk.memory import Comparison, RowHashes, RowMemory
    >>> rows = np.arange(40).reshape(-1, 1)
    >>> memory = RowMemory.of(rows)
    >>> same, other = Comparison(memory), Comparison(memory)
    >>> same.add_rows(RowHashes(rows))
    >>> other.add_rows(RowHashes(rows[5:6]))
    >>> other.add_rows(RowHashes(rows + 100))
    >>> same.in_common(), other.in_common(), other.n_recurring, other.n_compared
    (True, False, 1, 41)

    Parameters
    ----------
    memory : RowMemory

    Attributes
    ----------
    n_compared, n_recurring : int
        Number of rows with hashes in the range where the memory is complete, and of
        those that are in it.
    """

    def __init__(self, memory: RowMemory) -> None:
        self.memory = memory
        self.n_compared = 0
        self.n_recurring = 0
        self._new: list[NDArray[np.uint32]] = []

    @property
    def is_complete(self) -> bool:
        """Whether the memory holds all rows, so that every row can be compared."""
        return len(self.memory.hashes) < MOST

    def add_rows(self, rows: RowHashes) -> None:
        """Compare further rows."""
        compared = self._comparable(rows)
        self.n_compared += len(compared)
        self.n_recurring += int(np.count_nonzero(self._are_kept(compared)))
        # The smallest hashes of both samples together are among these: the memory is
        # complete, or it alone has as many below its largest one.
        self._new.append(compared)

    def recurs(self, rows: RowHashes) -> NDArray[np.bool_]:
        """A mask of the rows that are in the memory."""
        leading = rows.of_leading(self.memory.n_leading)
        return self._are_kept(_numbers_kept(leading, rows.of_all()))

    def _comparable(self, rows: RowHashes) -> NDArray[np.uint32]:
        """The numbers of the rows of which the memory knows whether they recur."""
        leading = rows.of_leading(self.memory.n_leading)
        if self.is_complete:
            return _numbers_kept(leading, rows.of_all())
        largest = self.memory.hashes[-1]
        near = np.flatnonzero(leading <= largest | np.uint32(0xFFFF))
        numbers = _numbers_kept(leading[near], rows.of_all(near))
        return np.compress(numbers <= largest, numbers)

    def _are_kept(self, values: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """A mask of the numbers that are in the memory."""
        # Most of the rows begin like no row in the memory: the upper bits are compared,
        # as many as are not 0 in all of it.
        largest = int(self.memory.hashes[-1]) if len(self.memory.hashes) else 0
        lower = np.uint32(max(0, largest.bit_length() - _BITS_COMPARED))
        begins = np.zeros(2**_BITS_COMPARED, dtype=bool)
        begins[self.memory.hashes >> lower] = True
        places = np.minimum(values >> lower, np.uint32(len(begins) - 1))
        recurring: NDArray[np.bool_] = begins[places]
        recurring[recurring] = self.memory.occurrences(values[recurring]) > 0
        return recurring

    def in_common(self) -> bool:
        """Whether more rows recur than independent samples explain; see the rule of
        this module.
        """
        if self.n_recurring == 0:
            return False

        new, counts = _smallest(np.concatenate(self._new))
        judging = RowMemory._kept(new, counts, self.memory.n_leading)
        values = np.union1d(self.memory.hashes, judging.hashes)[:MOST]
        parts = self.memory.occurrences(values), judging.occurrences(values)
        rare = _RARE_OF_CHOSEN if self.memory.n_leading else _RARE
        return _too_many_recur(*parts, rare) or _is_the_same_sample(*parts, rare)


def _too_many_recur(made: NDArray[np.int64], new: NDArray[np.int64], rare: int) -> bool:
    """Whether more different rows are in both samples than in both parts of nearly all
    random divisions.
    """
    in_both = int(((made > 0) & (new > 0)).sum())

    def is_as_extreme(parts: NDArray[np.int64], pool: NDArray[np.int64]) -> Any:
        return ((parts > 0) & (parts < pool)).sum(axis=1) >= in_both

    return _is_rare(is_as_extreme, made + new, int(new.sum()), rare)


def _is_the_same_sample(
    made: NDArray[np.int64], new: NDArray[np.int64], rare: int
) -> bool:
    """Whether both samples hold the same rows equally often, but the parts of nearly no
    random division do.
    """

    def is_as_extreme(parts: NDArray[np.int64], pool: NDArray[np.int64]) -> Any:
        return (2 * parts == pool).all(axis=1)

    same = np.array_equal(made, new)
    return same and _is_rare(is_as_extreme, made + new, int(new.sum()), rare)


def _is_rare(
    is_as_extreme: Callable[[NDArray[np.int64], NDArray[np.int64]], Any],
    pool: NDArray[np.int64],
    size: int,
    rare: int,
) -> bool:
    """Whether fewer than ``rare`` of 9999 random divisions are as extreme as the real
    one.

    Rows that occur once are in one part only, so they need not be told apart.
    """
    repeated = pool[pool > 1]
    colors = np.append(repeated, (pool == 1).sum())
    rng = np.random.default_rng(0)
    n_extreme = 0
    n_drawn = 0

    # Most samples have nothing in common, and this is seen in the first block.
    block = 20
    while n_drawn < _DRAWS:
        block = min(block, _DRAWS - n_drawn)
        parts = rng.multivariate_hypergeometric(
            colors, size, size=block, method="marginals"
        )
        n_extreme += int(np.sum(is_as_extreme(parts[:, :-1], repeated)))
        n_drawn += block
        if n_extreme >= rare:
            return False
        block = min(2 * block, max(20, _ENTRIES_AT_A_TIME // len(colors)))
    return True


class RowHashes:
    """The hashes of the rows of a table, which are computed where they are needed.

    >>> from treebounds.risk.memory import RowHashes
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

    def __len__(self) -> int:
        return int(self._n_rows)

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
            columns = _first_columns(self._table, n_columns)
            self._of_leading[n_columns] = upper_half(row_hashes(columns))
        return self._of_leading[n_columns]

    def of_some_leading(self) -> NDArray[np.uint32]:
        """The same for some columns of which they are known already, or else for as
        many as tell most rows apart.
        """
        if self._of_all is not None or len(self) <= _MANY_ROWS:
            return self.of_leading(0)
        known = list(self._of_leading.values())
        return known[0] if known else self.of_leading(self.n_leading())

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


def _first_columns(table: Any, n_columns: int) -> Any:
    """The first columns of an array, a frame or a sparse matrix."""
    if hasattr(table, "iloc"):
        return table.iloc[:, :n_columns]
    return (table.tocsr() if issparse(table) else table)[:, :n_columns]


def row_hashes(X: Any) -> NDArray[np.uint64]:
    """One 64-bit number for each row, equal for rows that a tree cannot tell apart.

    Entries that are numbers are compared as 32-bit floats, as in scikit-learn's trees,
    and words as they are. A sparse matrix gives the same hashes as a dense one, and
    need not be converted.

    >>> from treebounds.risk.memory import row_hashes
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

    >>> from treebounds.risk.memory import contributions
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
    >>> from treebounds.risk.memory import row_hashes, share_of_column
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


def column_of(rows: Any, column: int) -> Any:
    """The entries of one column of what :func:`as_rows` returns, or of a sparse matrix.

    >>> import numpy as np
    >>> from treebounds.risk.memory import column_of
    >>> column_of(np.array([[1, 2], [3, 4]]), 1)
    array([2, 4])
    """
    if issparse(rows):
        return rows[:, [column]].toarray().ravel()
    if hasattr(rows, "iloc"):
        return np.asarray(rows.iloc[:, column])
    return rows[:, column]


def take(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of an array, a sparse matrix, a data frame or a list of rows.

    >>> import numpy as np
    >>> from treebounds.risk.memory import take
    >>> take(np.array([[1], [2], [3]]), np.array([2, 0])).tolist()
    [[3], [1]]
    """
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    if issparse(X):
        # Other forms of sparse matrices have no rows to take.
        return X.tocsr()[rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def as_rows(X: Any) -> Any:
    """A data frame that holds more than numbers as it is; anything else as a matrix
    with a row for each example.

    >>> import numpy as np
    >>> from treebounds.risk.memory import as_rows
    >>> as_rows(np.zeros((5, 2, 3))).shape, as_rows(["a text", "another"]).shape
    ((5, 6), (2, 1))
    """
    if hasattr(X, "iloc") and len(X.shape) == 2:
        kinds = {getattr(dtype, "kind", "O") for dtype in X.dtypes}
        if kinds - set("biuf"):
            return X
    values = np.asarray(X)
    if values.ndim == 2:
        return values
    # A list of texts is one column.
    return values.reshape(len(values), -1)


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
    """The entries as :func:`_canonical` numbers; None if one of them is a word."""
    # NumPy converts None to NaN, but not the NA of pandas.
    if values.dtype.kind == "O":
        kinds = {type(value).__name__ for value in values.flat}
        if "NAType" in kinds:
            values = np.where(is_missing(values), np.array(None), values)
    try:
        return _canonical(values)
    except (TypeError, ValueError):
        return None


def _canonical(values: NDArray[Any]) -> NDArray[np.float32]:
    """The entries as 32-bit floats, equal ones with the same bits."""
    with np.errstate(over="ignore"):  # numbers beyond float32 are infinite
        if values.ndim == 2 and not values.flags.c_contiguous:
            # Few columns of a table are copied quickly only one by one.
            numbers = np.empty(values.shape, dtype=np.float32)
            for column in range(values.shape[1]):
                numbers[:, column] = values[:, column]
        else:
            numbers = values.astype(np.float32, order="C")
    numbers += np.float32(0)  # -0.0 becomes 0.0
    if numbers.size and np.isnan(numbers.max()):
        numbers[np.isnan(numbers)] = np.nan
    return numbers


def _bits_of_words(values: NDArray[Any]) -> NDArray[np.uint64]:
    """One number for each word, the same in every sample."""
    words, places = np.unique(values.astype(str), return_inverse=True)
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
