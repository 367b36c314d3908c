"""What models keep of their rows besides the rows themselves, numbers at leaves and
means, against the rows that judge: all of them, and those without their repetitions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.models.inner_models import InnerModel
from treebounds.risk.reuse.column_means import KeptMeans, MeanCounter
from treebounds.risk.reuse.leaf_counters import CountedTree, LeafCounters
from treebounds.risk.reuse.refusals import (
    part_among_others,
    part_of_rows,
    rows_among_others,
    rows_of_means,
    same_rows,
)
from treebounds.risk.rows.copies import LABELS, REPETITION, repetition_p_value
from treebounds.risk.rows.hash_function import contributions
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.risk.rows.tables import take


class _Sample:
    """Rows that judge, which may be the sample of a tree or of a step that keeps means.

    Parameters
    ----------
    leaves : LeafCounters
    means : list of MeanCounter
    """

    def __init__(self, leaves: LeafCounters, means: list[MeanCounter]) -> None:
        self.leaves = leaves
        self.means = means

    def add(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        self.leaves.add(X, labels)
        for counter in self.means:
            with counter.inner.may_fail():
                counter.add_rows(X, labels)


class Traces:
    """The rows that judge, against the numbers and means that models keep.

    Parameters
    ----------
    trees : list of CountedTree
    means : list of pairs of InnerModel and KeptMeans
    n_rows : int or None
        Number of rows that judge, if it is known beforehand.
    are_independent : bool
        Whether the rows are, and not only groups of them. Else no part of the rows of a
        tree is looked for.
    equal_are_copies : bool
        Whether equal rows are taken for copies of one case.
    """

    def __init__(
        self,
        trees: list[CountedTree],
        means: list[tuple[InnerModel, KeptMeans]],
        n_rows: int | None,
        *,
        are_independent: bool,
        equal_are_copies: bool,
    ) -> None:
        self._trees = trees
        self._means = means
        self._n_rows = n_rows
        self._are_independent = are_independent
        self._equal_are_copies = equal_are_copies

        self._all_rows = _Sample(
            LeafCounters(trees, n_rows, are_independent), self._means_of_this_size()
        )
        self._different_rows = _Sample(
            LeafCounters(trees, None, are_independent), self._means_of_any_size()
        )
        self._reduced: list[_Sample] = []

    def _means_of_this_size(self) -> list[MeanCounter]:
        """A counter for each step whose sample had as many rows."""
        in_batches = self._n_rows is None
        counters = []
        for inner, kept in self._means:
            n_rows = self._n_rows if inner.takes_all_classes else None
            if kept.can_be_of(n_rows):
                counters.append(MeanCounter(inner, kept, in_batches=in_batches))
        return counters

    def _means_of_any_size(self) -> list[MeanCounter]:
        """A counter for each step that keeps means. Rows that were repeated as a whole
        have the same means, so it does not matter how many there were.
        """
        in_batches = self._n_rows is None
        return [
            MeanCounter(inner, kept._replace(n_rows=None), in_batches=in_batches)
            for inner, kept in self._means
        ]

    def add(self, X: Any, labels: NDArray[Any], hashes: RowHashes) -> None:
        """Count further rows."""
        self._all_rows.add(X, labels)
        if (self._trees or self._means) and self._n_rows is not None:
            self._add_reduced(X, labels, hashes)

    def add_different(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows of batches that are equal to none before them. Of a sample
        in one piece these are known.
        """
        if self._n_rows is None:
            self._different_rows.add(X, labels)

    def _add_reduced(self, X: Any, labels: NDArray[Any], hashes: RowHashes) -> None:
        """Count the sample without repetitions, if it has any: a sample that was used
        before may be given twice.
        """
        if not self._equal_are_copies and not self._may_be_repeated(hashes):
            return
        reduced = _without_repetitions(hashes, labels)
        if reduced is None:
            return
        # Without their repetitions, rows that are no copies are not independent, and
        # what is left of a table of few values may have the same means by construction.
        self._add_some(
            take(X, reduced.different),
            labels[reduced.different],
            are_independent=self._are_independent and self._equal_are_copies,
            with_means=self._equal_are_copies,
        )
        if reduced.original is not None:
            self._add_some(
                take(X, reduced.original),
                labels[reduced.original],
                are_independent=self._are_independent,
                with_means=True,
            )

    def _add_some(
        self, X: Any, labels: NDArray[Any], *, are_independent: bool, with_means: bool
    ) -> None:
        """Count some of the rows as a sample of their own."""
        sample = _Sample(
            LeafCounters(self._trees, len(labels), are_independent),
            self._means_of_any_size() if with_means else [],
        )
        sample.add(X, labels)
        self._reduced.append(sample)

    def _may_be_repeated(self, hashes: RowHashes) -> bool:
        """Whether the sample can be a repetition as a whole, or have as many different
        rows as a tree was grown on; most samples are neither.
        """
        n_rows = len(hashes)
        n_single = n_rows - len(hashes.repeated())
        wanted = [tree.counts.n_rows or 0 for tree in self._trees]
        return n_single == 0 or any(n_single < each < n_rows for each in wanted)

    def refuse_own_sample(self) -> None:
        """Raise a ValueError if the rows are the sample that a tree was grown on, or a
        step fitted to, whose means it keeps.
        """
        if any(sample.leaves.are_all_rows() for sample in self._samples()):
            raise same_rows("X")
        for sample in self._samples():
            for counter in sample.means:
                if counter.agrees():
                    raise rows_of_means("X", type(counter.inner.model).__name__)

    def refuse_sample_of_other_size(self, *, are_some_left_out: bool) -> None:
        """Raise a ValueError if the rows are a part of the sample that a tree was grown
        on, or contain all of it.

        Parameters
        ----------
        are_some_left_out : bool
            Whether some rows do not judge, since they made the model: these may be
            among the others.
        """
        if any(sample.leaves.are_part() for sample in self._samples()):
            raise part_of_rows("X")
        if are_some_left_out:
            return
        if any(sample.leaves.include_all() for sample in self._samples()):
            raise rows_among_others("X")
        # Rows without their repetitions come to a leaf once, whoever drew them.
        if self._all_rows.leaves.include_part():
            raise part_among_others("X")

    def _samples(self) -> list[_Sample]:
        """All rows, and those without repetitions."""
        return [self._all_rows, self._different_rows, *self._reduced]


class _Reduced(NamedTuple):
    """The numbers of rows of a sample without its repetitions.

    Attributes
    ----------
    different : array of int
        The first of all rows that are equal, labels included.
    original : array of int or None
        Rows of the sample of which this one is a repetition as a whole.
    """

    different: NDArray[np.intp]
    original: NDArray[np.intp] | None


def _without_repetitions(hashes: RowHashes, labels: NDArray[Any]) -> _Reduced | None:
    """A sample without its repetitions; None if it has none."""
    places = hashes.repeated()
    if not len(places):
        return None
    numbers = hashes.of_all(places) + contributions(labels[places], LABELS)
    _, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    if len(first) == len(places):
        return None

    further = np.delete(places, first)
    different = np.delete(np.arange(len(hashes)), further)
    if len(places) < len(hashes) or repetition_p_value(counts) > REPETITION:
        return _Reduced(different, None)

    order = np.argsort(first)
    times = counts[order] // np.gcd.reduce(counts)
    return _Reduced(different, np.repeat(places[first[order]], times))
