"""Conversion of trees to and from scikit-learn's classifiers and regressors.

scikit-learn has no public way to build a tree from its nodes. It does promise that
trees pickle, and the state that pickling uses holds the nodes and their values; the
functions here write that state, and nothing private is imported. A test fails when
scikit-learn changes the state.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from treebounds._validation import check_same_order
from treebounds.formats._labels import class_indices
from treebounds.trees._arrays import (
    add_up,
    collapsed,
    depths,
    node_mask,
    parents_of,
)
from treebounds.trees._record import RECORD, keep_record, record_of
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import count_statistics

__all__ = [
    "check_classification_tree",
    "check_sklearn_tree",
    "collapse_sklearn",
    "from_sklearn",
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

# Fields of a node that speak of its examples; a node that becomes a leaf keeps them.
_ABOUT_EXAMPLES = {"impurity", "n_node_samples", "weighted_n_node_samples"}


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
        A tree of numbers predicts the mean of y at each leaf, with every criterion. It
        keeps the record of rows of our estimators, which JSON does not.

    Raises
    ------
    ValueError
        If it is not a decision tree, is not fitted or has several outputs; or if X and
        y are missing and the nodes do not tell their statistics: with the criteria
        "absolute_error" and "poisson", and with monotonicity constraints; or if y or
        the weights name the rows of X in another order.
    """
    check_sklearn_tree(tree)
    check_same_order(X=X, y=y, sample_weight=sample_weight)
    if (X is None) != (y is None) or (X is None and sample_weight is not None):
        raise ValueError(
            "X and y must be given together; sample_weight needs both of them"
        )
    nodes = tree.tree_.__getstate__()["nodes"]
    _refuse_sets_of_categories(nodes)

    regression = isinstance(tree, DecisionTreeRegressor)
    if X is not None:
        n_columns = 3 if regression else len(tree.classes_)
        statistics = np.zeros((len(nodes), n_columns))
    elif regression:
        statistics = _target_sums(tree)
    else:
        statistics = _class_counts(tree)

    names = getattr(tree, "feature_names_in_", None)
    arrays = ArrayTree(
        children_left=tree.tree_.children_left,
        children_right=tree.tree_.children_right,
        feature=tree.tree_.feature,
        threshold=tree.tree_.threshold,
        n_features=tree.tree_.n_features,
        missing_go_to_left=nodes["missing_go_to_left"].astype(bool),
        input_dtype=np.float32,
        feature_names=None if names is None else tuple(names),
        class_counts=None if regression else statistics,
        target_sums=statistics if regression else None,
        classes=None if regression else tree.classes_,
    )
    keep_record(arrays, record_of(tree))
    if X is None:
        return arrays

    targets = y if regression else class_indices(y, tree.classes_)
    batch = (X, targets) if sample_weight is None else (X, targets, sample_weight)
    return arrays.with_statistics(count_statistics(arrays, [batch]))


def _class_counts(tree: DecisionTreeClassifier) -> NDArray[np.float64]:
    """The weight of each class at each node."""
    if _is_monotonic(tree):
        raise ValueError(
            "X and y must be given: with monotonic_cst, the values of nodes are not"
            " class fractions"
        )
    weights = tree.tree_.weighted_n_node_samples[:, np.newaxis]
    counts = tree.tree_.value[:, 0, :] * weights
    whole = np.rint(counts)
    exact = np.abs(counts - whole) <= 4 * np.finfo(float).eps * weights
    rounded: NDArray[np.float64] = np.where(exact, whole, counts)
    return rounded


def _target_sums(tree: DecisionTreeRegressor) -> NDArray[np.float64]:
    """The weight and the sums of y and of its square at each node."""
    if tree.criterion not in _VARIANCE_CRITERIA:
        raise ValueError(
            f"X and y must be given: with criterion={tree.criterion!r}, the nodes of a"
            " regressor do not tell the mean and the variance of y"
        )
    if _is_monotonic(tree):
        raise ValueError(
            "X and y must be given: with monotonic_cst, the values of nodes are not"
            " means of y"
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


def _is_monotonic(tree: Any) -> bool:
    """Whether some feature is constrained; a 0 constrains nothing."""
    constraints = tree.monotonic_cst
    return constraints is not None and bool(np.any(np.asarray(constraints) != 0))


def check_sklearn_tree(tree: Any) -> Any:
    """The argument, or a ValueError when it is not a fitted classification or
    regression tree with one output.
    """
    return _check_tree(
        tree,
        (DecisionTreeClassifier, DecisionTreeRegressor),
        "a fitted scikit-learn DecisionTreeClassifier or DecisionTreeRegressor",
    )


def check_classification_tree(tree: Any) -> DecisionTreeClassifier:
    """The argument, or a ValueError when it is not a fitted classification tree with
    one output.
    """
    return _check_tree(
        tree, DecisionTreeClassifier, "a fitted scikit-learn DecisionTreeClassifier"
    )


def as_array_tree(tree: Any) -> ArrayTree:
    """The argument, or the tree inside a fitted scikit-learn tree; a ValueError when it
    is something else.
    """
    if isinstance(tree, ArrayTree):
        return tree
    if isinstance(tree, DecisionTreeClassifier | DecisionTreeRegressor):
        return from_sklearn(tree)
    instead = (
        "The functions of treebounds.formats whose names begin with from_ read the"
        " trees of other libraries"
    )
    if isinstance(tree, Pipeline):
        instead = "Pass the tree at the end of the pipeline, pipeline[-1]"
    raise ValueError(
        "tree must be an ArrayTree or a fitted scikit-learn tree; got"
        f" {type(tree).__name__}. {instead}"
    )


def _check_tree(tree: Any, kinds: Any, description: str) -> Any:
    """The argument, or a ValueError when it is not a fitted tree of a kind."""
    if not isinstance(tree, kinds):
        name = (tree if isinstance(tree, type) else type(tree)).__name__
        raise ValueError(f"tree must be {description}; got {name}")
    check_is_fitted(tree, msg="tree is not fitted yet: call fit on this %(name)s first")
    if tree.n_outputs_ > 1:
        raise ValueError(
            f"tree must have one output; it has {tree.n_outputs_}: fit one tree for"
            " each of them"
        )
    return tree


def collapse_sklearn(tree: Any, nodes: Iterable[int] | ArrayLike) -> Any:
    """A copy of a fitted scikit-learn tree in which some nodes have become leaves.

    Labels, feature names, weights, impurities and where missing values go are kept.
    The original is untouched.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats import collapse_sklearn
    >>> fitted = DecisionTreeClassifier().fit(
    ...     [[0], [1], [2], [3]], ["a", "a", "b", "a"]
    ... )
    >>> pruned = collapse_sklearn(fitted, [2])
    >>> int(fitted.get_n_leaves()), int(pruned.get_n_leaves())
    (3, 2)
    >>> str(pruned.predict([[3]])[0])
    'a'

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
    nodes : array of int, or (n_nodes,) mask
        Nodes of ``tree.tree_``.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        Of the type of ``tree`` if that is scikit-learn's own, else a plain tree,
        without what another estimator has learned of the whole tree.
    """
    inside = check_sklearn_tree(tree).tree_
    remaining, left, right = collapsed(
        inside.children_left, inside.children_right, node_mask(nodes, inside.node_count)
    )
    state = inside.__getstate__()
    rows = with_leaves(state["nodes"][remaining], left < 0, state["nodes"])
    rows["left_child"] = left
    rows["right_child"] = right
    height = int(depths(parents_of(left, right)).max())
    return _copy_with(tree, height, rows, state["values"][remaining])


def plain_tree(tree: Any) -> Any:
    """A fitted tree of any kind as a plain scikit-learn tree that predicts the same.

    It serves programs that check types: converters to ONNX or PMML, compilers,
    explainers. Parameters that scikit-learn does not have are dropped.

    >>> from sklearn.datasets import load_iris
    >>> from treebounds import BoundPrunedTreeClassifier
    >>> from treebounds.formats.scikit_learn import plain_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> plain_tree(BoundPrunedTreeClassifier(random_state=0).fit(X, y))
    DecisionTreeClassifier(random_state=0)

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        Or an instance of a subclass.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
    """
    plain = unfitted_like(check_sklearn_tree(tree))
    # What scikit-learn's own fit sets, in any version, and the record of the rows that
    # made the tree.
    learned = set(vars(_fitted(type(plain), [[0], [1]], [0, 1])))
    learned |= {"feature_names_in_", RECORD}
    for name, value in vars(tree).items():
        if name in learned and name.endswith("_"):
            setattr(plain, name, value)
    return plain


def unfitted_like(tree: Any) -> Any:
    """An unfitted plain scikit-learn tree with the parameters of a tree that are
    scikit-learn's.
    """
    regression = isinstance(tree, DecisionTreeRegressor)
    kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
    own: Any = type(tree)
    shared = _parameters(kind) & _parameters(own)
    return kind(**{name: getattr(tree, name) for name in shared})


@cache
def _parameters(kind: Any) -> frozenset[str]:
    """The names of the parameters of a class of trees."""
    return frozenset(signature(kind).parameters)


def _fitted(kind: Any, X: ArrayLike, y: ArrayLike) -> Any:
    """A tree with scikit-learn's default parameters, fitted to a few made-up rows.

    Without a seed, its fit would draw from the generator that all users of NumPy share.
    """
    return kind(random_state=0).fit(X, y).set_params(random_state=None)


def _blank_classifier(labels: NDArray[Any], n_features: int) -> DecisionTreeClassifier:
    """A classifier of scikit-learn that knows labels and a number of features, no
    more.
    """
    # Each label twice: labels that hardly recur look like numbers to scikit-learn, and
    # it warns.
    labels = np.repeat(labels, 2)
    return _fitted(DecisionTreeClassifier, np.zeros((len(labels), n_features)), labels)


def _refuse_sets_of_categories(nodes: NDArray[Any]) -> None:
    """Raise ValueError if a node tests more than a threshold (from scikit-learn 1.10
    on).
    """
    if "split_kind" in (nodes.dtype.names or ()) and (nodes["split_kind"] > 0).any():
        raise ValueError(
            "tree splits by sets of categories (split_kind), which is not supported"
        )


def with_leaves(
    rows: NDArray[Any], leaf: NDArray[np.bool_], like: NDArray[Any]
) -> NDArray[Any]:
    """The nodes of a scikit-learn tree after some of them have become leaves.

    Which fields of a leaf differ from those of an internal node depends on the version
    of scikit-learn, so all fields except those about examples are copied from a leaf
    that scikit-learn has made.

    Parameters
    ----------
    rows : (n_nodes,) structured array
        Changed in place.
    leaf : (n_nodes,) mask
    like : structured array
        Nodes of a fitted tree.

    Returns
    -------
    (n_nodes,) structured array
    """
    real = like[like["left_child"] < 0][0]
    becomes = leaf & (rows["left_child"] >= 0)
    for name in set(rows.dtype.names or ()) - _ABOUT_EXAMPLES:
        rows[name][becomes] = real[name]
    return rows


def move_thresholds(tree: Any, threshold: ArrayLike) -> Any:
    """A copy of a fitted scikit-learn tree with other thresholds; the original is
    untouched.

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
    threshold : (n_nodes,) array
        Entries of leaves are ignored.
    """
    state = check_sklearn_tree(tree).tree_.__getstate__()
    rows = state["nodes"].copy()
    rows["threshold"] = np.where(rows["left_child"] < 0, rows["threshold"], threshold)
    return _copy_with(tree, state["max_depth"], rows, state["values"])


def to_sklearn(tree: ArrayTree, classes: ArrayLike | None = None) -> Any:
    """A tree as a fitted ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``.

    It can predict, and be plotted, exported and pickled. Impurities are Gini indices or
    variances, and the numbers of examples are the rounded weights. scikit-learn
    compares in float32: if ``input_dtype`` is float64, values within rounding of a
    threshold may go to the other side.

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
        If the tree splits by categories or by their numbers where names are numbers,
        has a node without examples, or ``classes`` do not fit it.

    See Also
    --------
    treebounds.formats.collapse_sklearn : keeps all attributes of a fitted tree.
    """
    if tree.asks_for_category.any():
        raise ValueError(
            "left_categories: scikit-learn's trees split by thresholds, not by"
            " categories; to_text, to_sql and to_json write such a tree"
        )
    _refuse_named_numbers(tree)
    if tree.is_regression:
        model = _empty_regressor(tree, classes)
        weight = tree.target_sums[:, 0]
    else:
        model = _empty_classifier(tree, classes)
        weight = tree.class_counts.sum(axis=1)
    if (weight == 0).any():
        raise ValueError(
            "tree must have examples at every node, as scikit-learn's trees have; node"
            f" {weight.argmin()} has none: prune it, or count other rows"
        )

    if tree.is_regression:
        values = tree.leaf_values[:, np.newaxis]
        impurity = tree.leaf_costs / weight
    else:
        values = tree.class_counts / weight[:, np.newaxis]
        impurity = 1 - (values**2).sum(axis=1)

    rows = _node_rows(tree)
    rows["impurity"] = impurity
    rows["n_node_samples"] = np.rint(weight)
    rows["weighted_n_node_samples"] = weight
    if tree.feature_names is not None:
        model.feature_names_in_ = np.array(tree.feature_names, dtype=object)
    keep_record(model, record_of(tree))
    return _copy_with(model, tree.height, rows, values[:, np.newaxis, :])


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


def _empty_classifier(
    tree: ArrayTree, classes: ArrayLike | None
) -> DecisionTreeClassifier:
    """A classifier with the features and the labels of a tree."""
    if classes is not None:
        # The record checks them.
        tree = replace(tree, classes=classes)  # type: ignore[arg-type]
    names = tree.classes
    labels = np.arange(tree.n_classes) if names is None else np.asarray(names)
    return _blank_classifier(labels, tree.n_features)


def _empty_regressor(
    tree: ArrayTree, classes: ArrayLike | None
) -> DecisionTreeRegressor:
    """A regressor with the features of a tree."""
    if classes is not None:
        raise ValueError("classes must be None: the tree predicts numbers, not classes")
    return _fitted(DecisionTreeRegressor, np.zeros((1, tree.n_features)), [0.0])


def _node_rows(tree: ArrayTree) -> NDArray[Any]:
    """The nodes of a tree as rows of scikit-learn's, without what concerns examples."""
    stump = _fitted(DecisionTreeClassifier, [[0], [1]], [0, 1])
    real = stump.tree_.__getstate__()["nodes"]
    rows = with_leaves(np.repeat(real[:1], tree.n_nodes), tree.is_leaf, real)
    rows["left_child"] = tree.children_left
    rows["right_child"] = tree.children_right
    rows["feature"] = tree.feature
    rows["threshold"] = tree.threshold
    if tree.missing_go_to_left is not None:
        rows["missing_go_to_left"] = tree.missing_go_to_left
    return rows


def tree_from_nodes(
    rows: NDArray[Any], values: NDArray[np.float64], n_features: int, height: int
) -> Any:
    """A ``tree_`` for a scikit-learn classifier with one output, made from the nodes of
    another ``tree_``.

    Parameters
    ----------
    rows : (n_nodes,) structured array
        ``nodes`` of the pickling state.
    values : (n_nodes, 1, n_classes) array
        Class fractions.
    n_features, height : int

    Returns
    -------
    sklearn.tree.Tree
    """
    empty = _blank_classifier(np.arange(values.shape[2]), n_features)
    return _build(empty.tree_, height, rows, values)


def with_classes(tree: Any, classes: ArrayLike) -> Any:
    """The ``tree_`` of a scikit-learn classifier, extended to classes that it was not
    fitted to.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats.scikit_learn import with_classes
    >>> fitted = DecisionTreeClassifier().fit([[0], [1]], ["a", "c"])
    >>> with_classes(fitted, ["a", "b", "c"]).value[0, 0].tolist()
    [0.5, 0.0, 0.5]

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier
    classes : (n_classes,) array
        In increasing order: all classes of the tree, and any others.

    Returns
    -------
    sklearn.tree.Tree
        The other classes have fraction 0 at every node.
    """
    own_classes = check_classification_tree(tree).classes_
    all_classes = np.asarray(classes)
    if not np.isin(own_classes, all_classes).all():
        raise ValueError(f"classes must hold all classes of the tree; got {classes!r}")
    state = tree.tree_.__getstate__()
    values = np.zeros((len(state["nodes"]), 1, len(all_classes)))
    values[:, :, np.searchsorted(all_classes, own_classes)] = state["values"]
    return tree_from_nodes(
        state["nodes"], values, tree.n_features_in_, state["max_depth"]
    )


def _copy_with(
    model: Any, height: int, rows: NDArray[Any], values: NDArray[np.float64]
) -> Any:
    """A copy of a fitted model whose tree has other nodes.

    A copy of another estimator than scikit-learn's own is plain: what such an estimator
    has learned beside its tree speaks of the whole tree, not of the copy's.
    """
    is_plain = type(model).__module__.startswith("sklearn.")
    result = copy(model) if is_plain else plain_tree(model)
    result.tree_ = _build(model.tree_, height, rows, values)
    return result


def _build(
    like: Any, height: int, rows: NDArray[Any], values: NDArray[np.float64]
) -> Any:
    """A new ``tree_`` with as many features and classes as another one, made through
    its pickling state.
    """
    make, arguments, _ = like.__reduce__()
    tree = make(*arguments)
    tree.__setstate__(
        {
            "max_depth": height,
            "node_count": len(rows),
            "nodes": np.ascontiguousarray(rows),
            "values": np.ascontiguousarray(values),
        }
    )
    return tree
