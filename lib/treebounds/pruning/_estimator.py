"""What the pruned trees for scikit-learn share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import column_or_1d

from treebounds.trees.scikit_learn import collapse_classifier

Criterion = Literal["gini", "entropy", "log_loss"]
Splitter = Literal["best", "random"]
MaxFeatures = float | Literal["sqrt", "log2"] | None


class PrunedTreeClassifier(DecisionTreeClassifier):
    """A scikit-learn tree of one output that is grown, pruned, and then holds the pruned tree only.

    Subclasses name scikit-learn's parameters again, because it reads them from the signature of ``__init__``.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        tags.classifier_tags.multi_label = False
        return tags

    def _grow(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, check_input: bool = True
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Grow the whole tree; the labels and the weights as vectors."""
        try:
            weights = np.asarray(1.0 if sample_weight is None else sample_weight, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"sample_weight must be numbers; got {sample_weight!r}") from None
        if (weights < 0).any():
            raise ValueError("sample_weight must not be negative")
        y = column_or_1d(y, warn=True)
        if y.dtype == object and pd.isna(y).any():
            raise ValueError("y contains NaN or None: every example needs a class")
        super().fit(X, y, sample_weight=sample_weight, check_input=check_input)
        return y, np.broadcast_to(weights, y.shape)

    def _collapse(self, nodes: Iterable[int] | NDArray[Any]) -> None:
        """Put the tree in which some nodes are leaves in the place of the whole one."""
        self.tree_ = collapse_classifier(self, nodes).tree_
