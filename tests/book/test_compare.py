"""The tool that compares two builds, and two executions of the same chapters."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import compare
from reproduction.claims import MIME_TYPE

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = "purity,thresholds"


def fake_build(folder, *, output="1", tags=(), seconds="0.1", rows="1"):
    """A build of one notebook with one cell, which settles a claim, and one table."""
    record = {"id": "L-def", "measured": output}
    cell = {"id": "cell-000", "source": ["work()"], "metadata": {"tags": list(tags)}}
    cell["outputs"] = [{"data": {MIME_TYPE: record, "text/plain": output}}]
    for name, text in (
        ("executed/part/one.ipynb", json.dumps({"cells": [cell]})),
        ("results/peng2019/table.csv", f"rows,seconds of pruning\n{rows},{seconds}\n"),
        ("claims.json", json.dumps([record])),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_differences_are_named(tmp_path):
    one = fake_build(tmp_path / "one")
    for changes, expected in (
        ({}, []),
        ({"seconds": "0.2"}, []),
        ({"rows": "2"}, ["results/peng2019/table.csv: rows"]),
        ({"output": "2"}, ["claims.json: L-def", "executed/part/one.ipynb: cell-000"]),
    ):
        assert (
            compare.differences(one, fake_build(tmp_path / "other", **changes))
            == expected
        )
    (one / "results" / "peng2019" / "table.csv").unlink()
    assert "results/peng2019/table.csv: rows" in compare.differences(
        one, tmp_path / "other"
    )


def test_measured_times_may_differ_but_not_their_code(tmp_path):
    one, other = (
        fake_build(tmp_path / said, output=said, tags=["measured-time"])
        for said in "12"
    )
    assert compare.differences(one, other) == []
    notebook = other / "executed" / "part" / "one.ipynb"
    notebook.write_text(notebook.read_text().replace("work()", "rest()"))
    assert compare.differences(one, other) == ["executed/part/one.ipynb: cell-000"]


@pytest.mark.book
def test_chapters_that_are_executed_again_give_the_same(book, tmp_path):
    command = (
        sys.executable,
        ROOT / "book" / "build.py",
        "--small",
        "--execute-only",
        "--only",
        CHAPTERS,
    )
    subprocess.run([*command, "--output", tmp_path], check=True, capture_output=True)
    first, again = compare.contents(book.parent), compare.contents(tmp_path / "_build")
    assert again == {name: first.get(name) for name in again}
