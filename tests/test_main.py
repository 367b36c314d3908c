"""The command line."""

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
    assert "leaves grown" in said
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
        path.write_text(text)
    assert main(["prune", str(path), *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert said.err.count("\n") == 1


def test_help_names_both_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    assert {"prune", "complexity"} <= set(capsys.readouterr().out.replace(",", " ").replace("{", " ").split())
