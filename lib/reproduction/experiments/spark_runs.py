"""What the comparison on Spark says, from a run of ``benchmarks/bench_spark.py``."""

from __future__ import annotations

from typing import Any

import pandas as pd


def numbers(run: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a run that the text quotes, by name."""
    ways = pd.DataFrame(run["table"]).set_index("way")
    folds = ways.loc["cross-validation"]
    bound = ways.loc["bound, from counts"]
    without = ways.loc["no pruning"]
    first = ways.loc["bound, first call of a session"]
    return {
        "date": run["date"],
        "spark": run["pyspark"],
        "rows": f"{run['n_rows']:,}",
        "cores": run["cores"],
        "depth": run["depth"],
        "folds": run["n_folds"],
        "values": run["n_values"],
        "trainings": run["n_folds"] * run["n_values"],
        "passes": folds["passes"] / bound["passes"],
        "times": folds["seconds"] / bound["seconds"],
        "minutes": folds["seconds"] / 60,
        "first": first["seconds"] / bound["seconds"],
        "loss": 100 * (folds["accuracy"] - bound["accuracy"]),
        "more_jobs": int(bound["jobs"] - without["jobs"]),
        "more_passes": int(bound["passes"] - without["passes"]),
    }


def table(run: dict[str, Any]) -> pd.DataFrame:
    """The ways to prune in a run, with their times against that of the bound."""
    ways = pd.DataFrame(run["table"]).set_index("way")
    ways["rows"] = f"{run['n_rows']:,}"
    ways["accuracy, %"] = 100 * ways["accuracy"]
    seconds = ways.loc["bound, from counts", "seconds"]
    ways["time against the bound"] = ways["seconds"] / seconds
    label = f"{run['n_folds']} folds over {run['n_values']} values"
    return ways.rename({"cross-validation": label}).reset_index()
