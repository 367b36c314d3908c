"""Pruned regression trees: how many times as long as growing one tree they take, and
pruning them beside pruning classification trees with as many leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from measuring import Measurement, at_least, at_most, quotient, seconds
from treebounds import (
    CostComplexityPrunedTreeRegressor,
    PrunedTreeRegressor,
    prune,
)


def on_friedman(n_rows: int = 5000, n_columns: int = 20) -> list[Measurement]:
    X, y = make_friedman1(n_rows, n_columns, noise=1.0, random_state=0)

    def fitting(model: DecisionTreeRegressor) -> float:
        return seconds(lambda: model.fit(X, y), 3)

    growing = fitting(DecisionTreeRegressor(random_state=0))
    with_number = fitting(PrunedTreeRegressor(factor=0.875, random_state=0))
    by_folds = fitting(PrunedTreeRegressor(random_state=0))
    ten_folds = fitting(CostComplexityPrunedTreeRegressor(cv=10, random_state=0))
    name = f"{n_rows:,} rows and {n_columns} columns"
    return [
        at_most(
            f"a local price without folds over growing, {name}",
            with_number / growing,
            1.3,
            "times",
        ),
        at_most(
            f"a local price by three folds over growing, {name}",
            by_folds / growing,
            6.0,
            "times",
        ),
        at_least(
            f"ten folds of cost-complexity over a local price by three folds, {name}",
            ten_folds / by_folds,
            3.0,
        ),
    ]


def beside_classes(n_rows: int = 100_000, n_leaves: int = 10_000) -> list[Measurement]:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 20)).astype(np.float32)
    y = 10 * X[:, 0] + 3 * rng.standard_normal(n_rows)
    tied = np.floor(50 * X)
    classes = (y > 5).astype(int)

    limit: dict[str, Any] = {"max_leaf_nodes": n_leaves, "random_state": 0}
    numbers_tree = DecisionTreeRegressor(**limit).fit(X, y)
    tied_tree = DecisionTreeRegressor(**limit).fit(tied, y)
    classes_tree = DecisionTreeClassifier(**limit).fit(X, classes)
    sizes = f"{numbers_tree.get_n_leaves():,} and {classes_tree.get_n_leaves():,}"

    return over_classes(
        f"prune a regression tree over a classification tree, {sizes} leaves",
        partial(prune, numbers_tree, X, y),
        partial(prune, tied_tree, tied, y),
        partial(prune, classes_tree, X, classes),
    )


def over_classes(
    name: str,
    numbers: Callable[..., Any],
    tied: Callable[..., Any],
    classes: Callable[..., Any],
) -> list[Measurement]:
    """Prunings of numbers, each beside a pruning of classes; the arguments take a
    rule.
    """
    measurements = []
    for words, of_numbers, rule, rule_of_classes in (
        ("by a local price", numbers, "local", "bound"),
        ("by a local price, columns of fifty values", tied, "local", "bound"),
        ("by a price for each leaf", numbers, 2.0, 2.0),
        ("by counting trees", numbers, "counted", "bound"),
    ):
        first = partial(of_numbers, rule=rule)
        second = partial(classes, rule=rule_of_classes)
        value = quotient(first, second, 21)
        measurements.append(at_most(f"{name}, {words}", value, 1.1, "times"))
    return measurements


def run() -> list[Measurement]:
    return [*on_friedman(), *beside_classes()]
