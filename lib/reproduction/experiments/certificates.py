"""Certificates on data, and simulations in which the risk is known.

The splits are those of :mod:`reproduction.experiments.leboeuf2020`.
"""

from __future__ import annotations

import math
import warnings
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from reproduction import DistilledTreeClassifier
from reproduction.datasets import group
from reproduction.experiments import Row, tabulated
from reproduction.experiments.leboeuf2020 import DELTA, EXPONENT, Split, split, timed
from reproduction.growing import grow_tree
from treebounds import BoundPrunedTreeClassifier, CertifiedTreeClassifier
from treebounds.capacity import log_all_structures_growth_bound
from treebounds.estimators._learners import PrunedLearner
from treebounds.formats import collapse_sklearn, from_sklearn
from treebounds.risk import binomial_tail_inversion, log_leaves_prior
from treebounds.risk.compression import message_candidates
from treebounds.risk.growth_bounds import growth_candidates, relative_deviation_bound
from treebounds.risk.halving import best_of_halvings
from treebounds.risk.occam import occam_bounds
from treebounds.trees import ArrayTree, weakest_link_sequence
from treebounds.trees.counting import held_out_errors
from treebounds.trees.weakest_link import last_minimum

# Sets that, unlike those of Table 1, had no part in the design of the halvings.
OTHERS = group("certificates")


# --- data ---

# More trees in a forest would take too long in a build.
N_TREES = 40

# Each half of two halvings grows a pruned tree of at most 40 leaves and a distilled
# tree of at most 300.
TWO_LEARNERS = (
    PrunedLearner(max_leaf_nodes=40),
    DistilledTreeClassifier(teacher=RandomForestClassifier(N_TREES), n_made=10_000),
)
METHODS: dict[str, dict[str, Any]] = {
    "halves": {"learners": TWO_LEARNERS, "n_halvings": 2, "max_leaf_nodes": None},
    # Four halvings, and pruned trees that people can read.
    "halves, pruned": {"max_leaf_nodes": 40},
    **{
        method: {"method": method, "max_leaf_nodes": 40}
        for method in ("message", "occam", "growth")
    },
}


def certificates(slug: str, draw: int, max_rows: int | None = None) -> list[Row]:
    """Every certificate of one split, with the test error and the leaves of its tree.

    ``majority`` is the error of always predicting the largest class of the whole data
    set, and ``seconds`` is the processor time. At most ``max_rows`` of the training
    rows are used.
    """
    data = split(slug, draw).first(max_rows)
    n_examples = len(data.y_train)
    counts = np.bincount(np.concatenate([data.y_train, data.y_test]))
    majority = 1 - counts.max() / (n_examples + len(data.y_test))

    trials = [
        *_held_out(data, draw),
        *(_certified(method, data, draw) for method in METHODS),
        _by_relative_deviations(data, draw),
        _by_equation_8(data, draw),
    ]

    return [
        {
            "method": trial.method,
            "certificate": trial.certificate,
            "seconds": trial.seconds,
            "majority": majority,
            "n_examples": n_examples,
            **described(trial.model, data),
        }
        for trial in trials
    ]


class _Trial(NamedTuple):
    """A tree, what is certified of it, and the processor time that both took."""

    method: str
    certificate: float
    model: Any
    seconds: float


def _held_out(data: Split, draw: int) -> list[_Trial]:
    """A tree that is pruned by folds: from all rows without a certificate, and from
    some of them with a test on the others.
    """
    X = data.X_train
    y = data.y_train
    folds = PrunedLearner(random_state=draw)
    trials = [_Trial("no certificate", math.nan, *timed(clone(folds).fit, X, y))]

    order = np.random.default_rng(draw).permutation(len(y))
    half = len(y) // 2

    for method, judged in (
        ("a quarter held out", order[: len(y) // 4]),
        ("a half held out", order[:half]),
        # The sides are exchanged, too, so that the mean varies less.
        ("a half held out", order[half:]),
    ):
        grown_on = np.setdiff1d(order, judged)
        tree, seconds = timed(clone(folds).fit, X[grown_on], y[grown_on])
        n_errors = int((tree.predict(X[judged]) != y[judged]).sum())
        bound = binomial_tail_inversion(n_errors, len(judged), math.log(DELTA))
        trials.append(_Trial(method, bound, tree, seconds))

    return trials


def _certified(method: str, data: Split, draw: int) -> _Trial:
    """A certified tree by one of ``METHODS``."""
    # Some tables repeat rows; the experiment counts these as they are.
    model = CertifiedTreeClassifier(
        delta=DELTA, duplicates="ignore", random_state=draw, **METHODS[method]
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The certified tree has as many leaves")
        tree, seconds = timed(model.fit, data.X_train, data.y_train)
    return _Trial(method, tree.certificate_.value, tree, seconds)


def _by_relative_deviations(data: Split, draw: int) -> _Trial:
    """The best member of the weakest-link sequence by Vapnik's bound."""
    model = DecisionTreeClassifier(max_leaf_nodes=40, random_state=draw)
    (bound, nodes), seconds = timed(
        lambda: _relative_deviations(
            from_sklearn(model.fit(data.X_train, data.y_train))
        )
    )
    pruned = collapse_sklearn(model, nodes)

    return _Trial("growth, relative deviations", min(1.0, bound), pruned, seconds)


def _by_equation_8(data: Split, draw: int) -> _Trial:
    """The tree that the bound of Leboeuf et al. prunes."""
    model = BoundPrunedTreeClassifier(
        error_prior_ratio=2**-EXPONENT, max_leaf_nodes=40, random_state=draw
    )
    tree, seconds = timed(model.fit, data.X_train, data.y_train)
    return _Trial("Equation 8", min(1.0, tree.bound_), tree, seconds)


def described(model: Any, data: Split) -> Row:
    """The error of a model on the test rows, and its number of leaves, -1 if it is not
    a tree.
    """
    return {
        "test_error": float(np.mean(model.predict(data.X_test) != data.y_test)),
        "n_leaves": _number_of_leaves(model),
    }


def _number_of_leaves(model: Any) -> int:
    """The number of leaves of an estimator or of a tree, or -1."""
    if hasattr(model, "get_n_leaves"):
        return int(model.get_n_leaves())
    return int(getattr(model, "n_leaves", -1))


# --- known distributions ---


class Distribution(NamedTuple):
    """Finitely many inputs, all equally probable, and the probability of each class at
    each of them.
    """

    inputs: NDArray[np.float32]
    classes: NDArray[np.float64]

    def sample(
        self, m: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """m independent examples."""
        cells = rng.integers(len(self.inputs), size=m)
        return self.inputs[cells], self.labels(cells, rng)

    def labels(
        self, cells: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """A label for each of some inputs."""
        limits = self.classes[cells].cumsum(axis=1)
        return (rng.random((len(cells), 1)) > limits[:, :-1]).sum(axis=1)

    def groups(
        self, n_groups: int, size: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        """Groups of examples with the same input; about half of the labels are one
        common draw per group.
        """
        cells = np.repeat(rng.integers(len(self.inputs), size=n_groups), size)
        own = np.repeat(self.labels(cells[::size], rng), size)
        fresh = self.labels(cells, rng)
        y = np.where(rng.random(len(cells)) < 0.5, own, fresh)
        return self.inputs[cells], y, np.repeat(np.arange(n_groups), size)

    def risk(self, predicted: NDArray[np.int64]) -> float:
        """The probability that a classifier with these predictions at the inputs errs,
        exactly.
        """
        of_predictions = self.classes[np.arange(len(self.inputs)), predicted]
        return float(1 - of_predictions.mean())


class Design(NamedTuple):
    """A distribution with the size of its samples, and how the halvings are made."""

    distribution: Distribution
    m: int
    n_halvings: int = 2
    n_learners: int = 2


def _grid(*levels: int) -> NDArray[np.float32]:
    return np.indices(levels).reshape(len(levels), -1).T.astype(np.float32)


def _noisy(
    labels: NDArray[np.int64], n_classes: int, noise: float
) -> NDArray[np.float64]:
    return (1 - noise) * np.eye(n_classes)[labels] + noise / n_classes


def _designs() -> dict[str, Design]:
    noise = _grid(16, 16, 4)
    rows = len(noise)
    even = Distribution(noise, np.full((rows, 2), 0.5))
    one_in_four = Distribution(noise, np.tile([0.75, 0.25], (rows, 1)))
    many_classes = Distribution(noise, np.full((rows, 300), 1 / 300))

    board = _grid(4, 4, 4)
    diagonals = ((board[:, 0] + board[:, 1]) // 2.5).astype(int)
    ties = Distribution(board, _noisy(diagonals, 3, 0.4))

    grid = _grid(40, 8)
    stairs = (grid[:, 0] // 4).astype(int)
    steps = Distribution(grid, _noisy(stairs, 10, 0.2))

    return {
        "pure noise, 2 classes": Design(even, 40),
        "pure noise, one in four": Design(one_in_four, 400),
        "pure noise, 300 classes": Design(many_classes, 120, 1, 1),
        "many ties, 3 classes": Design(ties, 80, 1),
        "steps, 10 classes": Design(steps, 200, 1),
    }


DESIGNS = _designs()
# On this distribution, halvings that ignore groups are simulated, too.
TORN = "many ties, 3 classes"


class _Grown(ClassifierMixin, BaseEstimator):
    """A learner for simulations: a tree of at most ``max_leaves`` leaves, or a single
    leaf on few rows.

    The theorem assumes nothing about learners. A learner that grows a leaf on few rows
    and a large tree on more rows reveals whether the certified tree was judged itself,
    or was grown again on all rows.
    """

    def __init__(
        self, *, n_classes: int = 2, max_leaves: int = 40, few: int = 0
    ) -> None:
        self.n_classes = n_classes
        self.max_leaves = max_leaves
        self.few = few

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The three parameters; the signature is not inspected, because thousands of
        learners are cloned.
        """
        return {
            "n_classes": self.n_classes,
            "max_leaves": self.max_leaves,
            "few": self.few,
        }

    def fit(self, X: NDArray[np.float32], y: NDArray[np.int64]) -> _Grown:
        """Grow a tree, or a single leaf on few examples."""
        n_leaves = self.max_leaves
        if len(y) <= self.few:
            n_leaves = 1
        self.tree_ = grow_tree(
            X,
            y,
            max_leaf_nodes=n_leaves,
            growth_order="largest-decrease",
            n_classes=self.n_classes,
        )
        return self

    def predict(self, X: NDArray[np.float32]) -> NDArray[np.int64]:
        """The class of each example."""
        return self.tree_.predict(X)


def simulate(name: str, seed: int, halves_only: bool = False) -> list[Row]:
    """All certificates, or those of halvings, on one sample of a known distribution,
    with the true risks.
    """
    design = DESIGNS[name]
    distribution = design.distribution
    rng = np.random.default_rng([seed, design.m])
    X, y = distribution.sample(design.m, rng)

    bounded = [_from_halves("halves", design, X, y, None, seed)]

    if not halves_only:
        n_classes = distribution.classes.shape[1]
        bounded += _judged_by_half(X, y, n_classes)
        bounded += _from_one_tree(X, y, n_classes)

    X, y, groups = distribution.groups(design.m // 2, 4, rng)
    bounded.append(_from_halves("halves, by groups", design, X, y, groups, seed))
    if name == TORN:
        bounded.append(_from_halves("halves, groups ignored", design, X, y, None, seed))

    return [
        {
            "method": method,
            "certificate": bound,
            "risk": distribution.risk(tree.predict(distribution.inputs)),
            "n_leaves": tree.n_leaves,
        }
        for method, bound, tree in bounded
    ]


class _BoundedTree(NamedTuple):
    """A tree with the certificate of a method."""

    method: str
    bound: float
    tree: ArrayTree


def _from_halves(
    method: str,
    design: Design,
    X: NDArray,
    y: NDArray,
    groups: NDArray | None,
    seed: int,
) -> _BoundedTree:
    """The best tree of halvings, which keep groups together if they are given."""
    n = design.distribution.classes.shape[1]
    learners = [
        ("sized", _Grown(n_classes=n, few=len(y) // 2 + 4)),
        ("grown", _Grown(n_classes=n)),
    ]
    certificate, *_ = best_of_halvings(
        learners[: design.n_learners],
        X,
        y,
        delta=DELTA,
        n_halvings=design.n_halvings,
        groups=groups,
        # The draws are independent: rows repeat by chance.
        duplicates="ignore",
        random_state=seed,
    )

    return _BoundedTree(method, certificate.value, certificate.estimator.tree_)


def _judged_by_half(X: NDArray, y: NDArray, n_classes: int) -> list[_BoundedTree]:
    """The second half grows a small tree, which the first half tests, and a large one,
    which it prunes.
    """
    half = len(y) // 2
    small, large = (
        _Grown(n_classes=n_classes, max_leaves=L).fit(X[half:], y[half:]).tree_
        for L in (8, 40)
    )

    n_errors = int((small.predict(X[:half]) != y[:half]).sum())
    test_set = binomial_tail_inversion(n_errors, half, math.log(DELTA))

    errors = held_out_errors(large, X[:half], y[:half])
    sequence, bounds = occam_bounds(large, errors, half, DELTA)
    member = int(np.argmin(bounds))
    pruned = large.collapse(sequence.nodes(member))

    return [
        _BoundedTree("test-set", test_set, small),
        _BoundedTree("occam", float(bounds[member]), pruned),
    ]


def _from_one_tree(X: NDArray, y: NDArray, n_classes: int) -> list[_BoundedTree]:
    """Certificates of a tree that was grown on all examples."""
    tree = _Grown(n_classes=n_classes, max_leaves=10).fit(X, y).tree_

    messages = message_candidates(tree, X, y, DELTA)
    best = min(messages, key=lambda message: message.value)
    n_errors = int((best.tree.predict(X) != y).sum())
    no_price = binomial_tail_inversion(n_errors, len(y), math.log(DELTA))

    sequence, bounds = growth_candidates(tree, len(X), X.shape[1], DELTA)
    member = last_minimum(bounds)
    pruned = tree.collapse(sequence.nodes(member))

    deviations, nodes = _relative_deviations(tree)

    return [
        _BoundedTree("message", best.value, best.tree),
        _BoundedTree("no price", no_price, best.tree),
        _BoundedTree("growth", float(bounds[member]), pruned),
        _BoundedTree("growth, relative deviations", deviations, tree.collapse(nodes)),
    ]


def _relative_deviations(tree: ArrayTree) -> tuple[float, NDArray[np.int64]]:
    """Vapnik's bound of the best member of the weakest-link sequence, and the nodes
    that become leaves.
    """
    sequence = weakest_link_sequence(tree)
    m = round(tree.class_counts[0].sum())
    bounds = [
        relative_deviation_bound(
            m,
            round(k),
            log_all_structures_growth_bound(L, 2 * m, tree.n_features, tree.n_classes),
            log_leaves_prior(L),
            DELTA,
        )
        for L, k in zip(sequence.n_leaves.tolist(), sequence.costs, strict=True)
    ]
    member = last_minimum(np.array(bounds))

    return bounds[member], sequence.nodes(member)


def violations(
    n_samples: int = 1000,
    names: tuple[str, ...] = tuple(DESIGNS),
    n_jobs: int | None = None,
    halves_only: bool = False,
) -> pd.DataFrame:
    """The fraction of samples on which each certificate is below the true risk, with a
    95 % interval.

    Parameters
    ----------
    n_samples : int
        Number of samples of each distribution.
    names : tuple of str
        Keys of ``DESIGNS``.
    n_jobs : int, optional
        See :func:`reproduction.experiments.tabulated`.
    halves_only : bool
        Leave the other methods out.

    Returns
    -------
    pandas.DataFrame
        Columns distribution, method, violated, n_samples, share, low, high, and the
        means of certificate, risk, n_leaves.
    """
    work = list(product(names, range(n_samples)))
    with warnings.catch_warnings():
        # scikit-learn warns of as many classes as examples.
        warnings.simplefilter("ignore")
        task = partial(simulate, halves_only=halves_only)
        frame = tabulated(task, work, ["distribution", "seed"], n_jobs)

    frame["violated"] = frame["certificate"] < frame["risk"] - 1e-12
    table = frame.groupby(["distribution", "method"], sort=False).agg(
        violated=("violated", "sum"),
        certificate=("certificate", "mean"),
        risk=("risk", "mean"),
        n_leaves=("n_leaves", "mean"),
    )
    intervals = [
        stats.binomtest(int(k), n_samples).proportion_ci(method="exact")
        for k in table["violated"]
    ]
    table["share"] = table["violated"] / n_samples
    table["low"] = [interval.low for interval in intervals]
    table["high"] = [interval.high for interval in intervals]

    return table.assign(n_samples=n_samples).reset_index()
