"""The numbers of rows at the leaves of a fitted tree, as each library keeps them.

A tree's own sample is recognized by them, see
:mod:`treebounds.risk.reuse.leaf_evidence`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.utils.validation import check_array

from treebounds.risk.reuse.class_numbers import (
    ClassNumbers,
    multiples_of_a_weight,
    of_gradient_boosting,
    of_histogram_boosting,
    of_lightgbm,
    of_xgboost,
    start_of_xgboost,
)
from treebounds.trees import ArrayTree

# The covers of XGBoost are sums of 32-bit floats.
_TOLERANCE = 1e-4

# How far numbers of rows that follow from them may be from whole numbers. With a weight
# for each row they are not whole, and any others are as valid for the evidence.
_TOLERANCE_OF_NUMBERS = 0.1

# Rounds of XGBoost in which a tree that splits is looked for: with the loss "hinge" the
# first trees are single leaves.
_MOST_ROUNDS = 10


@dataclass(frozen=True)
class LeafCounts:
    """How many rows of each class were at each leaf of a tree when it was grown.

    Attributes
    ----------
    grown : (n_leaves, n_classes) array of float
        One column if the classes are not known; the numbers and the sums of y for a
        tree of numbers.
    classes : list or None
        Labels of the columns.
    leaf_of : function
        From rows to the numbers of their leaves, from 0.
    is_share : bool
        Whether the numbers are known up to a factor only, or up to one for each class,
        as where the rows of a class have a weight. There is one column then.
    is_of_numbers : bool
        Whether the second column holds sums of y.
    is_regression : bool
        Whether the model predicts numbers, so that its rows have no classes.
    samples : function or None
        Returns a list of arrays of row numbers that the tree may have been grown on, of
        a sample of ``n_rows`` rows; None for all rows.
    numbers : (n_leaves, 1) array, optional
        The numbers of rows if ``is_share``, where the factor is known.
    of_a_class : ClassNumbers, optional
        The numbers of rows of one class, and of all others, where the tree does not
        tell classes apart, but they follow from its values.
    label : object
        The label of this class.
    n_rows : int or None
        Number of rows of the sample; None if it is not known.
    n_drawn : dict, optional
        For a tree that drew its rows: from each class to the number of rows that were
        drawn of it; a row that was drawn twice counts twice.
    """

    grown: NDArray[np.float64]
    classes: list[Any] | None
    leaf_of: Callable[[Any], NDArray[np.intp]]
    is_share: bool = False
    is_of_numbers: bool = False
    is_regression: bool = False
    samples: Callable[[], list[NDArray[np.intp]]] | None = None
    numbers: NDArray[np.float64] | None = None
    n_rows: int | None = None
    n_drawn: dict[Any, float] | None = None
    of_a_class: ClassNumbers | None = None
    label: Any = None

    def count(
        self, leaves: NDArray[np.intp], labels: NDArray[Any]
    ) -> list[NDArray[np.float64]]:
        """Numbers of rows at the leaves, like ``grown``; one table for each sample."""
        if self.samples is None:
            return [self._table(leaves, labels)]
        return [self._table(leaves[rows], labels[rows]) for rows in self.samples()]

    def agrees(self, counts: NDArray[np.float64]) -> bool:
        """Whether these are the numbers of the sample that the tree was grown on."""
        return self.n_factors(counts) is not None

    def n_factors(self, counts: NDArray[np.float64]) -> int | None:
        """How many factors the numbers need, each for a column of its own, to be those
        of the sample that the tree was grown on; None if they are not. One factor for
        all columns is counted as none.
        """
        total = counts.sum()
        if total == 0:
            return None
        if not self.is_share:
            return 0 if np.allclose(counts, self.grown, rtol=1e-6) else None

        sizes = counts[:, 0] if self.is_of_numbers else counts.sum(axis=1)
        expected = self.grown[:, 0] * (sizes.sum() / self.grown.sum())
        if np.allclose(sizes, expected, rtol=_TOLERANCE):
            return 0
        columns = counts[:, counts.any(axis=0)]
        factors, _, rank, _ = np.linalg.lstsq(columns, self.grown[:, 0], rcond=None)
        are_weights = self.is_of_numbers or (factors > 0).all()
        is_solved = are_weights and rank == columns.shape[1] < len(columns)
        if is_solved and np.allclose(columns @ factors, self.grown[:, 0], _TOLERANCE):
            return int(rank)
        return None

    def may_be_from(self, labels: NDArray[Any]) -> bool:
        """Whether a sample with these labels can be the one that the tree was grown on:
        not if it has other numbers of rows of the classes, or another sum of y.
        """
        if self.samples is not None:
            return self.n_drawn is None or _counts_agree(
                labels[self.samples()[0]], self.n_drawn
            )
        if self.is_share:
            return True
        if self.is_of_numbers:
            sums = self.grown[:, 1]
            allowed = 1e-5 * (np.abs(sums).sum() + len(sums))
            return bool(abs(float(np.sum(labels)) - sums.sum()) <= allowed)
        if self.classes is None:
            return True
        at_root = self.grown.sum(axis=0).tolist()
        return _counts_agree(labels, dict(zip(self.classes, at_root, strict=True)))

    @property
    def of_rows(self) -> NDArray[np.float64] | None:
        """The numbers of rows by classes, of one class and all others, or of all
        classes together, if the tree was grown on the whole sample; else None.
        """
        if self.samples is not None:
            return None
        if self.of_a_class is not None:
            return self.of_a_class.grown
        numbers = self.numbers
        if not self.is_share:
            numbers = self.grown if self._are_by_class else self.grown[:, :1]
        if numbers is None:
            return None
        rounded = np.rint(numbers)
        return rounded if np.allclose(numbers, rounded, rtol=1e-6) else None

    def count_rows(
        self, leaves: NDArray[np.intp], labels: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Numbers of rows at the leaves, like ``of_rows``."""
        if self._are_by_class:
            return self._table(leaves, labels)
        parts = [leaves]
        if self.of_a_class is not None:
            is_other = self.is_together(labels)
            parts = [leaves[is_other], leaves[~is_other]]
        n_leaves = len(self.grown)
        numbers = [np.bincount(part, minlength=n_leaves) for part in parts]
        return np.column_stack(numbers).astype(float)

    def is_together(self, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """A mask of the rows whose classes are not told apart by ``of_rows``."""
        if self.of_a_class is not None:
            return np.asarray(labels != self.label)
        are_together = not self._are_by_class and not self.is_regression
        return np.full(len(labels), are_together)

    @property
    def _are_by_class(self) -> bool:
        """Whether there is a number for each class."""
        return self.classes is not None and not self.is_share

    def are_of_classes(
        self, leaves: NDArray[np.intp], labels: NDArray[Any]
    ) -> bool | None:
        """Whether the numbers of rows of a class at the leaves are those of the sample
        that the tree was grown on; None if the tree does not have them beside those of
        all classes together.
        """
        if self.of_a_class is None:
            return None
        reached = self.count_rows(leaves, labels)
        return np.array_equal(reached, self.of_a_class.grown)

    @property
    def tell_classes(self) -> bool:
        """Whether the rows of each class are counted, or y is summed."""
        return self._are_by_class or (self.is_of_numbers and not self.is_share)

    def _table(
        self, leaves: NDArray[np.intp], labels: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Numbers of rows at the leaves, by classes if these are known."""
        n_leaves = len(self.grown)
        if self.is_of_numbers:
            sums = np.bincount(leaves, weights=labels, minlength=n_leaves)
            return np.column_stack([np.bincount(leaves, minlength=n_leaves), sums])
        if self.classes is None:
            return np.bincount(leaves, minlength=n_leaves).astype(float)[:, np.newaxis]
        columns = [
            np.bincount(leaves[labels == label], minlength=n_leaves)
            for label in self.classes
        ]
        if self.is_share:
            # Rows with other labels have been at the leaves, too.
            others = ~np.isin(labels, self.classes)
            columns.append(np.bincount(leaves[others], minlength=n_leaves))
        return np.column_stack(columns).astype(float)


def _counts_agree(labels: NDArray[Any], expected: dict[Any, float]) -> bool:
    """Whether each label occurs as often as expected."""
    n_rows = [np.count_nonzero(labels == label) for label in expected]
    return bool(np.allclose(n_rows, list(expected.values()), rtol=1e-5))


def leaf_counts(model: Any, place: int = 0) -> LeafCounts | None:
    """The numbers of rows at the leaves of a tree, or of the first or the last tree of
    an ensemble. The last one was grown on other rows if the ensemble was continued.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.reuse.leaf_counts import leaf_counts
    >>> tree = DecisionTreeClassifier().fit([[0], [1], [2]], ["a", "b", "b"])
    >>> counts = leaf_counts(tree)
    >>> counts and counts.grown.tolist()
    [[1.0, 0.0], [0.0, 2.0]]

    Parameters
    ----------
    model : object
        Any fitted classifier or tree.
    place : {0, -1}
        The first or the last tree.

    Returns
    -------
    LeafCounts or None
        None if the model keeps none, or the tree is a single leaf. None, too, for the
        last tree of a model that is a single tree, or one of XGBoost's.
    """
    counts: LeafCounts | None
    if hasattr(model, "booster_"):
        counts = _of_lightgbm(model.booster_, place)
    elif hasattr(model, "_predictors"):
        counts = _of_histogram_boosting(model, place)
    elif place and not hasattr(model, "estimators_"):
        counts = None
    elif isinstance(model, ArrayTree):
        counts = _of_array_tree(model)
    elif hasattr(model, "get_booster"):
        counts = _of_xgboost(model)
    else:
        counts = _of_scikit_learn(model, place)
    if counts is None or len(counts.grown) < 2:
        return None
    is_array = isinstance(model, ArrayTree)
    is_regression = model.is_regression if is_array else is_regressor(model)
    counts = replace(counts, is_regression=is_regression)
    if counts.of_a_class is None or place or is_regression:
        # Later trees are grown where predictions differ.
        return replace(counts, of_a_class=None)
    return replace(counts, label=model.classes_[counts.of_a_class.place])


def _of_array_tree(tree: ArrayTree) -> LeafCounts:
    """Those of an ArrayTree, whose counts come from the rows that it was made from."""
    leaves = np.flatnonzero(tree.is_leaf)

    def leaf_of(X: Any) -> NDArray[np.intp]:
        return np.searchsorted(leaves, tree.apply(X))

    # Where the tree does not have the numbers, its rounded weights are the numbers.
    statistics = tree.statistics[leaves]
    weights = statistics[:, 0] if tree.is_regression else statistics.sum(axis=1)
    known = tree.example_counts
    n_rows = np.rint(weights) if known is None else known[leaves].astype(float)
    counts = LeafCounts(n_rows[:, np.newaxis], None, leaf_of, n_rows=int(n_rows.sum()))
    if tree.is_regression:
        if not np.allclose(weights, n_rows, rtol=1e-6):
            return counts
        return replace(counts, grown=statistics[:, :2], is_of_numbers=True)

    numbers: Any = statistics
    if not _are_numbers(statistics, n_rows):
        numbers = _without_weights(statistics, n_rows)
    if numbers is None:
        return counts
    return replace(counts, grown=numbers, classes=list(range(tree.n_classes)))


def _are_numbers(counts: NDArray[Any], n_rows: NDArray[Any]) -> bool:
    """Whether class counts are numbers of rows, and not weights."""
    rounded = np.rint(counts)
    is_whole = np.allclose(counts, rounded, rtol=1e-6)
    return is_whole and np.array_equal(rounded.sum(axis=1), n_rows)


def _of_scikit_learn(model: Any, place: int) -> LeafCounts | None:
    """Those of a tree of scikit-learn, or of one of an ensemble."""
    member = _member(model, place)
    tree: Any = getattr(member, "tree_", None)
    if not hasattr(tree, "n_node_samples"):
        return None
    leaves = np.flatnonzero(tree.children_left < 0)
    columns = getattr(model, "estimators_features_", [slice(None)])[place]

    def leaf_of(X: Any) -> NDArray[np.intp]:
        # The members of a forest do not know the names of columns.
        if not hasattr(member, "feature_names_in_"):
            X = check_array(X, accept_sparse=True, dtype=None, ensure_all_finite=False)
            X = X[:, columns]
        reached: NDArray[np.intp] = np.searchsorted(leaves, member.apply(X))
        return reached

    counts = LeafCounts(
        grown=tree.n_node_samples[leaves].astype(float)[:, np.newaxis],
        classes=None,
        leaf_of=leaf_of,
        n_rows=int(tree.n_node_samples[0]),
    )
    if isinstance(model, GradientBoostingClassifier):
        of_a_class = of_gradient_boosting(model, tree, leaves)
        return replace(counts, of_a_class=of_a_class)
    # Asked of the class, because the model would draw the rows of all its members.
    if hasattr(type(model), "estimators_samples_") and not _takes_all_rows(model, tree):
        counts = replace(
            counts, samples=lambda: _drawn_rows(model, place), n_rows=_n_rows_of(model)
        )
    if member is model and is_regressor(model):
        return _with_sums(counts, tree, leaves)
    return _by_classes(counts, tree, leaves, getattr(model, "classes_", ()))


def _with_sums(counts: LeafCounts, tree: Any, leaves: NDArray[np.intp]) -> LeafCounts:
    """The numbers at the leaves of a regression tree with the sums of y, where its
    values are means of rows without weights.
    """
    weights = tree.weighted_n_node_samples
    if tree.value.shape[1:] != (1, 1) or not _are_means(tree):
        return counts
    if not np.array_equal(weights, tree.n_node_samples):
        return counts
    sums = tree.value[leaves, 0, 0] * weights[leaves]
    grown = np.column_stack([counts.grown, sums])
    return replace(counts, grown=grown, is_of_numbers=True)


def _are_means(tree: Any) -> bool:
    """Whether the values of the nodes of a scikit-learn tree are means over their rows:
    then the mean over two branches is the value of their node. It is not if values are
    medians, or were moved to be monotonic.
    """
    sums = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, np.newaxis]
    nodes = np.flatnonzero(tree.children_left >= 0)
    left, right = sums[tree.children_left[nodes]], sums[tree.children_right[nodes]]
    allowed = 1e-9 * (np.abs(left) + np.abs(right) + np.abs(sums[nodes]))
    return bool((np.abs(left + right - sums[nodes]) <= allowed).all())


def _by_classes(
    counts: LeafCounts, tree: Any, leaves: NDArray[np.intp], classes: Any
) -> LeafCounts:
    """The numbers at the leaves of a tree of scikit-learn by classes, where they are
    numbers of rows, or follow from sums of weights.
    """
    labels = np.asarray(classes).tolist()
    weights = tree.weighted_n_node_samples
    if len(labels) < 2 or tree.value.shape[1:] != (1, len(labels)):
        return counts
    if not _are_means(tree):
        return counts
    at_root = tree.value[0, 0, :] * weights[0]
    counts = replace(counts, n_drawn=_drawn_of_classes(labels, at_root, counts))
    grown = tree.value[leaves, 0, :] * weights[leaves, np.newaxis]
    if not np.array_equal(weights, tree.n_node_samples):
        numbers = _without_weights(grown, tree.n_node_samples[leaves])
        if numbers is None or counts.samples is not None:
            return counts
        grown = numbers
    return replace(counts, grown=grown, classes=labels)


def _without_weights(
    sums: NDArray[Any], n_rows: NDArray[Any]
) -> NDArray[np.float64] | None:
    """The numbers of rows at leaves by classes, from the sums of their weights, if all
    rows of a class have the same weight, as those of ``class_weight`` are; else None.

    The rows of a leaf are the sum over the classes of its weights divided by that of a
    row, which are linear equations; that of one leaf for each class would suffice. For
    fewer leaves it is tried whether all rows have the same weight, as those of the
    first tree of AdaBoost.
    """
    rows_per_weight, _, rank, _ = np.linalg.lstsq(sums, n_rows, rcond=None)
    if rank < sums.shape[1]:
        rows_per_weight = n_rows.sum() / sums.sum()
    numbers = sums * rows_per_weight
    rounded: NDArray[np.float64] = np.rint(numbers)
    are_numbers = np.allclose(numbers, rounded, atol=1e-6) and (rounded >= 0).all()
    if are_numbers and (rounded.sum(axis=1) == n_rows).all():
        return rounded
    return None


def _drawn_of_classes(
    labels: list[Any], at_root: NDArray[Any], counts: LeafCounts
) -> dict[Any, float] | None:
    """How many rows of each class a tree drew, where the sums of weights at its root
    are numbers of rows: as whole numbers are that add up to all rows that it drew.
    """
    if counts.samples is None or counts.n_rows is None:
        return None
    is_whole = np.allclose(at_root, np.rint(at_root), rtol=1e-9)
    if not is_whole or round(float(at_root.sum())) != counts.n_rows:
        return None
    return dict(zip(labels, np.rint(at_root).tolist(), strict=True))


def _takes_all_rows(ensemble: Any, tree: Any) -> bool:
    """Whether each tree of an ensemble was grown on all of its rows, once each."""
    if getattr(ensemble, "bootstrap", True):
        return False
    return bool(tree.n_node_samples[0] == _n_rows_of(ensemble))


def _n_rows_of(model: Any) -> int:
    """Number of rows that an ensemble was fitted to: the largest one that was drawn, if
    scikit-learn does not tell.
    """
    n_rows = getattr(model, "_n_samples", None)
    if n_rows is None:
        n_rows = 1 + max(int(rows.max()) for rows in model.estimators_samples_)
    return int(n_rows)


def _drawn_rows(model: Any, place: int) -> list[NDArray[np.intp]]:
    """Row numbers that a tree of an ensemble was grown on.

    A forest's tree counts a row once, with a weight, or as often as it was drawn.
    """
    alone = copy(model)
    # A forest draws for its members only; a bagging draws for all.
    alone.estimators_ = [model.estimators_[place]]
    drawn = alone.estimators_samples_[place]
    return [drawn, np.flatnonzero(np.bincount(drawn))]


def _member(model: Any, place: int) -> Any:
    """A member of an ensemble, or the model itself."""
    members = getattr(model, "estimators_", None)
    if isinstance(members, np.ndarray) and members.size:
        return members.flat[place]
    if isinstance(members, list) and members:
        return members[place]
    return model


def _of_lightgbm(booster: Any, place: int) -> LeafCounts | None:
    """Those of the first or last tree of a LightGBM model."""
    iteration = {"start_iteration": place % max(1, booster.current_iteration())}
    text = booster.model_to_string(num_iteration=1, **iteration)
    counts = re.search(r"^leaf_count=(.*)$", text, re.MULTILINE)
    if counts is None:
        return None
    grown = np.array([float(count) for count in counts[1].split()])

    def leaf_of(X: Any) -> NDArray[np.intp]:
        how = {"pred_leaf": True, "num_iteration": 1, **iteration}
        leaves = np.asarray(booster.predict(X, **how))
        return leaves.reshape(len(leaves), -1)[:, 0].astype(np.intp)

    of_a_class = None
    # Of a single leaf LightGBM writes no derivatives.
    if len(grown) > 1:
        of_a_class = of_lightgbm(text, grown)
    return LeafCounts(
        grown[:, np.newaxis],
        None,
        leaf_of,
        n_rows=int(grown.sum()),
        of_a_class=of_a_class,
    )


def _of_xgboost(model: Any) -> LeafCounts | None:
    """Those of the first tree of an XGBoost model that splits, up to a factor.

    The cover of a node is the sum of the second derivatives of the loss. Before the
    first tree that splits all predictions are equal, so they are a constant times the
    number of rows. If the classes have weights, as with ``scale_pos_weight`` or weights
    that balance the classes, the constant is another one for each class. The losses of
    gamma and Tweedie regression have second derivatives that are linear in y.
    """
    try:
        first = _first_that_splits(model.get_booster())
    except (ValueError, IndexError, KeyError):
        # It is a linear model, or of a version that keeps no covers.
        return None
    if first is None:
        return None
    leaves = np.array(sorted(first.covers))

    def leaf_of(X: Any) -> NDArray[np.intp]:
        # XGBoost has no leaves of later rounds without those of the first one.
        reached = np.asarray(model.apply(X, iteration_range=(0, first.n_rounds)))
        own = reached.reshape(len(reached), -1)[:, first.column]
        return np.searchsorted(leaves, own.astype(np.intp))

    grown = np.array([first.covers[leaf] for leaf in leaves.tolist()])
    of_a_class = None
    if first.learner is not None and not is_regressor(model):
        of_a_class = of_xgboost(
            model.get_booster(), first.learner, first.tree, leaves, first.column
        )
    classes = np.asarray(getattr(model, "classes_", ())).tolist()
    if len(classes) < 2:
        classes = None
    return LeafCounts(
        grown[:, np.newaxis],
        classes,
        leaf_of,
        is_share=True,
        is_of_numbers=is_regressor(model),
        numbers=_numbers_of_covers(grown, _hessian(first)),
        of_a_class=of_a_class,
    )


def _numbers_of_covers(
    covers: NDArray[Any], hessian: float | None
) -> NDArray[np.float64] | None:
    """The numbers of rows at leaves, from their covers and that of a row, if it is
    known; None if they are not multiples of it, or of any, as if rows have weights.
    """
    if hessian is None:
        multiples = multiples_of_a_weight(covers)
        return None if multiples is None else multiples[:, np.newaxis]
    numbers = covers / hessian
    rounded: NDArray[np.float64] = np.rint(numbers)
    are_whole = np.allclose(numbers, rounded, rtol=0, atol=_TOLERANCE_OF_NUMBERS)
    return rounded[:, np.newaxis] if are_whole else None


class _FirstTree(NamedTuple):
    """The first tree of XGBoost that splits.

    Attributes
    ----------
    covers : dict
        From the number of each leaf to its cover.
    n_rounds : int
        Number of rounds of boosting up to this tree.
    column : int
        Number of trees before it.
    tree : dict
        The tree in XGBoost's JSON.
    learner : dict or None
        The first round, if the tree belongs to it: later trees are grown where
        predictions differ.
    """

    covers: dict[int, float]
    n_rounds: int
    column: int
    tree: dict[str, Any]
    learner: dict[str, Any] | None


def _first_that_splits(booster: Any) -> _FirstTree | None:
    """The first tree of a booster that splits; None if the first few rounds have
    none.
    """
    column = 0
    for number in range(min(_MOST_ROUNDS, booster.num_boosted_rounds())):
        learner = json.loads(booster[number : number + 1].save_raw("json"))["learner"]
        inside = learner["gradient_booster"]
        # "dart" has one layer more.
        for tree in inside.get("gbtree", inside)["model"]["trees"]:
            covers = _leaf_covers(tree)
            if len(covers) > 1:
                start = learner if number == 0 else None
                return _FirstTree(covers, number + 1, column, tree, start)
            column += 1
    return None


def _hessian(first: _FirstTree) -> float | None:
    """The second derivative of the loss of a row before the first tree; None if it is
    not known, as for other losses than the usual ones.
    """
    if first.learner is None:
        return None
    if first.learner["objective"]["name"] == "reg:squarederror":
        return 1.0
    start = start_of_xgboost(first.learner, first.column)
    return None if start is None else start.derivative


def _leaf_covers(tree: dict[str, Any]) -> dict[int, float]:
    """Numbers and covers of the leaves of a tree in XGBoost's JSON, without deleted
    nodes.
    """
    left = tree["left_children"]
    waiting = [0]
    covers = {}
    while waiting:
        node = waiting.pop()
        if left[node] < 0:
            covers[node] = tree["sum_hessian"][node]
        else:
            waiting += [left[node], tree["right_children"][node]]
    return covers


def _of_histogram_boosting(model: Any, place: int) -> LeafCounts | None:
    """Those of the first or last tree of scikit-learn's HistGradientBoostingClassifier.

    It has no public way to them; where the private one is missing, nothing is
    recognized.
    """
    predictor = copy(model._predictors[place][0])
    nodes = getattr(predictor, "nodes", None)
    fields = {"is_leaf", "count", "value"}
    if nodes is None or not fields <= set(nodes.dtype.names or ()):
        return None
    if not hasattr(model, "_preprocess_X") or not hasattr(model, "_bin_mapper"):
        return None
    leaves = np.flatnonzero(nodes["is_leaf"])

    # Each node predicts its own number, so that scikit-learn leads rows through the
    # tree, also where it splits by sets of categories.
    predictor.nodes = nodes.copy()
    predictor.nodes["value"] = np.arange(len(nodes))
    of_rounded_rows = copy(predictor)
    of_rounded_rows.nodes = predictor.nodes.copy()
    of_rounded_rows.nodes["num_threshold"] = _rounded_up(nodes["num_threshold"])

    def leaf_of(X: Any) -> NDArray[np.intp]:
        # The columns of categories become numbers, and come first.
        values = model._preprocess_X(X, reset=False)
        known = model._bin_mapper.make_known_categories_bitsets()
        suitable = of_rounded_rows if _has_32_bits(X) else predictor
        numbers = suitable.predict(values, *known, 1)
        reached: NDArray[np.intp] = np.searchsorted(leaves, numbers)
        return reached

    grown = nodes["count"][leaves].astype(float)
    return LeafCounts(
        grown[:, np.newaxis],
        None,
        leaf_of,
        n_rows=int(grown.sum()),
        of_a_class=of_histogram_boosting(model, nodes[leaves]),
    )


def _has_32_bits(X: Any) -> bool:
    """Whether all numbers of a table are 32-bit floats."""
    types = getattr(X, "dtypes", getattr(X, "dtype", None))
    return all(each == np.float32 for each in np.ravel(np.asarray(types, dtype=object)))


def _rounded_up(thresholds: NDArray[Any]) -> NDArray[np.float64]:
    """Thresholds for rows that were rounded to 32 bits after the tree was grown: a row
    on a threshold, which stays left, may have been rounded up, and then so is the
    threshold.

    A threshold half-way between two neighbors of 32 bits stays: a tree that was grown
    on rows of 32 bits has such a one between two of them.
    """
    # A threshold that only missing values pass is infinite.
    with np.errstate(invalid="ignore", over="ignore"):
        nearest = thresholds.astype(np.float32).astype(float)
        opposite = 2 * thresholds - nearest
        is_between = opposite == opposite.astype(np.float32)
    return np.where(is_between, thresholds, np.maximum(thresholds, nearest))
