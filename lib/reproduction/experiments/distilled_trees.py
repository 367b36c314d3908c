"""Trees that learn from a forest, compared with trees that are pruned by folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from reproduction import DistilledTreeClassifier
from reproduction.experiments import Row, leaves_or_dash
from reproduction.experiments.certificates import described
from reproduction.experiments.leboeuf2020 import split
from treebounds.estimators._learners import PrunedLearner
from treebounds.formats import collapse_sklearn


def one_tree(slug: str, draw: int) -> list[Row]:
    """Test errors and leaves on one split: a forest, one tree of three sizes, and ten
    folds; the forest's error out of bag, and that of the majority.
    """
    data = split(slug, draw).first(6000)
    X = data.X_train
    y = data.y_train
    teacher = RandomForestClassifier(80, oob_score=True, random_state=draw)
    largest = DistilledTreeClassifier(
        teacher=teacher, max_leaf_nodes=300, keep_teacher=True, random_state=draw
    ).fit(X, y)
    folds = PrunedLearner(cv=10, carry="fractions", random_state=draw)
    models = {
        "ten-fold pruning": folds.fit(X, y),
        "forest": largest.teacher_,
        "distilled, 300 leaves": largest,
    }
    for n in (40, 100):
        # Nodes are numbered as the tree grows: a lower limit keeps the first.
        cut = largest.tree_.children_left > 2 * n - 2
        models[f"distilled, {n} leaves"] = collapse_sklearn(largest, cut)

    bag = largest.teacher_.oob_score_
    majority = np.bincount(y).max() / len(y)
    return [
        *({"model": name, **described(model, data)} for name, model in models.items()),
        {"model": "forest, out of bag", "test_error": 1 - bag, "n_leaves": -1},
        {
            "model": "majority, training rows",
            "test_error": 1 - majority,
            "n_leaves": 1,
        },
    ]


def shown(values: pd.Series) -> str:
    """A mean with its sign, and its standard error."""
    return f"{values.mean():+.2f} ({values.sem():.2f})"


def table(
    gain: pd.DataFrame, leaves: pd.DataFrame, groups: dict[str, list[str]]
) -> pd.DataFrame:
    """Points that each model gains on each group of sets, and its leaves."""

    def row(name: str) -> Row:
        """The points that a model gains, and its mean number of leaves."""
        points = {
            f"{group} ({len(some)})": shown(gain.loc[some, name])
            for group, some in groups.items()
        }
        return {"model": name, **points, "leaves": leaves_or_dash(leaves[name].mean())}

    return pd.DataFrame([row(name) for name in gain.columns])
