"""The numbers of rows of a class at the leaves of a boosted classifier's first tree.

Boosting keeps no classes, but values from which they follow. Before the first tree
every row has the same probability p of a class. So at a leaf with rows of total weight
W, of which W_1 belong to the class, the sum of the gradients of the log loss is G = W p
- W_1, and that of the second derivatives is H = h W, where h is that of a single row.
The value of the leaf is -r G / (H + s), with the learning rate r and the penalty s.
Hence W_1 = W p + (H + s) value / r.

Such numbers are used only if they are whole, or become whole when the weights of the
classes are taken out: those of one class are multiples of its weight. They are not
whole with other penalties or weights, with rows that were drawn, or if the learner was
changed after its fit. No test errs more often because of wrong numbers, see
:mod:`treebounds.risk.reuse.leaf_evidence`: there the numbers of the tree may be any
that do not depend on the cases that judge.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.reuse.leaf_counts.weights import multiples_of_a_weight

# How far numbers may be from whole ones: gradients are 32-bit floats.
_TOLERANCE = 0.1


class ClassNumbers(NamedTuple):
    """The numbers of rows of one class, and of all others, at the leaves of a tree.

    Attributes
    ----------
    place : int
        The place of the class among those of the model.
    grown : (n_leaves, 2) array of float
        Numbers of rows of the other classes, and of this one.
    """

    place: int
    grown: NDArray[np.float64]


class FirstStep(NamedTuple):
    """What a learner keeps of the first tree that it grew for a class.

    Attributes
    ----------
    place : int
        The place of the class among those of the model.
    p : float
        Its probability before the tree.
    derivative : float
        The second derivative h of the loss of a row.
    values : (n_leaves,) array
        The values of the leaves, without the learning rate.
    derivatives : (n_leaves,) array
        The sums H of the second derivatives at the leaves.
    penalty : float
        Added to H.
    """

    place: int
    p: float
    derivative: float
    values: NDArray[Any]
    derivatives: NDArray[Any]
    penalty: float = 0.0

    def weights(self) -> NDArray[np.float64]:
        """The weights of the rows of the other classes, and of this one, at leaves."""
        of_all = self.derivatives / self.derivative
        own = self.p * of_all + (self.derivatives + self.penalty) * self.values
        return np.column_stack([of_all - own, own])

    def numbers(
        self, n_rows: NDArray[Any] | None, own_weight: float = 1.0
    ) -> ClassNumbers | None:
        """The numbers of rows; None if they do not follow.

        Parameters
        ----------
        n_rows : (n_leaves,) array or None
            The numbers of all rows at the leaves, if they are known.
        own_weight : float
            The weight of a row of this class, if those of the others have weight 1.
        """
        weights = self.weights() / [1.0, own_weight]
        if not np.isfinite(weights).all():
            return None
        numbers = np.rint(weights)
        if _are_close(weights, numbers) and _fit(numbers, n_rows):
            return ClassNumbers(self.place, numbers)

        if n_rows is not None:
            weights = _in_rows(weights, n_rows)
            numbers = np.rint(weights)
            are_numbers = _are_close(weights, numbers) and _fit(numbers, n_rows)
            return ClassNumbers(self.place, numbers) if are_numbers else None

        of_all = self.derivatives / self.derivative
        others, own = map(multiples_of_a_weight, weights.T)
        # Where all rows have weight 1, the numbers of a class would have been whole.
        if others is None or own is None or _are_close(of_all, np.rint(of_all)):
            return None
        return ClassNumbers(self.place, np.column_stack([others, own]))


def _are_close(values: NDArray[Any], numbers: NDArray[Any]) -> bool:
    """Whether values are these numbers, within rounding."""
    return np.allclose(values, numbers, rtol=0, atol=_TOLERANCE)


def _fit(numbers: NDArray[Any], n_rows: NDArray[Any] | None) -> bool:
    """Whether these can be the numbers of rows by classes at leaves."""
    sums = numbers.sum(axis=1)
    are_all = n_rows is None or np.array_equal(sums, n_rows)
    return bool(are_all and (numbers >= 0).all())


def _in_rows(weights: NDArray[Any], n_rows: NDArray[Any]) -> NDArray[np.float64]:
    """Sums of weights by classes, each divided by the weight of a row of its class.

    The rows of a leaf are the sum of these quotients, and all rows of a class have the
    same weight; so each leaf gives an equation, which is linear in 1 / weight.
    """
    per_weight: NDArray[np.float64] = np.linalg.lstsq(weights, n_rows, rcond=None)[0]
    return weights * per_weight


def place_of_first_tree(n_classes: int) -> int:
    """The class that the first tree of boosting is about: the second one of two."""
    return 0 if n_classes > 2 else 1
