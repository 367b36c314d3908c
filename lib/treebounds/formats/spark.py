"""One tree of a Spark model, read from the files that Spark's persistence writes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import numpy as np

from treebounds._validation import require
from treebounds.formats._boosters import choose_tree
from treebounds.formats._nodes import Nodes, assemble
from treebounds.trees._checks import add_up_to_parents
from treebounds.trees.array_tree import ArrayTree

__all__ = [
    "NODE_SCHEMA",
    "check_model",
    "from_spark",
    "node_rows",
    "nodes_of_rows",
    "saved",
    "session_of",
    "tree_of_rows",
]

# Without this schema, Spark would read a file once more to infer it.
NODE_SCHEMA = (
    "id INT, prediction DOUBLE, impurity DOUBLE, impurityStats ARRAY<DOUBLE>,"
    " rawCount BIGINT, gain DOUBLE, leftChild INT, rightChild INT,"
    " split STRUCT<featureIndex: INT, leftCategoriesOrThreshold: ARRAY<DOUBLE>,"
    " numCategories: INT>"
)

_TREES = ("DecisionTreeClassificationModel", "DecisionTreeRegressionModel")


def from_spark(
    model: Any, *, tree: int | None = None, folder: str | None = None
) -> ArrayTree:
    """One tree of a Spark model, with the class counts or the sums of y that Spark has
    kept.

    It sends every example to the same node as Spark's tree, missing values and
    categories that Spark does not know among them, and nodes have the same numbers.
    Where Spark keeps the categories of the right side, left and right are exchanged. A
    Spark session has to be running; one of Spark Connect works, too.

    >>> from pyspark.ml.classification import DecisionTreeClassifier
    >>> from pyspark.ml.linalg import Vectors
    >>> from pyspark.sql import SparkSession
    >>> from treebounds.formats import from_spark
    >>> session = SparkSession.builder.getOrCreate()
    >>> rows = [(Vectors.dense(i % 10), float(i % 10 > 6)) for i in range(400)]
    >>> frame = session.createDataFrame(rows, ["features", "label"])
    >>> from_spark(DecisionTreeClassifier().fit(frame))
    <ArrayTree: n_leaves=2, height=1, n_classes=2, n_features=1>

    Parameters
    ----------
    model : DecisionTreeClassificationModel or RandomForestClassificationModel
        Of ``pyspark.ml.classification``, or DecisionTreeRegressionModel or
        RandomForestRegressionModel of ``pyspark.ml.regression``.
    tree : int, optional
        Number of the tree in a forest, from 0.
    folder : str, optional
        Where the model is saved so that its nodes can be read: a folder or URI that
        the driver and all workers can reach; nothing in it is overwritten. The
        folder for temporary files when not given, which works on one machine only.

    Returns
    -------
    ArrayTree
        Its counts are weights if the tree was grown with weights. A tree of numbers
        predicts the means of y, as Spark does.

    Raises
    ------
    ValueError
        If the model is not a decision tree or a forest, or is a forest and ``tree`` is
        missing.

    See Also
    --------
    treebounds.spark.prune_model : returns a pruned Spark model.
    """
    single = check_model(model, tree)
    with saved(single, folder) as path:
        return tree_of_rows(node_rows(path), single)


def tree_of_rows(rows: list[Any], model: Any) -> ArrayTree:
    """The tree of the rows of a saved model.

    Parameters
    ----------
    rows : list
        From :func:`node_rows`.
    model : DecisionTreeClassificationModel or DecisionTreeRegressionModel
    """
    nodes = nodes_of_rows(rows, model.numFeatures)
    statistics = np.array([row["impurityStats"] for row in rows])
    is_regression = "Regression" in type(model).__name__
    # Of numbers, these are the weight, the sum of y and the sum of its square.
    name = "target_sums" if is_regression else "class_counts"
    numbers = np.array([row["rawCount"] for row in rows])
    own: dict[str, Any] = {name: statistics}
    children = np.asarray(nodes.children_left), np.asarray(nodes.children_right)
    if add_up_to_parents(numbers, *children):
        own["example_counts"] = numbers
    return assemble(nodes, **own)


def nodes_of_rows(rows: list[Any], n_features: int) -> Nodes:
    """The nodes of the rows of a saved model.

    Spark keeps the smaller one of the two sets of categories, and sends to the other
    side whatever is not in it: NaN and categories that it does not know. The children
    are exchanged where it keeps the right side's.
    """
    left = np.array([row["leftChild"] for row in rows])
    right = np.array([row["rightChild"] for row in rows])
    sets = {}
    threshold = np.zeros(len(rows))
    for node, row in enumerate(rows):
        split = row["split"]
        values = split["leftCategoriesOrThreshold"]
        n_categories = split["numCategories"]
        if left[node] < 0:
            continue
        if n_categories < 0:
            (threshold[node],) = values
            continue
        categories = set(map(int, values))
        if len(categories) > n_categories // 2:
            categories = set(range(n_categories)) - categories
            left[node], right[node] = right[node], left[node]
        sets[node] = sorted(categories)

    return Nodes(
        children_left=left,
        children_right=right,
        feature=np.array([row["split"]["featureIndex"] for row in rows]),
        threshold=threshold,
        n_features=n_features,
        # NaN goes right, also where the children have been exchanged.
        missing_go_to_left=np.zeros(len(rows), dtype=bool),
        left_categories=sets,
    )


def check_model(model: Any, tree: int | None = None) -> Any:
    """One tree of a Spark model, or a ValueError."""
    name = type(model).__name__
    is_of_spark = type(model).__module__.startswith("pyspark.ml.")
    if is_of_spark and name.startswith("GBT"):
        raise ValueError(
            f"model must be a tree or forest of pyspark.ml; the trees of {name}"
            " are fitted to residuals, not to y"
        )

    if hasattr(model, "bestModel"):
        raise ValueError(f"model: give the best model of {name}, its bestModel")

    trees = getattr(model, "trees", [model])
    if not is_of_spark or type(trees[0]).__name__ not in _TREES:
        raise ValueError(f"model must be a tree or forest of pyspark.ml; got {name}")
    return trees[choose_tree(tree, len(trees))]


def session_of() -> Any:
    """The running Spark session, or a ValueError."""
    session = require("pyspark.sql", "spark").SparkSession.getActiveSession()
    if session is None:
        raise ValueError(
            "model: no Spark session is running in this thread; start one with"
            " SparkSession.builder.getOrCreate()"
        )
    return session


@contextmanager
def saved(model: Any, folder: str | None = None) -> Iterator[str]:
    """A path where a model is saved while the block runs.

    Parameters
    ----------
    model : pyspark.ml model
    folder : str, optional
        Where to write: a folder or URI that the driver and all workers can reach;
        nothing in it is overwritten. The driver's folder for temporary files when not
        given, which works on one machine only. With Spark Connect, files on another
        machine than the client's are not deleted at the end.
    """
    path = f"{(folder or tempfile.gettempdir()).rstrip('/')}/treebounds-{uuid4().hex}"
    try:
        model.save(f"{path}/model")
        yield f"{path}/model"
    finally:
        _remove(path)


def node_rows(path: str) -> list[Any]:
    """The nodes of a saved tree in the order of their numbers."""
    rows = session_of().read.schema(NODE_SCHEMA).parquet(f"{path}/data").collect()
    # A sort on the cluster would add a job and a shuffle for a list that the driver
    # receives anyway.
    return sorted(rows, key=lambda row: row["id"])


def _remove(path: str) -> None:
    """Delete a folder, with Hadoop if it is not on this machine."""
    shutil.rmtree(path, ignore_errors=True)
    context = getattr(session_of(), "sparkContext", None)  # None with Spark Connect.
    if context and "://" in path:
        hadoop_path = context._jvm.org.apache.hadoop.fs.Path(path)
        hadoop_path.getFileSystem(context._jsc.hadoopConfiguration()).delete(
            hadoop_path, True
        )
