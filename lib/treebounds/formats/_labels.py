"""Labels of classes, and their positions among the classes of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._labels import check_labels
from treebounds._validation import shown


def increasing_labels(classes: Any) -> NDArray[Any]:
    """Labels as an array, or a ValueError if they do not increase; a number n stands
    for 0, ..., n - 1.
    """
    labels = np.arange(classes) if isinstance(classes, int) else np.asarray(classes)
    increasing = labels.ndim == 1 and np.array_equal(np.unique(labels), labels)
    if not increasing or len(labels) == 0:
        raise ValueError(
            f"classes must be labels in increasing order; got {shown(classes)}"
        )
    return labels


def class_indices(y: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    """The position of each label among the classes, or a ValueError that names an
    unknown label.
    """
    check_labels(y)
    # scikit-learn's LabelEncoder would cut long words to the length of the classes.
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    positions = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    unknown = labels[classes[positions] != labels]
    if len(unknown):
        raise ValueError(
            f"y holds {shown(unknown.tolist()[0])}, which is not among classes"
            f" {shown(classes.tolist())}"
        )
    return positions
