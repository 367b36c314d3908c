"""Values of a tree and of every tree that one cut makes of it, without building these
trees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treebounds.capacity._recursion import Join
from treebounds.trees.array_tree import ArrayTree


class SingleCuts:
    """Numbers for the shapes of a tree's subtrees; mirror images have the same number,
    and a leaf has 0.

    A cut changes only the subtrees of the nodes between it and the root. Comparing two
    numbers shows in O(1) whether such a subtree has the same shape as its sibling: a
    shape that does not occur in the uncut tree differs from all of its subtrees.

    Parameters
    ----------
    tree : ArrayTree
    """

    def __init__(self, tree: ArrayTree) -> None:
        left = tree.children_left.tolist()
        right = tree.children_right.tolist()
        self._parents = tree.parents.tolist()
        # The number of the shape of each node's sibling.
        self._siblings = [0] * tree.n_nodes
        self._numbers: dict[tuple[int, int], int] = {}

        shapes = [0] * tree.n_nodes
        for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
            first = shapes[left[node]]
            second = shapes[right[node]]
            self._siblings[left[node]] = second
            self._siblings[right[node]] = first

            pair = (min(first, second), max(first, second))
            shapes[node] = self._numbers.setdefault(pair, len(self._numbers) + 1)

    def combined(
        self, leaf: Any, join: Join, most: int
    ) -> tuple[Any, Callable[[int], Any]]:
        """A value of the tree, computed from the leaves up, and a function for its
        value after one cut.

        Parameters
        ----------
        leaf : object
            The value of a leaf.
        join : callable
            Returns the value of a node. Its arguments are the values of the two
            subtrees, the number of leaves below the node, and whether the subtrees have
            the same shape.
        most : int
            The largest number of leaves of a tree whose value is needed; larger shapes
            are not evaluated.

        Returns
        -------
        own : object
            The value of the whole tree.
        after_cut : callable
            Takes the node that becomes a leaf and returns the value of the whole tree,
            with at most one join for each node above it.
        """
        values = [leaf]
        sizes = [1]
        for first, second in self._numbers:
            size = sizes[first] + sizes[second]
            sizes.append(size)
            values.append(
                join(values[first], values[second], size, first == second)
                if size <= most
                else leaf
            )

        def after_cut(node: int) -> Any:
            """The value of the whole tree once this node is a leaf."""
            shape = 0
            size = 1
            value = leaf
            while node > 0:
                sibling = self._siblings[node]
                size += sizes[sibling]
                is_symmetric = shape == sibling
                pair = (min(shape, sibling), max(shape, sibling))
                shape = self._numbers.get(pair, -1)
                value = (
                    values[shape]
                    if shape >= 0
                    else join(value, values[sibling], size, is_symmetric)
                )
                node = self._parents[node]

            return value

        # The root was numbered last.
        return values[-1], after_cut
