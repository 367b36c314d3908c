"""Are rows the same as those of which a record was kept?

**Rule.** If features have few values, rows recur in independent samples, too. Pool the
rows of two samples whose numbers both memories keep, and divide the pool at random into
two parts of the same sizes, 9999 times. The samples have rows *in common* in two cases.
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

A support vector machine keeps a part of its rows, which it chose, so for these the
divisions are not exchangeable. Of honest samples from a table with 32 different rows, 5
of 458 were refused, and none of 2700 from nine other tables.

*What it finds.* Of 500 rows, a share was among the 1000 rows that made the model; 60
draws each. With three continuous columns 2 % were refused in all draws, and 1 % in
none. With sixteen binary columns 10 % were refused in all draws, 5 % in 53, and 2 % in
3; with ten binary columns, where most of the rows recur anyway, 50 % in all and 10 % in
1. So the number of recurring rows is in the certificate's sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.reuse.memory import MOST, RowMemory, numbers_kept
from treebounds.risk.rows.occurrences import divided_p_value
from treebounds.risk.rows.row_hashes import RowHashes

# Bits of hashes that are compared before the hashes are searched.
_BITS_COMPARED = 16

# A division is rare if fewer than this many of the random ones are as extreme; the
# second number is for samples that chose their leading columns.
_DRAWS = 9999
_RARE = 10
_RARE_OF_CHOSEN = 3

# Entries of random divisions that are drawn at a time.
_ENTRIES_AT_A_TIME = 2**17


class Comparison:
    """Count, batch by batch, of the rows that are equal to rows in a memory.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.recurring_rows import Comparison
    >>> from treebounds.risk.rows.row_hashes import RowHashes
    >>> from treebounds.risk.reuse.memory import RowMemory
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
        return self._are_kept(numbers_kept(leading, rows.of_all()))

    def _comparable(self, rows: RowHashes) -> NDArray[np.uint32]:
        """The numbers of the rows of which the memory knows whether they recur."""
        leading = rows.of_leading(self.memory.n_leading)
        if self.is_complete:
            return numbers_kept(leading, rows.of_all())
        largest = self.memory.hashes[-1]
        near = np.flatnonzero(leading <= largest | np.uint32(0xFFFF))
        numbers = numbers_kept(leading[near], rows.of_all(near))
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
        made, new = self._occurrences()
        rare = self._rare
        return _too_many_recur(made, new, rare) or _is_the_same_sample(made, new, rare)

    def were_divided(self) -> bool:
        """Whether the rows were repeated before those that judge were taken from them;
        see :mod:`treebounds.risk.rows.occurrences`. Only for independent rows.
        """
        if self.n_recurring == 0:
            return False
        return divided_p_value(*self._occurrences()) <= self._rare / (_DRAWS + 1)

    @property
    def _rare(self) -> int:
        """How many of 10,000 independent samples may be refused."""
        return _RARE_OF_CHOSEN if self.memory.n_leading else _RARE

    def _occurrences(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How often the rows that are compared occur in both samples."""
        new = np.concatenate(self._new)
        judging = RowMemory.of_numbers(new, self.memory.n_leading)
        values = np.union1d(self.memory.hashes, judging.hashes)[:MOST]
        return self.memory.occurrences(values), judging.occurrences(values)


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
    # By count, numpy draws row after row, which is faster than a number for each color
    # where these are many.
    are_many = 10 * len(colors) > colors.sum()
    method: Literal["count", "marginals"] = "count" if are_many else "marginals"
    rng = np.random.default_rng(0)
    n_extreme = 0
    n_drawn = 0

    # Most samples have nothing in common, and this is seen in the first block.
    block = 20
    while n_drawn < _DRAWS:
        block = min(block, _DRAWS - n_drawn)
        parts = rng.multivariate_hypergeometric(colors, size, size=block, method=method)
        n_extreme += int(np.sum(is_as_extreme(parts[:, :-1], repeated)))
        n_drawn += block
        if n_extreme >= rare:
            return False
        block = min(2 * block, max(20, _ENTRIES_AT_A_TIME // len(colors)))
    return True
