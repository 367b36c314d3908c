"""Multiway trees on categorical features, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._labels import check_classes
from treebounds._validation import check_array
from treebounds.trees._arrays import TreeOfArrays, add_up, descend, remaining
from treebounds.trees.counting import errors_of_counts

__all__ = ["MultiwayTree"]


@dataclass(frozen=True, eq=False)
class MultiwayTree(TreeOfArrays):
    """A tree whose internal nodes have one branch for each value of a feature.

    Features are columns of value codes 0, 1, ...; an example whose code has no branch,
    or is negative, ends at the node itself. Nodes are numbered so that a parent comes
    before its children; node 0 is the root.

    >>> from reproduction.multiway import MultiwayTree
    >>> tree = MultiwayTree(
    ...     [0, -1, -1], [-1, 0, 0], [-1, 0, 1], [[3, 2], [3, 0], [0, 2]], [3]
    ... )
    >>> tree.predict([[0], [1], [2]])
    array([0, 1, 0])
    >>> tree.n_leaves, tree.n_internal_nodes, tree.height
    (2, 1, 1)

    Parameters
    ----------
    feature : array_like of int, shape (n_nodes,)
        Feature that an internal node tests; -1 at a leaf.
    parents : array_like of int, shape (n_nodes,)
        -1 at the root.
    branch : array_like of int, shape (n_nodes,)
        Value of the parent's feature that leads here; -1 at the root.
    class_counts : array_like of int, shape (n_nodes, n_classes)
        Training examples of each class; all 0 on a branch that no example took.
    n_values : array_like of int, shape (n_features,)
        Number of values of each feature.
    labels : array_like of int, shape (n_nodes,), optional
        Class predicted at a node: by default the majority, the lowest class on ties,
        the parent's on a branch without examples.
    """

    feature: Any
    parents: Any
    branch: Any
    class_counts: Any
    n_values: Any
    labels: Any = None

    def __post_init__(self) -> None:
        self._store_arrays()
        self._check_shapes_and_parents()
        self._check_features_and_branches()
        object.__setattr__(self, "labels", self._check_labels())

    @property
    def n_classes(self) -> int:
        """Number of classes, the columns of ``class_counts``."""
        return int(self.class_counts.shape[1])

    @cached_property
    def leaf_errors(self) -> NDArray[Any]:
        """(n_nodes,) number of the training examples that each node gets wrong as a
        leaf.
        """
        return errors_of_counts(self, self.class_counts)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Class predicted for each example: the label of the node where it ends.

        Parameters
        ----------
        X : (n_examples, n_features) array
            See :meth:`apply`.

        Returns
        -------
        (n_examples,) array of int
            Indices of classes.
        """
        labels: NDArray[np.int64] = self.labels[self.apply(X)]
        return labels

    def _store_arrays(self) -> None:
        """Every argument as an array of integers."""
        n_axes = {"feature": 1, "parents": 1, "branch": 1}
        n_axes |= {"class_counts": 2, "n_values": 1}
        for name, n in n_axes.items():
            array = check_array(getattr(self, name), name, np.int64)
            if array.ndim != n:
                raise ValueError(
                    f"{name} has the wrong number of dimensions; got shape"
                    f" {array.shape}"
                )
            object.__setattr__(self, name, array)

    def _check_shapes_and_parents(self) -> None:
        """Refuse arrays that do not fit together, or do not give a tree."""
        n = len(self.feature)
        if not n == len(self.parents) == len(self.branch) == len(self.class_counts):
            raise ValueError(
                "feature, parents, branch and class_counts must have one row for each"
                " node"
            )
        if self.n_classes == 0 or np.any(self.class_counts < 0):
            raise ValueError(
                "class_counts must be numbers of examples of at least one class"
            )
        if n == 0 or self.parents[0] != -1 or np.any(self.parents[1:] < 0):
            raise ValueError("parents must be -1 at the root, node 0, and nowhere else")
        if np.any(self.parents >= np.arange(n)):
            raise ValueError("parents must have a smaller number than its children")

    def _check_features_and_branches(self) -> None:
        """Refuse branches that do not belong to the features that nodes test."""
        if np.any(self.feature < -1) or np.any(self.feature >= len(self.n_values)):
            raise ValueError(
                f"feature must be -1 or below n_features = {len(self.n_values)}"
            )

        tested = self.feature[self.parents[1:]]
        if np.any(tested < 0) or np.any(
            (self.branch[1:] < 0) | (self.branch[1:] >= self.n_values[tested])
        ):
            raise ValueError(
                "branch must be a value of the feature that the parent tests"
            )
        if np.count_nonzero(self._child >= 0) < self.n_nodes - 1:
            raise ValueError("branch must differ among the children of a node")

    def _check_labels(self) -> NDArray[np.int64]:
        """The given labels, or the majority at each node."""
        if self.labels is None:
            return self.probabilities.argmax(axis=1)

        labels = check_array(self.labels, "labels", np.int64)
        unknown = (labels < 0) | (labels >= self.n_classes)
        if labels.shape != (self.n_nodes,) or np.any(unknown):
            raise ValueError(
                f"labels must be one of {self.n_classes} classes for each node"
            )

        return labels

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Class frequencies, shape (n_nodes, n_classes); a node without examples has
        those of its parent.
        """
        source = np.arange(self.n_nodes)
        for node in np.flatnonzero(self.class_counts.sum(axis=1) == 0):
            source[node] = source[max(self.parents[node], 0)]
        totals = self.class_counts.sum(axis=1, keepdims=True)
        return (self.class_counts / np.maximum(totals, 1))[source]

    @cached_property
    def _child(self) -> NDArray[np.int64]:
        """The child of every node for every value; -1 if there is none."""
        child = np.full((self.n_nodes, self.n_values.max(initial=1)), -1)
        child[self.parents[1:], self.branch[1:]] = np.arange(1, self.n_nodes)
        return child

    @property
    def n_features(self) -> int:
        """Number of features, the length of ``n_values``."""
        return len(self.n_values)

    @cached_property
    def subtree_errors(self) -> NDArray[np.int64]:
        """Training errors of the subtree below every node."""
        return self.sum_below(self.errors_ending)

    @property
    def errors_ending(self) -> NDArray[np.int64]:
        """Errors among the examples that end at each node: at a leaf, or where their
        branch is missing.
        """
        ending = self.class_counts.copy()
        np.subtract.at(ending, self.parents[1:], self.class_counts[1:])
        return errors_of_counts(self, ending)

    def sum_below(self, values: ArrayLike) -> NDArray[Any]:
        """For every node, the sum of a value over the nodes of its subtree, itself
        included.

        >>> from reproduction.multiway import MultiwayTree
        >>> tree = MultiwayTree(
        ...     [0, -1, -1], [-1, 0, 0], [-1, 0, 1], [[3, 2], [3, 0], [0, 2]], [3]
        ... )
        >>> tree.sum_below([1, 1, 1])
        array([3, 1, 1])

        Parameters
        ----------
        values : (n_nodes, ...) array

        Returns
        -------
        (n_nodes, ...) array

        Raises
        ------
        ValueError
            If there is not one row for each node.
        """
        sums = np.array(values, order="C")
        if sums.shape[:1] != (self.n_nodes,):
            raise ValueError(
                f"values must have one row for each of the {self.n_nodes} nodes"
            )
        add_up(self.parents, sums)
        return sums

    def children(self, node: int) -> NDArray[np.int64]:
        """Children of a node in the order of their branches.

        Parameters
        ----------
        node : int

        Returns
        -------
        array of int
            Indices of nodes; empty for a leaf.
        """
        return self._child[node][self._child[node] >= 0]

    def step(
        self, nodes: NDArray[np.int64], X: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The child to which each of some rows goes from its internal node, or this
        node if no branch fits.

        Parameters
        ----------
        nodes : (n_rows,) array of int
            Internal nodes, one for each row.
        X : (n_examples, n_features) array of int
        rows : (n_rows,) array of int
            The row of X at each of these nodes.

        Returns
        -------
        (n_rows,) array of int
        """
        value = X[rows, self.feature[nodes]]
        is_valid = (value >= 0) & (value < self._child.shape[1])
        child = self._child[nodes, np.where(is_valid, value, 0)]
        return np.where(is_valid & (child >= 0), child, nodes)

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """The node where each example ends: a leaf, or a node without a branch for the
        example's value.

        >>> from reproduction.multiway import MultiwayTree
        >>> tree = MultiwayTree(
        ...     [0, -1, -1], [-1, 0, 0], [-1, 0, 1], [[3, 2], [3, 0], [0, 2]], [3]
        ... )
        >>> tree.apply([[1], [2]])
        array([2, 0])

        Parameters
        ----------
        X : (n_examples, n_features) array of int
            Value codes.

        Returns
        -------
        (n_examples,) array of int

        Raises
        ------
        ValueError
            If X has another shape, or values that are not integers.

        Notes
        -----
        O(n_examples) for each level of the tree.
        """
        X = check_array(X, "X", np.int64)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"X must have shape (n_examples, {self.n_features}); got {X.shape}"
            )
        return descend(self.step, self.is_leaf, np.zeros(len(X), dtype=np.int64), X)

    def count_below(self, X: ArrayLike, y: ArrayLike) -> NDArray[np.int64]:
        """The number of examples of each class that pass each node.

        >>> from reproduction.multiway import MultiwayTree
        >>> tree = MultiwayTree(
        ...     [0, -1, -1], [-1, 0, 0], [-1, 0, 1], [[3, 2], [3, 0], [0, 2]], [3]
        ... )
        >>> tree.count_below([[1], [2]], [0, 1]).tolist()
        [[1, 1], [0, 0], [1, 0]]

        Parameters
        ----------
        X : (n_examples, n_features) array of int
        y : (n_examples,) array of int
            Indices of classes.

        Returns
        -------
        (n_nodes, n_classes) array of int

        Raises
        ------
        ValueError
            If X or y has another shape, or y holds other classes.
        """
        ends = self.apply(X)
        y = check_classes(y, len(ends), self.n_classes)
        counts = np.zeros((self.n_nodes, self.n_classes), dtype=np.int64)
        np.add.at(counts, (ends, y), 1)
        return self.sum_below(counts)

    def reachable(self, cut: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The nodes that remain when some become leaves.

        Parameters
        ----------
        cut : (..., n_nodes) mask
            The nodes that become leaves, for one pruning or for several.

        Returns
        -------
        mask of the same shape
        """
        each = cut.reshape(-1, self.n_nodes)
        return np.array([remaining(self.parents, mask) for mask in each]).reshape(
            cut.shape
        )

    def collapse(self, cut: ArrayLike) -> MultiwayTree:
        """A copy in which the nodes of a mask are leaves, without the nodes below them.

        >>> from reproduction.multiway import MultiwayTree
        >>> tree = MultiwayTree(
        ...     [0, -1, -1], [-1, 0, 0], [-1, 0, 1], [[3, 2], [3, 0], [0, 2]], [3]
        ... )
        >>> tree.collapse([True, False, False]).n_nodes
        1
        """
        cut = np.asarray(cut)
        if cut.dtype != bool or cut.shape != (self.n_nodes,):
            raise ValueError(f"cut must be a mask of the {self.n_nodes} nodes")

        keep = self.reachable(cut)
        parent = np.where(self.parents < 0, -1, (np.cumsum(keep) - 1)[self.parents])
        rows = {
            name: getattr(self, name)[keep]
            for name in ("branch", "class_counts", "labels")
        }

        return replace(
            self,
            feature=np.where(cut, -1, self.feature)[keep],
            parents=parent[keep],
            **rows,
        )

    def recounted(self, X: ArrayLike, y: ArrayLike) -> MultiwayTree:
        """The same tree with the class counts of other examples, but with its own
        labels.

        Parameters
        ----------
        X, y
            As for :meth:`count_below`.

        Returns
        -------
        MultiwayTree
        """
        return replace(self, class_counts=self.count_below(X, y))


def path_up(parents: Sequence[int] | NDArray[np.int64], node: int) -> list[int]:
    """A node and all nodes above it."""
    path = [node]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    return path
