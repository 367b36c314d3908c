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
        ("$1.3 \\cdot 10^{6}$", [1.3e6]),
        ("1,234", [1234]),
        ("{doc}`measured <../a/b>` twice", ["measured twice"]),
        ("no pruning", ["no pruning"]),
    ],
)
def test_a_cell_is_taken_apart(cell, values):
    assert experiments.as_data(pd.DataFrame({"a": [cell]})).iloc[0].tolist() == values


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
