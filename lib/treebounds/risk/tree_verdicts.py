"""What the bounds of scikit-learn's trees share: the tree and its sample as arrays, the
best pruning, and its verdict.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._labels import check_known
from treebounds._row_order import check_same_order
from treebounds.formats._sklearn_trees import rows_as_fitted
from treebounds.formats.scikit_learn import (
    check_classification_tree,
    collapse_sklearn,
    from_sklearn,
    is_monotonic,
    plain_tree,
)
from treebounds.risk.rows.duplicates import Duplicates, Repeats, find_duplicates
from treebounds.risk.rows.labels import read_labels
from treebounds.risk.rows.tables import rows_without_names
from treebounds.risk.tally import Tally
from treebounds.risk.verdict import Verdict
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.weakest_link import WeakestLinkSequence, last_minimum


class TreeSample(NamedTuple):
    """A fitted tree and a sample, as the bounds read them.

    Attributes
    ----------
    tree : ArrayTree
    rows : (n_examples, n_features) array of float32
        As scikit-learn's trees compare them.
    labels : (n_examples,) array
    codes : (n_examples,) array of int
        Positions of the labels among the tree's classes.
    repeats : Repeats
        How many rows repeat others.
    """

    tree: ArrayTree
    rows: NDArray[np.float32]
    labels: NDArray[Any]
    codes: NDArray[np.intp]
    repeats: Repeats

    def only(self, rows: NDArray[Any]) -> TreeSample:
        """The sample with some of its rows, by their numbers or a mask."""
        return self._replace(
            rows=self.rows[rows], labels=self.labels[rows], codes=self.codes[rows]
        )


def read_tree_sample(
    fitted_tree: Any, X: Any, y: Any, *, duplicates: str
) -> TreeSample:
    """Read a fitted tree and a sample without missing values; with "together" only the
    first of equal rows is in it. See :func:`read_whole_sample`.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.tree_verdicts import read_tree_sample
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], ["a", "b"])
    >>> rows = [[0], [1], [1]]
    >>> read_tree_sample(stump, rows, ["a", "b", "b"], duplicates="together").codes
    array([0, 1])
    """
    sample, equal_rows = read_whole_sample(fitted_tree, X, y, duplicates=duplicates)
    return sample.only(equal_rows.kept) if duplicates == "together" else sample


def read_whole_sample(
    fitted_tree: Any,
    X: Any,
    y: Any,
    *,
    duplicates: str,
    allow_missing: bool = False,
) -> tuple[TreeSample, Duplicates]:
    """Read a fitted tree and a sample, or raise a ValueError that names the argument.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.tree_verdicts import read_whole_sample
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], ["a", "b"])
    >>> rows = [[0], [1], [1]]
    >>> _, equal_rows = read_whole_sample(
    ...     stump, rows, ["a", "b", "b"], duplicates="together"
    ... )
    >>> equal_rows.kept
    array([0, 1])

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier
        Or an instance of a subclass.
    X : (n_examples, n_features) array or frame
    y : (n_examples,) array
        Labels that the tree knows.
    duplicates : {"refuse", "together", "ignore"}
        What to do with rows that are equal to others, with equal labels.
    allow_missing : bool
        Whether X may contain NaN.

    Returns
    -------
    TreeSample
    Duplicates
        Which rows are equal to others, and the hashes of all rows.
    """
    check_classification_tree(fitted_tree)
    if is_monotonic(fitted_tree):
        raise ValueError(
            "tree must be grown without monotonic_cst, which changes the values of"
            " leaves. Certify this one by rows that had no part in growing it:"
            " certify(tree, X_new, y_new)"
        )
    check_same_order(X=X, y=y)
    labels = read_labels(y)
    rows = rows_as_fitted(fitted_tree, X, accept_sparse=False)

    if not allow_missing and np.isnan(rows).any():
        raise ValueError(
            "X contains NaN; missing values are covered by certify and"
            " certify_prunings only"
        )
    if len(labels) != len(rows):
        raise ValueError(
            f"y must have one label for each of the {len(rows)} examples; got"
            f" {len(labels)}"
        )

    codes = check_known(labels, fitted_tree.classes_)
    equal_rows = find_duplicates(rows, codes, duplicates)
    tree = from_sklearn(fitted_tree)
    return TreeSample(tree, rows, labels, codes, equal_rows.repeats), equal_rows


def best_member(
    fitted_tree: Any, sequence: WeakestLinkSequence, bounds: NDArray[np.float64]
) -> tuple[float, Any]:
    """The smallest bound along a weakest-link sequence, and the smallest tree that has
    it.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats import from_sklearn
    >>> from treebounds.risk.tree_verdicts import best_member
    >>> from treebounds.trees import weakest_link_sequence
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> sequence = weakest_link_sequence(from_sklearn(stump))
    >>> value, pruned = best_member(stump, sequence, np.array([0.5, 0.5]))
    >>> value, int(pruned.get_n_leaves())
    (0.5, 1)

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier
        Or an instance of a subclass.
    sequence : WeakestLinkSequence
        Of this tree.
    bounds : (n_members,) array of float

    Returns
    -------
    float
    sklearn.tree.DecisionTreeClassifier
        A plain tree: nothing that an estimator knew of the whole tree is on it.
    """
    best = last_minimum(bounds)
    plain = plain_tree(fitted_tree)
    return float(bounds[best]), collapse_sklearn(plain, sequence.nodes(best))


def verdict_of_tree(
    value: float, delta: float, tree: Any, rows: Any, labels: ArrayLike
) -> Verdict:
    """The limit of a tree with its errors on some examples, and a remark that compares
    it with a constant on the same examples.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.tree_verdicts import verdict_of_tree
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> verdict_of_tree(1.5, 0.1, stump, [[0], [1]], [0, 1]).value
    1.0

    Parameters
    ----------
    value : float
        Clipped at 1.
    delta : float
    tree : DecisionTreeClassifier
    rows : (n, l) array
    labels : (n,) array

    Returns
    -------
    Verdict
    """
    targets = np.asarray(labels)
    tally = Tally()
    with rows_without_names():
        predicted = tree.predict(rows)
    tally.count(predicted, targets)

    return Verdict(
        min(1.0, value),
        n_examples=len(targets),
        n_errors=tally.errors.total(),
        remark=tally.remark(value, math.log(delta)),
    )
