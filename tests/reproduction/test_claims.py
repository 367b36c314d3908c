"""The ledger: verdicts follow from values, records survive the notebook, the check misses nothing."""

import json
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from reproduction import claims

AGREED = {"proof": "proved", "exhaustion": "verified", "measurement": "reproduced"}
DISAGREED = {"proof": "refuted", "exhaustion": "refuted", "measurement": "not reproduced"}


@given(st.sampled_from(sorted(AGREED)), st.floats(-1e3, 1e3), st.floats(0.01, 10), st.sampled_from([-1, 1]))
def test_a_perturbed_measurement_changes_the_verdict(method, published, tolerance, sign):
    inside, outside = published + sign * 0.99 * tolerance, published + sign * 1.01 * tolerance
    assert claims.verdict(method, published, inside, tolerance) == AGREED[method]
    assert claims.verdict(method, published, outside, tolerance) == DISAGREED[method]


@pytest.mark.parametrize(
    ("published", "measured"),
    [
        (True, False),
        (1, True),
        (0.5, float("nan")),
        ([1, 2], [1]),
        ({"a": 1}, {"b": 1}),
        ("lower", "upper"),
        (3, None),
    ],
)
def test_values_that_differ_do_not_agree(published, measured):
    assert not claims.agree(published, measured, tolerance=0.1)


def test_values_of_many_types_become_plain():
    record = claims.settle(
        "L-win",
        method="measurement",
        published={"count": 13, "share": Fraction(1, 2)},
        measured={"count": np.int64(13), "share": sympy.Rational(1, 2)},
        scope="test",
    )
    assert record.verdict == "reproduced"
    assert json.loads(json.dumps(record.measured)) == {"count": 13, "share": 0.5}


def test_a_refutation_needs_a_counter_example():
    with pytest.raises(ValueError, match="counter_example"):
        claims.settle("Y-thm5", method="exhaustion", published=4, measured=3, scope="L = (2, 3, 3)")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"id": "", "method": "proof", "scope": "all"}, "id"),
        ({"id": "L-def", "method": "proof", "scope": " "}, "scope"),
        ({"id": "L-def", "method": "opinion", "scope": "all"}, "method"),
        ({"id": "L-def", "method": "proof", "scope": "all", "tolerance": -1}, "tolerance"),
    ],
)
def test_bad_arguments_are_named(arguments, name):
    with pytest.raises(ValueError, match=name):
        claims.settle(**arguments, published=1, measured=1)


def test_not_run_needs_a_reason():
    with pytest.raises(ValueError, match="reason"):
        claims.not_run("L-tab1", "")


def notebook_with(tmp_path, *records):
    cells = [{"outputs": [{"data": record._repr_mimebundle_()}]} for record in records]
    path = tmp_path / "chapter.ipynb"
    path.write_text(json.dumps({"cells": [{"source": "# Title"}, *cells]}))
    return path


def test_records_are_collected_from_executed_notebooks(tmp_path):
    record = claims.settle("L-def", method="exhaustion", published=4, measured=4, scope="m = 3")
    (found,) = claims.collect({"chapter": notebook_with(tmp_path, record)})
    assert found["chapter"] == "chapter"
    assert {"id", "verdict", "scope", "published", "measured", "tolerance", "chapter"} <= set(found)


def test_a_claim_cannot_be_settled_twice(tmp_path):
    record = claims.not_run("L-def", "test")
    with pytest.raises(ValueError, match="L-def is settled twice"):
        claims.collect({"chapter": notebook_with(tmp_path, record, record)})


def ledger(**verdicts):
    return [{"id": id.replace("_", "-"), "verdict": verdict, "note": ""} for id, verdict in verdicts.items()]


LISTED = [
    claims.Claim("A-1", "one", "new", "", "proved"),
    claims.Claim("A-2", "two", "new", "", "refuted"),
    claims.Claim("A-3", "three", "new", ""),
]


def test_a_whole_ledger_has_no_problems():
    assert claims.check(LISTED, ledger(A_1="proved", A_2="refuted"), complete=True) == []


@pytest.mark.parametrize(
    ("found", "complete", "problem"),
    [
        ({"A_1": "proved"}, False, "A-2 is expected to be refuted but no chapter settles it"),
        ({"A_1": "refuted", "A_2": "refuted"}, False, "A-1 is refuted, expected proved"),
        ({"A_1": "not run", "A_2": "refuted"}, True, "A-1 is not run, expected proved"),
        ({"A_1": "proved", "A_2": "refuted", "A_3": "proved"}, True, "A-3 is settled as proved but"),
        ({"A_1": "proved", "A_2": "refuted", "B_1": "proved"}, True, "B-1 is settled but not in the list"),
    ],
)
def test_each_kind_of_problem_is_found(found, complete, problem):
    (message,) = claims.check(LISTED, ledger(**found), complete=complete)
    assert message.startswith(problem)


def test_not_run_is_accepted_when_data_or_parameters_are_missing():
    assert claims.check(LISTED, ledger(A_1="not run", A_2="refuted"), complete=False) == []


def test_the_list_of_the_book_is_sound():
    listed = claims.load_claims()
    assert len({claim.id for claim in listed}) == len(listed) >= 98
    assert all(claim.statement for claim in listed)


def test_a_list_with_a_claim_twice_is_refused(tmp_path):
    row = '[[claim]]\nid = "A"\nstatement = "a"\nsource = "new"\nwhere = ""\n'
    path = tmp_path / "claims.toml"
    path.write_text(row * 2)
    with pytest.raises(ValueError, match="listed twice: A"):
        claims.load_claims(path)
    path.write_text(row + 'expected = "perhaps"\n')
    with pytest.raises(ValueError, match="unknown expected verdict for A"):
        claims.load_claims(path)


def test_outside_a_clone_the_book_is_not_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="clone of the project"):
        claims.book_directory()


def test_the_card_escapes_what_it_shows():
    record = claims.settle("L-def", method="proof", published="<b>", measured="<b>", scope="a < b")
    html = record._repr_mimebundle_()["text/html"]
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
