"""Fitted trees of scikit-learn: checked, copied, and made from nodes.

scikit-learn has no public way to build a tree from its nodes. It does promise that
trees pickle, and the state that pickling uses holds the nodes and their values; the
functions here write that state, and nothing private is imported. A test fails when
scikit-learn changes the state.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted, validate_data

from treebounds._validation import name_of_type, place_of_tree, shown
from treebounds.trees._arrays import collapsed, depths, node_mask, parents_of
from treebounds.trees._record import RECORD

# Fields of a node that speak of its examples; a node that becomes a leaf keeps them.
_ABOUT_EXAMPLES = {"impurity", "n_node_samples", "weighted_n_node_samples"}

# A certified tree has these of its learner, not as parameters of its own.
_SAID_OF_ANOTHER = {"criterion", "monotonic_cst"}


def check_sklearn_tree(tree: Any) -> Any:
    """The argument, or a ValueError when it is not a fitted classification or
    regression tree with one output.

    >>> from treebounds.formats.scikit_learn import check_sklearn_tree
    >>> check_sklearn_tree("a tree")
    Traceback (most recent call last):
    ValueError: tree must be a fitted scikit-learn DecisionTreeClassifier or ...

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        Or an instance of a subclass.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor

    Raises
    ------
    ValueError
        If ``tree`` is of another kind, is not fitted or has several outputs, or if a
        subclass predicts otherwise than its nodes.
    """
    return _check_tree(
        tree,
        (DecisionTreeClassifier, DecisionTreeRegressor),
        "a fitted scikit-learn DecisionTreeClassifier or DecisionTreeRegressor",
    )


def check_classification_tree(tree: Any) -> DecisionTreeClassifier:
    """The argument, or a ValueError when it is not a fitted classification tree with
    one output.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treebounds.formats.scikit_learn import check_classification_tree
    >>> check_classification_tree(DecisionTreeRegressor())
    Traceback (most recent call last):
    ValueError: tree must be a fitted scikit-learn DecisionTreeClassifier; got ...

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier
        Or an instance of a subclass.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier

    Raises
    ------
    ValueError
        As :func:`check_sklearn_tree`, also for a tree that predicts numbers.
    """
    return _check_tree(
        tree, DecisionTreeClassifier, "a fitted scikit-learn DecisionTreeClassifier"
    )


def _check_tree(tree: Any, kinds: Any, description: str) -> Any:
    """The argument, or a ValueError when it is not a fitted tree of a kind."""
    if not isinstance(tree, kinds):
        name = name_of_type(tree)
        place = place_of_tree(tree)
        instead = f". Pass the tree that it holds, {place}" if place else ""
        raise ValueError(f"tree must be {description}; got {name}{instead}")
    check_is_fitted(tree, msg="tree is not fitted yet: call fit on this %(name)s first")
    if tree.n_outputs_ > 1:
        raise ValueError(
            f"tree must have one output; it has {tree.n_outputs_}: fit one tree for"
            " each of them"
        )
    if not predicts_by_nodes(tree):
        raise ValueError(
            "tree must predict by its nodes; the predict or apply of"
            f" {type(tree).__name__} is not that of a scikit-learn tree"
        )
    return tree


def rows_as_fitted(tree: Any, X: Any, *, accept_sparse: str | bool = "csr") -> Any:
    """Rows as a fitted scikit-learn tree compares them: 32-bit floats, NaN where a
    value is missing. A ValueError if they have other columns than those of ``fit``.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats._sklearn_trees import rows_as_fitted
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> rows_as_fitted(stump, [[0.5]])
    array([[0.5]], dtype=float32)
    """
    conversion: dict[str, Any] = {
        "dtype": np.float32,
        "accept_sparse": accept_sparse,
        "ensure_all_finite": "allow-nan",
    }
    return validate_data(tree, X, reset=False, **conversion)


def predicts_by_nodes(tree: Any) -> bool:
    """Whether a scikit-learn tree predicts what its nodes say: a subclass may predict
    otherwise.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats._sklearn_trees import predicts_by_nodes
    >>> predicts_by_nodes(DecisionTreeClassifier())
    True
    """
    kinds = (DecisionTreeClassifier, DecisionTreeRegressor)
    own = vars(tree)
    return (
        type(tree).predict in {kind.predict for kind in kinds}
        and type(tree).apply in {kind.apply for kind in kinds}
        and "predict" not in own
        and "apply" not in own
    )


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

    Raises
    ------
    ValueError
        If ``tree`` is not a fitted tree with one output, or ``nodes`` are not nodes of
        it.
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
    return copy_with(tree, height, rows, state["values"][remaining])


def move_thresholds(tree: Any, threshold: ArrayLike) -> Any:
    """A copy of a fitted scikit-learn tree with other thresholds; the original is
    untouched.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats.scikit_learn import move_thresholds
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], ["a", "b"])
    >>> moved = move_thresholds(stump, [0.9, 0.0, 0.0])
    >>> str(stump.predict([[0.7]])[0]), str(moved.predict([[0.7]])[0])
    ('b', 'a')

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
    threshold : (n_nodes,) array
        Entries of leaves are ignored.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        As :func:`collapse_sklearn` returns it.

    Raises
    ------
    ValueError
        If ``tree`` is not a fitted tree with one output.
    """
    state = check_sklearn_tree(tree).tree_.__getstate__()
    rows = state["nodes"].copy()
    rows["threshold"] = np.where(rows["left_child"] < 0, rows["threshold"], threshold)
    return copy_with(tree, state["max_depth"], rows, state["values"])


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

    Raises
    ------
    ValueError
        If ``tree`` is not a fitted tree with one output.
    """
    plain = unfitted_like(check_sklearn_tree(tree))
    # What scikit-learn's own fit sets, in any version, and the record of the rows that
    # made the tree.
    learned = set(vars(fit_to_made_up_rows(type(plain), [[0], [1]], [0, 1])))
    learned |= {"feature_names_in_", RECORD}
    for name, value in vars(tree).items():
        if name in learned and name.endswith("_"):
            setattr(plain, name, value)
    return plain


def unfitted_like(tree: Any) -> Any:
    """An unfitted plain scikit-learn tree with the parameters of a tree that are
    scikit-learn's.

    >>> from treebounds import BoundPrunedTreeClassifier
    >>> from treebounds.formats.scikit_learn import unfitted_like
    >>> unfitted_like(BoundPrunedTreeClassifier(delta=0.1, max_depth=3))
    DecisionTreeClassifier(max_depth=3)

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        Or an instance of a subclass, fitted or not.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
    """
    regression = isinstance(tree, DecisionTreeRegressor)
    kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
    own: Any = type(tree)
    shared = _parameters(kind) & (_parameters(own) | _SAID_OF_ANOTHER)
    return kind(**{name: getattr(tree, name) for name in shared})


@cache
def _parameters(kind: Any) -> frozenset[str]:
    """The names of the parameters of a class of trees."""
    return frozenset(signature(kind).parameters)


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

    Raises
    ------
    ValueError
        If ``tree`` is not a fitted classification tree with one output, or a class of
        it is missing.
    """
    own_classes = check_classification_tree(tree).classes_
    all_classes = np.asarray(classes)
    if not np.isin(own_classes, all_classes).all():
        raise ValueError(
            "classes must hold all classes of the tree,"
            f" {shown(own_classes.tolist())}; got {shown(classes)}"
        )
    state = tree.tree_.__getstate__()
    values = np.zeros((len(state["nodes"]), 1, len(all_classes)))
    values[:, :, np.searchsorted(all_classes, own_classes)] = state["values"]
    return tree_from_nodes(
        state["nodes"], values, tree.n_features_in_, state["max_depth"]
    )


def tree_from_nodes(
    rows: NDArray[Any], values: NDArray[np.float64], n_features: int, height: int
) -> Any:
    """A ``tree_`` for a scikit-learn classifier with one output, made from the nodes of
    another ``tree_``.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats.scikit_learn import tree_from_nodes
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> state = stump.tree_.__getstate__()
    >>> again = tree_from_nodes(state["nodes"], state["values"], 1, height=1)
    >>> again.apply(np.array([[0], [1]], dtype=np.float32)).tolist()
    [1, 2]

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
    empty = blank_classifier(np.arange(values.shape[2]), n_features)
    return _build(empty.tree_, height, rows, values)


def with_leaves(
    rows: NDArray[Any], leaf: NDArray[np.bool_], like: NDArray[Any]
) -> NDArray[Any]:
    """The nodes of a scikit-learn tree after some of them have become leaves.

    Which fields of a leaf differ from those of an internal node depends on the version
    of scikit-learn, so all fields except those about examples are copied from a leaf
    that scikit-learn has made.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats.scikit_learn import with_leaves
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> nodes = stump.tree_.__getstate__()["nodes"]
    >>> rows = with_leaves(nodes[:1].copy(), np.array([True]), nodes)
    >>> rows["left_child"].tolist(), rows["n_node_samples"].tolist()
    ([-1], [2])

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


def copy_with(
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


def blank_classifier(labels: NDArray[Any], n_features: int) -> DecisionTreeClassifier:
    """A classifier of scikit-learn that knows labels and a number of features, no
    more.
    """
    # Each label twice: labels that hardly recur look like numbers to scikit-learn, and
    # it warns.
    labels = np.repeat(labels, 2)
    rows = np.zeros((len(labels), n_features))
    return fit_to_made_up_rows(DecisionTreeClassifier, rows, labels)


def fit_to_made_up_rows(kind: Any, X: ArrayLike, y: ArrayLike) -> Any:
    """A tree with scikit-learn's default parameters, fitted to a few rows.

    Without a seed, its fit would draw from the generator that all users of NumPy share.
    """
    return kind(random_state=0).fit(X, y).set_params(random_state=None)
