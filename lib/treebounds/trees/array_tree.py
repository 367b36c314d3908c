"""Concrete binary trees as arrays, one row for each node, from other libraries or built
by hand.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from treebounds._validation import check_array, check_integer
from treebounds._versions import library_version, unpickled
from treebounds.structure import TreeStructure, structure_of_children
from treebounds.trees import _arrays, _checks, _statistics
from treebounds.trees._categories import CategoryTable, check_categories
from treebounds.trees._names import (
    check_category_names,
    check_class_labels,
    check_feature_names,
)
from treebounds.trees._record import RECORD
from treebounds.trees._rows import read_rows

# The fields with a row for each node.
_COLUMNS = {
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "class_counts",
    "target_sums",
    "example_counts",
    "missing_go_to_left",
}


def _record_hidden(init: Callable[..., None]) -> Callable[..., None]:
    """A constructor that shows its parameters without the record of rows, which only
    the library hands on.
    """
    shown = inspect.signature(init)
    parameters = [shown.parameters[name] for name in shown.parameters if name != RECORD]
    vars(init)["__signature__"] = shown.replace(parameters=parameters)
    return init


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ArrayTree(_arrays.TreeOfArrays):
    """A binary decision tree as immutable arrays, for classes or for numbers.

    Node 0 is the root; parents come before their children. An example goes left if its
    feature is at most the threshold, or if it is one of the node's categories. No
    method recurses, so chains of 100,000 nodes work, too.

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

    Parameters
    ----------
    children_left, children_right : (n_nodes,) array of int
        Indices of the children; -1 at the leaves.
    feature : (n_nodes,) array of int
        The feature that the node tests, 0 to n_features - 1; meaningless at the leaves,
        set to -2 there.
    threshold : (n_nodes,) array of float
        Infinities are allowed, NaN is not; set to -2 at the leaves.
    n_features : int
    class_counts : (n_nodes, n_classes) array of float
        Number, or total weight, of the training examples of each class that reach the
        node. The counts of an internal node are the sum of its children's.
    target_sums : (n_nodes, 3) array of float
        In a tree that predicts numbers, in place of ``class_counts``: the weight of the
        training examples that reach the node (their number, if all have weight 1), the
        sum of weight times y, and the sum of weight times the square of y. They add
        up, too. Squared errors are differences of these sums; center y if its mean is
        more than 10^5 times its standard deviation.
    example_counts : (n_nodes,) array of int, optional
        Number of the training examples that reach the node, where they have weights, so
        that it is not the sum in ``class_counts`` or ``target_sums``. ``certify``
        recognizes these examples by it. None if it is not known, or if the rounded
        weights of all nodes are these numbers.
    missing_go_to_left : (n_nodes,) array of bool, optional
        Whether an example whose feature is NaN goes left. Without this array, missing
        values are an error. A tree of one leaf accepts them and keeps neither this
        array nor the next one.
    left_categories : mapping from int to array of int, optional
        For each node that splits by categories, the numbers (from 0) of those that go
        left; all others go right. Values of the feature are truncated to integers. The
        threshold of such a node has no meaning and is set to minus infinity.
    input_dtype : numpy dtype
        The type to which features are converted before the comparison with thresholds:
        float64, or the float32 of scikit-learn's trees.
    feature_names : sequence of str, optional
        One for each feature. A frame must have these columns in this order.
    classes : sequence of labels, optional
        One for each class, in increasing order. ``predict`` gives their indices.
    category_names : mapping from int to sequence, optional
        For features that are categories: the names of the categories 0, 1, ... A
        column of a frame with a categorical type becomes these numbers; a category
        without a number is a missing value. Without this argument such a column is
        read as the numbers that it holds; a column that it does not name is refused.

    Raises
    ------
    ValueError
        If the arrays do not describe one tree; the error names the array and the node.

    Examples
    --------
    A tree that predicts numbers, grown on y = 1, 3, 8:

    >>> numbers = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     target_sums=[[3, 12, 74], [2, 4, 10], [1, 8, 64]],
    ...     n_features=1,
    ... )
    >>> numbers.leaf_costs, numbers.predict([[0.2], [0.7]])
    (array([26.,  2.,  0.]), array([2., 8.]))
    """

    children_left: NDArray[np.int64]
    children_right: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    n_features: int
    # One of the next two is None; who reads one knows what the tree predicts.
    class_counts: NDArray[np.float64]
    target_sums: NDArray[np.float64]
    example_counts: NDArray[np.int64] | None
    missing_go_to_left: NDArray[np.bool_] | None
    left_categories: dict[int, NDArray[np.int64]] | None
    input_dtype: np.dtype[Any]
    feature_names: tuple[str, ...] | None
    classes: tuple[Any, ...] | None
    category_names: dict[int, tuple[Any, ...]] | None
    # The record of the rows that made the tree. It is a field, so that
    # ``dataclasses.replace`` hands it on.
    _row_memory_: Any

    @_record_hidden
    def __init__(
        self,
        *,
        children_left: ArrayLike,
        children_right: ArrayLike,
        feature: ArrayLike,
        threshold: ArrayLike,
        n_features: int,
        class_counts: ArrayLike | None = None,
        target_sums: ArrayLike | None = None,
        example_counts: ArrayLike | None = None,
        missing_go_to_left: ArrayLike | None = None,
        left_categories: Mapping[int, ArrayLike] | None = None,
        input_dtype: DTypeLike = "float64",
        feature_names: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
        category_names: Mapping[int, Sequence[Any]] | None = None,
        _row_memory_: Any = None,
    ) -> None:
        if (class_counts is None) == (target_sums is None):
            raise ValueError(
                "class_counts or target_sums must be given, and not both: a tree"
                " predicts classes or numbers"
            )
        n_features = check_integer(n_features, "n_features")
        # The record is frozen, so its fields are set in its dictionary.
        vars(self).update(
            children_left=_copied(children_left, "children_left", np.int64),
            children_right=_copied(children_right, "children_right", np.int64),
            feature=_copied(feature, "feature", np.int64),
            threshold=_copied(threshold, "threshold", np.float64),
            n_features=n_features,
            class_counts=_copied(class_counts, "class_counts", np.float64),
            target_sums=_copied(target_sums, "target_sums", np.float64),
            example_counts=_copied(example_counts, "example_counts", np.int64),
            missing_go_to_left=_copied(
                missing_go_to_left, "missing_go_to_left", np.bool_
            ),
            input_dtype=_checks.check_input_dtype(input_dtype),
            feature_names=check_feature_names(feature_names, n_features),
            category_names=check_category_names(category_names, n_features),
            _row_memory_=_row_memory_,
        )
        self._check_arrays()
        n_classes = None if self.is_regression else self.n_classes
        vars(self).update(
            left_categories=check_categories(left_categories, self.children_left < 0),
            classes=check_class_labels(classes, n_classes),
        )
        self._finish()

    def _check_arrays(self) -> None:
        """Raise a ValueError that names an array and a node unless this is a tree."""
        left = self.children_left
        right = self.children_right
        if left.ndim != 1 or len(left) == 0:
            raise ValueError(
                "children_left must be one-dimensional, and there must be a root"
            )

        columns = {"class_counts": "n_classes", "target_sums": "3"}
        for name, array in self._columns().items():
            _checks.check_shape(array, name, len(left), columns.get(name, ""))
        _checks.check_children(left, right)
        _checks.check_splits(self.feature, self.threshold, left >= 0, self.n_features)
        if self.is_regression:
            _checks.check_target_sums(self.target_sums, left, right)
        else:
            _checks.check_class_counts(self.class_counts, left, right)
        if self.example_counts is not None:
            weights = _statistics.weights_of_nodes(self)
            _checks.check_example_counts(self.example_counts, weights, left, right)

    def _finish(self) -> None:
        """Set entries without a meaning to fixed values, and make the arrays
        immutable.
        """
        # Most trees are grown without weights, and need the numbers only once.
        if self.example_counts is not None:
            rounded = np.rint(_statistics.weights_of_nodes(self))
            if np.array_equal(self.example_counts, rounded):
                vars(self).update(example_counts=None)
        leaf = self.children_left < 0
        # A tree without splits does not need these arrays, and a JSON document has no
        # place for them.
        if leaf[0]:
            vars(self).update(missing_go_to_left=None, left_categories=None)
        if self.missing_go_to_left is not None:
            self.missing_go_to_left[leaf] = False
        self.threshold[self.asks_for_category] = -np.inf
        self.feature[leaf] = -2
        self.threshold[leaf] = -2.0
        for array in self._columns().values():
            array.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ArrayTree):
            return NotImplemented
        own = self._arguments()
        others = other._arguments()
        # Which rows made a tree, and how many, does not matter to what it is.
        names = own.keys() - {RECORD, "example_counts"}
        return all(_same(own[name], others[name]) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return unpickled, (ArrayTree, library_version(), self._arguments())

    def _arguments(self) -> dict[str, Any]:
        """The fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _columns(self) -> dict[str, NDArray[Any]]:
        """The fields with a row for each node."""
        return {
            name: value
            for name, value in vars(self).items()
            if name in _COLUMNS and value is not None
        }

    def __repr__(self) -> str:
        predicts = "is_regression" if self.is_regression else "n_classes"
        names = ("n_leaves", "height", predicts, "n_features")
        values = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"<ArrayTree: {values}>"

    @property
    def is_regression(self) -> bool:
        """Whether the tree predicts numbers, not classes."""
        return self.target_sums is not None

    @property
    def statistics(self) -> NDArray[np.float64]:
        """(n_nodes, n_columns) ``class_counts`` or ``target_sums``, whichever the tree
        has. They add up from the leaves to the root.
        """
        return self.target_sums if self.is_regression else self.class_counts

    def _name_of_statistics(self) -> str:
        """The field that holds ``statistics``."""
        return "target_sums" if self.is_regression else "class_counts"

    @property
    def n_classes(self) -> int:
        """Number of classes, the columns of ``class_counts``."""
        self._refuse_regression("n_classes")
        return int(self.class_counts.shape[1])

    @cached_property
    def leaf_errors(self) -> NDArray[np.float64]:
        """(n_nodes,) number, or weight, of the training examples that each node gets
        wrong as a leaf; of a tree that predicts classes.
        """
        self._refuse_regression("leaf_errors")
        return _statistics.errors_of_counts(self, self.class_counts)

    @cached_property
    def leaf_costs(self) -> NDArray[np.float64]:
        """(n_nodes,) cost of each node as a leaf, not negative: its errors, or the sum
        of the squared differences from its mean.
        """
        if self.is_regression:
            return _statistics.squared_errors(self.target_sums)
        return self.leaf_errors

    @cached_property
    def leaf_values(self) -> NDArray[np.float64]:
        """(n_nodes,) mean of y at each node; of a tree that predicts numbers.

        A node without examples has the mean of the nearest node above it that has any.
        """
        if not self.is_regression:
            raise AttributeError(
                "leaf_values: the tree predicts classes; its predictions are labels"
            )
        return _statistics.means(self.target_sums, self.parents)

    def _refuse_regression(self, name: str) -> None:
        """Raise an AttributeError in a tree that predicts numbers."""
        if self.is_regression:
            raise AttributeError(
                f"{name}: the tree predicts numbers and has no classes; leaf_costs,"
                " subtree_costs, leaf_values and target_sums describe it"
            )

    @cached_property
    def asks_for_category(self) -> NDArray[np.bool_]:
        """(n_nodes,) mask of the nodes that split by categories."""
        mask = np.zeros(self.n_nodes, dtype=bool)
        if self.left_categories is not None:
            mask[list(self.left_categories)] = True
        return mask

    @cached_property
    def _category_table(self) -> CategoryTable:
        """The categories that go left, for :meth:`step`."""
        return CategoryTable.of(self.left_categories or {})

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """(n_nodes,) index of each node's parent, -1 for the root."""
        return _arrays.parents_of(self.children_left, self.children_right)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """(n_nodes,) class that each node predicts as a leaf, the first with the
        largest count.
        """
        self._refuse_regression("labels")
        labels: NDArray[np.int64] = self.class_counts.argmax(axis=1)
        return labels

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class or number predicted for each example, that of the leaf where it ends.

        Parameters
        ----------
        X : (n_examples, n_features) array
            See :meth:`apply`.

        Returns
        -------
        (n_examples,) array
            Indices of classes (of ``classes``, if the tree has them), or means.
        """
        predictions = self.leaf_values if self.is_regression else self.labels
        return predictions[self.apply(X)]

    @cached_property
    def subtree_leaves(self) -> NDArray[np.int64]:
        """(n_nodes,) number of leaves of the subtree of each node; 1 for a leaf."""
        return self.subtree_sums(np.ones(self.n_nodes)).astype(np.int64)

    @cached_property
    def subtree_errors(self) -> NDArray[np.float64]:
        """(n_nodes,) errors of the leaves of the subtree of each node; of a tree that
        predicts classes.
        """
        self._refuse_regression("subtree_errors")
        return self.subtree_sums(self.leaf_errors)

    @cached_property
    def subtree_costs(self) -> NDArray[np.float64]:
        """(n_nodes,) sum of the costs of the leaves of the subtree of each node."""
        return self.subtree_sums(self.leaf_costs)

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

        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from treebounds.formats import from_sklearn
        >>> grown = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(
        ...     *load_iris(return_X_y=True)
        ... )
        >>> kept, tree = from_sklearn(grown).kept_and_collapsed([2])
        >>> kept, tree.n_leaves
        (array([0, 1, 2]), 2)

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
        """
        mask = _arrays.node_mask(nodes, self.n_nodes)
        remaining, left, right = _arrays.collapsed(
            self.children_left, self.children_right, mask
        )
        rows: dict[str, Any] = {
            name: column[remaining] for name, column in self._columns().items()
        }
        rows["left_categories"] = self._sets_of(remaining, left)
        # This avoids __init__, whose checks take as long as everything else here.
        tree = object.__new__(type(self))
        rows |= {"children_left": left, "children_right": right}
        vars(tree).update(self._arguments() | rows)
        tree._finish()
        return remaining, tree

    def _sets_of(
        self, nodes: NDArray[np.int64], left: NDArray[np.int64]
    ) -> dict[int, NDArray[np.int64]] | None:
        """``left_categories`` of a tree that has these nodes of this tree, where
        ``left`` is -1 at its leaves.
        """
        if self.left_categories is None:
            return None
        internal = np.flatnonzero(self.asks_for_category[nodes] & (left >= 0))
        pairs = zip(internal.tolist(), nodes[internal].tolist(), strict=True)
        return {new: self.left_categories[old] for new, old in pairs} or None

    def rearranged(
        self,
        nodes: NDArray[np.int64],
        left: NDArray[np.int64],
        right: NDArray[np.int64],
        statistics: ArrayLike,
    ) -> ArrayTree:
        """Some of the nodes in a new order, with new children and new statistics.

        Parameters
        ----------
        nodes : (n,) array of int
            The node of this tree for each row of the new one.
        left, right : (n,) array of int
            Children, as rows of the new tree; -1 where it has a leaf.
        statistics : (n, n_columns) array
            Class counts or sums of y.

        Returns
        -------
        ArrayTree
        """
        rows: dict[str, Any] = {
            name: column[nodes] for name, column in self._columns().items()
        }
        rows |= {"children_left": left, "children_right": right}
        rows |= {self._name_of_statistics(): statistics, "example_counts": None}
        rows["left_categories"] = self._sets_of(nodes, np.asarray(left))
        return replace(self, **rows)

    def with_statistics(
        self, statistics: ArrayLike, example_counts: ArrayLike | None = None
    ) -> ArrayTree:
        """The same tree with other class counts or sums of y.

        Parameters
        ----------
        statistics : (n_nodes, n_columns) array
            Class counts of a tree that predicts classes, sums of y of one that predicts
            numbers; for example from :func:`treebounds.trees.count_statistics`.
        example_counts : (n_nodes,) array of int, optional
            Number of the examples at each node, if they have weights.

        Returns
        -------
        ArrayTree
        """
        changes: dict[str, Any] = {
            self._name_of_statistics(): statistics,
            "example_counts": example_counts,
        }
        return replace(self, **changes)

    def apply(self, X: ArrayLike, start: int = 0) -> NDArray[np.int64]:
        """The leaf that each example reaches.

        Parameters
        ----------
        X : (n_examples, n_features) array or frame
        start : int
            The node from which the examples go down.

        Returns
        -------
        (n_examples,) array of int
            Indices of nodes.

        Raises
        ------
        ValueError
            If X has another shape or other columns, is sparse, does not hold numbers,
            has missing values although the tree has no direction for them, or
            categories whose numbers the tree does not know; or if start is not a node.
        """
        X = as_numbers(self, X)
        if not 0 <= start < self.n_nodes:
            raise ValueError(
                f"start must be a node from 0 to {self.n_nodes - 1}; got {start}"
            )
        known_side = self.missing_go_to_left is not None or self.is_leaf[0]
        if not known_side and np.isnan(X).any():
            raise ValueError(
                "X must not contain NaN: the tree has no direction for missing values"
            )
        return _arrays.descend(self.step, self.is_leaf, np.full(len(X), start), X)

    def children(self, node: int) -> list[int]:
        """The two children of a node; an empty list for a leaf."""
        if self.is_leaf[node]:
            return []
        return [int(self.children_left[node]), int(self.children_right[node])]

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
            by_category = np.flatnonzero(self.asks_for_category[nodes])
            left[by_category] = self._category_table.goes_left(
                nodes[by_category], x[by_category]
            )
        if self.missing_go_to_left is not None:
            left = np.where(np.isnan(x), self.missing_go_to_left[nodes], left)
        return np.where(left, self.children_left[nodes], self.children_right[nodes])


def as_numbers(tree: ArrayTree, X: ArrayLike) -> NDArray[Any]:
    """The entries of X as the numbers that a tree compares.

    A frame must have the columns of the tree in the same order, and names of categories
    become their numbers.
    """
    return read_rows(
        X,
        tree.input_dtype,
        tree.n_features,
        tree.feature_names,
        tree.category_names,
        np.unique(tree.feature[tree.asks_for_category]).tolist(),
    )


def check_array_tree(tree: Any) -> ArrayTree:
    """The argument, or a ValueError when it is not an ArrayTree.

    >>> from treebounds.trees.array_tree import check_array_tree
    >>> check_array_tree("a tree")
    Traceback (most recent call last):
    ValueError: tree must be an ArrayTree; got str (from_sklearn reads a fitted ...

    Parameters
    ----------
    tree : ArrayTree

    Returns
    -------
    ArrayTree

    Raises
    ------
    ValueError
        If ``tree`` is of another type.
    """
    if not isinstance(tree, ArrayTree):
        hint = "from_sklearn reads a fitted tree of scikit-learn"
        raise ValueError(
            f"tree must be an ArrayTree; got {type(tree).__name__} ({hint})"
        )
    return tree


def _copied(values: ArrayLike | None, name: str, dtype: Any) -> NDArray[Any] | None:
    """An array of its own, or None."""
    if values is None:
        return None
    return check_array(values, name, dtype).copy()


def _same(value: Any, other: Any) -> bool:
    """Whether two fields are equal."""
    if isinstance(value, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(value, other)
    if isinstance(value, dict) and isinstance(other, dict):
        same_keys = value.keys() == other.keys()
        return same_keys and all(_same(value[key], other[key]) for key in value)
    return bool(value == other)
