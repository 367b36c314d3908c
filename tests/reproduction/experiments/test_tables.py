"""Tables for programs: numbers and words, one value in a cell."""

import pandas as pd
import pytest

from reproduction import experiments


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("0.933 ± 0.030", [0.933, 0.03]),
        ("92.6 (7.0)", [92.6, 7.0]),
        ("14 / 15", [14, 15]),
        ("6 of 6", [6, 6]),
        ("0.00 to 2.63 (Iris)", [0.0, 2.63, "Iris"]),
        ("97%", [0.97]),
        ("\u22120.42 (0.16) \u25bc", [-0.42, 0.16, "lower"]),
        ("\u2013", [""]),
        ("$1.3 \\cdot 10^{6}$", [1.3e6]),
        ("1,234", [1234]),
        ("{doc}`measured <../a/b>` twice", ["measured twice"]),
        ("no pruning", ["no pruning"]),
    ],
)
def test_a_cell_is_taken_apart(cell, values):
    assert experiments.as_data(pd.DataFrame({"a": [cell]})).iloc[0].tolist() == values


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("1.2 (0.3)", "a, uncertainty"),
        ("1.2 (3)", "a, in parentheses"),
        ("1 of 3", "a, of"),
    ],
)
def test_the_second_number_has_a_name(cell, name):
    assert experiments.as_data(pd.DataFrame({"a": [cell]})).columns.tolist() == [
        "a",
        name,
    ]


def test_what_a_page_shows_is_kept_beside_the_data(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEBOUNDS_RESULTS", str(tmp_path))
    experiments.save_table(pd.DataFrame({"a": ["1 ± 2"]}), "new", "shown-otherwise")
    experiments.save_table(pd.DataFrame({"a": [1]}), "new", "as-it-is")
    files = {path.name: path.read_text() for path in (tmp_path / "new").iterdir()}
    assert files == {
        "shown-otherwise.csv": 'a,"a, uncertainty"\n1,2\n',
        "shown-otherwise-shown.csv": "a\n1 ± 2\n",
        "as-it-is.csv": "a\n1\n",
    }


def test_the_mark_of_a_table_with_markup_is_refused_as_a_name(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEBOUNDS_RESULTS", str(tmp_path))
    with pytest.raises(ValueError, match="name must not end with '-shown'"):
        experiments.save_table(pd.DataFrame({"a": [1]}), "new", "table1-shown")
    assert not list(tmp_path.rglob("*.csv"))
