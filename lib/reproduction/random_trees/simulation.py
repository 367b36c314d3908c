"""Many data sets at once: one tree grown on each, or the average over all random trees
computed on each.

The same recursion over the nodes computes both, vectorized over data sets. Counts have
an axis for each attribute, one for the classes and, last, one for the data sets. The
average over all trees is a Rao-Blackwellized estimate: it has no random variation
between trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from math import comb
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from reproduction.multiway.criteria import impurity, split_gain
from reproduction.random_trees._checks import check_system, fold_size, generator
from reproduction.random_trees.distribution import (
    JointDistribution,
    masses,
    subsets_by_size,
    unused,
)
from reproduction.random_trees.rules import StoppingRule, stops
from treebounds._validation import check_integer, check_option

__all__ = [
    "SimulatedMoments",
    "enumerated_moments",
    "simulate_averages",
    "simulate_cross_validation",
    "simulate_errors",
    "simulate_moments",
]

SELECTIONS = ("random", "information-gain", "gini", "gain-ratio")
# Gains that differ by less are a tie, which the first attribute wins.
_TIE = 1e-12
# Number of counts in memory at a time.
_CHUNK = 4_000_000
_MOST_TABLES = 20_000_000
# Largest number of counts for one data set; as many take more than a minute.
_MOST_COUNTS = 4_000_000


@dataclass(frozen=True)
class SimulatedMoments:
    """Estimates with standard errors; ``n_samples`` data sets were drawn.

    ``covariance`` is that of two independent random trees on one sample, the variance
    of E[GE | sample].
    """

    mean: float
    mean_error: float
    variance: float
    variance_error: float
    covariance: float
    covariance_error: float
    n_samples: int


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
    """Generalization errors of trees, each grown on its own sample, by plain Monte
    Carlo.

    The error of each tree is computed from the distribution, without a test set.

    >>> from reproduction.random_trees import (
    ...     JointDistribution,
    ...     StoppingRule,
    ...     simulate_errors,
    ... )
    >>> p = JointDistribution([[0.4, 0.1], [0.1, 0.4]])
    >>> simulate_errors(p, 5, StoppingRule(), 4).round(12)
    array([0.2, 0.8, 0.2, 0.2])

    Parameters
    ----------
    distribution, n_examples, rule, ties, empty
        See :func:`error_moments`.
    n_trees : int
    selection : {"random", "information-gain", "gini", "gain-ratio"}
        How a node chooses among the attributes not used above it; if gains tie, the
        first attribute wins.
    random_state : int or numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_trees,)
    """
    forest = _Forest(distribution, n_examples, rule, ties, empty)
    check_option(selection, "selection", SELECTIONS)
    n_trees = check_integer(n_trees, "n_trees")
    rng = generator(random_state)
    samples = forest.samples(n_trees, rng)

    return np.concatenate(
        [forest.one_tree(counts, selection, rng) for counts in samples]
    )


def simulate_moments(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    n_samples: int = 10_000,
    ties: str = "lowest",
    empty: str = "tie",
    random_state: int | np.random.Generator = 0,
) -> SimulatedMoments:
    """Moments of the generalization error of random trees: exact over the trees,
    simulated over the samples.

    It covers the cases that :func:`error_moments` and :func:`two_tree_covariance` do
    not: every rule, any number of classes, both conventions for ties and for empty
    leaves.

    Examples
    --------
    >>> from reproduction.random_trees import (
    ...     JointDistribution,
    ...     StoppingRule,
    ...     simulate_moments,
    ... )
    >>> p = JointDistribution([[0.4, 0.1], [0.1, 0.4]])
    >>> moments = simulate_moments(p, 5, StoppingRule(), n_samples=2000)
    >>> abs(moments.mean - 0.2960) < 4 * moments.mean_error
    True
    """
    forest = _Forest(distribution, n_examples, rule, ties, empty)
    n_samples = check_integer(n_samples, "n_samples", minimum=2)
    samples = forest.samples(n_samples, random_state)
    average, within = np.concatenate(
        [forest.all_trees(counts) for counts in samples], axis=1
    )
    mean = float(average.mean())

    # The contributions of each data set to the covariance and to the variance.
    between = (average - mean) ** 2
    spread = within + between
    root = np.sqrt(n_samples)

    return SimulatedMoments(
        mean,
        float(average.std(ddof=1) / root),
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
    """E[GE | sample], the average over all random trees, for each of ``n_samples``
    samples.

    Examples
    --------
    >>> from reproduction.random_trees import (
    ...     JointDistribution,
    ...     StoppingRule,
    ...     simulate_averages,
    ... )
    >>> p = JointDistribution([[0.4, 0.1], [0.1, 0.4]])
    >>> simulate_averages(p, 5, StoppingRule(), 4).round(12)
    array([0.2, 0.8, 0.2, 0.2])
    """
    forest = _Forest(distribution, n_examples, rule, ties, empty)
    samples = forest.samples(check_integer(n_samples, "n_samples"), random_state)
    return np.concatenate(
        [forest.all_trees(counts, n_moments=1)[0] for counts in samples]
    )


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
    """Cross-validation errors of ``n_samples`` data sets, a new random tree for each
    fold.

    With ``tree_at_hand`` the result has a second row: the generalization error of one
    more random tree for each data set, grown on all its examples.

    Examples
    --------
    >>> from reproduction.random_trees import (
    ...     JointDistribution,
    ...     StoppingRule,
    ...     simulate_cross_validation,
    ... )
    >>> p = JointDistribution([[0.4, 0.1], [0.1, 0.4]])
    >>> simulate_cross_validation(p, 6, StoppingRule(), 3, n_samples=50).shape
    (50,)
    """
    forest = _Forest(distribution, n_examples, rule, ties, empty)
    n_samples = check_integer(n_samples, "n_samples")
    size = fold_size(forest.n_examples, n_folds)
    n_folds = int(n_folds)  # A narrow integer type would overflow below.
    rng = generator(random_state)

    estimates = []
    errors = []
    for n_trees in forest.chunk_sizes(n_samples * n_folds, n_folds):
        folds = rng.multinomial(
            size, distribution.probabilities.ravel(), (n_trees // n_folds, n_folds)
        )
        estimates.append(_held_out_errors(forest, folds, rng).mean(axis=1))
        if tree_at_hand:
            whole = forest.shaped(folds.sum(axis=1))
            errors.append(forest.one_tree(whole, "random", rng))

    if tree_at_hand:
        return np.stack([np.concatenate(estimates), np.concatenate(errors)])
    return np.concatenate(estimates)


def _held_out_errors(
    forest: _Forest, folds: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The error on each fold of a tree grown on the other ones, shape (n_samples,
    n_folds).
    """
    n_samples, n_folds = folds.shape[:2]
    others = folds.sum(axis=1, keepdims=True) - folds
    train = forest.shaped(others.reshape(n_samples * n_folds, -1))
    held_out = forest.shaped(folds.reshape(n_samples * n_folds, -1))

    # The tree's error on its held-out fold is its mean loss if the fold's errors are
    # the losses.
    size = folds[0, 0].sum()
    losses = (held_out.sum(axis=-2, keepdims=True) - held_out) / size
    misses = forest.one_tree(train, "random", rng, losses)

    return misses.reshape(-1, n_folds)


def enumerated_moments(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    selection: str = "random",
    ties: str = "lowest",
    empty: str = "tie",
) -> tuple[float, float, float]:
    """Exact moments of the generalization error by enumeration of all samples, for
    every selection.

    Purity trees differ in empty cells, so averaging them helps, a little:

    >>> from reproduction.random_trees import (
    ...     JointDistribution,
    ...     StoppingRule,
    ...     enumerated_moments,
    ... )
    >>> p = JointDistribution([[[0.3, 0.1], [0.05, 0.05]], [[0.05, 0.15], [0.2, 0.1]]])
    >>> mean, variance, covariance = enumerated_moments(p, 6, StoppingRule(pure=True))
    >>> round(covariance / variance, 3)
    0.94

    Returns
    -------
    mean, variance, covariance : float
        The covariance of two trees on one sample is the variance of E[GE | sample]: the
        part of the variance that remains when many trees are averaged.
        :func:`two_tree_covariance` takes any number of examples.

    Raises
    ------
    ValueError
        If there are more than twenty million samples (multisets); use
        :func:`simulate_moments`, which has standard errors, or :func:`simulate_errors`
        for other selections.
    """
    if (
        check_option(selection, "selection", SELECTIONS) != "random"
        and ties == "uniform"
    ):
        raise ValueError(
            "ties='uniform' is enumerated for selection='random' only; use"
            " simulate_errors"
        )

    forest = _Forest(distribution, n_examples, rule, ties, empty)
    mean = square = within = 0.0
    for counts, weight in forest.tables():
        if selection == "random":
            average, spread = forest.all_trees(counts)
        else:
            average = forest.one_tree(counts, selection, np.random.default_rng(0))
            spread = np.zeros(1)
        mean += float(weight @ average)
        square += float(weight @ average**2)
        within += float(np.sum(weight * spread))

    between = max(square - mean**2, 0.0)
    return mean, between + within, between


class _Nodes(NamedTuple):
    """The nodes that fix the same attributes: class counts, losses of their labels, and
    moments of the error below them.
    """

    counts: np.ndarray
    losses: np.ndarray
    moments: np.ndarray


class _Forest:
    """Random trees on many data sets, by a recursion over the nodes that starts with
    the deepest.
    """

    def __init__(
        self,
        distribution: JointDistribution,
        n_examples: int,
        rule: StoppingRule,
        ties: str,
        empty: str,
    ) -> None:
        self.n_examples = check_system(distribution, n_examples, rule, ties, empty)
        self.distribution = distribution
        self.rule = rule
        self.ties = ties
        self.inherit = empty == "parent"
        self.depth = rule.depth(distribution.n_attributes)
        n_nodes = float(distribution.nodes_by_depth[: self.depth + 1].sum())
        n_counts = distribution.n_classes * n_nodes
        if n_counts > _MOST_COUNTS:
            raise ValueError(
                f"too many cells: {distribution.n_cells} attribute vectors make"
                f" {n_counts:.0f} counts, about {n_counts * 2e-5 / 60:.0f} minutes for"
                " each data set. Merge values, or limit the height"
            )

    def chunk_sizes(self, n_samples: int, multiple: int = 1) -> Iterator[int]:
        """Numbers of data sets that fit into memory at a time."""
        n_nodes = (
            int(np.prod([a + 1 for a in self.distribution.n_values]))
            * self.distribution.n_classes
        )
        size = max(_CHUNK // n_nodes // multiple, 1) * multiple
        for start in range(0, n_samples, size):
            yield min(size, n_samples - start)

    def shaped(self, counts: np.ndarray) -> np.ndarray:
        """Counts of shape (data sets, cells and classes) as (a_1, ..., a_d, k, data
        sets).
        """
        return np.ascontiguousarray(counts.T).reshape(
            *self.distribution.probabilities.shape, len(counts)
        )

    def samples(self, n_samples: int, random_state: Any) -> Iterator[np.ndarray]:
        """Counts of data sets that are drawn at random, in chunks."""
        rng = generator(random_state)
        p = self.distribution.probabilities.ravel()
        for size in self.chunk_sizes(n_samples):
            yield self.shaped(rng.multinomial(self.n_examples, p, size))

    def tables(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Counts of all data sets with their multinomial probabilities, in chunks."""
        p = self.distribution.probabilities.ravel()
        possible = np.flatnonzero(p)
        n_places = self.n_examples + len(possible) - 1
        n_tables = comb(n_places, self.n_examples)
        if n_tables > _MOST_TABLES:
            raise ValueError(
                f"too many samples: {n_tables} tables of {self.n_examples} examples, of"
                f" which at most {_MOST_TABLES} can be listed. Use simulate_moments or"
                " simulate_errors"
            )

        log_factorials = gammaln(np.arange(self.n_examples + 1) + 1)
        sizes = self.chunk_sizes(n_tables)
        for chunk in _compositions(self.n_examples, len(possible), sizes):
            counts = np.zeros((len(chunk), len(p)), dtype=np.int64)
            counts[:, possible] = chunk

            log_weight = log_factorials[-1] - log_factorials[counts].sum(axis=1)
            log_weight = log_weight + counts[:, possible] @ np.log(p[possible])
            yield self.shaped(counts), np.exp(log_weight)

    def one_tree(
        self,
        counts: np.ndarray,
        selection: str,
        rng: np.random.Generator,
        losses: np.ndarray | None = None,
    ) -> np.ndarray:
        """Error of one tree for each data set; ``losses`` may differ from data set to
        data set.
        """

        def choose(
            own: np.ndarray, children: dict[int, np.ndarray]
        ) -> list[np.ndarray]:
            """For each attribute, the data sets whose trees split on it."""
            shape = (*own.shape[:-2], own.shape[-1])
            if selection == "random":
                place = rng.integers(len(children), size=shape)
            else:
                gains = [
                    gain(np.moveaxis(counts, (a, -2), (-2, -1)), selection)
                    for a, counts in children.items()
                ]
                place = _first_best([g.reshape(shape) for g in gains])
            return [place == number for number in range(len(children))]

        def label(share: np.ndarray) -> np.ndarray:
            """The label of each leaf; with ``ties="uniform"`` a coin decides ties."""
            if self.ties == "lowest":
                return share
            coin = rng.random((*share.shape[:-2], 1, share.shape[-1]))
            return np.diff(coin < np.cumsum(share, axis=-2), axis=-2, prepend=False)

        return self._grow(counts, losses, choose, label, n_moments=1)[0]

    def all_trees(self, counts: np.ndarray, n_moments: int = 2) -> np.ndarray:
        """Mean and variance of the error over all trees for each data set, shape (2,
        data sets).
        """

        def average(own: np.ndarray, children: dict[int, np.ndarray]) -> list[float]:
            """The same probability for every attribute."""
            return [1 / len(children)] * len(children)

        return self._grow(counts, None, average, lambda share: share, n_moments)

    def _grow(
        self,
        counts: np.ndarray,
        losses: np.ndarray | None,
        choose: Callable,
        label: Callable,
        n_moments: int,
    ) -> np.ndarray:
        """The mean, and the variance if ``n_moments`` is 2, of the error at the root
        for each data set.
        """
        d = self.distribution.n_attributes
        if losses is None:
            losses = self.distribution.losses[..., None]

        def block(fixed: int, children: dict[int, _Nodes]) -> _Nodes:
            """The nodes that fix some attributes, from their children by attribute."""
            if children:
                own, loss = _merged(children)
            else:
                own = masses(counts, fixed, d)
                loss = masses(losses, fixed, d)
            shares = np.moveaxis(label(_winners(own, self.ties)), -2, 0)
            as_leaves = _mixture(shares, _known(loss, n_moments))
            if not children:
                return _Nodes(own, loss, as_leaves)

            weights = choose(own, {a: child.counts for a, child in children.items()})
            sums = [self._sum(a, child, shares) for a, child in children.items()]
            as_splits = _mixture(weights, sums)
            moments = np.where(stops(own, self.rule), as_leaves, as_splits)
            return _Nodes(own, loss, moments)

        # Only two neighboring levels are held in memory.
        below: dict[int, _Nodes] = {}
        for level in reversed(subsets_by_size(d)[: self.depth + 1]):
            nodes = {}
            for fixed in level:
                children = {}
                if below:
                    children = {a: below[fixed | 1 << a] for a in unused(fixed, d)}
                nodes[fixed] = block(fixed, children)
            below = nodes
        return below[0].moments.reshape(n_moments, -1)

    def _sum(self, a: int, children: _Nodes, shares: np.ndarray) -> np.ndarray:
        """Moments of the sum over the children of a split, which are independent given
        the data.
        """
        if not self.inherit:
            return children.moments.sum(axis=a + 1, keepdims=True)

        # Empty children have their parent's label, for which one coin is flipped.
        is_empty = children.counts.sum(axis=-2) == 0
        sums = []
        for of_label in _known(children.losses, len(children.moments)):
            moments = np.where(is_empty, of_label, children.moments)
            sums.append(moments.sum(axis=a + 1, keepdims=True))
        return _mixture(shares, sums)


def _compositions(
    total: int, n_parts: int, sizes: Iterable[int]
) -> Iterator[np.ndarray]:
    """All ways to write a number as a sum of numbers of at least 0, in chunks of some
    sizes: stars between bars.
    """
    n_places = total + n_parts - 1
    n_bars = n_parts - 1
    choices = combinations(range(n_places), n_bars)
    for size in sizes:
        places = chain.from_iterable(islice(choices, size))
        bars = np.fromiter(places, np.int64, size * n_bars).reshape(size, n_bars)
        first = np.full((len(bars), 1), -1)
        last = np.full((len(bars), 1), n_places)
        edges = np.hstack([first, bars, last])
        yield np.diff(edges, axis=1) - 1


def gain(children: np.ndarray, selection: str) -> np.ndarray:
    """Gain of splitting nodes into children with the given class counts.

    >>> import numpy as np
    >>> from reproduction.random_trees.simulation import gain
    >>> pure_split = np.array([[4, 0], [0, 4]])
    >>> [
    ...     round(float(gain(pure_split, s)), 4)
    ...     for s in ("information-gain", "gini", "gain-ratio")
    ... ]
    [0.6931, 0.5, 1.0]

    Parameters
    ----------
    children : ndarray of shape (..., n_children, k)
    selection : {"information-gain", "gini", "gain-ratio"}
        Decrease of the entropy (nats), decrease of the Gini index, or information gain
        divided by the entropy of the split itself (0 where that is 0).

    Returns
    -------
    ndarray of shape (...,)
    """
    if selection == "gini":
        return split_gain(children, "gini")

    gained = split_gain(children, "entropy")
    if selection == "gain-ratio":
        split = impurity(children.sum(axis=-1))
        return np.divide(gained, split, out=np.zeros_like(gained), where=split > _TIE)
    return gained


def _first_best(gains: list[np.ndarray]) -> np.ndarray:
    """The position of the largest gain; if several tie, the first of them."""
    stacked = np.stack(gains)
    return np.argmax(stacked >= stacked.max(axis=0) - _TIE, axis=0)


def _merged(children: dict[int, _Nodes]) -> tuple[np.ndarray, np.ndarray]:
    """Counts and losses of a block from those of its children along some attribute."""
    a = min(children)
    counts = children[a].counts.sum(axis=a, keepdims=True)
    losses = children[a].losses.sum(axis=a, keepdims=True)
    return counts, losses


def _known(losses: np.ndarray, n_moments: int) -> list[np.ndarray]:
    """The moments of the error under each label, which is certain."""
    return [
        np.stack([error, np.zeros_like(error)][:n_moments])
        for error in np.moveaxis(losses, -2, 0)
    ]


def _winners(counts: np.ndarray, ties: str) -> np.ndarray:
    """Probability of each label at a leaf."""
    best = counts == counts.max(axis=-2, keepdims=True)
    if ties == "lowest":
        best[..., 1:, :] &= ~np.logical_or.accumulate(best, axis=-2)[..., :-1, :]
        return best
    return best / best.sum(axis=-2, keepdims=True)


def _mixture(weights: Iterable[Any], moments: Sequence[np.ndarray]) -> np.ndarray:
    """The mean, and the variance if the parts have one, of a mixture of errors with the
    given weights.
    """
    mean = sum(w * m[0] for w, m in zip(weights, moments, strict=True))
    if len(moments[0]) == 1:
        return mean[None]
    square = sum(w * (m[1] + m[0] ** 2) for w, m in zip(weights, moments, strict=True))
    return np.stack([mean, square - mean**2])
