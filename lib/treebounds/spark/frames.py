"""What a cluster counts of the rows of a frame: errors, equal rows, and groups."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from treebounds._validation import require, shown
from treebounds.risk.rows.copies import REPETITION, repetition_p_value
from treebounds.risk.rows.duplicates import Repeats
from treebounds.risk.rows.occurrences import occurrences_p_value
from treebounds.risk.tally import Tally
from treebounds.spark.stages import last_stage


def tally_of(model: Any, frame: Any) -> Tally:
    """The counts of labels and predictions of all rows, made on the cluster."""
    last = last_stage(model)
    is_regressor = type(last).__module__ == "pyspark.ml.regression"
    if not hasattr(last, "getPredictionCol") or is_regressor:
        raise ValueError(
            "model must be a fitted classifier of pyspark.ml; got"
            f" {type(last).__name__}"
        )
    label = last.getLabelCol()
    predicted = last.getPredictionCol()
    # In a pipeline, earlier stages may make the columns of features and labels.
    if last is model:
        check_columns(frame, last.getFeaturesCol())
    judged = model.transform(frame)
    if label not in judged.columns:
        check_columns(frame, label)

    tally = Tally()
    counts = judged.groupBy(label, predicted).count().collect()
    for truth, prediction, count in counts:
        if isinstance(truth, str):
            raise ValueError(
                f"frame: column {label!r} holds words, and the model predicts numbers"
                " of classes; give the pipeline with the StringIndexer of the labels,"
                " or a frame with the numbers that it made"
            )
        if truth is None or math.isnan(truth):
            raise ValueError(
                f"frame: {count} rows have no label in column {label!r}: leave them out"
            )
        tally.totals[truth] += count
        tally.errors[truth] += count * (truth != prediction)
        tally.predicted.add(prediction)

    _check_number_of_rows(tally.totals.total(), frame)
    return tally


def _check_number_of_rows(n_predicted: int, frame: Any) -> None:
    """Raise a ValueError if there are no predictions, or a model drops or adds rows."""
    if n_predicted == 0:
        raise ValueError("frame has no rows")

    n_rows = frame.count()
    if n_predicted != n_rows:
        raise ValueError(
            f"model: it predicts {n_predicted} of the {n_rows} rows of frame, but the"
            " certificate is about all cases; let each stage keep invalid rows"
            ' (handleInvalid="keep") or certify on rows without them'
        )


def repeats_of(
    frame: Any, features: str, label: str, key: str | None = None
) -> Repeats:
    """How many rows are equal to others, labels included; a ValueError if the whole
    frame was repeated, and without keys a warning if a part of it was.

    Rows of one key may be equal. The driver receives, for each number of times, how
    many different rows occur that often.
    """
    F = require("pyspark.sql.functions", "spark")
    to_array = require("pyspark.ml.functions", "spark").vector_to_array
    # Dense and sparse vectors of the same numbers are equal.
    row = F.xxhash64(to_array(F.col(features)), F.col(label))
    same = frame.select(row.alias("row"))
    if key is not None:
        same = frame.select(row.alias("row"), key).distinct()
    times = same.groupBy("row").count().groupBy(F.col("count").alias("size")).count()

    sizes, numbers = np.array(times.collect(), dtype=np.int64).T
    n_rows = int(sizes @ numbers)
    n_different = int(numbers.sum())
    if repetition_p_value(sizes, numbers) <= REPETITION:
        raise ValueError(
            f"frame: its {n_rows} rows are {n_different} different ones, each of them"
            f" {np.gcd.reduce(sizes)} times or a multiple of it. Give each case once,"
            " for example by frame.dropDuplicates"
        )
    if key is None and occurrences_p_value(sizes, numbers) <= REPETITION:
        warnings.warn(
            f"frame: {n_rows - n_different} of its {n_rows} rows repeat others, and not"
            " in such numbers as cases that were drawn independently. The certificate"
            " counts each row as a case: if some are copies, give each case once, for"
            " example by frame.dropDuplicates",
            stacklevel=3,
        )
    n_examples = n_rows if key is None else frame.count()
    return Repeats("ignore", n_examples, n_rows - n_different)


def mean_over_groups(model: Any, frame: Any, key: str) -> tuple[int, float]:
    """Number of groups, and the mean over them of the fraction of errors."""
    F = require("pyspark.sql.functions", "spark")
    is_wrong = F.col(model.getLabelCol()) != F.col(model.getPredictionCol())
    loss = F.avg(is_wrong.cast("double")).alias("loss")
    of_groups = model.transform(frame).groupBy(key).agg(loss)
    n_groups, mean = of_groups.agg(F.count("loss"), F.avg("loss")).first()
    return n_groups, mean


def check_columns(frame: Any, *names: str) -> None:
    """Raise a ValueError if a column is missing."""
    columns = getattr(frame, "columns", [])
    for name in names:
        if name not in columns:
            raise ValueError(
                f"frame has no column {shown(name)}; it has {shown(list(columns))}"
            )
