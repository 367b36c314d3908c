"""The numbers of rows at the leaves of the first or last tree of scikit-learn's
boosting on histograms.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from treebounds.risk.reuse.leaf_counts.class_numbers import (
    ClassNumbers,
    FirstStep,
    place_of_first_tree,
)
from treebounds.risk.reuse.leaf_counts.record import LeafCounts
from treebounds.risk.rows.tables import are_of_32_bits


def of_histogram_boosting(model: Any, place: int) -> LeafCounts | None:
    """The numbers at the leaves of the first or last tree.

    It has no public way to them; where the private one is missing, nothing is
    recognized.
    """
    predictor = copy(model._predictors[place][0])
    nodes = getattr(predictor, "nodes", None)
    fields = {"is_leaf", "count", "value"}
    if nodes is None or not fields <= set(nodes.dtype.names or ()):
        return None
    if not hasattr(model, "_preprocess_X") or not hasattr(model, "_bin_mapper"):
        return None
    leaves = np.flatnonzero(nodes["is_leaf"])

    # Each node predicts its own number, so that scikit-learn leads rows through the
    # tree, also where it splits by sets of categories.
    predictor.nodes = nodes.copy()
    predictor.nodes["value"] = np.arange(len(nodes))
    of_rounded_rows = copy(predictor)
    of_rounded_rows.nodes = predictor.nodes.copy()
    of_rounded_rows.nodes["num_threshold"] = _rounded_up(nodes["num_threshold"])

    def leaf_of(X: Any) -> NDArray[np.intp]:
        # The columns of categories become numbers, and come first.
        values = model._preprocess_X(X, reset=False)
        known = model._bin_mapper.make_known_categories_bitsets()
        suitable = of_rounded_rows if all(are_of_32_bits(X)) else predictor
        numbers = suitable.predict(values, *known, 1)
        reached: NDArray[np.intp] = np.searchsorted(leaves, numbers)
        return reached

    grown = nodes["count"][leaves].astype(float)
    return LeafCounts(
        grown[:, np.newaxis],
        None,
        leaf_of,
        n_rows=int(grown.sum()),
        of_a_class=_of_a_class(model, nodes[leaves]),
    )


def _rounded_up(thresholds: NDArray[Any]) -> NDArray[np.float64]:
    """Thresholds for rows that were rounded to 32 bits after the tree was grown: a row
    on a threshold, which stays left, may have been rounded up, and then so is the
    threshold.

    A threshold half-way between two neighbors of 32 bits stays: a tree that was grown
    on rows of 32 bits has such a one between two of them.
    """
    # A threshold that only missing values pass is infinite.
    with np.errstate(invalid="ignore", over="ignore"):
        nearest = thresholds.astype(np.float32).astype(float)
        opposite = 2 * thresholds - nearest
        is_between = opposite == opposite.astype(np.float32)
    return np.where(is_between, thresholds, np.maximum(thresholds, nearest))


def _of_a_class(model: Any, leaves: NDArray[Any]) -> ClassNumbers | None:
    """The numbers of a class in the first tree of a classifier.

    Parameters
    ----------
    model : HistGradientBoostingClassifier
    leaves : structured array
        The leaves of the tree, as scikit-learn keeps them.
    """
    scores = getattr(model, "_baseline_prediction", None)
    if scores is None or model.loss != "log_loss":
        return None
    scores = np.ravel(scores)
    n_classes = max(2, len(scores))
    p = float(expit(scores[0]))
    if n_classes > 2:
        p = float(softmax(scores)[0])
    n_rows = leaves["count"].astype(float)
    step = FirstStep(
        place=place_of_first_tree(n_classes),
        p=p,
        derivative=p * (1 - p),
        values=leaves["value"] / model.learning_rate,
        derivatives=n_rows * p * (1 - p),
        penalty=model.l2_regularization,
    )
    return step.numbers(n_rows)
