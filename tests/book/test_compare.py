"""The tool that compares two builds, and two executions of the same chapters."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import compare
from reproduction.claims import MIME_TYPE

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ("capacity/all-trees.ipynb", "categorical/thresholds.ipynb")


def fake_build(folder, *, output="1", tags=(), seconds="0.1", rows="1"):
    """A build of one notebook with one cell, which settles a claim, and one table."""
    record = {"id": "L-def", "measured": output}
    cell = {
        "id": "cell-000",
        "source": ["work()"],
        "metadata": {"tags": list(tags)},
        "outputs": [{"data": {MIME_TYPE: record, "text/plain": output}}],
    }
    for name, text in (
        ("executed/part/one.ipynb", json.dumps({"cells": [cell]})),
        ("results/peng2019/table.csv", f"rows,seconds of pruning\n{rows},{seconds}\n"),
        ("claims.json", json.dumps([record])),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"seconds": "0.2"}, []),
        ({"rows": "2"}, ["results/peng2019/table.csv: rows"]),
        ({"output": "2"}, ["part/one.ipynb: cell-000: work()", "claims.json: L-def"]),
    ],
)
def test_differences_are_named(tmp_path, changes, expected):
    one, other = fake_build(tmp_path / "one"), fake_build(tmp_path / "other", **changes)
    assert compare.differences(one, other) == expected
    assert compare.main([str(one), str(other)]) == bool(expected)


def test_measured_times_may_differ_but_not_their_code(tmp_path):
    one, other = (
        fake_build(tmp_path / output, output=output, tags=["measured-time"]) for output in ("1", "2")
    )
    assert compare.differences(one, other) == []
    notebook = other / "executed" / "part" / "one.ipynb"
    notebook.write_text(notebook.read_text().replace("work()", "rest()"))
    assert compare.differences(one, other) == ["part/one.ipynb: cell-000: work()"]


def test_a_file_of_one_build_only_is_named(tmp_path):
    one, other = fake_build(tmp_path / "one"), fake_build(tmp_path / "other")
    (other / "results" / "peng2019" / "table.csv").unlink()
    with pytest.raises(SystemExit, match=r"in one build only: peng2019/table\.csv"):
        compare.differences(one, other)


@pytest.mark.book
def test_chapters_that_are_executed_again_give_the_same(book, tmp_path):
    names = ",".join(Path(name).stem for name in CHAPTERS)
    command = (sys.executable, ROOT / "book" / "build.py", "--small", "--execute-only", "--only", names)
    subprocess.run([*command, "--output", tmp_path / "again"], check=True, capture_output=True)
    for name in CHAPTERS:
        first = tmp_path / "first" / "executed" / name
        first.parent.mkdir(parents=True)
        shutil.copy(book.parent / "executed" / name, first)
    shutil.rmtree(tmp_path / "again" / "_build" / "results", ignore_errors=True)
    shutil.copy(tmp_path / "again" / "_build" / "claims.json", tmp_path / "first")
    assert compare.differences(tmp_path / "first", tmp_path / "again" / "_build") == []
