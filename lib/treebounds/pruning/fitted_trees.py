"""Pruning of trees that are fitted already."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import (
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from treebounds._validation import (
    InvalidParameterError,
    check_known,
    check_number,
    check_option,
)
from treebounds.formats.scikit_learn import collapse_sklearn, from_sklearn
from treebounds.pruning.bound import BoundRule
from treebounds.pruning.rules import (
    NAMED,
    CountingRule,
    PriceRule,
    ReducedErrorRule,
    checked_weights,
    effective_scale,
)
from treebounds.risk._features import n_orders
from treebounds.risk.memory import RowMemory, row_hashes
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import counts_where_reached

RULES: dict[str, CountingRule] = {"bound": BoundRule(), **NAMED}
Tree = TypeVar("Tree", bound=DecisionTreeClassifier | Pipeline | ArrayTree)

# Fitted attributes of estimators that describe the tree before pruning; the pruned copy
# drops them.
_STALE = ("bound_", "pruning_path_", "certificate_", "candidates_")


def prune(
    tree: Tree,
    X: Any = None,
    y: Any = None,
    *,
    rule: str | float | CountingRule = "bound",
    sample_weight: ArrayLike | None = None,
) -> Tree:
    """A pruned copy of a fitted tree; the original is untouched.

    Parameters
    ----------
    tree : DecisionTreeClassifier, Pipeline or ArrayTree
        A fitted scikit-learn tree, which may be a member of a forest; a pipeline whose
        last step is such a tree; or a tree of another library as an :class:`ArrayTree`.
    X : (n_examples, n_features) array, optional
        The sample on which the rule counts errors; without it the rule uses the class
        counts stored in the tree. "reduced-error" needs examples that had no part in
        growing. All other rules need the examples that the tree was grown on, and allow
        for the optimism of training errors.
    y : (n_examples,) array, optional
        Labels of the tree's classes. An ArrayTree and the members of a forest have the
        labels 0, 1, ...; for the latter pass ``forest.classes_.searchsorted(y)``.
    rule : str, number or CountingRule
        - "bound", "noise", "pessimistic", "error-based", "minimum-error",
          "kearns-mansour": as in :class:`BoundPrunedTreeClassifier`;
        - a number: the smallest sum of errors and this many errors per leaf, see
          :class:`PriceRule`;
        - "reduced-error": the fewest errors on new examples;
        - a rule of :mod:`treebounds.pruning.rules` with other parameters, a
          ``BoundRule`` such as ``BoundRule(error_prior_ratio=2**-8)``, or one of your
          own.
    sample_weight : (n_examples,) array, optional
        The weights that the tree was grown with. The ``class_weight`` of the tree
        applies in any case.

    Returns
    -------
    object of the type of ``tree``

    Raises
    ------
    ValueError
        If the tree is not fitted, the sample does not fit it, the rule is unknown, the
        rule needs X and y and they are missing, the tree was grown with weights and
        ``sample_weight`` is missing, or "reduced-error" gets the sample that the tree
        was grown on.

    Notes
    -----
    Weights are scaled to sum to their effective sample size, as in
    :class:`BoundPrunedTreeClassifier`. The counts of a tree do not determine that size,
    so a tree that was grown with weights needs X, y and the weights. If the weights in
    the tree are integers and sum to the number of rows, they are assumed to come from a
    forest's bootstrap, and each example counts once. Without X and y, the counts of an
    ArrayTree are taken for numbers of examples if they are whole numbers, even if they
    are sums of weights. With "bound", missing values make a leaf more expensive; the
    rule can find them only in X.

    Cost-complexity pruning needs one more tree per fold, grown without it, so it is not
    a rule here: use :class:`CostComplexityPrunedTreeClassifier`. A tree pruned on some
    rows must be certified on others.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds import prune
    >>> X, y = load_wine(return_X_y=True)
    >>> fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> pruned = prune(fitted)
    >>> int(fitted.get_n_leaves()), int(pruned.get_n_leaves())
    (12, 5)
    """
    counting = check_rule(rule)
    if isinstance(tree, Pipeline):
        return _prune_last(tree, X, y, rule, sample_weight)
    if isinstance(tree, ArrayTree):
        return tree.collapse(_nodes(tree, None, counting, X, y, sample_weight))  # type: ignore[return-value]
    if not isinstance(tree, DecisionTreeClassifier):
        name = (tree if isinstance(tree, type) else type(tree)).__name__
        wanted = (
            "a fitted DecisionTreeClassifier, a pipeline that ends in one, or an"
            " ArrayTree"
        )
        raise InvalidParameterError(f"tree must be {wanted}; got {name}")
    arrays = from_sklearn(tree)
    pruned = collapse_sklearn(tree, _nodes(arrays, tree, counting, X, y, sample_weight))
    for name in _STALE:
        vars(pruned).pop(name, None)
    if X is not None and getattr(tree, "remember", True):
        before, now = getattr(tree, "_row_memory_", None), RowMemory.of(row_hashes(X))
        # A sample that is given again must not count twice.
        pruned._row_memory_ = (
            now if before is None or np.array_equal(before, now) else now.joined(before)
        )
    return pruned


def check_rule(rule: Any) -> CountingRule:
    """The rule for a name, a price or a rule object, or an error that names the
    argument.
    """
    if isinstance(rule, CountingRule):
        return rule
    if isinstance(rule, Real) and not isinstance(rule, bool):
        return PriceRule(check_number(rule, "rule", "[0, inf)"))
    if not isinstance(rule, str):
        raise InvalidParameterError(
            f"rule must be a name, a number or a CountingRule; got {rule!r}"
        )
    return RULES[check_option(rule, "rule", tuple(RULES))]


def _prune_last(pipeline: Any, X: Any, y: Any, rule: Any, sample_weight: Any) -> Any:
    """A copy of the pipeline whose last step is pruned, given X as the steps before it
    transform it.
    """
    name, tree = pipeline.steps[-1]
    inside = X if X is None or len(pipeline) == 1 else pipeline[:-1].transform(X)
    return copy(pipeline).set_params(
        **{name: prune(tree, inside, y, rule=rule, sample_weight=sample_weight)}
    )


def _nodes(
    tree: ArrayTree, fitted: Any, rule: CountingRule, X: Any, y: Any, weights: Any
) -> NDArray[np.int64]:
    """The nodes that a rule cuts, given the counts on a sample or, without a sample,
    those in the tree.
    """
    if X is None and y is None and weights is None:
        return rule.nodes(tree, _own_counts(tree, fitted, rule))
    if X is None or y is None:
        raise ValueError(
            "X and y must be given together; sample_weight needs both of them"
        )
    y, known = (
        column_or_1d(y),
        np.arange(tree.n_classes) if fitted is None else fitted.classes_,
    )
    check_consistent_length(X, y)
    codes, costs = check_known(y, known), checked_weights(weights, len(y))
    if fitted is None:
        counts = counts_where_reached(tree, tree.apply(X), codes, tree.n_classes, costs)
    else:
        as_fit: dict[str, Any] = {
            "accept_sparse": "csr",
            "ensure_all_finite": "allow-nan",
        }
        X = validate_data(fitted, X, reset=False, dtype=np.float32, **as_fit)
        costs = costs * compute_sample_weight(fitted.class_weight, y)
        reached = fitted.apply(X, check_input=False)
        counts = counts_where_reached(tree, reached, codes, tree.n_classes, costs)
        _check_sample(fitted, tree, rule, counts, reached, weights is None)
    if isinstance(rule, BoundRule):
        rule = replace(rule, n_examples=int(np.count_nonzero(costs)))
        if rule.n_features is None and not tree.asks_for_category.any():
            rule = replace(rule, n_features=n_orders(X))
    return rule.nodes(tree, counts * effective_scale(costs))


def _own_counts(
    tree: ArrayTree, fitted: Any, rule: CountingRule
) -> NDArray[np.float64]:
    """The examples of each class at each node of a tree, or a ValueError where its
    counts are not enough.
    """
    counts = tree.class_counts / _weight_of_each(fitted)
    if isinstance(rule, ReducedErrorRule):
        missing = "rule 'reduced-error' needs examples that the tree was not grown on"
    elif getattr(fitted, "counts_made_up_rows", False):
        missing = "the counts of this tree are those of made-up rows"
    elif not np.allclose(counts, np.rint(counts), rtol=1e-9):  # True for NaN, too
        missing = (
            "the counts of the tree are weights; give sample_weight, too, if fit had it"
        )
    else:
        return counts
    raise ValueError(f"X and y must be given: {missing}")


def _check_sample(
    fitted: Any,
    tree: ArrayTree,
    rule: CountingRule,
    counts: NDArray[Any],
    reached: NDArray[Any],
    unweighted: bool,
) -> None:
    """Raise a ValueError if "reduced-error" gets the tree's own sample, or if its
    weights are missing.
    """
    ends = np.bincount(reached, minlength=tree.n_nodes)[tree.is_leaf]
    same = tree.n_leaves > 1 and np.array_equal(
        ends, fitted.tree_.n_node_samples[tree.is_leaf]
    )
    if isinstance(rule, ReducedErrorRule) and same:
        raise ValueError(
            "X: rule 'reduced-error' needs examples that the tree was not grown on"
        )
    total = tree.class_counts.sum(axis=1)
    if fitted.class_weight is not None:
        missing = same and not np.allclose(counts, tree.class_counts)
    else:
        bootstrap = np.array_equal(total, np.rint(total)) and total[0] == len(reached)
        missing = np.isnan(_weight_of_each(fitted)) and not bootstrap
    if unweighted and missing:
        raise ValueError(
            "sample_weight must be given, even if all are 1: the tree was grown with"
            " weights"
        )


def _weight_of_each(fitted: Any) -> float:
    """The common weight of the examples that a scikit-learn tree was grown on; NaN if
    weights differ.
    """
    if fitted is None:
        return 1.0
    weights = fitted.tree_.weighted_n_node_samples / fitted.tree_.n_node_samples
    return float(weights[0]) if np.allclose(weights, weights[0], rtol=1e-9) else np.nan
