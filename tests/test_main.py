"""The command line."""

import re

import pytest
from sklearn.datasets import load_wine

from treebounds.__main__ import main


@pytest.fixture
def wine(tmp_path):
    path = tmp_path / "wine.csv"
    load_wine(as_frame=True).frame.to_csv(path, index=False)
    return path


def test_prune_says_leaves_errors_and_the_tree(wine, capsys):
    assert main(["prune", str(wine)]) == 0
    said = capsys.readouterr().out
    assert re.match(r"Leaves: \d+ grown, \d+ kept\.\n", said)
    assert "errors on 178 training examples" in said
    assert "|--- proline <=" in said or "|--- color_intensity <=" in said


def test_complexity_says_vc_dimension_and_growth(wine, capsys):
    assert main(["complexity", str(wine), "--target", "target"]) == 0
    said = capsys.readouterr().out
    assert "13 features, 3 classes, 178 examples" in said
    assert "VC dimension" in said
    assert "e^195.6 labelings" in said


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (None, [], "does not exist"),
        ("", [], "cannot be read as CSV"),
        ("a,b\n", [], "has a header and no rows"),
        ("b\n1\n2\n", [], "has one column"),
        ("a;b\n1;1\n2;0\n", [], "must be separated by commas"),
        ("1.5,1\n2.5,0\n", [], "the first line must name the columns; got 1.5, 1"),
        ("a,b\n1,1\n1,2,3,4\n", [], "cannot be read as CSV"),
        ("a,b\n1,1,7\n2,0,7\n", [], "cannot be read as CSV"),
        ("a,b\n1,\xe9\n2,b\n".encode("latin-1"), [], "is not UTF-8"),
        (b"\x00\xff\xfe\x81" * 50, [], "treebounds: file:"),
        ("a,c,b\n1,inf,1\n2,1e39,0\n", [], "columns with numbers too large for a tree: c"),
        ("a,b\n1,x\n2,x\n", [], "column 'b' has one class, x"),
        ("a,b\n1,0.5\n2,1.5\n", [], "column 'b' holds real numbers, not classes"),
        ("a,b\n1,2\n", ["--target", "c"], "no column 'c'; there are a, b"),
        ("a,b\nx,2\n", [], "columns that are not numbers: a"),
        ("a,b\n1,\n2,1\n", [], "1 missing values"),
        ("a,b\n1,1\n2,0\n", ["--delta", "2"], "delta"),
        ("a,b\n1,1\n2,0\n", ["--max-leaf-nodes", "0"], "max_leaf_nodes"),
    ],
)
def test_errors_are_said_in_one_line(tmp_path, capsys, text, arguments, message):
    path = tmp_path / "data.csv"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    for command in ("prune", "complexity"):
        assert main([command, str(path), *arguments]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert message in said.err
        assert said.err.count("\n") == 1


def test_a_folder_is_no_table(tmp_path, capsys):
    assert main(["prune", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err


def test_missing_values_are_counted_as_a_choice_of_every_split(tmp_path, capsys):
    path = tmp_path / "data.csv"
    growths = []
    for first in ("0", ""):
        rows = [f"{value},{value % 3},{int(value > 9)}" for value in range(1, 40)]
        path.write_text("\n".join(["a,b,y", f"{first},0,0", *rows]))
        assert main(["complexity", str(path)]) == 0
        growths.append(float(re.search(r"at most e\^([\d.]+) of", capsys.readouterr().out)[1]))
    assert growths[0] < growths[1]


def test_help_names_both_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    assert {"prune", "complexity"} <= set(capsys.readouterr().out.replace(",", " ").replace("{", " ").split())
