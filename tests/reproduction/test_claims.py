"""The ledger: verdicts follow from values, records survive the notebook, the check
misses nothing.
"""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from reproduction import claims

AGREED = {"proof": "proved", "exhaustion": "verified", "measurement": "reproduced"}
DISAGREED = {
    "proof": "refuted",
    "exhaustion": "refuted",
    "measurement": "not reproduced",
}


@given(
    st.sampled_from(sorted(AGREED)),
    st.floats(-1e3, 1e3),
    st.floats(0.01, 10),
    st.sampled_from([-1, 1]),
)
def test_a_perturbed_measurement_changes_the_verdict(
    method, published, tolerance, sign
):
    inside = published + sign * 0.99 * tolerance
    outside = published + sign * 1.01 * tolerance
    values = {"published": published, "tolerance": tolerance}
    assert claims.verdict(method, measured=inside, **values) == AGREED[method]
    assert claims.verdict(method, measured=outside, **values) == DISAGREED[method]


@given(st.sampled_from([*AGREED, "correction", "refutation"]), st.integers(1, 50))
def test_one_case_that_fails_changes_the_verdict(method, cases):
    good, bad = claims._METHODS[method]
    assert claims.verdict(method, held=cases, cases=cases) == good
    assert claims.verdict(method, held=cases - 1, cases=cases) == bad


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ((True, True), "reproduced"),
        ((True, False), "depends on the protocol"),
        ((False, False), "not reproduced"),
    ],
)
def test_what_comes_out_under_one_reading_only_depends_on_the_protocol(
    outcomes, expected
):
    readings = dict(zip(("with", "without"), outcomes, strict=True))
    record = claims.settle(
        "D-fig7", method="protocols", scope="test", readings=readings
    )
    assert record.verdict == expected
    assert record._repr_mimebundle_()["text/html"].count("<td>holds</td>") == sum(
        outcomes
    )


@pytest.mark.parametrize(
    ("equal", "held", "expected"),
    [(True, 2, "proved"), (False, 2, "refuted"), (True, 1, "refuted")],
)
def test_computer_algebra_and_counted_cases_must_both_hold(equal, held, expected):
    record = claims.settle(
        "L-thm7",
        method="proof",
        scope="test",
        symbolic={"the sum": equal},
        held=held,
        cases=2,
    )
    assert record.verdict == expected


@pytest.mark.parametrize(
    ("built", "expected"), [((5, 5), "verified"), ((4, 5), "refuted")]
)
def test_every_kind_of_count_must_hold(built, expected):
    counts = {"all samples": (3, 3), "built samples": built}
    record = claims.settle("L-eq2", method="exhaustion", scope="test", counts=counts)
    card = record._repr_mimebundle_()["text/html"]
    assert record.verdict == expected
    assert "all samples: held in 3 of 3 cases" in card
    assert f"built samples: held in {built[0]} of 5 cases" in card


def test_a_card_keeps_computer_algebra_and_counted_cases_apart():
    record = claims.settle(
        "L-thm7",
        method="proof",
        scope="test",
        symbolic={"the sum is 4": True},
        held=2,
        cases=2,
    )
    card = record._repr_mimebundle_()["text/html"]
    assert "<dd>Holds: the sum is 4</dd>" in card
    assert "held in 2 of 2 cases" in card


def test_readings_of_two_kinds_are_a_two_way_table():
    kinds = [
        f"{a} | {b}"
        for a in ("fresh samples", "the same")
        for b in ("each tree tested", "mean tree")
    ]
    for names, n_columns, n_rows in ((kinds, 2, 2), (kinds[:3], 1, 3)):
        readings = dict.fromkeys(names, True)
        record = claims.settle(
            "D-fig7", method="protocols", scope="test", readings=readings
        )
        card = record._repr_mimebundle_()["text/html"]
        assert (card.count('scope="col"'), card.count('scope="row"')) == (
            n_columns,
            n_rows,
        )


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"held": 0, "cases": 0}, "cases"),
        ({"held": 3, "cases": 2}, "held"),
        ({"held": True, "cases": 2}, "held"),
        ({"cases": 2}, "held"),
        ({"held": 2, "cases": 2, "measured": 1}, "measured"),
        ({"measured": 1}, "published"),
        (
            {"measured": 1, "published": 1, "expected": 1, "expectation": "a proof"},
            "published",
        ),
        ({"measured": 1, "expected": 1}, "expectation"),
        ({"held": 1, "cases": 1, "expectation": "a proof"}, "expectation"),
        ({"held": 1, "cases": 1, "correction": "for odd n"}, "correction"),
        ({"method": "correction", "held": 1, "cases": 1}, "correction"),
        ({"method": "protocols", "held": 1, "cases": 1}, "readings"),
        ({"method": "protocols", "readings": {"a": 1}}, "readings"),
        ({"held": 1, "cases": 1, "symbolic": {}}, "symbolic"),
        ({"counts": {}}, "counts"),
        ({"counts": {"built": (1, 1)}, "held": 1, "cases": 1}, "counts"),
        ({"counts": {"built": (2, 1)}}, "held"),
        ({"counts": {"built": (0, 0)}}, "cases"),
        ({"held": 1, "cases": 1, "symbolic": {"a sum": None}}, "symbolic"),
        ({"symbolic": {"a sum": True}}, "published"),
        ({"id": "", "held": 1, "cases": 1}, "id"),
        ({"scope": " ", "held": 1, "cases": 1}, "scope"),
        ({"method": "opinion", "held": 1, "cases": 1}, "method"),
        ({"measured": 1, "published": 1, "tolerance": -1}, "tolerance"),
    ],
)
def test_a_check_that_is_missing_double_or_empty_is_refused(arguments, name):
    with pytest.raises(ValueError, match=name):
        claims.settle(
            **{"id": "L-eq2", "method": "exhaustion", "scope": "test", **arguments}
        )


def test_a_claim_is_settled_and_shown_without_the_library():
    code = (
        "import sys; from reproduction import claims;"
        "settled = dict(method='proof', scope='all', held=1, cases=1);"
        "claims.settle('L-def', **settled)._repr_mimebundle_();"
        "sys.exit('treebounds' in sys.modules or 'sklearn' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def repeated_table(rng, n_cells, shift):
    """Means and standard deviations of 25 repetitions per cell, and of 25 others."""
    runs = rng.normal(0.8, 0.04, (2, n_cells, 25))
    runs[1] += shift
    return (
        runs[0].mean(1),
        runs[1].mean(1),
        runs[0].std(1, ddof=1),
        runs[1].std(1, ddof=1),
    )


def test_the_rule_for_tables_is_calibrated():
    rng = np.random.default_rng(0)
    checks = [
        claims.table_misses(*repeated_table(rng, 40, 0.0), 25) for _ in range(400)
    ]
    rate = np.mean([check.n_misses for check in checks])
    assert checks[0].expected_misses == 2

    # 4 standard errors of a mean of 400 binomial counts
    assert abs(rate - 2) < 4 * np.sqrt(2 / 400)
    # A discrete count: at least 95 % up to chance.
    assert np.mean([check.agrees for check in checks]) > 0.93


def test_the_deviation_of_folds_hides_what_that_of_repetitions_shows():
    # Means of ten repetitions that vary by 0.1, single folds that vary by 1.
    of_repetitions = claims.table_misses([5.0], [5.3], 0.1, 0.1, 10)
    of_folds = claims.table_misses([5.0], [5.3], 1.0, 1.0, 100)
    assert (of_repetitions.agrees, of_folds.agrees) == (False, True)


def test_a_table_that_differs_is_found():
    assert not claims.table_misses(
        *repeated_table(np.random.default_rng(0), 40, 0.03), 25
    ).agrees
    # Without a spread nothing is left to chance.
    exact = claims.table_misses([0.5, 0.25], [0.5, 0.26], 0.0, 0.0, 2)
    assert (exact.n_misses, exact.agrees) == (1, False)
    assert (
        claims.table_misses([0.5], [0.504], 0.0, 0.0, 2, rounding=0.005).n_misses == 0
    )
    with pytest.raises(ValueError, match="finite"):
        claims.table_misses([0.5], [float("nan")], 0.1, 0.1, 25)


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
    record = claims.settle(
        "A-2", method="exhaustion", held=3, cases=4, scope="L = (2, 3, 3)"
    )
    (problem,) = claims.check(LISTED[1:2], [record.__dict__], complete=True)
    assert problem == "A-2 is refuted without a counter-example"


def test_not_run_needs_a_reason():
    with pytest.raises(ValueError, match="reason"):
        claims.not_run("L-tab1", "")


def notebook_with(tmp_path, *records):
    cells = [{"outputs": [{"data": record._repr_mimebundle_()}]} for record in records]
    path = tmp_path / "chapter.ipynb"
    path.write_text(json.dumps({"cells": [{"source": "# Title"}, *cells]}))
    return path


def test_records_are_collected_from_executed_notebooks(tmp_path):
    record = claims.settle(
        "L-def", method="exhaustion", published=4, measured=4, scope="m = 3"
    )
    (collected,) = claims.collect({"chapter": notebook_with(tmp_path, record)})
    assert collected["chapter"] == "chapter"
    assert {
        "id",
        "verdict",
        "scope",
        "published",
        "measured",
        "tolerance",
        "chapter",
    } <= set(collected)


def ledger(**verdicts):
    rest = {"note": "", "counter_example": "two"}
    return [
        {"id": id.replace("_", "-"), "verdict": verdict, **rest}
        for id, verdict in verdicts.items()
    ]


LISTED = [
    claims.Claim("A-1", "one", "new", "", "proved"),
    claims.Claim("A-2", "two", "new", "", "refuted"),
    claims.Claim("A-3", "three", "new", ""),
]


@pytest.mark.parametrize(
    ("verdicts", "complete", "problem"),
    [
        ({"A_1": "proved", "A_2": "refuted"}, True, ""),
        ({"A_1": "not run", "A_2": "refuted"}, False, ""),
        (
            {"A_1": "proved"},
            False,
            "A-2 is expected to be refuted but no chapter settles it",
        ),
        (
            {"A_1": "refuted", "A_2": "refuted"},
            False,
            "A-1 is refuted, expected proved",
        ),
        ({"A_1": "not run", "A_2": "refuted"}, True, "A-1 is not run, expected proved"),
        (
            {"A_1": "proved", "A_2": "refuted", "A_3": "proved"},
            True,
            "A-3 is settled as proved but",
        ),
        (
            {"A_1": "proved", "A_2": "refuted", "B_1": "proved"},
            True,
            "B-1 is settled but not in the list",
        ),
    ],
)
def test_each_kind_of_problem_is_found(verdicts, complete, problem):
    problems = claims.check(LISTED, ledger(**verdicts), complete=complete)
    assert len(problems) == bool(problem)
    assert "".join(problems).startswith(problem)


def test_the_list_of_the_book_is_sound():
    listed = claims.load_claims()
    assert len({claim.id for claim in listed}) == len(listed) >= 98
    assert all(claim.statement for claim in listed)
    assert all(0 < len(claim.criterion) <= 600 for claim in listed), (
        "how it is decided, in a few sentences"
    )


def test_a_list_with_a_claim_twice_is_refused(tmp_path):
    row = '[[claim]]\nid = "A"\nstatement = "a"\nsource = "new"\nwhere = ""\n'
    path = tmp_path / "claims.toml"
    path.write_text(row * 2)
    with pytest.raises(ValueError, match="listed twice: A"):
        claims.load_claims(path)

    path.write_text(row + 'expected = "perhaps"\n')
    with pytest.raises(ValueError, match="unknown expected verdict for A"):
        claims.load_claims(path)


def test_the_book_is_that_of_the_clone_around_or_else_of_the_package(
    tmp_path, monkeypatch
):
    (tmp_path / "book").mkdir()
    monkeypatch.chdir(tmp_path / "book")
    assert (
        claims.book_directory() == Path(claims.__file__).resolve().parents[2] / "book"
    )
    (tmp_path / "_config.yml").touch()
    assert claims.book_directory() == tmp_path / "book"


def test_the_card_escapes_what_it_shows():
    record = claims.settle(
        "L-def", method="proof", published="<b>", measured="<b>", scope="a < b"
    )
    html = record._repr_mimebundle_()["text/html"]
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
