"""ID3 with each of three gains: how large the trees grow, and how often they err."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_score

from reproduction.experiments.yildiz2012 import encoded
from reproduction.multiway import ID3Classifier, grow_id3

NAMES = {"entropy": "information", "gini": "Gini", "error": "train error"}
COLUMNS = ["data set", "gain", "leaves", "leaves reversed", "error %"]
IN_ORDER = slice(None)
REVERSED = slice(None, None, -1)


def measure(slugs: Sequence[str], repetitions: int) -> pd.DataFrame:
    """A row for each data set and gain: leaves with the columns in both orders, and
    the error in percent over repeated ten folds.
    """
    rows = []
    for slug in slugs:
        X, y, n_values = encoded(slug)
        for criterion in NAMES:
            sizes = [
                grow_id3(X[:, order], y, n_values[order], 2, criterion).n_leaves
                for order in (IN_ORDER, REVERSED)
            ]
            learner = ID3Classifier(criterion=criterion)
            errors = []
            for seed in range(repetitions):
                accuracies = cross_val_score(learner, X, y, cv=_ten_folds(seed))
                errors.append(1 - accuracies.mean())
            rows.append((slug, criterion, *sizes, 100 * np.mean(errors)))
    return pd.DataFrame(rows, columns=COLUMNS)


def table(gains: pd.DataFrame, slugs: Sequence[str]) -> pd.DataFrame:
    """The rows of ``measure`` with one line for each data set, as the chapter shows
    them.
    """
    both = [
        f"{a} / {b}"
        for a, b in zip(gains["leaves"], gains["leaves reversed"], strict=True)
    ]
    by_gain = gains.assign(both=both).pivot(index="data set", columns="gain")
    by_gain = by_gain.reindex(slugs)

    columns = {"data set": list(slugs)}
    for words, column in (("leaves", "both"), ("error", "error %")):
        for gain, name in NAMES.items():
            columns[f"{words}: {name}"] = list(by_gain[column, gain])
    return pd.DataFrame(columns)


def _ten_folds(seed: int) -> StratifiedKFold:
    return StratifiedKFold(10, shuffle=True, random_state=seed)
