"""A regression tree that is pruned by a price for each cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import InvalidParameterError, check_number, shown
from treebounds.estimators._checked_sample import Grown, grow
from treebounds.estimators._regression import (
    FoldTree,
    PrunedRegressionTree,
    SummedTree,
    summed,
)
from treebounds.formats.scikit_learn import collapse_sklearn
from treebounds.pruning.choice import rule_for
from treebounds.pruning.counted_price import CountedRule
from treebounds.pruning.cuts import cuts_of_columns
from treebounds.pruning.local_price import LocalRule, on_rows
from treebounds.pruning.rules import CountingRule, PriceRule, ReducedErrorRule
from treebounds.pruning.weights import effective_scale
from treebounds.risk.feature_kinds import known_features
from treebounds.risk.rows.row_hashes import RowHashes

# "folds" chooses among these factors, in order of decreasing pruning: if several tie,
# the first is taken.
FACTORS = tuple(2.0 ** (exponent / 2) for exponent in range(6, -5, -1))

_SMALLEST = (
    f"The folds chose {FACTORS[-1]:g}, the smallest factor that they compare. Where y"
    " has hardly any noise, a larger tree may err less: try"
    " CostComplexityPrunedTreeRegressor."
)


class PrunedTreeRegressor(PrunedRegressionTree):
    """A regression tree that is grown and then pruned by a price for each cut.

    By default the price of a cut is a multiple of the variance of y in its own node
    times the logarithm of the number of cuts that this node could make, and three folds
    choose the multiple.

    >>> from sklearn.datasets import load_diabetes
    >>> from treebounds import PrunedTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = PrunedTreeRegressor(factor=0.875, random_state=0).fit(X, y)
    >>> int(model.get_n_leaves()), model.factor_
    (8, 0.875)
    >>> counted = PrunedTreeRegressor(rule="counted", random_state=0).fit(X, y)
    >>> int(counted.get_n_leaves()), round(counted.noise_)
    (6, 3100)

    Parameters
    ----------
    rule : str, float or CountingRule, default="local"
        - "local": a cut of node v has to save ``2 c s_v^2 ln M_v``, where ``s_v^2`` is
          the variance of y in the node and M_v the number of cuts that it could make;
          leaves cost leave-one-out squared errors. See
          :mod:`treebounds.pruning.local_price`.
        - "counted": the smallest ``SSE + 2 K s^2 ln M_L`` of all prunings, where M_L is
          the number of partitions that trees with L leaves make, and s^2 the noise,
          estimated from the root on. A theorem about Gaussian noise suggests it; where
          tails are heavy, it keeps too large a tree.
        - A number: the smallest sum of squared errors and this price for each leaf.
        - A function of a :class:`~treebounds.pruning.NodeStatistics`, or an object of
          :mod:`treebounds.pruning`.
    factor : float or "folds", default="folds"
        With "local" the constant c. "folds" chooses among eleven values from 0.25 to 8
        by cross-validation. A number needs no folds: 0.875 was chosen on 88 data sets.
        It takes the counted rule where the local one explains more than nine tenths of
        the squared errors; ``remark_`` says so. With "counted" a number is the constant
        K, and "folds" is ignored: K is 1. Ignored with other rules.
    cv : int, splitter or iterable of splits, default=3
        An int draws this number of folds with ``random_state``. Rows that belong
        together need a splitter such as ``GroupKFold(3)``, and ``fit(X, y,
        groups=...)``. Ignored where no folds are used.
    feature_kinds : "from_dtype", dict or None, default=None
        Columns with finitely many values in M_L, see
        :class:`BoundPrunedTreeClassifier`. M_v counts the different values of each
        column in any case. Ignored with other rules than "local" and "counted".
    n_jobs : int, default=None
        Number of trees to grow in parallel.
    remember : bool, default=True
        See :class:`BoundPrunedTreeClassifier`.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of the tree before pruning.
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf,
    min_weight_fraction_leaf, \
max_features, random_state, min_impurity_decrease
        How the tree is grown; see ``DecisionTreeRegressor``. It is pruned by squared
        errors, whatever the criterion; "absolute_error" is refused, because such a tree
        predicts medians.

    Attributes
    ----------
    factor_ : float
        The constant c or K that was used; only with "local" and "counted".
    factors_, cv_errors_ : (n_factors,) arrays
        The values that "folds" compares, and their mean squared errors on the folds.
    noise_ : float
        The estimate of the variance of the noise, where the counted rule pruned.
    price_ : float
        What a leaf more has to save, in squared errors; where the counted rule pruned,
        or a number.
    pruning_path_ : CountedPath
        The prunings that the counted rule compared, where it pruned.
    remark_ : str
        That the counted rule took the place of the local one, and why; or that the
        folds chose the smallest factor that they compare. Else empty.
    tree_, n_features_in_, feature_names_in_, feature_importances_, max_features_
        As ``DecisionTreeRegressor`` has them, for the pruned tree.

    See Also
    --------
    CostComplexityPrunedTreeRegressor : one price for each leaf, by cross-validation.
    prune : the same for a tree that is fitted already.

    Notes
    -----
    On tables that had no part in its design, the book finds no difference of two
    standard errors between ten folds of cost-complexity pruning and "local", with or
    without folds; "counted" is less accurate, because an outlier is worth a leaf to it.
    Targets with hardly any noise need more leaves than "local" keeps. No theorem covers
    the local price.

    With ``sample_weight`` the weights are scaled to sum to their effective sample size
    (sum w)^2 / sum w^2 (Kish 1965), for every rule; M_L is that of all examples with a
    positive weight. Several outputs are refused: fit one tree for each.

    "folds" grows one tree per fold and one on all examples. Pruning is O(n log n) for n
    nodes; to count the values of the columns takes O(m) for m examples. On a few
    hundred rows the checks of the input take as long as growing: a fit takes about
    twice as long as growing one tree, and with "folds" about seven times as long.
    """

    def __init__(
        self,
        *,
        rule: Any = "local",
        factor: float | str = "folds",
        cv: Any = 3,
        feature_kinds: Any = None,
        n_jobs: int | None = None,
        remember: bool = True,
        max_leaf_nodes: int | None = None,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        min_impurity_decrease: float = 0.0,
    ) -> None:
        self.rule = rule
        self.factor = factor
        self.cv = cv
        self.feature_kinds = feature_kinds
        self.n_jobs = n_jobs
        self.remember = remember
        self.max_leaf_nodes = max_leaf_nodes
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.min_impurity_decrease = min_impurity_decrease

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> PrunedTreeRegressor:
        """Grow a tree and prune it.

        Parameters
        ----------
        X : (n_examples, n_features) array or sparse matrix
            NaN is a missing value.
        y : (n_examples,) array
            Finite numbers.
        sample_weight : (n_examples,) array, optional
            Not negative; only their ratios matter.
        groups : (n_examples,) array, optional
            The group of each row, which a splitter such as ``cv=GroupKFold(3)`` keeps
            together.

        Returns
        -------
        self
        """
        rule = self._rule()
        grown = grow(self, X, y, sample_weight, groups)
        rule = self._for_sample(rule, X, grown)
        whole = summed(grown.tree, grown.X, grown.y, grown.weights)
        whole = whole._replace(sums=whole.sums * effective_scale(grown.weights))

        if isinstance(rule, LocalRule) and self._chooses_factor():
            learned = self._by_folds(rule, grown, groups)
            chosen = replace(rule, factor=learned["factor_"])
            cut, _ = chosen.cut_and_share(whole.tree, whole.sums)
        else:
            cut, learned = _cut_by(rule, whole)

        pruned = collapse_sklearn(grown.tree, cut)
        self._publish_tree(pruned, RowHashes(grown.X), **{"remark_": "", **learned})
        return self

    def _rule(self) -> CountingRule:
        """The rule that prunes, with the factor of this estimator if it has a name."""
        rule = rule_for("numbers", self.rule)
        if isinstance(rule, ReducedErrorRule):
            raise ValueError(
                "rule 'reduced-error' needs held-out rows: use prune(tree, X, y,"
                " rule='reduced-error')"
            )
        if not isinstance(self.rule, str):
            return rule

        folds = isinstance(self.factor, str) and self.factor == "folds"
        if isinstance(self.factor, str) and not folds:
            raise InvalidParameterError(
                f"factor must be a number or 'folds'; got {shown(self.factor)}"
            )
        if folds:
            return rule
        factor = check_number(self.factor, "factor", "(0, inf)")
        if isinstance(rule, LocalRule | CountedRule):
            return replace(rule, factor=factor)
        return rule

    def _chooses_factor(self) -> bool:
        """Whether folds choose the factor of the local rule."""
        return isinstance(self.rule, str) and isinstance(self.factor, str)

    def _for_sample(
        self, rule: CountingRule, X_passed: Any, grown: Grown
    ) -> CountingRule:
        """A rule that counts cuts, with those that this sample allows."""
        if not isinstance(rule, LocalRule | CountedRule):
            return rule
        rule = replace(rule, n_examples=int(np.count_nonzero(grown.weights)))
        if rule.n_features is None:
            features = known_features(X_passed, grown.X, self.feature_kinds)
            rule = replace(rule, n_features=features)
        if isinstance(rule, LocalRule) and rule.n_cuts is None:
            rule = on_rows(rule, grown.X)
        return rule

    def _by_folds(
        self, rule: LocalRule, grown: Grown, groups: ArrayLike | None
    ) -> dict[str, Any]:
        """The factor whose prunings of trees without a fold err least on the folds."""
        folds = self._fold_trees(grown, groups)
        errors = sum(_errors_of_factors(rule, fold, grown) for fold in folds)
        mean = np.asarray(errors) / grown.weights.sum()
        factor = FACTORS[int(np.argmin(mean))]
        remark = ""
        if factor == FACTORS[-1]:
            remark = _SMALLEST
        return {
            "factor_": factor,
            "factors_": np.array(FACTORS),
            "cv_errors_": mean,
            "remark_": remark,
        }


def _errors_of_factors(
    rule: LocalRule, fold: FoldTree, grown: Grown
) -> NDArray[np.float64]:
    """The squared errors on a fold of the pruning with each factor."""
    sums = fold.sums * effective_scale(grown.weights[fold.train])
    of_fold = replace(rule, n_cuts=cuts_of_columns(grown.X[fold.train]).tolist())
    _, errors = of_fold.priced(fold.tree, sums, FACTORS, fold.held_out)
    return errors


class _Cut(NamedTuple):
    """The nodes that a rule cuts, and the fitted attributes that tell of it."""

    nodes: NDArray[np.int64]
    learned: dict[str, Any]


def _cut_by(rule: CountingRule, whole: SummedTree) -> _Cut:
    """What a rule cuts without folds."""
    tree, sums, center = whole
    if isinstance(rule, LocalRule):
        return _cut_by_local(rule, whole)
    if isinstance(rule, CountedRule):
        return _cut_by_counted(rule, whole)
    if isinstance(rule, PriceRule):
        return _Cut(rule.nodes(tree, sums), {"price_": float(rule.price)})
    return _Cut(rule.nodes(tree, _of_y(sums, center)), {})


def _cut_by_local(rule: LocalRule, whole: SummedTree) -> _Cut:
    """What the local rule cuts, or the counted one where that takes over."""
    cut, share = rule.cut_and_share(whole.tree, whole.sums)
    if share <= rule.explained:
        return _Cut(cut, {"factor_": rule.factor})

    remark = (
        f"The local price left {1 - share:.1%} of the squared errors. Where it leaves"
        f" less than {1 - rule.explained:.0%}, the counted price is taken, as chosen by"
        " 88 data sets."
    )
    counted = _cut_by_counted(rule.counted, whole)
    return counted._replace(learned={**counted.learned, "remark_": remark})


def _cut_by_counted(rule: CountedRule, whole: SummedTree) -> _Cut:
    """What the counted rule cuts."""
    path = rule.path(whole.tree, whole.sums)
    learned = {
        "factor_": rule.factor,
        "noise_": path.noise,
        "price_": path.price,
        "pruning_path_": path,
    }
    return _Cut(path.nodes(), learned)


def _of_y(sums: NDArray[np.float64], center: float) -> NDArray[np.float64]:
    """The sums of y and of its square from those of the differences from a number."""
    weight, total, squares = sums.T
    return np.column_stack(
        [
            weight,
            total + weight * center,
            squares + 2 * center * total + weight * center**2,
        ]
    )
