"""Generic pruning: bottom-up, each node is replaced by the candidate with the smallest
estimated error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.description_length import description_length_bound
from reproduction.multiway.tree import MultiwayTree, path_up
from treebounds._validation import check_array, shown
from treebounds.trees._arrays import add_up, descend
from treebounds.trees.array_tree import ArrayTree

__all__ = ["EditedTree", "description_length_estimate", "generic_pruning"]

Tree = MultiwayTree | ArrayTree
Estimate = Callable[["EditedTree", int], float]


class Candidate(NamedTuple):
    """What may take the place of a node.

    ``label`` is its class as a leaf, or -1; ``totals`` are the errors, leaves and
    internal nodes of its subtree.
    """

    node: int
    label: int
    totals: list[int]


class EditedTree:
    """A tree with some of its nodes replaced; estimates f(T, m) are functions of it.

    Parameters
    ----------
    base : MultiwayTree or ArrayTree
        The tree before the replacements.
    X, y : ndarray, shapes (n_examples, n_features) and (n_examples,)
        The sample on which errors are counted for the pruning.

    Attributes
    ----------
    base : MultiwayTree or ArrayTree
    stands : ndarray of int, shape (n_nodes,)
        The node in the place of each node of ``base``: itself or a descendant that was
        grafted there.
    leaf : ndarray of int, shape (n_nodes,)
        The class of a node that was made a leaf, else -1.
    totals : ndarray of int, shape (n_nodes, 3)
        Errors on the sample, leaves and internal nodes of the subtree in the place of
        each node.
    """

    def __init__(self, base: Tree, X: NDArray, y: NDArray) -> None:
        self.base = base
        self.X = X
        self.y = y
        self.parents = base.parents.tolist()
        self.stands = np.arange(base.n_nodes)
        self.leaf = np.full(base.n_nodes, -1)

        reached = base.apply(X)
        # Nodes are replaced before their ancestors, so the same examples still reach a
        # node then.
        self.rows = _rows_at_nodes(self.parents, reached)

        # An example may end above the leaves.
        errors = np.bincount(reached, base.labels[reached] != y, base.n_nodes)
        self.totals = np.column_stack([errors, base.is_leaf, ~base.is_leaf]).astype(
            np.int64
        )
        add_up(base.parents, self.totals)

    @property
    def n_errors(self) -> int:
        """Errors on the sample."""
        return int(self.totals[0, 0])

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.totals[0, 1])

    @property
    def n_nodes(self) -> int:
        """Number of nodes, internal nodes and leaves together."""
        return int(self.totals[0, 1:].sum())

    @property
    def labels(self) -> NDArray[np.int64]:
        """The class that each node of ``base`` predicts."""
        return np.where(self.leaf >= 0, self.leaf, self.base.labels)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """A mask of the nodes of ``base`` that are leaves; some of them may be removed
        already.
        """
        return self.base.is_leaf | (self.leaf >= 0)

    def apply(self, X: NDArray, start: int = 0) -> NDArray[np.int64]:
        """The node of ``base`` where each row ends.

        Parameters
        ----------
        X : (n_examples, n_features) array
        start : int
            The node in whose place rows start.

        Returns
        -------
        (n_examples,) array of int
        """

        def step(
            nodes: NDArray[np.int64], X: NDArray, rows: NDArray[np.int64]
        ) -> NDArray[np.int64]:
            """The next node of some rows: the node in the place of the child."""
            after = self.base.step(nodes, X, rows)
            return np.where(after == nodes, nodes, self.stands[after])

        return descend(step, self.is_leaf, np.full(len(X), self.stands[start]), X)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Class of each row.

        Parameters
        ----------
        X : (n_examples, n_features) array

        Returns
        -------
        (n_examples,) array of int
        """
        return self.labels[self.apply(np.asarray(X))]

    def arrangement(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The remaining nodes in preorder, their parents' positions, and the nodes
        whose places they hold.
        """
        rows: list[tuple[int, int, int]] = []
        stands = self.stands.tolist()
        is_leaf = self.is_leaf.tolist()
        stack = [(0, -1)]
        while stack:
            place, above = stack.pop()
            node = stands[place]
            if not is_leaf[node]:
                for child in reversed(self.base.children(node)):
                    stack.append((int(child), len(rows)))
            rows.append((node, above, place))

        nodes, parents, places = np.array(rows).T
        return nodes, parents, places

    def to_tree(self, X: ArrayLike, y: ArrayLike, *, relabel: bool = True) -> Any:
        """A tree of the type of ``base`` with the class counts of the given examples.

        Parameters
        ----------
        X, y : array_like, shapes (n_examples, n_features) and (n_examples,)
        relabel : bool
            Whether a node predicts the majority of the examples that now reach it.
            Otherwise it predicts its class before, which can differ after a graft; an
            ArrayTree always predicts the majority.

        Returns
        -------
        MultiwayTree or ArrayTree
        """
        nodes, parents, places = self.arrangement()
        position = np.full(self.base.n_nodes, -1)
        position[nodes] = np.arange(len(nodes))

        counts = np.zeros((len(nodes), self.base.n_classes), dtype=np.int64)
        ends = position[self.apply(np.asarray(X))]
        np.add.at(counts, (ends, np.asarray(y)), 1)
        add_up(parents, counts)

        labels = None
        if not relabel:
            labels = self.labels[nodes]
        if isinstance(self.base, ArrayTree):
            return self._array_tree(self.base, nodes, position, counts, labels)

        return MultiwayTree(
            feature=np.where(self.is_leaf[nodes], -1, self.base.feature[nodes]),
            parents=parents,
            branch=self.base.branch[places],
            class_counts=counts,
            n_values=self.base.n_values,
            labels=labels,
        )

    def _array_tree(
        self,
        base: ArrayTree,
        nodes: NDArray[np.int64],
        position: NDArray[np.int64],
        counts: NDArray[np.int64],
        labels: NDArray[np.int64] | None,
    ) -> ArrayTree:
        """The remaining nodes, which stand in these positions, as an ArrayTree."""
        is_leaf = self.is_leaf[nodes]
        if labels is not None and np.any((labels != counts.argmax(axis=1)) & is_leaf):
            raise ValueError(
                "relabel must be True: an ArrayTree predicts the majority at each leaf"
            )

        position_of_child = np.append(position[self.stands], -1)
        left = np.where(is_leaf, -1, position_of_child[base.children_left[nodes]])
        right = np.where(is_leaf, -1, position_of_child[base.children_right[nodes]])

        return base.rearranged(nodes, left, right, counts)

    def _replace_by_best(self, node: int, estimate: Estimate) -> None:
        """Replace a node by the candidate with the smallest estimate: a leaf, a child,
        or itself.
        """
        as_it_is = Candidate(node, -1, self.totals[node].tolist())
        best = as_it_is
        smallest = np.inf
        for candidate in [*self._as_leaf(node), *self._as_child(node), as_it_is]:
            self._put(node, candidate)
            value = estimate(self, len(self.X))
            if value < smallest:
                best = candidate
                smallest = value

        self._put(node, best)

    def _as_leaf(self, node: int) -> Iterator[Candidate]:
        """The node as a leaf of each class, its own first."""
        labels = self.y[self.rows[node]]
        own = self.base.labels[node]
        for c in (own, *(c for c in range(self.base.n_classes) if c != own)):
            yield Candidate(node, c, [(labels != c).sum(), 1, 0])

    def _as_child(self, node: int) -> Iterator[Candidate]:
        """Each of the children, in the place of the node."""
        rows = self.rows[node]
        for child in self.base.children(node):
            predicted = self.labels[self.apply(self.X[rows], child)]
            errors = (predicted != self.y[rows]).sum()
            yield Candidate(self.stands[child], -1, [errors, *self.totals[child, 1:]])

    def _put(self, node: int, candidate: Candidate) -> None:
        """Put a candidate in the node's place, and update the errors and sizes of the
        ancestors.
        """
        self.stands[node] = candidate.node
        self.leaf[node] = candidate.label
        change = candidate.totals - self.totals[node]
        self.totals[path_up(self.parents, node)] += change


def generic_pruning(
    tree: Tree, X: ArrayLike, y: ArrayLike, estimate: Estimate
) -> EditedTree:
    """Peng's Algorithm 2: prune bottom-up by any estimate of the true error.

    Each node, children before parents, is replaced by the candidate with the smallest
    estimate for the whole tree. The candidates are a leaf with the node's label, a leaf
    of another class, one of its children (to which all its examples are then sent), and
    the node as it is. If several tie, the first in this list wins; classes and children
    have their usual order.

    >>> from reproduction.multiway import description_length_estimate, generic_pruning
    >>> from reproduction.multiway.id3 import grow_id3
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, [0, 1, 0, 1] * 5
    >>> y[0] = 1
    >>> grown = grow_id3(X, y, [2, 2], 2, criterion="error")
    >>> pruned = generic_pruning(grown, X, y, description_length_estimate(n_features=2))
    >>> grown.n_leaves, pruned.n_leaves
    (3, 2)

    Parameters
    ----------
    tree : MultiwayTree or ArrayTree
    X, y : array_like, shapes (n_examples, n_features) and (n_examples,)
        The sample of size m, with features as for ``tree.apply`` and class codes.
    estimate : callable
        ``estimate(edited, m)`` returns the number to minimize for an
        :class:`EditedTree`.

    Returns
    -------
    EditedTree
        It has ``predict``; ``to_tree`` converts it to a tree.

    Notes
    -----
    The algorithm is greedy: the result need not minimize the estimate over all
    prunings. It computes one estimate for each node and one more for each of its
    classes and children; a graft also takes time proportional to the number of examples
    at the node.

    References
    ----------
    Peng's notes, Algorithm 2.
    """
    if not isinstance(tree, MultiwayTree | ArrayTree):
        raise ValueError(
            f"tree must be a MultiwayTree or an ArrayTree; got {type(tree).__name__}"
        )
    if not callable(estimate):
        raise ValueError(
            "estimate must be a function of an edited tree and m; got"
            f" {shown(estimate)}"
        )

    edited = EditedTree(tree, *_same_rows(X, y))
    for node in range(tree.n_nodes - 1, -1, -1):
        edited._replace_by_best(node, estimate)
    return edited


def _rows_at_nodes(
    parents: list[int], reached: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """The row numbers of the examples that pass each node, from the nodes where they
    end.
    """
    stops = np.cumsum(np.bincount(reached, minlength=len(parents)))
    rows = np.split(np.argsort(reached), stops[:-1])
    for node in range(len(parents) - 1, 0, -1):
        rows[parents[node]] = np.append(rows[parents[node]], rows[node])
    return rows


def description_length_estimate(
    n_features: int, n_classes: int = 2, delta: float = 0.05
) -> Estimate:
    """f(T, m) = :func:`description_length_bound` of the tree.

    >>> from reproduction.multiway import description_length_estimate
    >>> f = description_length_estimate(n_features=4)
    """
    # A wrong argument is refused now, not at the first tree.
    description_length_bound(0.0, 1, n_features, 1, delta, n_classes)

    def estimate(edited: EditedTree, m: int) -> float:
        """The bound of an edited tree."""
        error = edited.n_errors / m
        return description_length_bound(
            error, edited.n_nodes, n_features, m, delta, n_classes
        )

    return estimate


def _same_rows(X: ArrayLike, y: ArrayLike) -> tuple[NDArray, NDArray]:
    """A sample with as many labels as rows, or a ValueError."""
    X = np.asarray(X)
    y = check_array(y, "y", np.int64)
    if X.ndim != 2 or y.shape != X.shape[:1] or not len(y):
        raise ValueError(
            f"X and y must have equally many rows, at least one; got {X.shape} and"
            f" {y.shape}"
        )

    return X, y
