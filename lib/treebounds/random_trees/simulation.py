"""Many data sets at once: one tree grown on each, or the average over all random trees computed on each.

Both are one recursion over the nodes, vectorized over data sets (the last axis but one of the count arrays
is the data set). The second, a Rao-Blackwellized estimate, leaves no variation between trees to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from scipy.special import gammaln

from treebounds._validation import check_integer, check_option
from treebounds.random_trees._checks import check_system, fold_size, generator
from treebounds.random_trees.distribution import JointDistribution, subsets_by_size, unused
from treebounds.random_trees.rules import StoppingRule
from treebounds.random_trees.selection import SELECTIONS, first_best, gain

__all__ = [
    "SimulatedMoments",
    "enumerated_moments",
    "simulate_averages",
    "simulate_cross_validation",
    "simulate_errors",
    "simulate_moments",
]

# counts held in memory at a time
_CHUNK = 4_000_000
_MOST_TABLES = 20_000_000
# counts of one data set: 4e6 of them take more than a minute
_MOST_COUNTS = 4_000_000


@dataclass(frozen=True)
class SimulatedMoments:
    """Estimates with standard errors; ``n_samples`` data sets were drawn.

    ``covariance`` is that of two independent random trees on one sample, the variance of E[GE | sample].
    """

    mean: float
    mean_error: float
    variance: float
    variance_error: float
    covariance: float
    covariance_error: float
    n_samples: int

    @property
    def second_moment(self) -> float:
        """Variance plus the squared mean."""
        return self.variance + self.mean**2


def simulate_errors(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    n_trees: int,
    ties: str = "lowest",
    empty: str = "tie",
    selection: str = "random",
    random_state: int | np.random.Generator = 0,
) -> np.ndarray:
    """Generalization errors of trees, each grown on its own sample; plain Monte Carlo.

    The error of each tree is computed from the distribution, without a test set.

    Parameters
    ----------
    distribution, n_examples, rule, ties, empty
        See :func:`error_moments`.
    n_trees : int
    selection : {"random", "information-gain", "gini", "gain-ratio"}
        How a node chooses among the attributes not used above it; ties of gains go to the first attribute.
    random_state : int or numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_trees,)

    Examples
    --------
    >>> from treebounds.random_trees import JointDistribution, StoppingRule, simulate_errors
    >>> p = JointDistribution([[.4, .1], [.1, .4]])
    >>> simulate_errors(p, 5, StoppingRule(), 4).round(12)
    array([0.2, 0.8, 0.2, 0.2])
    """
    forest = _Forest(distribution, n_examples, rule, ties, empty)
    check_option(selection, "selection", SELECTIONS)
    n_trees = check_integer(n_trees, "n_trees")
    rng = generator(random_state)
    samples = forest.samples(n_trees, rng)
    return np.concatenate([forest.one_tree(counts, selection, rng) for counts in samples])


def simulate_moments(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    n_samples: int = 10_000,
    ties: str = "lowest",
    empty: str = "tie",
    random_state: int | np.random.Generator = 0,
) -> SimulatedMoments:
    """Moments of the generalization error of random trees: exact over the trees, simulated over the samples.

    For what :func:`error_moments` and :func:`two_tree_covariance` refuse: every rule, any number of classes,
    both conventions for ties and for empty leaves.

    Examples
    --------
    >>> from treebounds.random_trees import JointDistribution, StoppingRule, simulate_moments
    >>> p = JointDistribution([[.4, .1], [.1, .4]])
    >>> found = simulate_moments(p, 5, StoppingRule(), n_samples=2000)
    >>> abs(found.mean - 0.2960) < 4 * found.mean_error
    True
    """
    forest = _Forest(distribution, n_examples, rule, ties, empty)
    n_samples = check_integer(n_samples, "n_samples", minimum=2)
    samples = forest.samples(n_samples, random_state)
    first, second = np.concatenate([forest.all_trees(counts) for counts in samples], axis=1)
    mean = float(first.mean())
    # centered at the estimated mean: each data set's contribution to the variance and to the covariance
    spread = second - 2 * mean * first + mean**2
    between = (first - mean) ** 2
    root = np.sqrt(n_samples)
    return SimulatedMoments(
        mean,
        float(first.std(ddof=1) / root),
        float(spread.mean()),
        float(spread.std(ddof=1) / root),
        float(between.sum() / (n_samples - 1)),
        float(between.std(ddof=1) / root),
        n_samples,
    )


def simulate_averages(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    n_samples: int,
    ties: str = "lowest",
    empty: str = "tie",
    random_state: int | np.random.Generator = 0,
) -> np.ndarray:
    """E[GE | sample], the average over all random trees, for each of ``n_samples`` samples.

    Examples
    --------
    >>> from treebounds.random_trees import JointDistribution, StoppingRule, simulate_averages
    >>> p = JointDistribution([[.4, .1], [.1, .4]])
    >>> simulate_averages(p, 5, StoppingRule(), 4).round(12)
    array([0.2, 0.8, 0.2, 0.2])
    """
    forest = _Forest(distribution, n_examples, rule, ties, empty)
    samples = forest.samples(check_integer(n_samples, "n_samples"), random_state)
    return np.concatenate([forest.all_trees(counts)[0] for counts in samples])


def simulate_cross_validation(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    n_folds: int,
    n_samples: int = 1000,
    ties: str = "lowest",
    empty: str = "tie",
    random_state: int | np.random.Generator = 0,
    tree_at_hand: bool = False,
) -> np.ndarray:
    """Cross-validation errors of ``n_samples`` data sets, a new random tree for each fold.

    With ``tree_at_hand`` the result has a second row: the generalization error of one more random tree for
    each data set, grown on all its examples.

    Examples
    --------
    >>> from treebounds.random_trees import JointDistribution, StoppingRule, simulate_cross_validation
    >>> p = JointDistribution([[.4, .1], [.1, .4]])
    >>> simulate_cross_validation(p, 6, StoppingRule(), 3, n_samples=50).shape
    (50,)
    """
    forest = _Forest(distribution, n_examples, rule, ties, empty)
    n_samples = check_integer(n_samples, "n_samples")
    fold = fold_size(forest.n_examples, n_folds)
    n_folds = int(n_folds)  # a narrow integer type would overflow below
    rng = generator(random_state)
    estimates, errors = [], []
    for size in forest.chunk_sizes(n_samples * n_folds, n_folds):
        folds = rng.multinomial(fold, distribution.probabilities.ravel(), (size // n_folds, n_folds))
        train = forest.shaped((folds.sum(axis=1, keepdims=True) - folds).reshape(size, -1))
        held_out = forest.shaped(folds.reshape(size, -1))
        # the misses in the held-out fold are the losses of this data set's tree
        losses = (held_out.sum(axis=-1, keepdims=True) - held_out) / fold
        misses = forest.one_tree(train, "random", rng, losses)
        estimates.append(misses.reshape(-1, n_folds).mean(axis=1))
        if tree_at_hand:
            errors.append(forest.one_tree(forest.shaped(folds.sum(axis=1)), "random", rng))
    found = np.concatenate(estimates)
    return np.stack([found, np.concatenate(errors)]) if tree_at_hand else found


def enumerated_moments(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    selection: str = "random",
    ties: str = "lowest",
    empty: str = "tie",
) -> tuple[float, float]:
    """Mean and variance of the generalization error by enumeration of all samples, for every selection.

    Raises
    ------
    ValueError
        If there are more than twenty million samples (multisets); use :func:`simulate_errors`.

    Examples
    --------
    >>> from treebounds.random_trees import JointDistribution, StoppingRule, enumerated_moments
    >>> p = JointDistribution([[.4, .1], [.1, .4]])
    >>> mean, variance = enumerated_moments(p, 5, StoppingRule(), "gini")
    >>> round(mean, 12)
    0.295961
    """
    forest = _Forest(distribution, n_examples, rule, ties, empty)
    if check_option(selection, "selection", SELECTIONS) != "random" and ties == "uniform":
        raise ValueError("ties='uniform' is enumerated for selection='random' only; use simulate_errors")
    n_bins = np.count_nonzero(distribution.probabilities)
    n_tables = comb(n_examples + n_bins - 1, n_bins - 1)
    if n_tables > _MOST_TABLES:
        raise ValueError(
            f"too many samples: {n_tables} tables of {n_examples} examples in {n_bins} cells, about "
            f"{n_tables * distribution.n_cells * 1e-7 / 60:.0f} minutes. Use simulate_errors"
        )
    total = np.zeros(2)
    for counts, weight in forest.tables():
        if selection == "random":
            moments = forest.all_trees(counts)
        else:
            errors = forest.one_tree(counts, selection, np.random.default_rng(0))
            moments = np.stack([errors, errors**2])
        total += moments @ weight
    return float(total[0]), float(max(total[1] - total[0] ** 2, 0.0))


class _Forest:
    """Many data sets, and random trees on them: the recursion over nodes, deepest first."""

    def __init__(
        self, distribution: JointDistribution, n_examples: int, rule: StoppingRule, ties: str, empty: str
    ) -> None:
        self.n_examples = check_system(distribution, n_examples, rule, ties, empty)
        self.distribution, self.rule = distribution, rule
        self.ties, self.inherit = ties, empty == "parent"
        self.n_attributes = distribution.n_attributes
        self.depth = rule.depth(self.n_attributes)
        self.losses = distribution.losses[..., None, :]
        self._check_size()

    def _check_size(self) -> None:
        # nodes by the number of attributes that they fix: the coefficients of the product of the 1 + a_j t
        by_depth = np.ones(1)
        for a in self.distribution.n_values:
            by_depth = np.convolve(by_depth, [1, a])
        n_counts = self.distribution.n_classes * float(by_depth[: self.depth + 1].sum())
        if n_counts > _MOST_COUNTS:
            raise ValueError(
                f"too many cells: {self.distribution.n_cells} attribute vectors make {n_counts:.0f} counts, "
                f"about {n_counts * 2e-5 / 60:.0f} minutes for a data set. Merge values, or limit the height"
            )

    def chunk_sizes(self, n_samples: int, multiple: int = 1) -> Iterator[int]:
        """Numbers of data sets that fit into memory at a time."""
        n_nodes = int(np.prod([a + 1 for a in self.distribution.n_values])) * self.distribution.n_classes
        size = max(_CHUNK // n_nodes // multiple, 1) * multiple
        for start in range(0, n_samples, size):
            yield min(size, n_samples - start)

    def shaped(self, counts: np.ndarray) -> np.ndarray:
        """Counts of shape (data sets, cells and classes) as (a_1, ..., a_d, data sets, k)."""
        return np.moveaxis(counts.reshape(len(counts), *self.distribution.probabilities.shape), 0, -2)

    def samples(self, n_samples: int, random_state: Any) -> Iterator[np.ndarray]:
        """Counts of data sets that are drawn at random, in chunks."""
        rng, p = generator(random_state), self.distribution.probabilities.ravel()
        for size in self.chunk_sizes(n_samples):
            yield self.shaped(rng.multinomial(self.n_examples, p, size))

    def tables(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Counts of all data sets with their multinomial probabilities, in chunks: stars and bars."""
        N, p = self.n_examples, self.distribution.probabilities.ravel()
        possible = np.flatnonzero(p)
        n_bins = len(possible)
        bars = combinations(range(N + n_bins - 1), n_bins - 1)
        for size in self.chunk_sizes(comb(N + n_bins - 1, n_bins - 1)):
            flat = (bar for _, places in zip(range(size), bars, strict=False) for bar in places)
            places = np.fromiter(flat, dtype=np.int64, count=size * (n_bins - 1)).reshape(size, -1)
            edges = np.pad(places, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, N + n_bins - 1)))
            counts = np.zeros((size, len(p)), dtype=np.int64)
            counts[:, possible] = np.diff(edges, axis=1) - 1
            log_weight = gammaln(N + 1) - gammaln(counts + 1).sum(axis=1)
            yield self.shaped(counts), np.exp(log_weight + counts[:, possible] @ np.log(p[possible]))

    def one_tree(
        self,
        counts: np.ndarray,
        selection: str,
        rng: np.random.Generator,
        losses: np.ndarray | None = None,
    ) -> np.ndarray:
        """Error of one tree for each data set; ``losses`` may differ from data set to data set."""

        def choose(fixed: int, blocks: dict[int, np.ndarray], splits: list[int]) -> list[np.ndarray]:
            if selection == "random":
                chosen = rng.integers(len(splits), size=blocks[fixed].shape[:-1])
            else:
                children = (np.stack(_parts(blocks[fixed | 1 << a], a)) for a in splits)
                chosen = first_best([gain(counts, selection) for counts in children])
            return [chosen == place for place in range(len(splits))]

        def label(share: np.ndarray) -> np.ndarray:
            if self.ties == "lowest":
                return share
            drawn = rng.random((*share.shape[:-1], 1)) < np.cumsum(share, axis=-1)
            return np.diff(drawn, axis=-1, prepend=False).astype(float)

        return self._grow(counts, self.losses if losses is None else losses, choose, label)[0]

    def all_trees(self, counts: np.ndarray) -> np.ndarray:
        """E[GE | data] and E[GE^2 | data] for each data set, shape (2, data sets)."""

        def average(fixed: int, blocks: dict[int, np.ndarray], splits: list[int]) -> list[Any]:
            return [1 / len(splits)] * len(splits)

        return self._grow(counts, self.losses, average, lambda share: share)

    def _grow(self, counts: np.ndarray, losses: np.ndarray, choose: Callable, label: Callable) -> np.ndarray:
        levels = subsets_by_size(self.n_attributes)[: self.depth + 1]
        blocks = {f: _block(counts, f) for level in levels for f in level}
        below: dict[int, np.ndarray] = {}
        for level in reversed(levels):
            here = {}
            for fixed in level:
                own, error = blocks[fixed], _block(losses, fixed)
                share = label(_winners(own, self.ties))
                value = np.stack([np.sum(share * error, axis=-1), np.sum(share * error**2, axis=-1)])
                if fixed.bit_count() < self.depth:
                    stop = self._stops(own)
                    splits = unused(fixed, self.n_attributes)
                    grown: Any = 0
                    for a, weight in zip(splits, choose(fixed, blocks, splits), strict=True):
                        child = fixed | 1 << a
                        pieces = below[child], blocks[child], _block(losses, child), share
                        grown = grown + weight * self._split(a, *pieces)
                    value = np.where(stop, value, grown)
                here[fixed] = value
            below = here
        return below[0].reshape(2, -1)

    def _stops(self, counts: np.ndarray) -> np.ndarray:
        stop = np.zeros(counts.shape[:-1], dtype=bool)
        if self.rule.pure:
            stop |= np.count_nonzero(counts, axis=-1) <= 1
        if self.rule.scarcity is not None:
            stop |= counts.sum(axis=-1) <= self.rule.scarcity
        return stop

    def _split(
        self, axis: int, values: np.ndarray, counts: np.ndarray, losses: np.ndarray, share: np.ndarray
    ) -> np.ndarray:
        """First and second moment of the sum over the children, which are independent given the data."""
        parts = _parts(values, axis + 1)
        if not self.inherit:
            return _sum_moments(parts)
        # an empty child has this node's label, one coin for all of them
        empty, errors = _parts(counts.sum(axis=-1) == 0, axis), _parts(losses, axis)
        result: Any = 0
        for i in range(share.shape[-1]):
            labeled = [
                np.where(nothing, np.stack(np.broadcast_arrays(e[..., i], e[..., i] ** 2)), part)
                for nothing, e, part in zip(empty, errors, parts, strict=True)
            ]
            result = result + share[..., i] * _sum_moments(labeled)
        return result


def _parts(values: np.ndarray, axis: int) -> list[np.ndarray]:
    """One array for each value of an attribute."""
    return np.split(values, values.shape[axis], axis)


def _block(weights: np.ndarray, fixed: int) -> np.ndarray:
    """As :func:`masses`, for arrays with an axis of data sets before the classes."""
    return weights.sum(axis=tuple(j for j in range(weights.ndim - 2) if not fixed >> j & 1), keepdims=True)


def _winners(counts: np.ndarray, ties: str) -> np.ndarray:
    """Probability of each label at a leaf."""
    best = counts == counts.max(axis=-1, keepdims=True)
    if ties == "lowest":
        best &= np.cumsum(best, axis=-1) == 1
    return best / best.sum(axis=-1, keepdims=True)


def _sum_moments(parts: list[np.ndarray]) -> np.ndarray:
    first, second = parts[0]
    for one, two in parts[1:]:
        first, second = first + one, second + two + 2 * first * one
    return np.stack([first, second])
