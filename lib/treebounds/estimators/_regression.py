"""The common base of the pruned trees that predict numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import KFold, check_cv
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.parallel import Parallel, delayed

from treebounds.estimators._checked_sample import (
    Grown,
    check_groups_are_used,
    grow_again,
    only,
)
from treebounds.estimators._publishing import NoCheckInput, PublishedTree
from treebounds.formats.scikit_learn import from_sklearn, unfitted_like
from treebounds.trees._statistics import means, squared_errors_around
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import sums_where_reached


class PrunedRegressionTree(PublishedTree, DecisionTreeRegressor, NoCheckInput):
    """A regression tree of one output that scikit-learn grows and this library
    prunes.
    """

    criterion: Any = "squared_error"
    splitter: Any = "best"
    monotonic_cst = None
    ccp_alpha = 0.0
    cv: Any
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def _fold_trees(self, grown: Grown, groups: ArrayLike | None) -> list[FoldTree]:
        """A tree without each of the folds, with its errors on the fold."""
        folds = self._folds(grown.X, grown.y, groups)
        trees: list[FoldTree] = Parallel(n_jobs=self.n_jobs)(
            delayed(grow_without)(unfitted_like(self), grown, train, test)
            for train, test in folds
        )
        return trees

    def _folds(
        self, X: Any, y: NDArray[np.float64], groups: ArrayLike | None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Training and test rows of each fold. A number of folds draws them at
        random.
        """
        check_groups_are_used(groups, self.cv)
        cv = self.cv
        if isinstance(cv, (int, np.integer)):
            if cv < 2 or len(y) < 2:
                raise ValueError(
                    "cv must be at least 2, and there must be at least 2 examples; got"
                    f" cv={cv} and n_samples = {len(y)}"
                )
            n_folds = min(int(cv), len(y))
            cv = KFold(n_folds, shuffle=True, random_state=self.random_state)
        splits: Iterator[tuple[NDArray[Any], NDArray[Any]]]
        splits = check_cv(cv).split(X, y, groups)
        return splits


class SummedTree(NamedTuple):
    """A grown regression tree as arrays, with the sums of its sample.

    Attributes
    ----------
    tree : ArrayTree
    sums : (n_nodes, 3) array
        Weight, and sums of the differences of y from its mean and of their squares: the
        squares of differences lose fewer digits than those of y.
    center : float
        That mean.
    """

    tree: ArrayTree
    sums: NDArray[np.float64]
    center: float


def summed(
    grown: DecisionTreeRegressor,
    X: Any,
    y: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> SummedTree:
    """The arrays and sums of a tree on the rows that it was grown on, or on some of
    them.
    """
    if grown.criterion == "poisson":
        tree = from_sklearn(grown, X, y, sample_weight=weights)
    else:
        tree = from_sklearn(grown)
    center = float(np.average(y, weights=weights))
    leaves = grown.apply(X, check_input=False)
    return SummedTree(
        tree, sums_where_reached(tree, leaves, y - center, weights), center
    )


class FoldTree(NamedTuple):
    """A regression tree that was grown without a fold, and its errors on it.

    Attributes
    ----------
    tree : ArrayTree
    sums : (n_nodes, 3) array
        Of the rows that it was grown on, see :class:`SummedTree`.
    held_out : (n_nodes,) array
        The squared errors of each node as a leaf on the fold.
    train : (n_train,) array of int
        The rows that it was grown on.
    """

    tree: ArrayTree
    sums: NDArray[np.float64]
    held_out: NDArray[np.float64]
    train: NDArray[np.int64]


def grow_without(
    grower: DecisionTreeRegressor, grown: Grown, train: NDArray[Any], test: NDArray[Any]
) -> FoldTree:
    """Grow a tree on some rows of a sample, and judge each of its nodes on others."""
    if not grown.weights[train].any():
        raise ValueError(
            "sample_weight must not be zero for all examples outside of a fold"
        )
    fitted = grow_again(grower, grown, only(train, grown.weights))
    tree, sums, center = summed(
        fitted, grown.X[train], grown.y[train], grown.weights[train]
    )

    leaves = fitted.apply(grown.X[test], check_input=False)
    judging = sums_where_reached(
        tree, leaves, grown.y[test] - center, grown.weights[test]
    )
    mean = means(sums, tree.parents)
    return FoldTree(tree, sums, squared_errors_around(judging, mean), train)
