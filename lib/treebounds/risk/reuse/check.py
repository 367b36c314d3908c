"""Was this sample used before? The rows that made a classifier against those that
judge it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.models.inner_models import InnerModel, models_inside
from treebounds.risk.reuse.column_means import KeptMeans, MeanCounter, kept_means
from treebounds.risk.reuse.leaf_counters import CountedTree, LeafCounters
from treebounds.risk.reuse.leaf_counts.of_model import leaf_counts
from treebounds.risk.reuse.memory import RowMemory
from treebounds.risk.reuse.recurring_rows import Comparison
from treebounds.risk.reuse.refusals import (
    part_among_others,
    part_of_rows,
    rows_among_others,
    rows_of_means,
    same_rows,
)
from treebounds.risk.rows.copies import (
    COPIES,
    IF_NO_COPIES,
    LABELS,
    LEAST_REPEATED,
    REPETITION,
    copies_p_value,
    repetition_p_value,
)
from treebounds.risk.rows.hash_function import contributions
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.risk.rows.tables import (
    Table,
    as_table,
    check_table,
    in_order,
    names_of_columns,
    stacked,
    take,
)
from treebounds.trees._record import record_of

# Attributes in which models of scikit-learn keep the rows that they were fitted to.
_KEPT_ROWS = ("_fit_X", "X_fit_", "X_train_", "X_", "support_vectors_")

# Of the kept rows of these, not all have to be there.
_SOME_ROWS = ("support_vectors_",)


class Recurrence(NamedTuple):
    """How many judged rows are equal to rows that made the classifier.

    Attributes
    ----------
    n_compared, n_recurring : int
        Number of judged rows that could be compared, and of those among them that are
        equal to a row that made the classifier.
    is_recorded : bool
        Whether there is a record of the rows that made the classifier.
    after_steps : bool
        Whether they were compared as they reach the last step of a pipeline.
    """

    n_compared: int = 0
    n_recurring: int = 0
    is_recorded: bool = True
    after_steps: bool = False


class _Known(NamedTuple):
    """Rows that are known to have made a model, or one inside it.

    Attributes
    ----------
    inner : InnerModel
    names : list of str
        The names of their columns in order; empty if they have none.
    comparison : Comparison
    are_all : bool
        Whether no other rows are known to have made the model. Of an ensemble, a member
        may keep a part of the rows, and so do support vector machines.
    """

    inner: InnerModel
    names: list[str]
    comparison: Comparison
    are_all: bool

    @property
    def are_its_input(self) -> bool:
        """Whether the rows are compared as the model takes them, before any step."""
        return not self.inner.steps

    @property
    def is_complete(self) -> bool:
        """Whether every row that made the model is known as it was before any step:
        behind a step different rows may be equal.
        """
        return self.are_its_input and self.are_all and self.comparison.is_complete

    def hashes(self, X: Any, known: RowHashes) -> RowHashes:
        """The hashes of rows as they reach the model; ``known`` are those of X."""
        rows = in_order(self.inner.rows(X), self.names)
        hashes = known if rows is X else RowHashes(rows)
        # A model inside a class of the caller's may take columns that it chooses.
        n_columns = self.comparison.memory.n_columns if self.inner.is_main else 0
        if n_columns not in (0, hashes.n_columns):
            raise ValueError(
                f"X must have the {n_columns} columns of the rows that the model was"
                f" fitted to, also those that it does not use; got {hashes.n_columns}."
                " Else its rows cannot be compared with those that made the model"
            )
        return hashes

    def has_others(self, X: Any, given: Any) -> bool:
        """Whether rows reach the model like a row that it keeps, but like none of the
        given ones.
        """
        hashes = self.hashes(X, RowHashes(X))
        is_kept = self.comparison.recurs(hashes)
        if not is_kept.any():
            return False
        are_given = self.hashes(given, RowHashes(given)).of_all()
        return not np.isin(hashes.of_all()[is_kept], are_given).all()


class ReuseCheck:
    """Comparison, batch by batch, of the rows that a classifier is known to be made
    from with the rows that judge it.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.reuse.check import ReuseCheck
    >>> from treebounds.risk.rows.row_hashes import RowHashes
    >>> rows, labels = np.arange(40.0).reshape(-1, 1), np.arange(40) > 19
    >>> tree = DecisionTreeClassifier().fit(rows, labels)
    >>> check = ReuseCheck(tree, X_grown=rows)
    >>> check.compare(rows + 40.0, labels, RowHashes(rows + 40.0))
    >>> check.recurrence().n_compared, check.recurrence().n_recurring
    (40, 0)

    Parameters
    ----------
    model : classifier
        Its record of rows is looked for, also in models inside it, as are the numbers
        of rows at the leaves of its tree.
    X_grown : array or frame, optional
        Rows of which the caller says that they made the classifier.
    n_rows : int, optional
        Number of rows that judge, where it is known beforehand.
    are_independent : bool
        Whether the rows are, and not only groups of them. Else no part of the rows of a
        tree is looked for.
    duplicates : {"refuse", "together", "ignore"}
        What equal rows are taken for, as in :func:`treebounds.certify`.
    """

    def __init__(
        self,
        model: Any,
        X_grown: Any = None,
        n_rows: int | None = None,
        *,
        are_independent: bool = True,
        duplicates: str = "refuse",
    ) -> None:
        self._n_rows = n_rows
        self._are_independent = are_independent
        self._equal_are_copies = duplicates == "together"
        self._equal_are_cases = duplicates == "ignore"
        self._is_recorded = X_grown is not None

        # Rows that the caller gives, the names of their columns, and the rows of the
        # last batch that was compared with them.
        self._X_grown = X_grown
        self._grown: RowHashes | None = None
        self._grown_names = names_of_columns(X_grown)
        self._n_batches = 0
        self._last_batch: Table | None = None
        # Numbers of rows of which recurs() was asked: without those that recur, and of
        # these.
        self._n_left = 0
        self._n_out = 0

        # What is known of the rows that made the model: rows, or numbers at leaves.
        self._known: list[_Known] = []
        self._trees: list[CountedTree] = []
        self._kept_means: list[tuple[InnerModel, KeptMeans]] = []
        self._means: list[MeanCounter] = []
        if X_grown is not None:
            self._grown = _given_rows(X_grown)
            memory = _of_any_width(self._grown)
            self._known.append(
                _Known(InnerModel(model), self._grown_names, Comparison(memory), True)
            )
        for inner in models_inside(model):
            self._watch(inner)

        self._all_rows = LeafCounters(self._trees, n_rows, are_independent)
        self._different_rows = LeafCounters(self._trees, None, are_independent)
        self._reduced: list[LeafCounters] = []
        self._different_means = self._means_of_any_size()

    def compare(self, X: Any, labels: NDArray[Any], hashes: RowHashes) -> None:
        """Compare further rows.

        Parameters
        ----------
        X : (n, l) array or frame
            As the classifier takes it.
        labels : (n,) array
        hashes : RowHashes
            Those of X.
        """
        if self._grown is not None:
            named = in_order(X, self._grown_names)
            self._last_batch = hashes.table if named is X else as_table(named)
            self._n_batches += 1
            _check_columns(self._grown.n_columns, self._last_batch.n_columns)
        for known in self._known:
            with known.inner.may_fail():
                known.comparison.add_rows(known.hashes(X, hashes))
        self._all_rows.add(X, labels)
        _add_to_means(self._means, X, labels)
        if (self._trees or self._kept_means) and self._n_rows is not None:
            self._add_reduced(X, labels, hashes)

    def compare_different(self, X: Any, labels: NDArray[Any]) -> None:
        """Compare further rows of batches that are equal to none before them, if equal
        ones are copies. Of a sample in one piece these are known.
        """
        if self._n_rows is None:
            self._different_rows.add(X, labels)
            _add_to_means(self._different_means, X, labels)

    def _add_reduced(self, X: Any, labels: NDArray[Any], hashes: RowHashes) -> None:
        """Compare the sample without repetitions, if it has any: a sample that was
        used before may be given twice.
        """
        if not self._equal_are_copies and not self._may_be_repeated(hashes):
            return
        reduced = _without_repetitions(hashes, labels)
        if reduced is None:
            return
        # Without their repetitions, rows that are no copies are not independent.
        are_independent = self._are_independent and self._equal_are_copies
        self._add_some(X, labels, reduced.different, are_independent)
        # Equal rows of a table of few values are no copies, and what is left of them
        # may have the same means by construction.
        if self._equal_are_copies:
            self._add_some_means(X, labels, reduced.different)
        if reduced.original is not None:
            self._add_some(X, labels, reduced.original, self._are_independent)
            self._add_some_means(X, labels, reduced.original)

    def _add_some(
        self,
        X: Any,
        labels: NDArray[Any],
        rows: NDArray[np.intp],
        are_independent: bool,
    ) -> None:
        """Compare some of the rows with those of the trees."""
        counters = LeafCounters(self._trees, len(rows), are_independent)
        if counters.can_speak():
            counters.add(take(X, rows), labels[rows])
            self._reduced.append(counters)

    def _add_some_means(
        self, X: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> None:
        """Compare the means of some of the rows with those that steps keep."""
        counters = self._means_of_any_size()
        if counters:
            _add_to_means(counters, take(X, rows), labels[rows])
            self._means += counters

    def _means_of_any_size(self) -> list[MeanCounter]:
        """A counter for each step that keeps means. Rows that were repeated as a whole
        have the same means, so it does not matter how many there were.
        """
        in_batches = self._n_rows is None
        return [
            MeanCounter(inner, kept._replace(n_rows=None), in_batches=in_batches)
            for inner, kept in self._kept_means
        ]

    def _may_be_repeated(self, hashes: RowHashes) -> bool:
        """Whether the sample can be a repetition as a whole, or have as many different
        rows as a tree was grown on; most samples are neither.
        """
        n_rows = len(hashes)
        n_single = n_rows - len(hashes.repeated())
        wanted = [tree.counts.n_rows or 0 for tree in self._trees]
        return n_single == 0 or any(n_single < each < n_rows for each in wanted)

    def recurs(self, X: Any) -> NDArray[np.bool_]:
        """A mask of the rows that made the classifier; raise a ValueError if this is
        not known of all rows.

        Parameters
        ----------
        X : (n, l) array or frame
            As the classifier takes it.
        """
        hashes = RowHashes(X)
        recurring = self._are_among_grown(X, hashes)
        # What a complete record explains need not be known from another one.
        for known in sorted(self._asked(), key=lambda each: not each.is_complete):
            is_known = np.zeros_like(recurring)
            with known.inner.may_fail():
                is_known = known.comparison.recurs(known.hashes(X, hashes))
            if not known.is_complete and (is_known & ~recurring).any():
                raise ValueError(
                    "duplicates='together' needs X_grown, with all rows that made the"
                    " model: it keeps a record of some of them only, or of all as they"
                    " reach a later step, so it is not known which examples are equal"
                    " to one of them"
                )
            recurring |= is_known
        self._check_given_rows(X, np.flatnonzero(~recurring))
        self._n_left += int(np.count_nonzero(~recurring))
        self._n_out += int(np.count_nonzero(recurring))
        return recurring

    def _asked(self) -> list[_Known]:
        """The records that tell whether rows made the classifier: those of rows before
        any step, and all others unless the caller gives all rows.
        """
        return [
            known for known in self._known if known.are_its_input or self._grown is None
        ]

    def _check_given_rows(self, X: Any, rows: NDArray[np.intp]) -> None:
        """Raise a ValueError if rows that are none of those that the caller gives reach
        a later step like a row of its record, but none of the given rows does: then the
        caller gives too few.
        """
        if self._grown is None or not len(rows):
            return
        new = take(X, rows)
        given = in_order(self._X_grown, names_of_columns(X))
        for known in self._known:
            are_too_few = False
            with known.inner.may_fail():
                are_too_few = not known.are_its_input and known.has_others(new, given)
            if are_too_few:
                raise ValueError(
                    "X_grown must hold all rows that made the model if"
                    " duplicates='together': examples are equal to rows that the model"
                    " keeps, but not to those of X_grown"
                )

    def _are_among_grown(self, X: Any, hashes: RowHashes) -> NDArray[np.bool_]:
        """A mask of the rows that are among those that the caller gives."""
        if self._grown is None:
            return np.zeros(len(hashes), dtype=bool)
        named = in_order(X, self._grown_names)
        rows = hashes if named is X else RowHashes(named)
        return np.isin(rows.of_all(), self._grown.of_all())

    def recurrence(self, left_out: bool = False) -> Recurrence:
        """The counts of the comparison with most recurring rows, before any step
        or at the last one; raise a ValueError if, anywhere in the model, more rows
        recur than independent samples explain.

        Parameters
        ----------
        left_out : bool
            Whether the rows that :meth:`recurs` tells are left out of the judging.

        Returns
        -------
        Recurrence
        """
        self._refuse_known_rows(left_out)
        self._refuse_sample_of_a_tree()
        if left_out and not self._n_left:
            raise ValueError(
                "X has no rows to judge by; with duplicates='together' rows that made"
                " the model are left out. If equal rows are different cases, as in a"
                " table of few values, leave out duplicates='together'"
            )

        self._refuse_sample_of_other_size()
        return self._most_recurring()

    def _refuse_known_rows(self, left_out: bool) -> None:
        """Raise a ValueError if too many rows are known to have made the model."""
        for known in self._known:
            # Copies do not judge: those of rows before any step, and of all rows that
            # the caller gives.
            if left_out and (known.are_its_input or self._grown is not None):
                continue
            comparison = known.comparison
            if comparison.in_common():
                raise ValueError(
                    f"X: {comparison.n_recurring} of {comparison.n_compared} rows that"
                    " can be compared are among those that the model was grown,"
                    " pruned or chosen on, more than independent samples have in"
                    " common; a certificate needs others"
                )
            if self._are_independent and comparison.were_divided():
                raise ValueError(
                    f"X: {comparison.n_recurring} of {comparison.n_compared} rows that"
                    " can be compared are among those that the model was grown, pruned"
                    " or chosen on, and in such numbers as rows that were repeated"
                    " before the table was divided; a certificate needs others. Divide"
                    " first, and repeat rows for training only. If they are the runs of"
                    " a design, give each setting to one side with all of its runs, as"
                    " GroupShuffleSplit does, and pass groups, one for each setting"
                )
            if self._are_copies(comparison):
                raise ValueError(
                    f"X: {comparison.n_recurring} of {comparison.n_compared} rows are"
                    " equal to rows of X_grown, and look like copies rather than"
                    " different cases that are alike, as if the table had copies before"
                    " it was divided. Pass duplicates='together', which takes equal"
                    f" rows for copies and leaves these out. {IF_NO_COPIES}"
                )

    def _counters(self) -> list[LeafCounters]:
        """The counters of all rows, and of those without repetitions."""
        return [self._all_rows, self._different_rows, *self._reduced]

    def _refuse_sample_of_a_tree(self) -> None:
        """Raise a ValueError if the rows are the sample that a tree was grown on, or a
        step fitted to, whose means it keeps.
        """
        if any(counters.are_all_rows() for counters in self._counters()):
            raise same_rows("X")
        for counter in [*self._means, *self._different_means]:
            if counter.agrees():
                raise rows_of_means("X", type(counter.inner.model).__name__)

    def _refuse_sample_of_other_size(self) -> None:
        """Raise a ValueError if the rows are a part of the sample that a tree was grown
        on, or contain all of it.
        """
        if any(counters.are_part() for counters in self._counters()):
            raise part_of_rows("X")

        # Rows that made the model may be among the others if they are left out.
        if self._n_out:
            return
        if any(counters.include_all() for counters in self._counters()):
            raise rows_among_others("X")
        # Rows without their repetitions come to a leaf once, whoever drew them.
        if self._all_rows.include_part():
            raise part_among_others("X")

    def _most_recurring(self) -> Recurrence:
        """The counts of the comparison with most recurring rows; of several, one before
        any step.
        """
        # A model inside may take few columns, in which different rows are equal.
        candidates = [
            known for known in self._known if known.are_its_input or known.inner.is_main
        ]
        if not candidates:
            return Recurrence(is_recorded=self._is_recorded)

        most = max(
            candidates,
            key=lambda known: (known.comparison.n_recurring, known.are_its_input),
        )
        return Recurrence(
            n_compared=most.comparison.n_compared,
            n_recurring=most.comparison.n_recurring,
            is_recorded=self._is_recorded,
            after_steps=not most.are_its_input,
        )

    def _are_copies(self, comparison: Comparison) -> bool:
        """Whether rows that recur are copies of the rows that the caller gives, by the
        first test of :mod:`treebounds.risk.rows.copies`.
        """
        if self._grown is None or self._last_batch is None:
            return False
        if self._equal_are_cases or self._n_batches != 1:
            return False
        if comparison.n_recurring < LEAST_REPEATED:
            return False
        tables = [self._grown.table, self._last_batch]
        samples = np.repeat([0, 1], list(map(len, tables)))
        return copies_p_value(RowHashes(stacked(tables)), samples=samples) <= COPIES

    def _watch(self, inner: InnerModel) -> None:
        """Look for the record of a model, or for the numbers at its leaves."""
        memory = record_of(inner.model)
        if memory is not None:
            # A pickled record is a plain tuple.
            record = RowMemory(*memory)
            self._remember(inner, record, are_all=not record.lacks_growing_rows)
            self._is_recorded |= inner.is_main and not record.lacks_growing_rows
            if not record.lacks_growing_rows:
                return

        for name in _KEPT_ROWS:
            rows = getattr(inner.model, name, None)
            if rows is not None and len(np.shape(rows)) == 2:
                are_all = name not in _SOME_ROWS
                self._remember(inner, _of_any_width(RowHashes(rows)), are_all=are_all)
                self._is_recorded |= inner.is_main and are_all
                return

        drawn = _rows_drawn_first(inner.model)
        if drawn is not None:
            self._remember(inner, _of_any_width(RowHashes(drawn)), are_all=False)
            return
        if not inner.is_grown_on_all:
            return
        reference = kept_means(inner.model)
        n_rows = self._n_rows if inner.takes_all_classes else None
        if reference is not None:
            self._kept_means.append((inner, reference))
        if reference is not None and reference.can_be_of(n_rows):
            in_batches = self._n_rows is None
            self._means.append(MeanCounter(inner, reference, in_batches=in_batches))
        # The last tree of an ensemble is grown on other rows if it was continued.
        both = [leaf_counts(inner.model, place) for place in (0, -1)]
        self._trees += [
            CountedTree(inner, counts) for counts in both if counts is not None
        ]

    def _remember(
        self, inner: InnerModel, memory: RowMemory, *, are_all: bool = True
    ) -> None:
        """Compare with rows that a model was fitted to."""
        names = list(getattr(inner.model, "feature_names_in_", ()))
        comparison = Comparison(memory)
        are_all = are_all and inner.is_main
        self._known.append(_Known(inner, names, comparison, are_all))


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


def _add_to_means(counters: list[MeanCounter], X: Any, labels: NDArray[Any]) -> None:
    """Add rows to all counters of means."""
    for counter in counters:
        with counter.inner.may_fail():
            counter.add_rows(X, labels)


def _given_rows(X_grown: Any) -> RowHashes:
    """Rows of which the caller says that they made a model."""
    if isinstance(X_grown, Iterator):
        raise ValueError(
            "X_grown must be an array or a frame, not an iterator: join its batches to"
            " one table"
        )
    check_table(X_grown, "X_grown")
    return RowHashes(X_grown)


def _of_any_width(rows: RowHashes) -> RowMemory:
    """The memory of rows that are there. Their columns were checked, or are those of a
    model that may have made others of its own.
    """
    return RowMemory.of_hashes(rows)._replace(n_columns=0)


def _rows_drawn_first(ensemble: Any) -> Any:
    """The different rows that the first member of a bagging drew, each of them once, if
    the member keeps rows as they are; else None. They are as independent as all rows
    are, since which of them were drawn does not depend on what they hold.
    """
    if not hasattr(ensemble, "estimators_features_"):
        return None
    first = ensemble.estimators_[0]
    kept = getattr(first, "_fit_X", None)
    columns = ensemble.estimators_features_[0]
    n_columns = ensemble.n_features_in_
    if kept is None or not np.array_equal(columns, np.arange(n_columns)):
        return None
    numbers = ensemble.estimators_samples_[0]
    if kept.shape[0] != len(numbers):
        return None
    return kept[np.unique(numbers, return_index=True)[1]]


def _check_columns(n_grown: int, n_new: int) -> None:
    """Raise a ValueError if two tables have different numbers of columns."""
    if n_grown != n_new:
        raise ValueError(
            f"X_grown must have the columns of X; it has {n_grown}, and X has {n_new}."
            " Give the rows as the model takes them, before its first step"
        )


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
