"""Where the result tables of a chapter go."""

import pandas as pd

from reproduction.experiments import save_table

TABLE = pd.DataFrame({"m": [1]})


def test_a_chapter_that_runs_elsewhere_writes_there(tmp_path, monkeypatch):
    monkeypatch.delenv("TREEBOUNDS_RESULTS", raising=False)
    monkeypatch.chdir(tmp_path)
    save_table(TABLE, "peng2019", "one")
    assert (tmp_path / "results" / "peng2019" / "one.csv").read_text() == "m\n1\n"


def test_a_build_says_where_tables_go(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEBOUNDS_RESULTS", str(tmp_path / "here"))
    save_table(TABLE, "peng2019", "one")
    assert (tmp_path / "here" / "peng2019" / "one.csv").exists()
