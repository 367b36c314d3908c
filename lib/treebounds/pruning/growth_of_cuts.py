"""Growth functions of all the trees that one cut makes of a tree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._compiled import njit
from treebounds.capacity.closed import log_closed_sharp
from treebounds.capacity.features import FeatureKinds, check_features
from treebounds.capacity.log_growth import LogGrowth, join_log_growth
from treebounds.trees.array_tree import ArrayTree

__all__ = ["GrowthOfCuts"]

# on smaller samples caps on single numbers of parts matter; LogGrowth knows them, the loops here do not
_FEW_EXAMPLES = 100


class GrowthOfCuts:
    """Logarithms of the growth functions of a tree and of what remains of it when one node becomes a leaf.

    A cut changes the growth function of a subtree only on the path from the cut to the root. The loose and
    the closed forms walk these paths in compiled code, with the same step at each node as the recursion in
    :mod:`treebounds.capacity`; "sharp" and "tight" go through :class:`LogGrowth`, which knows the subtrees
    that do not change.

    Parameters
    ----------
    n_leaves : int
        The largest tree that will be asked for.
    n_examples, n_features, n_classes, form
        See :func:`growth_function_bound`.
    """

    def __init__(
        self, n_leaves: int, n_examples: int, n_features: int | FeatureKinds, n_classes: int, form: str
    ) -> None:
        self._log_growth = LogGrowth(n_examples, n_features, n_classes, form)
        kinds = check_features(n_features)
        l, S, n = kinds.n_real, kinds.n_finite_splits, n_classes
        large = n_examples > max(_FEW_EXAMPLES, n_leaves)
        self._compiled = large and n > 1 and not S and form not in ("sharp", "tight")
        self._closed = form.startswith("closed")
        if not self._compiled:
            return
        # what a tree with 1, 2, ... leaves adds: its log cuts at every node, or all at once where closed
        L = np.arange(1, n_leaves + 1)
        excess = np.maximum(n_examples - L, 1)
        self._offsets = math.log(2 * l) + np.log(excess + (form == "loose-corrected"))
        self._most = np.full(n_leaves, np.inf)
        if self._closed:
            log_binomials = np.append(0.0, np.cumsum(np.log(excess / L)))[:-1]
            self._offsets = L * math.log(n) + (L - 1) * math.log(2 * l) + log_binomials
        if form in ("closed", "closed-sharp"):
            self._most = np.array([log_closed_sharp(N, n_examples, l, S, n) for N in range(n_leaves)])
        if form == "closed-sharp":
            self._offsets = self._most + L * math.log(2.0)  # more than symmetric nodes take away

    def __call__(self, tree: ArrayTree) -> tuple[float, NDArray[np.float64]]:
        """The tree's own value, and one for each internal node in order of the indices, in nats."""
        if self._compiled:
            ask = self._log_growth
            arrays = tree.children_left, tree.children_right, tree.parents, tree.subtree_leaves
            shapes = _numbered_shapes(tree.children_left.tolist(), tree.children_right.tolist())
            offsets = self._offsets, self._most
            inputs: Any = (*arrays, *shapes, *offsets, ask.n_examples, ask.n_classes, self._closed)
            values = _growth_of_cuts(*inputs)
            if not np.isnan(values).any():
                return values[-1], values[:-1][~tree.is_leaf]
        cuts = [tree.collapse([node]).structure for node in np.flatnonzero(~tree.is_leaf)]
        return self._log_growth(tree.structure), np.array([self._log_growth(cut) for cut in cuts])


def _numbered_shapes(left: list[int], right: list[int]) -> tuple[NDArray[np.int64], ...]:
    """A number for the shape of each node's subtree, the same for mirror images, 0 for a leaf.

    Then, in increasing order, one integer for each pair of numbers that makes a shape, and that shape.
    """
    n_nodes, numbers, pairs = len(left), [0] * len(left), dict[int, int]()
    for node in range(n_nodes - 1, -1, -1):
        if left[node] >= 0:
            low, high = sorted((numbers[left[node]], numbers[right[node]]))
            numbers[node] = pairs.setdefault(low * n_nodes + high, len(pairs) + 1)
    keys = np.array(sorted(pairs), dtype=np.int64)
    return np.array(numbers), keys, np.array([pairs[key] for key in keys.tolist()], dtype=np.int64)


@njit(cache=True)
def _growth_of_cuts(
    left, right, parents, leaves, shapes, keys, made, offsets, most, n_examples, n_classes, closed
):
    """One value for each node that becomes a leaf, and last the tree's own; NaN asks for LogGrowth.

    With the loose forms the number of leaves of the whole tree stands in the factor of every node. So nodes
    are taken in groups of equal subtree sizes, and the uncut subtrees are evaluated once for each group.
    """
    n_nodes = left.shape[0]
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
                    twins = shapes[l] == shapes[r]
                    uncut[v] = _join(uncut[l] + uncut[r], twins, leaves[v], offset, excess, n_classes, closed)
            if total == leaves[0]:
                values[n_nodes] = _whole(uncut[0], total, offset, most, n_examples, n_classes, closed)
        if left[node] < 0:
            continue
        value, size, shape = leaf, 1, 0
        below = node
        while below > 0:
            parent = parents[below]
            sibling = right[parent] if left[parent] == below else left[parent]
            size += leaves[sibling]
            twins = shape == shapes[sibling]
            value = _join(value + uncut[sibling], twins, size, offset, excess, n_classes, closed)
            shape = _shape_of_pair(shape, shapes[sibling], n_nodes, keys, made)
            below = parent
        values[node] = _whole(value, total, offset, most, n_examples, n_classes, closed)
    return values


@njit(cache=True)
def _shape_of_pair(a, b, n_nodes, keys, made):
    """The number of the shape made of two shapes; -1 if no uncut subtree has it, nor can one contain it."""
    if a < 0:
        return -1
    key = min(a, b) * n_nodes + max(a, b)
    place = np.searchsorted(keys, key)
    return made[place] if place < len(keys) and keys[place] == key else -1


@njit(cache=True)
def _join(both, symmetric, n_leaves, log_cuts, excess, n_classes, closed):
    """A node's value from the sum of its subtrees' values."""
    if closed:
        return both - np.log(2.0) if symmetric else both
    value = join_log_growth(log_cuts + both, log_cuts, symmetric, np.log(n_classes))
    return _capped(value, n_leaves, n_leaves + excess, n_classes)


@njit(cache=True)
def _whole(value, n_leaves, offset, most, n_examples, n_classes, closed):
    if not closed:
        return value
    value = min(value + offset, most[n_leaves - 1])
    if most[n_leaves - 1] < np.inf:  # these forms are capped by all labelings
        return min(value, n_examples * np.log(n_classes))
    return _capped(value, n_leaves, n_examples, n_classes)


@njit(cache=True)
def _capped(value, n_leaves, m, n_classes):
    if n_leaves >= n_classes:
        return min(value, m * np.log(n_classes))
    few = math.lgamma(n_classes + 1.0) - math.lgamma(n_classes - n_leaves + 1.0)
    return value if value <= few + (m - n_leaves) * np.log(n_leaves) + 1e-9 else np.nan
