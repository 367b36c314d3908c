"""The common base of the trees that predict classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from treebounds.estimators._checked_sample import Grown, grow_again, only
from treebounds.estimators._publishing import NoCheckInput, PublishedTree
from treebounds.formats.scikit_learn import from_sklearn
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import errors_where_reached


class OneOutputTreeClassifier(PublishedTree, DecisionTreeClassifier, NoCheckInput):
    """A scikit-learn tree of one output with its own ``fit``.

    Each subclass lists the parameters of scikit-learn that it accepts in its own
    ``__init__``, because scikit-learn reads them from the signature. The other
    parameters have the values set here.
    """

    criterion: Any = "gini"
    splitter: Any = "best"
    class_weight: Any = None
    monotonic_cst = None
    ccp_alpha = 0.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = False
        return tags


def grow_and_judge(
    grower: Any,
    sample: Grown,
    costs: NDArray[Any],
    train: NDArray[Any],
    test: NDArray[Any],
) -> tuple[ArrayTree, NDArray[np.float64]]:
    """A tree grown on some rows, and the errors of its nodes as leaves on other rows.

    Parameters
    ----------
    grower : DecisionTreeClassifier
        Unfitted; a copy of it is fitted.
    sample : Grown
        All rows, after validation.
    costs : (n_rows,) array
        Weights, times class weights.
    train, test : array of int
        Row numbers.

    Returns
    -------
    tree : ArrayTree
    errors : (n_nodes,) array
        For each node, the sum of the costs of the test examples that it gets wrong as a
        leaf.
    """
    weights = only(train, sample.weights)
    grown = grow_again(grower, sample, weights)
    return tree_and_errors(grown, sample.X[test], sample.y[test], costs[test])


def tree_and_errors(
    grown: Any, X: Any, y: NDArray[Any], costs: NDArray[np.float64]
) -> tuple[ArrayTree, NDArray[np.float64]]:
    """A fitted tree as arrays, and the cost of the errors of each of its nodes as a
    leaf.
    """
    tree = from_sklearn(grown)
    leaves = grown.apply(X, check_input=False)
    classes = np.searchsorted(grown.classes_, y)
    return tree, errors_where_reached(tree, leaves, classes, costs)
