"""How small an honest bound can be: certificates on the data sets of Leboeuf et al., and simulations.

Tasks are run by :func:`reproduction.experiments.leboeuf2020.run`; splits and trees are those of that module.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from reproduction.experiments import in_parallel
from reproduction.experiments.leboeuf2020 import DELTA, Row, grow, split
from treebounds.pruning.polish import polish
from treebounds.risk.certificate import growth_certificate
from treebounds.risk.compression import Compression, compress
from treebounds.risk.pac_bayes import PruningMixture, occam_bound, pac_bayes_bound
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    held_out_bound,
    log_binomial,
    log_binomial_tail,
)
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.errors import held_out_errors
from treebounds.trees.weakest_link import weakest_link_sequence

__all__ = [
    "DISTRIBUTIONS",
    "Distribution",
    "certificates",
    "compressions",
    "polished",
    "simulate",
    "violations",
]

# how many more leaves than the smallest certificate's tree has a tree may have to be polished
_EXTRA_LEAVES = 3


class Certified(NamedTuple):
    """A certificate with the classifier that it is about."""

    method: str
    value: float
    model: ArrayTree | PruningMixture
    nats: float = math.nan
    message: Compression | None = None


def certificates(slug: str, draw: int) -> list[Row]:
    """Every certificate of one split, with the test error and the leaves of the tree that it is about.

    ``majority`` is the error of always answering the largest class of the whole data set. A message
    certifies a smaller risk exactly if so few errors are, at that risk, less probable than exp(-needed):
    ``needed`` is its length plus ln(1/delta), ``available`` is -ln of that probability.
    """
    data = split(slug, draw)
    y = np.concatenate([data.y_train, data.y_test])
    majority = 1 - np.bincount(y).max() / len(y)
    X_test = data.X_test.astype(np.float32)
    rows = []
    for found in certified_models(data.X_train, data.y_train, data.n_classes, draw):
        row = {"method": found.method, "certificate": found.value, "majority": majority}
        row["test_error"] = _error(found.model, X_test, data.y_test)
        row["n_leaves"] = found.model.n_leaves if isinstance(found.model, ArrayTree) else math.nan
        if found.message is not None:
            left = len(data.y_train) - len(found.message.examples)
            row["available"] = -log_binomial_tail(found.message.n_errors, left, majority)
            row["needed"] = found.nats - math.log(DELTA)
        rows.append(row)
    return rows


def certified_models(X: NDArray, y: NDArray[np.int64], n_classes: int, seed: int) -> Iterator[Certified]:
    """The tree of the smallest certificate for every method, all grown alike."""
    X = X.astype(np.float32)
    m, l, tree = len(y), X.shape[1], grow("best-first", X, y, n_classes)
    yield Certified("unpruned", math.nan, tree)
    messages = compressions(tree, X, y)
    for method, found in (
        ("description-length-plain", _smallest(compressions(tree, X, y, "plain"))),
        ("description-length", _smallest(messages)),
        ("description-length, polished", _smallest(polished(messages, X, y))),
    ):
        yield Certified(method, found.value, found.tree, found.length, found)
    wrong = int((found.tree.predict(X) != y).sum())
    yield Certified("no price", binomial_tail_inversion(wrong, m, math.log(DELTA)), found.tree)
    sequence = weakest_link_sequence(tree)
    pruned = [tree.collapse(sequence.nodes(step)) for step in range(len(sequence.alphas))]
    for method in ("hypergeometric", "growth", "shawe-taylor"):
        values = [
            growth_certificate(method, m, int(wrong), one, n_classes, DELTA, "all-structures", l)
            for one, wrong in zip(pruned, sequence.errors, strict=True)
        ]
        best = min(range(len(pruned)), key=lambda step: (values[step][0], pruned[step].n_leaves))
        yield Certified(method, values[best][0], pruned[best], values[best][1])
    yield from _on_other_data(X, y, n_classes, seed)


def _on_other_data(X: NDArray, y: NDArray[np.int64], n_classes: int, seed: int) -> Iterator[Certified]:
    """Certificates that keep examples back: half for choosing among prunings, a quarter for one test."""
    order = np.random.default_rng(seed).permutation(len(y))
    judged, grown = order[: len(y) // 2], order[len(y) // 2 :]
    tree = grow("best-first", X[grown], y[grown], n_classes)
    errors = held_out_errors(tree, X[judged], y[judged])
    value, nodes = occam_bound(tree, errors, len(judged), DELTA)
    yield Certified("occam, half", value, tree.collapse(nodes))
    value, mixture = pac_bayes_bound(tree, errors, len(judged), DELTA)
    yield Certified("pac-bayes, half", value, mixture, mixture.divergence)
    judged, grown = order[: len(y) // 4], order[len(y) // 4 :]
    tree = grow("best-first", X[grown], y[grown], n_classes)
    tree = _smallest(compressions(tree, X[grown], y[grown])).tree
    wrong = int((tree.predict(X[judged]) != y[judged]).sum())
    yield Certified("held-out quarter", held_out_bound(wrong, len(judged), DELTA), tree)


def compressions(
    tree: ArrayTree, X: NDArray, y: NDArray[np.int64], code: str = "sorted"
) -> list[Compression]:
    """Prunings of a tree along the weakest-link sequence as messages, smallest tree first.

    Those that are too large for a smaller certificate than the best one are left out.
    """
    sequence = weakest_link_sequence(tree)
    found: list[Compression] = []
    for step in range(len(sequence.alphas) - 1, -1, -1):
        N = int(sequence.n_leaves[step]) - 1
        # even without errors no larger tree can have a smaller certificate than this
        least = log_binomial(len(y), N) + N * math.log(X.shape[1]) - math.log(DELTA)
        if found and -math.expm1(-least / (len(y) - N)) > _smallest(found).value:
            break
        found.append(compress(tree.collapse(sequence.nodes(step)), X, y, tree.n_classes, DELTA, code))
    return found


def polished(found: list[Compression], X: NDArray, y: NDArray[np.int64]) -> list[Compression]:
    """The messages, and those of the polished trees among them that are about as small as the best one."""
    largest = _smallest(found).tree.n_leaves + _EXTRA_LEAVES
    trees = [polish(one.tree, X, y) for one in found if one.tree.n_leaves <= largest]
    return found + [compress(tree, X, y, tree.n_classes, DELTA) for tree in trees]


def _smallest(found: list[Compression]) -> Compression:
    return min(found, key=lambda one: one.value)


def _error(model: ArrayTree | PruningMixture, X: NDArray, y: NDArray[np.int64]) -> float:
    if isinstance(model, ArrayTree):
        return float(np.mean(model.predict(X) != y))
    return float(1 - model.predict_proba(X)[np.arange(len(y)), y].mean())


# --- known distributions -----------------------------------------------------------------------------------


class Distribution(NamedTuple):
    """Finitely many inputs, all equally probable, and the probability of each class at each of them."""

    inputs: NDArray[np.float32]
    classes: NDArray[np.float64]

    def sample(self, m: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """m independent examples."""
        cells = rng.integers(len(self.inputs), size=m)
        limits = self.classes[cells].cumsum(axis=1)
        return self.inputs[cells], (rng.random((m, 1)) > limits[:, :-1]).sum(axis=1)

    def risk(self, model: ArrayTree | PruningMixture) -> float:
        """The probability that a classifier errs, exactly."""
        if isinstance(model, ArrayTree):
            chosen = self.classes[np.arange(len(self.inputs)), model.predict(self.inputs)]
        else:
            chosen = (self.classes * model.predict_proba(self.inputs)).sum(axis=1)
        return float(1 - chosen.mean())


def _grid(*levels: int) -> NDArray[np.float32]:
    return np.indices(levels).reshape(len(levels), -1).T.astype(np.float32)


def _noisy(labels: NDArray[np.int64], n_classes: int, noise: float) -> NDArray[np.float64]:
    return (1 - noise) * np.eye(n_classes)[labels] + noise / n_classes


def _distributions() -> dict[str, Distribution]:
    noise, step, board = _grid(16, 16, 4), _grid(64, 8, 4), _grid(4, 4, 4)
    return {
        "pure noise, 2 classes": Distribution(noise, np.full((len(noise), 2), 0.5)),
        "noisy step, 2 classes": Distribution(step, _noisy((step[:, 0] >= 24).astype(int), 2, 0.2)),
        "many ties, 3 classes": Distribution(
            board, _noisy(((board[:, 0] + board[:, 1]) // 2.5).astype(int), 3, 0.4)
        ),
    }


DISTRIBUTIONS = _distributions()


def simulate(name: str, seed: int, m: int = 80) -> list[Row]:
    """All certificates on one sample of a known distribution, with the true risks."""
    distribution, rng = DISTRIBUTIONS[name], np.random.default_rng([seed, m])
    X, y = distribution.sample(m, rng)
    models = certified_models(X, y, distribution.classes.shape[1], seed)
    return [
        {
            "distribution": name,
            "method": found.method,
            "certificate": found.value,
            "risk": distribution.risk(found.model),
        }
        for found in models
        if not math.isnan(found.value)
    ]


def violations(n_samples: int = 2000, m: int = 80, n_jobs: int | None = None) -> pd.DataFrame:
    """How often each certificate is below the true risk, with a 95 % confidence interval of that share.

    Parameters
    ----------
    n_samples : int
        Samples of each distribution.
    m : int
        Examples in a sample.
    n_jobs : int, optional
        See :func:`reproduction.experiments.in_parallel`.

    Returns
    -------
    pandas.DataFrame
        Columns distribution, method, violated, n_samples, share, low, high, certificate, risk (means).
    """
    work = [(name, seed, m) for name in DISTRIBUTIONS for seed in range(n_samples)]
    found = in_parallel(simulate, work, n_jobs, "simulate")
    frame = pd.DataFrame([row for rows in found for row in rows])
    frame["violated"] = frame["certificate"] < frame["risk"] - 1e-12
    table = frame.groupby(["distribution", "method"], sort=False).agg(
        violated=("violated", "sum"), certificate=("certificate", "mean"), risk=("risk", "mean")
    )
    intervals = [stats.binomtest(int(k), n_samples).proportion_ci(method="exact") for k in table["violated"]]
    table["share"] = table["violated"] / n_samples
    table["low"], table["high"] = [i.low for i in intervals], [i.high for i in intervals]
    return table.assign(n_samples=n_samples).reset_index()
