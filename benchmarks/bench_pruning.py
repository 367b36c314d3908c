"""Pruning by the bound: seconds on one core, and the ratio to cross-validation of a
price per leaf.
"""

from __future__ import annotations

import statistics
from contextlib import suppress

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from measuring import Measurement, at_least, at_most, seconds
from reproduction.claims import published_values
from reproduction.datasets import DataNotAvailable, load
from treebounds import prune
from treebounds.formats import collapse_sklearn, from_lightgbm, from_sklearn
from treebounds.pruning import BoundRule
from treebounds.trees import weakest_link_sequence
from treebounds.trees.counting import held_out_errors

CAPACITIES = ("all-structures", "loose", "closed")


def sample(slug: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(slug)
    X = np.asarray(data.data, dtype=np.float32)
    y = np.unique(data.target, return_inverse=True)[1]
    return X, y


def cross_validated_price(
    grown: DecisionTreeClassifier, X: np.ndarray, y: np.ndarray
) -> object:
    """Minimal cost-complexity pruning by ten folds, with one weakest-link sequence for
    each tree.
    """
    sequence = weakest_link_sequence(from_sklearn(grown))
    prices = np.maximum(sequence.alphas, 0)
    prices = np.sqrt(prices * np.append(prices[1:], np.inf)) / len(y)

    errors = np.zeros(len(prices))
    for train, test in KFold(10, shuffle=True, random_state=0).split(X):
        learner = DecisionTreeClassifier(max_leaf_nodes=40)
        fold = from_sklearn(learner.fit(X[train], y[train]))
        path = weakest_link_sequence(fold)
        member = np.searchsorted(path.alphas, prices * len(train), side="right") - 1
        errors += path.along(held_out_errors(fold, X[test], y[test]))[member]

    # The smallest tree of those with the fewest errors.
    best = np.flatnonzero(errors == errors.min())[-1]
    return collapse_sklearn(grown, sequence.nodes(int(best)))


def samples_of_table_1() -> list[tuple[np.ndarray, np.ndarray]]:
    """The samples of Table 1 that are available on this machine."""
    samples = []
    for row in published_values("leboeuf2020")["table1"]["rows"]:
        with suppress(DataNotAvailable):
            samples.append(sample(row["dataset"]))
    return samples


def on_table_1() -> list[Measurement]:
    ratios = []
    slowest = dict.fromkeys(CAPACITIES, 0.0)
    samples = samples_of_table_1()
    for X, y in samples:
        grown = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y)
        for capacity in CAPACITIES:
            rule = BoundRule(capacity)
            once = seconds(lambda g=grown, rule=rule: rule.path(from_sklearn(g)), 3)
            slowest[capacity] = max(slowest[capacity], once)

        by_bound = seconds(lambda g=grown: prune(g), 5)
        by_folds = seconds(lambda g=grown, X=X, y=y: cross_validated_price(g, X, y), 2)
        ratios.append(by_folds / by_bound)

    n_sets = len(samples)
    return [
        *(
            at_most(
                f"prune a tree of up to 40 leaves, {capacity}, slowest of {n_sets} data"
                " sets",
                1000 * value,
                5.0,
                "ms",
            )
            for capacity, value in slowest.items()
        ),
        at_least(
            "ten folds of cost-complexity over pruning from counts, median of"
            f" {n_sets} data sets",
            statistics.median(ratios),
            20.0,
        ),
    ]


def on_letters() -> list[Measurement]:
    X, y = sample("letter-recognition")
    grown = DecisionTreeClassifier(random_state=0).fit(X, y)
    n_leaves = grown.get_n_leaves()
    name = f"prune a fully grown tree on letter-recognition, {n_leaves:,} leaves"

    return [
        at_most(
            f"{name}, {capacity}",
            seconds(lambda c=capacity: prune(grown, X, y, rule=BoundRule(c))),
            2.0,
        )
        for capacity in CAPACITIES
    ]


def on_many_rows(n_rows: int = 500_000) -> Measurement:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 50), dtype=np.float32)
    y = (X[:, :5].sum(axis=1) + 1.5 * rng.standard_normal(n_rows) > 0).astype(int)
    grown = DecisionTreeClassifier(max_features=5, random_state=0).fit(X, y)
    n_leaves = grown.get_n_leaves()

    return at_most(
        f"prune a fully grown tree on {n_rows:,} rows, {n_leaves:,} leaves,"
        " all-structures",
        seconds(lambda: prune(grown, X, y)),
        10.0,
    )


def on_lightgbm(n_leaves: int = 100_000, n_rows: int = 400_000) -> list[Measurement]:
    """Times to read, count and prune one tree of LightGBM, and their ratio to the time
    of growing it.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 5), dtype=np.float32)
    is_known = rng.random(n_rows) < 0.4
    y = np.where(is_known, X[:, 0] > 0, rng.integers(0, 2, n_rows)).astype(int)
    model = LGBMClassifier(
        n_estimators=1,
        n_jobs=1,
        num_leaves=n_leaves,
        min_child_samples=1,
        min_child_weight=0,
        verbose=-1,
    )

    growing = seconds(lambda: model.fit(X, y))
    reading = seconds(lambda: from_lightgbm(model, X, y), 3)
    tree = from_lightgbm(model, X, y)
    name = f"a LightGBM tree of {tree.n_leaves:,} leaves"
    by_bound = seconds(lambda: prune(tree, rule="bound"))
    by_price = seconds(lambda: prune(tree, rule=2.0))
    return [
        at_most(f"read {name} and count {n_rows:,} rows", reading, 2.0),
        at_most(f"prune {name}, by the bound", by_bound, 0.5),
        at_most(f"prune {name}, by a price", by_price, 0.5),
        at_most(f"read {name} over growing it", reading / growing, 0.1, "times"),
    ]


def run() -> list[Measurement]:
    measurements = [*on_table_1(), on_many_rows(), *on_lightgbm()]
    with suppress(DataNotAvailable):
        measurements += on_letters()
    return measurements
