"""Pruning from counts on Spark against MLlib's cross-validation, and the driver's
memory.

The benchmark needs Java, and an interpreter with ``tests/spark/requirements.txt``: the
one that ``TREEBOUNDS_SPARK_PYTHON`` names, or this one if it has pyspark. ``--store``
keeps the runs beside this file, for the guide.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from measuring import Measurement, at_least, at_most

HERE = Path(__file__).resolve().parent
STORED = HERE / "spark_folds.json"
# A hundred trainings on ten million rows would take hours.
MANY_ROWS = {"rows": 10_000_000, "folds": 5, "values": 2, "rounds": 1}


def python_with_spark() -> str:
    """The interpreter that has pyspark, or an OSError, which ``run.py`` reports as "not
    run".
    """
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        raise OSError("no Java for Spark")

    interpreter = os.environ.get("TREEBOUNDS_SPARK_PYTHON")
    if not interpreter and not find_spec("pyspark"):
        raise OSError(
            "no pyspark; TREEBOUNDS_SPARK_PYTHON names an interpreter that has it"
        )

    return interpreter or sys.executable


def compared(**options: int) -> dict[str, Any]:
    """The measurements of ``spark_folds.py`` with these options; Spark's messages are
    shown if it fails.
    """
    arguments = [f"--{name}={value}" for name, value in options.items()]
    command = [python_with_spark(), str(HERE / "spark_folds.py"), *arguments]
    environment = os.environ | {"PYTHONPATH": str(HERE.parent / "lib")}
    process = subprocess.run(command, env=environment, capture_output=True, text=True)
    if process.returncode:
        raise RuntimeError(process.stderr)
    return json.loads(process.stdout.splitlines()[-1])


def measurements_of(comparison: dict[str, Any]) -> list[Measurement]:
    """The quantities of a run with their targets; some are proportional to the number
    of trainings.
    """
    ways = {row["way"]: row for row in comparison["table"]}
    folds = ways["cross-validation"]
    bound = ways["bound, from counts"]
    n_rows = comparison["n_rows"]
    trainings = comparison["n_folds"] * comparison["n_values"]
    error = math.sqrt(folds["accuracy"] * (1 - folds["accuracy"]) / n_rows)

    name = f"Spark, {trainings} trainings over the bound, {n_rows:,} rows: "
    return [
        at_least(
            f"{name}passes over the rows",
            folds["passes"] / bound["passes"],
            trainings / 5,
        ),
        at_least(f"{name}time", folds["seconds"] / bound["seconds"], trainings / 10),
        at_most(
            f"{name}accuracy lost",
            (folds["accuracy"] - bound["accuracy"]) / error,
            1,
            "standard errors",
        ),
        *memory_of(*comparison["driver"]),
    ]


def memory_of(few: dict[str, Any], many: dict[str, Any]) -> list[Measurement]:
    """How much more memory the driver takes for more rows."""
    name = f"Spark's driver, {many['n_rows']:,} over {few['n_rows']:,} rows: "
    return [
        at_most(name + what, many[key] / few[key], target, "times")
        for what, key, target in (
            ("results of tasks", "results_mb", 1.1),
            ("heap after a collection of garbage", "heap_mb", 1.2),
            ("Python's peak", "python_mb", 1.1),
        )
    ]


def run() -> list[Measurement]:
    comparisons = [compared(), compared(**MANY_ROWS)]
    if "--store" in sys.argv:
        text = json.dumps(comparisons, indent=1) + "\n"
        STORED.write_text(text, encoding="utf-8")
    return list(chain.from_iterable(map(measurements_of, comparisons)))
