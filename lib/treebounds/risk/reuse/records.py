"""The rows that are known to have made a model, since it keeps a record of them or the
caller gives them, against those that judge it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.models.inner_models import InnerModel
from treebounds.risk.reuse.memory import RowMemory
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.risk.reuse.recurring_rows import Comparison
from treebounds.risk.reuse.refusals import copied_rows, divided_rows, rows_in_common
from treebounds.risk.rows.copies import COPIES, LEAST_REPEATED, copies_p_value
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


class _Record(NamedTuple):
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


class _GivenRows:
    """Rows of which the caller says that they made a model.

    Parameters
    ----------
    X_grown : array or frame

    Attributes
    ----------
    hashes : RowHashes
    names : list of str
        The names of their columns in order; empty if they have none.
    """

    def __init__(self, X_grown: Any) -> None:
        if isinstance(X_grown, Iterator):
            raise ValueError(
                "X_grown must be an array or a frame, not an iterator: join its batches"
                " to one table"
            )
        check_table(X_grown, "X_grown")
        self._rows = X_grown
        self.hashes = RowHashes(X_grown)
        self.names = names_of_columns(X_grown)
        self._n_batches = 0
        self._last_batch: Table | None = None

    def add(self, X: Any, hashes: RowHashes) -> None:
        """Take a batch of rows that judge; raise a ValueError if they have other
        columns.
        """
        named = in_order(X, self.names)
        self._last_batch = hashes.table if named is X else as_table(named)
        self._n_batches += 1
        n_given = self.hashes.n_columns
        n_new = self._last_batch.n_columns
        if n_given != n_new:
            raise ValueError(
                f"X_grown must have the columns of X; it has {n_given}, and X has"
                f" {n_new}. Give the rows as the model takes them, before its first"
                " step"
            )

    def include(self, X: Any, hashes: RowHashes) -> NDArray[np.bool_]:
        """A mask of the rows that are among these."""
        named = in_order(X, self.names)
        rows = hashes if named is X else RowHashes(named)
        return np.isin(rows.of_all(), self.hashes.of_all())

    def with_columns_of(self, X: Any) -> Any:
        """These rows with their columns in the order of another table."""
        return in_order(self._rows, names_of_columns(X))

    def have_copies(self) -> bool:
        """Whether rows that judge are copies of these, by the first test of
        :mod:`treebounds.risk.rows.copies`; of several batches this is not known.
        """
        if self._last_batch is None or self._n_batches != 1:
            return False
        tables = [self.hashes.table, self._last_batch]
        samples = np.repeat([0, 1], list(map(len, tables)))
        return copies_p_value(RowHashes(stacked(tables)), samples=samples) <= COPIES


class RowRecords:
    """The records of the rows that made a model and those inside it, and the rows that
    the caller gives.

    Parameters
    ----------
    model : object
    X_grown : array or frame, optional
    """

    def __init__(self, model: Any, X_grown: Any = None) -> None:
        self._records: list[_Record] = []
        self._is_recorded = X_grown is not None
        self._given: _GivenRows | None = None
        if X_grown is not None:
            self._given = _GivenRows(X_grown)
            comparison = Comparison(_of_any_width(self._given.hashes))
            self._records.append(
                _Record(InnerModel(model), self._given.names, comparison, True)
            )

    def look_for(self, inner: InnerModel) -> bool:
        """Look for the record of a model; return whether it keeps rows, so that nothing
        else has to be known of them.
        """
        memory = record_of(inner.model)
        if memory is not None:
            # A pickled record is a plain tuple.
            record = RowMemory(*memory)
            are_all = not record.lacks_growing_rows
            self._remember(inner, record, are_all=are_all)
            self._is_recorded |= inner.is_main and are_all
            if are_all:
                return True

        for name in _KEPT_ROWS:
            rows = getattr(inner.model, name, None)
            if rows is not None and len(np.shape(rows)) == 2:
                are_all = name not in _SOME_ROWS
                self._remember(inner, _of_any_width(RowHashes(rows)), are_all=are_all)
                self._is_recorded |= inner.is_main and are_all
                return True

        drawn = _rows_drawn_first(inner.model)
        if drawn is not None:
            self._remember(inner, _of_any_width(RowHashes(drawn)), are_all=False)
        return drawn is not None

    def _remember(self, inner: InnerModel, memory: RowMemory, *, are_all: bool) -> None:
        """Compare with rows that a model was fitted to."""
        names = list(getattr(inner.model, "feature_names_in_", ()))
        comparison = Comparison(memory)
        are_all = are_all and inner.is_main
        self._records.append(_Record(inner, names, comparison, are_all))

    def add(self, X: Any, hashes: RowHashes) -> None:
        """Compare further rows with all of these."""
        if self._given is not None:
            self._given.add(X, hashes)
        for record in self._records:
            with record.inner.may_fail():
                record.comparison.add_rows(record.hashes(X, hashes))

    def recurs(self, X: Any) -> NDArray[np.bool_]:
        """A mask of the rows that made the model; raise a ValueError if this is not
        known of all rows.
        """
        hashes = RowHashes(X)
        recurring = np.zeros(len(hashes), dtype=bool)
        if self._given is not None:
            recurring = self._given.include(X, hashes)
        # What a complete record explains need not be known from another one.
        for record in sorted(self._asked(), key=lambda each: not each.is_complete):
            is_known = np.zeros_like(recurring)
            with record.inner.may_fail():
                is_known = record.comparison.recurs(record.hashes(X, hashes))
            if not record.is_complete and (is_known & ~recurring).any():
                raise ValueError(
                    "duplicates='together' needs X_grown, with all rows that made the"
                    " model: it keeps a record of some of them only, or of all as they"
                    " reach a later step, so it is not known which examples are equal"
                    " to one of them"
                )
            recurring |= is_known
        self._check_given_rows(X, np.flatnonzero(~recurring))
        return recurring

    def _asked(self) -> list[_Record]:
        """The records that tell whether rows made the model: those of rows before any
        step, and all others unless the caller gives all rows.
        """
        if self._given is None:
            return self._records
        return [record for record in self._records if record.are_its_input]

    def _check_given_rows(self, X: Any, rows: NDArray[np.intp]) -> None:
        """Raise a ValueError if rows that are none of those that the caller gives reach
        a later step like a row of its record, but none of the given rows does: then the
        caller gives too few.
        """
        if self._given is None or not len(rows):
            return
        new = take(X, rows)
        given = self._given.with_columns_of(X)
        for record in self._records:
            are_too_few = False
            with record.inner.may_fail():
                are_too_few = not record.are_its_input and record.has_others(new, given)
            if are_too_few:
                raise ValueError(
                    "X_grown must hold all rows that made the model if"
                    " duplicates='together': examples are equal to rows that the model"
                    " keeps, but not to those of X_grown"
                )

    def refuse_recurring(
        self, *, are_independent: bool, may_be_copies: bool, left_out: bool
    ) -> None:
        """Raise a ValueError if more rows recur than independent samples explain.

        Parameters
        ----------
        are_independent : bool
            Whether the rows are, and not only groups of them.
        may_be_copies : bool
            Whether rows that are equal to given ones may be copies of them.
        left_out : bool
            Whether the rows that :meth:`recurs` tells do not judge.
        """
        for record in self._records:
            # Those of rows before any step, and of all rows that the caller gives.
            if left_out and (record.are_its_input or self._given is not None):
                continue
            comparison = record.comparison
            if comparison.in_common():
                raise rows_in_common(comparison.n_recurring, comparison.n_compared)
            if are_independent and comparison.were_divided():
                raise divided_rows(comparison.n_recurring, comparison.n_compared)
            if may_be_copies and self._are_copies(comparison):
                raise copied_rows(comparison.n_recurring, comparison.n_compared)

    def _are_copies(self, comparison: Comparison) -> bool:
        """Whether rows that recur are copies of those that the caller gives."""
        if self._given is None or comparison.n_recurring < LEAST_REPEATED:
            return False
        return self._given.have_copies()

    def most_recurring(self) -> Recurrence:
        """The counts of the comparison with most recurring rows; of several, one before
        any step.
        """
        # A model inside may take few columns, in which different rows are equal.
        candidates = [
            record
            for record in self._records
            if record.are_its_input or record.inner.is_main
        ]
        if not candidates:
            return Recurrence(is_recorded=self._is_recorded)

        most = max(
            candidates,
            key=lambda record: (record.comparison.n_recurring, record.are_its_input),
        )
        return Recurrence(
            n_compared=most.comparison.n_compared,
            n_recurring=most.comparison.n_recurring,
            is_recorded=self._is_recorded,
            after_steps=not most.are_its_input,
        )


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
