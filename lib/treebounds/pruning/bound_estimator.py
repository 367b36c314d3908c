"""scikit-learn trees that are pruned by a bound, or by another rule that needs no second sample."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_option
from treebounds.capacity.features import FeatureKinds
from treebounds.pruning._estimator import Criterion, MaxFeatures, PrunedTreeClassifier, Splitter
from treebounds.pruning.bound import ERROR_PRIOR_RATIO, Bound, BoundPath, ShaweTaylorRule
from treebounds.pruning.rules import COUNTING_RULES, CountingRule, PriceRule
from treebounds.risk._features import declared_levels, features_of_sample
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.errors import errors_of_counts
from treebounds.trees.weakest_link import weakest_link_sequence

__all__ = ["BoundPrunedTreeClassifier"]

RULES = ("shawe-taylor", *COUNTING_RULES)
# parameters of version 0.1.0
_RENAMED = {
    "bound": 'rule="shawe-taylor", or a certificate of CertifiedTreeClassifier(method=...)',
    "growth": "it is capacity",
}


def _refuse_renamed(init: Callable[..., None]) -> Callable[..., None]:
    """Let an ``__init__`` answer parameters of version 0.1.0 with a TypeError that names the new ones."""

    @wraps(init)
    def checked(self: Any, *arguments: Any, **named: Any) -> None:
        """The same, after a look at the names of its arguments."""
        for name in named.keys() & _RENAMED.keys():
            raise TypeError(f"{name} is no parameter since version 0.2.0: {_RENAMED[name]}")
        init(self, *arguments, **named)

    return checked


class BoundPrunedTreeClassifier(PrunedTreeClassifier):
    """A decision tree that is grown and then pruned without cross-validation or a validation set.

    By default it minimizes the risk bound of Leboeuf et al. (2020), Equation 8, with the growth function of
    all trees with as many leaves, over all prunings of the tree.

    Parameters
    ----------
    rule : str or CountingRule
        What is minimized. "shawe-taylor": Equation 8, see :class:`ShaweTaylorRule`. The others are
        "pessimistic" and "error-based" (Quinlan), "minimum-error" (m-estimates), "kearns-mansour", or an
        object of one of their classes, such as ``ErrorBasedRule(confidence=0.05)``; see
        :mod:`treebounds.pruning.rules`.
    capacity : str
        The growth function inside the bound: "all-structures", minimized over all prunings, or a form of
        :func:`growth_function_bound`, minimized greedily. "loose" is the paper's; a term is missing from it,
        so that its values bound nothing. Ignored with other rules and with a price.
    error_prior_ratio : float
        r of the prior (1 - r) r^k on the number of errors k; an error costs 2 + 4 ln(1/r). Smaller values
        make larger trees: the default asks some 2.5 to 4 errors of a leaf. Ignored, but for ``bound_``, with
        other rules and with a price.
    price : float, "noise" or None
        With a number, errors + price leaves is minimized in place of ``rule``; "noise" takes
        :func:`noise_price`.
    delta : float
        The bound holds with probability 1 - delta over the sample.
    categorical_features : "from_dtype", mask, list, dict or None
        Columns with finitely many values, for which a leaf costs less; with the capacities "all-structures",
        "sharp", "closed" and "closed-sharp". "from_dtype": those of pandas' categorical dtype, as many levels
        as it declares. A dict has positions or names of columns and their numbers of levels. Declare them
        before the examples are seen: a dtype that was made from them, as by ``astype("category")``, declares
        nothing, and no certificate follows from it. A mask or a list leaves the levels to be counted on the
        examples, and then ``bound_`` is no certificate. The columns hold numbers and splits are thresholds:
        encode words before; one-hot columns have 2 levels.
        The bound is then minimized along the weakest-link sequence: its penalty need not be concave.
    smoothing : float
        ``predict_proba`` gives (leaf counts + smoothing * frequencies at the root) / (leaf size + smoothing),
        with less smoothing where that would put another class in front; 2 is a good value. Predictions stay.
    max_leaf_nodes : int or None
        Size of the tree before pruning.
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
max_features, random_state, min_impurity_decrease, class_weight, ccp_alpha
        How the tree is grown; see ``DecisionTreeClassifier``. There is no ``monotonic_cst``.

    Attributes
    ----------
    bound_ : Bound
        Equation 8 for the pruned tree, every example with a positive weight counted once; print it to read
        what it says. Above 1 it promises nothing, which is usual; for a certificate that says something use
        :class:`CertifiedTreeClassifier`.
    pruning_path_ : BoundPath
        Leaves, errors and bound of each tree that was considered; ``to_frame()`` is a data frame. With
        weights, errors are weights. With a rule that walks no path: the trees before and after.
    tree_, classes_, n_classes_, n_features_in_, feature_names_in_, feature_importances_, max_features_
        As ``DecisionTreeClassifier`` has them, for the pruned tree.

    See Also
    --------
    CostComplexityPrunedTreeClassifier : a little more accurate, at many times the cost.
    prune : the same for a tree that is fitted already.

    Notes
    -----
    Sparse X and missing values are as in ``DecisionTreeClassifier``. ``sample_weight`` counts as
    multiplicity: an example of weight 2 prunes as two examples do, and weights that sum to 1, as AdaBoost has
    them, are a sample of one example (a warning says so). ``class_weight`` changes what errors cost among
    each other, not their total weight. Missing values double the number of features in the growth function,
    because a split also decides where they go. Several outputs are refused.

    Pruning is O(n log n) for n nodes, but for the capacities "tight" and "sharp", which take the sample size
    squared for every subtree that is new to the greedy search: seconds for 40 leaves and 1,000 examples.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treebounds import BoundPrunedTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    >>> model.pruning_path_.n_leaves, int(model.get_n_leaves())
    (array([22, 16, 13,  9,  7,  6,  4,  2,  1]), 6)
    >>> print(model.bound_)
    With probability 0.95 over samples of 569 independent examples, this tree errs on at most 81.9% of new
    cases, provided that delta and error_prior_ratio were set before the examples were seen and the classes
    were known (Equation 8, all-structures).
    """

    @_refuse_renamed
    def __init__(
        self, *, rule: str | CountingRule = "shawe-taylor", capacity: str = "all-structures",
        error_prior_ratio: float = ERROR_PRIOR_RATIO, price: float | str | None = None, delta: float = 0.05,
        categorical_features: Any = None, smoothing: float = 0.0, max_leaf_nodes: int | None = None,
        criterion: Criterion = "gini", splitter: Splitter = "best", max_depth: int | None = None,
        min_samples_split: float = 2, min_samples_leaf: float = 1, min_weight_fraction_leaf: float = 0.0,
        max_features: MaxFeatures = None, random_state: Any = None, min_impurity_decrease: float = 0.0,
        class_weight: Any = None, ccp_alpha: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(
            criterion=criterion, splitter=splitter, max_depth=max_depth, max_leaf_nodes=max_leaf_nodes,
            min_samples_split=min_samples_split, min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf, max_features=max_features,
            random_state=random_state, min_impurity_decrease=min_impurity_decrease,
            class_weight=class_weight, ccp_alpha=ccp_alpha,
        )  # fmt: skip
        self.rule = rule
        self.capacity = capacity
        self.error_prior_ratio = error_prior_ratio
        self.price = price
        self.delta = delta
        self.categorical_features = categorical_features
        self.smoothing = smoothing

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, check_input: bool = True
    ) -> BoundPrunedTreeClassifier:
        """Grow a tree and prune it.

        Parameters
        ----------
        X : (n_examples, n_features) array or sparse matrix
            NaN is a missing value.
        y : (n_examples,) array
            Labels of any type that sorts.
        sample_weight : (n_examples,) array, optional
            Multiplicities; not negative.
        check_input : bool
            Only for callers that have checked X and y themselves.

        Returns
        -------
        self
        """
        other = self._other_rule()
        # the greedy forms take long on large trees, and no other rule needs their bounds
        capacity = self.capacity if other is None else "all-structures"
        bound = ShaweTaylorRule(capacity, self.error_prior_ratio, self.delta)
        given = X
        X, y, weights = self._grow(X, y, sample_weight, check_input)
        levels = declared_levels(given, self.categorical_features)
        features, flaw = features_of_sample(X, levels)
        if weights.sum() < 2 <= np.count_nonzero(weights):
            warnings.warn(
                f"sample_weight sums to {weights.sum():.3g}: it counts as a number of examples, and so "
                "few leave one leaf; multiply the weights",
                stacklevel=2,
            )
        tree = ArrayTree.from_sklearn(self)
        # class weights change what errors cost among each other, not the size of the sample
        counts = tree.class_counts
        if self.class_weight is not None:
            counts = counts * (weights.sum() / counts[0].sum())
        self.pruning_path_ = path = _path(tree, counts, bound, other, features)
        self._collapse(path.nodes())
        k, m = path.n_errors[path.best], counts[0].sum()
        value = float(path.bounds[path.best])
        if sample_weight is not None or self.class_weight is not None:
            counted = weights > 0
            m = counted.sum()
            k = ((self.predict(X, check_input=False) != y) & counted).sum()
            value = bound.bound(tree.collapse(path.nodes()), k, m, features)
        if not flaw and not weights.all():
            flaw = "examples of weight 0 are left out of it"
        flaw = bound.flaw or flaw
        fixed = "delta, error_prior_ratio and the levels of categorical features" if levels else Bound.fixed
        self.bound_ = Bound(value, bound.capacity, self.delta, int(m), float(k), flaw, fixed)
        return self

    @property
    def risk_bound_(self) -> Any:
        """Refused; it is ``bound_`` since version 0.2.0."""
        raise AttributeError("risk_bound_ is bound_ since version 0.2.0")

    def _other_rule(self) -> CountingRule | None:
        """What prunes in the place of the bound, if anything does."""
        if self.price is not None:
            return PriceRule(self.price)
        if isinstance(self.rule, CountingRule):
            return self.rule
        return COUNTING_RULES.get(check_option(self.rule, "rule, when no rule of treebounds.pruning,", RULES))


def _path(
    tree: ArrayTree,
    counts: NDArray[np.float64],
    bound: ShaweTaylorRule,
    other: CountingRule | None,
    features: int | FeatureKinds,
) -> BoundPath:
    """The trees that were considered, the one that is kept among them."""
    errors, m = errors_of_counts(tree, counts), counts[0].sum()
    if other is None:
        return bound.path(tree, errors, m, features)
    if isinstance(other, PriceRule):
        path = bound.path(tree, errors, m, features)
        return replace(path, chosen=other.step(weakest_link_sequence(tree, errors)))
    cut = other.nodes(tree, counts)
    cuts = [cut[:0], cut] if len(cut) else [cut]
    trees = [tree.collapse(nodes) for nodes in cuts]
    wrong = [errors[tree.kept_nodes(c)][t.is_leaf].sum() for c, t in zip(cuts, trees, strict=True)]
    bounds = [bound.bound(t, k, m, features) for t, k in zip(trees, wrong, strict=True)]
    steps = np.full(tree.n_nodes, len(trees))
    steps[cut] = 1
    n_leaves = np.array([t.n_leaves for t in trees])
    return BoundPath(n_leaves, np.array(wrong), np.array(bounds), steps, len(trees) - 1)
