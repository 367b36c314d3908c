"""Concrete binary trees as arrays, one row for each node, from other libraries or built
by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_array, check_integer
from treebounds.structure import TreeStructure, structure_of_children
from treebounds.trees import _arrays


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ArrayTree(_arrays.TreeOfArrays):
    """A binary classification tree as immutable arrays.

    Node 0 is the root; parents come before their children. An example goes left if its
    feature is at most the threshold, or if it is one of the node's categories. A
    feature is a position: the names of a data frame's columns are not compared. No
    method recurses, so chains of 100,000 nodes work, too.

    Parameters
    ----------
    children_left, children_right : (n_nodes,) array of int
        Indices of the children; -1 at the leaves.
    feature : (n_nodes,) array of int
        The feature that the node tests, 0 to n_features - 1; meaningless at the leaves,
        set to -2 there.
    threshold : (n_nodes,) array of float
        Infinities are allowed, NaN is not; set to -2 at the leaves.
    class_counts : (n_nodes, n_classes) array of float
        Number, or total weight, of the training examples of each class that reach the
        node. The counts of an internal node are the sum of its children's.
    n_features : int
    missing_go_to_left : (n_nodes,) array of bool, optional
        Whether an example whose feature is NaN goes left. Without this array, missing
        values are an error. A tree of one leaf accepts them and keeps neither this
        array nor the next one.
    left_categories : (n_nodes, n_categories) array of bool, optional
        A node whose row contains True splits by categories: examples of the marked
        categories go left, all others right. Values of the feature are truncated to
        integers. The threshold of such a node has no meaning and is set to minus
        infinity.
    input_dtype : numpy dtype
        The type to which features are converted before the comparison with thresholds:
        float64, or the float32 of scikit-learn's trees.

    Raises
    ------
    ValueError
        If the arrays do not describe one tree; the error names the array and the node.

    Examples
    --------
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> tree.n_leaves, tree.leaf_errors, tree.predict([[0.2], [0.7]])
    (2, array([3., 0., 0.]), array([0, 1]))
    >>> tree.collapse([0])
    <ArrayTree: n_leaves=1, height=0, n_classes=2, n_features=1>
    """

    children_left: NDArray[np.int64]
    children_right: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    class_counts: NDArray[np.float64]
    n_features: int
    missing_go_to_left: NDArray[np.bool_] | None = None
    left_categories: NDArray[np.bool_] | None = None
    input_dtype: Any = "float64"

    if TYPE_CHECKING:
        # Lists are converted, so a caller may give them.
        def __init__(
            self,
            *,
            children_left: ArrayLike,
            children_right: ArrayLike,
            feature: ArrayLike,
            threshold: ArrayLike,
            class_counts: ArrayLike,
            n_features: int,
            missing_go_to_left: ArrayLike | None = None,
            left_categories: ArrayLike | None = None,
            input_dtype: Any = "float64",
        ) -> None: ...

    def __post_init__(self) -> None:
        dtypes: dict[str, Any] = dict.fromkeys(
            ("children_left", "children_right", "feature"), np.int64
        )
        dtypes |= dict.fromkeys(("threshold", "class_counts"), np.float64)
        optional = ("missing_go_to_left", "left_categories")
        dtypes |= {
            name: np.bool_ for name in optional if getattr(self, name) is not None
        }
        for name, dtype in dtypes.items():
            object.__setattr__(
                self, name, check_array(getattr(self, name), name, dtype).copy()
            )
        object.__setattr__(
            self, "n_features", check_integer(self.n_features, "n_features")
        )
        object.__setattr__(self, "input_dtype", np.dtype(self.input_dtype))
        _check_shapes(self)
        _check_nodes(self)
        self._finish()

    def _finish(self) -> None:
        """Set entries without a meaning to fixed values, and make the arrays immutable."""
        leaf = self.children_left < 0
        # A tree without splits does not need these arrays, and a JSON document has no
        # place for them.
        if leaf[0]:
            vars(self).update(missing_go_to_left=None, left_categories=None)
        for array in (self.missing_go_to_left, self.left_categories):
            if array is not None:
                array[leaf] = False
        self.threshold[self.asks_for_category] = -np.inf
        self.feature[leaf], self.threshold[leaf] = -2, -2.0
        for array in self._columns().values():
            array.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ArrayTree):
            return NotImplemented
        own, others = self._arguments(), other._arguments()
        return all(np.array_equal(own[name], others[name]) for name in own)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(ArrayTree, **self._arguments()), ()

    def _arguments(self) -> dict[str, Any]:
        """The fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _columns(self) -> dict[str, NDArray[Any]]:
        """The fields with a row for each node."""
        return {
            name: given
            for name, given in self._arguments().items()
            if isinstance(given, np.ndarray)
        }

    def __repr__(self) -> str:
        names = ("n_leaves", "height", "n_classes", "n_features")
        return (
            "<ArrayTree:"
            f" {', '.join(f'{name}={getattr(self, name)}' for name in names)}>"
        )

    @cached_property
    def asks_for_category(self) -> NDArray[np.bool_]:
        """(n_nodes,) mask of the nodes that split by categories."""
        given = self.left_categories
        return (
            np.zeros(self.n_nodes, dtype=bool)
            if given is None
            else np.any(given, axis=1)
        )

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """(n_nodes,) index of each node's parent, -1 for the root."""
        return _arrays.parents_of(self.children_left, self.children_right)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """(n_nodes,) class that each node predicts as a leaf, the first with the
        largest count.
        """
        labels: NDArray[np.int64] = self.class_counts.argmax(axis=1)
        return labels

    @cached_property
    def subtree_leaves(self) -> NDArray[np.int64]:
        """(n_nodes,) number of leaves of the subtree of each node; 1 for a leaf."""
        return self.subtree_sums(np.ones(self.n_nodes)).astype(np.int64)

    @cached_property
    def subtree_errors(self) -> NDArray[np.float64]:
        """(n_nodes,) errors of the leaves of the subtree of each node."""
        return self.subtree_sums(self.leaf_errors)

    def subtree_sums(self, values: ArrayLike) -> NDArray[np.float64]:
        """For every node, the sum of the values of the leaves of its subtree.

        Parameters
        ----------
        values : (n_nodes,) array
            Only those of leaves are used.

        Returns
        -------
        (n_nodes,) array of float
        """
        values = _arrays.check_one_per_node(values, "values", self.n_nodes)
        sums = np.where(self.is_leaf, values, 0)
        _arrays.add_up(self.parents, sums)
        return sums

    @cached_property
    def structure(self) -> TreeStructure:
        """The shape of the tree."""
        return structure_of_children(
            self.children_left.tolist(), self.children_right.tolist()
        )

    def kept_nodes(self, nodes: Iterable[int] | ArrayLike) -> NDArray[np.int64]:
        """Indices of the nodes that remain when some become leaves: those with none of
        ``nodes`` above them.

        Parameters
        ----------
        nodes : array of int, or (n_nodes,) mask

        Returns
        -------
        array of int
            Increasing.

        Raises
        ------
        ValueError
            If an index is not a node.
        """
        return np.flatnonzero(
            _arrays.remaining(self.parents, _arrays.node_mask(nodes, self.n_nodes))
        )

    def collapse(self, nodes: Iterable[int] | ArrayLike) -> ArrayTree:
        """The tree in which some nodes have become leaves, without the nodes below
        them.

        Parameters
        ----------
        nodes : array of int, or (n_nodes,) mask
            Internal nodes to cut; leaves among them, and nodes below others of them,
            change nothing.

        Returns
        -------
        ArrayTree
            Compacted: row i is row ``kept_nodes(nodes)[i]`` of this tree.

        Raises
        ------
        ValueError
            If an index is not a node.
        """
        return self.kept_and_collapsed(nodes)[1]

    def kept_and_collapsed(
        self, nodes: Iterable[int] | ArrayLike
    ) -> tuple[NDArray[np.int64], ArrayTree]:
        """The results of :meth:`kept_nodes` and :meth:`collapse`, in the time of one of
        them.

        Parameters
        ----------
        nodes : array of int, or (n_nodes,) mask

        Returns
        -------
        kept : array of int
        tree : ArrayTree

        Raises
        ------
        ValueError
            If an index is not a node.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from treebounds.formats import from_sklearn
        >>> grown = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(
        ...     *load_iris(return_X_y=True)
        ... )
        >>> kept, tree = from_sklearn(grown).kept_and_collapsed([2])
        >>> kept, tree.n_leaves
        (array([0, 1, 2]), 2)
        """
        mask = _arrays.node_mask(nodes, self.n_nodes)
        kept, left, right = _arrays.collapsed(
            self.children_left, self.children_right, mask
        )
        rows = {name: column[kept] for name, column in self._columns().items()}
        # This avoids __init__, whose checks take as long as everything else here.
        tree = object.__new__(type(self))
        vars(tree).update(
            self._arguments() | rows | {"children_left": left, "children_right": right}
        )
        tree._finish()
        return kept, tree

    def rearranged(
        self,
        nodes: NDArray[Any],
        left: NDArray[Any],
        right: NDArray[Any],
        counts: NDArray[Any],
    ) -> ArrayTree:
        """Some of the nodes in a new order, with new children and new class counts.

        Parameters
        ----------
        nodes : (n,) array of int
            The node of this tree for each row of the new one.
        left, right : (n,) array of int
            Children, as rows of the new tree; -1 where it has a leaf.
        counts : (n, n_classes) array

        Returns
        -------
        ArrayTree
        """
        rows: dict[str, Any] = {
            name: column[nodes] for name, column in self._columns().items()
        }
        rows |= {"children_left": left, "children_right": right, "class_counts": counts}
        return replace(self, **rows)

    def apply(self, X: ArrayLike, start: int = 0) -> NDArray[np.int64]:
        """The leaf that each example reaches.

        Parameters
        ----------
        X : (n_examples, n_features) array
        start : int
            The node from which the examples go down.

        Returns
        -------
        (n_examples,) array of int
            Indices of nodes.

        Raises
        ------
        ValueError
            If X has another shape, missing values although the tree has no direction
            for them, or categories in place of their codes, or if start is not a node.
        """
        for feature in np.unique(self.feature[self.asks_for_category]).tolist():
            if "category" in map(
                str, list(getattr(X, "dtypes", ()))[feature : feature + 1]
            ):
                codes = "its codes (column.cat.codes in pandas), NaN for missing values"
                raise ValueError(
                    f"X: column {feature} is categorical; the tree splits it by {codes}"
                )
        X = self._rows(X, self.input_dtype)
        if not 0 <= start < self.n_nodes:
            raise ValueError(
                f"start must be a node from 0 to {self.n_nodes - 1}; got {start}"
            )
        if (
            self.missing_go_to_left is None
            and not self.is_leaf[0]
            and np.isnan(X).any()
        ):
            raise ValueError(
                "X must not contain NaN: the tree has no direction for missing values"
            )
        return _arrays.descend(self.step, self.is_leaf, np.full(len(X), start), X)

    def children(self, node: int) -> list[int]:
        """The two children of a node; an empty list for a leaf."""
        return (
            []
            if self.is_leaf[node]
            else [int(self.children_left[node]), int(self.children_right[node])]
        )

    def step(
        self, nodes: NDArray[np.int64], X: NDArray[Any], rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The child to which each of some rows of X goes from its internal node.

        Parameters
        ----------
        nodes : (n_rows,) array of int
        X : (n_examples, n_features) array
        rows : (n_rows,) array of int
            The row of X at each of these nodes.

        Returns
        -------
        (n_rows,) array of int
        """
        x = X[rows, self.feature[nodes]].astype(self.input_dtype, copy=False)
        left = x <= self.threshold[nodes]
        if self.left_categories is not None:
            known = (x > -1) & (x < self.left_categories.shape[1])
            chosen = (
                known
                & self.left_categories[nodes, np.where(known, x, 0).astype(np.int64)]
            )
            left = np.where(self.asks_for_category[nodes], chosen, left)
        if self.missing_go_to_left is not None:
            left = np.where(np.isnan(x), self.missing_go_to_left[nodes], left)
        return np.where(left, self.children_left[nodes], self.children_right[nodes])


def check_array_tree(tree: Any) -> ArrayTree:
    """The argument, or a ValueError when it is something else."""
    if not isinstance(tree, ArrayTree):
        hint = "from_sklearn reads a fitted classifier"
        raise ValueError(
            f"tree must be an ArrayTree; got {type(tree).__name__} ({hint})"
        )
    return tree


def _check_shapes(tree: ArrayTree) -> None:
    """Raise a ValueError unless all arrays have one row for each node."""
    n = len(tree.children_left) if tree.children_left.ndim == 1 else 0
    if n == 0:
        raise ValueError(
            "children_left must be one-dimensional, and there must be a root"
        )
    shapes = dict.fromkeys(
        ("children_right", "feature", "threshold", "missing_go_to_left"), "(n_nodes,)"
    )
    shapes |= {
        "class_counts": "(n_nodes, n_classes)",
        "left_categories": "(n_nodes, n_categories)",
    }
    for name, shape in shapes.items():
        array = getattr(tree, name)
        if array is not None and (
            array.ndim != len(shape.split()) or len(array) != n or not array.size
        ):
            raise ValueError(
                f"{name} must have shape {shape} for {n} nodes; got {array.shape}"
            )
    if tree.input_dtype not in (np.float32, np.float64):
        raise ValueError(
            f"input_dtype must be float32 or float64; got {tree.input_dtype}"
        )


def _check_nodes(tree: ArrayTree) -> None:
    """Raise a ValueError that names a node unless the arrays form one tree, parents
    first, and are valid.
    """
    left, right, feature, counts = (
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.class_counts,
    )
    nodes, internal = np.arange(tree.n_nodes), left >= 0
    for name, child in (("children_left", left), ("children_right", right)):
        wrong = (child != -1) & ((child <= nodes) | (child >= tree.n_nodes))
        _refuse_first(
            wrong,
            f"{name} must be -1 or a later node; got {{0}} at node {{node}}",
            child,
        )
    _refuse_first(
        internal != (right >= 0),
        "children_right: node {node} has one child, not two or none",
    )
    above = np.bincount(
        np.append(left[internal], right[internal]), minlength=tree.n_nodes
    )
    _refuse_first(
        above != (nodes > 0),
        "children_left, children_right: node {node} has {0} parents",
        above,
    )
    outside = internal & ((feature < 0) | (feature >= tree.n_features))
    last = tree.n_features - 1
    _refuse_first(
        outside,
        f"feature must be from 0 to {last}; got {{0}} at node {{node}}",
        feature,
    )
    _refuse_first(internal & np.isnan(tree.threshold), "threshold must not be NaN")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise ValueError(
            "class_counts, times class_weight if given, must be finite and not negative"
        )
    gap = np.abs(counts - counts[left] - counts[right]).max(axis=1)
    differs = internal & (gap > 1e-9 * counts[0].sum())
    _refuse_first(
        differs, "class_counts of node {node} are not the sum of its children's"
    )


def _refuse_first(
    wrong: NDArray[np.bool_], message: str, values: NDArray[Any] | None = None
) -> None:
    """Raise a ValueError about the first node of a mask, if there is any."""
    if wrong.any():
        node = int(wrong.argmax())
        raise ValueError(
            message.format(None if values is None else values[node], node=node)
        )
