"""scikit-learn trees that are pruned by a bound, or by another rule that needs no
second sample.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight

from treebounds.estimators._checked_sample import Grown, grow
from treebounds.estimators._classification import (
    OneOutputTreeClassifier,
    grow_and_judge,
)
from treebounds.formats.scikit_learn import (
    collapse_sklearn,
    from_sklearn,
    unfitted_like,
)
from treebounds.pruning.bound import ERROR_PRIOR_RATIO, BoundRule
from treebounds.pruning.choice import rule_for
from treebounds.pruning.rules import CountingRule, ReducedErrorRule
from treebounds.pruning.weights import effective_scale
from treebounds.risk.feature_kinds import known_features
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.trees.array_tree import ArrayTree

# "held-out" chooses among these ratios, in order of decreasing pruning: if several tie,
# the first is taken.
RATIOS = tuple(2.0**-exponent for exponent in (3, 4, 5, 6, 7, 8, 10, 12, 13.7))


class BoundPrunedTreeClassifier(OneOutputTreeClassifier):
    """A decision tree that is grown and then pruned without cross-validation or a
    validation set.

    By default it minimizes the risk bound of Leboeuf et al. (2020), Equation 8, with
    the growth function of all trees with as many leaves, along the weakest-link
    sequence of the tree.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from treebounds import BoundPrunedTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    >>> model.pruning_path_.n_leaves, int(model.get_n_leaves())
    (array([22, 16, 13,  9,  7,  6,  4,  2,  1]), 6)
    >>> round(model.bound_, 2)
    0.82

    Parameters
    ----------
    rule : str, float or CountingRule
        "bound": the smallest bound. A number: the smallest sum of training errors and
        this many errors per leaf. "noise": the same with
        :func:`~treebounds.pruning.rules.noise_price`. "pessimistic", "error-based"
        (Quinlan), "minimum-error" (m-estimates), "kearns-mansour", or an object of one
        of their classes, such as ``ErrorBasedRule(confidence=0.05)``; see
        :mod:`treebounds.pruning.rules`.
    capacity : str
        The growth function inside the bound: "all-structures", or a form of
        :func:`growth_function_bound`, minimized greedily. "loose" is the paper's.
        Ignored with other rules, and with an object as ``rule``.
    error_prior_ratio : float or "held-out"
        r of the prior (1 - r) r^k on the number of errors k; an error costs 2 + 4
        ln(1/r). Smaller values make larger trees: the default charges about 2 to 5
        errors for a leaf, more on larger samples. "held-out" grows a tree on two thirds
        of the examples and prunes it with each of nine ratios from 2^-3 to 2^-13.7. The
        ratio with the fewest errors on the last third then prunes the tree of all
        examples: as accurate as cross-validation for less than twice the time. Ignored
        with other rules, and with an object as ``rule``.
    delta : float
        The bound holds with probability 1 - delta over the sample. It moves no cut,
        because it adds the same number to the bound of every pruning. Ignored with a
        :class:`BoundRule`, which has its own.
    feature_kinds : "from_dtype", dict or None
        Columns with finitely many values, called levels, for which a leaf costs less;
        only with the capacities "all-structures", "sharp" and "closed". "from_dtype"
        takes the columns of pandas' categorical dtype with the levels that the dtype
        declares. A dict maps positions or names of columns to numbers of levels.
        Declare them before you see the examples: a dtype that was made from the
        examples, as by ``astype("category")``, is not valid. The columns must hold
        numbers, because splits are thresholds: encode words first. One-hot columns have
        2 levels. Ignored with a :class:`BoundRule` that has its own ``n_features``.
    remember : bool
        Whether to keep hashes of 4096 rows, by which :func:`certify` recognizes rows
        that were used. Anyone with the model and a row can find out whether the row was
        among these 4096.
    max_leaf_nodes : int or None
        Largest number of leaves of the tree before pruning.
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf,
    min_weight_fraction_leaf, \
max_features, random_state, min_impurity_decrease, class_weight, ccp_alpha
        How the tree is grown; see ``DecisionTreeClassifier``. There is no
        ``monotonic_cst``.

    Attributes
    ----------
    bound_ : float
        Equation 8 for the pruned tree, not clipped at 1; with other rules than "bound",
        for the default parameters. It is usually above 1 and then vacuous; for a useful
        statement about risk take :class:`CertifiedTreeClassifier`. It is a bound of the
        risk that holds with probability 1 - delta if

        - the capacity is not "loose", which leaves out a term;
        - the examples are independent and count alike, without weights;
        - ``delta``, ``error_prior_ratio`` and ``feature_kinds`` were set before the
          examples were seen; "held-out" is allowed, and the choice among nine ratios
          adds ln 9 to the penalty;
        - no value is missing, or you knew before which features may have missing
          values.
    error_prior_ratio_ : float
        The ratio that was used.
    pruning_path_ : BoundPath
        Leaves, errors and bound of each tree that was considered. With
        weights, errors are scaled weights. Only with the rule "bound" or a
        :class:`BoundRule`.
    tree_, classes_, n_classes_, n_features_in_, feature_names_in_,
    feature_importances_, max_features_
        As ``DecisionTreeClassifier`` has them, for the pruned tree.

    See Also
    --------
    CostComplexityPrunedTreeClassifier : chooses the size by cross-validation.
    prune : the same for a tree that is fitted already.

    Notes
    -----
    If all features are real-valued, no pruning of the tree has a smaller bound; with
    ``feature_kinds`` a pruning outside of the weakest-link sequence can have one, see
    :class:`BoundRule`.

    On labels that are noise the tree keeps many leaves, see :func:`prune`.

    Sparse X and missing values are as in ``DecisionTreeClassifier``; ``feature_kinds``
    needs a dense X. Missing values double the number of features in the growth
    function, because a split also decides where they go. Several outputs are refused.

    With ``sample_weight`` and ``class_weight`` the weights w of the examples are scaled
    to sum to their effective sample size (sum w)^2 / sum w^2 (Kish 1965), for every
    rule; the growth function is that of all examples with a positive weight. An example
    of weight 2 counts less than two examples. If a weight is the number of times that a
    row was seen, repeat the row. ``bound_`` divides the scaled errors by the number of
    examples with a positive weight, not by the effective sample size. With unequal
    weights it is too small for a bound of the risk, and only serves to compare
    prunings.

    Pruning is O(n log n) for n nodes, except for the capacities "tight" and "sharp",
    which take the sample size squared for every subtree that is new to the greedy
    search: seconds for 40 leaves and 1,000 examples.
    """

    def __init__(
        self,
        *,
        rule: str | float | CountingRule = "bound",
        capacity: str = "all-structures",
        error_prior_ratio: float | str = ERROR_PRIOR_RATIO,
        delta: float = 0.05,
        feature_kinds: Any = None,
        remember: bool = True,
        max_leaf_nodes: int | None = None,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
    ) -> None:
        self.rule = rule
        self.capacity = capacity
        self.error_prior_ratio = error_prior_ratio
        self.delta = delta
        self.feature_kinds = feature_kinds
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.feature_kinds is None
        return tags

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> BoundPrunedTreeClassifier:
        """Grow a tree and prune it.

        Parameters
        ----------
        X : (n_examples, n_features) array or sparse matrix
            NaN is a missing value.
        y : (n_examples,) array
            Labels, numbers or words. Numbers in an array of objects are refused, as by
            ``DecisionTreeClassifier``.
        sample_weight : (n_examples,) array, optional
            Not negative; only their ratios matter.

        Returns
        -------
        self
        """
        rule = self._rule()
        bound = rule if isinstance(rule, BoundRule) else BoundRule(delta=self.delta)

        grown = grow(self, X, y, sample_weight)
        costs = grown.weights * compute_sample_weight(self.class_weight, grown.y)
        bound = replace(bound, n_examples=int(np.count_nonzero(costs)))
        if bound.n_features is None:
            features = known_features(X, grown.X, self.feature_kinds)
            bound = replace(bound, n_features=features)
        if self._chooses_ratio():
            bound = self._choose_on_a_third(bound, grown, costs)

        tree = from_sklearn(grown.tree)
        counts = tree.class_counts * effective_scale(costs)
        if isinstance(rule, BoundRule):
            path = bound.path(tree, counts)
            cut = path.nodes()
            learned = {"pruning_path_": path, "bound_": float(path.bounds[path.best])}
        else:
            cut = rule.nodes(tree, counts)
            learned = {"bound_": _bound_after(bound, tree, counts, cut)}

        self._publish_tree(
            collapse_sklearn(grown.tree, cut),
            RowHashes(grown.X),
            error_prior_ratio_=bound.error_prior_ratio,
            **learned,
        )
        return self

    def _rule(self) -> CountingRule:
        """The rule that prunes; the rule "bound" gets the parameters of this estimator.

        "held-out" starts from the default ratio, which fit replaces.
        """
        rule = rule_for("classes", self.rule)
        if isinstance(rule, ReducedErrorRule):
            raise ValueError(
                "rule 'reduced-error' needs held-out rows: use"
                " ReducedErrorPrunedTreeClassifier"
            )
        if not self._prunes_by_the_bound():
            return rule

        ratio: Any = (
            ERROR_PRIOR_RATIO if self._chooses_ratio() else self.error_prior_ratio
        )
        return BoundRule(self.capacity, ratio, self.delta)

    def _prunes_by_the_bound(self) -> bool:
        """Whether the parameters of the bound are those of this estimator."""
        return isinstance(self.rule, str) and self.rule == "bound"

    def _chooses_ratio(self) -> bool:
        """Whether a held-out third chooses the ratio of the bound."""
        ratio = self.error_prior_ratio
        held_out = isinstance(ratio, str) and ratio == "held-out"
        return held_out and self._prunes_by_the_bound()

    def _choose_on_a_third(
        self, bound: BoundRule, grown: Grown, costs: NDArray[np.float64]
    ) -> BoundRule:
        """The bound with the ratio that gives a tree of two thirds the fewest errors on
        the last third.
        """
        rows = np.flatnonzero(costs > 0)
        if len(rows) < 2:
            raise ValueError(
                "error_prior_ratio='held-out' needs 2 examples; got n_samples ="
                f" {len(rows)}"
            )

        rows = check_random_state(self.random_state).permutation(rows)
        held_out, train = np.split(rows, [math.ceil(len(rows) / 3)])
        tree, wrong = grow_and_judge(unfitted_like(self), grown, costs, train, held_out)

        counts = tree.class_counts * effective_scale(costs[train])
        errors = []
        for ratio in RATIOS:
            rule = replace(bound, n_examples=len(train), error_prior_ratio=ratio)
            remaining, pruned = tree.kept_and_collapsed(rule.nodes(tree, counts))
            errors.append(wrong[remaining][pruned.is_leaf].sum())

        best = RATIOS[int(np.argmin(errors))]
        return replace(bound, error_prior_ratio=best, delta=bound.delta / len(RATIOS))


def _bound_after(
    bound: BoundRule, tree: ArrayTree, counts: NDArray[np.float64], cut: NDArray[Any]
) -> float:
    """The bound of the tree that another rule leaves."""
    remaining, pruned = tree.kept_and_collapsed(cut)
    return float(bound.path(pruned, counts[remaining]).bounds[0])
