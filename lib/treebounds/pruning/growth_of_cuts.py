"""Growth functions of all the trees that one cut makes of a tree."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from treebounds.capacity.log_growth import LogGrowth, join_log_growth
from treebounds.structure import TreeStructure
from treebounds.trees.array_tree import ArrayTree

__all__ = ["GrowthOfCuts"]

# on smaller samples caps on single numbers of parts matter; LogGrowth knows them, the loops here do not
_FEW_EXAMPLES = 100


class GrowthOfCuts:
    """Logarithms of the growth functions of a tree and of what remains of it when one node becomes a leaf.

    A cut changes the growth function of a subtree only on the path from the cut to the root. The loose forms
    and "closed" walk these paths in compiled code, the tight form through :class:`LogGrowth`, which knows the
    subtrees that do not change.

    Parameters
    ----------
    n_leaves : int
        The largest tree that will be asked for.
    n_examples, n_features, n_classes : int
    form : {"tight", "loose", "loose-corrected", "closed"}
    """

    def __init__(self, n_leaves: int, n_examples: int, n_features: int, n_classes: int, form: str) -> None:
        self._log_growth = LogGrowth(n_examples, n_features, n_classes, form)
        self._compiled = form != "tight" and n_examples > max(_FEW_EXAMPLES, n_leaves) and n_classes > 1
        # what a tree with 1, 2, ... leaves adds: its log cuts at every node, or all at once for "closed"
        L = np.arange(1, n_leaves + 1)
        excess = np.maximum(n_examples - L, 1)
        if form == "closed":
            log_binomials = np.append(0.0, np.cumsum(np.log(excess / L)))[:-1]
            self._offsets = L * math.log(n_classes) + (L - 1) * math.log(2 * n_features) + log_binomials
        else:
            self._offsets = math.log(2 * n_features) + np.log(excess + (form == "loose-corrected"))

    def __call__(self, tree: ArrayTree) -> tuple[float, NDArray[np.float64]]:
        """The tree's own value, and one for each internal node in order of the indices, in nats."""
        if self._compiled:
            ask = self._log_growth
            arrays = tree.children_left, tree.children_right, tree.parents, tree.subtree_leaves, self._offsets
            values = _growth_of_cuts(*arrays, ask.n_examples, ask.n_classes, ask.form == "closed")
            if not np.isnan(values).any():
                return values[-1], values[:-1][~tree.is_leaf]
        structures = _structures_of_cuts(tree)
        return self._log_growth(tree.structure), np.array([self._log_growth(cut) for cut in structures])


def _structures_of_cuts(tree: ArrayTree) -> list[TreeStructure]:
    leaf = TreeStructure()
    built = [leaf] * tree.n_nodes
    left, right, parents = tree.children_left.tolist(), tree.children_right.tolist(), tree.parents.tolist()
    internal = np.flatnonzero(~tree.is_leaf).tolist()
    for node in reversed(internal):
        built[node] = TreeStructure(built[left[node]], built[right[node]])
    structures = []
    for node in internal:
        structure = leaf
        while node > 0:
            parent = parents[node]
            sibling = right[parent] if left[parent] == node else left[parent]
            structure, node = TreeStructure(structure, built[sibling]), parent
        structures.append(structure)
    return structures


@njit(cache=True)
def _growth_of_cuts(left, right, parents, leaves, offsets, n_examples, n_classes, closed):
    """One value for each node that becomes a leaf, and last the tree's own; NaN asks for LogGrowth.

    With the loose forms the number of leaves of the whole tree stands in the factor of every node. So nodes
    are taken in groups of equal subtree sizes, and the uncut subtrees are evaluated once for each group.
    """
    n_nodes = left.shape[0]
    shapes = _shapes(left, right)
    values, uncut = np.full(n_nodes + 1, np.inf), np.empty(n_nodes)
    leaf = 0.0 if closed else np.log(n_classes)
    evaluated = 0
    for node in np.argsort(leaves):
        total = leaves[0] - leaves[node] + 1
        excess, offset = n_examples - total, offsets[total - 1]
        if total != evaluated:
            evaluated = total
            for v in range(n_nodes - 1, -1, -1):
                uncut[v] = leaf
                if left[v] >= 0:
                    l, r = left[v], right[v]
                    symmetric = shapes[l] == shapes[r]
                    uncut[v] = _join(
                        uncut[l] + uncut[r], symmetric, leaves[v], offset, excess, n_classes, closed
                    )
            if total == leaves[0]:
                values[n_nodes] = _whole(uncut[0], total, offset, n_examples, n_classes, closed)
        if left[node] < 0:
            continue
        value, size, shape = leaf, 1, shapes[n_nodes]
        below = node
        while below > 0:
            parent = parents[below]
            sibling = right[parent] if left[parent] == below else left[parent]
            size += leaves[sibling]
            symmetric = shape == shapes[sibling]
            value = _join(value + uncut[sibling], symmetric, size, offset, excess, n_classes, closed)
            shape = _join_shapes(shape, shapes[sibling])
            below = parent
        values[node] = _whole(value, total, offset, n_examples, n_classes, closed)
    return values


@njit(cache=True)
def _join(both, symmetric, n_leaves, log_cuts, excess, n_classes, closed):
    """A node's value from the sum of its subtrees' values."""
    if closed:
        return both - np.log(2.0) if symmetric else both
    value = join_log_growth(log_cuts + both, log_cuts, symmetric, np.log(n_classes))
    return _capped(value, n_leaves, n_leaves + excess, n_classes)


@njit(cache=True)
def _whole(value, n_leaves, offset, n_examples, n_classes, closed):
    return _capped(value + offset, n_leaves, n_examples, n_classes) if closed else value


@njit(cache=True)
def _capped(value, n_leaves, m, n_classes):
    if n_leaves >= n_classes:
        return min(value, m * np.log(n_classes))
    few = math.lgamma(n_classes + 1.0) - math.lgamma(n_classes - n_leaves + 1.0)
    return value if value <= few + (m - n_leaves) * np.log(n_leaves) + 1e-9 else np.nan


@njit(cache=True)
def _shapes(left, right):
    """A number for the shape of each subtree, the same for mirror images; last that of a leaf.

    Different shapes have the same 64 bits with a probability of 2^-64 a pair.
    """
    leaf = np.uint64(0x9E3779B97F4A7C15)
    shapes = np.full(left.shape[0] + 1, leaf)
    for node in range(left.shape[0] - 1, -1, -1):
        if left[node] >= 0:
            shapes[node] = _join_shapes(shapes[left[node]], shapes[right[node]])
    return shapes


@njit(cache=True)
def _join_shapes(a, b):
    return _mixed(_mixed(a) + _mixed(b))


@njit(cache=True)
def _mixed(bits):
    """The finalizer of splitmix64."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
