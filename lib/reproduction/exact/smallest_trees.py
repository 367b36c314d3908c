"""The smallest decision trees without errors, by trying all."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["fewest_leaves"]


def fewest_leaves(X: ArrayLike, y: ArrayLike) -> int:
    """The number of leaves of the smallest trees that make no error on some examples.

    >>> from reproduction.exact import fewest_leaves
    >>> fewest_leaves([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    4

    Parameters
    ----------
    X : (m, l) array
        Examples that differ, so that such a tree exists.
    y : (m,) array
        Their labels.

    Returns
    -------
    int

    Notes
    -----
    Cost: one step for each test of each set of examples that tests can cut out, of
    which there are at most as many as boxes. Sixteen examples with two features take a
    second or two.
    """
    rows = np.asarray(X)
    labels = np.asarray(y)
    n_examples, n_features = rows.shape

    @cache
    def leaves_of(examples: frozenset[int]) -> int:
        """The fewest leaves for some of the examples."""
        if len({labels[i] for i in examples}) < 2:
            return 1

        sides = set()
        for j, k in product(range(n_features), examples):
            sides.add(frozenset(i for i in examples if rows[i, j] < rows[k, j]))
        sides.discard(frozenset())
        return min(leaves_of(side) + leaves_of(examples - side) for side in sides)

    return leaves_of(frozenset(range(n_examples)))
