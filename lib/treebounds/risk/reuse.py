"""Was this sample used before? The rows that made a classifier against those that
judge it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.classifiers import Part, parts
from treebounds.risk.duplicates import (
    COPIES,
    LEAST_REPEATED,
    copies_p_value,
    stacked,
)
from treebounds.risk.leaf_counts import LeafCounts, leaf_counts, log_chance
from treebounds.risk.memory import Comparison, RowMemory, row_hashes

# Attributes in which models of scikit-learn keep the rows that they were fitted to.
_KEPT_ROWS = ("_fit_X", "X_fit_", "X_train_", "X_", "support_vectors_")

# Of the kept rows of these, not all have to be there.
_SOME_ROWS = ("support_vectors_",)

# Other rows that agree with the numbers at the leaves with at least this probability
# are no sign of the rows that the tree was grown on.
_LOG_CHANCE = math.log(0.05)


class Recurrence(NamedTuple):
    """How many judged rows are equal to rows that made the classifier.

    Attributes
    ----------
    n_compared, n_recurring : int
        Number of judged rows that could be compared, and of those among them that are
        equal to a row that made the classifier.
    is_recorded : bool
        Whether there is a record of the rows that made the classifier.
    """

    n_compared: int = 0
    n_recurring: int = 0
    is_recorded: bool = True


class ReuseCheck:
    """Comparison, batch by batch, of the rows that a classifier is known to be made
    from with the rows that judge it.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.reuse import ReuseCheck
    >>> rows, labels = np.arange(40.0).reshape(-1, 1), np.arange(40) > 19
    >>> tree = DecisionTreeClassifier().fit(rows, labels)
    >>> check = ReuseCheck(tree, X_grown=rows)
    >>> check.compare(rows + 40.0, labels)
    >>> check.recurrence()
    Recurrence(n_compared=40, n_recurring=0, is_recorded=True)

    Parameters
    ----------
    model : classifier
        Its record of rows is looked for, also in models inside it, as are the numbers
        of rows at the leaves of its tree.
    X_grown : array or frame, optional
        Rows of which the caller says that they made the classifier.
    n_rows : int, optional
        Number of rows that judge, where it is known beforehand.
    """

    def __init__(
        self, model: Any, X_grown: Any = None, n_rows: int | None = None
    ) -> None:
        self._memories: list[tuple[Part, Comparison]] = []
        self._counters: list[tuple[Part, _LeafCounter]] = []
        self._is_recorded = X_grown is not None
        self._X_grown = X_grown
        self._batches: list[Any] = []
        if X_grown is not None:
            memory = RowMemory.of(row_hashes(X_grown))
            self._memories.append((Part(model), Comparison(memory)))

        for part in parts(Part(model)):
            self._watch(part, n_rows)

    def compare(
        self,
        X: Any,
        labels: NDArray[Any],
        hashes: NDArray[np.uint64] | None = None,
    ) -> None:
        """Compare further rows.

        Parameters
        ----------
        X : (n, l) array or frame
            As the classifier takes it.
        labels : (n,) array
        hashes : (n,) array of uint64, optional
            :func:`row_hashes` of X, if they are known.
        """
        if self._X_grown is not None and len(self._batches) < 2:
            self._batches.append(X)
        for part, comparison in self._memories:
            if hashes is None or part.steps:
                comparison.add_rows(row_hashes(part.rows(X)))
            else:
                comparison.add_rows(hashes)
        for part, counter in self._counters:
            counter.add_rows(part.rows(X), labels)

    def recurs(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """A mask of the rows that made the classifier; raise a ValueError if this is
        not known of all rows.

        Parameters
        ----------
        hashes : (n,) array of uint64
            :func:`row_hashes` of the rows that the classifier takes.
        """
        recurring = np.zeros(len(hashes), dtype=bool)
        for part, comparison in self._memories:
            if part.steps or not part.is_main:
                continue
            if not comparison.is_complete and comparison.recurs(hashes).any():
                raise ValueError(
                    "duplicates='together' needs X_grown: the model keeps a record of"
                    " some of its rows only, so it is not known which examples are"
                    " equal to one of them"
                )
            recurring |= comparison.recurs(hashes)
        return recurring

    def recurrence(self, left_out: bool = False) -> Recurrence:
        """The counts of the comparison with most recurring rows; raise a ValueError if
        more rows recur than independent samples explain.

        Parameters
        ----------
        left_out : bool
            Whether the rows that :meth:`recurs` tells are left out of the judging.

        Returns
        -------
        Recurrence
        """
        for part, comparison in self._memories:
            if left_out and part.is_main and not part.steps:
                continue
            if comparison.in_common() or self._are_copies(comparison):
                raise ValueError(
                    f"X: {comparison.n_recurring} of {comparison.n_compared} rows that"
                    " can be compared are among those that the model was grown,"
                    " pruned or chosen on, more than independent samples have in"
                    " common; a certificate needs others"
                )
        if any(counter.agrees() for _, counter in self._counters):
            raise ValueError(
                "X: the tree was grown on these examples, by the numbers at its leaves;"
                " a certificate needs others. If they are others, and agree by chance,"
                " leave out one of them"
            )

        counts = [(c.n_recurring, c.n_compared) for _, c in self._memories]
        n_recurring, n_compared = max(counts, default=(0, 0))
        return Recurrence(n_compared, n_recurring, self._is_recorded)

    def _are_copies(self, comparison: Comparison) -> bool:
        """Whether rows that recur are copies of the rows that the caller gives, by the
        first test of :mod:`treebounds.risk.duplicates`.
        """
        if len(self._batches) != 1 or comparison.n_recurring < LEAST_REPEATED:
            return False
        tables = [self._X_grown, self._batches[0]]
        samples = np.repeat([0, 1], [np.shape(table)[0] for table in tables])
        return copies_p_value(stacked(tables), samples=samples) <= COPIES

    def _watch(self, part: Part, n_rows: int | None) -> None:
        """Look for the record of a part, or for the numbers at its leaves."""
        memory = getattr(part.model, "_row_memory_", None)
        if memory is not None:
            # A pickled record is a plain tuple.
            self._memories.append((part, Comparison(RowMemory(*memory))))
            self._is_recorded |= part.is_main
            return

        for name in _KEPT_ROWS:
            rows = getattr(part.model, name, None)
            if rows is not None and len(np.shape(rows)) == 2:
                memory = RowMemory.of(row_hashes(rows))
                self._memories.append((part, Comparison(memory)))
                self._is_recorded |= part.is_main and name not in _SOME_ROWS
                return

        if not part.is_grown_on_all:
            return
        counts = leaf_counts(part.model)
        if counts is None:
            return
        if n_rows is None or counts.n_rows in (None, n_rows):
            self._counters.append((part, _LeafCounter(counts)))


class _LeafCounter:
    """The numbers of rows that reach the leaves of a tree, batch by batch."""

    def __init__(self, counts: LeafCounts) -> None:
        self.counts = counts
        self._tables: list[NDArray[np.float64]] = []
        self._reached: list[tuple[NDArray[np.intp], NDArray[Any]]] = []
        self._n_rows = 0

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        is_first = self._n_rows == 0
        self._n_rows += len(labels)
        wanted = self.counts.n_rows
        if wanted is not None and self._n_rows > wanted:
            return
        # Which rows were drawn is known by their numbers in the whole sample only.
        if self.counts.samples is not None and len(labels) != wanted:
            return
        # Rows with other labels need not be led through the tree.
        if len(labels) == wanted and not self.counts.may_be_from(labels):
            return

        leaves = self.counts.leaf_of(X)
        self._reached.append((leaves, labels))
        tables = self.counts.count(leaves, labels)
        if not is_first:
            tables = [old + new for old, new in zip(self._tables, tables, strict=True)]
        self._tables = tables

    def agrees(self) -> bool:
        """Whether the rows are those that the tree was grown on."""
        wanted = self.counts.n_rows
        if wanted is not None and self._n_rows != wanted:
            return False
        if not any(self.counts.agrees(table) for table in self._tables):
            return False
        if self.counts.samples is not None:
            return True
        leaves, labels = map(np.concatenate, zip(*self._reached, strict=True))
        return log_chance(leaves, labels) < _LOG_CHANCE
