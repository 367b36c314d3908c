"""Pruning a Spark tree from its counts against MLlib's own ten folds over ten values, on one machine.

Not one of ``bench_*.py``: it needs Spark's environment (``tests/spark/requirements.txt``) and Java, and takes
long. ``python benchmarks/spark_folds.py --store`` keeps the run beside this file, for the guide.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Any

import pyspark
from pyspark.ml.classification import DecisionTreeClassifier
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from treebounds.spark import certify_model, prune_model

STORED = Path(__file__).with_name("spark_folds.json")
GAINS = [10.0**-k for k in range(1, 6)] + [3 * 10.0**-k for k in range(2, 7)]


def rows(spark: SparkSession, n: int, seed: int) -> DataFrame:
    """Ten uniform features and a label with four steps in it, wrong for one row in five."""
    x = [F.rand(seed + j).alias(f"x{j}") for j in range(10)]
    frame = spark.range(n, numPartitions=2).select("*", *x, F.rand(seed + 10).alias("noise"))
    steps = [F.col(f"x{j}") + F.col(f"x{j + 1}") > 1 for j in range(0, 4, 2)] + [F.col("x4") > 0.5]
    label = reduce(lambda a, b: a != b, [*steps, F.col("noise") < 0.2])
    frame = frame.withColumn("label", label.cast("double"))
    return VectorAssembler(inputCols=[f"x{j}" for j in range(10)], outputCol="features").transform(frame)


def measured(spark: SparkSession, name: str, make: Any, judges: DataFrame) -> dict[str, Any]:
    """The tree that a way makes: seconds, jobs, leaves, accuracy on other rows."""
    spark.sparkContext.setJobGroup(name, name)
    start = time.perf_counter()
    model = make()
    seconds = time.perf_counter() - start
    jobs = len(spark.sparkContext.statusTracker().getJobIdsForGroup(name))
    spark.sparkContext.setJobGroup("judging", "judging")
    certificate = certify_model(model, judges)
    accuracy = 1 - certificate.n_errors / certificate.n_examples
    row = {"way": name, "jobs": jobs, "leaves": certificate.n_leaves, "accuracy": accuracy}
    print(row | {"seconds": seconds}, flush=True)
    return row | {"seconds": seconds, "certificate": certificate.value}


def run(n_rows: int, depth: int) -> dict[str, Any]:
    """Both ways on the same rows, and what the numbers depend on."""
    builder = SparkSession.builder.master("local[2]")
    for name, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.retainedJobs": "100000",
        "spark.ui.retainedStages": "100000",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    grown, judges = rows(spark, n_rows, 0).cache(), rows(spark, n_rows, 100).cache()
    grown.count(), judges.count()
    learner = DecisionTreeClassifier(maxDepth=depth)
    grid = ParamGridBuilder().addGrid(learner.minInfoGain, GAINS).build()
    folds = CrossValidator(
        estimator=learner,
        estimatorParamMaps=grid,
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
        numFolds=10,
        seed=0,
    )
    measured(spark, "warm-up", lambda: learner.fit(grown), judges)
    ways = {
        "no pruning": lambda: learner.fit(grown),
        "bound, from counts": lambda: prune_model(learner.fit(grown)),
        "ten folds over ten values": lambda: folds.fit(grown).bestModel,
    }
    table = [measured(spark, name, make, judges) for name, make in ways.items()]
    spark.stop()
    cores = {"cores": os.cpu_count(), "pyspark": pyspark.__version__}
    return (
        {"date": datetime.now(UTC).date().isoformat(), "n_rows": n_rows, "depth": depth}
        | cores
        | {"table": table}
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--store", action="store_true", help=f"keep the run in {STORED.name}")
    given = parser.parse_args()
    found = run(given.rows, given.depth)
    if given.store:
        STORED.write_text(json.dumps(found, indent=1) + "\n")
