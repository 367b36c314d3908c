"""The collector of benchmarks: who meets a target, and what a file without data
becomes.
"""

import json

import pytest

import bench_spark
import run
from measuring import Measurement

SIDES = [
    (0.5, "s, at most", True),
    (1.5, "s, at most", False),
    (1.5, "s, at least", True),
]


@pytest.mark.parametrize(("value", "unit", "expected"), SIDES)
def test_the_unit_says_from_which_side(value, unit, expected):
    measurement = Measurement("a task", value, 1.0, unit)
    assert measurement.met is expected
    assert ("MISSED" in str(measurement)) is not expected


def test_a_file_without_data_says_so(tmp_path, monkeypatch, capsys):
    (tmp_path / "bench_nothing.py").write_text(
        "def run():\n    raise OSError('no data here')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (row,) = run.rows_of(tmp_path / "bench_nothing.py")
    assert row["name"] == "not run: no data here"
    assert capsys.readouterr().out == "not run: no data here\n"


def test_the_rows_of_a_file_say_whether_targets_are_met(tmp_path, monkeypatch):
    (tmp_path / "bench_something.py").write_text(
        "from measuring import at_most\n\n"
        "def run():\n    return [at_most('a task', 2.0, 1.0)]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (row,) = run.rows_of(tmp_path / "bench_something.py")
    assert row == {
        "file": "bench_something.py",
        "name": "a task",
        "value": 2.0,
        "target": 1.0,
        "unit": "s, at most",
        "met": False,
    }


def test_the_stored_runs_of_spark_meet_their_targets():
    """The guide prints these runs."""
    comparisons = json.loads(bench_spark.STORED.read_text("utf-8"))
    assert [comparison["n_rows"] for comparison in comparisons] == [10**6, 10**7]
    for comparison in comparisons:
        assert all(row.met for row in bench_spark.measurements_of(comparison))


def test_without_java_the_reason_is_an_os_error(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(OSError, match="no Java"):
        bench_spark.run()
