"""Moments of the generalization error of random trees: exact, by one recursion over the
nodes.

A node fixes some attributes. Given the data, the error of its subtree is a sum over
independent children, and at every point z of the contour
(:mod:`reproduction.random_trees._poisson`) the generating functions of disjoint
children are multiplied. So a node is summarized by the series m = E[z^n], A = E[z^n G]
and B = E[z^n G^2], where n is the number of its examples and G is the subtree's error
*minus a constant of the node*, its mean. As G is centered at every node, no large
numbers cancel, and B ends as the variance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from reproduction.random_trees._checks import check_system
from reproduction.random_trees._poisson import Contour, alike, window
from reproduction.random_trees.distribution import JointDistribution, masses, unused
from reproduction.random_trees.rules import StoppingRule
from treebounds._validation import check_array, shown

__all__ = ["ErrorMoments", "class_probabilities", "error_moments"]

_NEGLIGIBLE = 1e-30
# Limit for nodes times attributes times classes times the square root of the sample
# size; 4e6 take a second.
_LARGEST_WORK = 2e8


class Block(NamedTuple):
    """The nodes that fix the same attributes: centers of their errors, and series."""

    center: np.ndarray
    series: dict[Any, np.ndarray]


@dataclass(frozen=True)
class ErrorMoments:
    """Moments of the generalization error, or of an estimate of it, over all samples
    and random trees.

    Attributes
    ----------
    mean, variance, second_moment, standard_deviation : float
        Exact: rounding errors are far below 1e-12.
    known_variance : float or None
        None if the variance is not computed.
    """

    mean: float
    known_variance: float | None = field(default=None, repr=False)

    @property
    def variance(self) -> float:
        """The variance over samples and trees; ValueError if ``empty="parent"``."""
        if self.known_variance is None:
            raise ValueError(
                "the variance under empty='parent' is not computed: leaves that inherit"
                " a label from one ancestor depend on each other. Use"
                " simulate_moments(..., empty='parent'), which has standard errors, or"
                " empty='tie', which is exact"
            )
        return self.known_variance

    @property
    def second_moment(self) -> float:
        """Variance plus the squared mean."""
        return self.variance + self.mean**2

    @property
    def standard_deviation(self) -> float:
        """The square root of the variance."""
        return float(np.sqrt(self.variance))


def error_moments(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    ties: str = "lowest",
    empty: str = "tie",
) -> ErrorMoments:
    """Mean and variance of the generalization error of a random tree, exactly.

    The tree is grown on ``n_examples`` independent draws; each node splits on an
    attribute chosen uniformly from those not used above it; a leaf predicts its
    majority class.

    >>> from reproduction.random_trees import (
    ...     JointDistribution,
    ...     StoppingRule,
    ...     error_moments,
    ... )
    >>> p = JointDistribution(
    ...     [[[0.225, 0.025], [0.025, 0.225]], [[0.025, 0.225], [0.225, 0.025]]]
    ... )
    >>> moments = error_moments(p, 100, StoppingRule(height=1))
    >>> round(moments.mean, 9), round(moments.variance, 9)
    (0.5, 0.0)
    >>> round(error_moments(p, 100, StoppingRule()).mean, 6)
    0.100002

    Parameters
    ----------
    distribution : JointDistribution
    n_examples : int
        At least 1.
    rule : StoppingRule
    ties : {"lowest", "uniform"}
        A tied leaf predicts the tied class of lowest number, or one of them drawn
        uniformly for each leaf.
    empty : {"tie", "parent"}
        An empty leaf is a tie of all classes, or predicts the class of the nearest
        non-empty ancestor.

    Returns
    -------
    ErrorMoments
        Under "parent" it has only the mean; the other attributes raise a ValueError.

    Raises
    ------
    ValueError
        If an argument is not valid, or there are too many nodes; the error contains
        their number and the time that the computation would take.

    Notes
    -----
    The recursion replaces Equations 5, 7, 8 and 10 of Dhurandhar and Dobra (2008). With
    n nodes (the product of a_j + 1) the cost is of the order n d sqrt(N): N = 10,000
    takes a second for five ternary attributes.
    """
    n_examples = _check(distribution, n_examples, rule, ties, empty)
    recursion = _NodeRecursion(
        distribution.probabilities, distribution.losses, n_examples, rule, ties
    )
    if empty == "parent":
        return ErrorMoments(recursion.parent_mean())
    return ErrorMoments(*recursion.moments())


def class_probabilities(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    x: Any,
    ties: str = "lowest",
    empty: str = "tie",
) -> np.ndarray:
    """Probability, over samples and trees, that attribute vector x is given each of the
    classes.

    >>> from reproduction.random_trees import (
    ...     JointDistribution,
    ...     StoppingRule,
    ...     class_probabilities,
    ... )
    >>> p = JointDistribution([[0.4, 0.1], [0.1, 0.4]])
    >>> class_probabilities(p, 1, StoppingRule(), [1]).round(12)
    array([0.6, 0.4])

    Parameters
    ----------
    distribution, n_examples, rule, ties, empty
        See :func:`error_moments`; both conventions for empty leaves are exact here.
    x : sequence of int, length d
        Value numbers, from 0.

    Returns
    -------
    ndarray of shape (k,)
        Sums to 1.
    """
    n_examples = _check(distribution, n_examples, rule, ties, empty)
    cell = check_array(x, "x", np.int64)
    if cell.shape != (distribution.n_attributes,) or not np.all(
        (cell >= 0) & (cell < distribution.n_values)
    ):
        raise ValueError(
            f"x must hold one value for each attribute, below {distribution.n_values};"
            f" got {shown(x)}"
        )

    # The path of x depends only on whether attributes agree with x, so all other values
    # are merged into one.
    merged = distribution.probabilities
    for axis, value in enumerate(cell):
        own = merged.take([value], axis)
        merged = np.concatenate([own, merged.sum(axis=axis, keepdims=True) - own], axis)

    merged = np.maximum(merged, 0)
    result = []
    for label in range(distribution.n_classes):
        losses = np.zeros_like(merged)
        losses[(0,) * len(cell) + (label,)] = 1
        recursion = _NodeRecursion(merged, losses, n_examples, rule, ties)
        if empty == "parent":
            result.append(recursion.parent_mean())
        else:
            mean, _ = recursion.moments()
            result.append(mean)

    return np.array(result)


def _check(distribution: Any, n_examples: Any, rule: Any, ties: Any, empty: Any) -> int:
    """The number of examples, or a ValueError if an argument is invalid or the moments
    take too long.
    """
    n_examples = check_system(distribution, n_examples, rule, ties, empty)
    n_nodes = int(np.prod([a + 1 for a in distribution.n_values]))
    work = (
        n_nodes
        * distribution.n_attributes
        * max(np.sqrt(n_examples), 10)
        * distribution.n_classes
    )
    if work > _LARGEST_WORK:
        raise ValueError(
            f"too many cells: {distribution.n_cells} attribute vectors make {n_nodes}"
            f" nodes, about {work / 4e6 / 60:.1f} minutes and"
            f" {n_nodes * np.sqrt(n_examples) * 2e-7:.1f} GB for"
            f" n_examples={n_examples}. Use simulate_moments, or merge attribute values"
        )

    return n_examples


def _combine(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The series of the sum of two independent errors."""
    (m, a, b) = first
    (n, c, d) = second
    combined = np.empty_like(first)
    combined[0] = m * n
    combined[1] = a * n + m * c
    combined[2] = b * n + m * d + 2 * a * c
    return combined


def _shift(series: np.ndarray, by: np.ndarray) -> np.ndarray:
    """The series of the error plus a constant of the node."""
    (m, a, _) = series
    by = by[..., None]
    moved = by * m
    shifted = series.copy()
    shifted[1] += moved
    shifted[2] += by * (2 * a + moved)
    return shifted


def _of_errors(errors: np.ndarray, series: np.ndarray) -> np.ndarray:
    """The series of a leaf, from the errors and the series of all labels; the first
    axis is the label.
    """
    return np.stack([(errors**q * series).sum(axis=0) for q in (0, 1, 2)])


class _NodeRecursion:
    """The recursion over blocks of nodes, one for each set of fixed attributes, from
    the leaves up.

    The series of a node are m, A and B, stacked. There are several kinds of them, by
    the error in question: that of the subtree as it grows ("grown"), of the node as a
    leaf ("leaf"), of a leaf in which only class c occurs (c), or of a leaf without
    examples ("empty").
    """

    def __init__(
        self,
        probabilities: np.ndarray,
        losses: np.ndarray,
        n_examples: int,
        rule: StoppingRule,
        ties: str,
    ) -> None:
        self.d = probabilities.ndim - 1
        self.rule = rule
        self.ties = ties
        self.depth = rule.depth(self.d)
        self.most = -1.0
        if rule.scarcity is not None:
            self.most = float(rule.scarcity)
        blocks = range(2**self.d)
        self.rates = {f: n_examples * masses(probabilities, f, self.d) for f in blocks}
        self.totals = {f: rates.sum(axis=-1) for f, rates in self.rates.items()}
        self.losses = {f: masses(losses, f, self.d) for f in blocks}

        # The indicator of "at most one class" is the sum over classes of that of "only
        # this class or empty", minus k - 1 times that of "empty".
        k = probabilities.shape[-1]
        self.signs: dict[Any, int] = {**dict.fromkeys(range(k), 1), "empty": 1 - k}
        self.contour = Contour(n_examples, max(self._width(f) for f in blocks))

    def _width(self, fixed: int) -> int:
        """Number of roots that distinguish the counts of nodes that may or may not be
        scarce.
        """
        low, high = window(self.totals[fixed])
        borderline = (low <= self.most) & (high > self.most)
        return int(np.max(np.where(borderline, high - low + 1, 0)))

    def are_always_leaves(self, fixed: int) -> bool:
        """Whether every node of a block is a leaf, whatever the data."""
        return fixed.bit_count() == self.depth or bool(
            np.all(window(self.totals[fixed])[1] <= self.most)
        )

    def may_be_scarce(self, fixed: int) -> bool:
        """Whether some node of a block may be a leaf by scarcity; then a child of it
        may be one, too.
        """
        return bool(np.any(window(self.totals[fixed])[0] <= self.most))

    def may_be_pure(self, fixed: int) -> bool:
        """Whether the rule stops at pure nodes and some node of a block may be pure."""
        log_p = self.rates[fixed] - self.totals[fixed][..., None]
        return self.rule.pure and bool(np.any(np.exp(log_p) > _NEGLIGIBLE))

    def run(self, block: Callable[[int, dict[int, Any]], Any]) -> Any:
        """Apply a recursion from the deepest nodes up and return the root's value."""
        needed = {0}
        levels = []
        while needed:
            levels.append(sorted(needed))
            inner = [f for f in needed if not self.are_always_leaves(f)]
            needed = set()
            for f in inner:
                needed |= {f | 1 << a for a in unused(f, self.d)}

        # Only two neighboring levels are in memory at a time.
        below: dict[int, Any] = {}
        for level in reversed(levels):
            below = {f: block(f, below) for f in level}
        return below[0]

    def moments(self) -> tuple[float, float]:
        """The mean and the variance of the error."""
        center, series = self.run(self._block)
        _, first, second = self.contour.expectation(series["grown"]).reshape(3)
        return float(center.item() + first), float(max(second - first**2, 0.0))

    def _block(self, fixed: int, below: dict[int, Block]) -> Block:
        """The centers and the series of a block.

        If a node stops, all its children stop, too. So the series of the growing
        subtree is the sum over the children, minus the part in which the node stops and
        its children are leaves, plus the series of the node itself as a leaf in that
        part.
        """
        if self.are_always_leaves(fixed):
            center = self.losses[fixed].min(axis=-1)
            series = self._leaves(fixed, center)
            return self._centered(fixed, center, {**series, "grown": series["leaf"]})

        splits = unused(fixed, self.d)
        children = [below[fixed | 1 << a] for a in splits]
        sums = [
            child.center.sum(axis=a, keepdims=True)
            for a, child in zip(splits, children, strict=True)
        ]
        center = np.mean(sums, axis=0)

        def split(kind: Any) -> np.ndarray:
            """The mean, over the attributes to split on, of the children's combined
            series.
            """
            total: Any = 0
            for a, child, moved in zip(splits, children, sums, strict=True):
                series = child.series[kind]
                parts = np.split(series, series.shape[a + 1], axis=a + 1)
                total = total + _shift(reduce(_combine, parts), moved - center)
            return total / len(splits)

        own = self._leaves(fixed, center)
        grown = split("grown")
        pure = sum(
            sign * (own[kind] - split(kind))
            for kind, sign in self.signs.items()
            if kind in own
        )
        if "leaf" in own:
            scarce = own["leaf"] - split("leaf") - pure
            grown = grown + self.contour.truncate(scarce, self.totals[fixed], self.most)

        return self._centered(fixed, center, {**own, "grown": grown + pure})

    def _leaves(self, fixed: int, center: np.ndarray) -> dict[Any, np.ndarray]:
        """The series of a block's nodes as leaves and as pure leaves, if the rule can
        make such leaves.
        """
        rates = self.rates[fixed]
        errors = np.moveaxis(self.losses[fixed] - center[..., None], -1, 0)[..., None]
        series: dict[Any, np.ndarray] = {}
        if self.may_be_scarce(fixed) or self.are_always_leaves(fixed):
            labels = self.contour.label_series(rates, self.ties)
            series["leaf"] = _of_errors(errors, labels)

        if self.may_be_pure(fixed):
            # In an empty cell all labels tie.
            tied = errors
            if self.ties == "lowest":
                tied = errors[:1]
            # The same at every root of unity.
            nothing = np.exp(-self.totals[fixed])[..., None]
            series["empty"] = _of_errors(tied, nothing / len(tied))
            for c, some in enumerate(self._only_class(rates)):
                series[c] = _of_errors(errors[c : c + 1], some) + series["empty"]

        return series

    def _only_class(self, rates: np.ndarray) -> np.ndarray:
        """E[z^n; class c occurs and no other]; the first axis is c."""
        distinct, places = alike(rates)
        w = distinct.T[..., None] * self.contour.z
        total = distinct.sum(axis=-1)[..., None]
        right = w.real >= 0
        sign = np.where(right, -1.0, 1.0)

        # exp(w - total) - exp(-total), in a form that neither overflows nor loses
        # digits.
        series = sign * np.exp(np.where(right, w, 0) - total) * np.expm1(sign * w)
        return series[:, places]

    def _centered(
        self, fixed: int, center: np.ndarray, series: dict[Any, np.ndarray]
    ) -> Block:
        """Move a block's centers to the means of its errors over samples of exactly N
        examples.
        """
        outside = self.contour.empty_sum(self.totals[0].sum() - self.totals[fixed])
        rest = self.contour.expectation(series["grown"][1] * outside)
        shifted = {kind: _shift(values, -rest) for kind, values in series.items()}
        return Block(center + rest, shifted)

    def parent_mean(self) -> float:
        """The mean error if an empty leaf inherits the label of its nearest ancestor
        that is not empty.

        Below a pure node all labels are the same, so stopping at pure nodes does not
        change the error.
        """
        return float(self.contour.expectation(self.run(self._parent_block)[0]).item())

    def _occupied(self, rates: np.ndarray, losses: np.ndarray) -> np.ndarray:
        """E[z^n error; not empty] of nodes as leaves."""
        labels = self.contour.label_series(rates, self.ties)
        with_empty = (np.moveaxis(losses, -1, 0)[..., None] * labels).sum(axis=0)

        # In an empty node all labels tie.
        tie = losses.mean(axis=-1)
        if self.ties == "lowest":
            tie = losses[..., 0]
        return with_empty - (np.exp(-rates.sum(axis=-1)) * tie)[..., None]

    def _parent_block(
        self, fixed: int, below: dict[int, Any]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The series E[z^n error; not empty] of a block: of the growing subtrees, and
        of their leaves.

        An empty child has the error of this node's label. For a node that stops, its
        own error replaces that of its children, as in :meth:`_block`.
        """
        occupied = self._occupied(self.rates[fixed], self.losses[fixed])
        if self.are_always_leaves(fixed):
            return occupied, occupied

        splits = unused(fixed, self.d)
        sums = np.zeros((2, *occupied.shape), dtype=complex)
        for a in splits:
            child = fixed | 1 << a
            others = np.maximum(self.rates[fixed] - self.rates[child], 0)
            beside = self.contour.empty_sum(others.sum(axis=-1))

            # An empty child inherits the label only if not all of its siblings are
            # empty, too.
            is_empty = np.exp(-self.totals[child])[..., None]
            inherited = is_empty * self._occupied(others, self.losses[child])
            children = np.stack(below[child]) * beside + inherited
            sums += children.sum(axis=a + 1, keepdims=True)

        grown, leaves = sums / len(splits)
        if self.may_be_scarce(fixed):
            change = occupied - leaves
            grown += self.contour.truncate(change, self.totals[fixed], self.most)

        return grown, occupied
