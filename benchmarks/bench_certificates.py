"""Tables of certificates: seconds on one core beside applying the tree, and how many
times as long as the certificate of the whole tree they take.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from measuring import Measurement, at_most, seconds
from treebounds import certify


def sample(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 10), dtype=np.float32)
    y = (X[:, :5].sum(axis=1) + 1.5 * rng.standard_normal(n_rows) > 0).astype(int)
    return X, y


def on_many_rows(n_rows: int = 1_000_000, n_parts: int = 1000) -> list[Measurement]:
    tree = DecisionTreeClassifier(max_leaf_nodes=n_parts, random_state=0)
    tree.fit(*sample(100_000, seed=0))
    X, y = sample(n_rows, seed=1)
    numbers = np.random.default_rng(2).integers(n_parts, size=n_rows)

    def table(**asked: Any) -> float:
        return seconds(lambda: certify(tree, X, y, **asked), 3)

    applying = seconds(lambda: tree.apply(X), 3)
    whole = table()
    leaves = table(by="leaf", min_rows=1)
    words = table(by=numbers.astype(str))
    sample_name = f"certify {n_rows:,} rows"
    leaf_name = f"{sample_name} by {n_parts:,} leaves"
    group_name = f"{sample_name} by {n_parts:,} groups"
    return [
        at_most(f"{leaf_name}, beside applying the tree", leaves - applying, 1.0),
        at_most(
            f"{leaf_name}, with two kinds of cost, beside applying the tree",
            table(by="leaf", min_rows=1, cost=[1, 10]) - applying,
            1.0,
        ),
        at_most(f"{group_name} with numbers as names", table(by=numbers), 1.0),
        at_most(f"{group_name} with words as names", words, 1.0),
        at_most(
            f"{leaf_name} over the certificate of the whole tree",
            leaves / whole,
            3.0,
            "times",
        ),
    ]


def run() -> list[Measurement]:
    return on_many_rows()
