"""The readers: each format in an excerpt, wrong bytes, one encoding of words; and the
simulated problems.
"""

import hashlib

import numpy as np
import pytest

import reproduction.datasets as datasets
from reproduction.datasets import _files, group, list_datasets, load
from reproduction.datasets._parsers import parse_mixed
from reproduction.datasets._simulated import RECIPES, simulated

# For every reader and every option of the registry: what the registry would say, and
# the bytes of the files.
EXCERPTS = {
    "commas": (
        {"shape": [4, 2], "classes": {"a": 1, "b": 3}},
        [b"1,2.5,a\n3,4,b\n-5,6e1,b\n7,8,b\n"],
    ),
    "spaces, header, class in the middle": (
        {"separator": "space", "header": 0, "skip": 1, "target": 2, "features": (1, 4)}
        | {"shape": [3, 2], "classes": {"0": 1, "1": 2}},
        [b"name  x  class  y\none 1 0 2\ntwo  3 1 4\nthree 5 1 6\n"],
    ),
    "tabs, three lines of header, words": (
        {"separator": "tab", "header": 0, "skip": 3, "kind": "categorical"}
        | {"shape": [2, 2], "classes": {"no": 1, "yes": 1}},
        [
            b"status\tage\tsurvived\nd\td\td\n\t\tclass\n"
            b"first\tadult\tyes\ncrew\tchild\tno\n"
        ],
    ),
    "class first, named by nobody": (
        {"target": 0, "features": (1, 3), "skip": 3, "header": 1}
        | {"shape": [3, 2], "classes": {"SKY": 3}},
        [b";;; names\nROW,COLUMN\n\nSKY,1,2\nSKY,3,4\nSKY,5,6\n"],
    ),
    "semicolons, classes with decimals": (
        {"separator": ";", "shape": [2, 2], "classes": {"1": 1, "2": 1}},
        [b"1;2;1.0\r\n3;4;2.0\r\n"],
    ),
    "sequences, some classes": (
        {"reader": "sequences", "kind": "categorical", "only": ["EI", "N"]}
        | {"shape": [2, 4], "classes": {"EI": 1, "N": 1}},
        [b"EI, S10, ACGT\nIE, S11, ACCT\nN, S12,   GGGT\n"],
    ),
    "counts": (
        {
            "reader": "counts",
            "kind": "categorical",
            "shape": [5, 2],
            "classes": {"No": 3, "Yes": 2},
        },
        [
            b'"","Class","Sex","Survived","Freq"\n'
            b'"1","1st","Male","No",3\n"2","Crew","Female","Yes",2\n'
        ],
    ),
    "numbers and words, terciles of one column": (
        {"reader": "mixed", "target": "y", "cuts": "terciles", "without": ["d"]}
        | {"shape": [3, 2], "classes": {"0": 1, "1": 1, "2": 1}},
        [
            b'"rownames","x","w","d","y"\n"1",NA,"a,'
            b' b",7,1\n"2",3,"c",8,2\n"3",5,"c",9,3.5\n'
        ],
    ),
    "training set by the rows' names": (
        {
            "separator": "space",
            "kind": "categorical",
            "target": 0,
            "features": (1, 3),
            "training": "by-id",
        }
        | {"train_examples": 2, "shape": [3, 2], "classes": {"0": 1, "1": 2}},
        [b" 1 1 1 r1\n 0 1 2 r2\n 1 2 2 r3\n", b" 1 1 1 r1\n 0 2 2 r3\n"],
    ),
    "training set in the first file": (
        {
            "training": "first-file",
            "train_examples": 1,
            "shape": [3, 2],
            "classes": {"a": 2, "b": 1},
        },
        [b"1,2,a\n", b"3,4,a\n5,6,b\n"],
    ),
}


def assembled(spec, files):
    spec = {"folder": "iris", "about": "An excerpt.", **spec}
    return datasets._assemble(
        "excerpt", spec, [(f"file-{i}.txt", f) for i, f in enumerate(files)]
    )


@pytest.mark.parametrize("name", EXCERPTS)
def test_the_excerpts_are_read(name):
    spec, files = EXCERPTS[name]
    bunch = assembled(spec, files)  # which checks shape and classes
    if spec.get("kind") == "categorical":
        assert all(isinstance(value, str) and value for value in bunch.data.ravel())
    else:
        assert bunch.data.dtype == np.float64
    assert len(bunch.get("train_indices", ())) == spec.get("train_examples", 0)


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("commas", [b""], "cannot be read: No columns"),
        ("commas", [b"1,2.5,a\n3,4\n"], r"shape \[2, 2\], expected \[4, 2\]"),
        ("commas", [b"1,a\n3,b\n-5,b\n7,b\n"], r"shape \[4, 1\], expected \[4, 2\]"),
        ("commas", [b"1,2,a\n3,4,a\n-5,6,b\n7,8,b\n"], "the classes of 'excerpt' are"),
        ("commas", [b"1,2.5,a\n3,nan,b\n-5,6,b\n7,8,b\n"], "not a finite number"),
        ("commas", [b"1,2,1e300\n"], "not whole"),
        ("commas", ["1,2.5,a\n".encode("utf-16")], "cannot be read: 'utf-8' codec"),
        (
            "spaces, header, class in the middle",
            [b"name x class\none 1 0\n"],
            "at least 4 expected",
        ),
        (
            "tabs, three lines of header, words",
            [b"a\tb\tc\n\n\nx\t\ty\n"],
            "a feature is empty",
        ),
        (
            "numbers and words, terciles of one column",
            [b"r,x,y\n1,2,3\n"],
            "no column d",
        ),
        (
            "numbers and words, terciles of one column",
            [b"r,x,d,y\n1,2,3,a\n"],
            "could not convert",
        ),
        (
            "training set by the rows' names",
            [None, b"1 1 1 r9\n"],
            "not a row of the whole set",
        ),
        (
            "training set by the rows' names",
            [None, b"1 2 1 r1\n"],
            "not a row of the whole set",
        ),
        (
            "training set by the rows' names",
            [None, b"1 1 1 r1\n"],
            "1 training examples .*, expected 2",
        ),
    ],
)
def test_the_reason_is_clear(name, files, message):
    spec, whole = EXCERPTS[name]
    damaged = [
        new if new is not None else old for new, old in zip(files, whole, strict=True)
    ]
    wrong = next(number for number, new in enumerate(files) if new is not None)
    with pytest.raises(ValueError, match=rf"^file-{wrong}\.txt.*{message}"):
        assembled(spec, damaged)


def test_a_byte_order_mark_is_not_a_part_of_the_first_cell():
    spec, (content,) = EXCERPTS["tabs, three lines of header, words"]
    assert assembled(spec, [b"\xef\xbb\xbf" + content]).feature_names == [
        "status",
        "age",
    ]


@pytest.mark.parametrize("other", [b"", b"registered", b"Registered\n"])
def test_only_the_registered_bytes_are_read(other, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"registered\n")
    sha = hashlib.sha256(b"registered\n").hexdigest()
    assert _files.verified(path, sha) == b"registered\n"
    path.write_bytes(other)
    with pytest.raises(ValueError, match=r"file is (empty|damaged)"):
        _files.verified(path, sha)


TABLE = b"""rownames,number,two,three,gap,same,far,y
1,1,b,p,x,4,1,a
2,NA,a,q,,4,2,a
3,4,b,r,x,4,3,b
4,8,b,p,z,4,4,NA
5,9,a,q,z,4,5,b
"""


def test_the_encoding_of_numbers_and_words():
    table = parse_mixed(TABLE, {"target": "y", "without": ["far"]})
    # The row without a class has gone.
    assert table.target.tolist() == ["a", "a", "b", "b"]
    words = ["two=b", "three=p", "three=q", "three=r"]
    gaps = ["gap=missing", "gap=x", "gap=z"]
    assert table.feature_names == ["number", *words, *gaps]

    number, two, p, q, r, missing, x, z = table.data.T.tolist()
    assert number == [1, 4, 4, 9]  # the median of 1, 4 and 9 where one is missing
    assert two == [1, 0, 1, 0]
    assert (p, q, r) == ([1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0])
    assert (missing, x, z) == ([0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1])


def test_more_words_than_levels_are_left_out():
    for n_words, kept in ((15, 15 + 1), (16, 1)):
        rows = "".join(f"{i},w{i % n_words},{i},{i % 2}\n" for i in range(32))
        table = parse_mixed(f"r,word,x,y\n{rows}".encode(), {"target": "y"})
        assert len(table.feature_names) == kept


@pytest.mark.parametrize(
    ("options", "classes"),
    [
        ({"cuts": "terciles"}, [0, 0, 1, 2]),
        ({"cuts": [4, 8]}, [0, 0, 1, 2]),
        ({"cuts": [1]}, [0, 1, 1, 1]),
    ],
)
def test_classes_of_a_number(options, classes):
    assert (
        parse_mixed(TABLE, {"target": "number", **options}).target.tolist() == classes
    )


def test_the_first_classes_by_name():
    table = parse_mixed(TABLE, {"target": "three", "first_classes": 2})
    assert table.target.tolist() == ["p", "q", "p", "q"]


def test_at_least_thirty_sets_only_report():
    new = group("new")
    assert len(new) == 35
    assert not set(new) & {*group("table 1"), *group("prunings")}
    assert set(new) <= set(list_datasets())


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_simulated_set_is_the_same_every_time(recipe):
    first = load(recipe)
    again = load(recipe)
    assert np.array_equal(first.data, again.data)
    assert np.array_equal(first.target, again.target)
    assert "Simulated" in first.DESCR


# The error of the best classifier, which the recipes know.
@pytest.mark.parametrize(
    ("recipe", "best", "error"),
    [
        ("twonorm", lambda X: X.sum(axis=1) > 0, 0.023),
        ("hastie", lambda X: (X**2).sum(axis=1) > 9.34, 0.0),
        ("checkers", lambda X: (4 * X[:, :2]).astype(int).sum(axis=1) % 2, 0.1),
        ("sea", lambda X: X[:, 0] + X[:, 1] <= 8, 0.1),
        (
            "agrawal7",
            lambda X: 2 * (X[:, 0] + X[:, 1]) / 3 - X[:, 8] / 5 > 20_000,
            0.05,
        ),
        (
            "ringnorm",
            lambda X: ((X - 1 / 20**0.5) ** 2 - X**2 / 4).sum(axis=1) < 40 * np.log(2),
            0.013,
        ),
    ],
)
def test_the_error_of_the_best_classifier(recipe, best, error):
    X, y = simulated(recipe, 20_000)
    assert np.mean(best(X) != y) == pytest.approx(error, abs=0.007)
