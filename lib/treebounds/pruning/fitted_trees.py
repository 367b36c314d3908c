"""Pruning of trees that are fitted already."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_consistent_length, column_or_1d

from treebounds._labels import check_known
from treebounds._row_order import check_same_order
from treebounds._validation import (
    check_flag,
    check_given_together,
    shown,
)
from treebounds.capacity.features import FeatureKinds
from treebounds.pruning._given_tree import GivenTree, ReachedRows, given_tree
from treebounds.pruning._targets import check_numbers_to_predict
from treebounds.pruning.bound import BoundRule, kinds_of_categories
from treebounds.pruning.choice import Rule, rule_or_default
from treebounds.pruning.counted_price import CountedRule
from treebounds.pruning.cuts import cuts_of_kinds
from treebounds.pruning.local_price import LocalRule, on_rows
from treebounds.pruning.rules import CountingRule, PriceRule, ReducedErrorRule
from treebounds.pruning.weights import check_weights, effective_scale
from treebounds.risk.feature_kinds import known_features, n_orders
from treebounds.risk.models.inner_models import through
from treebounds.risk.reuse.memory import hand_on_record
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import counts_where_reached, sums_where_reached

Tree = TypeVar(
    "Tree", bound=DecisionTreeClassifier | DecisionTreeRegressor | Pipeline | ArrayTree
)

# These rules see only differences of y, so their sums may be those of y minus its mean.
_SEE_DIFFERENCES = (LocalRule, CountedRule, PriceRule)

# These rules count the splits that the features offer.
_COUNT_SPLITS = (BoundRule, CountedRule, LocalRule)


class _Passed(NamedTuple):
    """A sample as the caller passed it; all None without one."""

    X: Any
    y: Any
    weights: Any


def prune(
    tree: Tree,
    X: Any = None,
    y: Any = None,
    *,
    rule: Rule | None = None,
    sample_weight: ArrayLike | None = None,
    feature_kinds: Any = None,
    remember: bool = False,
) -> Tree:
    """A pruned copy of a fitted tree; the original is untouched.

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    >>> from treebounds import prune
    >>> X, y = load_wine(return_X_y=True)
    >>> fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> pruned = prune(fitted)
    >>> int(fitted.get_n_leaves()), int(pruned.get_n_leaves())
    (12, 5)

    Parameters
    ----------
    tree : DecisionTreeClassifier, DecisionTreeRegressor, Pipeline or ArrayTree
        A fitted scikit-learn tree, which may be a member of a forest; a pipeline whose
        last step is such a tree; or a tree of another library as an :class:`ArrayTree`.
    X : (n_examples, n_features) array, optional
        The sample on which the rule counts errors; without it the rule uses the
        statistics stored in the tree. "reduced-error" needs examples that had no part
        in growing. All other rules need the examples that the tree was grown on, and
        allow for the optimism of training errors; they do not notice if they get other
        examples.
    y : (n_examples,) array, optional
        Numbers, or labels of the tree's classes. An ArrayTree and the members of a
        forest have the labels 0, 1, ...: give ``np.searchsorted(tree.classes, y)`` or
        ``forest.classes_.searchsorted(y)``.
    rule : str, number, CountingRule or callable, optional
        "bound" for classes and "local" for numbers when not given.

        For trees that predict classes: "bound", "noise", "pessimistic", "error-based",
        "minimum-error", "kearns-mansour", as in :class:`BoundPrunedTreeClassifier`.

        For trees that predict numbers: "local", the price of each cut from the variance
        of its own node, with the factor .875, see :class:`LocalRule`; "counted", the
        smallest ``SSE + 2 s^2 ln M_L``, see :class:`CountedRule`.

        For both:

        - a number: the smallest sum of errors, or squared errors, and this number for
          each leaf, see :class:`PriceRule`;
        - "reduced-error": the fewest errors, or squared errors, on new examples;
        - a rule of :mod:`treebounds.pruning.rules` with other parameters, or a
          ``BoundRule`` such as ``BoundRule(error_prior_ratio=2**-8)``;
        - a function that takes a :class:`NodeStatistics` and returns whether the node
          becomes a leaf.
    sample_weight : (n_examples,) array, optional
        The weights that the tree was grown with. The ``class_weight`` of the tree
        applies in any case. An ArrayTree does not know it: multiply the weights by it.
    feature_kinds : FeatureKinds, "from_dtype" or dict, optional
        Features with finitely many values, for which the rules "bound", "counted" and
        "local" charge less. A tree that splits by sets of categories needs
        ``FeatureKinds``, for example ``FeatureKinds(real=6, nominal_subsets=[40, 3])``.
        The other two are as in :class:`BoundPrunedTreeClassifier`, and need X. Ignored
        with other rules, and with a rule object that has its own ``n_features``.
        Without it, "local" counts the different values of each column of X.
    remember : bool
        Whether a scikit-learn tree keeps a record of the rows of X, by which
        :func:`certify` recognizes them: hashes of some of the rows. Anyone with the
        tree and a row can find out whether the row was among these. A tree that has a
        record already keeps it, and these rows are added. So does an ArrayTree, which
        never starts a record.

    Returns
    -------
    object of the type of ``tree``
        A plain scikit-learn tree for the estimators of this library. It pickles, and
        loads where this library is not installed.

    Raises
    ------
    ValueError
        If the tree is not fitted, the sample does not fit it, the rule is unknown, the
        rule needs X and y and they are missing, the tree was grown with weights and
        ``sample_weight`` is missing, "reduced-error" gets the sample that the tree was
        grown on, or ``tree`` is a search or an ensemble.

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
    a rule here: use :class:`CostComplexityPrunedTreeClassifier` or
    :class:`CostComplexityPrunedTreeRegressor`. A tree pruned on some rows must be
    certified on others.

    **Labels that are noise.** "bound" charges a few errors for a leaf, and a tree that
    was grown on shuffled labels saves as many. On six shuffles each of scikit-learn's
    tables of breast cancer, wine and digits it kept from a tenth to nearly half of the
    leaves; ten folds kept one or two in eleven of the twelve shuffles of the first two.
    So a pruned tree with many leaves does not show that the features say anything about
    the labels: certify it on other rows. With Gaussian noise added to the shuffled
    labels, "local" and "counted" kept one or two leaves of a regression tree.

    A regressor is pruned by squared errors, whatever criterion it was grown with. One
    that predicts medians (criterion "absolute_error") is refused.

    Examples
    --------
    A regressor is pruned in the same way:

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> grown = DecisionTreeRegressor(random_state=0).fit(X, y)
    >>> int(grown.get_n_leaves()), int(prune(grown, X, y).get_n_leaves())
    (432, 8)
    """
    check_same_order(X=X, y=y, sample_weight=sample_weight)
    check_given_together(X, y, sample_weight)
    check_flag(remember, "remember")
    if isinstance(tree, Pipeline):
        return _prune_last(
            tree,
            X,
            y,
            rule=rule,
            sample_weight=sample_weight,
            feature_kinds=feature_kinds,
            remember=remember,
        )

    if remember and isinstance(tree, ArrayTree):
        raise ValueError("remember must be False: an ArrayTree keeps no record")
    given = given_tree(tree, X, y)
    passed = _Passed(X, y, sample_weight)
    counting = rule_or_default(given.arrays.is_regression, rule)
    pruned = given.collapse(_nodes(given, counting, passed, feature_kinds))

    are_new = isinstance(counting, ReducedErrorRule)
    hand_on_record(tree, pruned, X, remember=remember, are_new=are_new)
    return pruned


def _prune_last(pipeline: Any, X: Any, y: Any, **options: Any) -> Any:
    """A copy of the pipeline whose last step is pruned, given X as the steps before it
    transform it.
    """
    name, tree = pipeline.steps[-1]
    if X is not None:
        X = through(X, list(pipeline)[:-1])
    return copy(pipeline).set_params(**{name: prune(tree, X, y, **options)})


def _nodes(
    given: GivenTree, rule: CountingRule, passed: _Passed, feature_kinds: Any
) -> NDArray[np.int64]:
    """The nodes that a rule cuts, given the counts on a sample or, without a sample,
    those in the tree.
    """
    tree = given.arrays
    if passed.X is None:
        statistics = _own_statistics(given, rule)
        rule = with_features(rule, tree, None, None, feature_kinds)
        return rule.nodes(tree, statistics)

    center = tree.is_regression and isinstance(rule, _SEE_DIFFERENCES)
    sample = _read(given, passed, center)
    if isinstance(rule, ReducedErrorRule):
        _refuse_own_sample(given, sample)
    if passed.weights is None and given.lacks_weights(sample):
        raise ValueError(
            "sample_weight must be given, even if all are 1: the tree was grown with"
            " weights"
        )

    rule = with_features(rule, tree, passed.X, sample.X, feature_kinds)
    if isinstance(rule, _COUNT_SPLITS):
        rule = replace(rule, n_examples=int(np.count_nonzero(sample.costs)))
    return rule.nodes(tree, sample.statistics * effective_scale(sample.costs))


def _read(given: GivenTree, passed: _Passed, center: bool) -> ReachedRows:
    """A sample at the nodes of a tree.

    With ``center``, sums are of the differences of y from its mean, whose squares lose
    fewer digits.
    """
    X, y, weights = passed
    tree = given.arrays
    targets = check_numbers_to_predict(y) if tree.is_regression else column_or_1d(y)
    check_consistent_length(X, targets)
    costs = check_weights(weights, len(targets))
    rows, leaves = given.read(X)

    if tree.is_regression:
        shift = np.average(targets, weights=weights) if center else 0.0
        sums = sums_where_reached(tree, leaves, targets - shift, costs)
        return ReachedRows(rows, leaves, costs, sums)

    codes = check_known(targets, given.labels)
    costs = costs * given.class_weights(targets)
    counts = counts_where_reached(tree, leaves, codes, tree.n_classes, costs)
    return ReachedRows(rows, leaves, costs, counts)


def with_features(
    rule: CountingRule, tree: ArrayTree, X_passed: Any, X: Any, feature_kinds: Any
) -> CountingRule:
    """A rule that counts splits, with the kinds of features that the caller declares or
    that the sample shows; any other rule as it is.

    ``X_passed`` is what the caller passed, and X the same rows as numbers; both are
    None without a sample.
    """
    if not isinstance(rule, _COUNT_SPLITS):
        return rule
    if isinstance(rule, LocalRule) and rule.n_cuts is None:
        rule = _with_cuts(rule, X, feature_kinds)
    if rule.n_features is not None:
        return rule
    if isinstance(feature_kinds, FeatureKinds):
        return replace(rule, n_features=feature_kinds)

    if tree.asks_for_category.any():
        raise ValueError(f"feature_kinds must be {kinds_of_categories(tree)}")
    if feature_kinds is None and X is None:
        return rule
    if feature_kinds is None:
        return replace(rule, n_features=n_orders(X))
    if X is None:
        raise ValueError(
            "feature_kinds needs X and y, or must be FeatureKinds; got"
            f" {shown(feature_kinds)}"
        )
    return replace(rule, n_features=known_features(X_passed, X, feature_kinds))


def _with_cuts(rule: LocalRule, X: Any, feature_kinds: Any) -> LocalRule:
    """The local rule with the cuts that declared kinds, or else the sample, allow."""
    if isinstance(feature_kinds, FeatureKinds):
        n_ordered, n_unordered = cuts_of_kinds(feature_kinds)
        return replace(rule, n_cuts=n_ordered, n_unordered_cuts=n_unordered)
    if X is None:
        return rule
    return on_rows(rule, X)


def _own_statistics(given: GivenTree, rule: CountingRule) -> NDArray[np.float64]:
    """The statistics of the examples at each node of a tree, or a ValueError where they
    are not enough.
    """
    tree = given.arrays
    statistics = tree.statistics / given.weight_of_each
    counts = statistics[:, 0] if tree.is_regression else statistics
    if isinstance(rule, ReducedErrorRule):
        missing = "rule 'reduced-error' needs examples that the tree was not grown on"
    elif given.counts_made_up_rows:
        missing = "the counts of this tree are those of made-up rows"
    elif not np.allclose(counts, np.rint(counts), rtol=1e-9):  # True for NaN, too
        missing = (
            "the counts of the tree are weights; give sample_weight, too, if fit had it"
        )
    else:
        return statistics
    raise ValueError(f"X and y must be given: {missing}")


def _refuse_own_sample(given: GivenTree, sample: ReachedRows) -> None:
    """Raise a ValueError if a rule that needs other examples gets those that a tree was
    grown on, by the numbers at its leaves; a single leaf does not tell.
    """
    if given.arrays.n_leaves > 1 and given.are_own(sample):
        raise ValueError(
            "X: rule 'reduced-error' needs examples that the tree was not grown on"
        )
