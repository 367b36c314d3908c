"""The collector of benchmarks: who meets a target, and what a file without data becomes."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[1] / "benchmarks" / "run.py"
specification = importlib.util.spec_from_file_location("run", PATH)
run = importlib.util.module_from_spec(specification)
specification.loader.exec_module(run)


@pytest.mark.parametrize(
    ("value", "target", "unit", "expected"),
    [
        (0.5, 1.0, "s, at most", True),
        (1.5, 1.0, "s, at most", False),
        (30, 20, "times, at least", True),
        (10, 20, "times, at least", False),
    ],
)
def test_the_unit_says_from_which_side(value, target, unit, expected):
    row = {"name": "a task", "value": value, "target": target, "unit": unit}
    row["met"] = run.met(row)
    assert row["met"] is expected
    assert ("MISSED" in run.show(row)) is not expected


def test_a_file_without_data_says_so(tmp_path, monkeypatch):
    (tmp_path / "bench_nothing.py").write_text("def run():\n    raise OSError('no data here')\n")
    monkeypatch.syspath_prepend(tmp_path)
    (row,) = run.rows_of(tmp_path / "bench_nothing.py")
    assert run.show(row) == "not run: no data here"


def test_the_machine_is_described():
    described = run.machine()
    assert described["processor"]
    assert described["cores"] >= 1
    assert described["treebounds"]
