"""The numbers of rows at the leaves of a tree, in one form for all libraries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.reuse.leaf_counts.class_numbers import ClassNumbers

# The covers of XGBoost are sums of 32-bit floats.
_TOLERANCE = 1e-4


@dataclass(frozen=True)
class LeafCounts:
    """How many rows of each class were at each leaf of a tree when it was grown.

    Attributes
    ----------
    grown : (n_leaves, n_classes) array of float
        One column if the classes are not known; the numbers and the sums of y for a
        tree of numbers.
    classes : list or None
        Labels of the columns.
    leaf_of : function
        From rows to the numbers of their leaves, from 0.
    is_share : bool
        Whether the numbers are known up to a factor only, or up to one for each class,
        as where the rows of a class have a weight. There is one column then.
    is_of_numbers : bool
        Whether the second column holds sums of y.
    is_regression : bool
        Whether the model predicts numbers, so that its rows have no classes.
    samples : function or None
        Returns a list of arrays of row numbers that the tree may have been grown on, of
        a sample of ``n_rows`` rows; None for all rows.
    numbers : (n_leaves, 1) array, optional
        The numbers of rows if ``is_share``, where the factor is known.
    of_a_class : ClassNumbers, optional
        The numbers of rows of one class, and of all others, where the tree does not
        tell classes apart, but they follow from its values.
    label : object
        The label of this class.
    n_rows : int or None
        Number of rows of the sample; None if it is not known.
    n_drawn : dict, optional
        For a tree that drew its rows: from each class to the number of rows that were
        drawn of it; a row that was drawn twice counts twice.
    """

    grown: NDArray[np.float64]
    classes: list[Any] | None
    leaf_of: Callable[[Any], NDArray[np.intp]]
    is_share: bool = False
    is_of_numbers: bool = False
    is_regression: bool = False
    samples: Callable[[], list[NDArray[np.intp]]] | None = None
    numbers: NDArray[np.float64] | None = None
    n_rows: int | None = None
    n_drawn: dict[Any, float] | None = None
    of_a_class: ClassNumbers | None = None
    label: Any = None

    def count(
        self, leaves: NDArray[np.intp], labels: NDArray[Any]
    ) -> list[NDArray[np.float64]]:
        """Numbers of rows at the leaves, like ``grown``; one table for each sample."""
        if self.samples is None:
            return [self._table(leaves, labels)]
        return [self._table(leaves[rows], labels[rows]) for rows in self.samples()]

    def agrees(self, counts: NDArray[np.float64]) -> bool:
        """Whether these are the numbers of the sample that the tree was grown on."""
        return self.n_factors(counts) is not None

    def n_factors(self, counts: NDArray[np.float64]) -> int | None:
        """How many factors the numbers need, each for a column of its own, to be those
        of the sample that the tree was grown on; None if they are not. One factor for
        all columns is counted as none.
        """
        total = counts.sum()
        if total == 0:
            return None
        if not self.is_share:
            return 0 if np.allclose(counts, self.grown, rtol=1e-6) else None

        sizes = counts[:, 0] if self.is_of_numbers else counts.sum(axis=1)
        expected = self.grown[:, 0] * (sizes.sum() / self.grown.sum())
        if np.allclose(sizes, expected, rtol=_TOLERANCE):
            return 0
        columns = counts[:, counts.any(axis=0)]
        factors, _, rank, _ = np.linalg.lstsq(columns, self.grown[:, 0], rcond=None)
        are_weights = self.is_of_numbers or (factors > 0).all()
        is_solved = are_weights and rank == columns.shape[1] < len(columns)
        if is_solved and np.allclose(columns @ factors, self.grown[:, 0], _TOLERANCE):
            return int(rank)
        return None

    def may_be_from(self, labels: NDArray[Any]) -> bool:
        """Whether a sample with these labels can be the one that the tree was grown on:
        not if it has other numbers of rows of the classes, or another sum of y.
        """
        if self.samples is not None:
            return self.n_drawn is None or _counts_agree(
                labels[self.samples()[0]], self.n_drawn
            )
        if self.is_share:
            return True
        if self.is_of_numbers:
            sums = self.grown[:, 1]
            allowed = 1e-5 * (np.abs(sums).sum() + len(sums))
            return bool(abs(float(np.sum(labels)) - sums.sum()) <= allowed)
        if self.classes is None:
            return True
        at_root = self.grown.sum(axis=0).tolist()
        return _counts_agree(labels, dict(zip(self.classes, at_root, strict=True)))

    @property
    def of_rows(self) -> NDArray[np.float64] | None:
        """The numbers of rows by classes, of one class and all others, or of all
        classes together, if the tree was grown on the whole sample; else None.
        """
        if self.samples is not None:
            return None
        if self.of_a_class is not None:
            return self.of_a_class.grown
        numbers = self.numbers
        if not self.is_share:
            numbers = self.grown if self._are_by_class else self.grown[:, :1]
        if numbers is None:
            return None
        rounded = np.rint(numbers)
        return rounded if np.allclose(numbers, rounded, rtol=1e-6) else None

    def count_rows(
        self, leaves: NDArray[np.intp], labels: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Numbers of rows at the leaves, like ``of_rows``."""
        if self._are_by_class:
            return self._table(leaves, labels)
        parts = [leaves]
        if self.of_a_class is not None:
            is_other = self.is_together(labels)
            parts = [leaves[is_other], leaves[~is_other]]
        n_leaves = len(self.grown)
        numbers = [np.bincount(part, minlength=n_leaves) for part in parts]
        return np.column_stack(numbers).astype(float)

    def is_together(self, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """A mask of the rows whose classes are not told apart by ``of_rows``."""
        if self.of_a_class is not None:
            return np.asarray(labels != self.label)
        are_together = not self._are_by_class and not self.is_regression
        return np.full(len(labels), are_together)

    @property
    def _are_by_class(self) -> bool:
        """Whether there is a number for each class."""
        return self.classes is not None and not self.is_share

    def are_of_classes(
        self, leaves: NDArray[np.intp], labels: NDArray[Any]
    ) -> bool | None:
        """Whether the numbers of rows of a class at the leaves are those of the sample
        that the tree was grown on; None if the tree does not have them beside those of
        all classes together.
        """
        if self.of_a_class is None:
            return None
        reached = self.count_rows(leaves, labels)
        return np.array_equal(reached, self.of_a_class.grown)

    @property
    def tell_classes(self) -> bool:
        """Whether the rows of each class are counted, or y is summed."""
        return self._are_by_class or (self.is_of_numbers and not self.is_share)

    def _table(
        self, leaves: NDArray[np.intp], labels: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Numbers of rows at the leaves, by classes if these are known."""
        n_leaves = len(self.grown)
        if self.is_of_numbers:
            sums = np.bincount(leaves, weights=labels, minlength=n_leaves)
            return np.column_stack([np.bincount(leaves, minlength=n_leaves), sums])
        if self.classes is None:
            return np.bincount(leaves, minlength=n_leaves).astype(float)[:, np.newaxis]
        columns = [
            np.bincount(leaves[labels == label], minlength=n_leaves)
            for label in self.classes
        ]
        if self.is_share:
            # Rows with other labels have been at the leaves, too.
            others = ~np.isin(labels, self.classes)
            columns.append(np.bincount(leaves[others], minlength=n_leaves))
        return np.column_stack(columns).astype(float)


def _counts_agree(labels: NDArray[Any], expected: dict[Any, float]) -> bool:
    """Whether each label occurs as often as expected."""
    n_rows = [np.count_nonzero(labels == label) for label in expected]
    return bool(np.allclose(n_rows, list(expected.values()), rtol=1e-5))
