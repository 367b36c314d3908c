"""scikit-learn trees pruned by a bound, and pruning of trees that somebody has fitted already."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from treebounds._validation import check_option
from treebounds.pruning._estimator import Criterion, MaxFeatures, PrunedTreeClassifier, Splitter
from treebounds.pruning.bound import ShaweTaylorRule, n_orders
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.scikit_learn import check_classification_tree, collapse_classifier

__all__ = ["BOUNDS", "BoundPrunedTreeClassifier", "prune"]

BOUNDS = ("shawe-taylor",)
_ERROR_PRIOR_RATIO = 2**-13.7

Rule = Callable[[ArrayTree, NDArray[Any], NDArray[np.int64]], Iterable[int] | NDArray[Any]]


def prune(fitted_tree: Any, X: Any, y: Any, rule: str | Rule = "shawe-taylor") -> Any:
    """A pruned copy of a fitted scikit-learn tree; the original is untouched.

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier
        After ``fit``.
    X : (n_examples, n_features) array
        The sample on which the rule counts errors: usually the one that the tree was fitted on.
    y : (n_examples,) array
        Labels that the tree knows.
    rule : str or callable
        A bound of :class:`BoundPrunedTreeClassifier` as it comes, or a function of an :class:`ArrayTree`, X
        and the indices of the classes that returns the nodes to cut.

    Returns
    -------
    object of the type of ``fitted_tree``

    Raises
    ------
    ValueError
        If the tree is not fitted, the sample does not fit it, or the rule is unknown.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> pruned = prune(fitted, X, y, rule=ShaweTaylorRule(error_prior_ratio=2**-5))
    >>> int(fitted.get_n_leaves()), int(pruned.get_n_leaves())
    (12, 5)
    """
    tree = ArrayTree.from_sklearn(check_classification_tree(fitted_tree))
    X = validate_data(fitted_tree, X, reset=False, dtype=np.float32, ensure_all_finite="allow-nan")
    y = column_or_1d(y)
    check_consistent_length(X, y)
    labels = np.searchsorted(fitted_tree.classes_, y).clip(max=tree.n_classes - 1)
    unknown = fitted_tree.classes_[labels] != y
    if unknown.any():
        raise ValueError(f"y has the label {y[unknown.argmax()]}, which fitted_tree does not know")
    if isinstance(rule, str):
        rule = _bound_rule(check_option(rule, "rule", BOUNDS))
    if not callable(rule):
        raise ValueError(f"rule must be a name or a function of tree, X and y; got {rule!r}")
    return collapse_classifier(fitted_tree, rule(tree, X, labels))


class BoundPrunedTreeClassifier(PrunedTreeClassifier):
    """A decision tree that is grown best-first and pruned to minimize a bound of its risk.

    A drop-in for ``DecisionTreeClassifier`` that needs neither cross-validation nor a validation set: pruning
    takes milliseconds after growing.

    Parameters
    ----------
    max_leaf_nodes : int or None
        Size of the tree before pruning.
    bound : str
        "shawe-taylor": Equation 8 of Leboeuf et al. (2020), see :class:`ShaweTaylorRule`; its value seldom
        says anything. The others are certificates, see :func:`certify`: "description-length" (as a rule the
        smallest; thresholds become training values), "hypergeometric", "growth" (Vapnik's), and "pac-bayes",
        which grows on a random half of the examples and certifies the best single pruning on the other
        ("occam" of :func:`certify`).
    growth : {"all-structures", "tight", "loose", "loose-corrected", "closed"}
        The growth function inside the bound. The default is minimized over all prunings, the others greedily.
        "loose" is the paper's; one term is missing from it, so that its values are no bounds.
    error_prior_ratio : float
        r of the prior (1 - r) r^k on the number of errors k. Smaller values make errors dearer and trees
        larger; an error costs about as much as one leaf at the default. Only for "shawe-taylor".
    delta : float
        The bound holds with probability 1 - delta over the sample.
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
max_features, random_state, min_impurity_decrease, class_weight, ccp_alpha
        How the tree is grown; see ``DecisionTreeClassifier``.

    Attributes
    ----------
    risk_bound_ : RiskCertificate
        The bound for the pruned tree, a float with the attributes ``method``, ``delta`` and ``n_examples``;
        print it to read a sentence. That of "shawe-taylor" is not clipped at 1: larger values promise
        nothing. Every example with a positive weight counts once.
    pruning_path_ : BoundPath
        Leaves, errors and bound of each tree that was considered. With weights, errors are weights.
    tree_, classes_, n_classes_, n_features_in_, feature_names_in_, feature_importances_, max_features_
        As ``DecisionTreeClassifier`` has them, for the pruned tree.

    Notes
    -----
    ``sample_weight`` counts as multiplicity: an example of weight 2 prunes as two examples do.
    ``class_weight`` changes what errors cost among each other, not their total weight. Missing values double
    the number of features in the growth function, because a split also decides where they go. Several outputs
    and monotonicity constraints are refused. The certificates count examples: with them, unequal weights and
    sparse X are refused, and with "description-length" missing values, too; with "pac-bayes", balanced
    class weights.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoundPrunedTreeClassifier(error_prior_ratio=2**-8, random_state=0).fit(X, y)
    >>> model.pruning_path_.n_leaves, int(model.get_n_leaves())
    (array([22, 16, 13,  9,  7,  6,  4,  2,  1]), 7)
    """

    def __init__(
        self,
        max_leaf_nodes: int | None = 40, bound: str = "shawe-taylor", growth: str = "all-structures",
        error_prior_ratio: float = 2**-13.7, delta: float = 0.05,
        *,
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
        self.bound = bound
        self.growth = growth
        self.error_prior_ratio = error_prior_ratio
        self.delta = delta

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
        rule = _bound_rule(self.bound, self.growth, self.error_prior_ratio, self.delta)
        y, weights = self._grow(X, y, sample_weight, check_input)
        if check_input:
            X = validate_data(
                self, X, reset=False, dtype=np.float32, accept_sparse="csr", ensure_all_finite="allow-nan"
            )
        tree = ArrayTree.from_sklearn(self)
        errors, n_examples = tree.leaf_errors, tree.class_counts[0].sum()
        if self.class_weight is not None:
            errors, n_examples = errors * (weights.sum() / n_examples), weights.sum()
        orders = n_orders(X)
        self.pruning_path_ = path = rule.path(tree, errors, n_examples, orders)
        self._collapse(path.nodes())
        bound, k = float(path.bounds[path.best]), path.n_errors[path.best]
        if sample_weight is not None or self.class_weight is not None:
            counted = weights > 0
            wrong = (self.predict(X, check_input=False) != y) & counted
            k, n_examples = wrong.sum(), counted.sum()
            bound = rule.bound(tree.collapse(path.nodes()), k, n_examples, orders)
        self.bound_ = float(bound)
        return self


def _bound_rule(
    bound: str,
    growth: str = "all-structures",
    error_prior_ratio: float = _ERROR_PRIOR_RATIO,
    delta: float = 0.05,
) -> ShaweTaylorRule:
    check_option(bound, "bound", BOUNDS)
    return ShaweTaylorRule(growth, error_prior_ratio, delta)
