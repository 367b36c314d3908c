"""What is read from the runs on Spark that are stored with the book."""

import json
from pathlib import Path

import pytest

from reproduction.experiments import spark_runs

ROOT = Path(__file__).resolve().parents[3]
STORED = ROOT / "benchmarks" / "spark_folds.json"


@pytest.mark.parametrize("number", [0, 1])
def test_times_are_against_the_bound(number):
    run = json.loads(STORED.read_text(encoding="utf-8"))[number]
    found = spark_runs.numbers(run)
    table = spark_runs.table(run).set_index("way")

    times = table["time against the bound"]
    assert times["bound, from counts"] == 1
    folds = f"{found['folds']} folds over {found['values']} values"
    assert times[folds] == found["times"]
    assert found["trainings"] == found["folds"] * found["values"]
