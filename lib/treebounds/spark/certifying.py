"""A certificate of a classifier of Spark, from new rows."""

from __future__ import annotations

import math
from typing import Any

from treebounds.risk.certificate import Certificate, certificate_from_verdict
from treebounds.risk.checks import check_delta
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.spark.frames import repeats_of, tally_of
from treebounds.spark.rows_of_trees import refuse_rows_of_the_tree
from treebounds.spark.stages import last_stage


def certify_model(model: Any, frame: Any, *, delta: float = 0.05) -> Certificate:
    """An upper bound on the risk of a Spark classifier, from rows that it was not
    fitted to.

    >>> from pyspark.ml.classification import DecisionTreeClassifier
    >>> from pyspark.ml.linalg import Vectors
    >>> from pyspark.sql import SparkSession
    >>> from treebounds.spark import certify_model
    >>> session = SparkSession.builder.getOrCreate()
    >>> rows = [(Vectors.dense(i % 10), float(i % 10 > 6)) for i in range(400)]
    >>> frame = session.createDataFrame(rows, ["features", "label"])
    >>> training, test = frame.randomSplit([0.5, 0.5], seed=0)
    >>> model = DecisionTreeClassifier().fit(training)
    >>> certify_model(model, test).n_errors
    0

    The cluster counts errors in one pass over the frame, and the driver receives one
    number for each pair of a label and a prediction. A label that is not one of the
    model's classes counts as an error.

    A second pass counts rows that are equal, labels included, by a hash of 64 bits. If
    the whole frame was repeated, that is an error; else the sentence gives the share of
    rows that repeat others.

    Spark keeps no record of the rows that made a model, but a tree keeps their numbers
    at its leaves. If the model is a single tree, or ends with one, a third pass counts
    the rows at each leaf, for the driver to compare. So the frame that the tree was
    grown on is refused, also with other rows, and so is a large part of it (with Spark
    Connect, if it reaches every leaf), by the tests of
    :mod:`treebounds.risk.reuse.leaf_evidence`. Without Spark Connect, the first tree of
    boosted trees, and that of a forest without bootstrap, are compared, too, if they
    were grown on all rows, and so are trees that were grown with weights, whose rows
    are known without their classes. A small part is not recognized, nor are rows that
    were drawn with repetition, nor the rows of other models.

    Parameters
    ----------
    model : fitted classifier, PipelineModel or result of a search
        Of ``pyspark.ml``. Of a CrossValidatorModel or a TrainValidationSplitModel, the
        best model is certified.
    frame : pyspark.sql.DataFrame
        With the columns that the model takes, and the one of labels; a StringIndexer in
        a pipeline may make the latter.
    delta : float
        Probability with which the certificate may fail.

    Returns
    -------
    Certificate
        As :func:`treebounds.certify` makes it from a test set.

    Raises
    ------
    ValueError
        If a column is missing, a label is missing, there are no rows, the model drops
        or adds rows, the frame was repeated as a whole, a tree was grown on its rows,
        or delta is not in (0, 1).
    """
    delta = check_delta(delta)
    model = getattr(model, "bestModel", model)
    verdict = tally_of(model, frame).verdict(math.log(delta))
    refuse_rows_of_the_tree(model, frame)
    recurrence = Recurrence(is_recorded=False)
    last = last_stage(model)
    columns = last.getFeaturesCol(), last.getLabelCol()
    repeats = repeats_of(model.transform(frame), *columns)
    return certificate_from_verdict(model, verdict, delta, recurrence, repeats)
