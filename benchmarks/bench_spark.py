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
from pathlib import Path
from typing import Any

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

    named = os.environ.get("TREEBOUNDS_SPARK_PYTHON")
    if not named and not find_spec("pyspark"):
        raise OSError(
            "no pyspark; TREEBOUNDS_SPARK_PYTHON names an interpreter that has it"
        )

    return named or sys.executable


def compared(**options: int) -> dict[str, Any]:
    """The measurements of ``spark_folds.py`` with these options; Spark's messages are
    shown if it fails.
    """
    given = [f"--{name}={value}" for name, value in options.items()]
    command = [python_with_spark(), str(HERE / "spark_folds.py"), *given]
    environment = os.environ | {"PYTHONPATH": str(HERE.parent / "lib")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def rows_of(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The quantities of a run with their targets; some are proportional to the number
    of trainings.
    """
    ways = {row["way"]: row for row in found["table"]}
    folds = ways["cross-validation"]
    bound = ways["bound, from counts"]
    trainings = found["n_folds"] * found["n_values"]
    error = math.sqrt(folds["accuracy"] * (1 - folds["accuracy"]) / found["n_rows"])
    few, many = found["driver"]
    rows = [
        (
            "passes over the rows",
            folds["passes"] / bound["passes"],
            trainings / 5,
            "times, at least",
        ),
        (
            "time",
            folds["seconds"] / bound["seconds"],
            trainings / 10,
            "times, at least",
        ),
        (
            "accuracy lost",
            (folds["accuracy"] - bound["accuracy"]) / error,
            1,
            "standard errors, at most",
        ),
    ]
    name = f"Spark, {trainings} trainings over the bound, {found['n_rows']:,} rows: "
    driver = f"Spark's driver, {many['n_rows']:,} over {few['n_rows']:,} rows: "
    memory = [
        (
            "results of tasks",
            many["results_mb"] / few["results_mb"],
            1.1,
            "times, at most",
        ),
        (
            "heap after a collection of garbage",
            many["heap_mb"] / few["heap_mb"],
            1.2,
            "times, at most",
        ),
        ("Python's peak", many["python_mb"] / few["python_mb"], 1.1, "times, at most"),
    ]
    named = [(name + what, *rest) for what, *rest in rows] + [
        (driver + what, *rest) for what, *rest in memory
    ]

    return [
        dict(zip(("name", "value", "target", "unit"), row, strict=True))
        for row in named
    ]


def run() -> list[dict[str, Any]]:
    runs = [compared(), compared(**MANY_ROWS)]
    if "--store" in sys.argv:
        STORED.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    return [row for found in runs for row in rows_of(found)]
