"""Moments of the generalization error of random trees: exact, by one recursion over the nodes.

A node fixes some attributes. Its subtree's error, given the data, is a sum over independent children, and at
every point z of the contour (:mod:`reproduction.random_trees._poisson`) disjoint children factorize. So a
node is summarized by the series m = E[z^n], A = E[z^n G] and B = E[z^n G^2], where G is the subtree's error
*minus a constant of the node*, its mean. Centered at every node, no large numbers cancel, and B ends as the
variance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any

import numpy as np

from reproduction.random_trees._checks import check_system
from reproduction.random_trees._poisson import Contour, alike, window
from reproduction.random_trees.distribution import JointDistribution, masses, subsets_by_size, unused
from reproduction.random_trees.rules import StoppingRule
from treebounds._validation import check_integer

__all__ = ["ErrorMoments", "class_probabilities", "error_moments"]

_NEGLIGIBLE = 1e-30
# nodes x attributes x classes x root of the sample size; 4e6 of them take a second
_LARGEST_WORK = 2e8

Series = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class ErrorMoments:
    """Moments of the generalization error over all samples of the given size and all random trees.

    Attributes
    ----------
    mean, variance, second_moment, standard_deviation : float
    error_bound : float
        0 where the method is exact (its rounding errors are far below 1e-12); otherwise ``variance`` and
        ``second_moment`` are off by at most this.
    """

    mean: float
    error_bound: float = 0.0
    _variance: float | None = field(default=None, repr=False)

    @property
    def variance(self) -> float:
        """Over samples and trees; a ValueError where ``empty="parent"`` leaves it unknown."""
        if self._variance is None:
            raise ValueError(
                "the variance under empty='parent' is not computed: a label inherited from an ancestor ties "
                "all leaves below it together. Use simulate_moments(..., empty='parent'), which has standard "
                "errors, or empty='tie', which is exact"
            )
        return self._variance

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

    The tree is grown on ``n_examples`` independent draws; each node splits on an attribute chosen uniformly
    from those not used above it; a leaf predicts its majority class.

    Parameters
    ----------
    distribution : JointDistribution
    n_examples : int
        At least 1.
    rule : StoppingRule
    ties : {"lowest", "uniform"}
        A tied leaf predicts the tied class of lowest number, or one of them drawn uniformly for each leaf.
    empty : {"tie", "parent"}
        An empty leaf is a tie of all classes, or predicts the class of the nearest non-empty ancestor.

    Returns
    -------
    ErrorMoments
        Under "tie" everything is exact. Under "parent" the mean is; the variance is that of "tie" with
        ``error_bound`` where this is at most 1e-12; otherwise the attribute raises a ValueError.

    Raises
    ------
    ValueError
        If an argument is not valid, or there are too many nodes; the message gives their number and the
        time that the computation would take.

    Notes
    -----
    Replaces Equations 5, 7, 8 and 10 of Dhurandhar and Dobra (2008). With n nodes (the product of a_j + 1)
    the cost is of the order n d sqrt(N): N = 10,000 takes a second for five ternary attributes.

    Examples
    --------
    >>> from reproduction.random_trees import JointDistribution, StoppingRule, error_moments
    >>> p = JointDistribution([[[.225, .025], [.025, .225]], [[.025, .225], [.225, .025]]])
    >>> moments = error_moments(p, 100, StoppingRule(height=1))
    >>> round(moments.mean, 9), round(moments.variance, 9)
    (0.5, 0.0)
    >>> round(error_moments(p, 100, StoppingRule()).mean, 6)
    0.100002
    """
    n_examples = _check(distribution, n_examples, rule, ties, empty)
    tie = _Engine(distribution.probabilities, distribution.losses, n_examples, rule, ties)
    if empty == "tie":
        return ErrorMoments(*tie.moments())
    mean = _parent_mean(tie)
    bound = _empty_cell_bound(distribution, n_examples, rule)
    if bound > 1e-12:
        return ErrorMoments(mean, bound)
    return ErrorMoments(mean, 3 * bound, tie.moments()[2])


def class_probabilities(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    x: Any,
    ties: str = "lowest",
    empty: str = "tie",
) -> np.ndarray:
    """Probability, over samples and trees, that attribute vector x is given each of the classes.

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

    Examples
    --------
    >>> from reproduction.random_trees import JointDistribution, StoppingRule, class_probabilities
    >>> p = JointDistribution([[.4, .1], [.1, .4]])
    >>> class_probabilities(p, 1, StoppingRule(), [1]).round(12)
    array([0.6, 0.4])
    """
    n_examples = _check(distribution, n_examples, rule, ties, empty)
    cell = _check_cell(distribution, x)
    # only whether an attribute agrees with x matters to the path of x: every other value becomes one
    merged = distribution.probabilities
    for axis, value in enumerate(cell):
        own = merged.take([value], axis)
        merged = np.concatenate([own, merged.sum(axis=axis, keepdims=True) - own], axis)
    merged = np.maximum(merged, 0)
    result = []
    for label in range(distribution.n_classes):
        losses = np.zeros_like(merged)
        losses[(0,) * len(cell) + (label,)] = 1
        engine = _Engine(merged, losses, n_examples, rule, ties)
        result.append(engine.moments()[0] if empty == "tie" else _parent_mean(engine))
    return np.array(result)


def _check(distribution: Any, n_examples: Any, rule: Any, ties: Any, empty: Any) -> int:
    """The number of examples, if the arguments are legal and the exact moments take minutes at most."""
    n_examples = check_system(distribution, n_examples, rule, ties, empty)
    n_nodes = int(np.prod([a + 1 for a in distribution.n_values]))
    work = n_nodes * distribution.n_attributes * max(np.sqrt(n_examples), 10) * distribution.n_classes
    if work > _LARGEST_WORK:
        raise ValueError(
            f"too many cells: {distribution.n_cells} attribute vectors make {n_nodes} nodes, about "
            f"{work / 4e6 / 60:.1f} minutes and {n_nodes * np.sqrt(n_examples) * 2e-7:.1f} GB for "
            f"n_examples={n_examples}. Use simulate_moments, or merge attribute values"
        )
    return n_examples


def _check_cell(distribution: JointDistribution, x: Any) -> tuple[int, ...]:
    """The attribute vector x as value numbers."""
    if np.ndim(x) != 1:
        raise ValueError(f"x must be a sequence of {distribution.n_attributes} value numbers; got {x!r}")
    cell = tuple(check_integer(value, "x", minimum=0) for value in x)
    if len(cell) != distribution.n_attributes or np.any(np.greater_equal(cell, distribution.n_values)):
        raise ValueError(
            f"x must hold one value for each attribute, below {distribution.n_values}; got {cell}"
        )
    return cell


def _empty_cell_bound(distribution: JointDistribution, n_examples: int, rule: StoppingRule) -> float:
    """Bound on the probability that some node of the largest depth that has probability is empty."""
    depth = rule.depth(distribution.n_attributes)
    p = distribution.probabilities
    nodes = [
        masses(p, fixed, distribution.n_attributes).sum(axis=-1).ravel()
        for fixed in subsets_by_size(p.ndim - 1)[depth]
    ]
    every = np.concatenate(nodes)
    return float(min(1.0, np.sum((1 - every[every > 0].clip(max=1)) ** n_examples)))


def _combine(first: Series, second: Series) -> Series:
    """Series of the sum of two independent errors."""
    (m, a, b), (n, c, d) = first, second
    return m * n, a * n + m * c, b * n + m * d + 2 * a * c


def _along(series: Iterable[np.ndarray], axis: int) -> Series:
    """Combine the children that differ in one attribute."""
    m, a, b = series
    children = zip(*(np.split(part, m.shape[axis], axis) for part in (m, a, b)), strict=True)
    return reduce(_combine, children)


def _shift(series: Series, by: np.ndarray) -> Series:
    """Series of the error plus a constant of the node."""
    m, a, b = series
    by = by[..., None]
    return m, a + by * m, b + by * (2 * a + by * m)


class _Engine:
    """Blocks of nodes, one for each set of fixed attributes, from the leaves up."""

    def __init__(
        self, probabilities: np.ndarray, losses: np.ndarray, n_examples: int, rule: StoppingRule, ties: str
    ) -> None:
        self.n_attributes = probabilities.ndim - 1
        self.depth = rule.depth(self.n_attributes)
        self.pure = rule.pure
        self.ties = ties
        self.most = -1.0 if rule.scarcity is None else float(rule.scarcity)
        self.rates = {
            f: n_examples * masses(probabilities, f, self.n_attributes) for f in range(2**self.n_attributes)
        }
        self.losses = {f: masses(losses, f, self.n_attributes) for f in range(2**self.n_attributes)}
        self.contour = Contour(n_examples, max((self._width(f) for f in self.rates), default=0))
        self._kept: dict[int, dict[str, Any]] = {}

    def _width(self, fixed: int) -> int:
        """Roots of unity needed to tell the counts of borderline nodes apart."""
        low, high = window(self.rates[fixed].sum(axis=-1))
        borderline = (low <= self.most) & (high > self.most)
        return int(np.max(np.where(borderline, high - low + 1, 0)))

    def certain_leaves(self, fixed: int) -> bool:
        """Whether every node of a block is a leaf, whatever the data."""
        if fixed.bit_count() == self.depth:
            return True
        return bool(np.all(window(self.rates[fixed].sum(axis=-1))[1] <= self.most))

    def scarce(self, fixed: int) -> bool:
        """Whether some node of a block may be a leaf by scarcity."""
        return bool(np.any(window(self.rates[fixed].sum(axis=-1))[0] <= self.most))

    def impurity_matters(self, fixed: int) -> bool:
        """Whether some node of a block may be pure."""
        rates = self.rates[fixed]
        return self.pure and bool(np.any(np.exp(rates - rates.sum(axis=-1, keepdims=True)) > _NEGLIGIBLE))

    def moments(self) -> tuple[float, float, float]:
        """Mean, 0 for the error bound, variance."""
        center, (_, a, b) = self.run(self._inner, self._certain)
        rest = float(self.contour.expectation(a).item())
        variance = float(self.contour.expectation(b).item()) - rest**2
        return float(center.item()) + rest, 0.0, max(variance, 0.0)

    def run(self, inner: Callable, certain: Callable) -> Any:
        """Apply a recursion from the deepest nodes up and return the root's value."""
        needed, levels = {0}, []
        while needed:
            levels.append(sorted(needed))
            grown = [f for f in needed if not self.certain_leaves(f)]
            needed = {f | 1 << a for f in grown for a in unused(f, self.n_attributes)}
        below: dict[int, Any] = {}
        for level in reversed(levels):
            here = {f: certain(f) if self.certain_leaves(f) else inner(f, below) for f in level}
            # two neighboring levels at a time are all that is held in memory
            self._kept = {f: self._kept[f] for f in here.keys() & self._kept.keys()}
            below = here
        return below[0]

    def keep(self, fixed: int, what: str, make: Callable[..., Any], *arguments: Any) -> Any:
        """Cache a function's value for a block while its level is in use: its parents need it, too."""
        kept = self._kept.setdefault(fixed, {})
        if what not in kept:
            kept[what] = make(*arguments)
        return kept[what]

    def labels(self, fixed: int) -> np.ndarray:
        """Series of 'class i is the majority' for a block."""
        return self.keep(fixed, "labels", self.contour.label_series, self.rates[fixed], self.ties)

    def alone(self, fixed: int) -> np.ndarray:
        """Series of 'class i occurs and no other' for a block."""
        return self.keep(fixed, "alone", self.only_class, self.rates[fixed])

    def leaf(self, fixed: int, center: np.ndarray) -> Series:
        """A block's nodes as leaves."""
        m = self.contour.empty_sum(self.rates[fixed].sum(axis=-1))
        error, labels = self.losses[fixed] - center[..., None], self.labels(fixed)
        return m, _weighted(error, labels), _weighted(error**2, labels)

    def pure_leaves(self, fixed: int, center: np.ndarray) -> list[Series]:
        """A block's nodes as leaves in which only class c occurs, for each c; and empty, last."""
        error = self.losses[fixed] - center[..., None]
        # the same on the whole contour
        nothing = np.exp(-self.rates[fixed].sum(axis=-1))[..., None]
        tied = error[..., :1] if self.ties == "lowest" else error
        first, second = ((tied**q).mean(axis=-1)[..., None] for q in (1, 2))
        empty = nothing, first * nothing, second * nothing
        result = []
        for some, e in zip(self.alone(fixed), np.moveaxis(error, -1, 0)[..., None], strict=True):
            result.append((some + nothing, e * some + empty[1], e**2 * some + empty[2]))
        return [*result, empty]

    def empty_error(self, rates: np.ndarray, losses: np.ndarray) -> np.ndarray:
        """E[z^n error; empty], an empty node being a tie of all classes."""
        tie = losses[..., 0] if self.ties == "lowest" else losses.mean(axis=-1)
        return (np.exp(-rates.sum(axis=-1)) * tie)[..., None]

    def only_class(self, rates: np.ndarray) -> np.ndarray:
        """E[z^n; class c occurs and no other], the classes along the first axis."""
        distinct, places = alike(rates)
        w, total = distinct.T[..., None] * self.contour.z, distinct.sum(axis=-1)[..., None]
        right = w.real >= 0
        sign = np.where(right, -1.0, 1.0)
        # exp(w - total) - exp(-total), by the form that neither overflows nor cancels
        series = sign * np.exp(np.where(right, w, 0) - total) * np.expm1(sign * w)
        return series[:, places]

    def _certain(self, fixed: int) -> tuple[np.ndarray, Series]:
        """A block of leaves: center, and series of the error less the center."""
        start = self.losses[fixed].min(axis=-1)
        return self._centered(fixed, start, self.leaf(fixed, start))

    def _centered(self, fixed: int, center: np.ndarray, series: Series) -> tuple[np.ndarray, Series]:
        """Move a block's center to the mean of its error over samples of exactly N examples."""
        outside = self.rates[0].sum() - self.rates[fixed].sum(axis=-1)
        rest = self.contour.expectation(series[1] * self.contour.empty_sum(outside))
        return center + rest, _shift(series, -rest)

    def _inner(self, fixed: int, below: dict[int, Any]) -> tuple[np.ndarray, Series]:
        """U = mean over splits of the children's U, corrected where the node stops.

        If a node stops, so do all its children. Hence E[G; grows] is the sum over the children of E[G] less
        the part in which the node stops and the children are leaves, and E[G; stops] is added as the leaf
        itself.
        """
        splits = unused(fixed, self.n_attributes)
        children = [fixed | 1 << a for a in splits]
        sums = [below[f][0].sum(axis=a, keepdims=True) for f, a in zip(children, splits, strict=True)]
        center = np.mean(sums, axis=0)
        grown = self._over_splits(splits, [below[f][1] for f in children], sums, center)
        values = np.stack(grown[1:])
        rate = self.rates[fixed].sum(axis=-1)
        pure = self._pure_correction(fixed, splits, sums, center, below)
        if self.scarce(fixed):
            leaves = [self.keep(f, "leaf", self.leaf, f, below[f][0]) for f in children]
            instead = self._over_splits(splits, leaves, sums, center)
            stops = np.stack(self.leaf(fixed, center)[1:]) - np.stack(instead[1:])
            values = values + self.contour.truncate(stops - pure, rate, self.most)
        values = values + pure
        return self._centered(fixed, center, (grown[0], values[0], values[1]))

    def _over_splits(
        self, splits: list[int], children: list[Series], sums: list[np.ndarray], center: np.ndarray
    ) -> Any:
        """Mean over the split attributes of the children's combined series, relative to the node's center."""
        combined = [
            _shift(_along(child, a), total - center)
            for a, child, total in zip(splits, children, sums, strict=True)
        ]
        return tuple(sum(parts) / len(splits) for parts in zip(*combined, strict=True))

    def _pure_correction(
        self, fixed: int, splits: list[int], sums: list[np.ndarray], center: np.ndarray, below: dict[int, Any]
    ) -> np.ndarray:
        """Correction for split nodes that are pure: pure leaf minus pure children, first and second power."""
        if not self.impurity_matters(fixed):
            return np.zeros((2, *center.shape, len(self.contour.z)))
        own = self.pure_leaves(fixed, center)
        blocks = [fixed | 1 << a for a in splits]
        children = [self.keep(f, "pure leaves", self.pure_leaves, f, below[f][0]) for f in blocks]
        result: Any = 0
        for c, leaf in enumerate(own):
            split = self._over_splits(splits, [child[c] for child in children], sums, center)
            # 'at most one class' = sum over classes of 'only this class or none', less the empty node k - 1
            # times
            sign = 1 if c < len(own) - 1 else 2 - len(own)
            result = result + sign * (np.stack(leaf[1:]) - np.stack(split[1:]))
        return result


def _weighted(errors: np.ndarray, series: np.ndarray) -> np.ndarray:
    """Sum over the classes of error times series."""
    return np.sum(np.moveaxis(errors, -1, 0)[..., None] * series, axis=0)


def _parent_mean(engine: _Engine) -> float:
    """Mean error when an empty leaf inherits the label of its nearest ancestor that is not empty."""

    def certain(fixed: int) -> tuple[np.ndarray, np.ndarray]:
        """The error of leaves, twice."""
        return (_occupied(engine, fixed),) * 2

    root, _ = engine.run(partial(_parent_inner, engine), certain)
    return float(engine.contour.expectation(root).item())


def _occupied(engine: _Engine, fixed: int) -> np.ndarray:
    """E[z^n error; not empty] of a block's nodes as leaves."""
    losses = engine.losses[fixed]
    return _weighted(losses, engine.labels(fixed)) - engine.empty_error(engine.rates[fixed], losses)


def _parent_inner(engine: _Engine, fixed: int, below: dict[int, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Mean over the splits, where a child that is empty has the error of this node's label; error as leaves.

    A node that stops is corrected as in :meth:`_Engine._inner`: its own error less that of its children.
    """
    rates, z = engine.rates[fixed], engine.contour
    occupied = _occupied(engine, fixed)
    pure = _weighted(engine.losses[fixed], engine.alone(fixed)) if engine.pure else np.zeros_like(occupied)
    splits = unused(fixed, engine.n_attributes)
    grown, leaves = np.zeros_like(occupied), np.zeros_like(occupied)
    for a in splits:
        child = fixed | 1 << a
        own, losses, (value, as_leaf) = engine.rates[child], engine.losses[child], below[child]
        others = np.maximum(rates - own, 0)
        beside, without = z.empty_sum(others.sum(axis=-1)), np.exp(-own.sum(axis=-1))[..., None]
        if own.shape[a] == 2:
            labels = np.flip(engine.labels(child), a + 1)
        else:
            labels = z.label_series(others, engine.ties)
        # the siblings that an empty child inherits from are not all empty
        inherited = without * (_weighted(losses, labels) - engine.empty_error(others, losses))
        grown += (value * beside + inherited).sum(axis=a, keepdims=True) / len(splits)
        leaves += (as_leaf * beside + inherited).sum(axis=a, keepdims=True) / len(splits)
        if engine.pure:
            # the others hold only class c, or no example, if the whole node is pure
            alone, nothing = engine.only_class(others), np.exp(-others.sum(axis=-1))[..., None]
            parts = _weighted(losses, engine.alone(child) * (alone + nothing) + without * alone)
            pure -= parts.sum(axis=a, keepdims=True) / len(splits)
    if engine.scarce(fixed):
        grown += z.truncate(occupied - leaves - pure, rates.sum(axis=-1), engine.most)
    return grown + pure, occupied
