"""Prunings of trees with balanced class weights, on sets in which a class is rare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import treebounds as tb
from reproduction.experiments import Row
from reproduction.experiments.leboeuf2020 import encoded
from treebounds.formats import collapse_sklearn, from_sklearn
from treebounds.pruning import BoundRule

# The rows of the chapter's table, and what it calls them.
SHOWN = {
    "ten folds": "ten folds",
    "three folds": "three folds, the default",
    "bound": "bound",
    "bound, weights as they are": "bound, weights as they are",
    "30 leaves": "unpruned, 30 leaves",
    "no pruning": "unpruned",
}
Rows = tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]
]


def sample(name: str, draw: int, most: int = 6000) -> Rows:
    """Training and test rows of a real or of a simulated set, and their classes."""
    test_size = 0.25
    if name.startswith("simulated"):
        test_size = 0.4
        X, y = make_classification(
            8000,
            20,
            n_informative=6,
            weights=[0.95],
            flip_y=0.03,
            class_sep=0.8,
            random_state=int(name.split()[-1]),
        )
    else:
        X, y = encoded(name)
    X, X_new, y, y_new = train_test_split(
        X, y, test_size=test_size, random_state=10 * draw + 1
    )
    return X[:most], X_new[: 2 * most], y[:most], y_new[: 2 * most]


def weights_as_counts(grown: DecisionTreeClassifier) -> DecisionTreeClassifier:
    """The default pruning where each unit of weight is an example."""
    path = BoundRule().path(from_sklearn(grown))
    return collapse_sklearn(grown, path.nodes())


def compared(name: str, draw: int) -> list[Row]:
    """Balanced accuracy and leaves of every way to prune."""
    X, X_new, y, y_new = sample(name, draw)
    how: dict[str, Any] = {"class_weight": "balanced", "random_state": 0}
    grown = DecisionTreeClassifier(**how).fit(X, y)
    folds = tb.CostComplexityPrunedTreeClassifier
    ways = {
        "ten folds": folds(cv=10, carry="fractions", **how).fit(X, y),
        "three folds": folds(**how).fit(X, y),
        "bound": tb.BoundPrunedTreeClassifier(**how).fit(X, y),
        "prune": tb.prune(grown, X, y),
        "bound, weights as they are": weights_as_counts(grown),
        "30 leaves": DecisionTreeClassifier(max_leaf_nodes=30, **how).fit(X, y),
        "no pruning": grown,
    }
    return [
        {
            "way": way,
            "leaves": int(tree.get_n_leaves()),
            "points": 100 * balanced_accuracy_score(y_new, tree.predict(X_new)),
        }
        for way, tree in ways.items()
    ]


def differences(results: pd.DataFrame, sets: list[str]) -> pd.DataFrame:
    """The mean difference of each way from ten folds, with the standard error over data
    sets, and its leaves.
    """
    of_sets = results[results["dataset"].isin(sets)]
    means = of_sets.groupby(["way", "dataset"])[["points", "leaves"]].mean()
    points = means["points"].unstack()
    minus = points - points.loc["ten folds"]
    return pd.DataFrame(
        {
            "mean": minus.mean(axis=1),
            "standard_error": minus.sem(axis=1),
            "n_leaves": means["leaves"].unstack().mean(axis=1),
        }
    )


def summary(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The table of the chapter, from that of each group of sets."""
    rows = []
    for name, table in tables.items():
        rows += [(name, words, *table.loc[way]) for way, words in SHOWN.items()]
    columns = ["sets", "way", "points against ten folds", "standard error", "leaves"]
    return pd.DataFrame(rows, columns=columns)
