"""Damaged files: refused by their hash; whatever a reader gets, it gives the set or says what is wrong."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reproduction.datasets as datasets
from reproduction.datasets import _files

DATA = os.environ.get("TREEBOUNDS_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="TREEBOUNDS_DATA is not set")

# For every reader and every option of the registry: what the registry would say, and the bytes of the files.
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
        [b"status\tage\tsurvived\nd\td\td\n\t\tclass\nfirst\tadult\tyes\ncrew\tchild\tno\n"],
    ),
    "class first, named by nobody": (
        {"target": 0, "features": (1, 3), "skip": 3, "header": 1} | {"shape": [3, 2], "classes": {"SKY": 3}},
        [b";;; names\nROW,COLUMN\n\nSKY,1,2\nSKY,3,4\nSKY,5,6\n"],
    ),
    "semicolons, classes with decimals": (
        {"separator": ";", "shape": [2, 2], "classes": {"1": 1, "2": 1}},
        [b"1;2;1.0\r\n3;4;2.0\r\n"],
    ),
    "arff": (
        {"reader": "arff", "shape": [2, 2], "classes": {"0": 1, "1": 1}},
        [b"@relation r\n@attribute x numeric\n% remark\n@data\n1,2,0\n% another\n3,4,1\n"],
    ),
    "sequences, some classes": (
        {"reader": "sequences", "kind": "categorical", "only": ["EI", "N"]}
        | {"shape": [2, 4], "classes": {"EI": 1, "N": 1}},
        [b"EI, S10, ACGT\nIE, S11, ACCT\nN, S12,   GGGT\n"],
    ),
    "counts": (
        {"reader": "counts", "kind": "categorical", "shape": [5, 2], "classes": {"No": 3, "Yes": 2}},
        [b'"","Class","Sex","Survived","Freq"\n"1","1st","Male","No",3\n"2","Crew","Female","Yes",2\n'],
    ),
    "numbers and words, terciles of one column": (
        {"reader": "mixed", "target": "y", "cuts": "terciles", "without": ["d"]}
        | {"shape": [3, 2], "classes": {"0": 1, "1": 1, "2": 1}},
        [b'"rownames","x","w","d","y"\n"1",NA,"a, b",7,1\n"2",3,"c",8,2\n"3",5,"c",9,3.5\n'],
    ),
    "training set by the rows' names": (
        {"separator": "space", "kind": "categorical", "target": 0, "features": (1, 3), "training": "by-id"}
        | {"train_examples": 2, "shape": [3, 2], "classes": {"0": 1, "1": 2}},
        [b" 1 1 1 r1\n 0 1 2 r2\n 1 2 2 r3\n", b" 1 1 1 r1\n 0 2 2 r3\n"],
    ),
    "training set in the first file": (
        {"training": "first-file", "train_examples": 1, "shape": [3, 2], "classes": {"a": 2, "b": 1}},
        [b"1,2,a\n", b"3,4,a\n5,6,b\n"],
    ),
}
WORDS = [b"", b"?", b"nan", b"inf", b"-1", b"1e999", b"3.5", b"99999999999", b"one", b"1_0", b'"', b"\x00"]
SEPARATORS = [b",", b"\t", b";", b" "]


def truncated(draw, content):
    return content[: draw(st.integers(0, max(0, len(content) - 1)))]


def with_flipped_bytes(draw, content):
    damaged = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        if damaged:
            damaged[draw(st.integers(0, len(damaged) - 1))] ^= draw(st.integers(1, 255))
    return bytes(damaged)


def with_a_line_changed(draw, content):
    lines = content.splitlines(keepends=True) or [b"\n"]
    line, times = draw(st.integers(0, len(lines) - 1)), draw(st.sampled_from([0, 2]))
    return b"".join([*lines[:line], *lines[line : line + 1] * times, *lines[line + 1 :]])


def without_a_column(draw, content):
    separator, column = draw(st.sampled_from(SEPARATORS)), draw(st.integers(0, 5))
    cells = [line.split(separator) for line in content.splitlines()]
    return b"\n".join(separator.join([*row[:column], *row[column + 1 :]]) for row in cells)


def with_another_cell(draw, content):
    separator, word = draw(st.sampled_from(SEPARATORS)), draw(st.sampled_from(WORDS))
    cells = content.split(separator)
    cells[draw(st.integers(0, len(cells) - 1))] = word
    return separator.join(cells)


def with_other_line_ends(draw, content):
    return content.replace(b"\r\n", b"\n").replace(
        b"\n", draw(st.sampled_from([b"\r\n", b"\r", b"\n\n", b""]))
    )


def in_another_encoding(draw, content):
    return content.decode("latin-1").encode(draw(st.sampled_from(["utf-8-sig", "utf-16", "utf-32", "cp037"])))


MUTATIONS = (
    *(truncated, with_flipped_bytes, with_a_line_changed, without_a_column),
    *(with_another_cell, with_other_line_ends, in_another_encoding),
)


@st.composite
def mutations(draw, files):
    """The files with one of them damaged, once or twice."""
    damaged = list(files)
    which = draw(st.integers(0, len(files) - 1))
    for _ in range(draw(st.integers(1, 2))):
        damaged[which] = draw(st.sampled_from(MUTATIONS))(draw, damaged[which])
    return damaged


def assembled(spec, files):
    spec = {"folder": "iris", "about": "An excerpt.", **spec}
    return datasets._assemble("excerpt", spec, [(f"file-{i}.txt", f) for i, f in enumerate(files)])


def check_set_or_reason(spec, files):
    """The registered set or an error that names a file; every other exception fails the test."""
    try:
        bunch = assembled(spec, files)
    except ValueError as error:
        reason = str(error)
    else:
        check_set(spec, bunch)
        return
    assert reason.startswith(("file-0.txt", "file-1.txt"))
    assert len(reason) > len("file-0.txt: ")


def check_set(spec, bunch):
    assert list(bunch.data.shape) == spec["shape"]
    assert len(bunch.feature_names) == spec["shape"][1]
    names, counts = np.unique(bunch.target, return_counts=True)
    assert dict(zip(map(str, names), counts.tolist(), strict=True)) == spec["classes"]
    if spec.get("kind") == "categorical":
        assert all(isinstance(value, str) and value for value in bunch.data.ravel())
    else:
        assert bunch.data.dtype == np.float64
        assert np.isfinite(bunch.data).all()
    if "training" in spec:
        assert len(bunch.train_indices) == spec["train_examples"]


@pytest.mark.parametrize("name", EXCERPTS)
def test_the_excerpts_are_read(name):
    spec, files = EXCERPTS[name]
    assert list(assembled(spec, files).data.shape) == spec["shape"]


@pytest.mark.parametrize("name", EXCERPTS)
@given(data=st.data())
@settings(max_examples=80)
def test_a_damaged_excerpt_gives_the_set_or_the_reason(name, data):
    spec, files = EXCERPTS[name]
    check_set_or_reason(spec, data.draw(mutations(files)))


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("commas", [b""], "no rows"),
        ("commas", [b"1,2.5,a\n3,4\n"], r"different lengths: \[2, 3\]"),
        ("commas", [b"1,a\n3,b\n-5,b\n7,b\n"], "1 features, expected 2"),
        ("commas", [b"1,2.5,a\n3,nan,b\n-5,6,b\n7,8,b\n"], "row 2: feature 2 is 'nan', no finite number"),
        ("commas", [b"1,2,1e300\n"], "not whole"),
        ("commas", ["1,2.5,a\n".encode("utf-16")], "not a text in UTF-8: invalid start byte at byte 0"),
        ("spaces, header, class in the middle", [b"name x class y\none 1 0\n"], "4 names of columns"),
        ("spaces, header, class in the middle", [b"name x class\none 1 0\n"], "at least 4 expected"),
        ("tabs, three lines of header, words", [b"a\tb\tc\n\n\nx\t\ty\n"], "row 1: feature 2 is empty"),
        ("sequences, some classes", [b"IE, S11, ACCT\n"], "no rows of the classes EI, N"),
        ("counts", [b'a,b\n"x\0,1\n'], "cannot be read"),
        ("arff", [b"1,2\n"], "no @data line"),
        ("sequences, some classes", [b"+,name\n"], "class, name, sequence"),
        ("numbers and words, terciles of one column", [b"r,x,y\n1,2,3\n"], "no column d"),
        ("numbers and words, terciles of one column", [b"r,x,x,d,y\n1,2,3,4,5\n"], "the same name"),
        ("numbers and words, terciles of one column", [b"r,x,d,y\n1,2,3\n"], "4 names of columns, but rows"),
        ("numbers and words, terciles of one column", [b"r,x,d,y\n1,2,3,NA\n"], "no row has a class"),
        ("numbers and words, terciles of one column", [b"r,x,d,y\n1,2,3,a\n"], "column y holds words"),
        (
            "numbers and words, terciles of one column",
            [b"r,x,d,y\n1,2,3,1\n2,2,4,2\n"],
            "more than one value",
        ),
        ("numbers and words, terciles of one column", [b'r,x,d,y\n1,"2,3,1\n'], "unexpected end of data"),
        ("counts", [b"n,x,y,f\n1,a,No,99999999999999\n"], "the counts add up to 99999999999999, expected 5"),
        ("counts", [b"n,x,y,f\n1,a,No,-1\n2,a,No,6\n"], "none negative"),
        ("training set by the rows' names", [None, b"1 1 1 r9\n"], "the whole set has no row r9"),
        ("training set by the rows' names", [None, b"1 2 1 r1\n"], "differ from the same rows"),
        ("training set by the rows' names", [None, b"7 1 1 r1\n"], "classes that the whole set does not"),
        ("training set by the rows' names", [None, b"1 1 1 r1\n"], "1 training examples .*, expected 2"),
    ],
)
def test_the_reason_is_clear(name, files, message):
    spec, whole = EXCERPTS[name]
    damaged = [new if new is not None else old for new, old in zip(files, whole, strict=True)]
    wrong = next(number for number, new in enumerate(files) if new is not None)
    with pytest.raises(ValueError, match=rf"^file-{wrong}\.txt.*{message}"):
        assembled(spec, damaged)


def test_a_byte_order_mark_is_no_part_of_the_first_cell():
    spec, (content,) = EXCERPTS["tabs, three lines of header, words"]
    assert assembled(spec, [b"\xef\xbb\xbf" + content]).feature_names == ["status", "age"]


@given(content=st.binary(max_size=600).flatmap(lambda b: st.sampled_from([b, b"\xd0\xcf\x11\xe0" + b])))
def test_no_workbook_is_a_reason(content):
    spec = {"reader": "xls", "sheet": "Data", "header": 1, "target": 1, "features": (0, 1)}
    with pytest.raises(ValueError, match=r"^file-0\.txt cannot be read: not the Excel file"):
        assembled(spec | {"shape": [1, 1], "classes": {}}, [content])


# --- the registry's own workbook


def contents_of(slug):
    spec = datasets._specification(slug)
    return spec, [datasets._find(spec["folder"], file)[1] for file in spec["files"]]


@needs_data
@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_workbook_gives_the_set_or_the_reason(seed):
    """The real one: its first sectors say where everything is, so half of the damage goes there."""
    spec, (content,) = contents_of("cardiotocography")
    rng = np.random.default_rng(seed)
    damaged = bytearray(content)
    for place in (*rng.integers(0, 1024, 3), *rng.integers(0, len(content), 40)):
        damaged[place] ^= rng.integers(1, 256)
    check_set_or_reason(spec, [bytes(damaged[: len(content) // (1 + seed % 2)])])


@given(content=st.binary(max_size=40), other=st.binary(max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_only_the_registered_bytes_are_verified(content, other, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(other)
    sha = datasets._files.hashlib.sha256(content).hexdigest()
    if other and other == content:
        assert _files.verified(path, sha) == content
    else:
        with pytest.raises(ValueError, match=r"file is (empty|damaged)"):
            _files.verified(path, sha)
