"""The categories that go left at each node, in memory like the sets themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import shown

# Floats beyond it are not all integers, and no library numbers categories so high.
_LARGEST = 2**53


def check_categories(
    sets: Mapping[int, ArrayLike] | None, is_leaf: NDArray[np.bool_]
) -> dict[int, NDArray[np.int64]] | None:
    """A dictionary from internal nodes to increasing numbers of categories, or None.

    Sets at leaves have no meaning and are dropped.
    """
    if sets is None:
        return None
    if not isinstance(sets, Mapping):
        raise ValueError(
            "left_categories must be a mapping from nodes to the numbers of the"
            f" categories that go left; got {type(sets).__name__}"
        )
    categories = {}
    for node, numbers in sorted(sets.items()):
        if not 0 <= node < len(is_leaf):
            raise ValueError(
                f"left_categories: node must be from 0 to {len(is_leaf) - 1}; got"
                f" {shown(node)}"
            )
        if not is_leaf[node]:
            categories[int(node)] = _check_numbers(numbers, node)
    return categories or None


def _check_numbers(numbers: ArrayLike, node: int) -> NDArray[np.int64]:
    """Increasing numbers of categories, or a ValueError that names the node."""
    array = np.asarray(numbers)
    if array.size == 0:
        array = np.empty(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"left_categories of node {node} must be whole numbers from 0 to"
            f" {_LARGEST - 1}; got {array.dtype} of shape {array.shape}"
        )
    if array.size and (array.min() < 0 or array.max() >= _LARGEST):
        raise ValueError(
            f"left_categories of node {node} must be from 0 to {_LARGEST - 1}; got"
            f" {array.min()} to {array.max()}"
        )
    unique: NDArray[np.int64] = np.unique(array.astype(np.int64))
    unique.flags.writeable = False
    return unique


@dataclass(frozen=True, eq=False)
class CategoryTable:
    """All pairs of a node and a category that goes left there, for fast look-ups.

    Attributes
    ----------
    categories : (n_categories,) array of int
        All numbers that occur, increasing.
    pairs : (n_pairs,) array of int
        ``node * n_categories + place of the category``, increasing.
    """

    categories: NDArray[np.int64]
    pairs: NDArray[np.int64]

    @classmethod
    def of(cls, sets: Mapping[int, NDArray[np.int64]]) -> CategoryTable:
        """The table of a mapping from nodes to categories."""
        lists = list(sets.values())
        together = np.concatenate([np.empty(0, dtype=np.int64), *lists])
        categories, places = np.unique(together, return_inverse=True)
        nodes = np.repeat(list(sets), [len(numbers) for numbers in lists])
        pairs = np.sort(nodes * len(categories) + places)
        return cls(categories, pairs.astype(np.int64))

    def goes_left(self, nodes: NDArray[np.int64], x: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether each value, truncated to an integer, is among its node's categories.

        Parameters
        ----------
        nodes, x : (n_rows,) arrays
        """
        if not len(self.pairs):
            return np.zeros(len(x), dtype=bool)
        possible = (x > -1) & (x < _LARGEST)
        codes = np.where(possible, x, 0).astype(np.int64)

        places = np.searchsorted(self.categories, codes)
        places = np.minimum(places, len(self.categories) - 1)
        is_known = possible & (self.categories[places] == codes)

        keys = nodes * len(self.categories) + places
        entries = np.minimum(np.searchsorted(self.pairs, keys), len(self.pairs) - 1)
        left: NDArray[np.bool_] = is_known & (self.pairs[entries] == keys)
        return left
