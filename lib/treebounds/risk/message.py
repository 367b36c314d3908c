"""The message that describes a tree whose thresholds are values of examples.

A tree becomes a message in three steps. Each internal node gets an example of its own
from both sides of its threshold, and the threshold moves to the example's value. The
symbols of the nodes are written in preorder. Their probabilities, given the examples
alone, are multiplied; -ln of the product is the message's length in nats.

The message need not assign the examples to the nodes, because the structure determines
the assignment up to ties. Consider a node with r internal nodes in its left subtree,
and sort the examples of the compression set that reach the node by its feature. The
first r of them belong to the left subtree, and the next one is the node's own.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from treebounds.capacity._binomials import log_binomial
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import counts_where_reached

# Weights of the left and of the right side. The left one is chosen unless another node
# uses its example, which is rare if leaves are not tiny.
SIDE_WEIGHTS = np.array([7.0, 1.0])


class Message(NamedTuple):
    """The symbols that describe a tree, in preorder: four for each internal node and
    one for each leaf.

    Attributes
    ----------
    left_sizes : tuple of int
        Number of internal nodes in the left subtree of each internal node.
    features : tuple of int
        Feature that each internal node tests.
    sides : tuple of int
        0 if the split is ``x <= value``, 1 if it is ``x < value``, for the value of the
        node's example.
    names : tuple of int
        Position of each node's example among the examples of the compression set that
        tie with it.
    labels : tuple of int
        Class of each leaf.
    """

    left_sizes: tuple[int, ...]
    features: tuple[int, ...]
    sides: tuple[int, ...]
    names: tuple[int, ...]
    labels: tuple[int, ...]


class EncodedTree(NamedTuple):
    """A tree whose thresholds are values of examples, with its message.

    Attributes
    ----------
    tree : ArrayTree
    holders : (n_internal_nodes,) array of int
        The example whose value each internal node takes, in preorder. All are
        different.
    message : Message
    nats : float
        -ln P(message | compression set).
    """

    tree: ArrayTree
    holders: NDArray[np.intp]
    message: Message
    nats: float


def encode(
    tree: ArrayTree, X: NDArray[np.float32], y: NDArray[np.int64], n_classes: int
) -> EncodedTree:
    """Move the thresholds to values of examples, write the message and measure it.

    >>> import numpy as np
    >>> from treebounds.risk.message import encode
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[2.5, 0, 0],
    ...     class_counts=[[2, 2], [2, 0], [0, 2]],
    ...     n_features=1,
    ... )
    >>> X, y = np.array([[1], [2], [3], [4]], dtype=np.float32), np.array([0, 0, 1, 1])
    >>> encoded = encode(stump, X, y, n_classes=2)
    >>> encoded.holders.tolist(), float(encoded.tree.threshold[0])
    ([1], 2.0)
    >>> encoded.message
    Message(left_sizes=(0,), features=(0,), sides=(0,), names=(0,), labels=(0, 1))

    Parameters
    ----------
    tree : ArrayTree
        It splits by thresholds alone.
    X : (m, l) array of float32
    y : (m,) array of int
        Class indices.
    n_classes : int

    Returns
    -------
    EncodedTree

    Raises
    ------
    ValueError
        If a node of the tree sends all examples to one side.

    Notes
    -----
    The probabilities of the symbols, and why each node can have an example of its own,
    are explained in :func:`treebounds.risk.compress_tree`.
    """
    # Give each node an example of its own, and take its value as the threshold. Any
    # choice is allowed; an example that the tree gets right shortens a leaf's label.
    inner = tree.preorder[~tree.is_leaf[tree.preorder]]
    is_correct = tree.predict(X) == y
    holders, sides = _representatives(_ends(tree, inner, X, is_correct))
    tree = _with_thresholds_of(tree, inner, X, holders, sides)

    names, n_tied = _names_among_ties(tree, inner, X, holders)
    message = _message(tree, inner, sides, names)

    # Add up the symbols: structure and features, sides, names, labels.
    examples = np.sort(holders)
    nats = _structure_nats(len(inner), X.shape[1])
    nats -= float(np.log(SIDE_WEIGHTS[sides] / SIDE_WEIGHTS.sum()).sum())
    nats += float(np.log(n_tied).sum())
    nats -= _log_labels(tree, X[examples], y[examples], n_classes)
    return EncodedTree(tree, holders, message, nats)


def _ends(
    tree: ArrayTree,
    inner: NDArray[np.int64],
    X: NDArray[Any],
    is_preferred: NDArray[np.bool_],
) -> list[tuple[int, int]]:
    """For each internal node in preorder, an example just below its threshold and one
    just above.
    """
    ends = []
    rows_at = {0: np.arange(len(X))}
    for node in inner.tolist():
        rows = rows_at.pop(node)
        column = X[rows, tree.feature[node]]
        goes_left = column <= tree.threshold[node]
        if goes_left.all() or not goes_left.any():
            raise ValueError(
                f"X: node {node} sends all examples to one side; the tree was grown on"
                " others"
            )
        rows_at[int(tree.children_left[node])] = rows[goes_left]
        rows_at[int(tree.children_right[node])] = rows[~goes_left]
        at_lower_end = column == column[goes_left].max()
        at_upper_end = column == column[~goes_left].min()
        below = _first(rows[at_lower_end], is_preferred)
        above = _first(rows[at_upper_end], is_preferred)
        ends.append((below, above))
    return ends


def _first(candidates: NDArray[np.intp], is_preferred: NDArray[np.bool_]) -> int:
    """The first of the preferred candidates, or the first candidate if none is
    preferred.
    """
    return int(candidates[np.argmax(is_preferred[candidates])])


def _representatives(
    ends: list[tuple[int, int]],
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """One of each node's two examples, all different, as few as possible from the right
    side; and the sides.
    """
    if not ends:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int64)
    N = len(ends)
    left = [below for below, _ in ends]
    # The usual case needs no matching.
    if len(set(left)) == N:
        return np.array(left), np.zeros(N, dtype=np.int64)

    # A matching of nodes and examples in which a right end costs 2, and a left one 1.
    examples, numbers = np.unique(ends, return_inverse=True)
    # SciPy 1.14 does not match larger integers.
    numbers = numbers.reshape(-1, 2).astype(np.int32)
    nodes = np.repeat(np.arange(N, dtype=np.int32), 2)
    cost = csr_array((np.tile([1, 2], N), (nodes, numbers.ravel())))
    chosen = min_weight_full_bipartite_matching(cost)[1]
    return examples[chosen], (chosen == numbers[:, 1]).astype(np.int64)


def _with_thresholds_of(
    tree: ArrayTree,
    inner: NDArray[np.int64],
    X: NDArray[np.float32],
    holders: NDArray[np.intp],
    sides: NDArray[np.int64],
) -> ArrayTree:
    """The tree whose internal nodes split at the values of their examples."""
    values = X[holders, tree.feature[inner]]
    # ``x < value`` is ``x <= the next smaller number``.
    below = np.nextafter(values, np.float32(-np.inf))
    threshold = np.zeros(tree.n_nodes)
    threshold[inner] = np.where(sides, below, values)
    return replace(tree, threshold=threshold)


def _names_among_ties(
    tree: ArrayTree,
    inner: NDArray[np.int64],
    X: NDArray[np.float32],
    holders: NDArray[np.intp],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each internal node, the position of its example among those that tie with it,
    and their number.
    """
    names = np.zeros(len(inner), dtype=int)
    n_tied = np.zeros(len(inner), dtype=int)
    for position, node in enumerate(inner):
        # The internal nodes of a subtree are consecutive in preorder, and their
        # examples reach its root.
        pool = np.sort(holders[position : position + tree.subtree_leaves[node] - 1])
        column = X[:, tree.feature[node]]
        tied = pool[column[pool] == column[holders[position]]]
        names[position] = np.searchsorted(tied, holders[position])
        n_tied[position] = len(tied)
    return names, n_tied


def _message(
    tree: ArrayTree,
    inner: NDArray[np.int64],
    sides: NDArray[np.int64],
    names: NDArray[np.int64],
) -> Message:
    """The symbols of a tree whose nodes have their examples."""
    left_sizes = tree.subtree_leaves[tree.children_left[inner]] - 1
    leaves = tree.preorder[tree.is_leaf[tree.preorder]]
    return Message(
        left_sizes=tuple(left_sizes.tolist()),
        features=tuple(tree.feature[inner].tolist()),
        sides=tuple(sides.tolist()),
        names=tuple(names.tolist()),
        labels=tuple(tree.labels[leaves].tolist()),
    )


def _structure_nats(n_internal_nodes: int, n_features: int) -> float:
    """Nats for the structure, ln Catalan(N), and for the feature of each node."""
    N = n_internal_nodes
    log_catalan = log_binomial(2 * N, N) - math.log(N + 1)
    return log_catalan + N * math.log(n_features)


def _log_labels(
    tree: ArrayTree, X: NDArray[np.float32], y: NDArray[np.intp], n_classes: int
) -> float:
    """ln of the probability of the leaves' labels, given the examples of the
    compression set.
    """
    leaves = tree.preorder[tree.is_leaf[tree.preorder]]
    counts = counts_where_reached(tree, tree.apply(X), y, n_classes)
    weights = counts[leaves] + 1 / n_classes

    # A leaf that comes after its sibling, another leaf, has a different label.
    siblings = tree.children_left[tree.parents[leaves]]
    has_parent = tree.parents[leaves] >= 0
    is_second = has_parent & (siblings != leaves) & tree.is_leaf[siblings]
    second = np.flatnonzero(is_second)
    weights[second, tree.labels[siblings[second]]] = 0.0

    own_weights = weights[np.arange(len(leaves)), tree.labels[leaves]]
    return float(np.log(own_weights / weights.sum(axis=1)).sum())
