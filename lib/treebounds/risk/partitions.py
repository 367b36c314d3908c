"""Divisions of the cases into parts: the leaves of a tree, or declared groups."""

from __future__ import annotations

import reprlib
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import column_or_1d

from treebounds._validation import (
    InvalidParameterError,
    check_integer,
    is_missing,
    shown,
)
from treebounds.risk.leaves import FittedTree, fitted_tree
from treebounds.risk.words import plain_scalar

# Of real tables, most rows are in groups with as many training examples whose limit is
# below 1/2.
MIN_ROWS = 50


class Partition(Protocol):
    """A division of the cases into parts that does not depend on the answers.

    Attributes
    ----------
    kind : str
        "leaf" or "group".
    labels : list
        One for each part: the number of a node, or the name of a group.
    """

    kind: str
    labels: list[Any]

    def codes(self, X: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The part of each case, for some rows of the sample."""

    def describe(self, label: Any) -> dict[str, Any]:
        """What is known of a part before the cases are judged."""


class Leaves:
    """The leaves of a tree, of which small ones are joined.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.partitions import Leaves
    >>> rows, labels = np.arange(90.0)[:, np.newaxis], np.arange(90) > 29
    >>> tree = DecisionTreeClassifier().fit(rows, labels)
    >>> Leaves(tree, 30).labels, Leaves(tree, 31).labels
    ([1, 2], [0])

    Parameters
    ----------
    model : see :func:`treebounds.risk.leaves.fitted_tree`
    min_rows : int
        A node is divided if both of its children have as many training examples.
    feature_names : sequence of str, optional
        For the rules; by default those that the tree knows.
    """

    kind = "leaf"

    def __init__(self, model: Any, min_rows: int, feature_names: Any = None) -> None:
        self.tree: FittedTree = fitted_tree(model, feature_names)
        groups = self.tree.joined(check_integer(min_rows, "min_rows"))
        self.labels: list[Any] = sorted(groups)

        self._part = np.zeros(len(self.tree.n_rows), dtype=np.intp)
        for part, label in enumerate(self.labels):
            self._part[groups[label]] = part
        self._leaves = groups
        self._some_missing = False

    def codes(self, X: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The part of the leaf that each case reaches."""
        numbers = self.tree.rows(X)
        self._some_missing = self._some_missing or _has_missing(numbers)
        return self._part[self.tree.apply(numbers)]

    def describe(self, label: Any) -> dict[str, Any]:
        """The rule of a node in words, and what its leaves predict if they agree.

        A rule says where missing values pass if a case that was seen has one.
        """
        values = {
            plain_scalar(self.tree.predictions[leaf]): None
            for leaf in self._leaves[label]
        }
        return {
            "rule": self.tree.rule(label, self._some_missing),
            "prediction": next(iter(values)) if len(values) == 1 else None,
        }


class Groups:
    """Groups of cases that the caller has declared.

    >>> import numpy as np
    >>> from treebounds.risk.partitions import Groups
    >>> groups = Groups(["south", "north", "south"], 3)
    >>> groups.labels, groups.codes(None, np.array([0, 1]))
    (['north', 'south'], array([1, 0]))
    """

    kind = "group"

    def __init__(self, by: ArrayLike, n_rows: int) -> None:
        try:
            names = column_or_1d(by)
        except ValueError:
            shape = np.shape(by)
            got = f"an array of shape {shape}" if shape else reprlib.repr(by)
            raise InvalidParameterError(
                "by must be None, 'class', 'leaf', or an array with the group of each"
                f" example, one name for each; got {got}"
            ) from None
        if len(names) != n_rows:
            raise InvalidParameterError(
                f"by must have one group for each of the {n_rows} examples; got"
                f" {len(names)}"
            )
        if is_missing(names).any():
            raise InvalidParameterError(
                "by contains NaN or None: every example needs a group; those without a"
                " name can have a group of their own, such as 'missing'"
            )
        self.labels: list[Any]
        self.labels, self._codes = _numbered(names)

    def codes(self, X: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The number of the group of each case."""
        return np.asarray(self._codes[rows])

    def describe(self, label: Any) -> dict[str, Any]:
        """Nothing but the name."""
        return {}


def partition_of(by: Any, model: Any, min_rows: int, n_rows: int | None) -> Any:
    """The parts that the argument ``by`` of :func:`treebounds.certify` asks for.

    >>> from treebounds.risk.partitions import partition_of
    >>> partition_of(["a", "b", "a"], None, 50, 3).labels
    ['a', 'b']

    Parameters
    ----------
    by : "leaf" or array
    model : object
    min_rows : int
    n_rows : int or None
        Number of examples; None if they come in batches.

    Returns
    -------
    Partition

    Raises
    ------
    ValueError
        If it is neither.
    """
    if isinstance(by, str):
        if by != "leaf":
            raise InvalidParameterError(
                "by must be None, 'class', 'leaf', or an array with the group of each"
                f" example, for example a column, X[{shown(by)}]; got {shown(by)}"
            )
        return Leaves(model, min_rows)
    if n_rows is None:
        raise ValueError(
            "by may be an array only if y is given; the examples of batches can be"
            " certified by 'class' or by 'leaf'"
        )
    return Groups(by, n_rows)


def _numbered(names: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """The different names in increasing order, and the place of each name in them."""
    if names.dtype.kind not in "OUS":
        labels, codes = np.unique(names, return_inverse=True)
        return labels.tolist(), codes

    # To sort words takes longer than to look each of them up.
    words = names.tolist()
    try:
        different = sorted(set(words))
    except TypeError:
        raise InvalidParameterError(
            "by must hold groups that can be sorted: all words, or all numbers"
        ) from None
    places = {name: place for place, name in enumerate(different)}
    return different, np.fromiter(map(places.__getitem__, words), np.intp, len(words))


def _has_missing(X: Any) -> bool:
    """Whether a value is missing; a sparse matrix has none."""
    if issparse(X):
        return False
    # A frame of several types would become an array of objects, which takes long.
    mask = X.isna().to_numpy() if hasattr(X, "isna") else is_missing(X)
    return bool(mask.any())
