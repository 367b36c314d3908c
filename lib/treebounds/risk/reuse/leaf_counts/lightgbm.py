"""The numbers of rows at the leaves of the first or last tree of a LightGBM model."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from treebounds.risk.reuse.leaf_counts.class_numbers import (
    ClassNumbers,
    FirstStep,
    place_of_first_tree,
)
from treebounds.risk.reuse.leaf_counts.record import LeafCounts


def of_lightgbm(booster: Any, place: int) -> LeafCounts | None:
    """The numbers at the leaves of the first or last tree of a booster; None if it has
    no such numbers.
    """
    iteration = {"start_iteration": place % max(1, booster.current_iteration())}
    text = booster.model_to_string(num_iteration=1, **iteration)
    counts = re.search(r"^leaf_count=(.*)$", text, re.MULTILINE)
    if counts is None:
        return None
    grown = np.array([float(count) for count in counts[1].split()])

    def leaf_of(X: Any) -> NDArray[np.intp]:
        how = {"pred_leaf": True, "num_iteration": 1, **iteration}
        leaves = np.asarray(booster.predict(X, **how))
        return leaves.reshape(len(leaves), -1)[:, 0].astype(np.intp)

    of_a_class = None
    # Of a single leaf LightGBM writes no derivatives.
    if len(grown) > 1:
        of_a_class = _of_a_class(text, grown)
    return LeafCounts(
        grown[:, np.newaxis],
        None,
        leaf_of,
        n_rows=int(grown.sum()),
        of_a_class=of_a_class,
    )


def _of_a_class(text: str, n_rows: NDArray[Any]) -> ClassNumbers | None:
    """The numbers of a class in the first tree of a model.

    Parameters
    ----------
    text : str
        The model, or its first round, as LightGBM writes it.
    n_rows : (n_leaves,) array
    """
    objective = dict(
        word.partition(":")[::2] for word in _after("objective=", text).split()
    )
    loss = next(iter(objective), "")
    if loss not in ("binary", "multiclass", "multiclassova"):
        return None
    values = _numbers_after("leaf_value=", text)
    derivatives = _numbers_after("leaf_weight=", text)
    penalty = float(_parameter("lambda_l2", text))
    start = 0.0
    if _parameter("boost_from_average", text) == "1":
        # The values of the first tree hold the start, too, where the sum of the
        # gradients is 0. The text has it in few digits.
        start = np.average(values, weights=derivatives + penalty)

    n_classes = int(objective.get("num_class", 2))
    p = float(expit(start))
    factor = 1.0
    if loss == "multiclass":
        p = math.exp(start) if start else 1 / n_classes
        factor = n_classes / (n_classes - 1)
    step = FirstStep(
        place=place_of_first_tree(n_classes),
        p=p,
        derivative=factor * p * (1 - p),
        values=(values - start) / float(_parameter("learning_rate", text)),
        derivatives=derivatives,
        penalty=penalty,
    )
    return step.numbers(n_rows)


def _parameter(name: str, text: str) -> str:
    """The value of a parameter of LightGBM, in its text of a model."""
    return _after(f"[{name}: ", text).rstrip("]")


def _after(start: str, text: str) -> str:
    """The rest of the first line that begins in this way; empty if none does."""
    found = re.search(rf"^{re.escape(start)}(.*)$", text, re.MULTILINE)
    return found[1] if found else ""


def _numbers_after(start: str, text: str) -> NDArray[np.float64]:
    """The numbers in the first line that begins in this way."""
    return np.array([float(word) for word in _after(start, text).split()])
