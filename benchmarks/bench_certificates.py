"""Tables of certificates: seconds on one core beside applying the tree, and how many
times as long as the certificate of the whole tree they take. And how much of the time
the checks take, whether rows repeat others or were used before.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from measuring import Measurement, at_most, quotient, seconds
from treebounds import CertifiedTreeClassifier, certify
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.risk.rows.duplicates import Repeats


def sample(
    n_rows: int, seed: int, n_columns: int = 10
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns), dtype=np.float32)
    y = (X[:, :5].sum(axis=1) + 1.5 * rng.standard_normal(n_rows) > 0).astype(int)
    return X, y


def on_many_rows(n_rows: int = 1_000_000, n_parts: int = 1000) -> list[Measurement]:
    tree = DecisionTreeClassifier(max_leaf_nodes=n_parts, random_state=0)
    tree.fit(*sample(100_000, seed=0))
    X, y = sample(n_rows, seed=1)
    numbers = np.random.default_rng(2).integers(n_parts, size=n_rows)

    def table(**options: Any) -> float:
        return seconds(lambda: certify(tree, X, y, **options), 3)

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


class NoReuseCheck:
    """Finds nothing."""

    def __init__(self, *_: Any, **options: bool) -> None: ...

    def compare(self, *_: Any) -> None: ...

    def recurrence(self, left_out: bool = False) -> Recurrence:
        return Recurrence()


class NoDuplicateCheck:
    """Finds nothing."""

    def __init__(self, *_: Any) -> None:
        self.n_rows = 0

    def examine(self, X: Any, *_: Any) -> np.ndarray:
        self.n_rows = len(X)
        return np.arange(len(X))

    def repeats(self) -> Repeats:
        return Repeats(n_rows=self.n_rows)


def with_checks(n_rows: int = 100_000) -> list[Measurement]:
    """Single trees are the hardest: they predict in the time of a few passes.

    The checks hash two columns, look at the rows that are near the record with all
    their columns, and sort the hashes to find equal ones, which takes longest. None of
    this can be left out: the record needs the smallest hashes, and the number of rows
    that repeat others needs all. With many columns, rows are far apart in memory, so
    that it takes longer to read two columns.
    """
    tree = CertifiedTreeClassifier(method="growth", max_leaf_nodes=50)
    forest = RandomForestClassifier(20, max_leaf_nodes=50)
    models = [
        ("a certified tree", tree, 10, 1.3),
        ("a certified tree", tree, 100, 1.3),
        ("a forest of 20 trees", forest, 10, 1.2),
    ]
    stand_ins = {
        "RowHashes": lambda rows: np.arange(len(rows)),
        "ReuseCheck": NoReuseCheck,
        "DuplicateCheck": NoDuplicateCheck,
    }

    measured = []
    for name, model, n_columns, limit in models:
        model.set_params(random_state=0).fit(*sample(n_rows, 0, n_columns))
        new = sample(n_rows, 1, n_columns)

        def certified(model: Any = model, new: Any = new) -> None:
            certify(model, *new)

        def unchecked(model: Any = model, new: Any = new) -> None:
            with patch.multiple("treebounds.risk.certifying", **stand_ins):
                certify(model, *new)

        value = quotient(certified, unchecked, 15)
        task = f"certify {name} on {n_rows:,} x {n_columns}, over the same without"
        measured.append(at_most(f"{task} checks", value, limit, "times"))
    return measured


def run() -> list[Measurement]:
    return [*with_checks(), *on_many_rows()]
