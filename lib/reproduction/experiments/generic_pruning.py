"""Trees pruned by several estimates of the true error, with numbers and with words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from reproduction.experiments.yildiz2012 import encoded
from reproduction.multiway import ID3Classifier, generic_pruning, grow_id3
from treebounds.formats import from_sklearn

Examples = NDArray[Any]
# From the number of features and a held-out sample to estimates by name; None: no
# pruning. The one named "validation" may not see the held-out examples while growing.
Estimates = Callable[[int, tuple[Examples, Examples]], Mapping[str, Any]]


def on_halves(
    X: Examples, y: Examples, estimates: Estimates, n_halves: int
) -> pd.DataFrame:
    """Mean test error in percent and mean number of leaves of scikit-learn's tree,
    whole and pruned, over random halves.
    """
    rows = []
    for seed in range(n_halves):
        train, test = train_test_split(
            np.arange(len(y)), test_size=0.5, random_state=seed, stratify=y
        )
        fit, held = train_test_split(train, test_size=0.3, random_state=seed)
        for name, estimate in estimates(X.shape[1], (X[held], y[held])).items():
            rest = _rows_to_grow_on(name, train, fit)
            grown = DecisionTreeClassifier(random_state=0).fit(X[rest], y[rest])
            tree = _pruned(from_sklearn(grown), X[rest], y[rest], estimate)
            rows.append((name, _percent(tree, X[test], y[test]), tree.n_leaves))
    table = pd.DataFrame(rows, columns=["estimate", "error %", "leaves"])
    return table.groupby("estimate", sort=False, as_index=False).mean()


def on_words(slugs: Sequence[str], estimates: Estimates, n_folds: int) -> pd.DataFrame:
    """Test error in percent and leaves of ID3's tree, whole and pruned, for each fold
    of each data set.
    """
    rows = []
    for slug in slugs:
        X, y, n_values = encoded(slug)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
        for train, test in folds.split(X, y):
            fit, held = train_test_split(
                train, test_size=0.2, random_state=0, stratify=y[train]
            )
            for name, estimate in estimates(X.shape[1], (X[held], y[held])).items():
                rest = _rows_to_grow_on(name, train, fit)
                grown = grow_id3(X[rest], y[rest], n_values, 2)
                tree = _pruned(grown, X[rest], y[rest], estimate, relabel=False)
                error = _percent(tree, X[test], y[test])
                rows.append((slug, name, error, tree.n_leaves))
    return pd.DataFrame(rows, columns=["data set", "estimate", "error", "leaves"])


def bounds(slugs: Sequence[str], bound: Callable[[Any, int], float]) -> pd.DataFrame:
    """A bound on the risk of ID3's whole tree and of the one that the description
    length pruned, for each data set.
    """
    rows = []
    for slug in slugs:
        X, y, _ = encoded(slug)
        m, d = X.shape
        whole = ID3Classifier().fit(X, y).tree_
        short = ID3Classifier(pruning="description-length").fit(X, y).tree_
        rows.append(
            {
                "data set": slug,
                "m": m,
                "d": d,
                "minority": min(np.mean(y), 1 - np.mean(y)),
                "nodes": whole.n_nodes,
                "its bound": bound(whole, m),
                "nodes left": short.n_nodes,
                "training error": short.subtree_errors[0] / m,
                "bound": bound(short, m),
            }
        )
    return pd.DataFrame(rows)


def _rows_to_grow_on(name: str, train: Examples, fit: Examples) -> Examples:
    """All training rows, or those that are not held out."""
    if name == "validation":
        return fit
    return train


def _pruned(tree: Any, X: Examples, y: Examples, estimate: Any, **options: bool) -> Any:
    """The tree itself if there is no estimate."""
    if estimate is None:
        return tree
    return generic_pruning(tree, X, y, estimate).to_tree(X, y, **options)


def _percent(tree: Any, X: Examples, y: Examples) -> float:
    return float(100 * np.mean(tree.predict(X) != y))
