"""Pruning of trees that somebody has fitted already."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from treebounds._validation import check_option
from treebounds.pruning.bound import ShaweTaylorRule
from treebounds.pruning.rules import COUNTING_RULES, PriceRule, ReducedErrorRule
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.scikit_learn import check_classification_tree, collapse_classifier, was_grown_on

__all__ = ["prune"]

Rule = Callable[[ArrayTree, NDArray[Any], NDArray[np.int64]], Iterable[int] | NDArray[Any]]

_RULES: dict[str, Rule] = {
    "shawe-taylor": ShaweTaylorRule(),
    **COUNTING_RULES,
    "noise": PriceRule("noise"),
    "reduced-error": ReducedErrorRule(),
}


def prune(
    fitted_tree: Any,
    X: Any,
    y: Any,
    *,
    rule: str | float | Rule = "shawe-taylor",
    classes: ArrayLike | None = None,
) -> Any:
    """A pruned copy of a fitted scikit-learn tree; the original is untouched.

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier or sklearn.pipeline.Pipeline
        After ``fit``: a tree, a member of a forest, a pipeline whose last step is a tree.
    X : (n_examples, n_features) array
        The sample on which the rule counts: the one that the tree was fitted on, for the rules that make up
        for it; for "reduced-error" examples that had no part in growing.
    y : (n_examples,) array
        Labels that the tree knows.
    rule : str, number or callable
        - "shawe-taylor", "pessimistic", "error-based", "minimum-error", "kearns-mansour": as they come in
          :class:`BoundPrunedTreeClassifier`;
        - a number, or "noise": errors + that many for each leaf, see :class:`PriceRule`;
        - "reduced-error": the fewest errors on new examples;
        - a rule of :mod:`treebounds.pruning` with other parameters, such as
          ``ShaweTaylorRule(error_prior_ratio=2**-8)``, or any function of an :class:`ArrayTree`, X and the
          indices of the classes that returns the nodes to cut.
    classes : (n_classes,) array, optional
        The labels of y in the order of the tree's classes, where these are other ones. Members of forests
        have the numbers 0, 1, ... for classes: ``classes=forest.classes_``. Not needed when every label
        occurs in y and some are not among the tree's.

    Returns
    -------
    object of the type of ``fitted_tree``

    Raises
    ------
    ValueError
        If the tree is not fitted, the sample does not fit it, the rule is unknown, or "reduced-error" is
        given the very sample that the tree was grown on.

    Notes
    -----
    Cost-complexity pruning needs trees grown without each fold, so it is no rule here: use
    :class:`CostComplexityPrunedTreeClassifier`. A tree pruned on some rows must be certified on others.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds import prune
    >>> X, y = load_wine(return_X_y=True)
    >>> fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> pruned = prune(fitted, X, y, rule="shawe-taylor")
    >>> int(fitted.get_n_leaves()), int(pruned.get_n_leaves())
    (12, 5)
    """
    if isinstance(fitted_tree, Pipeline):
        return _prune_last(fitted_tree, X, y, rule, classes)
    tree = ArrayTree.from_sklearn(check_classification_tree(fitted_tree))
    rows = validate_data(fitted_tree, X, reset=False, dtype=np.float32, ensure_all_finite="allow-nan")
    y = column_or_1d(y)
    check_consistent_length(rows, y)
    codes, rule = _codes(fitted_tree.classes_, y, classes), _rule(rule)
    if isinstance(rule, ReducedErrorRule) and was_grown_on(fitted_tree, X):
        raise ValueError(
            "X: 'reduced-error' needs examples that the tree was not grown on, and these are its own; "
            "'shawe-taylor' prunes on them"
        )
    return collapse_classifier(fitted_tree, rule(tree, rows, codes))


def _prune_last(pipeline: Pipeline, X: Any, y: Any, rule: str | float | Rule, classes: Any) -> Pipeline:
    """The pipeline with its last step pruned, on what the steps before make of X."""
    name, tree = pipeline.steps[-1]
    inside = pipeline[:-1].transform(X) if len(pipeline) > 1 else X
    return copy(pipeline).set_params(**{name: prune(tree, inside, y, rule=rule, classes=classes)})


def _rule(rule: str | float | Rule) -> Rule:
    """A rule from its name, its price or itself."""
    if isinstance(rule, str):
        return _RULES[check_option(rule, "rule", tuple(_RULES))]
    if isinstance(rule, Real) and not isinstance(rule, bool):
        return PriceRule(float(rule))
    if not callable(rule):
        raise ValueError(f"rule must be a name, a number or a function of tree, X and y; got {rule!r}")
    return rule


def _codes(known: NDArray[Any], y: NDArray[Any], classes: ArrayLike | None) -> NDArray[np.int64]:
    """The position of each label among the classes of a tree."""
    labels, positions = np.unique(y, return_inverse=True)
    if classes is None:
        met = set(known.tolist())
        unknown = [label for label in labels.tolist() if label not in met]
        numbered = np.array_equal(known, np.arange(len(known)))
        if len(unknown) and not (numbered and len(labels) == len(known)):
            hint = "; for a member of a forest pass classes=forest.classes_" if numbered else ""
            raise ValueError(f"y has the label {unknown[0]!r}, which fitted_tree does not know{hint}")
        names = labels if len(unknown) else known
    else:
        names = np.asarray(classes)
        if names.shape != known.shape or not np.isin(labels, names).all():
            raise ValueError(f"classes must name the {len(known)} classes of fitted_tree, all those of y")
    order = np.argsort(names)
    return order[np.searchsorted(names, labels, sorter=order)][positions]
