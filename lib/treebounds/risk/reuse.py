"""Was this sample used before? The rows that made a classifier against those that
judge it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from treebounds.risk.classifiers import parts
from treebounds.risk.memory import Comparison, RowMemory, row_hashes


class Recurrence(NamedTuple):
    """How many judged rows are equal to rows that made the classifier.

    Attributes
    ----------
    n_compared, n_recurring : int
        Number of judged rows that could be compared, and of those among them that are
        equal to a row that made the classifier.
    is_recorded : bool
        Whether there is a record of the rows that made the classifier.
    """

    n_compared: int
    n_recurring: int
    is_recorded: bool


class ReuseCheck:
    """Comparison, batch by batch, of the rows that a classifier is known to be made
    from with the rows that judge it.

    Parameters
    ----------
    X_grown : array or frame, optional
        Rows of which the caller says that they made the classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.reuse import ReuseCheck
    >>> rows, labels = np.arange(40.0).reshape(-1, 1), np.arange(40) > 19
    >>> tree = DecisionTreeClassifier().fit(rows, labels)
    >>> check = ReuseCheck(X_grown=rows)
    >>> check.compare(tree, rows + 40.0, labels)
    >>> check.recurrence()
    Recurrence(n_compared=40, n_recurring=0, is_recorded=True)
    """

    def __init__(self, X_grown: Any = None) -> None:
        # The keys are the identities of estimators, and None for the rows that the
        # caller gives.
        self._comparisons: dict[int | None, Comparison] = {}
        if X_grown is not None:
            self._comparisons[None] = Comparison(RowMemory.of(row_hashes(X_grown)))

    def compare(self, classifier: Any, X: Any, labels: NDArray[Any]) -> None:
        """Compare further rows; raise a ValueError if they are the sample that a tree
        was grown on.
        """
        if None in self._comparisons:
            self._comparisons[None].add_rows(X)

        for part, rows in parts(classifier, X):
            memory = getattr(part, "_row_memory_", None)
            if memory is not None:
                record = RowMemory(*memory)
                comparison = self._comparisons.setdefault(id(part), Comparison(record))
                comparison.add_rows(rows)
            elif was_grown_on(part, rows, labels):
                raise ValueError(
                    "X: the tree was grown on these examples; a certificate needs"
                    " others"
                )

    def recurrence(self) -> Recurrence:
        """The counts of the comparison with most recurring rows; raise a ValueError if
        more rows recur than independent samples explain.
        """
        for comparison in self._comparisons.values():
            if comparison.in_common():
                raise ValueError(
                    f"X: {comparison.n_recurring} of {comparison.n_compared} rows that"
                    " can be compared are among those that the classifier was grown,"
                    " pruned or chosen on, more than independent samples have in"
                    " common; a certificate needs others"
                )

        counts = [(c.n_recurring, c.n_compared) for c in self._comparisons.values()]
        n_recurring, n_compared = max(counts, default=(0, 0))
        return Recurrence(n_compared, n_recurring, bool(self._comparisons))


def was_grown_on(part: Any, rows: Any, labels: NDArray[Any]) -> bool:
    """Whether each node of a fitted tree is reached by as many rows of each class as
    when it was grown.

    Parameters
    ----------
    part : classifier
        A tree, or an ensemble, whose first tree is looked at.
    rows : (n, l) array or frame
    labels : (n,) array

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.reuse import was_grown_on
    >>> rows, labels = [[0.0], [1.0], [2.0]], np.array([0, 0, 1])
    >>> was_grown_on(DecisionTreeClassifier().fit(rows, labels), rows, labels)
    True
    """
    if hasattr(part, "booster_"):
        return _lightgbm_was_grown_on(part.booster_, rows)

    first = _first_tree(part)
    tree: Any = getattr(first, "tree_", None)
    if not hasattr(tree, "n_node_samples") or tree.node_count == 1:
        return False
    if tree.n_features != np.shape(rows)[1]:
        return False

    # The members of a forest do not know the names of columns.
    if not hasattr(first, "feature_names_in_"):
        rows = check_array(
            rows, accept_sparse=True, dtype=None, ensure_all_finite=False
        )

    paths = first.decision_path(rows)
    for used in _samples_it_may_have_seen(part, len(labels)):
        reached = np.asarray(paths[used].sum(axis=0)).ravel()
        if np.array_equal(reached, tree.n_node_samples):
            return _has_the_same_classes(part, tree, paths[used], labels[used])
    return False


def _first_tree(part: Any) -> Any:
    """The first member of an ensemble, or the classifier itself."""
    members = getattr(part, "estimators_", None)
    if isinstance(members, np.ndarray) and members.size:
        return members.flat[0]
    if isinstance(members, list) and members:
        return members[0]
    return part


def _samples_it_may_have_seen(part: Any, n_rows: int) -> list[NDArray[np.intp]]:
    """Row numbers that the first tree was grown on if these are its rows."""
    if not hasattr(part, "estimators_samples_"):
        return [np.arange(n_rows)]

    drawn = part.estimators_samples_
    if max(rows.max() for rows in drawn) + 1 != n_rows:
        return []
    # A forest's tree counts a row once, with a weight, or as often as it was drawn.
    return [drawn[0], np.unique(drawn[0])]


def _has_the_same_classes(
    part: Any, tree: Any, paths: Any, labels: NDArray[Any]
) -> bool:
    """Whether the classes of the rows at each node are those of the tree's sample, or
    the tree has no counts of classes to compare.
    """
    weights = tree.weighted_n_node_samples
    if not np.array_equal(weights, tree.n_node_samples):
        return True
    if not hasattr(part, "classes_"):  # a regressor, whose nodes hold means
        sums = paths.T @ np.asarray(labels, dtype=float)
        return bool(np.allclose(sums, tree.value[:, 0, 0] * weights))
    classes = np.asarray(part.classes_)
    if tree.value.shape[1:] != (1, len(classes)):
        return True

    reached = paths.T @ (labels[:, np.newaxis] == classes)
    return bool(np.allclose(reached, tree.value[:, 0, :] * weights[:, np.newaxis]))


def _lightgbm_was_grown_on(booster: Any, rows: Any) -> bool:
    """Whether as many rows reach each leaf of the first tree of a LightGBM model as in
    its training.
    """
    text = booster.model_to_string(num_iteration=1)
    counts = re.search(r"^leaf_count=(.*)$", text, re.MULTILINE)
    grown = [int(count) for count in counts[1].split()] if counts else []
    if len(grown) <= 1:
        return False

    reached = booster.predict(rows, pred_leaf=True, num_iteration=1)
    first = np.asarray(reached).reshape(len(reached), -1)[:, 0]
    return bool(np.bincount(first, minlength=len(grown)).tolist() == grown)
