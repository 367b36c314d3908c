"""Tables of certificates under laws for which every true risk can be computed.

The feature is uniform on [0, 1]. The rare answer has probability 0.1 below one half and
0.6 above it; a number is 0 below one half and 5 above it, plus a normal error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import binomtest, norm
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treebounds as tb

DELTA = 0.2
COSTS = np.array([1.0, 5.0])
# Each error costs 1.
_ERRORS = np.ones(2)


def draw(n: int, rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Cases and their answers."""
    x = rng.uniform(size=n)
    y = rng.uniform(size=n) < np.where(x < 0.5, 0.1, 0.6)
    return x[:, np.newaxis], y.astype(int)


def draw_numbers(
    n: int, rng: Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cases and their numbers."""
    x = rng.uniform(size=n)
    return x[:, np.newaxis], 5 * (x >= 0.5) + rng.normal(size=n)


class Pieces(NamedTuple):
    """The intervals on which a tree and the law are constant."""

    middles: NDArray[np.float64]
    lengths: NDArray[np.float64]


def pieces(tree: Any, *cuts: float) -> Pieces:
    """The intervals of a tree, divided at some further cuts."""
    thresholds = tree.tree_.threshold[tree.tree_.children_left >= 0]
    edges = np.unique(np.r_[0, thresholds, 0.5, cuts, 1])
    return Pieces((edges[1:] + edges[:-1])[:, np.newaxis] / 2, np.diff(edges))


def true_loss(
    tree: Any, at: Pieces, inside: Any = 1, costs: NDArray[np.float64] = _ERRORS
) -> float:
    """The mean loss of the cases in some of the intervals."""
    rare = np.where(at.middles[:, 0] < 0.5, 0.1, 0.6)
    says_rare = tree.predict(at.middles) == 1
    losses = np.where(says_rare, (1 - rare) * costs[0], rare * costs[1])
    weights = at.lengths * inside
    return float(weights @ losses / weights.sum())


def share_off(tree: Any, tolerance: float) -> float:
    """The share of cases on which a regression tree is off by more."""
    at = pieces(tree)
    gap = np.where(at.middles[:, 0] < 0.5, 0, 5) - tree.predict(at.middles)
    return float(at.lengths @ (norm.sf(tolerance - gap) + norm.cdf(-tolerance - gap)))


def holds(
    table: Any,
    tree: Any,
    parts: Mapping[Any, NDArray[Any]],
    at: Pieces,
    costs: NDArray[np.float64] = _ERRORS,
) -> bool:
    """Whether all limits of a table are at least the truth."""
    limits = [table.whole.value >= true_loss(tree, at, costs=costs)]
    for label, inside in parts.items():
        certificate = table[label]
        if certificate is not None:
            truth = true_loss(tree, at, inside, costs)
            limits.append(certificate.value >= truth)
    return all(limits)


def _by_nodes(
    table: Any, tree: Any, middles: NDArray[np.float64]
) -> dict[int, NDArray[Any]]:
    """Which intervals belong to each node of a table."""
    paths = tree.decision_path(middles).toarray()
    return {node: paths[:, node] for node in table}


def _grow(rng: Generator) -> DecisionTreeClassifier:
    tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0)
    return tree.fit(*draw(80, rng))


def leaves(rng: Generator, costs: NDArray[np.float64] = _ERRORS, **cost: Any) -> bool:
    """Whether the limits of all leaves hold in one draw."""
    tree = _grow(rng)
    X, y = draw(120, rng)
    table = tb.certify(
        tree, X, y, by="leaf", min_rows=1, delta=DELTA, duplicates="ignore", **cost
    )
    at = pieces(tree)
    return holds(table, tree, _by_nodes(table, tree, at.middles), at, costs)


def groups_across_the_leaves(rng: Generator) -> bool:
    """Whether the limits of two groups hold in one draw."""
    tree = _grow(rng)
    X, y = draw(120, rng)
    table = tb.certify(tree, X, y, by=X[:, 0] < 0.3, delta=DELTA, duplicates="ignore")
    at = pieces(tree, 0.3)
    is_left = at.middles[:, 0] < 0.3
    return holds(table, tree, {True: is_left, False: ~is_left}, at)


def chosen_by_halvings(rng: Generator) -> bool:
    """Whether the limits of the leaves of the best of four trees hold in one draw."""
    learner = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)
    model = tb.CertifiedTreeClassifier(
        learners=[learner],
        n_halvings=2,
        delta=DELTA,
        duplicates="ignore",
        random_state=int(rng.integers(2**31)),
    )
    model.fit(*draw(240, rng))
    table = model.certificates_by_leaf_
    at = pieces(model)
    return holds(table, model, _by_nodes(table, model, at.middles), at)


def share_holds(rng: Generator) -> bool:
    """Whether the limit on the share that is off by more than 2 holds in one draw."""
    learner = DecisionTreeRegressor(max_leaf_nodes=6, random_state=0)
    tree = learner.fit(*draw_numbers(80, rng))
    X, y = draw_numbers(120, rng)
    certificate = tb.certify(tree, X, y, tolerance=2, delta=DELTA)
    return bool(certificate.value >= share_off(tree, 2))


def tolerance_holds(rng: Generator) -> bool:
    """Whether the tolerance that covers 90 % of the cases does so in one draw."""
    learner = DecisionTreeRegressor(max_leaf_nodes=6, random_state=0)
    tree = learner.fit(*draw_numbers(80, rng))
    X, y = draw_numbers(120, rng)
    certificate = tb.certify(tree, X, y, coverage=0.9, delta=DELTA)
    assert certificate.tolerance is not None
    return bool(certificate.value >= share_off(tree, certificate.tolerance))


SETTINGS: dict[str, Callable[[Generator], bool]] = {
    "leaves of few cases": leaves,
    "leaves, with costs": lambda rng: leaves(rng, COSTS, cost=COSTS),
    "groups across the leaves": groups_across_the_leaves,
    "trees chosen by halvings": chosen_by_halvings,
}
NUMBERS: dict[str, Callable[[Generator], bool]] = {
    "share off by more than 2": share_holds,
    "tolerance that covers 90 %": tolerance_holds,
}


def n_failures(setting: Callable[[Generator], bool], n_draws: int) -> int:
    """In how many draws some limit of a setting fails."""
    return sum(not setting(np.random.default_rng(seed)) for seed in range(n_draws))


def is_kept(failures: int, n_draws: int) -> bool:
    """Not more failures than chance explains at a rate of ``DELTA``."""
    test = binomtest(failures, n_draws, DELTA, alternative="greater")
    return bool(test.pvalue > 1e-3)
