"""Names of features, classes and categories that a tree carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treebounds._validation import shown


def check_feature_names(
    names: Sequence[str] | None, n_features: int
) -> tuple[str, ...] | None:
    """A tuple of different words, one for each feature, or a ValueError."""
    if names is None:
        return None
    words = (names,) if isinstance(names, str) else tuple(names)
    if not all(isinstance(word, str) for word in words):
        raise ValueError(f"feature_names must be words; got {shown(words)}")
    if len(words) != n_features or len(set(words)) != n_features:
        raise ValueError(
            f"feature_names must be {n_features} different names, one for each feature;"
            f" got {len(words)}, {len(set(words))} of them different"
        )
    return tuple(str(word) for word in words)


def check_class_labels(
    labels: Sequence[Any] | None, n_classes: int | None
) -> tuple[Any, ...] | None:
    """A tuple of labels in increasing order, one for each class, or a ValueError.

    ``n_classes`` is None for a tree that predicts numbers.
    """
    if labels is None:
        return None
    if n_classes is None:
        raise ValueError("classes must be None: the tree predicts numbers, not classes")
    array = np.asarray(labels)
    if array.dtype.kind == "O" and None in array.tolist():
        raise ValueError(f"classes must not contain None; got {shown(labels)}")
    if array.shape != (n_classes,) or not np.array_equal(np.unique(array), array):
        raise ValueError(
            f"classes must be {n_classes} labels in increasing order; got"
            f" {shown(labels)}"
        )
    # Dates are kept as they are: tolist would turn them into numbers.
    if array.dtype.kind in "mM":
        return tuple(array)
    return tuple(array.tolist())


def check_category_names(
    names: Mapping[int, Sequence[Any]] | None, n_features: int
) -> dict[int, tuple[Any, ...]] | None:
    """A dictionary from features to the names of their categories, or a ValueError."""
    if names is None:
        return None
    for feature, categories in names.items():
        if not 0 <= feature < n_features:
            raise ValueError(
                f"category_names: feature must be from 0 to {n_features - 1}; got"
                f" {shown(feature)}"
            )
        if len(set(categories)) != len(categories):
            raise ValueError(
                f"category_names of feature {feature} must be different from each other"
            )
    pairs = sorted(names.items())
    return {int(feature): tuple(categories) for feature, categories in pairs}
