"""One Spark session with two worker processes for all tests."""

import os
import sys

import pytest


@pytest.fixture(scope="session")
def spark():
    import pyspark

    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = pyspark.sql.SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.task.maxFailures": "8",
        # On a busy machine a worker may be silent for longer than two minutes.
        "spark.network.timeout": "600s",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
