"""The collector of benchmarks: who meets a target, and what a file without data
becomes.
"""

import importlib
import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

PATH = Path(__file__).resolve().parents[1] / "benchmarks" / "run.py"
run = SimpleNamespace(**runpy.run_path(str(PATH)))


SIDES = [
    (0.5, "s, at most", True),
    (1.5, "s, at most", False),
    (1.5, "s, at least", True),
]


@pytest.mark.parametrize(("value", "unit", "expected"), SIDES)
def test_the_unit_says_from_which_side(value, unit, expected):
    row = {"name": "a task", "value": value, "target": 1.0, "unit": unit}
    row["met"] = run.met(row)
    assert row["met"] is expected
    assert ("MISSED" in run.show(row)) is not expected


def test_a_file_without_data_says_so(tmp_path, monkeypatch):
    (tmp_path / "bench_nothing.py").write_text(
        "def run():\n    raise OSError('no data here')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (row,) = run.rows_of(tmp_path / "bench_nothing.py")
    assert run.show(row) == "not run: no data here"


def test_the_stored_runs_of_spark_meet_their_targets(monkeypatch):
    """The guide prints these runs; the reason for a run that is not made is an OSError."""
    monkeypatch.syspath_prepend(PATH.parent)
    bench_spark = importlib.import_module("bench_spark")
    runs = json.loads(bench_spark.STORED.read_text("utf-8"))
    assert [found["n_rows"] for found in runs] == [1_000_000, 10_000_000]
    assert all(run.met(row) for found in runs for row in bench_spark.rows_of(found))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(OSError, match="no Java"):
        bench_spark.run()
