"""Pruning by the bound: seconds on one core, and the ratio to cross-validation of a
price per leaf.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from reproduction.claims import published_values
from reproduction.datasets import DataNotAvailable, load
from treebounds import prune
from treebounds.formats import collapse_classifier, from_lightgbm, from_sklearn
from treebounds.pruning import BoundRule
from treebounds.trees import weakest_link_sequence
from treebounds.trees.counting import held_out_errors

CAPACITIES = ("all-structures", "loose", "loose-corrected", "closed")


def seconds(function: Callable[[], object], repeat: int = 3) -> float:
    """Processor time of the fastest of some calls."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def sample(slug: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(slug)
    return (
        np.asarray(data.data, dtype=np.float32),
        np.unique(data.target, return_inverse=True)[1],
    )


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
        fold = from_sklearn(
            DecisionTreeClassifier(max_leaf_nodes=40).fit(X[train], y[train])
        )
        path = weakest_link_sequence(fold)
        member = np.searchsorted(path.alphas, prices * len(train), side="right") - 1
        errors += path.along(held_out_errors(fold, X[test], y[test]))[member]

    return collapse_classifier(
        grown, sequence.nodes(len(errors) - 1 - int(np.argmin(errors[::-1])))
    )


def samples_of_table_1() -> list[tuple[np.ndarray, np.ndarray]]:
    """The samples of Table 1 that are available on this machine."""
    found = []
    for row in published_values("leboeuf2020")["table1"]["rows"]:
        with suppress(DataNotAvailable):
            found.append(sample(row["dataset"]))
    return found


def on_table_1() -> list[dict]:
    ratios = []
    slowest = dict.fromkeys(CAPACITIES, 0.0)
    samples = samples_of_table_1()
    for X, y in samples:
        grown = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y)
        for capacity in CAPACITIES:
            rule = BoundRule(capacity)
            once = seconds(lambda g=grown, rule=rule: rule.path(from_sklearn(g)))
            slowest[capacity] = max(slowest[capacity], once)

        by_bound = seconds(lambda g=grown: prune(g), repeat=5)
        ratios.append(
            seconds(lambda g=grown, X=X, y=y: cross_validated_price(g, X, y), repeat=2)
            / by_bound
        )

    rows = [
        {
            "name": (
                f"prune a tree of up to 40 leaves, {capacity}, slowest of"
                f" {len(samples)} data sets"
            ),
            "value": 1000 * value,
            "target": 5.0,
            "unit": "ms, at most",
        }
        for capacity, value in slowest.items()
    ]
    ratio = {
        "name": (
            "ten folds of cost-complexity over pruning from counts, median of"
            f" {len(samples)} data sets"
        ),
        "value": statistics.median(ratios),
        "target": 20.0,
        "unit": "times, at least",
    }
    return [*rows, ratio]


def on_letters() -> list[dict]:
    X, y = sample("letter-recognition")
    grown = DecisionTreeClassifier(random_state=0).fit(X, y)
    name = (
        f"prune a fully grown tree on letter-recognition, {grown.get_n_leaves():,}"
        " leaves"
    )

    return [
        {
            "name": f"{name}, {capacity}",
            "value": seconds(
                lambda capacity=capacity: prune(grown, X, y, rule=BoundRule(capacity)),
                repeat=1,
            ),
            "target": 2.0,
            "unit": "s, at most",
        }
        for capacity in CAPACITIES
    ]


def on_many_rows(n_rows: int = 500_000) -> dict:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 50), dtype=np.float32)
    y = (X[:, :5].sum(axis=1) + 1.5 * rng.standard_normal(n_rows) > 0).astype(int)
    grown = DecisionTreeClassifier(max_features=5, random_state=0).fit(X, y)
    n_leaves = grown.get_n_leaves()

    return {
        "name": (
            f"prune a fully grown tree on {n_rows:,} rows, {n_leaves:,} leaves,"
            " all-structures"
        ),
        "value": seconds(lambda: prune(grown, X, y), repeat=1),
        "target": 10.0,
        "unit": "s, at most",
    }


def on_lightgbm(n_leaves: int = 100_000, n_rows: int = 400_000) -> list[dict]:
    """Times to read, count and prune one tree of LightGBM, and their ratio to the time
    of growing it.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 5), dtype=np.float32)
    y = np.where(
        rng.random(n_rows) < 0.4, X[:, 0] > 0, rng.integers(0, 2, n_rows)
    ).astype(int)
    options = {
        "num_leaves": n_leaves,
        "min_child_samples": 1,
        "min_child_weight": 0,
        "verbose": -1,
    }
    model = LGBMClassifier(n_estimators=1, n_jobs=1, **options)
    growing = seconds(lambda: model.fit(X, y), repeat=1)
    reading = seconds(lambda: from_lightgbm(model, X, y))
    tree = from_lightgbm(model, X, y)
    name = f"a LightGBM tree of {tree.n_leaves:,} leaves"
    unit = "s, at most"

    return [
        {
            "name": f"read {name} and count {n_rows:,} rows",
            "value": reading,
            "target": 2.0,
            "unit": unit,
        },
        *(
            {
                "name": f"prune {name}, {text}",
                "value": seconds(lambda rule=rule: prune(tree, rule=rule), repeat=1),
                "target": 0.5,
                "unit": unit,
            }
            for text, rule in (("by the bound", "bound"), ("by a price", 2.0))
        ),
        {
            "name": f"read {name} over growing it",
            "value": reading / growing,
            "target": 0.1,
            "unit": "times, at most",
        },
    ]


def run() -> list[dict]:
    rows = [*on_table_1(), on_many_rows(), *on_lightgbm()]
    with suppress(DataNotAvailable):
        rows += on_letters()
    return rows


if __name__ == "__main__":
    for row in run():
        print(f"{row['value']:10.3g} {row['unit']} {row['target']:g}   {row['name']}")
