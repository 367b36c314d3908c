"""Conversion of trees to and from scikit-learn's classifiers.

scikit-learn has no public way to build a tree from its nodes. It does promise that
trees pickle, and the state that pickling uses holds the nodes and their values; the
functions here write that state, and nothing private is imported. A test fails when
scikit-learn changes the state.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from treebounds.trees._arrays import collapsed, depths, node_mask, parents_of
from treebounds.trees.array_tree import ArrayTree


def from_sklearn(fitted_tree: Any) -> ArrayTree:
    """The tree inside a fitted scikit-learn classifier.

    Class counts are the fractions of ``tree_.value`` times the weights of the
    nodes; those that are integers up to rounding are rounded, so that errors of
    unweighted examples are exact.

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier
        Or an instance of a subclass.

    Raises
    ------
    ValueError
        If it is not a classification tree, is not fitted, has several outputs, or
        has monotonicity constraints (its node values are then not class fractions).

    Examples
    --------
    >>> from treebounds.formats import from_sklearn
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from_sklearn(
    ...     DecisionTreeClassifier().fit([[0], [1], [2]], [0, 1, 0])
    ... ).class_counts
    array([[2., 1.], [1., 0.], [1., 1.], [0., 1.], [1., 0.]])
    """
    return ArrayTree(**read_classifier(fitted_tree))


def check_classification_tree(fitted_tree: Any) -> DecisionTreeClassifier:
    """The argument, or a ValueError when it is not a fitted classification tree that
    can be pruned.
    """
    if not isinstance(fitted_tree, DecisionTreeClassifier):
        name = (
            fitted_tree if isinstance(fitted_tree, type) else type(fitted_tree)
        ).__name__
        raise ValueError(
            f"fitted_tree must be a scikit-learn DecisionTreeClassifier; got {name}"
        )
    check_is_fitted(
        fitted_tree,
        msg="fitted_tree is not fitted yet: call fit on this %(name)s first",
    )
    if fitted_tree.n_outputs_ > 1:
        raise ValueError(
            f"fitted_tree must have one output; it has {fitted_tree.n_outputs_}"
        )
    if fitted_tree.monotonic_cst is not None:
        raise ValueError(
            "monotonic_cst is not supported: node values are then not class fractions"
        )
    return fitted_tree


def collapse_classifier(fitted_tree: Any, nodes: Iterable[int] | ArrayLike) -> Any:
    """A copy of a fitted scikit-learn classifier in which some nodes have become
    leaves.

    All other attributes of the classifier are kept: labels, feature names, weights,
    impurities and where missing values go. The original is untouched.

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier
    nodes : array of int, or (n_nodes,) mask
        Nodes of ``fitted_tree.tree_``.

    Returns
    -------
    object of the type of ``fitted_tree``

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats import collapse_classifier
    >>> fitted = DecisionTreeClassifier().fit(
    ...     [[0], [1], [2], [3]], ["a", "a", "b", "a"]
    ... )
    >>> pruned = collapse_classifier(fitted, [2])
    >>> (
    ...     int(fitted.get_n_leaves()),
    ...     int(pruned.get_n_leaves()),
    ...     str(pruned.predict([[3]])[0]),
    ... )
    (3, 2, 'a')
    """
    tree = check_classification_tree(fitted_tree).tree_
    kept, left, right = collapsed(
        tree.children_left, tree.children_right, node_mask(nodes, tree.node_count)
    )
    old = tree.__getstate__()
    rows = with_leaves(old["nodes"][kept], left < 0, old["nodes"])
    rows["left_child"], rows["right_child"] = left, right
    return _copy_with(
        fitted_tree,
        int(depths(parents_of(left, right)).max()),
        rows,
        old["values"][kept],
    )


def plain_classifier(fitted_tree: Any) -> DecisionTreeClassifier:
    """A fitted tree of any kind as a plain ``DecisionTreeClassifier`` that predicts the
    same.

    It serves programs that check types: converters to ONNX or PMML, compilers,
    explainers. Parameters that scikit-learn does not have are dropped.

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier
        Or an instance of a subclass.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treebounds import BoundPrunedTreeClassifier
    >>> from treebounds.formats.scikit_learn import plain_classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> plain_classifier(BoundPrunedTreeClassifier(random_state=0).fit(X, y))
    DecisionTreeClassifier(random_state=0)
    """
    plain = unfitted_like(check_classification_tree(fitted_tree))
    learned = {
        **vars(DecisionTreeClassifier().fit([[0], [1]], [0, 1])),
        "feature_names_in_": None,
    }
    for name, value in vars(fitted_tree).items():
        if name in learned and name.endswith("_"):
            setattr(plain, name, value)
    return plain


def unfitted_like(tree: Any) -> DecisionTreeClassifier:
    """An unfitted ``DecisionTreeClassifier`` with the parameters of a tree that are
    scikit-learn's.
    """
    own, known = tree.get_params(deep=False), DecisionTreeClassifier().get_params()
    return DecisionTreeClassifier(
        **{name: own[name] for name in known.keys() & own.keys()}
    )


def read_classifier(fitted_tree: Any) -> dict[str, Any]:
    """The arguments of :class:`ArrayTree`; see :func:`treebounds.formats.from_sklearn`."""
    tree = check_classification_tree(fitted_tree).tree_
    nodes = tree.__getstate__()["nodes"]
    refuse_sets_of_categories(nodes)
    weights = tree.weighted_n_node_samples[:, np.newaxis]
    counts = tree.value[:, 0, :] * weights
    whole = np.rint(counts)
    exact = np.abs(counts - whole) <= 4 * np.finfo(float).eps * weights
    same = ("children_left", "children_right", "feature", "threshold", "n_features")
    arrays = {name: getattr(tree, name) for name in same} | {
        "class_counts": np.where(exact, whole, counts)
    }
    missing = nodes["missing_go_to_left"].astype(bool)
    return {**arrays, "missing_go_to_left": missing, "input_dtype": np.float32}


def refuse_sets_of_categories(nodes: NDArray[Any]) -> None:
    """Raise ValueError if a node tests more than a threshold (from scikit-learn 1.10
    on).
    """
    if "split_kind" in (nodes.dtype.names or ()) and (nodes["split_kind"] > 0).any():
        raise ValueError(
            "fitted_tree splits by sets of categories (split_kind), which is not"
            " supported"
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
    for name in set(rows.dtype.names or ()) - {
        "impurity",
        "n_node_samples",
        "weighted_n_node_samples",
    }:
        rows[name][becomes] = real[name]
    return rows


def move_thresholds(fitted_tree: Any, threshold: ArrayLike) -> Any:
    """A copy of a fitted scikit-learn classifier with other thresholds; the original is
    untouched.

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier
    threshold : (n_nodes,) array
        Entries of leaves are ignored.
    """
    state = check_classification_tree(fitted_tree).tree_.__getstate__()
    rows = state["nodes"].copy()
    rows["threshold"] = np.where(rows["left_child"] < 0, rows["threshold"], threshold)
    return _copy_with(fitted_tree, state["max_depth"], rows, state["values"])


def to_sklearn(tree: ArrayTree, classes: ArrayLike | None = None) -> Any:
    """A tree as a fitted ``DecisionTreeClassifier``.

    It can predict, and be plotted, exported and pickled. Impurities are Gini
    indices, and the numbers of examples are the rounded counts. scikit-learn
    compares in float32: if ``input_dtype`` is float64, values within rounding of a
    threshold may go to the other side.

    Parameters
    ----------
    tree : ArrayTree
    classes : (n_classes,) array, optional
        Labels in increasing order; 0, 1, ... when not given.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier

    See Also
    --------
    treebounds.formats.collapse_classifier : keeps all attributes of a classifier.
    """
    labels = np.arange(tree.n_classes) if classes is None else np.asarray(classes)
    if labels.shape != (tree.n_classes,) or not np.array_equal(
        np.unique(labels), labels
    ):
        raise ValueError(
            f"classes must be {tree.n_classes} labels in increasing order; got"
            f" {classes!r}"
        )
    if tree.asks_for_category.any():
        raise ValueError(
            "left_categories: scikit-learn's trees split by thresholds, not by"
            " categories"
        )
    total = tree.class_counts.sum(axis=1, keepdims=True)
    if (total == 0).any():
        raise ValueError(
            "class_counts must not sum to 0: scikit-learn has no node without examples"
        )
    classifier = DecisionTreeClassifier().fit(
        np.zeros((len(labels), tree.n_features)), labels
    )
    fractions = tree.class_counts / total
    stump = (
        DecisionTreeClassifier().fit([[0], [1]], [0, 1]).tree_.__getstate__()["nodes"]
    )
    rows = with_leaves(np.repeat(stump[:1], tree.n_nodes), tree.is_leaf, stump)
    rows["left_child"], rows["right_child"] = tree.children_left, tree.children_right
    rows["feature"], rows["threshold"] = tree.feature, tree.threshold
    rows["impurity"] = 1 - (fractions**2).sum(axis=1)
    rows["n_node_samples"], rows["weighted_n_node_samples"] = (
        np.rint(total[:, 0]),
        total[:, 0],
    )
    if tree.missing_go_to_left is not None:
        rows["missing_go_to_left"] = tree.missing_go_to_left
    return _copy_with(classifier, tree.height, rows, fractions[:, np.newaxis, :])


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
    labels = np.arange(values.shape[2])
    like = (
        DecisionTreeClassifier().fit(np.zeros((len(labels), n_features)), labels).tree_
    )
    return _build(like, height, rows, values)


def with_classes(fitted_tree: Any, classes: ArrayLike) -> Any:
    """The ``tree_`` of a scikit-learn classifier, extended to classes that it was not
    fitted to.

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier
    classes : (n_classes,) array
        In increasing order: all classes of the tree, and any others.

    Returns
    -------
    sklearn.tree.Tree
        The other classes have fraction 0 at every node.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats.scikit_learn import with_classes
    >>> fitted = DecisionTreeClassifier().fit([[0], [1]], ["a", "c"])
    >>> with_classes(fitted, ["a", "b", "c"]).value[0, 0].tolist()
    [0.5, 0.0, 0.5]
    """
    known = check_classification_tree(fitted_tree).classes_
    wanted = np.asarray(classes)
    if not np.isin(known, wanted).all():
        raise ValueError(f"classes must hold all classes of the tree; got {classes!r}")
    state = fitted_tree.tree_.__getstate__()
    values = np.zeros((len(state["nodes"]), 1, len(wanted)))
    values[:, :, np.searchsorted(wanted, known)] = state["values"]
    return tree_from_nodes(
        state["nodes"], values, fitted_tree.n_features_in_, state["max_depth"]
    )


def _copy_with(
    fitted_tree: Any, height: int, rows: NDArray[Any], values: NDArray[np.float64]
) -> Any:
    """A copy of a classifier whose tree has other nodes."""
    classifier = copy(fitted_tree)
    classifier.tree_ = _build(fitted_tree.tree_, height, rows, values)
    return classifier


def _build(
    like: Any, height: int, rows: NDArray[Any], values: NDArray[np.float64]
) -> Any:
    """A new ``tree_`` with as many features and classes as another one, made through
    its pickling state.
    """
    make, arguments, _ = like.__reduce__()
    tree = make(*arguments)
    arrays = {
        "nodes": np.ascontiguousarray(rows),
        "values": np.ascontiguousarray(values),
    }
    tree.__setstate__({"max_depth": height, "node_count": len(rows), **arrays})
    return tree
