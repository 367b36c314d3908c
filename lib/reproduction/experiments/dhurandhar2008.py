"""Dhurandhar and Dobra (2008): weights of paths, as printed and repaired, and the data
of the figures.
"""

from __future__ import annotations

import timeit
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, factorial, perm, prod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import betaincinv

from reproduction.experiments import Row, tabulated
from reproduction.random_trees import (
    JointDistribution,
    StoppingRule,
    error_moments,
    simulate_averages,
    simulate_errors,
)
from reproduction.random_trees.distribution import masses
from reproduction.random_trees.rules import stops

# The three systems of Figures 4 to 12, by the number of values of each attribute.
SYSTEMS = {
    "d = 5, binary": (2,) * 5,
    "d = 5, ternary": (3,) * 5,
    "d = 8, binary": (2,) * 8,
}

# The rows of the table of real data sets: moments and estimates as in ``compare``, and
# the mean with other conventions for ties and for empty leaves.
REAL_COLUMNS = [
    *("set", "rule", "rows", "mean", "variance"),
    *("shared", "shared_error", "fresh", "fresh_error", "af", "mc1", "mc10"),
    *("coin", "inherit"),
]

# A path is a mapping from the attributes that it fixes to their values.
Path = dict[int, int]


# Thousands of pairs of paths have the same lengths.
@cache
def coexistence_probability(d: int, l1: int, l2: int, r: int, v: int) -> Fraction:
    """Probability that a random tree contains two given paths that part (Section 2.5
    and the appendix).

    >>> from reproduction.experiments.dhurandhar2008 import coexistence_probability
    >>> coexistence_probability(2, 2, 2, 2, 1)
    Fraction(1, 1)

    Parameters
    ----------
    d : int
        Number of attributes.
    l1, l2 : int
        Lengths of the two paths.
    r, v : int
        Number of common attributes, and number of those on which the two paths agree.
    """
    l1, l2 = sorted((l1, l2))
    total = Fraction(0)
    for i in range(min(v, l1 - 1) + 1):
        together = prod(d - j for j in range(i + 1))
        both_apart = prod(d - j for j in range(i + 1, l1)) ** 2
        longer_alone = prod(d - j for j in range(l1, l2))
        ways = perm(v, i) * factorial(l1 - i - 1) * factorial(l2 - i - 1) * (r - v)
        total += Fraction(ways, together * both_apart * longer_alone)

    return total


def _common(first: Path, second: Path) -> tuple[int, int]:
    """The number of common attributes, and the number of those with the same value."""
    common = first.keys() & second.keys()
    return len(common), sum(first[a] == second[a] for a in common)


def same_tree_weight(
    d: int, first: Path, second: Path, repaired: bool = True
) -> Fraction:
    """The weight, in Equation 7, of a pair of paths of the same fixed height.

    The printed weight of a path paired with itself is 0; repaired, it is the
    probability of the path.

    Examples
    --------
    >>> from reproduction.experiments.dhurandhar2008 import same_tree_weight
    >>> (
    ...     same_tree_weight(3, {0: 1, 1: 0}, {0: 1, 1: 0}, repaired=False),
    ...     same_tree_weight(3, {0: 1}, {0: 1}),
    ... )
    (Fraction(0, 1), Fraction(1, 3))
    """
    if repaired and first == second:
        return Fraction(1, comb(d, len(first)))
    n_common, n_equal = _common(first, second)
    return coexistence_probability(d, len(first), len(second), n_common, n_equal)


def random_signs(
    n_values: tuple[int, ...], rho: float, seed: int = 0
) -> JointDistribution:
    """Uniform attribute vectors x with P[first class | x] = (1 + s) / 2 or (1 - s) / 2
    at random.

    Half of the cells have each of the two values; with an odd number of cells, one cell
    has 1/2. The prior of each class is 1/2, and s is chosen so that the correlation is
    rho.

    Examples
    --------
    >>> from reproduction.experiments.dhurandhar2008 import random_signs
    >>> round(random_signs((2, 2, 2), 0.36).correlation, 12)
    0.36
    """
    n_cells = prod(n_values)
    signs = np.zeros(n_cells)
    half = n_cells // 2
    signs[: 2 * half] = np.repeat([1, -1], half)
    signs = np.random.default_rng(seed).permutation(signs)
    first = (1 + np.sqrt(rho * n_cells / (2 * half)) * signs) / 2

    return JointDistribution(
        np.stack([first, 1 - first], axis=-1).reshape(*n_values, 2) / n_cells
    )


def uneven_cells(
    n_values: tuple[int, ...], rho: float, seed: int = 0
) -> JointDistribution:
    """Attribute vectors of unequal probability, with classes of every degree of
    certainty, in random order.

    Cells come in pairs of equal probability with P[first class | x] = q and 1 - q. The
    probabilities are quantiles of an exponential distribution, the values q are
    quantiles of Beta(a, a), and a is fitted to the correlation rho. With an odd number
    of cells, one cell has 1/2. The prior of each class is 1/2.

    Examples
    --------
    >>> from reproduction.experiments.dhurandhar2008 import uneven_cells
    >>> round(uneven_cells((2, 2, 2), 0.36).correlation, 9)
    0.36
    """
    n_cells = prod(n_values)
    rng = np.random.default_rng(seed)
    levels = (np.arange(n_cells // 2) + 0.5) / (n_cells // 2)
    weight = np.repeat(-np.log1p(-levels), 2)
    order = rng.permutation(n_cells // 2)
    place = rng.permutation(n_cells)
    middle = n_cells % 2
    weight = np.concatenate([weight, np.full(middle, weight.mean())])

    def at(log_shape: float) -> JointDistribution:
        """The distribution with the given shape a of Beta(a, a)."""
        shape = np.exp(log_shape)
        q = betaincinv(shape, shape, (1 + levels[order]) / 2)
        pairs = np.stack([q, 1 - q], axis=1).ravel()
        first = np.concatenate([pairs, np.full(middle, 0.5)])[place]
        classes = np.stack([first, 1 - first], axis=1)
        cells = weight[place, None] * classes / weight.sum()
        return JointDistribution(cells.reshape(*n_values, 2))

    def gap(log_shape: float) -> float:
        """How far the correlation is from rho."""
        return at(log_shape).correlation - rho

    return at(brentq(gap, np.log(1e-3), np.log(1e5), xtol=1e-13))


FAMILIES = {"random signs": random_signs, "uneven cells": uneven_cells}


def paper_rules(n_examples: int) -> dict[str, StoppingRule]:
    """The three rules of the paper's experiments: height 3, purity, scarcity at a tenth
    of the sample.
    """
    return {
        "fixed height": StoppingRule(height=3),
        "purity": StoppingRule(pure=True),
        "scarcity": StoppingRule(scarcity=n_examples // 10),
    }


def compare(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    iterations: int,
    n_samples: int,
    seed: int = 0,
) -> dict[str, Any]:
    """Exact moments, and the estimates of AF, MC-1 and MC-10 with matched budgets.

    AF draws as many samples as there are iterations and averages over all random trees
    on each sample; MC-i grows one tree on each of i times as many samples, and the
    errors of its trees are computed exactly. Let g be the average error over all trees
    on one sample. Then the expected squared deviation from the exact mean is Var(g) /
    iterations for AF, and Var(GE) / (i iterations) for MC-i.

    Returns
    -------
    dict
        mean, variance: exact. af, mc1, mc10: one run of each. shared, shared_error:
        Var(g) and its standard error, estimated from ``n_samples`` samples (at least
        ``iterations``). fresh, fresh_error: the same for a variant of AF that draws a
        sample of its own for every summand, see :func:`fresh_variance`.
    """
    exact = error_moments(distribution, n_examples, rule)
    trees = simulate_errors(
        distribution, n_examples, rule, 11 * iterations, random_state=seed
    )
    n_samples = max(n_samples, iterations)
    averaged = simulate_averages(
        distribution, n_examples, rule, n_samples, random_state=seed
    )
    squares = (averaged - exact.mean) ** 2
    fresh, fresh_error = fresh_variance(distribution, n_examples, rule, n_samples, seed)

    return {
        "mean": exact.mean,
        "variance": exact.variance,
        "shared": float(squares.mean()),
        "shared_error": float(squares.std(ddof=1) / np.sqrt(n_samples)),
        "fresh": fresh,
        "fresh_error": fresh_error,
        "af": averaged[:iterations].mean(),
        "mc1": trees[:iterations].mean(),
        "mc10": trees[iterations:].mean(),
    }


def fresh_variance(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    n_samples: int,
    seed: int = 0,
) -> tuple[float, float]:
    """Variance of one iteration of AF in which every summand of Equations 5 and 8 has
    its own sample.

    Each summand belongs to a path, which is a leaf for fixed height, and a leaf with
    its last attribute for purity and scarcity. The summand is the weight of the path
    times the error in the leaf, or 0 if the path does not end there. Ties go to the
    class of lowest number.

    With one attribute each input has one summand, and only the covariance of the
    summands is left out. A single example changes the label of an input only if it
    falls there and is of the second class:

    >>> from reproduction.experiments.dhurandhar2008 import fresh_variance
    >>> from reproduction.random_trees import JointDistribution, StoppingRule
    >>> p = JointDistribution([[0.4, 0.1], [0.1, 0.4]])
    >>> variance, error = fresh_variance(p, 1, StoppingRule(), 2000)
    >>> expected = 0.3**2 * (0.1 * 0.9 + 0.4 * 0.6)
    >>> abs(variance - expected) < 4 * error
    True

    Returns
    -------
    variance, standard_error : float
        The sum of the variances of the summands, estimated from ``n_samples`` samples.
    """
    p = distribution.probabilities
    drawn = np.random.default_rng(seed).multinomial(n_examples, p.ravel(), n_samples)
    counts = np.ascontiguousarray(drawn.T).reshape(*p.shape, n_samples)
    paths = _paths(distribution, counts, rule)

    spread = np.zeros(n_samples)
    for path, nodes in paths.items():
        for weight, ends in _ways_to_end(path, paths, distribution.n_attributes, rule):
            value = (weight * ends * nodes.error).reshape(-1, n_samples)
            spread += ((value - value.mean(axis=1, keepdims=True)) ** 2).sum(axis=0)

    spread *= n_samples / (n_samples - 1)
    return float(spread.mean()), float(spread.std(ddof=1) / np.sqrt(n_samples))


class _Nodes(NamedTuple):
    """The nodes that fix the same attributes: for all their values and all samples.

    ``error`` is the probability of an input there that the node's label misses.
    """

    is_leaf: np.ndarray
    error: np.ndarray


def _paths(
    distribution: JointDistribution, counts: np.ndarray, rule: StoppingRule
) -> dict[int, _Nodes]:
    """The paths by the sets of their attributes, as bits, up to the rule's depth."""
    d = distribution.n_attributes
    depth = rule.depth(d)

    paths = {}
    for path in (s for s in range(2**d) if s.bit_count() <= depth):
        own = masses(counts, path, d)
        losses = masses(distribution.losses[..., None], path, d)
        label = own.argmax(axis=-2, keepdims=True)
        paths[path] = _Nodes(
            is_leaf=stops(own, rule) | (path.bit_count() == depth),
            error=np.take_along_axis(losses, label, axis=-2)[..., 0, :],
        )

    return paths


def _ways_to_end(
    path: int, paths: dict[int, _Nodes], d: int, rule: StoppingRule
) -> list[tuple[float, np.ndarray]]:
    """The weights of the summands of a path, and where each of them ends there."""
    h = path.bit_count()
    is_leaf = paths[path].is_leaf

    if not rule.depends_on_data:
        if h != rule.depth(d):
            return []
        return [(1 / comb(d, h), is_leaf)]
    if h == 0:
        return [(1.0, is_leaf)]

    weight = 1 / (h * comb(d, h))
    parents = [path ^ 1 << a for a in range(d) if path >> a & 1]
    return [(weight, is_leaf & ~paths[parent].is_leaf) for parent in parents]


def purity_gap(distribution: JointDistribution, n_examples: int) -> float:
    """A bound on Var(GE) - Var(E[GE | sample]) for purity trees, for any selection of
    the attributes.

    On one sample, all purity trees give the same label to a cell that holds an example;
    they differ in empty cells only. Let r(x) be the largest difference that the label
    of an empty cell x can make. Then GE lies in an interval whose length is the sum of
    r(x) over the empty cells, and its variance is at most a quarter of the square of
    this length.

    Examples
    --------
    >>> from reproduction.experiments.dhurandhar2008 import purity_gap
    >>> from reproduction.random_trees import JointDistribution
    >>> round(purity_gap(JointDistribution([[0.4, 0.1], [0.1, 0.4]]), 2), 9)
    0.01125
    """
    cells = distribution.probabilities.reshape(-1, distribution.n_classes)
    p = cells.sum(axis=1)
    matters = np.ptp(cells, axis=1)
    both_empty = np.maximum(1 - p[:, None] - p, 0) ** n_examples
    np.fill_diagonal(both_empty, (1 - p) ** n_examples)
    return float(matters @ both_empty @ matters / 4)


def n_summands(n_values: tuple[int, ...], rule: StoppingRule) -> int:
    """The number of summands of Equations 5 and 8, for all inputs together.

    A summand belongs to a path for fixed height, and to a path with its last attribute
    for rules that depend on the data, where the root is a path, too.

    Examples
    --------
    >>> from reproduction.experiments.dhurandhar2008 import n_summands
    >>> from reproduction.random_trees import StoppingRule
    >>> rules = StoppingRule(height=1), StoppingRule(pure=True)
    >>> [n_summands((2, 2), rule) for rule in rules]
    [4, 13]
    """
    d = len(n_values)
    depth = rule.depth(d)

    total = 0
    for size in range(depth + 1):
        n_paths = sum(prod(values) for values in combinations(n_values, size))
        if rule.depends_on_data:
            total += max(size, 1) * n_paths
        elif size == depth:
            total += n_paths

    return total


def seconds_per_iteration(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    n_iterations: int = 100,
) -> dict[str, float]:
    """Measured seconds of one iteration of AF and MC, and of the draw of one sample.

    AF averages over all random trees on one sample, MC grows one tree on it; both
    include the draw. Each is the best of three runs of many iterations at once.
    """
    p = distribution.probabilities.ravel()
    generator = np.random.default_rng(0)
    tasks = {
        "af": lambda: simulate_averages(
            distribution, n_examples, rule, n_iterations, random_state=0
        ),
        "mc": lambda: simulate_errors(
            distribution, n_examples, rule, n_iterations, random_state=0
        ),
        "draw": lambda: generator.multinomial(n_examples, p, n_iterations),
    }
    return {
        name: min(timeit.repeat(task, number=1, repeat=3)) / n_iterations
        for name, task in tasks.items()
    }


def curves(
    correlations: dict[str, list[float]],
    n_examples: int = 10_000,
    iterations: int = 20,
    n_samples: int = 200,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """The data of Figures 4 to 12: one row for each system, family, rule and
    correlation.

    The rows have the columns of :func:`compare`.

    Parameters
    ----------
    correlations : dict of str to list of float
        The points for each of the chosen ``SYSTEMS``.
    n_examples, iterations, n_samples : int
    n_jobs : int, optional
        See :func:`reproduction.experiments.tabulated`.
    """
    rules = paper_rules(n_examples)
    cases: list[tuple[str, str, str, float]] = []
    for system, points in correlations.items():
        cases += product([system], FAMILIES, rules, points)

    def rows(number: int, system: str, family: str, rule: str, rho: float) -> list[Row]:
        """A point of a curve."""
        distribution = FAMILIES[family](SYSTEMS[system], rho)
        comparison = compare(
            distribution, n_examples, rules[rule], iterations, n_samples, seed=number
        )
        return [{"bayes": distribution.bayes_error, **comparison}]

    work = [(number, *case) for number, case in enumerate(cases)]
    columns = ["number", "system", "family", "rule", "correlation"]
    return tabulated(rows, work, columns, n_jobs).drop(columns="number")
