"""Pruning of a Spark tree from its counts, compared with MLlib's cross-validation, on
one machine.

``bench_spark.py`` starts this program if there is Spark, for ``make bench`` and for the
guide.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import pyspark
from pyspark.ml.classification import DecisionTreeClassifier
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from treebounds.spark import CertifiedSparkTree, certify_model, prune_model

GAINS = [3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
MEGABYTE = 2**20


def cluster() -> SparkSession:
    """A session whose rows are held by two worker processes, apart from the driver."""
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,2048]")
    for name, value in {
        "spark.executor.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.ui.retainedJobs": "100000",
        "spark.ui.retainedStages": "100000",
    }.items():
        builder = builder.config(name, value)

    return builder.getOrCreate()


def rows(spark: SparkSession, n: int, seed: int) -> DataFrame:
    """Ten uniform features, labeled by the majority of three steps, with one label in
    five wrong; cached.
    """
    x = [F.rand(seed + j).alias(f"x{j}") for j in range(10)]
    noise = F.rand(seed + 10).alias("noise")
    frame = spark.range(n, numPartitions=2).select("*", *x, noise)

    steps = [
        F.col("x0") + F.col("x1") > 1,
        F.col("x2") + F.col("x3") > 1,
        F.col("x4") > 0.5,
    ]
    votes = reduce(lambda a, b: a + b, [step.cast("int") for step in steps])
    is_wrong = F.col("noise") < 0.2
    frame = frame.withColumn("label", ((votes >= 2) != is_wrong).cast("double"))

    features = VectorAssembler(
        inputCols=[f"x{j}" for j in range(10)], outputCol="features"
    )
    examples = features.transform(frame).select("id", "features", "label").cache()
    examples.count()
    return examples


def stages_of(spark: SparkSession, group: str) -> list[Any]:
    """The stages of a group of jobs, from Spark's status store."""
    context = spark.sparkContext
    tracker = spark.sparkContext.statusTracker()
    ids: set[int] = set()
    for job in tracker.getJobIdsForGroup(group):
        ids |= set(tracker.getJobInfo(job).stageIds)

    no_quantiles = context._gateway.new_array(context._jvm.double, 0)
    store = context._jsc.sc().statusStore()
    listed = store.stageList(
        None, False, False, no_quantiles, context._jvm.java.util.ArrayList()
    )
    stages = (listed.apply(i) for i in range(listed.size()))

    return [stage for stage in stages if stage.stageId() in ids]


def measured(
    spark: SparkSession, name: str, make: Callable[[], Any], n_rows: int
) -> dict[str, Any]:
    """The model of one method, with its seconds, jobs, and passes over the rows.

    A stage counts as a pass if it reads at least as many bytes as there are rows. Even
    a fold, a tenth of the rows, has ten times as many bytes; the files of a model have
    fewer.
    """
    spark.sparkContext.setJobGroup(name, name)
    start = time.perf_counter()
    model = make()
    seconds = time.perf_counter() - start
    jobs = len(spark.sparkContext.statusTracker().getJobIdsForGroup(name))
    passes = sum(stage.inputBytes() >= n_rows for stage in stages_of(spark, name))
    spark.sparkContext.setJobGroup("other", "other")
    print(f"{name}: {seconds:.1f} s, {jobs} jobs, {passes} passes", flush=True)

    return {"model": model, "jobs": jobs, "passes": passes, "seconds": seconds}


def compare(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The results of all methods on the same rows; short ones are repeated, and the
    median time is taken.
    """
    spark = cluster()
    grown = rows(spark, options.rows, 0)
    judges = rows(spark, options.rows, 100)
    learner = DecisionTreeClassifier(maxDepth=options.depth)
    gains = GAINS[:: len(GAINS) // options.values]
    folds = CrossValidator(
        estimator=learner,
        estimatorParamMaps=ParamGridBuilder()
        .addGrid(learner.minInfoGain, gains)
        .build(),
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
        numFolds=options.folds,
        seed=0,
    )

    # The first call loads Spark's classes; the warm-up rounds give the JVM time to
    # compile.
    ways = {
        "bound, first call of a session": (1, lambda: prune_model(learner.fit(grown))),
        "warm-up": (options.rounds, lambda: prune_model(learner.fit(grown))),
        "no pruning": (options.rounds, lambda: learner.fit(grown)),
        "bound, from counts": (options.rounds, lambda: prune_model(learner.fit(grown))),
        "cross-validation": (1, lambda: folds.fit(grown).bestModel),
    }
    if options.rounds == 1:
        del ways["warm-up"]

    table = []
    for name, (times, make) in ways.items():
        rounds = [
            measured(spark, f"{name}, {i}", make, options.rows) for i in range(times)
        ]
        row = rounds[0] | {
            "seconds": statistics.median(round["seconds"] for round in rounds)
        }
        certificate = certify_model(row.pop("model"), judges)
        accuracy = 1 - certificate.n_errors / certificate.n_examples
        row |= {
            "leaves": certificate.n_leaves,
            "accuracy": accuracy,
            "certificate": certificate.value,
        }
        table.append({"way": name} | row)
        print(json.dumps(table[-1]), flush=True)

    spark.stop()
    return [row for row in table if row["way"] != "warm-up"]


def driver_memory(n_rows: int) -> dict[str, Any]:
    """The driver's memory after growing, pruning and certifying on halves, and the size
    of tasks' results.

    The trees have 32 leaves for any number of rows, so that only rows could make a
    difference.
    """
    spark = cluster()
    frame = rows(spark, n_rows, 0)
    java = spark.sparkContext._jvm.java.lang
    spark.sparkContext.setJobGroup("driver", "driver")
    certified = CertifiedSparkTree(
        key="id", n_halvings=2, learner=DecisionTreeClassifier(maxDepth=5)
    )
    certify_model(certified.fit(frame).model_, rows(spark, n_rows, 100))
    results = sum(stage.resultSize() for stage in stages_of(spark, "driver"))
    java.System.gc()
    heap = (
        java.Runtime.getRuntime().totalMemory() - java.Runtime.getRuntime().freeMemory()
    )
    spark.stop()

    return {
        "n_rows": n_rows,
        "results_mb": results / MEGABYTE,
        "heap_mb": heap / MEGABYTE,
        "python_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def in_a_process(*arguments: str) -> Any:
    """The output of this file in a process of its own, whose driver has done nothing
    else.
    """
    process = subprocess.run(
        [sys.executable, __file__, *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(process.stdout.splitlines()[-1])


def run(options: argparse.Namespace) -> dict[str, Any]:
    """The comparison, the driver's memory on all and on a tenth of the rows, and the
    versions used.
    """
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "pyspark": pyspark.__version__,
        "n_rows": options.rows,
        "depth": options.depth,
        "n_folds": options.folds,
        "n_values": options.values,
        "table": compare(options),
        "driver": [
            in_a_process("--memory", "--rows", str(n))
            for n in (options.rows // 10, options.rows)
        ],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument(
        "--values", type=int, default=10, choices=(1, 2, 5, 10), help="of minInfoGain"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="of the short ways; their median is taken"
    )
    parser.add_argument(
        "--memory", action="store_true", help="only the driver's memory"
    )
    options = parser.parse_args()
    if options.memory:
        print(json.dumps(driver_memory(options.rows)))
    else:
        print(json.dumps(run(options)))
