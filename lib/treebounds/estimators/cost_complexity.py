"""scikit-learn trees whose price of a leaf is chosen by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.parallel import Parallel, delayed

from treebounds._validation import check_option
from treebounds.estimators._checked_sample import check_groups_are_used, grow
from treebounds.estimators._classification import (
    OneOutputTreeClassifier,
    grow_and_judge,
)
from treebounds.estimators._regression import PrunedRegressionTree, summed
from treebounds.formats.scikit_learn import (
    collapse_sklearn,
    from_sklearn,
    unfitted_like,
)
from treebounds.pruning.cost_complexity import (
    CARRIES,
    SELECTIONS,
    cost_complexity_path,
    cross_validated_errors,
    select_member,
)
from treebounds.pruning.weights import effective_scale
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.trees._statistics import squared_errors
from treebounds.trees.weakest_link import last_minimum


class CostComplexityPrunedTreeClassifier(OneOutputTreeClassifier):
    """A decision tree pruned by minimal cost-complexity, with a price of a leaf chosen
    by cross-validation.

    Breiman et al. (1984), chapter 3: the prunings of the tree that are best for some
    price of a leaf form a sequence. Each of them is best for an interval of prices.
    Trees that were grown without one of the folds are pruned at the geometric mean of
    that interval, and their errors on the fold estimate its error rate.

    >>> from sklearn.datasets import load_wine
    >>> from treebounds import CostComplexityPrunedTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = CostComplexityPrunedTreeClassifier(random_state=0).fit(X, y)
    >>> int(tree.get_n_leaves()), tree.price_ > 0
    (5, True)

    Parameters
    ----------
    cv : int, splitter or iterable of splits, default=3
        An int gives stratified folds without shuffling; if the largest class has fewer
        examples than that, ``fit`` warns and takes as many folds as this class has
        examples. Rows that belong together (patients, duplicates) need a splitter, for
        example ``GroupKFold(3)``, and ``fit(X, y, groups=patients)``.
    selection : {"minimum", "one-standard-error"}, default="minimum"
        The smallest tree with the fewest held-out errors, or with at most one standard
        error more.
    carry : {"errors", "fractions"}, default="errors"
        How a price of a leaf carries over between the tree of all examples and those of
        the folds: as a number of errors, or as a fraction of the examples, as in the
        textbook. The number of errors that a leaf has to save hardly depends on the
        number of examples, so three folds with "errors" do as well as ten with
        "fractions".
    n_jobs : int, default=None
        Number of trees to grow in parallel.
    remember : bool, default=True
        See :class:`BoundPrunedTreeClassifier`.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of the tree before pruning.
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf,
    min_weight_fraction_leaf, \
max_features, random_state, min_impurity_decrease, class_weight
        As in ``DecisionTreeClassifier``.

    Attributes
    ----------
    price_ : float
        The lowest price at which the chosen tree is best, in training errors per leaf.
    prices_ : (n_members,) array
        The lowest price at which each member of the path is best.
    cv_errors_ : (n_members,) array
        Estimate of the fraction of held-out examples, or of their weight, that each
        member gets wrong.
    tree_, classes_, n_classes_, n_features_in_, feature_names_in_,
    feature_importances_, max_features_
        As ``DecisionTreeClassifier`` has them, for the pruned tree.

    See Also
    --------
    BoundPrunedTreeClassifier : without cross-validation.

    Notes
    -----
    Costs are training errors; scikit-learn's ``ccp_alpha`` counts impurity. ``fit``
    grows one tree per fold and one on all examples.
    """

    def __init__(
        self,
        *,
        cv: Any = 3,
        selection: str = "minimum",
        carry: str = "errors",
        n_jobs: int | None = None,
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
    ) -> None:
        self.cv = cv
        self.selection = selection
        self.carry = carry
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
        self.class_weight = class_weight

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> CostComplexityPrunedTreeClassifier:
        """Grow a tree, choose the price of a leaf by cross-validation, and prune.

        Parameters
        ----------
        X : (n_examples, n_features) array
        y : (n_examples,) array
        sample_weight : (n_examples,) array, optional
            Weights of the examples, for growing and for training and held-out errors.
        groups : (n_examples,) array, optional
            The group of each row, which a splitter such as ``cv=GroupKFold(3)`` keeps
            together.

        Returns
        -------
        self
        """
        check_groups_are_used(groups, self.cv)
        check_option(self.carry, "carry", CARRIES)
        check_option(self.selection, "selection", SELECTIONS)

        grown = grow(self, X, y, sample_weight, groups)
        costs = grown.weights * compute_sample_weight(self.class_weight, grown.y)
        path = cost_complexity_path(from_sklearn(grown.tree))

        judged_trees = Parallel(n_jobs=self.n_jobs)(
            delayed(grow_and_judge)(unfitted_like(self), grown, costs, train, test)
            for train, test in self._folds(grown.X, grown.y, groups)
        )
        folds = [
            (cost_complexity_path(tree), held_out) for tree, held_out in judged_trees
        ]
        errors = cross_validated_errors(path, folds, self.carry)

        scale = effective_scale(costs)
        chosen = select_member(scale * errors, scale * costs.sum(), self.selection)
        cut = path.sequence.nodes(path.steps[chosen])
        self._publish_tree(
            collapse_sklearn(grown.tree, cut),
            RowHashes(grown.X),
            price_=float(path.prices[chosen]),
            prices_=path.prices,
            cv_errors_=errors / costs.sum(),
        )
        return self

    def _folds(
        self, X: Any, y: NDArray[Any], groups: ArrayLike | None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Training and test rows of each fold; fewer folds than ``cv`` if the largest
        class is smaller.
        """
        cv = self.cv
        if isinstance(cv, (int, np.integer)):
            largest = int(np.unique(y, return_counts=True)[1].max())
            if cv < 2 or largest < 2:
                raise ValueError(
                    "cv must be at least 2, and one class must have at least 2"
                    f" examples; got cv={cv} and n_samples = {len(y)}"
                )
            if cv > largest:
                few = (
                    f"cv={cv}, but the largest class has {largest} examples: {largest}"
                    " folds are used"
                )
                warnings.warn(few, stacklevel=3)
                cv = largest

        splits: Iterator[tuple[NDArray[Any], NDArray[Any]]]
        splits = check_cv(cv, y, classifier=True).split(X, y, groups)
        return splits


class CostComplexityPrunedTreeRegressor(PrunedRegressionTree):
    """A regression tree pruned by minimal cost-complexity, with a price of a leaf
    chosen by cross-validation.

    As :class:`CostComplexityPrunedTreeClassifier`, with squared errors as the cost.

    >>> from sklearn.datasets import load_diabetes
    >>> from treebounds import CostComplexityPrunedTreeRegressor
    >>> model = CostComplexityPrunedTreeRegressor(random_state=0)
    >>> int(model.fit(*load_diabetes(return_X_y=True)).get_n_leaves())
    6

    Parameters
    ----------
    cv : int, splitter or iterable of splits, default=3
        An int draws this number of folds with ``random_state``, or as many as there are
        examples. Rows that belong together need a splitter, for example
        ``GroupKFold(3)``, and ``fit(X, y, groups=patients)``.
    carry : {"errors", "fractions"}, default="errors"
        How a price of a leaf carries over between the tree of all examples and those of
        the folds: as a sum of squared errors, or multiplied by the fraction of the
        examples, as in the textbook.
    n_jobs : int, default=None
        Number of trees to grow in parallel.
    remember : bool, default=True
        See :class:`BoundPrunedTreeClassifier`.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of the tree before pruning.
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf,
    min_weight_fraction_leaf, \
max_features, random_state, min_impurity_decrease
        How the tree is grown, as in ``DecisionTreeRegressor``. It is pruned by squared
        errors, whatever the criterion; "absolute_error" is refused, because such a tree
        predicts medians.

    Attributes
    ----------
    price_ : float
        The lowest price at which the chosen tree is best, in squared errors per leaf.
    prices_ : (n_members,) array
        The lowest price at which each member of the path is best.
    cv_errors_ : (n_members,) array
        Mean squared error of each member on the folds.
    tree_, n_features_in_, feature_names_in_, feature_importances_, max_features_
        As ``DecisionTreeRegressor`` has them, for the pruned tree.

    See Also
    --------
    PrunedTreeRegressor : a price for each cut, in about the same time.

    Notes
    -----
    ``fit`` grows one tree per fold and one on all examples. ``price_`` is a sum over
    the examples; scikit-learn's ``ccp_alpha`` is a mean: ``price_ / n_examples``.
    """

    def __init__(
        self,
        *,
        cv: Any = 3,
        carry: str = "errors",
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
        self.cv = cv
        self.carry = carry
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
    ) -> CostComplexityPrunedTreeRegressor:
        """Grow a tree, choose the price of a leaf by cross-validation, and prune.

        Parameters
        ----------
        X : (n_examples, n_features) array
        y : (n_examples,) array
            Finite numbers.
        sample_weight : (n_examples,) array, optional
            Weights of the examples, for growing and for training and held-out errors.
        groups : (n_examples,) array, optional
            The group of each row, which a splitter such as ``cv=GroupKFold(3)`` keeps
            together.

        Returns
        -------
        self
        """
        check_option(self.carry, "carry", CARRIES)
        grown = grow(self, X, y, sample_weight, groups)
        tree, sums, _ = summed(grown.tree, grown.X, grown.y, grown.weights)
        path = cost_complexity_path(tree, squared_errors(sums))

        folds = [
            (cost_complexity_path(fold.tree, squared_errors(fold.sums)), fold.held_out)
            for fold in self._fold_trees(grown, groups)
        ]
        errors = cross_validated_errors(path, folds, self.carry)

        chosen = last_minimum(errors)
        cut = path.sequence.nodes(path.steps[chosen])
        self._publish_tree(
            collapse_sklearn(grown.tree, cut),
            RowHashes(grown.X),
            price_=float(path.prices[chosen]),
            prices_=path.prices,
            cv_errors_=errors / grown.weights.sum(),
        )
        return self
