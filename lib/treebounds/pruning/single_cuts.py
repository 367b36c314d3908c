"""Values of a tree and of every tree that one cut makes of it, without building these
trees: above all, their growth functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.capacity._recursion import Join
from treebounds.capacity.log_growth import FEW_EXAMPLES, LogGrowth
from treebounds.structure import TreeStructure
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
        values, sizes = self._bottom_up(leaf, join, most)

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
                if shape >= 0:
                    value = values[shape]
                else:
                    value = join(value, values[sibling], size, is_symmetric)
                node = self._parents[node]

            return value

        # The root was numbered last.
        return values[-1], after_cut

    def _bottom_up(
        self, leaf: Any, join: Join, most: int
    ) -> tuple[list[Any], list[int]]:
        """The value and the number of leaves of each subtree, from the leaf to the
        root; those with more than ``most`` leaves have the value of a leaf.
        """
        values = [leaf]
        sizes = [1]
        for first, second in self._numbers:
            size = sizes[first] + sizes[second]
            value = leaf
            if size <= most:
                value = join(values[first], values[second], size, first == second)
            sizes.append(size)
            values.append(value)
        return values, sizes


def growth_of_cuts(
    log_growth: LogGrowth, tree: ArrayTree
) -> tuple[float, NDArray[np.float64]]:
    """Log growth of a tree, and of the tree after cutting each of its internal nodes
    alone, in nats.

    "closed" depends only on the numbers of leaves and of symmetric nodes, and "loose"
    combines the values of two subtrees; the other forms need the structure of each
    tree.
    """
    inner = np.flatnonzero(~tree.is_leaf)
    sizes = (tree.n_leaves + 1 - tree.subtree_leaves[inner]).tolist()
    cuts = _Cuts(tree, inner.tolist(), sizes)

    # With one class or few examples, growth functions have special cases, which need
    # the structure.
    few = log_growth.n_examples <= max(FEW_EXAMPLES, tree.n_leaves)
    if log_growth.n_classes == 1 or few:
        return _growth_by_structure(log_growth, cuts)
    if log_growth.form == "loose":
        return _loose_growth(log_growth, cuts)
    if log_growth.form == "closed":
        return _closed_growth(log_growth, cuts)
    return _growth_by_structure(log_growth, cuts)


class _Cuts(NamedTuple):
    """The single cuts of a tree.

    Attributes
    ----------
    tree : ArrayTree
    nodes : list of int
        The node that becomes a leaf.
    sizes : list of int
        Number of leaves after the cut.
    """

    tree: ArrayTree
    nodes: list[int]
    sizes: list[int]


def _growth_by_structure(
    log_growth: LogGrowth, cuts: _Cuts
) -> tuple[float, NDArray[np.float64]]:
    """:func:`growth_of_cuts` from the structure of each tree."""
    own, after_cut = SingleCuts(cuts.tree).combined(
        TreeStructure(), lambda x, y, *_: TreeStructure(x, y), cuts.tree.n_leaves
    )
    of_cuts = [log_growth(after_cut(node)) for node in cuts.nodes]
    return log_growth(own), np.array(of_cuts)


def _loose_growth(
    log_growth: LogGrowth, cuts: _Cuts
) -> tuple[float, NDArray[np.float64]]:
    """:func:`growth_of_cuts` in a loose form, whose terms depend on the number of
    leaves of the whole tree.
    """
    whole = cuts.tree.n_leaves
    single = SingleCuts(cuts.tree)
    by_size = {
        size: single.combined(*log_growth.loose_terms(size), size)
        for size in {whole, *cuts.sizes}
    }

    of_cuts = []
    for node, size in zip(cuts.nodes, cuts.sizes, strict=True):
        _, after_cut = by_size[size]
        of_cuts.append(after_cut(node))
    own, _ = by_size[whole]
    return own, np.array(of_cuts)


def _closed_growth(
    log_growth: LogGrowth, cuts: _Cuts
) -> tuple[float, NDArray[np.float64]]:
    """:func:`growth_of_cuts` in a closed form, from leaves and symmetric nodes."""
    whole = cuts.tree.n_leaves
    symmetric, after_cut = SingleCuts(cuts.tree).combined(
        0, lambda x, y, _, same: x + y + same, whole
    )
    of_cuts = [
        log_growth.closed(size, after_cut(node))
        for node, size in zip(cuts.nodes, cuts.sizes, strict=True)
    ]
    return log_growth.closed(whole, symmetric), np.array(of_cuts)
