"""Divisions of the cases into parts: the leaves of a tree, or declared groups."""

from __future__ import annotations

import reprlib
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from treebounds._validation import InvalidParameterError, is_missing, shown
from treebounds.risk.leaves import Leaves

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
