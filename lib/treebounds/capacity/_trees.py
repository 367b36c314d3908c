"""Structures and kinds of features, read from a structure, a fitted tree, a list of
these, or an ensemble.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from treebounds.capacity._ensembles import (
    boosted_trees,
    check_task,
    trees_of_ensemble,
)
from treebounds.capacity.features import FeatureKinds, check_features
from treebounds.structure import TreeStructure
from treebounds.trees.array_tree import ArrayTree


class Predictor(Protocol):
    """A fitted model: an ArrayTree, a tree or an ensemble of scikit-learn, a
    booster.
    """

    @property
    def predict(self) -> Any:
        """Its predictions for rows of a sample."""


TreeLike: TypeAlias = TreeStructure | Predictor
TreesLike: TypeAlias = TreeLike | Sequence[TreeLike]


def check_structure(tree: Any, name: str = "tree") -> TreeStructure:
    """Return the structure itself or that of a fitted tree, or raise a ValueError that
    names the argument.

    >>> from treebounds.capacity._trees import check_structure
    >>> check_structure(None)
    Traceback (most recent call last):
    ValueError: tree must be a TreeStructure, an ArrayTree or a fitted scikit-learn ...
    """
    if isinstance(tree, TreeStructure):
        return tree

    if isinstance(tree, ArrayTree):
        return tree.structure

    if hasattr(tree, "tree_"):
        return TreeStructure.from_sklearn(tree)

    raise ValueError(
        f"{name} must be a TreeStructure, an ArrayTree or a fitted scikit-learn tree;"
        f" got {type(tree).__name__}"
    )


def check_splits(tree: Any, n_features: float, n_finite_splits: int = 0) -> None:
    """Raise a ValueError if a fitted tree has splits that a bound does not cover.

    The tree may test only the first ``n_features`` features. If it splits by sets of
    categories, the bound must be for features with finitely many values.
    """
    if isinstance(tree, TreeStructure):
        return

    nodes = tree.tree_ if hasattr(tree, "tree_") else tree
    n_columns = int(np.max(nodes.feature)) + 1
    if n_columns > n_features:
        raise ValueError(
            f"n_features must be at least {n_columns}, which tree needs; got"
            f" {n_features}"
        )

    splits_categories = np.any(getattr(nodes, "asks_for_category", False))
    if splits_categories and not n_finite_splits:
        raise ValueError(
            "tree splits by sets of categories; only bounds for FeatureKinds hold for"
            " it: n_features=FeatureKinds(nominal_subsets=[...]) says how many"
            " categories each column has"
        )


def _refuse_categories(trees: Sequence[Any]) -> None:
    """Raise a ValueError if a tree splits by sets of categories, for a bound that no
    FeatureKinds extends to such splits.
    """
    # Structures, of which a list may have a million, have no such attribute.
    asked = (getattr(tree, "asks_for_category", None) for tree in trees)
    if any(categories is not None and np.any(categories) for categories in asked):
        raise ValueError(
            "tree splits by sets of categories; this bound is for splits by thresholds:"
            " grow it on columns of numbers, for example with"
            " sklearn.preprocessing.OneHotEncoder"
        )


def check_tree(tree: Any, n_features: Any) -> tuple[TreeStructure, FeatureKinds]:
    """Return the structure of one tree and the kinds of its features, or raise a
    ValueError.

    Parameters
    ----------
    tree : TreeStructure, ArrayTree or fitted tree
    n_features : int, FeatureKinds or None
        None stands for the number of features of a fitted tree.
    """
    structure = check_structure(tree)
    kinds = _kinds(n_features, _own_n_features(tree))
    check_splits(tree, kinds.n_features, kinds.n_finite_splits)
    return structure, kinds


def check_real_tree(tree: Any, n_features: Any) -> tuple[TreeStructure, int]:
    """Return the structure of one tree and the number of its real-valued features, or
    raise a ValueError.
    """
    structure, kinds = check_tree(tree, n_features)
    return structure, real_valued(kinds)


def real_valued(kinds: FeatureKinds) -> int:
    """Return the number of features, or raise a ValueError unless all are
    real-valued.
    """
    if kinds.n_finite_splits:
        raise ValueError(
            "n_features must be an integer: this function is for real-valued features"
        )
    return kinds.real


def check_trees(
    trees: Any, n_features: Any, regression: bool = False
) -> tuple[list[TreeStructure], FeatureKinds]:
    """Structures of all trees, without single leaves, which only add a constant, and
    the kinds of features.

    Parameters
    ----------
    trees : TreeStructure, ArrayTree, fitted tree, list of these, or fitted ensemble
        The argument ``tree`` of a public function.
    n_features : int, FeatureKinds or None
        None stands for the number of features of fitted trees.
    regression : bool
        Whether the trees predict numbers, not classes.

    Raises
    ------
    ValueError
        If ``trees`` is of another type, has trees on different numbers of features, or
        is a regressor in place of a classifier or vice versa; or if ``n_features`` is
        not the number of features of the trees.
    """
    structures, own_n_features = _read_trees(trees, n_features, regression)
    kinds = _kinds(n_features, own_n_features)

    if own_n_features is not None and kinds.n_features != own_n_features:
        raise ValueError(
            f"n_features must be {own_n_features}, as in tree; got {kinds.n_features}"
        )

    if len(structures) > 1 and kinds.n_finite_splits:
        raise ValueError(
            "n_features must be an integer (of real-valued features) for more than one"
            " tree"
        )

    return [structure for structure in structures if not structure.is_leaf], kinds


def _kinds(n_features: Any, own_n_features: int | None) -> FeatureKinds:
    """The kinds of features that an argument gives, or in its absence a fitted tree."""
    if n_features is not None:
        return check_features(n_features)

    if own_n_features is None:
        raise ValueError(
            "n_features may be omitted only for fitted trees; a TreeStructure does not"
            " have it"
        )
    return check_features(own_n_features)


def _own_n_features(tree: Any) -> int | None:
    """The number of features of a fitted tree; a structure has none."""
    if isinstance(tree, ArrayTree):
        return tree.n_features
    return getattr(tree, "n_features_in_", None)


def _read_trees(
    trees: Any, n_features: Any, regression: bool
) -> tuple[list[TreeStructure], int | None]:
    """Structures of trees, and the number of features if fitted trees have it."""
    library = type(trees).__module__.partition(".")[0]
    if library in ("xgboost", "lightgbm"):
        return boosted_trees(trees, library, regression)

    if isinstance(trees, list | tuple):
        return _listed(trees, n_features, regression)

    check_task(trees, regression)
    if hasattr(trees, "fit") and not hasattr(trees, "tree_"):
        return trees_of_ensemble(trees), trees.n_features_in_
    return _listed([trees], n_features, regression)


def _listed(
    trees: Sequence[Any], n_features: Any, regression: bool
) -> tuple[list[TreeStructure], int | None]:
    """Structures of the trees of a list, and the number of features of fitted ones."""
    if not trees:
        raise ValueError("tree must not be an empty list")

    structures = []
    for tree in trees:
        check_task(tree, regression)
        structures.append(check_structure(tree))

    sizes = {_own_n_features(tree) for tree in trees} - {None}
    if len(sizes) > 1:
        raise ValueError(
            "tree: the trees of the list have different numbers of features,"
            f" {sorted(filter(None, sizes))}"
        )

    n_finite_splits = getattr(n_features, "n_finite_splits", 0)
    if regression or len(trees) > 1:
        _refuse_categories(trees)
    for tree in trees:
        # Another number than that of fitted trees is refused later, by name.
        check_splits(tree, math.inf, n_finite_splits)
    return structures, next(iter(sizes), None)
