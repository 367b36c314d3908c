"""Properties computed from child and parent arrays; parents come before children."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_numbers, shown


class TreeOfArrays:
    """The common base of trees that are kept as arrays, one row for each node.

    A subclass declares these fields and its own. It also has ``parents``, as a field or
    as a property.
    """

    feature: NDArray[np.int64]
    children: Callable[[int], Any]

    @property
    def n_nodes(self) -> int:
        """Number of nodes, internal nodes and leaves together."""
        return len(self.feature)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """(n_nodes,) mask of the leaves."""
        return self.feature < 0

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @property
    def n_internal_nodes(self) -> int:
        """Number of nodes that test a feature."""
        return self.n_nodes - self.n_leaves

    @cached_property
    def depth(self: Any) -> NDArray[np.int64]:
        """(n_nodes,) number of internal nodes above each node."""
        return depths(self.parents)

    @property
    def height(self) -> int:
        """Number of internal nodes on the longest path from the root to a leaf."""
        return int(self.depth.max())

    @cached_property
    def preorder(self) -> NDArray[np.int64]:
        """(n_nodes,) the nodes in preorder: each node, then its left subtree, then its
        right subtree.
        """
        order = []
        pending = [0]
        while pending:
            node = pending.pop()
            order.append(node)
            pending.extend(reversed(self.children(node)))
        return np.array(order)


def check_one_per_node(
    values: ArrayLike, name: str, n_nodes: int
) -> NDArray[np.float64]:
    """Finite numbers, one for each node, or a ValueError."""
    array = check_numbers(values, name, "(-inf, inf)")
    if array.shape != (n_nodes,):
        raise ValueError(
            f"{name} must be {n_nodes} numbers, one for each node; got shape"
            f" {array.shape}"
        )
    return array


def node_mask(nodes: Iterable[int] | ArrayLike, n_nodes: int) -> NDArray[np.bool_]:
    """A mask of nodes from a mask or from indices, or a ValueError."""
    if isinstance(nodes, set | frozenset):
        nodes = list(nodes)
    array = np.asarray(nodes)
    if array.dtype == bool and array.shape == (n_nodes,):
        return array
    if array.size and (
        array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n_nodes
    ):
        raise ValueError(
            f"nodes must be a mask or indices from 0 to {n_nodes - 1}; got"
            f" {shown(nodes)}"
        )
    return np.bincount(array.ravel().astype(np.intp), minlength=n_nodes) > 0


def parents_of(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n_nodes,) index of each node's parent, -1 for the root."""
    parents = np.full(len(left), -1)
    internal = np.flatnonzero(left >= 0)
    parents[left[internal]] = internal
    parents[right[internal]] = internal
    return parents


def parents_first(
    left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.int64]:
    """An order of the nodes with parents before children: the given order if it is one,
    else preorder.
    """
    nodes = np.arange(len(left))
    for name, child in (("children_left", left), ("children_right", right)):
        if child.shape != left.shape or ((child < -1) | (child >= len(left))).any():
            raise ValueError(
                f"{name} must hold -1 or nodes from 0 to {len(left) - 1}, one for each"
                " node"
            )

    left_is_later = (left < 0) | (left > nodes)
    right_is_later = (right < 0) | (right > nodes)
    if (left_is_later & right_is_later).all():
        return nodes

    # In a tree, one node is not a child of another, and all others are below it.
    roots = np.setdiff1d(nodes, np.append(left, right))
    if len(roots) == 1:
        order = preorder(left, right, int(roots[0]))
        if np.array_equal(np.sort(order), nodes):
            return order
    raise ValueError(
        "children_left, children_right: nodes do not form a tree (two parents or a"
        " cycle)"
    )


def preorder(
    left: NDArray[np.int64], right: NDArray[np.int64], root: int = 0
) -> NDArray[np.int64]:
    """The nodes of the tree below a root in preorder: each node, then its left and its
    right subtree.

    If the arrays do not form a tree, the result may repeat nodes, but it is finite.
    """
    lefts = left.tolist()
    rights = right.tolist()
    order: list[int] = []
    pending = [root]
    while pending and len(order) <= len(lefts):
        node = pending.pop()
        order.append(node)
        pending += [child for child in (rights[node], lefts[node]) if child >= 0]
    return np.array(order)


def collapsed(
    left: NDArray[np.int64], right: NDArray[np.int64], cut: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The nodes that remain when the nodes of a mask become leaves, and the renumbered
    children.
    """
    nodes = np.flatnonzero(remaining(parents_of(left, right), cut))
    # Index -1, the child of leaves, is the last entry.
    number = np.full(len(left) + 1, -1)
    number[nodes] = np.arange(len(nodes))
    uncut = ~cut[nodes]
    return (
        nodes,
        np.where(uncut, number[left[nodes]], -1),
        np.where(uncut, number[right[nodes]], -1),
    )


def descend(
    step: Callable[..., NDArray[np.int64]],
    is_leaf: NDArray[np.bool_],
    nodes: NDArray[np.int64],
    X: NDArray[Any],
) -> NDArray[np.int64]:
    """The node where each example ends that goes down from a given node.

    It is a leaf, or a node from which ``step`` leads nowhere else. ``step(nodes, X,
    rows)`` returns the next node of some rows of X.
    """
    rows = np.flatnonzero(~is_leaf[nodes])
    before = nodes[rows]
    while len(rows):
        after = step(before, X, rows)
        nodes[rows] = after
        moving = (after != before) & ~is_leaf[after]
        rows = rows[moving]
        before = after[moving]
    return nodes


def depths(parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n_nodes,) number of nodes above each node."""
    return above(parents, np.ones(len(parents), dtype=np.int64), np.add, 0)


def remaining(parents: NDArray[np.int64], cut: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask of the nodes that have no cut node above them."""
    return ~above(parents, cut, np.logical_or, False)


def above(
    parents: NDArray[np.int64], values: NDArray[Any], combine: np.ufunc, neutral: Any
) -> NDArray[Any]:
    """(n_nodes,) the combined values of all nodes above each node; the neutral value
    for the root.

    This takes O(n_nodes log height), because the combined nodes double in number in
    each round.
    """
    # Index -1, the parent of the root, is the last entry.
    combined = np.append(np.where(parents < 0, neutral, values[parents]), neutral)
    for jump in _jumps(parents):
        combined[:-1] = combine(combined[:-1], combined[jump])
    return combined[:-1]


def add_up(parents: NDArray[np.int64], sums: NDArray[Any]) -> None:
    """Add to each row, in place, the rows of all nodes below it; (n_nodes,) or
    (n_nodes, n_columns).
    """
    columns = sums.reshape(len(sums), -1)  # A view of the argument.
    for jump in _jumps(parents):
        for column in columns.T:
            sums_of_bins = np.bincount(jump + 1, column, len(parents) + 1)
            # Bin 0 is for the nodes that have no node so far above them.
            column += sums_of_bins[1:].astype(column.dtype)


def _jumps(parents: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """For 1, 2, 4, ... up to the height, the node that many steps above each node, -1
    if there is none.
    """
    jump = np.append(parents, -1)
    while jump.max() >= 0:
        yield jump[:-1]
        jump = jump[jump]
