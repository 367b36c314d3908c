"""Pruning from counts on Spark against MLlib's ten folds over ten values, and the driver's memory.

Java is needed, and an interpreter with ``tests/spark/requirements.txt``: ``TREEBOUNDS_SPARK_PYTHON`` names
it, or it lies in ``.venv-spark``, or this one has pyspark. ``TREEBOUNDS_SPARK_ROWS`` is the number of rows.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def python_with_spark() -> str:
    """The interpreter that has pyspark, or an OSError, which ``run.py`` reports as not run."""
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        raise OSError("no Java for Spark")
    here = HERE.parent / ".venv-spark" / "bin" / "python"
    named = os.environ.get("TREEBOUNDS_SPARK_PYTHON") or (str(here) if here.is_file() else "")
    if not named and not find_spec("pyspark"):
        raise OSError("no pyspark; TREEBOUNDS_SPARK_PYTHON names an interpreter that has it")
    return named or sys.executable


def rows_of(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Each quantity of a run beside its target."""
    ways = {row["way"]: row for row in found["table"]}
    folds, bound = ways["ten folds over ten values"], ways["bound, from counts"]
    error = math.sqrt(folds["accuracy"] * (1 - folds["accuracy"]) / found["n_rows"])
    few, many = found["driver"]
    rows = [
        ("passes over the rows", folds["passes"] / bound["passes"], 20, "times, at least"),
        ("time", folds["seconds"] / bound["seconds"], 10, "times, at least"),
        ("accuracy lost", (folds["accuracy"] - bound["accuracy"]) / error, 1, "standard errors, at most"),
    ]
    name = f"Spark, ten folds over the bound, {found['n_rows']:,} rows: "
    driver = f"Spark's driver, {many['n_rows']:,} over {few['n_rows']:,} rows: "
    memory = [
        ("results of tasks", many["results_mb"] / few["results_mb"], 1.1, "times, at most"),
        ("heap after a collection of garbage", many["heap_mb"] / few["heap_mb"], 1.2, "times, at most"),
        ("Python's peak", many["python_mb"] / few["python_mb"], 1.1, "times, at most"),
    ]
    named = [(name + what, *rest) for what, *rest in rows] + [
        (driver + what, *rest) for what, *rest in memory
    ]
    return [dict(zip(("name", "value", "target", "unit"), row, strict=True)) for row in named]


def run() -> list[dict[str, Any]]:
    n_rows = os.environ.get("TREEBOUNDS_SPARK_ROWS", "1000000")
    command = [python_with_spark(), str(HERE / "spark_folds.py"), "--rows", n_rows]
    command += ["--store"] * ("--store" in sys.argv)
    environment = os.environ | {"PYTHONPATH": str(HERE.parent / "lib")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return rows_of(json.loads(done.stdout.splitlines()[-1]))
