"""Do rows reach the leaves of trees as often as those that the trees were grown on?
Counted batch by batch, for all trees in a model.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc
from scipy.stats import beta

from treebounds.risk.inner_models import InnerModel
from treebounds.risk.leaf_counts import LeafCounts, log_chance, log_evidence
from treebounds.risk.tables import take

# Other rows that agree with the numbers at the leaves with at least this probability
# are no sign of the rows that the tree was grown on. Of an ensemble whose trees drew
# rows of the same sample, two trees that agree are one.
_LOG_CHANCE = math.log(0.05)

# ln of the evidence by which rows are taken for a part of those of a tree.
_LOG_EVIDENCE = math.log(1e6)

# With fewer pairs of a leaf and a class the bound exceeds one in a million: each of its
# factors can be 1/2 at the same time.
_LEAST_PAIRS = 20

# Among more rows than this many times those of the tree, those at its leaves are hardly
# ever fewer.
_MOST_TIMES = 4

# Halvings of an interval, which leave less than rounding errors of it.
_N_HALVINGS = 50

# Rows that are led through a tree before all others; few are enough to exclude most
# samples.
_FIRST = 1000


class LeafCounters:
    """The numbers of rows at the leaves of all trees in a model.

    Parameters
    ----------
    leaves : list of (InnerModel, LeafCounts)
    n_rows : int or None
        Number of rows that will come, if it is known.
    of_parts : bool
        Whether they may be a part of the rows of a tree.
    """

    def __init__(
        self,
        leaves: list[tuple[InnerModel, LeafCounts]],
        n_rows: int | None,
        of_parts: bool,
    ) -> None:
        self._whole = [
            (inner, _LeafCounter(counts))
            for inner, counts in leaves
            if n_rows is None or counts.n_rows in (None, n_rows)
        ]
        self._parts = [
            (inner, _PartCounter(counts))
            for inner, counts in leaves
            if of_parts and _PartCounter.can_speak(counts, n_rows)
        ]
        self._more = [
            (inner, _MoreCounter(counts))
            for inner, counts in leaves
            if of_parts and _MoreCounter.can_speak(counts, n_rows)
        ]

    def wait_for_rows(self) -> bool:
        """Whether as many rows can tell something."""
        return bool(self._whole or self._parts or self._more)

    def add(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        for inner, counter in self._whole:
            counter.add_rows(inner.rows(X), inner.labels(labels))
        for inner, part in self._parts:
            part.add_rows(inner.rows(X), inner.labels(labels))
        for inner, more in self._more:
            more.add_rows(inner.rows(X), inner.labels(labels))

    def are_all_rows(self) -> bool:
        """Whether the rows are all those that a tree was grown on: a tree agrees as
        others hardly do by chance, or all of an ensemble that are looked at agree.
        """
        agreeing: dict[int, list[bool]] = {}
        for inner, counter in self._whole:
            chance = counter.log_chance_to_agree()
            if chance is not None and chance < _LOG_CHANCE:
                return True
            if counter.counts.samples is not None:
                agreeing.setdefault(id(inner), []).append(chance is not None)
        return any(all(trees) for trees in agreeing.values())

    def are_part(self) -> bool:
        """Whether the rows are a part of those that a tree was grown on."""
        return any(counter.agrees() for _, counter in self._parts)

    def include_all(self) -> bool:
        """Whether the rows are all those that a tree was grown on, and others."""
        return any(counter.agrees() for _, counter in self._more)


class _LeafCounter:
    """The numbers of rows that reach the leaves of a tree, batch by batch."""

    def __init__(self, counts: LeafCounts) -> None:
        self.counts = counts
        self._reached: list[tuple[NDArray[np.intp], NDArray[Any]]] = []
        self._n_rows = 0

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        self._n_rows += len(labels)
        wanted = self.counts.n_rows
        if wanted is not None and self._n_rows > wanted:
            return
        # Rows with other labels need not be led through the tree.
        if len(labels) == wanted and not self.counts.may_be_from(labels):
            return
        self._reached.append((self.counts.leaf_of(X), labels))

    def log_chance_to_agree(self) -> float | None:
        """The logarithm of the probability that other rows agree with the tree as these
        do; None if these do not.
        """
        wanted = self.counts.n_rows
        if not self._reached or (wanted is not None and self._n_rows != wanted):
            return None
        # All batches together: which rows were drawn is known by their numbers in the
        # whole sample only.
        leaves, labels = map(np.concatenate, zip(*self._reached, strict=True))
        tables = self.counts.count(leaves, labels)
        agreeing = next(filter(self.counts.agrees, tables), None)
        if agreeing is None:
            return None
        if self.counts.samples is None:
            return log_chance(leaves, labels)
        # Of the rows that were drawn, others need not have as many of each class.
        cells = np.repeat(np.arange(agreeing.size), agreeing.ravel().astype(int))
        return log_chance(cells, np.zeros_like(cells))


class _PartCounter:
    """The numbers of rows at the leaves of a tree, where fewer rows judge it than it
    was grown on; see :mod:`treebounds.risk.leaf_counts`.
    """

    def __init__(self, counts: LeafCounts) -> None:
        self.counts = counts
        self._grown: Any = counts.of_rows
        self._reached = np.zeros_like(self._grown)
        self._may_be_part = True

    @classmethod
    def can_speak(cls, counts: LeafCounts, n_rows: int | None) -> bool:
        """Whether the evidence can suffice for as many rows, if this is known."""
        grown = counts.of_rows
        if grown is None or n_rows is None:
            return grown is not None
        if n_rows >= grown.sum():
            return False
        share = n_rows / float(grown.sum())
        return bool(log_evidence(grown, share * grown) >= _LOG_EVIDENCE)

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        places = np.arange(len(labels))
        for rows in np.split(places, [_FIRST]):
            if not len(rows) or not self._may_be_part:
                return
            leaves = self.counts.leaf_of(take(X, rows))
            reached = self.counts.count(leaves, labels[rows])[0]
            reached = reached[:, : self._reached.shape[1]]
            self._reached += reached
            is_known = reached.sum() == len(rows)
            self._may_be_part &= is_known and (self._reached <= self._grown).all()

    def agrees(self) -> bool:
        """Whether the rows are a part of those that the tree was grown on."""
        if not self._may_be_part or not self._reached.any():
            return False
        return log_evidence(self._grown, self._reached) >= _LOG_EVIDENCE


class _MoreCounter:
    """The numbers of rows at the leaves of a tree, where more rows judge it than it was
    grown on; see :mod:`treebounds.risk.leaf_counts`.
    """

    def __init__(self, counts: LeafCounts) -> None:
        self.counts = counts
        self._grown: Any = counts.of_rows
        self._reached = np.zeros_like(self._grown)
        self._n_rows = 0

    @classmethod
    def can_speak(cls, counts: LeafCounts, n_rows: int | None) -> bool:
        """Whether as many rows can be improbable, if their number is known."""
        grown = counts.of_rows
        if grown is None or np.count_nonzero(grown) < _LEAST_PAIRS:
            return False
        return n_rows is None or grown.sum() < n_rows <= _MOST_TIMES * grown.sum()

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        self._n_rows += len(labels)
        if not len(labels) or self._n_rows > _MOST_TIMES * self._grown.sum():
            return
        reached = self.counts.count(self.counts.leaf_of(X), labels)[0]
        self._reached += reached[:, : self._reached.shape[1]]

    def agrees(self) -> bool:
        """Whether the rows that the tree was grown on are among these."""
        n_grown = self._grown.sum()
        if not n_grown < self._n_rows <= _MOST_TIMES * n_grown:
            return False
        if (self._reached < self._grown).any():
            return False
        columns = zip(self._grown.T, self._reached.sum(axis=0), strict=True)
        return sum(_log_chance_of_more(*each) for each in columns) <= -_LOG_EVIDENCE


def _log_chance_of_more(grown: NDArray[Any], n_rows: float) -> float:
    """The logarithm of a number that is never below the probability that each leaf is
    reached by at least as many of the rows as the tree was grown on.

    The bound is the largest product of binomial tails over all probabilities of the
    leaves. The logarithm of such a tail is concave in the probability, so that the
    tangents at any place bound it. At the best place all of them have the same slope.
    """
    sizes, times = np.unique(grown[grown > 0], return_counts=True)
    if not len(sizes):
        return 0.0

    def tails(p: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """P[Bin(n_rows, p) >= size], and the slope of its logarithm."""
        tail = betainc(sizes, n_rows - sizes + 1, p)
        density = beta.pdf(p, sizes, n_rows - sizes + 1)
        is_positive = tail > 0
        slope = np.where(is_positive, density / np.where(is_positive, tail, 1), np.inf)
        return tail, slope

    def places(slope: float) -> NDArray[Any]:
        """The probabilities at which the tails have a slope."""
        low = np.full(len(sizes), 1e-9 / n_rows)
        high = np.ones(len(sizes))
        for _ in range(_N_HALVINGS):
            middle = np.sqrt(low * high)
            is_steeper = tails(middle)[1] > slope
            low = np.where(is_steeper, middle, low)
            high = np.where(is_steeper, high, middle)
        return high

    # The probabilities add up to at most 1 where the slope is large enough.
    flat, steep = 1e-9, 1e3 * n_rows
    for _ in range(_N_HALVINGS):
        slope = math.sqrt(flat * steep)
        if times @ places(slope) > 1:
            flat = slope
        else:
            steep = slope

    p = places(steep)
    tail, slopes = tails(p)
    return min(0.0, float(times @ (np.log(tail) - slopes * p) + slopes.max()))
