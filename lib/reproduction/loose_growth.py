"""The loose growth function of all trees that one cut makes of a tree, in compiled
code.

The library evaluates this growth function in Python. For the times of section 6.3,
which compare pruning by the bound with growing trees, both have to be compiled.
"""

from __future__ import annotations

import math
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from reproduction.compiling import njit
from treebounds.capacity.log_growth import LogGrowth
from treebounds.pruning.single_cuts import growth_of_cuts
from treebounds.trees.array_tree import ArrayTree

_FEW_EXAMPLES = 100


def loose_growth_of_cuts(
    n_examples: int, tree: ArrayTree
) -> tuple[float, NDArray[np.float64]]:
    """:func:`treebounds.pruning.single_cuts.growth_of_cuts` for the form "loose"."""
    left = tree.children_left
    right = tree.children_right
    shapes, numbers = _numbered_shapes(left.tolist(), right.tolist())
    paths = [
        _twins(node, tree.parents, left + right, shapes, numbers)
        for node in range(tree.n_nodes)
    ]
    twins = np.array(list(chain.from_iterable(paths)), dtype=np.bool_)
    starts = np.cumsum([0, *map(len, paths)])

    sample = (n_examples, tree.n_features, tree.n_classes)
    values = _evaluated(
        left,
        right,
        tree.parents,
        tree.subtree_leaves,
        np.array(shapes),
        twins,
        starts,
        *sample,
    )

    # The library's bound is smaller if examples are few, or if there are fewer leaves
    # than classes.
    if np.isnan(values).any() or n_examples <= max(_FEW_EXAMPLES, tree.n_leaves):
        return growth_of_cuts(LogGrowth(*sample, form="loose"), tree)
    return values[-1], values[:-1][~tree.is_leaf]


def _numbered_shapes(
    left: list[int], right: list[int]
) -> tuple[list[int], dict[tuple[int, int], int]]:
    """A number for the shape of each node's subtree, equal for mirror images, and the
    number of each pair.
    """
    numbers = [0] * len(left)
    number_of_pair: dict[tuple[int, int], int] = {}
    for node in range(len(left) - 1, -1, -1):
        if left[node] >= 0:
            pair = _pair(numbers[left[node]], numbers[right[node]])
            numbers[node] = number_of_pair.setdefault(pair, len(number_of_pair) + 1)
    return numbers, number_of_pair


def _pair(shape: int, sibling: int) -> tuple[int, int]:
    """Two shapes in the order in which they are known."""
    return min(shape, sibling), max(shape, sibling)


def _twins(
    node: int, parents: NDArray, both: NDArray, shapes: list[int], number_of_pair: dict
) -> list[bool]:
    """For each node above a node that becomes a leaf, whether its two subtrees then
    have the same shape.
    """
    twins = []
    shape = 0
    while parents[node] >= 0:
        parent = parents[node]
        sibling = shapes[both[parent] - node]
        twins.append(shape == sibling)
        # A shape that no other subtree has can have no twin above, either.
        if shape >= 0:
            shape = number_of_pair.get(_pair(shape, sibling), -1)
        node = parent
    return twins


@njit
def _evaluated(
    left,
    right,
    parents,
    leaves,
    shapes,
    twins,
    starts,
    n_examples,
    n_features,
    n_classes,
):
    """One value for each node that becomes a leaf, and the value of the uncut tree at
    the end.

    The factor of every node depends on the number of leaves of the whole tree. Cuts of
    subtrees of the same size leave the same number, so the uncut subtrees are evaluated
    once for each size.
    """
    n_nodes = left.shape[0]
    values = np.full(n_nodes + 1, np.inf)
    uncut = np.empty(n_nodes)
    evaluated = 0
    for node in np.argsort(leaves):
        total = leaves[0] - leaves[node] + 1
        excess = n_examples - total
        log_cuts = np.log(2.0 * n_features * max(excess, 1))
        if total != evaluated:
            evaluated = total
            _evaluate_uncut(
                uncut, left, right, leaves, shapes, log_cuts, excess, n_classes
            )
            if total == leaves[0]:
                values[n_nodes] = uncut[0]

        value = np.log(n_classes)
        size = 1
        below = node
        step = starts[node]
        while below > 0:
            sibling = left[parents[below]] + right[parents[below]] - below
            size += leaves[sibling]
            value += uncut[sibling]
            value = _join(value, twins[step], size, log_cuts, excess, n_classes)
            below = parents[below]
            step += 1
        values[node] = value
    return values


@njit
def _evaluate_uncut(uncut, left, right, leaves, shapes, log_cuts, excess, n_classes):
    """Write the value of each node's whole subtree into ``uncut``."""
    for node in range(left.shape[0] - 1, -1, -1):
        uncut[node] = np.log(n_classes)
        if left[node] >= 0:
            both = uncut[left[node]] + uncut[right[node]]
            same = shapes[left[node]] == shapes[right[node]]
            uncut[node] = _join(both, same, leaves[node], log_cuts, excess, n_classes)


@njit
def _join(both, symmetric, n_leaves, log_cuts, excess, n_classes):
    """A node's value from the sum of its subtrees' values, at most that of all
    labelings.

    NaN if the number of labelings with as many classes as there are leaves is smaller.
    """
    log_classes = np.log(n_classes)
    uncapped = (
        log_cuts
        + both
        + np.log1p(-np.exp(log_classes - both))
        - np.log(2.0) * symmetric
    )
    value = uncapped + np.log1p(np.exp(log_classes - uncapped))
    if n_leaves >= n_classes:
        return min(value, (n_leaves + excess) * log_classes)
    few = math.lgamma(n_classes + 1.0) - math.lgamma(n_classes - n_leaves + 1.0)
    if value > few + excess * np.log(n_leaves) + 1e-9:
        return np.nan
    return value
