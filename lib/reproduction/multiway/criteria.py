"""Splitting criteria: the impurity of a node and the gain of a split."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.compiling import njit
from treebounds._validation import check_numbers, check_option

__all__ = ["impurity", "split_gain"]

CRITERIA = ("entropy", "gini", "error")


def impurity(counts: ArrayLike, criterion: str = "entropy") -> NDArray[np.float64]:
    """Impurity C of the class distribution at a node; the last axis runs over the
    classes.

    >>> from reproduction.multiway import impurity
    >>> impurity([[3, 1], [2, 2]], "gini")
    array([0.375, 0.5  ])

    Parameters
    ----------
    counts : array_like, shape (..., n_classes)
        Number of examples of each class, or their fractions. A node without examples
        has impurity 0.
    criterion : {"entropy", "gini", "error"}
        ``-sum p ln p`` in nats, ``1 - sum p^2``, or ``1 - max p``. For two classes with
        fraction a these are ``-a ln a - (1-a) ln(1-a)``, ``2a(1-a)`` and ``min(a,
        1-a)``.

    Returns
    -------
    ndarray, shape (...)

    References
    ----------
    Peng's notes, section 18.2, the three gain measures C(a).
    """
    counts = check_numbers(counts, "counts", "[0, inf)")
    total = counts.sum(axis=-1)
    return weighted_impurity(counts, criterion) / np.where(total > 0, total, 1)


def weighted_impurity(
    counts: ArrayLike, criterion: str = "entropy"
) -> NDArray[np.float64]:
    """The number of examples times :func:`impurity`, so that the values of a split's
    children can be added.

    >>> from reproduction.multiway.criteria import weighted_impurity
    >>> weighted_impurity([[3, 1], [2, 2]], "error")
    array([1., 2.])
    """
    check_option(criterion, "criterion", CRITERIA)
    counts = np.array(counts, dtype=float, order="C")
    nodes = counts.reshape(-1, counts.shape[-1])
    values = _of_nodes(nodes, CRITERIA.index(criterion))
    return values.reshape(counts.shape[:-1])


@njit
def _of_nodes(nodes, criterion):
    """:func:`weighted_impurity` of several nodes."""
    values = np.empty(len(nodes))
    for i in range(len(nodes)):
        values[i] = weighted_impurity_of_node(nodes[i], criterion)
    return values


@njit
def weighted_impurity_of_node(counts, criterion):
    """:func:`weighted_impurity` of one node; the criterion is given by its place in
    ``CRITERIA``.
    """
    total = counts.sum()
    if criterion == 2 or total == 0:
        return float(total - counts.max())
    if criterion == 1:
        return total - (counts**2).sum() / total
    present = counts[counts > 0]
    return total * np.log(total) - (present * np.log(present)).sum()


def split_gain(counts: ArrayLike, criterion: str = "entropy") -> NDArray[np.float64]:
    """Gain of a split: impurity before it minus the mean impurity of its branches.

    A split can gain nothing in training errors and still be informative:

    >>> from reproduction.multiway import split_gain
    >>> counts = [[30, 10], [40, 0]]
    >>> (
    ...     float(split_gain(counts, "error")),
    ...     round(float(split_gain(counts, "entropy")), 3),
    ... )
    (0.0, 0.096)

    Parameters
    ----------
    counts : array_like, shape (..., n_branches, n_classes)
        Examples of each class in each branch.
    criterion : {"entropy", "gini", "error"}

    Returns
    -------
    ndarray, shape (...)
        Never negative up to rounding, since the impurities are concave.

    References
    ----------
    Peng's notes, section 18.2, Gain(S, i).
    """
    counts = check_numbers(counts, "counts", "[0, inf)")
    parent = counts.sum(axis=-2)
    total = parent.sum(axis=-1)
    gained = weighted_impurity(parent, criterion) - weighted_impurity(
        counts, criterion
    ).sum(axis=-1)
    return gained / np.where(total > 0, total, 1)
