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
from treebounds.formats._assemble import assemble, category_table, choose_tree
from treebounds.trees.array_tree import ArrayTree

# Without this schema, Spark would read a file once more to infer it.
NODE_SCHEMA = """id INT, prediction DOUBLE, impurity DOUBLE, impurityStats ARRAY<DOUBLE>, rawCount BIGINT,
    gain DOUBLE, leftChild INT, rightChild INT, split STRUCT<featureIndex: INT,
    leftCategoriesOrThreshold: ARRAY<DOUBLE>, numCategories: INT>"""


def from_spark(
    model: Any, *, tree: int | None = None, folder: str | None = None
) -> ArrayTree:
    """One tree of a Spark classification model, with the class counts that Spark
    has kept.

    It sends every example to the same node as Spark's tree, and nodes have the same
    numbers. A Spark session has to be running; one of Spark Connect works, too.

    Parameters
    ----------
    model : DecisionTreeClassificationModel or RandomForestClassificationModel
        Of ``pyspark.ml.classification``.
    tree : int, optional
        Number of the tree in a forest, from 0.
    folder : str, optional
        Where the model is saved so that its nodes can be read: a folder or URI that
        the driver and all workers can reach; nothing in it is overwritten. The
        folder for temporary files when not given, which works on one machine only.

    Returns
    -------
    ArrayTree
        Its counts are weights if the tree was grown with weights.

    Raises
    ------
    ValueError
        If the model is not a classifier, or is a forest and ``tree`` is missing.

    See Also
    --------
    treebounds.spark.prune_model : returns a pruned Spark model.
    """
    return assemble(**read_spark(model, tree, folder))


def read_spark(
    model: Any, tree: int | None = None, folder: str | None = None
) -> dict[str, Any]:
    """The nodes of one tree, numbered as in the model, with its class counts.

    Parameters
    ----------
    model : DecisionTreeClassificationModel or RandomForestClassificationModel
        Of ``pyspark.ml.classification``.
    tree : int, optional
        Number of the tree in a forest, from 0.
    folder : str, optional
        See :func:`saved`.

    Returns
    -------
    dict
        Arguments of ``assemble``.
    """
    one = check_model(model, tree)
    with saved(one, folder) as path:
        return arrays_of(node_rows(path), one.numFeatures)


def arrays_of(rows: list[Any], n_features: int) -> dict[str, Any]:
    """Arguments of ``assemble`` from the rows of a saved model."""
    splits = [row["split"] for row in rows]
    sets = {
        i: s["leftCategoriesOrThreshold"]
        for i, s in enumerate(splits)
        if s["numCategories"] >= 0
    }
    limits = [
        0.0 if i in sets else sum(s["leftCategoriesOrThreshold"])
        for i, s in enumerate(splits)
    ]
    return {
        "children_left": np.array([row["leftChild"] for row in rows]),
        "children_right": np.array([row["rightChild"] for row in rows]),
        "feature": np.array([split["featureIndex"] for split in splits]),
        "threshold": np.array(limits),
        "class_counts": np.array([row["impurityStats"] for row in rows]),
        "missing_go_to_left": np.zeros(len(rows), dtype=bool),  # NaN goes right.
        "left_categories": category_table(sets, len(rows)),
        "n_features": n_features,
    }


def check_model(model: Any, tree: int | None = None) -> Any:
    """One classification tree of a Spark model, or a ValueError."""
    name = type(model).__name__
    if (
        not type(model).__module__.startswith("pyspark.ml.")
        or "ClassificationModel" not in name
    ):
        raise ValueError(
            f"model must be a classification tree or forest of pyspark.ml; got {name}"
        )
    trees = getattr(model, "trees", [model])
    one = trees[choose_tree(tree, len(trees))]
    if type(one).__name__ != "DecisionTreeClassificationModel":
        raise ValueError(
            f"model must hold classification trees; {name} holds {type(one).__name__}"
        )
    return one


def session_of() -> Any:
    """The running Spark session, or a ValueError."""
    found = require("pyspark.sql", "spark").SparkSession.getActiveSession()
    if found is None:
        raise ValueError("model: no Spark session is running in this thread")
    return found


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
    found = session_of().read.schema(NODE_SCHEMA).parquet(f"{path}/data").collect()
    # A sort on the cluster would add a job and a shuffle for a list that the driver
    # receives anyway.
    return sorted(found, key=lambda row: row["id"])


def _remove(path: str) -> None:
    """Delete a folder, with Hadoop if it is not on this machine."""
    shutil.rmtree(path, ignore_errors=True)
    context = getattr(session_of(), "sparkContext", None)  # None with Spark Connect.
    if context and "://" in path:
        hadoop_path = context._jvm.org.apache.hadoop.fs.Path(path)
        hadoop_path.getFileSystem(context._jsc.hadoopConfiguration()).delete(
            hadoop_path, True
        )
