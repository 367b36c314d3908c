"""Joint distributions of categorical attributes and a class."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from treebounds._validation import check_numbers, check_option, is_missing

__all__ = ["JointDistribution"]


class JointDistribution:
    """The probabilities p(x, c) of all attribute vectors x with all classes c.

    The class is the exclusive or of two fair attributes, nine times out of ten:

    >>> from reproduction.random_trees import JointDistribution
    >>> p = JointDistribution(
    ...     [[[0.225, 0.025], [0.025, 0.225]], [[0.025, 0.225], [0.225, 0.025]]]
    ... )
    >>> p.n_values, p.n_classes, round(p.bayes_error, 12), round(p.correlation, 12)
    ((2, 2), 2, 0.1, 0.64)

    Parameters
    ----------
    probabilities : array_like of shape (a_1, ..., a_d, k)
        Attribute j takes the values 0, ..., a_j - 1 with a_j >= 2, and there are k >= 2
        classes. The entries are at least 0 and sum to 1 up to 1e-9; they are rescaled
        to sum to 1.

    Attributes
    ----------
    probabilities : ndarray
        Read-only.
    n_values : tuple of int
        a_1, ..., a_d.
    n_attributes : int
        The number d.
    n_classes : int
        The number k.
    n_cells : int
        The number a_1 ... a_d of attribute vectors.
    """

    def __init__(self, probabilities: Any) -> None:
        p = check_numbers(probabilities, "probabilities", "[0, inf)")
        if p.ndim < 2 or p.shape[-1] < 2:
            raise ValueError(
                "probabilities must have the shape (a_1, ..., a_d, k), k >= 2; got"
                f" {p.shape}"
            )
        if min(p.shape[:-1]) < 2:
            raise ValueError(
                f"probabilities: attribute {int(np.argmin(p.shape[:-1]))} has fewer"
                f" than two values (shape {p.shape}); leave it out"
            )
        if abs(p.sum() - 1) > 1e-9:
            raise ValueError(
                f"probabilities must sum to 1; they sum to {float(p.sum())!r}"
            )

        self.probabilities = p / p.sum()
        self.probabilities.setflags(write=False)

    @classmethod
    def from_data(cls, X: Any, y: Any, cut: str | None = None) -> JointDistribution:
        """The empirical distribution of a data set: cell counts divided by the number
        of rows.

        >>> from reproduction.random_trees import JointDistribution
        >>> p = JointDistribution.from_data(
        ...     [[1.0], [2.0], [6.0]], ["a", "b", "a"], cut="mean"
        ... )
        >>> p.probabilities.round(2)
        array([[0.33, 0.33],
               [0.33, 0.  ]])

        Parameters
        ----------
        X : array_like of shape (m, d)
            Categorical attributes; their values and the classes are numbered in sorted
            order.
        y : array_like of shape (m,)
        cut : None or "mean"
            "mean" turns each numerical attribute into two values, split at its mean
            (Section 3 of the paper); a value equal to the mean belongs to the upper
            part.

        Returns
        -------
        JointDistribution

        Raises
        ------
        ValueError
            If X and y do not match or have missing entries, or an attribute or the
            class has a single value.
        """
        X = np.asarray(X)
        y = np.asarray(y)
        if X.ndim != 2 or y.shape != (len(X),) or len(y) == 0:
            raise ValueError(
                f"X must be (m, d) and y (m,) with m >= 1; got {X.shape} and {y.shape}"
            )

        if cut is not None:
            check_option(cut, "cut", ("mean",))
            X = check_numbers(X, "X", "(-inf, inf)") >= X.mean(axis=0)

        if np.any(is_missing(X)) or np.any(is_missing(y)):
            raise ValueError(
                "X and y must not have NaN or None: give missing entries a value of"
                " their own"
            )

        columns = [np.unique(column, return_inverse=True) for column in (*X.T, y)]
        counts = np.zeros([len(values) for values, _ in columns])
        np.add.at(counts, tuple(codes.ravel() for _, codes in columns), 1)

        return cls(counts / len(y))

    @property
    def n_values(self) -> tuple[int, ...]:
        """Number of values of each attribute, a_1, ..., a_d."""
        return self.probabilities.shape[:-1]

    @property
    def n_attributes(self) -> int:
        """The number d."""
        return self.probabilities.ndim - 1

    @property
    def n_classes(self) -> int:
        """The number k."""
        return self.probabilities.shape[-1]

    @property
    def n_cells(self) -> int:
        """The number a_1 ... a_d of attribute vectors."""
        return int(np.prod(self.n_values))

    @property
    def nodes_by_depth(self) -> np.ndarray:
        """Number of nodes that fix 0, 1, ..., d attributes: coefficients of the product
        of all 1 + a_j t.
        """
        return reduce(np.convolve, ([1, a] for a in self.n_values), np.ones(1))

    @property
    def losses(self) -> np.ndarray:
        """The loss p(x) - p(x, i) of predicting class i in cell x, shape (a_1, ...,
        a_d, k).
        """
        return self.probabilities.sum(axis=-1, keepdims=True) - self.probabilities

    @property
    def bayes_error(self) -> float:
        """The smallest generalization error that any classifier has."""
        return float(1 - self.probabilities.max(axis=-1).sum())

    @property
    def correlation(self) -> float:
        """Dependence of class and attributes, the sum of (p(x,c) - p(x)p(c))^2 /
        (p(x)p(c)), page 13 ff.

        0 when they are independent, at most k - 1.
        """
        p = self.probabilities.reshape(-1, self.n_classes)
        product = p.sum(axis=1, keepdims=True) * p.sum(axis=0)
        positive = product > 0
        return float(np.sum((p - product)[positive] ** 2 / product[positive]))

    def __repr__(self) -> str:
        return (
            f"JointDistribution(n_values={self.n_values}, n_classes={self.n_classes})"
        )


def masses(weights: np.ndarray, fixed: int, n_attributes: int) -> np.ndarray:
    """Weights of the nodes whose path fixes a set of attributes, given by its bits.

    The attributes are the first axes of ``weights``; in the result, axes that are not
    fixed have length 1.
    """
    free = tuple(unused(fixed, n_attributes))
    return weights.sum(axis=free, keepdims=True)


def subsets_by_size(n_attributes: int) -> list[list[int]]:
    """All sets of attributes as bit masks, grouped by their number of attributes."""
    groups: list[list[int]] = [[] for _ in range(n_attributes + 1)]
    for fixed in range(2**n_attributes):
        groups[fixed.bit_count()].append(fixed)
    return groups


def unused(fixed: int, n_attributes: int) -> list[int]:
    """The attributes that a path does not fix and can still split on."""
    return [j for j in range(n_attributes) if not fixed >> j & 1]
