"""Trees whose rare classes weigh more, pruned by a bound and by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from reproduction.experiments import in_parallel
from reproduction.experiments.leboeuf2020 import Row, encoded
from treebounds import BoundPrunedTreeClassifier, CostComplexityPrunedTreeClassifier, prune
from treebounds.pruning import BoundRule
from treebounds.trees import ArrayTree, collapse_classifier

REAL = ("hmda", "attrition", "doctor-visits", "credit", "taxi", "default", "mlc-churn", "telco-churn")
SIMULATED = tuple(f"simulated {seed}" for seed in range(8))
MAX_ROWS = 6000
BALANCED: dict[str, Any] = {"class_weight": "balanced", "random_state": 0}
REFERENCE = "ten folds"


def run(names: Sequence[str], n_splits: int, n_jobs: int | None = None) -> pd.DataFrame:
    """Balanced accuracy and leaves of every way on every split of data sets; one row for each."""
    work = [(name, draw) for name in names for draw in range(n_splits)]
    found = in_parallel(compared, work, n_jobs, "splits")
    return pd.DataFrame(row for rows in found for row in rows)


def sample(name: str, draw: int) -> list[NDArray]:
    """Training and test rows, then their classes: of a real set, or of a simulated one with 5 % rare."""
    if name in REAL:
        X, y = encoded(name)
        share = 0.25
    else:
        options: dict[str, Any] = {"n_features": 20, "n_informative": 6, "flip_y": 0.03, "class_sep": 0.8}
        X, y = make_classification(8000, weights=[0.95], random_state=int(name.split()[-1]), **options)
        share = 0.4
    X, rest, y, y_rest = train_test_split(X, y, test_size=share, random_state=10 * draw + 1)
    return [X[:MAX_ROWS], rest[: 2 * MAX_ROWS], y[:MAX_ROWS], y_rest[: 2 * MAX_ROWS]]


def compared(name: str, draw: int) -> list[Row]:
    """Ways to prune a tree with balanced class weights, on one split."""
    X, X_test, y, y_test = sample(name, draw)
    grown = DecisionTreeClassifier(**BALANCED).fit(X, y)
    folds = CostComplexityPrunedTreeClassifier(**BALANCED, cv=10, carry="fractions")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        ways: dict[str, ClassifierMixin] = {
            REFERENCE: folds.fit(X, y),
            "three folds": CostComplexityPrunedTreeClassifier(**BALANCED).fit(X, y),
        }
    ways |= {
        "bound": BoundPrunedTreeClassifier(**BALANCED).fit(X, y),
        "prune": prune(grown, X, y),
        "bound, weights as they are": as_they_are(grown),
        "30 leaves": DecisionTreeClassifier(**BALANCED, max_leaf_nodes=30).fit(X, y),
        "no pruning": grown,
    }
    return [
        {
            "dataset": name,
            "draw": draw,
            "way": way,
            "balanced": balanced_accuracy_score(y_test, tree.predict(X_test)),
            "n_leaves": int(tree.get_n_leaves()),
        }
        for way, tree in ways.items()
    ]


def as_they_are(grown: DecisionTreeClassifier) -> DecisionTreeClassifier:
    """The default pruning where every unit of weight counts as one example."""
    return collapse_classifier(grown, BoundRule().path(ArrayTree.from_sklearn(grown)).nodes())


def differences(results: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """For each way, over data sets: its balanced accuracy minus that of ten folds, in points, and leaves.

    Columns mean, standard_error (over data sets), n_leaves.
    """
    means = (
        results[results["dataset"].isin(names)].groupby(["way", "dataset"])[["balanced", "n_leaves"]].mean()
    )
    points = 100 * means["balanced"].unstack("dataset")
    minus = points.sub(points.loc[REFERENCE], axis="columns")
    return pd.DataFrame(
        {
            "mean": minus.mean(axis=1),
            "standard_error": minus.std(axis=1, ddof=1) / np.sqrt(minus.shape[1]),
            "n_leaves": means["n_leaves"].unstack("dataset").mean(axis=1),
        }
    )
