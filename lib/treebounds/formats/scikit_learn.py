"""Conversion of trees to and from scikit-learn's classifiers and regressors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds._row_order import check_same_order
from treebounds._validation import check_given_together, place_of_tree
from treebounds.formats._labels import class_indices
from treebounds.formats._sklearn_trees import (
    blank_classifier,
    check_classification_tree,
    check_sklearn_tree,
    collapse_sklearn,
    copy_with,
    fit_to_made_up_rows,
    move_thresholds,
    plain_tree,
    tree_from_nodes,
    unfitted_like,
    with_classes,
    with_leaves,
)
from treebounds.trees._arrays import add_up, parents_of
from treebounds.trees._checks import add_up_to_parents
from treebounds.trees._record import keep_record, record_of
from treebounds.trees._statistics import weights_of_nodes
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.counting import counted

__all__ = [
    "check_classification_tree",
    "check_sklearn_tree",
    "collapse_sklearn",
    "from_sklearn",
    "is_monotonic",
    "move_thresholds",
    "plain_tree",
    "to_sklearn",
    "tree_from_nodes",
    "unfitted_like",
    "with_classes",
    "with_leaves",
]

# With these criteria a regressor keeps the mean and the variance of y at each node.
_VARIANCE_CRITERIA = ("squared_error", "friedman_mse")


def from_sklearn(
    tree: Any,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> ArrayTree:
    """The tree inside a fitted scikit-learn classifier or regressor.

    Without X and y, class counts are the fractions of ``tree_.value`` times the weights
    of the nodes; those that are integers up to rounding are rounded, so that errors of
    unweighted examples are exact. The sums of a regressor come from the mean, the
    variance and the weight that each node has.

    >>> from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    >>> from treebounds.formats import from_sklearn
    >>> X = [[0], [1], [2]]
    >>> from_sklearn(DecisionTreeClassifier().fit(X, [0, 1, 0])).class_counts
    array([[2., 1.], [1., 0.], [1., 1.], [0., 1.], [1., 0.]])
    >>> numbers = DecisionTreeRegressor(max_depth=1).fit(X, [1, 3, 8])
    >>> from_sklearn(numbers).target_sums
    array([[ 3., 12., 74.], [ 2.,  4., 10.], [ 1.,  8., 64.]])

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        Or an instance of a subclass.
    X : (n_examples, n_features) array, optional
        Rows to count in place of those that the tree was grown on.
    y : (n_examples,) array, optional
        Their labels, among the tree's classes, or numbers.
    sample_weight : (n_examples,) array, optional

    Returns
    -------
    ArrayTree
        A tree of numbers predicts the mean of y at each leaf, with every criterion and
        with monotonicity constraints. It keeps the record of rows of our estimators,
        which JSON does not.

    Raises
    ------
    ValueError
        If it is not a decision tree, is not fitted or has several outputs; or if a
        subclass predicts otherwise than its nodes; or if X and y are missing and
        the nodes do not tell their statistics: with the criteria "absolute_error" and
        "poisson", and with monotonicity constraints; or if y or the weights name the
        rows of X in another order.
    """
    check_sklearn_tree(tree)
    check_same_order(X=X, y=y, sample_weight=sample_weight)
    check_given_together(X, y, sample_weight)
    nodes = tree.tree_.__getstate__()["nodes"]
    _refuse_sets_of_categories(nodes)

    arrays = ArrayTree(
        children_left=tree.tree_.children_left,
        children_right=tree.tree_.children_right,
        feature=tree.tree_.feature,
        threshold=tree.tree_.threshold,
        n_features=tree.tree_.n_features,
        missing_go_to_left=nodes["missing_go_to_left"].astype(bool),
        input_dtype=np.float32,
        feature_names=getattr(tree, "feature_names_in_", None),
        **_statistics(tree, are_known=X is None),
    )
    keep_record(arrays, record_of(tree))
    if X is None:
        return arrays

    targets: Any = y
    if not arrays.is_regression:
        targets = class_indices(y, tree.classes_)
    if sample_weight is None:
        return counted(arrays, [(X, targets)])
    return counted(arrays, [(X, targets, sample_weight)])


def _statistics(tree: Any, *, are_known: bool) -> dict[str, Any]:
    """The classes and statistics of a tree, as the record takes them: those of the
    sample that it was grown on, or zeros.
    """
    n_nodes = tree.tree_.node_count
    statistics: dict[str, Any] = {}
    if isinstance(tree, DecisionTreeRegressor):
        statistics["target_sums"] = np.zeros((n_nodes, 3))
        if are_known:
            statistics["target_sums"] = _target_sums(tree)
    else:
        statistics["classes"] = tree.classes_
        statistics["class_counts"] = np.zeros((n_nodes, len(tree.classes_)))
        if are_known:
            statistics["class_counts"] = _class_counts(tree)
    if are_known:
        statistics["example_counts"] = _example_counts(tree)
    return statistics


def _class_counts(tree: DecisionTreeClassifier) -> NDArray[np.float64]:
    """The weight of each class at each node."""
    if is_monotonic(tree):
        raise ValueError(
            "X and y must be given, here or as from_sklearn(tree, X, y): with"
            " monotonic_cst, the values of nodes are not class fractions"
        )
    weights = tree.tree_.weighted_n_node_samples[:, np.newaxis]
    # Without any weight the fractions are 0 / 0.
    counts = np.where(weights > 0, tree.tree_.value[:, 0, :] * weights, 0.0)
    whole = np.rint(counts)
    exact = np.abs(counts - whole) <= 4 * np.finfo(float).eps * weights
    rounded: NDArray[np.float64] = np.where(exact, whole, counts)
    return rounded


def _target_sums(tree: DecisionTreeRegressor) -> NDArray[np.float64]:
    """The weight and the sums of y and of its square at each node."""
    if tree.criterion not in _VARIANCE_CRITERIA:
        raise ValueError(
            "X and y must be given, here or as from_sklearn(tree, X, y): with"
            f" criterion={tree.criterion!r}, the nodes of a regressor do not tell the"
            " mean and the variance of y"
        )
    if is_monotonic(tree):
        raise ValueError(
            "X and y must be given, here or as from_sklearn(tree, X, y): with"
            " monotonic_cst, the values of nodes are not means of y"
        )
    inside = tree.tree_
    weight = inside.weighted_n_node_samples
    mean = inside.value[:, 0, 0]
    variance = inside.impurity
    sums = np.column_stack([weight, weight * mean, weight * (variance + mean**2)])

    # Sums that add up exactly come from the leaves.
    sums[inside.children_left >= 0] = 0.0
    add_up(parents_of(inside.children_left, inside.children_right), sums)
    return sums


def _example_counts(tree: Any) -> NDArray[Any] | None:
    """The number of examples at each node; None where numbers do not add up, as those
    of :func:`to_sklearn` need not if it knows weights only.
    """
    inside = tree.tree_
    numbers: NDArray[Any] = inside.n_node_samples
    children = (inside.children_left, inside.children_right)
    if add_up_to_parents(numbers, *children):
        return numbers
    return None


def is_monotonic(tree: Any) -> bool:
    """Whether some feature of a scikit-learn tree is constrained; a 0 constrains
    nothing.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats.scikit_learn import is_monotonic
    >>> is_monotonic(DecisionTreeClassifier(monotonic_cst=[0, 1]))
    True
    """
    constraints = tree.monotonic_cst
    return constraints is not None and bool(np.any(np.asarray(constraints) != 0))


def as_array_tree(tree: Any) -> ArrayTree:
    """The argument, or the tree inside a fitted scikit-learn tree; a ValueError when it
    is something else.
    """
    if isinstance(tree, ArrayTree):
        return tree
    if isinstance(tree, DecisionTreeClassifier | DecisionTreeRegressor):
        return from_sklearn(tree)
    place = place_of_tree(tree)
    library = type(tree).__module__.partition(".")[0]
    instead = (
        "The functions of treebounds.formats whose names begin with from_ read the"
        " trees of other libraries"
    )
    if place:
        instead = f"Pass the tree that it holds, {place}"
    elif library in ("lightgbm", "xgboost"):
        instead = f"Pass one of its trees, from_{library}(model, X, y, tree=0)"
    raise ValueError(
        "tree must be an ArrayTree or a fitted scikit-learn tree; got"
        f" {type(tree).__name__}. {instead}"
    )


def _refuse_sets_of_categories(nodes: NDArray[Any]) -> None:
    """Raise ValueError if a node tests more than a threshold (from scikit-learn 1.10
    on).
    """
    if "split_kind" in (nodes.dtype.names or ()) and (nodes["split_kind"] > 0).any():
        raise ValueError(
            "tree splits by sets of categories (split_kind), which is not supported"
        )


def to_sklearn(tree: ArrayTree, classes: ArrayLike | None = None) -> Any:
    """A tree as a fitted ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``.

    It can predict, and be plotted, exported and pickled. Impurities are Gini indices or
    variances, and the numbers of examples are ``example_counts`` or else the rounded
    weights. scikit-learn compares in float32: if ``input_dtype`` is float64, values
    within rounding of a threshold may go to the other side.

    >>> from treebounds import ArrayTree
    >>> from treebounds.formats import to_sklearn
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     target_sums=[[3, 12, 74], [2, 4, 10], [1, 8, 64]],
    ...     n_features=1,
    ... )
    >>> to_sklearn(tree).predict([[0.2], [0.7]])
    array([2., 8.])

    Parameters
    ----------
    tree : ArrayTree
    classes : (n_classes,) array, optional
        Labels in increasing order; when not given, ``tree.classes``, or 0, 1, ... if
        the tree has none.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        With ``feature_names_in_`` if the tree has ``feature_names``.

    Raises
    ------
    ValueError
        If it is not an ArrayTree, splits by categories or by their numbers where names
        are numbers, has a node without examples, or ``classes`` do not fit it.

    See Also
    --------
    treebounds.formats.collapse_sklearn : keeps all attributes of a fitted tree.
    """
    check_array_tree(tree)
    if tree.asks_for_category.any():
        raise ValueError(
            "left_categories: scikit-learn's trees split by thresholds, not by"
            " categories; to_text, to_sql and to_json write such a tree"
        )
    _refuse_named_numbers(tree)
    if classes is not None:
        # The record checks them.
        tree = replace(tree, classes=classes)  # type: ignore[arg-type]
    model = _empty_regressor(tree) if tree.is_regression else _empty_classifier(tree)
    weight = _positive_weights(tree)
    if tree.is_regression:
        values = tree.leaf_values[:, np.newaxis]
        impurity = tree.leaf_costs / weight
    else:
        values = tree.class_counts / weight[:, np.newaxis]
        impurity = 1 - (values**2).sum(axis=1)

    rows = _node_rows(tree)
    rows["impurity"] = impurity
    rows["n_node_samples"] = np.rint(weight)
    if tree.example_counts is not None:
        rows["n_node_samples"] = tree.example_counts
    rows["weighted_n_node_samples"] = weight
    if tree.feature_names is not None:
        model.feature_names_in_ = np.array(tree.feature_names, dtype=object)
    keep_record(model, record_of(tree))
    return copy_with(model, tree.height, rows, values[:, np.newaxis, :])


def numbered_by_name(tree: ArrayTree) -> list[int]:
    """The features that the tree tests by the number of a category, which a frame may
    hold by its name.
    """
    tested = set(tree.feature[~tree.is_leaf].tolist())
    return sorted(tested & set(tree.category_names or {}))


def _refuse_named_numbers(tree: ArrayTree) -> None:
    """Raise a ValueError if a classifier would take names of categories for their
    numbers.
    """
    for feature in numbered_by_name(tree):
        names = (tree.category_names or {})[feature]
        words = any(isinstance(name, str) for name in names)
        if not words and list(names) != list(range(len(names))):
            raise ValueError(
                f"category_names: the categories of feature {feature} are numbers, and"
                " scikit-learn would compare them as they are; use"
                " dataclasses.replace(tree, category_names=None) if rows hold the"
                " numbers of the categories, 0, 1, ..."
            )


def _positive_weights(tree: ArrayTree) -> NDArray[np.float64]:
    """The weight at each node, or a ValueError if there is none at one of them."""
    weight = weights_of_nodes(tree)
    if (weight == 0).any():
        raise ValueError(
            "tree must have examples at every node, as scikit-learn's trees have; node"
            f" {weight.argmin()} has none: prune it, or count other rows"
        )
    return weight


def _empty_classifier(tree: ArrayTree) -> DecisionTreeClassifier:
    """A classifier with the features and the labels of a tree."""
    names = tree.classes
    labels = np.arange(tree.n_classes) if names is None else np.asarray(names)
    return blank_classifier(labels, tree.n_features)


def _empty_regressor(tree: ArrayTree) -> DecisionTreeRegressor:
    """A regressor with the features of a tree."""
    rows = np.zeros((1, tree.n_features))
    return fit_to_made_up_rows(DecisionTreeRegressor, rows, [0.0])


def _node_rows(tree: ArrayTree) -> NDArray[Any]:
    """The nodes of a tree as rows of scikit-learn's, without what concerns examples."""
    stump = fit_to_made_up_rows(DecisionTreeClassifier, [[0], [1]], [0, 1])
    real = stump.tree_.__getstate__()["nodes"]
    rows = with_leaves(np.repeat(real[:1], tree.n_nodes), tree.is_leaf, real)
    rows["left_child"] = tree.children_left
    rows["right_child"] = tree.children_right
    rows["feature"] = tree.feature
    rows["threshold"] = tree.threshold
    if tree.missing_go_to_left is not None:
        rows["missing_go_to_left"] = tree.missing_go_to_left
    return rows
