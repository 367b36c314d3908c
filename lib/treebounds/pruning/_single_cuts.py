"""Values of a tree and of the trees that single cuts make of it, without building these trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treebounds.capacity.log_growth import Join
from treebounds.trees.array_tree import ArrayTree


class SingleCuts:
    """The shapes of a tree's subtrees as numbers, which are equal for mirror images; a leaf has 0.

    A cut changes the subtrees on its way to the root only. These numbers tell in O(1) whether such a subtree
    equals the one beside it: a shape that the tree does not have equals none of its subtrees.

    Parameters
    ----------
    tree : ArrayTree
    """

    def __init__(self, tree: ArrayTree) -> None:
        left, right = tree.children_left.tolist(), tree.children_right.tolist()
        shapes, self._numbers = [0] * tree.n_nodes, dict[tuple[int, int], int]()
        self._parents, self._siblings = tree.parents.tolist(), shapes.copy()  # the shapes beside each node
        for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
            a, b = shapes[left[node]], shapes[right[node]]
            self._siblings[left[node]], self._siblings[right[node]] = b, a
            shapes[node] = self._numbers.setdefault((min(a, b), max(a, b)), len(self._numbers) + 1)

    def combined(self, leaf: Any, join: Join, most: int) -> tuple[Any, Callable[[int], Any]]:
        """A value of the tree, combined from its leaves up, and a function that gives it after a cut.

        Parameters
        ----------
        leaf : object
            The value of a leaf.
        join : callable
            The value of a node, from those of its two subtrees, the leaves below it, and whether the subtrees
            have the same shape.
        most : int
            The most leaves of a tree whose value is asked for; shapes with more are not evaluated.

        Returns
        -------
        own : object
        after_cut : callable
            From the node that becomes a leaf to the value of the whole tree, with at most one join for each
            node above it.
        """
        numbers, siblings, parents = self._numbers, self._siblings, self._parents
        values, sizes = [leaf], [1]
        for a, b in numbers:
            sizes.append(sizes[a] + sizes[b])
            values.append(join(values[a], values[b], sizes[-1], a == b) if sizes[-1] <= most else leaf)

        def after_cut(node: int) -> Any:
            shape, size, value = 0, 1, leaf
            while node > 0:
                sibling = siblings[node]
                size += sizes[sibling]
                same = shape == sibling
                shape = numbers.get((shape, sibling) if shape < sibling else (sibling, shape), -1)
                value = values[shape] if shape >= 0 else join(value, values[sibling], size, same)
                node = parents[node]
            return value

        return values[-1], after_cut  # the root was numbered last
