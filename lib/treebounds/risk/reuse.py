"""Was this sample used before? The rows that made a classifier against those that
judge it.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import (
    check_array,
)

from treebounds.risk.certificate import assumptions
from treebounds.risk.classifiers import parts
from treebounds.risk.memory import Comparison, RowMemory, row_hashes


class Comparisons:
    """Comparison of the rows that a classifier is known to be made from with the rows
    that test it.
    """

    def __init__(self, X_grown: Any) -> None:
        # The keys are the identities of estimators, and None for the rows that the
        # caller gives.
        self.each: dict[int | None, Comparison] = {}
        if X_grown is not None:
            self.each[None] = Comparison(RowMemory.of(row_hashes(X_grown)))

    def add(self, classifier: Any, X: Any, labels: NDArray[Any]) -> None:
        """Compare further rows; raise a ValueError if they are the sample that a tree
        was grown on.
        """
        if None in self.each:
            self.each[None].add(X)
        for part, rows in parts(classifier, X):
            memory = getattr(part, "_row_memory_", None)
            if memory is not None:
                self.each.setdefault(id(part), Comparison(memory)).add(rows)
            elif _was_grown_on(part, rows, labels):
                raise ValueError(
                    "X: the tree was grown on these examples; a certificate needs"
                    " others"
                )

    def found(self, grouped: bool = False) -> dict[str, Any]:
        """A certificate's attributes from these comparisons; raise a ValueError if too
        many rows recur.
        """
        for one in self.each.values():
            if one.in_common():
                used = (
                    f"X: {one.n_recurring} of {one.n_compared} rows that can be"
                    " compared are among those "
                )
                used += (
                    "that the classifier was grown, pruned or chosen on, more than"
                    " independent samples "
                )
                raise ValueError(used + "have in common; a certificate needs others")
        pairs = [(one.n_recurring, one.n_compared) for one in self.each.values()]
        equals, compared = max(pairs, default=(0, 0))
        taken = assumptions(
            "test-set", grouped=grouped, recorded=bool(self.each), recurring=equals > 0
        )
        return {"assumptions": taken, "n_compared": compared, "n_recurring": equals}


def _was_grown_on(part: Any, rows: Any, labels: NDArray[Any]) -> bool:
    """Whether each node of a fitted tree is reached by as many rows of each class as
    when it was grown.
    """
    if hasattr(part, "booster_"):
        return _lightgbm_was_grown_on(part.booster_, rows)
    members, first = getattr(part, "estimators_", None), part
    if isinstance(members, list | np.ndarray) and len(members):
        first = members.flat[0] if isinstance(members, np.ndarray) else members[0]
    tree: Any = getattr(first, "tree_", None)
    if (
        not hasattr(tree, "n_node_samples")
        or tree.node_count == 1
        or tree.n_features != np.shape(rows)[1]
    ):
        return False
    if not hasattr(
        first, "feature_names_in_"
    ):  # The members of a forest do not know the names of columns.
        rows = check_array(
            rows, accept_sparse=True, dtype=None, ensure_all_finite=False
        )
    # A forest draws rows with repetition: a row counts once, with a weight, or as often
    # as it was drawn.
    drawn, paths = (
        getattr(part, "estimators_samples_", [range(len(labels))]),
        first.decision_path(rows),
    )
    for used in (
        (drawn[0], np.unique(drawn[0]))
        if 1 + max(map(np.max, drawn)) == len(labels)
        else ()
    ):
        if np.array_equal(
            np.asarray(paths[used].sum(axis=0)).ravel(), tree.n_node_samples
        ):
            break
    else:
        return False
    weights = tree.weighted_n_node_samples
    if not np.array_equal(weights, tree.n_node_samples) or tree.value.shape[1:] != (
        1,
        len(part.classes_),
    ):
        return True  # the tree has no counts of classes to compare
    each = paths[used].T @ (labels[used, np.newaxis] == np.asarray(part.classes_))
    return bool(np.allclose(each, tree.value[:, 0, :] * weights[:, np.newaxis]))


def _lightgbm_was_grown_on(booster: Any, rows: Any) -> bool:
    """Whether as many rows reach each leaf of the first tree of a LightGBM model as in
    its training.
    """
    counts = re.search(
        r"^leaf_count=(.*)$", booster.model_to_string(num_iteration=1), re.M
    )
    grown = [int(count) for count in counts[1].split()] if counts else []
    reached = booster.predict(rows, pred_leaf=True, num_iteration=1)
    first = np.asarray(reached).reshape(len(reached), -1)[:, 0]
    return len(grown) > 1 and np.bincount(first, minlength=len(grown)).tolist() == grown
