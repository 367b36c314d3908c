"""Decision trees as messages: a compression set, a few symbols, and the certificate that they buy.

A tree whose N thresholds are values of training examples is rebuilt from N of the m examples (the compression
set) and a message. The shorter the message, the smaller the upper bound of the tree's risk:

**Theorem** (sample compression with a data-dependent message; Littlestone and Warmuth 1986, Langford 2005,
Marchand and Sokolova 2005). Let w(i) be weights of index sets with sum at most 1 and, for every i, P(s | z_i)
weights of messages with sum at most 1 that depend on the examples z_i alone. With probability at least
1 - delta over m independent examples, for all i and s at once, the risk of the tree rebuilt from z_i and s is
at most ``binomial_tail_inversion(k, m - |i|, ln(delta w(i) P(s | z_i)))``, where k counts its errors on the
examples outside i.

Proof. Fix i and condition on z_i: the tree of each s is then fixed, k is binomial, and the bound fails with
probability at most delta w(i) P(s | z_i). Sum over s, take the mean over z_i, sum over i.

So every choice (which tree to grow, where to prune it, which examples to keep) may use all the data.

Two codes. The *plain* one names the examples in the order of the nodes. The *sorted* one, the default, keeps
them as a set: once the number of internal nodes left of a node is known, its example is the one of that rank
among those that reach it, so that naming the structure names the examples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_array, check_integer, check_number, check_option
from treebounds.risk.shawe_taylor import log_leaves_prior
from treebounds.risk.tail_inversion import binomial_tail_inversion, check_delta, log_binomial
from treebounds.trees.array_tree import ArrayTree, check_array_tree

__all__ = [
    "CODES",
    "Compression",
    "DecodedTree",
    "Message",
    "compress",
    "compression_bound",
    "decode",
    "encode",
    "message_length",
]

CODES = ("sorted", "plain")
# the left side serves unless its example is taken by another node, which is rare where leaves are not tiny
_SIDES = np.array([7.0, 1.0])


@dataclass
class DecodedTree:
    """A binary tree over its nodes in preorder; an example goes left where x <= threshold; -1 means none."""

    children_left: list[int] = field(default_factory=list)
    children_right: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)

    def append(self, parent: int) -> int:
        """Add a node below its parent, left first; its index."""
        node = len(self.labels)
        for column in (self.children_left, self.children_right, self.feature, self.labels):
            column.append(-1)
        self.threshold.append(math.nan)
        self.parents.append(parent)
        if parent >= 0:
            side = self.children_left if self.children_left[parent] < 0 else self.children_right
            side[parent] = node
        return node


class Message(NamedTuple):
    """The symbols of a tree: one of each kind for every internal node in preorder, labels for every leaf.

    left_sizes : internal nodes in the node's left subtree.
    features : feature of the node.
    sides : 0 if the split is ``x <= value`` of its example, 1 if ``x < value`` (always 0 in plain code).
    names : sorted code: which of the examples that tie for the rank; plain code: which of the set.
    labels : class of each leaf.
    """

    left_sizes: tuple[int, ...]
    features: tuple[int, ...]
    sides: tuple[int, ...]
    names: tuple[int, ...]
    labels: tuple[int, ...]


class _Split(NamedTuple):
    """A node of the tree: the examples just below and just above its threshold, and the sizes of subtrees."""

    feature: int
    below: np.ndarray
    above: np.ndarray
    size: int
    left_size: int


def encode(
    tree: ArrayTree | DecodedTree, X: np.ndarray, y: np.ndarray, code: str = "sorted"
) -> tuple[np.ndarray, Message]:
    """Write a tree as a compression set and a message.

    Each node's threshold moves to the largest value on its left or, with a side symbol, to the smallest on
    its right, which changes no training example's path. The two candidates of a node lie on its two sides, so
    the graph that joins them, for all nodes, is a forest. One example of each component can be left out, and
    each of the others serves one node: distinct examples always suffice.

    Parameters
    ----------
    tree : ArrayTree
        No two sibling leaves of it have the same label.
    X : (m, l) float array
        The values that are compared with thresholds.
    y : (m,) int array
        Class indices.
    code : {"sorted", "plain"}

    Returns
    -------
    examples : int array
        Indices of the compression set, increasing.
    message : Message

    Raises
    ------
    ValueError
        If some node of the tree parts none of the examples.
    """
    if not isinstance(tree, ArrayTree | DecodedTree):
        raise ValueError(f"tree must be an ArrayTree or a DecodedTree; got {type(tree).__name__}")
    check_option(code, "code", CODES)
    X, y = _checked_sample(X, y)
    splits, labels, wrong = _walk(tree, X, y)
    left_sizes = tuple(split.left_size for split in splits)
    features = tuple(split.feature for split in splits)
    if code == "plain":
        chosen = np.array([_first(split.below, ~wrong) for split in splits], dtype=np.intp)
        examples, names = np.unique(chosen, return_inverse=True)
        return examples, Message(left_sizes, features, (0,) * len(splits), tuple(names.tolist()), labels)
    holders, sides = _representatives(splits, ~wrong)
    ties = []
    for position, split in enumerate(splits):
        # in preorder a subtree's internal nodes stand together; their examples are what reaches the node
        pool = np.sort(holders[position : position + split.size])
        tied = pool[X[pool, split.feature] == X[holders[position], split.feature]]
        ties.append(int(np.searchsorted(tied, holders[position])))
    return np.sort(holders), Message(left_sizes, features, sides, tuple(ties), labels)


def decode(
    values: NDArray[Any], classes: NDArray[Any], message: Message, n_classes: int, code: str = "sorted"
) -> tuple[DecodedTree, float]:
    """Rebuild a tree from the compression set and the message alone, and count the message's nats.

    Parameters
    ----------
    values : (size, l) float array
        The compression set in the order of the examples' indices.
    classes : (size,) array of int
        Their class indices.
    message : Message
    n_classes : int
    code : {"sorted", "plain"}

    Returns
    -------
    tree : DecodedTree
    nats : float
        -ln P(message | compression set). Structure: ln Catalan(N). Each node: ln l, and in sorted code
        -ln 7/8 for the left side or -ln 1/8 for the right one, and the logarithm of the number of tied
        examples. Each leaf: ln n in plain code; in sorted code -ln p, where p mixes the classes of the leaf's
        examples in the compression set with one phantom example of uniform class, without the class of its
        sibling if that is a leaf that was read before.

    Raises
    ------
    ValueError
        If no tree has this message.
    """
    check_option(code, "code", CODES)
    N, values = len(message.left_sizes), check_array(values, "values", np.float32)
    if [len(symbols) for symbols in message] != [N, N, N, N, N + 1]:
        raise ValueError(f"message: {N} internal nodes have {N} symbols of each kind, and {N + 1} labels")
    nats = _log_catalan(N) + N * math.log(values.shape[1])
    tree = DecodedTree()
    inner, labels = zip(*message[:4], strict=True), iter(message.labels)
    everything = np.arange(len(values))
    pending = [(-1, N, everything, everything)]
    while pending:
        parent, size, here, pool = pending.pop()
        node = tree.append(parent)
        if size == 0:
            tree.labels[node] = next(labels)
            weights = np.ones(n_classes)
            if code == "sorted":
                weights = _label_weights(tree, node, classes[here], n_classes)
            nats -= _log_share(weights, tree.labels[node])
            continue
        left_size, feature, side, name = next(inner)
        if not (0 <= left_size < size and 0 <= feature < values.shape[1]):
            raise ValueError(f"message: node {node} cannot have left size {left_size} and feature {feature}")
        if code == "plain":
            candidates, sides = everything, _SIDES[:1]
        else:
            of_rank = np.sort(values[pool, feature])[left_size]
            candidates, sides = pool[values[pool, feature] == of_rank], _SIDES
            nats += math.log(len(candidates))
        if not 0 <= name < len(candidates):
            raise ValueError(f"message: {name} names none of the {len(candidates)} examples of node {node}")
        nats -= _log_share(sides, side)
        value, pool = values[candidates[name], feature], pool[pool != candidates[name]]
        threshold = np.nextafter(value, np.float32(-np.inf)) if side else value
        tree.feature[node], tree.threshold[node] = feature, float(threshold)
        here_left, pool_left = (values[rows, feature] <= threshold for rows in (here, pool))
        if code == "sorted" and pool_left.sum() != left_size:
            raise ValueError(f"message: the examples of node {node} do not part as it says")
        pending.append((node, size - 1 - left_size, here[~here_left], pool[~pool_left]))
        pending.append((node, left_size, here[here_left], pool[pool_left]))
    return tree, nats


def _label_weights(
    tree: DecodedTree, leaf: int, classes: NDArray[np.intp], n_classes: int
) -> NDArray[np.float64]:
    """Weights of a leaf's label: classes of its examples, a phantom example, not a sibling leaf's label."""
    weights = 1 / n_classes + np.bincount(classes, minlength=n_classes).astype(float)
    # in preorder, the node before a right leaf is its sibling only if that is a leaf, too
    if (
        leaf
        and tree.children_right[tree.parents[leaf]] == leaf
        and tree.parents[leaf - 1] == tree.parents[leaf]
    ):
        weights[tree.labels[leaf - 1]] = 0.0
    return weights


def _log_share(weights: NDArray[np.float64], symbol: int) -> float:
    """ln of a symbol's share of the weights, or a ValueError where it has none."""
    if not (0 <= symbol < len(weights) and weights[symbol] > 0):
        raise ValueError(f"message: {symbol} is no symbol with positive probability")
    return math.log(weights[symbol] / weights.sum())


@dataclass(frozen=True)
class Compression:
    """A tree whose thresholds are training values, and what its message certifies.

    Attributes
    ----------
    value : float
        Upper bound of the risk of ``tree``.
    tree : ArrayTree
        The certified tree.
    collapsed : array of int
        Nodes of the original that became leaves because both sides predicted the same.
    examples : array of int
        The compression set.
    message : Message
    length : float
        -ln of the weight of compression set and message, in nats.
    n_errors : int
        Errors outside the compression set.
    """

    value: float
    tree: ArrayTree
    collapsed: NDArray[np.int64]
    examples: NDArray[np.intp]
    message: Message
    length: float
    n_errors: int


def compress(
    tree: ArrayTree, X: ArrayLike, y: ArrayLike, n_classes: int, delta: float = 0.05, code: str = "sorted"
) -> Compression:
    """Move a tree's thresholds to training values and certify the result.

    What is certified is what the decoder returns: thresholds are read off the decoded tree.

    Parameters
    ----------
    tree : ArrayTree
    X : (m, l) array
        The training examples.
    y : (m,) array of int
        Class indices.
    n_classes : int
    delta : float
    code : {"sorted", "plain"}

    Returns
    -------
    Compression

    Raises
    ------
    ValueError
        If some node of the tree parts none of the examples, or all of them carry thresholds.

    Examples
    --------
    >>> import numpy as np
    >>> from treebounds.risk import compress
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree([1, -1, -1], [2, -1, -1], [0, 0, 0], [0.5, 0, 0], [[40, 40], [40, 0], [0, 40]], 1)
    >>> X, y = np.arange(80.0).reshape(-1, 1) / 79, np.repeat([0, 1], 40)
    >>> found = compress(stump, X, y, n_classes=2)
    >>> found.examples.tolist(), found.n_errors, round(found.value, 3)
    ([39], 0, 0.115)
    """
    X, y = _checked_sample(check_array(X, "X", np.float32), y)
    n_classes = check_integer(n_classes, "n_classes", minimum=int(y.max()) + 1)
    collapsed = _same_label_nodes(check_array_tree(tree))
    tree = tree.collapse(collapsed)
    examples, message = encode(tree, X, y, code)
    decoded, nats = decode(X[examples], y[examples], message, n_classes, code)
    threshold = np.empty(tree.n_nodes)
    threshold[_preorder(tree)] = decoded.threshold
    tree = replace(tree, threshold=np.where(tree.is_leaf, -2.0, threshold))
    wrong = tree.predict(X) != y
    wrong[examples] = False
    m, k = len(y), int(wrong.sum())
    length = message_length(m, tree.n_leaves - 1, nats, code)
    value = compression_bound(k, m, len(examples), length, delta)
    return Compression(value, tree, collapsed, examples, message, length, k)


def message_length(n_examples: int, n_internal_nodes: int, nats: float, code: str = "sorted") -> float:
    """-ln of w(i) P(message | z_i): the message, its compression set, and 6 / (pi L)^2 for L leaves.

    The set costs ln C(m, N) in sorted code, N ln m in plain code (an example may serve two nodes there).

    Parameters
    ----------
    n_examples, n_internal_nodes : int
        m and N.
    nats : float
        Length of the message, as :func:`decode` counts it.
    code : {"sorted", "plain"}

    Returns
    -------
    float
        In nats.

    Examples
    --------
    >>> from treebounds.risk import message_length
    >>> round(message_length(150, 2, nats=10.0), 3)
    22.016
    """
    check_option(code, "code", CODES)
    N = check_integer(n_internal_nodes, "n_internal_nodes", minimum=0)
    m = check_integer(n_examples, "n_examples", minimum=max(N, 1))
    nats = check_number(nats, "nats", "[0, inf]")
    names = N * math.log(m) if code == "plain" else log_binomial(m, N)
    return nats + names - log_leaves_prior(N + 1)


def compression_bound(
    n_errors: int, n_examples: int, n_compression: int, length: float, delta: float = 0.05
) -> float:
    """Upper bound of the risk of a classifier that was rebuilt from a compression set and a message.

    Parameters
    ----------
    n_errors : int
        Errors on the examples outside the compression set.
    n_examples : int
        m, all of them.
    n_compression : int
        Size of the compression set.
    length : float
        -ln(w(i) P(message | z_i)) in nats.
    delta : float
        Strictly between 0 and 1.

    Returns
    -------
    float
        At most 1.

    Raises
    ------
    ValueError
        If no examples are left after compression.

    Examples
    --------
    >>> from treebounds.risk import compression_bound
    >>> round(compression_bound(n_errors=3, n_examples=150, n_compression=2, length=22.0), 3)
    0.206
    """
    left = check_integer(n_examples, "n_examples") - check_integer(n_compression, "n_compression", minimum=0)
    length = check_number(length, "length", "[0, inf]")
    if left < 1:
        raise ValueError(
            f"no examples are left after compression: {n_compression} of {n_examples} carry thresholds"
        )
    return binomial_tail_inversion(n_errors, left, math.log(check_delta(delta)) - length)


def _checked_sample(X: Any, y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    X, y = np.asarray(X), check_array(y, "y", np.intp)
    if X.ndim != 2 or X.dtype.kind not in "biuf" or 0 in X.shape:
        raise ValueError(f"X must be a matrix of numbers with a row for each example; got shape {X.shape}")
    if y.shape != X.shape[:1] or y.min() < 0:
        raise ValueError(f"y must be {len(X)} indices of classes, one for each row of X; got {y!r}")
    return X, y


def _walk(
    tree: ArrayTree | DecodedTree, X: np.ndarray, y: np.ndarray
) -> tuple[list[_Split], tuple[int, ...], np.ndarray]:
    """Internal nodes and leaf labels in preorder, and which examples the tree gets wrong."""
    splits: list[tuple[int, np.ndarray, np.ndarray]] = []
    labels: list[int] = []
    parents: list[tuple[int, bool]] = []
    wrong = np.zeros(len(y), dtype=bool)
    pending = [(0, -1, False, np.arange(len(y)))]
    while pending:
        node, parent, is_left, rows = pending.pop()
        if tree.children_left[node] < 0:
            labels.append(int(tree.labels[node]))
            wrong[rows] = y[rows] != labels[-1]
            continue
        column = X[rows, tree.feature[node]]
        goes_left = column <= tree.threshold[node]
        below, above = rows[goes_left], rows[~goes_left]
        if not len(below) or not len(above):
            raise ValueError(
                f"X: node {node} of the tree parts none of the examples; it was fitted on others"
            )
        low, high = column[goes_left].max(), column[~goes_left].min()
        pending.append((tree.children_right[node], len(splits), False, above))
        pending.append((tree.children_left[node], len(splits), True, below))
        parents.append((parent, is_left))
        splits.append((int(tree.feature[node]), rows[column == low], rows[column == high]))
    sizes, left_sizes = np.ones(len(splits), dtype=int), np.zeros(len(splits), dtype=int)
    for position in range(len(splits) - 1, 0, -1):
        parent, is_left = parents[position]
        sizes[parent] += sizes[position]
        left_sizes[parent] += is_left * sizes[position]
    found = [_Split(*split, int(a), int(b)) for split, a, b in zip(splits, sizes, left_sizes, strict=True)]
    return found, tuple(labels), wrong


def _representatives(
    splits: Sequence[_Split], right: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], tuple[int, ...]]:
    """One example for each node, all different, and the side it lies on.

    Each node joins one example below its threshold to one above. Orienting each component of this forest away
    from the example that it leaves out gives every node the farther of its two; the example left out is one
    with which the fewest nodes need their right side.
    """
    ends = [(_first(split.below, right), _first(split.above, right)) for split in splits]
    joined: dict[int, list[int]] = {}
    for position, pair in enumerate(ends):
        for example in pair:
            joined.setdefault(example, []).append(position)
    holders, sides = np.full(len(splits), -1, dtype=np.intp), np.zeros(len(splits), dtype=int)
    seen: set[int] = set()
    for start in joined:
        if start not in seen:
            steps = _steps(start, ends, joined)
            seen.update(example for _, example, _ in steps)
            # leaving out the next example instead turns the edge between: its node takes the other side
            gain = {start: 0}
            for before, example, position in steps[1:]:
                gain[example] = gain[before] + (1 if ends[position][1] == example else -1)
            for _, example, position in _steps(max(gain, key=gain.__getitem__), ends, joined)[1:]:
                holders[position], sides[position] = example, int(ends[position][1] == example)
    return holders, tuple(sides.tolist())


def _steps(
    start: int, ends: Sequence[tuple[int, int]], joined: dict[int, list[int]]
) -> list[tuple[int, int, int]]:
    """A walk through a component from one of its examples: (from, to, by which node)."""
    steps, pending = [], [(-1, start, -1)]
    while pending:
        steps.append(pending.pop())
        _, example, arrived_by = steps[-1]
        for position in joined[example]:
            if position != arrived_by:
                below, above = ends[position]
                pending.append((example, above if example == below else below, position))
    return steps


def _first(candidates: np.ndarray, preferred: np.ndarray) -> int:
    """The first candidate that is preferred, or the first."""
    return int(candidates[np.argmax(preferred[candidates])])


def _same_label_nodes(tree: ArrayTree) -> NDArray[np.int64]:
    """Internal nodes below which all leaves predict the same class."""
    same = tree.is_leaf.copy()
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        left, right = tree.children_left[node], tree.children_right[node]
        same[node] = same[left] and same[right] and tree.labels[left] == tree.labels[right]
    return np.flatnonzero(same & ~tree.is_leaf)


def _preorder(tree: ArrayTree) -> list[int]:
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        if not tree.is_leaf[node]:
            pending += [int(tree.children_right[node]), int(tree.children_left[node])]
    return order


def _log_catalan(n: int) -> float:
    return log_binomial(2 * n, n) - math.log(n + 1)
