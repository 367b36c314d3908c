"""Groups of examples that belong together, such as the visits of one patient: only the
groups are independent draws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from treebounds._validation import is_missing, shown

# If there were fewer groups, one of two halves would consist of a single group.
_LEAST_GROUPS = 4


def check_groups(groups: ArrayLike | None, n_examples: int) -> NDArray[np.intp]:
    """Number the groups and return the number of each example's group.

    >>> from treebounds.risk.groups import check_groups
    >>> check_groups(["b", "a", "c", "d", "a"], 5), check_groups(None, 3)
    (array([1, 0, 2, 3, 0]), array([0, 1, 2]))

    Parameters
    ----------
    groups : (n_examples,) array or None
        With at least 4 different values. None means that each example is a group of its
        own.
    n_examples : int

    Returns
    -------
    (n_examples,) array of int
        Numbers from 0.

    Raises
    ------
    ValueError
        If there are fewer than 4 groups, ``groups`` has another length or mixes words
        and numbers, or an example has no group.
    """
    if groups is None:
        return np.arange(n_examples)
    try:
        labels = column_or_1d(groups)
    except ValueError:
        got = f"the shape {np.shape(groups)}. Join several columns into one"
        if isinstance(groups, str):
            got = f"{shown(groups)}. Give the column itself, X[{shown(groups)}]"
        raise ValueError(
            f"groups must be a vector with the group of each row; got {got}"
        ) from None
    if len(labels) != n_examples:
        raise ValueError(
            f"groups must have one entry for each of the {n_examples} rows; got"
            f" {len(labels)}"
        )
    if is_missing(labels).any():
        raise ValueError("groups contains NaN or None: every example needs a group")
    try:
        names, units = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError(
            "groups must hold names that can be sorted: all words, or all numbers"
        ) from None
    if len(names) < _LEAST_GROUPS:
        raise ValueError(
            f"groups must hold at least {_LEAST_GROUPS} different values; got"
            f" {len(names)}"
        )
    return units


def mean_over_groups(
    wrong: NDArray[np.bool_ | np.float64], units: NDArray[np.intp]
) -> tuple[int, float]:
    """The number of groups, and the mean over the groups of the fraction of errors, or
    of the mean loss, in a group.

    >>> import numpy as np
    >>> from treebounds.risk.groups import mean_over_groups
    >>> mean_over_groups(np.array([True, False, True]), np.array([0, 0, 1]))
    (2, 0.75)

    Parameters
    ----------
    wrong : (n,) array of bool, or of losses
    units : (n,) array of int
        The group of each example.

    Returns
    -------
    int, float
    """
    _, places, sizes = np.unique(units, return_inverse=True, return_counts=True)
    return len(sizes), float((np.bincount(places, weights=wrong) / sizes).mean())
