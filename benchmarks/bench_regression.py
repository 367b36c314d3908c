"""Pruned regression trees: how many times as long as growing one tree they take, and
pruning them beside pruning classification trees with as many leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from measuring import Measurement, at_least, at_most, seconds
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
    classes = (y > 5).astype(int)
    numbers_tree = DecisionTreeRegressor(max_leaf_nodes=n_leaves, random_state=0)
    classes_tree = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0)
    numbers_tree.fit(X, y)
    classes_tree.fit(X, classes)

    sizes = f"{numbers_tree.get_n_leaves():,} and {classes_tree.get_n_leaves():,}"
    name = f"prune a regression tree over a classification tree, {sizes} leaves"
    tied = np.floor(50 * X)
    tied_tree = DecisionTreeRegressor(max_leaf_nodes=n_leaves, random_state=0)
    tied_tree.fit(tied, y)
    return [
        at_most(
            f"{name}, by a local price",
            ratio(
                lambda: prune(numbers_tree, X, y, rule="local"),
                lambda: prune(classes_tree, X, classes, rule="bound"),
            ),
            1.1,
            "times",
        ),
        at_most(
            f"{name}, by a local price, columns of fifty values",
            ratio(
                lambda: prune(tied_tree, tied, y, rule="local"),
                lambda: prune(classes_tree, X, classes, rule="bound"),
            ),
            1.1,
            "times",
        ),
        at_most(
            f"{name}, by a price for each leaf",
            ratio(
                lambda: prune(numbers_tree, X, y, rule=2.0),
                lambda: prune(classes_tree, X, classes, rule=2.0),
            ),
            1.1,
            "times",
        ),
        at_most(
            f"{name}, by counting trees",
            ratio(
                lambda: prune(numbers_tree, X, y, rule="counted"),
                lambda: prune(classes_tree, X, classes, rule="bound"),
            ),
            1.1,
            "times",
        ),
    ]


def ratio(
    first: Callable[[], object], second: Callable[[], object], repeat: int = 21
) -> float:
    """Median quotient of the processor times of two calls, which take turns, so that a
    busy machine slows both.
    """
    return median(seconds(first) / seconds(second) for _ in range(repeat))


def run() -> list[Measurement]:
    return [*on_friedman(), *beside_classes()]
