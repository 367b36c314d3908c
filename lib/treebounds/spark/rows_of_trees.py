"""Whether a tree was grown on the rows of a frame, by their numbers at its leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import require
from treebounds.risk.reuse.leaf_counters import (
    are_a_part,
    are_among_more,
    are_equal_beyond_chance,
    have_equal_sums_beyond_chance,
)
from treebounds.risk.reuse.leaf_evidence import log_chance_of_classes
from treebounds.risk.reuse.refusals import part_of_rows, rows_among_others, same_rows
from treebounds.spark.stages import at_last_stage, last_stage


def refuse_rows_of_the_tree(model: Any, frame: Any) -> None:
    """Raise a ValueError if a single tree, or the first one of several, was grown on
    the rows of a frame, or on some of them, by their numbers at its leaves.
    """
    tree = last_stage(model)
    is_single = hasattr(tree, "numNodes")
    first = tree if is_single else _tree_of_all_rows(tree)
    if first is None:
        return
    if _has_weights(tree) and _root(first) is not None:
        _refuse_rows_of_a_weighted_tree(model, frame, first)
        return

    if is_single:
        n_rows, grown, reached = _numbers_at_leaves(model, frame)
        if len(grown) < (tree.numNodes + 1) // 2:
            at_root = _numbers_at_root(tree)
            if at_root is None:
                return
            # All leaves that no row reaches count as one.
            grown = np.vstack([grown, at_root - grown.sum(axis=0)])
            reached = np.vstack([reached, np.zeros_like(at_root)])
    else:
        n_rows, grown, reached = _numbers_at_first_tree(model, frame)

    # With weights, numbers need not be those of rows.
    whole = np.rint(grown)
    if not np.allclose(grown, whole, rtol=1e-6):
        return
    if n_rows == reached.sum() and are_equal_beyond_chance(whole, reached):
        raise same_rows("frame")
    if n_rows == reached.sum() and are_a_part(whole, reached):
        raise part_of_rows("frame")
    if are_among_more(whole, reached, n_rows):
        raise rows_among_others("frame")


def _refuse_rows_of_a_weighted_tree(model: Any, frame: Any, tree: Any) -> None:
    """The same for a tree that was grown with weights: only the numbers of rows of all
    classes together are known.
    """
    n_grown = np.array([each.rawCount() for each in _kept_at_leaves(tree)])
    n_rows, _, cells = _numbers_at_first_tree(model, frame)
    if n_rows == cells.sum() and have_equal_sums_beyond_chance(n_grown, cells):
        raise same_rows("frame")

    grown, reached = n_grown[:, np.newaxis], cells.sum(axis=1, keepdims=True)
    chance = log_chance_of_classes(cells.sum(axis=0))
    if n_rows == cells.sum() and are_a_part(grown, reached, chance):
        raise part_of_rows("frame")
    if are_among_more(grown, reached, n_rows, chance):
        raise rows_among_others("frame")


def _numbers_at_leaves(
    model: Any, frame: Any
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Number of rows; and for each leaf that one of them reaches and each class, the
    number of rows that the tree was grown on, and of those of the frame.
    """
    F = require("pyspark.sql.functions", "spark")
    to_array = require("pyspark.ml.functions", "spark").vector_to_array
    tree = last_stage(model)
    frame = at_last_stage(model, frame)

    # The raw prediction of a tree is the number of its own rows of each class.
    leaf, raw = f"{tree.uid}_leaf", f"{tree.uid}_raw"
    tree = tree.copy({tree.leafCol: leaf, tree.rawPredictionCol: raw})
    groups = tree.transform(frame).groupBy(leaf, tree.getLabelCol())
    counts = groups.agg(F.count(F.lit(1)), F.first(to_array(F.col(raw)))).collect()

    grown = {node: np.array(own) for node, _, _, own in counts}
    reached = {node: np.zeros(len(own)) for node, own in grown.items()}
    for node, label, number, _ in counts:
        # A label that is not one of the tree's classes is counted in none of them.
        reached[node][np.arange(len(grown[node])) == label] += number
    n_rows = sum(number for _, _, number, _ in counts)
    return n_rows, np.array([*grown.values()]), np.array([*reached.values()])


def _tree_of_all_rows(model: Any) -> Any:
    """The first tree of several if it was grown on all rows, and has several leaves, of
    which numbers are known; else None. There is no way to them with Spark Connect.
    """
    trees = getattr(model, "trees", [])
    if not trees or _root(trees[0]) is None or trees[0].numNodes == 1:
        return None
    draws_rows = hasattr(model, "getBootstrap") and model.getBootstrap()
    return None if draws_rows or model.getSubsamplingRate() != 1 else trees[0]


def _numbers_at_first_tree(
    model: Any, frame: Any
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """The same as :func:`_numbers_at_leaves` for all leaves of a single tree, or of the
    first one of a forest or of boosted trees.
    """
    last = last_stage(model)
    frame = at_last_stage(model, frame)

    tree = last.trees[0] if hasattr(last, "trees") else last
    leaf = f"{last.uid}_leaf"
    columns = {
        tree.featuresCol: last.getFeaturesCol(),
        tree.predictionCol: f"{last.uid}_predicted",
        tree.leafCol: leaf,
    }
    grown = _numbers_grown(tree)
    reached = np.zeros_like(grown)
    n_rows = 0
    counts = tree.copy(columns).transform(frame).groupBy(leaf, last.getLabelCol())
    for place, label, number in counts.count().collect():
        reached[int(place), np.arange(grown.shape[1]) == label] += number
        n_rows += number
    return n_rows, grown, reached


def _numbers_grown(tree: Any) -> NDArray[np.float64]:
    """The number of rows of each class at each leaf when a tree was grown, also if it
    is the first one of boosting, which predicts numbers.
    """
    statistics = np.array([list(each.stats()) for each in _kept_at_leaves(tree)])
    if type(tree).__name__ != "DecisionTreeRegressionModel":
        return statistics
    # The number of rows, and the sum of labels, which are -1 and 1 in boosting.
    numbers, sums = statistics[:, 0], statistics[:, 1]
    by_class: NDArray[np.float64] = np.column_stack([numbers - sums, numbers + sums])
    return by_class / 2


def _has_weights(model: Any) -> bool:
    """Whether a model was fitted to rows with weights."""
    has_column = model.hasParam("weightCol") and model.isDefined("weightCol")
    return bool(has_column and model.getOrDefault("weightCol"))


def _kept_at_leaves(tree: Any) -> list[Any]:
    """What Spark keeps of the leaves of a tree, in the order of their numbers."""

    def below(node: Any) -> list[Any]:
        if node.getClass().getSimpleName() == "LeafNode":
            return [node.impurityStats()]
        return below(node.leftChild()) + below(node.rightChild())

    return below(_root(tree)())


def _root(tree: Any) -> Any:
    """The function that returns the root of a tree; None with Spark Connect, which has
    no way to it.
    """
    root = getattr(getattr(tree, "_java_obj", None), "rootNode", None)
    return root if callable(root) else None


def _numbers_at_root(tree: Any) -> NDArray[np.float64] | None:
    """The numbers of rows of each class that a tree was grown on; None with Spark
    Connect.
    """
    root = _root(tree)
    return None if root is None else np.array(root().impurityStats().stats())
