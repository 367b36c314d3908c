"""Pruning of trees that Spark has grown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treebounds.capacity.features import FeatureKinds
from treebounds.formats.spark import (
    NODE_SCHEMA,
    check_model,
    node_rows,
    saved,
    session_of,
    tree_of_rows,
)
from treebounds.pruning.choice import Rule, rule_or_default
from treebounds.pruning.fitted_trees import with_features
from treebounds.pruning.local_price import LocalRule
from treebounds.pruning.rules import CountingRule, ReducedErrorRule
from treebounds.trees._statistics import weights_of_nodes
from treebounds.trees.array_tree import ArrayTree


def prune_model(
    model: Any,
    *,
    rule: Rule | None = None,
    feature_kinds: FeatureKinds | None = None,
    folder: str | None = None,
) -> Any:
    """A pruned copy of a tree that Spark has grown, from the class counts of its nodes,
    or three sums of each; no row is read.

    >>> from pyspark.ml.classification import DecisionTreeClassifier
    >>> from pyspark.ml.linalg import Vectors
    >>> from pyspark.sql import SparkSession
    >>> from treebounds.spark import prune_model
    >>> session = SparkSession.builder.getOrCreate()
    >>> rows = [(Vectors.dense(i % 10), float(i % 10 > 6)) for i in range(400)]
    >>> frame = session.createDataFrame(rows, ["features", "label"])
    >>> model = DecisionTreeClassifier().fit(frame)
    >>> prune_model(model).numNodes
    3

    Parameters
    ----------
    model : Spark model
        A DecisionTreeClassificationModel, a DecisionTreeRegressionModel, or a
        PipelineModel whose last stage is one of them; then this stage is pruned.
    rule : str, number, CountingRule or callable, optional
        As in :func:`treebounds.prune`, without "reduced-error"; "bound" for classes and
        "local" for numbers when not given. "local" counts as many cuts of each column
        as Spark tries, one fewer than ``maxBins``.
    feature_kinds : FeatureKinds, optional
        Needed by the rules "bound", "local" and "counted" if the tree splits by
        categories.
    folder : str, optional
        Where the model is written and read back: a folder or URI that the driver and
        all workers can reach; nothing in it is overwritten. The folder for temporary
        files when not given, which works on one machine only.

    Returns
    -------
    object of the type of ``model``
        With the same parameters and ``uid``; Spark's own persistence writes and loads
        it.

    Raises
    ------
    ValueError
        If the model is not a decision tree or was grown with weights, the rule is for
        the other kind of tree, or ``feature_kinds`` is missing.
    """
    if type(model).__name__ == "PipelineModel":
        *before, last = model.stages
        pruned = prune_model(
            last, rule=rule, feature_kinds=feature_kinds, folder=folder
        )
        return type(model)([*before, pruned])

    grown = check_model(model)
    with saved(grown, folder) as path:
        rows = node_rows(path)
        tree = tree_of_rows(rows, grown)
        _refuse_weights(tree, rows)
        remaining = _remaining_rows(rows, tree, _rule(rule, grown, tree, feature_kinds))
        pruned = session_of().createDataFrame(remaining, NODE_SCHEMA).coalesce(1)
        pruned.write.mode("overwrite").parquet(f"{path}/data")
        return type(grown).load(path)


def _rule(
    rule: Any, grown: Any, tree: ArrayTree, feature_kinds: FeatureKinds | None
) -> CountingRule:
    """The rule for a tree, with the splits that Spark could make."""
    counting = rule_or_default(tree.is_regression, rule)
    if isinstance(counting, ReducedErrorRule):
        raise ValueError(
            "rule 'reduced-error' needs examples that the tree was not grown on, and no"
            " rows are read here: give treebounds.prune the tree that from_spark"
            " returns, with such rows as X and y, or choose another rule"
        )
    if isinstance(counting, LocalRule) and counting.n_cuts is None:
        most = [grown.getOrDefault("maxBins") - 1.0] * tree.n_features
        counting = replace(counting, n_cuts=most)
    return with_features(counting, tree, None, None, feature_kinds)


def _refuse_weights(tree: ArrayTree, rows: list[Any]) -> None:
    """Raise a ValueError if the statistics of a tree are not those of whole rows."""
    n_rows = [row["rawCount"] for row in rows]
    if not np.allclose(weights_of_nodes(tree), n_rows, rtol=1e-9):
        raise ValueError(
            "model was grown with weights: its counts do not determine numbers of"
            " examples. Grow it without weightCol, or give the rows and weights to"
            " treebounds.prune, with the tree that from_spark returns"
        )


def _remaining_rows(
    rows: list[Any], tree: ArrayTree, rule: CountingRule
) -> list[dict[str, Any]]:
    """The rows of a saved model that remain after pruning, with new numbers."""
    cut = rule.nodes(tree, tree.statistics)
    remaining, pruned = tree.kept_and_collapsed(cut)
    no_split = {
        "featureIndex": -1,
        "leftCategoriesOrThreshold": [],
        "numCategories": -1,
    }

    # from_spark exchanges the children of some nodes; here, Spark's own order stays.
    place = {node: number for number, node in enumerate(remaining.tolist())}
    new_rows = [rows[node].asDict(recursive=True) for node in remaining.tolist()]
    for number, row in enumerate(new_rows):
        row["id"] = number
        row["leftChild"] = place.get(row["leftChild"], -1)
        row["rightChild"] = place.get(row["rightChild"], -1)
        if pruned.is_leaf[number]:
            row["gain"] = -1.0
            row["split"] = no_split

    return new_rows
