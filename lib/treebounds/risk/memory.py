"""A record of the rows that an estimator was made from, and a test whether other rows
are the same.

Each row is hashed to a 64-bit number. The memory of a sample keeps the smallest of
these numbers and how often each of them occurs. For the smallest numbers of two samples
together, the two memories thus contain the number of occurrences in both samples.

**Rule.** If features have few values, rows recur in independent samples, too. Pool the
rows of two samples that have these numbers, and divide the pool at random into two
parts of the same sizes, 999 times. The samples have rows *in common* in two cases.
First, more different rows occur in both samples than in both parts of any of these
divisions. (Different rows are counted, so that this case also covers a sample in which
each row was repeated.) Second, both samples contain the same rows equally often, and in
none of the divisions do both parts.

*The rule rarely fails.* If all rows are independent draws, then, given the pool, every
division is equally probable; the pool alone determines which numbers are compared. So
the real division is one of 1000 that are exchangeable, and each of the two cases has
probability at most 1/1000. Rows that belong together, such as visits of one patient,
recur more often within a sample than between two. This makes both cases less probable.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from treebounds._validation import is_missing

# If 2 % of a sample's rows are in another one, too, at least one of this many rows is
# among them with probability 1 - .98**256 = .994.
MOST = 256
_DRAWS = 999


class RowMemory(NamedTuple):
    """The smallest hashes of a sample's rows, at most 256 different ones, and how often
    each occurs.

    Attributes
    ----------
    hashes : (n,) array of uint64
        Increasing.
    counts : (n,) array of uint32
    """

    hashes: NDArray[np.uint64]
    counts: NDArray[np.uint32]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain tuple, so that a scikit-learn tree with a record loads where
        this library is not installed.
        """
        return tuple, (tuple(self),)

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], counts: Any = 1) -> RowMemory:
        """The memory of some hashes and their numbers of occurrences.

        Parameters
        ----------
        hashes : (n,) array of uint64
        counts : int or (n,) array of int

        Returns
        -------
        RowMemory

        Examples
        --------
        >>> from treebounds.risk.memory import RowMemory, row_hashes
        >>> RowMemory.of(row_hashes([[1.0], [2.0], [1.0]])).counts.tolist()
        [1, 2]
        """
        kept, places = np.unique(hashes, return_inverse=True)
        occurs = np.bincount(
            places, weights=np.broadcast_to(counts, places.shape), minlength=len(kept)
        )
        return cls(kept[:MOST], occurs[:MOST].astype(np.uint32))

    def joined(self, other: RowMemory) -> RowMemory:
        """The memory of both samples together."""
        return self.of(
            np.append(self.hashes, other.hashes), np.append(self.counts, other.counts)
        )

    def occurrences(self, values: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of occurrences of each hash; 0 for those that are not kept."""
        places = np.minimum(np.searchsorted(self.hashes, values), len(self.hashes) - 1)
        return np.where(self.hashes[places] == values, self.counts[places], 0).astype(
            np.int64
        )


class Comparison:
    """Count, batch by batch, of the rows that are equal to rows in a memory.

    Parameters
    ----------
    memory : RowMemory

    Attributes
    ----------
    n_compared, n_recurring : int
        Number of rows with hashes in the range where the memory is complete, and of
        those that are in it.

    Examples
    --------
    >>> import numpy as np
    >>> from treebounds.risk.memory import Comparison, RowMemory, row_hashes
    >>> rows = np.arange(40).reshape(-1, 1)
    >>> memory = RowMemory.of(row_hashes(rows))
    >>> same, other = Comparison(memory), Comparison(memory)
    >>> same.add_rows(rows)
    >>> other.add_rows(rows[5:6])
    >>> other.add_rows(rows + 100)
    >>> same.in_common(), other.in_common(), other.n_recurring, other.n_compared
    (True, False, 1, 41)
    """

    def __init__(self, memory: RowMemory) -> None:
        self.memory = memory
        self.n_compared = self.n_recurring = 0
        self._new = RowMemory.of(np.empty(0, dtype=np.uint64))

    def add_rows(self, X: Any) -> None:
        """Compare further rows."""
        hashes = row_hashes(X)
        reached = (
            hashes
            if len(self.memory.hashes) < MOST
            else hashes[hashes <= self.memory.hashes[-1]]
        )
        self.n_compared += len(reached)
        self.n_recurring += int(np.isin(reached, self.memory.hashes).sum())
        self._new = RowMemory.of(hashes).joined(self._new)

    def in_common(self) -> bool:
        """Whether more rows recur than independent samples explain; see the rule of
        this module.
        """
        if self.n_recurring == 0:
            return False

        values = np.union1d(self.memory.hashes, self._new.hashes)[:MOST]
        made = self.memory.occurrences(values)
        new = self._new.occurrences(values)

        # Divide the pool at random.
        pool = made + new
        rng = np.random.default_rng(0)
        draws = rng.multivariate_hypergeometric(
            pool, new.sum(), size=_DRAWS, method="marginals"
        )
        in_both = ((draws > 0) & (draws < pool)).sum(axis=1)
        too_many_recur = ((made > 0) & (new > 0)).sum() > in_both.max()

        same_sample = np.array_equal(made, new)
        same_by_chance = (2 * draws == pool).all(axis=1).any()
        return bool(too_many_recur or (same_sample and not same_by_chance))


def row_hashes(X: Any) -> NDArray[np.uint64]:
    """One 64-bit number for each row, equal for rows that a tree cannot tell apart.

    Entries that are numbers are compared as 32-bit floats, as in scikit-learn's trees,
    and words as they are. The hash of a row depends on its entries other than 0 alone,
    so a sparse matrix gives the same hashes as a dense one and need not be converted.
    Two different rows get the same hash with probability 2**-64.

    Parameters
    ----------
    X : (n_rows, n_features) array, frame or sparse matrix, or list of texts
        NaN counts as a value that is equal to itself.

    Returns
    -------
    (n_rows,) array of uint64

    Examples
    --------
    >>> from treebounds.risk.memory import row_hashes
    >>> hashes = row_hashes([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """
    if issparse(X):
        entries: Any = X.tocoo(copy=True)
        entries.sum_duplicates()
        hashes = np.zeros(X.shape[0], dtype=np.uint64)
        np.add.at(hashes, entries.row, _entries(entries.col, _bits(entries.data)))
        return _mixed(hashes)
    values = np.atleast_2d(np.asarray(X).T).T  # A list of texts is one column.
    hashes = np.zeros(len(values), dtype=np.uint64)
    # Columns that may hold words are hashed one by one, numbers about a million at a
    # time.
    step = 1 if values.dtype.kind == "O" else max(1, 2**20 // max(len(values), 1))
    for start in range(0, values.shape[1], step):
        columns = np.arange(start, min(start + step, values.shape[1]))
        hashes += _entries(columns, _bits(values[:, columns])).sum(
            axis=1, dtype=np.uint64
        )
    return _mixed(hashes)


def _entries(columns: NDArray[Any], bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The contributions of entries, given by their columns and bits, to the hashes of
    their rows.
    """
    return np.where(
        bits != 0, _mixed(_mixed(columns.astype(np.uint64)) ^ bits), np.uint64(0)
    )


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    """One number for each entry of a column, 0 for the number 0."""
    # NumPy converts None to NaN, but not the NA of pandas.
    if values.dtype.kind == "O" and "NAType" in {
        type(one).__name__ for one in values.flat
    }:
        values = np.where(is_missing(values), np.array(None), values)
    try:
        numbers = values.astype(np.float32) + np.float32(0)  # -0.0 becomes 0.0
    except (TypeError, ValueError):
        words, places = np.unique(values.astype(str), return_inverse=True)
        digests = [
            hashlib.blake2b(word.encode(), digest_size=8).digest()
            for word in words.tolist()
        ]
        return np.frombuffer(b"".join(digests), dtype=np.uint64)[places].reshape(
            values.shape
        )
    return (
        np.where(np.isnan(numbers), np.float32(np.nan), numbers)
        .view(np.uint32)
        .astype(np.uint64)
    )


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of the generator SplitMix64 (Steele, Lea and Flood 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
