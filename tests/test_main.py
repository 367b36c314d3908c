"""The command line."""

import re
import subprocess
import sys

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
    assert said.startswith("Classes: column 'target', 3 of them: 0 (59), 1 (71), 2 (48).\n")
    assert re.search(r"\nLeaves: 12 grown, \d+ kept\.\n", said)
    assert "errors on 178 training examples" in said
    assert "With probability 0.95 over the sample of" in said
    assert "\n- The examples are independent draws" in said
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
        ("", [], "cannot be read as CSV: it is empty"),
        ("a,b\n", [], "has a header and no rows"),
        ("b\n1\n2\n", [], "has one column"),
        ("a;b\n1;1\n2;0\n", [], "must be separated by commas"),
        ("1.5,1\n2.5,0\n", [], "the first line must name the columns; got 1.5, 1"),
        ("a,b\n1,1\n1,2,3,4\n", [], "cannot be read as CSV: row 2 has 4 fields, the header 2"),
        ("a,b\n1,1,7\n2,0,7\n", [], "cannot be read as CSV"),
        ("a,b,a\n1,1,7\n2,0,7\n", [], "two columns have the same name among a, b, a"),
        ('a,b\n1,"1\n2,0\n', [], "cannot be read as CSV"),
        ("a,b\n1,\xe9\n2,b\n".encode("latin-1"), [], "is not UTF-8"),
        (b"\x00\xff\xfe\x81" * 50, [], "treebounds: file:"),
        ("a,c,b\n1,inf,1\n2,1e39,0\n", [], "columns with numbers too large for a tree: c"),
        ("a,b\n1,x\n2,x\n", [], "column 'b' has one class, x"),
        ("a,b\n1,0.5\n2,1.5\n", [], "column 'b' holds real numbers, not classes; --target names another"),
        ("a,b\n1,2\n", ["--target", "c"], "--target: no column 'c'; there are a, b"),
        ("a,b\n1,2\n", ["--drop", "c"], "--drop: no column 'c'; there are a, b"),
        ("a,b\n1,2\n", ["--drop", "b"], "--drop: 'b' is the column with the classes"),
        ("a,b\n1,2\n2,1\n", ["--drop", "a"], "no column is left to split on"),
        ("a,b\n1,\n2,1\n", [], "1 missing values"),
        ("a,b\n1,1\n2,0\n", ["--delta", "2"], "delta"),
        ("a,b\n1,1\n2,0\n", ["--rule", "magic"], "--rule must be one of shawe-taylor"),
        ("a,b\n1,1\n2,0\n", ["--rule", "-1"], "--rule must be one of shawe-taylor"),
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


def test_the_tree_that_is_printed_is_the_one_that_is_certified(wine, capsys):
    """Follow the printed rules by hand: they make the printed number of errors."""
    assert main(["prune", str(wine), "--rule", "2"]) == 0
    said = capsys.readouterr().out
    frame = load_wine(as_frame=True).frame
    wrong = sum(followed(said, row) != str(int(row["target"])) for _, row in frame.iterrows())
    assert f"\n{wrong} errors on 178" in said


def followed(said, row):
    depth = 0
    for line in said[said.index("|---") :].splitlines():
        indent, _, condition = line.partition("|--- ")
        if len(indent) // 4 != depth:
            continue
        if condition.startswith("class: "):
            return condition[7:]
        name, sign, number = condition.rsplit(" ", 2)
        if (row[name] <= float(number)) == (sign == "<="):
            depth += 1
    raise AssertionError(said)


def test_delta_and_rule_change_what_is_said(wine, capsys):
    said = []
    for options in (
        [],
        ["--delta", "0.5"],
        ["--rule", "kearns-mansour"],
        ["--rule", "noise"],
        ["--rule", "9"],
    ):
        assert main(["prune", str(wine), *options]) == 0
        said.append(capsys.readouterr().out)
    assert "With probability 0.5 over" in said[1]
    assert ", 1 kept." in said[2]
    assert len(set(said)) == 5


CHURN = ["fee,plan,sex,fiber,id,name,same,churn"] + [
    f"{i % 7},{('month', 'year', 'two')[i % 3]},{'fm'[i % 2]},{i // 2 % 2},{i},n{i},1,{'ny'[i // 2 % 2]}"
    for i in range(90)
]


def test_words_are_categories_and_odd_columns_are_named(tmp_path, capsys):
    path = tmp_path / "churn.csv"
    path.write_text("\n".join(CHURN))
    assert main(["prune", str(path), "--drop", "fiber", "--target", "plan", "--rule", "1"]) == 0
    said = capsys.readouterr()
    assert "Classes: column 'plan', 3 of them: month (30), two (30), year (30)." in said.out
    assert (
        "column 'id' looks like an identifier or a date: it rises or falls from row to row; --drop id leaves"
        in said.err
    )
    assert "column 'name' is left out: it has 90 different words in 90 rows" in said.err
    assert "column 'same' is 1 in every row" in said.err
    assert main(["prune", str(path), "--drop", "fiber", "--drop", "id", "--target", "sex"]) == 0
    said = capsys.readouterr()
    assert "identifier" not in said.err
    assert "The categories of words were known before." in said.out


def test_thresholds_read_as_they_act(tmp_path, capsys):
    path = tmp_path / "churn.csv"
    path.write_text("\n".join(CHURN))
    assert main(["prune", str(path), "--drop", "id"]) == 0
    assert "|--- fiber <= 0\n|   |--- class: n\n|--- fiber > 0\n|   |--- class: y" in capsys.readouterr().out
    rows = ["word,x,y", *(f"{'ab'[i % 2]},{i / 10},{'ab'[i % 2]}" for i in range(60))]
    path.write_text("\n".join(rows))
    assert main(["prune", str(path)]) == 0
    assert (
        "|--- word is not a\n|   |--- class: b\n|--- word is a\n|   |--- class: a" in capsys.readouterr().out
    )


def test_missing_values_go_somewhere_and_are_not_certified(tmp_path, capsys):
    path = tmp_path / "missing.csv"
    path.write_text("\n".join(["x,y", *(f"{'' if i % 5 == 0 else i / 10},{int(i > 47)}" for i in range(90))]))
    assert main(["prune", str(path)]) == 0
    said = capsys.readouterr().out
    assert "No certificate" in said
    assert " or missing\n" in said
    assert re.search(r"x <= 4\.7[0-9]*( or missing)?\n", said)  # 4.8 itself goes the other way


def test_a_class_column_that_looks_like_a_number_is_named(tmp_path, capsys):
    path = tmp_path / "numbers.csv"
    path.write_text("\n".join(["y,x", *(f"{i % 2},{i}" for i in range(60))]))
    assert main(["prune", str(path)]) == 0
    said = capsys.readouterr()
    assert "column 'x' looks like a number, not a class: it has 60 different values" in said.err
    assert "Classes: column 'x', 60 of them:" in said.out
    assert "and 50 more" in said.out


def test_a_closed_pipe_is_quiet(wine):
    command = f"{sys.executable} -m treebounds prune {wine} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("Classes:")
    assert done.stderr == ""


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
