"""A record of the rows that an estimator was made from.

Each row is hashed to a number. The memory of a sample keeps the smallest of these
numbers and how often each of them occurs. For the smallest numbers of two samples
together, the two memories thus contain the number of occurrences in both samples.

The upper half of a number is that of a hash of the leading columns, the lower half that
of a hash of all columns. So the leading columns decide whether a number is small, and
the others are read only if it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.rows.hash_function import upper_half
from treebounds.risk.rows.row_hashes import MANY_ROWS, RowHashes
from treebounds.trees._record import keep_record, record_of

# Hashes of 32 bits that a memory keeps, 16 kB. If 2 % of 1000 rows are in another
# sample of 500, all of these 10 rows are among the hashes.
MOST = 4096


class RowMemory(NamedTuple):
    """The smallest hashes of a sample's rows, at most 4096 different ones, and how
    often each occurs.

    Attributes
    ----------
    hashes : (n,) array of uint32
        Increasing; see :func:`numbers_kept`.
    counts : (n,) array of uint32
        Empty if each hash occurs once, which is usual and saves half of the space.
    n_leading : int
        Number of leading columns that the sample chose; 0 if it is small, and all lead.
    n_columns : int
        Number of all columns; 0 if rows with another number may be compared.
    lacks_growing_rows : bool
        Whether the rows that the model was grown on are not among these, as where only
        a pruning by new examples was to be remembered.
    """

    hashes: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    n_leading: int = 0
    n_columns: int = 0
    lacks_growing_rows: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain tuple, so that a scikit-learn tree with a record loads
        where this library is not installed.
        """
        return tuple, (tuple(self),)

    @classmethod
    def of(cls, X: Any, n_leading: int | None = None) -> RowMemory:
        """The memory of some rows.

        >>> from treebounds.risk.reuse.memory import RowMemory
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
        return cls.of_hashes(RowHashes(X), n_leading)

    @classmethod
    def of_hashes(cls, rows: RowHashes, n_leading: int | None = None) -> RowMemory:
        """The same from the hashes of the rows."""
        if n_leading is None:
            n_leading = rows.n_leading() if len(rows) > MANY_ROWS else 0
        numbers = numbers_kept(rows.of_leading(n_leading), rows.of_all())
        memory = cls.of_numbers(numbers, n_leading)
        return memory._replace(n_columns=rows.n_columns)

    @classmethod
    def of_numbers(cls, numbers: NDArray[np.uint32], n_leading: int) -> RowMemory:
        """The memory of rows that have these numbers, from :func:`numbers_kept`."""
        return cls._kept(*_smallest(numbers), n_leading)

    def joined(self, other: RowMemory) -> RowMemory:
        """The memory of both samples together, which have the same leading columns."""
        values = np.union1d(self.hashes, other.hashes)[:MOST]
        counts = self.occurrences(values) + other.occurrences(values)
        both = self._kept(values, counts, self.n_leading)
        return both._replace(
            n_columns=self.n_columns,
            lacks_growing_rows=self.lacks_growing_rows and other.lacks_growing_rows,
        )

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


def hand_on_record(
    tree: Any,
    copy: Any,
    X: Any,
    *,
    remember: bool = False,
    are_new: bool = False,
) -> None:
    """Give a copy of a tree the record of the rows that made the tree, with further
    rows.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.reuse.memory import RowMemory, hand_on_record
    >>> from treebounds.trees._record import keep_record, record_of
    >>> tree, copy = DecisionTreeClassifier(), DecisionTreeClassifier()
    >>> keep_record(tree, RowMemory.of([[1.0], [2.0]]))
    >>> hand_on_record(tree, copy, [[2.0], [3.0]])
    >>> sorted(record_of(copy).counts.tolist())
    [1, 1, 2]

    Parameters
    ----------
    tree, copy : estimator
    X : array or frame, or None
        Rows that had a part in making the copy.
    remember : bool
        Whether the copy of a tree without a record gets one of these rows.
    are_new : bool
        Whether the tree was grown on others.
    """
    record = record_of(tree)
    if X is not None and (remember or record is not None):
        record = joined_record(record, X, are_new=are_new)
    keep_record(copy, record)


def joined_record(record: Any, X: Any, *, are_new: bool = False) -> RowMemory:
    """A record with further rows; a sample that is given again counts once.

    >>> from treebounds.risk.reuse.memory import joined_record
    >>> record = joined_record(None, [[1.0], [2.0]])
    >>> len(joined_record(record, [[1.0], [2.0]]).counts)
    0
    """
    if record is None:
        return RowMemory.of(X)._replace(lacks_growing_rows=are_new)
    known = RowMemory(*record)
    rows = RowMemory.of(X, known.n_leading)._replace(lacks_growing_rows=are_new)
    is_same = all(
        np.array_equal(old, new) for old, new in zip(known[:2], rows[:2], strict=True)
    )
    return known if is_same else rows.joined(known)


def numbers_kept(
    leading: NDArray[np.uint32], whole: NDArray[np.uint64]
) -> NDArray[np.uint32]:
    """What a memory keeps of rows: the upper 16 bits of the hashes of their leading
    columns, and 16 bits of those of all columns; if all columns lead, the upper half.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.memory import numbers_kept
    >>> whole = np.array([0xABCD << 32], dtype=np.uint64)
    >>> hex(numbers_kept(np.array([0x12345678], dtype=np.uint32), whole)[0])
    '0x1234abcd'
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
