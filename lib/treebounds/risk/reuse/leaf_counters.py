"""Do rows reach the leaves of trees as often as those that the trees were grown on?
Counted batch by batch, for all trees in a model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.models.inner_models import InnerModel
from treebounds.risk.reuse.leaf_counts.record import LeafCounts
from treebounds.risk.reuse.leaf_evidence import (
    log_chance,
    log_chance_of_classes,
    log_chance_of_numbers,
    log_chance_of_sums,
    log_chance_of_totals,
    log_evidence,
    log_evidence_of_more,
)
from treebounds.risk.rows.occurrences import places_p_value
from treebounds.risk.rows.tables import take

# Other rows that agree with the numbers at the leaves with at least this probability
# are no sign of the rows that the tree was grown on. Of an ensemble whose trees drew
# rows of the same sample, two trees that agree are one.
_LOG_CHANCE = math.log(0.05)

# The same where another count of the same model does not agree. The rows may have made
# it nevertheless, with other answers, or only when it was continued.
_LOG_CHANCE_AGAINST = math.log(0.001)

# ln of the evidence by which rows are taken for a part of those of a tree.
_LOG_EVIDENCE = math.log(1e6)

# Relative difference of a y and the value of a leaf that is the y of its only row. The
# answers may have been stored as 32-bit floats.
_TOLERANCE_OF_ANSWERS = 1e-6

# Among more rows than this many times those of the tree, those at its leaves are hardly
# ever fewer.
_MOST_TIMES = 4

# Rows that are led through a tree before all others; few are enough to exclude most
# samples.
_FIRST = 1000


class CountedTree(NamedTuple):
    """A tree inside a model, with the numbers of rows at its leaves."""

    inner: InnerModel
    counts: LeafCounts


class LeafCounters:
    """The numbers of rows at the leaves of all trees in a model.

    Parameters
    ----------
    trees : list of CountedTree
    n_rows : int or None
        Number of rows that will come, if it is known.
    other_sizes : bool
        Whether the rows may be a part of those of a tree, or have all of them among
        others. Else they are only compared with samples of as many rows.
    """

    def __init__(
        self, trees: list[CountedTree], n_rows: int | None, other_sizes: bool
    ) -> None:
        others = trees if other_sizes else []
        self._whole = [
            _WholeSample(tree)
            for tree in trees
            if _WholeSample.can_speak(tree.counts, _n_rows_at(tree, n_rows))
        ]
        self._part = [
            _PartOfSample(tree)
            for tree in others
            if _PartOfSample.can_speak(tree.counts, _n_rows_at(tree, n_rows))
        ]
        self._among_others = [
            _SampleAmongOthers(tree)
            for tree in others
            if _SampleAmongOthers.can_speak(tree.counts, _n_rows_at(tree, n_rows))
        ]
        self._part_among_others = [
            _PartAmongOthers(tree)
            for tree in others
            if _PartAmongOthers.can_speak(tree.counts)
        ]

    def _counters(self) -> list[_RowCounter]:
        """All counters."""
        return [
            *self._whole,
            *self._part,
            *self._among_others,
            *self._part_among_others,
        ]

    def add(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        for counters in _by_model(self._counters()):
            inner = counters[0].tree.inner
            with inner.may_fail():
                # The steps on the way to a model may take long.
                rows, own = inner.sample(X, labels)
                for counter in counters:
                    counter.add_rows(rows, own)

    def are_all_rows(self) -> bool:
        """Whether the rows are all those that a tree was grown on: a tree agrees as
        others hardly do by chance, or all of an ensemble that are looked at agree.
        """
        return any(map(_are_of_a_model, _by_model(self._whole)))

    def are_part(self) -> bool:
        """Whether the rows are a part of those that a tree was grown on."""
        return any(counter.agrees() for counter in self._part)

    def include_all(self) -> bool:
        """Whether the rows are all those that a tree was grown on, and others."""
        return any(counter.agrees() for counter in self._among_others)

    def include_part(self) -> bool:
        """Whether some of the rows are among those that a regression tree was grown
        on.
        """
        return any(counter.agrees() for counter in self._part_among_others)


def _by_model(counters: Iterable[_Counter]) -> list[list[_Counter]]:
    """The counters of the trees of each model."""
    of_models: dict[int, list[_Counter]] = {}
    for counter in counters:
        of_models.setdefault(id(counter.tree.inner), []).append(counter)
    return list(of_models.values())


def _are_of_a_model(counters: list[_WholeSample]) -> bool:
    """Whether the rows are all those that the trees of a model were grown on."""
    agreements = [counter.agreement() for counter in counters]
    allowed = _LOG_CHANCE
    for counter, agreement in zip(counters, agreements, strict=True):
        is_drawn = counter.tree.counts.samples is not None
        if not is_drawn and (agreement is None or not agreement.of_classes):
            allowed = _LOG_CHANCE_AGAINST
        if agreement is not None and agreement.log_chance < allowed:
            return True

    return all(
        agreement is not None and counter.tree.counts.samples is not None
        for counter, agreement in zip(counters, agreements, strict=True)
    )


def _n_rows_at(tree: CountedTree, n_rows: int | None) -> int | None:
    """How many of the rows will come to a tree; None if it is not known."""
    return n_rows if tree.inner.takes_all_classes else None


class _Agreement(NamedTuple):
    """How rows agree with the sample that a tree was grown on.

    Attributes
    ----------
    log_chance : float
        The logarithm of the probability that other rows agree as these do.
    of_classes : bool
        Whether they also agree in what is known of the classes beside the numbers of
        all rows.
    """

    log_chance: float
    of_classes: bool = True


class _WholeSample:
    """Are as many rows the whole sample that a tree was grown on?"""

    def __init__(self, tree: CountedTree) -> None:
        self.tree = tree
        self._reached: list[tuple[NDArray[np.intp], NDArray[Any]]] = []
        self._n_rows = 0

    @classmethod
    def can_speak(cls, counts: LeafCounts, n_rows: int | None) -> bool:
        """Whether the tree may have been grown on as many rows."""
        return n_rows is None or counts.n_rows in (None, n_rows)

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        counts = self.tree.counts
        self._n_rows += len(labels)
        if counts.n_rows is not None and self._n_rows > counts.n_rows:
            return
        # Rows with other labels need not be led through the tree.
        if len(labels) == counts.n_rows and not counts.may_be_from(labels):
            return
        self._reached.append((counts.leaf_of(X), labels))

    def agreement(self) -> _Agreement | None:
        """How the rows agree with the tree; None if they do not."""
        counts = self.tree.counts
        if not self._reached or counts.n_rows not in (None, self._n_rows):
            return None
        # All batches together: which rows were drawn is known by their numbers in the
        # whole sample only.
        leaves, labels = map(np.concatenate, zip(*self._reached, strict=True))
        tables = counts.count(leaves, labels)
        agreeing = next(filter(counts.agrees, tables), None)
        if agreeing is None:
            return None
        if counts.samples is not None:
            # Of the rows that were drawn, others need not have as many of each class.
            cells = np.repeat(np.arange(agreeing.size), agreeing.ravel().astype(int))
            return _Agreement(log_chance(cells, np.zeros_like(cells)))
        of_classes = counts.are_of_classes(leaves, labels)
        if of_classes or counts.tell_classes:
            return _Agreement(log_chance(leaves, labels))
        n_factors = counts.n_factors(agreeing) or 0
        log = _log_chance_up_to_factors(leaves, labels, n_factors)
        return _Agreement(log, of_classes is None)


class _NumbersAtLeaves:
    """The numbers of a tree's own rows at its leaves, and those of other rows."""

    def __init__(self, tree: CountedTree) -> None:
        self.tree = tree
        self._grown: Any = tree.counts.of_rows
        self._reached = np.zeros_like(self._grown)
        self._classes = _Classes(tree.counts)

    def _count(self, X: Any, labels: NDArray[Any]) -> float:
        """Count further rows; return how many of them have a class that the tree
        knows.
        """
        counts = self.tree.counts
        reached = counts.count_rows(counts.leaf_of(X), labels)
        self._reached += reached
        self._classes.add(labels)
        return float(reached.sum())


class _PartOfSample(_NumbersAtLeaves):
    """Are rows a part of the sample that a tree was grown on, or all of them? See
    :mod:`treebounds.risk.reuse.leaf_evidence`.
    """

    def __init__(self, tree: CountedTree) -> None:
        super().__init__(tree)
        self._may_be_part = True

    @classmethod
    def can_speak(cls, counts: LeafCounts, n_rows: int | None) -> bool:
        """Whether the evidence can suffice for as many rows, if this is known."""
        grown = counts.of_rows
        if grown is None or n_rows is None:
            return grown is not None
        # A part may have all rows: the whole sample is not recognized if its answers
        # have changed.
        if n_rows > grown.sum():
            return False
        share = n_rows / float(grown.sum())
        return bool(log_evidence(grown, share * grown) >= _LOG_EVIDENCE)

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        places = np.arange(len(labels))
        for rows in np.split(places, [_FIRST]):
            if not len(rows) or not self._may_be_part:
                return
            are_known = self._count(take(X, rows), labels[rows]) == len(rows)
            self._may_be_part &= are_known and (self._reached <= self._grown).all()

    def agrees(self) -> bool:
        """Whether the rows are a part of those that the tree was grown on."""
        if not self._may_be_part:
            return False
        return are_a_part(self._grown, self._reached, self._classes.log_chance())


class _SampleAmongOthers(_NumbersAtLeaves):
    """Are the rows that a tree was grown on among more rows? See
    :mod:`treebounds.risk.reuse.leaf_evidence`.
    """

    def __init__(self, tree: CountedTree) -> None:
        super().__init__(tree)
        self._n_rows = 0

    @classmethod
    def can_speak(cls, counts: LeafCounts, n_rows: int | None) -> bool:
        """Whether as many rows can be improbable, if their number is known."""
        grown = counts.of_rows
        if grown is None:
            return False
        return n_rows is None or grown.sum() < n_rows <= _MOST_TIMES * grown.sum()

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows."""
        self._n_rows += len(labels)
        if not len(labels) or self._n_rows > _MOST_TIMES * self._grown.sum():
            return
        self._count(X, labels)

    def agrees(self) -> bool:
        """Whether the rows that the tree was grown on are among these."""
        chance = self._classes.log_chance()
        return are_among_more(self._grown, self._reached, self._n_rows, chance)


class _PartAmongOthers:
    """Are rows that a regression tree was grown on among others? See
    :mod:`treebounds.risk.reuse.leaf_evidence`.
    """

    def __init__(self, tree: CountedTree) -> None:
        self.tree = tree
        sizes, sums = tree.counts.grown[:, :2].T
        # Not a number, and equal to no answer, at leaves of several rows.
        self._answers = np.where(np.rint(sizes) == 1, sums, np.nan)
        self._reached = np.zeros(len(sizes), dtype=np.int64)

    @classmethod
    def can_speak(cls, counts: LeafCounts) -> bool:
        """Whether the answers of single rows are known."""
        if counts.samples is not None or counts.is_share or not counts.is_of_numbers:
            return False
        return bool((np.rint(counts.grown[:, 0]) == 1).any())

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Count further rows that have the value of their leaf."""
        if not len(labels):
            return
        leaves = self.tree.counts.leaf_of(X)
        answers = self._answers[leaves]
        allowed = _TOLERANCE_OF_ANSWERS * np.abs(answers)
        own = leaves[np.abs(np.asarray(labels, dtype=float) - answers) <= allowed]
        self._reached += np.bincount(own, minlength=len(self._reached))

    def agrees(self) -> bool:
        """Whether rows of the tree are among these."""
        p_value = places_p_value(self._reached[~np.isnan(self._answers)])
        return p_value <= math.exp(-_LOG_EVIDENCE)


_RowCounter = _WholeSample | _PartOfSample | _SampleAmongOthers | _PartAmongOthers
_Counter = TypeVar("_Counter", bound=_RowCounter)


class _Classes:
    """How many rows of each class there are, where the numbers at the leaves are those
    of several classes together.
    """

    def __init__(self, counts: LeafCounts) -> None:
        self._counts = counts
        self._n_rows: Counter[Any] = Counter()

    def add(self, labels: NDArray[Any]) -> None:
        """Count further rows."""
        together = labels[self._counts.is_together(labels)]
        names, numbers = np.unique(together, return_counts=True)
        self._n_rows.update(dict(zip(names.tolist(), numbers.tolist(), strict=True)))

    def log_chance(self) -> float:
        """ln P of :mod:`treebounds.risk.reuse.leaf_evidence`; 0 if the numbers at the
        leaves are those of each class.
        """
        return log_chance_of_classes(np.array(list(self._n_rows.values()), dtype=float))


def _log_chance_up_to_factors(
    leaves: NDArray[np.intp], labels: NDArray[Any], n_factors: int
) -> float:
    """The logarithm of the probability that other rows agree with sums of weights at
    the leaves, where the weights of some classes are not known.

    As many leaves as there are weights always agree, so the largest ones do not count.
    At the others the sums of weights may be equal although the numbers of each class
    are not, and are taken to be so as often as the numbers of all rows.
    """
    if not n_factors:
        return log_chance_of_totals(leaves, labels)
    largest = np.argsort(np.bincount(leaves))[-n_factors:]
    others = ~np.isin(leaves, largest)
    if not others.any():
        return 0.0
    return log_chance_of_totals(leaves[others], labels[others])


def are_equal_beyond_chance(grown: NDArray[Any], reached: NDArray[Any]) -> bool:
    """Whether rows are the sample that a tree was grown on: they reach its leaves in
    the same numbers, and others hardly would.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_counters import are_equal_beyond_chance
    >>> numbers = np.full((2, 2), 25)
    >>> are_equal_beyond_chance(numbers, numbers)
    True
    >>> are_equal_beyond_chance(np.diag([50, 50]), np.diag([50, 50]))
    False

    Parameters
    ----------
    grown, reached : (n_leaves, n_classes) array of whole numbers
        Numbers of the rows that the tree was grown on, and of others.
    """
    if not np.array_equal(grown, reached):
        return False
    return log_chance_of_numbers(reached) < _LOG_CHANCE


def have_equal_sums_beyond_chance(grown: NDArray[Any], reached: NDArray[Any]) -> bool:
    """The same if the numbers of the sample are those of all classes together.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_counters import have_equal_sums_beyond_chance
    >>> have_equal_sums_beyond_chance(np.full(9, 50), np.full((9, 2), 25))
    True
    >>> have_equal_sums_beyond_chance(np.array([50, 50]), np.diag([50, 50]))
    False

    Parameters
    ----------
    grown : (n_leaves,) array of whole numbers
    reached : (n_leaves, n_classes) array of whole numbers
    """
    if not np.array_equal(grown, reached.sum(axis=1)):
        return False
    return log_chance_of_sums(reached) < _LOG_CHANCE


def are_a_part(
    grown: NDArray[Any], reached: NDArray[Any], log_chance_of_classes: float = 0.0
) -> bool:
    """Whether rows are a part of the sample that a tree was grown on: their numbers at
    its leaves are closer to those of the sample than others hardly ever are.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_counters import are_a_part
    >>> grown = np.full((100, 1), 10)
    >>> are_a_part(grown, grown - 2), are_a_part(grown[:5], grown[:5] - 2)
    (True, False)

    Parameters
    ----------
    grown, reached : (n_leaves, n_classes) array of whole numbers
        Numbers of the rows that the tree was grown on, and of others.
    log_chance_of_classes : float
        ln P if the numbers are those of all classes together.
    """
    if not reached.any() or (reached > grown).any():
        return False
    return log_evidence(grown, reached) + log_chance_of_classes >= _LOG_EVIDENCE


def are_among_more(
    grown: NDArray[Any],
    reached: NDArray[Any],
    n_rows: int,
    log_chance_of_classes: float = 0.0,
) -> bool:
    """Whether the rows that a tree was grown on are among more rows: each leaf is
    reached at least as often, and others hardly do so.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_counters import are_among_more
    >>> grown = np.full((50, 1), 10)
    >>> are_among_more(grown, grown + 1, 550), are_among_more(grown, 3 * grown, 1500)
    (True, False)

    Parameters
    ----------
    grown, reached : (n_leaves, n_classes) array of whole numbers
        Numbers of the rows that the tree was grown on, and of the others.
    n_rows : int
        Number of the others, with those of other classes.
    log_chance_of_classes : float
        ln P if the numbers are those of all classes together.
    """
    n_grown = grown.sum()
    if not n_grown < n_rows <= _MOST_TIMES * n_grown:
        return False
    evidence = log_evidence_of_more(grown, reached)
    return evidence + log_chance_of_classes >= _LOG_EVIDENCE
