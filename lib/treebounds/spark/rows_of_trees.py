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
)
from treebounds.risk.reuse.refusals import part_of_rows, rows_among_others, same_rows
from treebounds.spark.stages import at_last_stage, last_stage


def refuse_rows_of_the_tree(model: Any, frame: Any) -> None:
    """Raise a ValueError if a single tree, or the first one of several, was grown on
    the rows of a frame, or on some of them, by their numbers at its leaves.
    """
    tree = last_stage(model)
    if hasattr(tree, "numNodes"):
        n_rows, grown, reached = _numbers_at_leaves(model, frame)
        if len(grown) < (tree.numNodes + 1) // 2:
            at_root = _numbers_at_root(tree)
            if at_root is None:
                return
            # All leaves that no row reaches count as one.
            grown = np.vstack([grown, at_root - grown.sum(axis=0)])
            reached = np.vstack([reached, np.zeros_like(at_root)])
    elif _has_tree_of_all_rows(tree):
        n_rows, grown, reached = _numbers_at_first_tree(model, frame)
    else:
        return

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


def _has_tree_of_all_rows(model: Any) -> bool:
    """Whether the first tree of several was grown on all rows, and has several leaves,
    of which numbers are known: there is no way to them with Spark Connect.
    """
    trees = getattr(model, "trees", [])
    if not trees or not hasattr(getattr(trees[0], "_java_obj", None), "rootNode"):
        return False
    draws_rows = hasattr(model, "getBootstrap") and model.getBootstrap()
    return not draws_rows and model.getSubsamplingRate() == 1 < trees[0].numNodes


def _numbers_at_first_tree(
    model: Any, frame: Any
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """The same as :func:`_numbers_at_leaves` for all leaves of the first tree of a
    forest or of boosted trees.
    """
    last = last_stage(model)
    frame = at_last_stage(model, frame)

    tree = last.trees[0]
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
    statistics = np.array(_statistics_of_leaves(tree._java_obj.rootNode()))
    if type(tree).__name__ != "DecisionTreeRegressionModel":
        return statistics
    # The number of rows, and the sum of labels, which are -1 and 1 in boosting.
    numbers, sums = statistics[:, 0], statistics[:, 1]
    by_class: NDArray[np.float64] = np.column_stack([numbers - sums, numbers + sums])
    return by_class / 2


def _statistics_of_leaves(node: Any) -> list[list[float]]:
    """The statistics that Spark keeps of the leaves below a node, in the order of their
    numbers.
    """
    if node.getClass().getSimpleName() == "LeafNode":
        return [list(node.impurityStats().stats())]
    children = node.leftChild(), node.rightChild()
    return [leaf for child in children for leaf in _statistics_of_leaves(child)]


def _numbers_at_root(tree: Any) -> NDArray[np.float64] | None:
    """The numbers of rows of each class that a tree was grown on; None with Spark
    Connect, which has no way to them.
    """
    root = getattr(getattr(tree, "_java_obj", None), "rootNode", None)
    return np.array(root().impurityStats().stats()) if callable(root) else None
