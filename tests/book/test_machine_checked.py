"""The badge of a theorem comes from the record of what a machine accepted, and goes
with it.
"""

import json

import graph
import pages
import pytest
from bs4 import BeautifulSoup

COQ = "Theorem {} : forall n : nat, 0 <= n."


def theorem(name, claims=()):
    words = {
        "statement_in_words": f"What {name} says of $n$.",
        "coq_statement": COQ.format(name),
    }
    place = {"name": name, "anchor": f"coq-{name}", "file": "proofs/A.v", "line": 7}
    return {**place, **words, "claim_ids": list(claims)}


def statement(label, *theorems, unchecked="", claims=()):
    return {
        "label": label,
        "theorems": list(theorems),
        "unchecked": unchecked,
        "claims": list(claims),
    }


@pytest.fixture
def record():
    """Two theorems that a machine accepted, and what they prove: three statements and a
    claim without one.
    """
    statements = [
        statement("thm-both", "upper", "lower", claims=["N-both"]),
        statement("thm-upper", "upper"),
        statement("thm-limit", "lower", unchecked="the limit", claims=["N-limit"]),
        statement("", "upper"),
    ]
    theorems = [theorem("upper", ["N-both"]), theorem("lower", ["N-both", "N-limit"])]
    return {"theorems": theorems, "statements": statements}


def badges(record):
    """The badge of each of four theorems of a page, by label; None without one."""
    labels = ("thm-both", "thm-upper", "thm-limit", "thm-by-hand")
    nodes = {
        label: graph.Node(label, "theorem", "A name", "a/page", "", "stated")
        for label in labels
    }
    shown = json.loads(pages.below_statements(nodes, record, "a/page"))
    return {
        label: BeautifulSoup(html, "html.parser").details
        for label, html in shown.items()
    }


def test_a_theorem_that_a_machine_accepted_has_a_badge_that_opens_what_coq_read(record):
    found = badges(record)
    titles = [
        found[label].summary.text for label in ("thm-both", "thm-upper", "thm-limit")
    ]
    assert titles == ["machine-checked", "machine-checked", "machine-checked in part"]
    assert "Not checked: the limit." in found["thm-limit"].text
    assert found["thm-by-hand"] is None
    assert r"What upper says of \(n\)." in found["thm-upper"].text
    assert [code.text.strip() for code in found["thm-upper"].select("pre")] == [
        COQ.format("upper")
    ]
    assert found["thm-upper"].a["href"] == "../machine-checked.html#coq-upper"


def test_without_theorems_there_is_no_badge_and_the_page_names_the_reason():
    nothing = {
        "theorems": [],
        "statements": [],
        "why": "Not proved: A.v, line 7, upper:\nno such goal",
    }
    assert pages.machine_checked(nothing) == {}
    assert not any(badges(nothing).values())
    page = pages.render("machine-checked-theorems.md", checked=nothing, as_markdown="")
    assert "none in the chapters has a badge. Not proved: A.v, line 7, upper." in page


def test_the_ledger_shows_which_claims_are_checked_in_part(record):
    found = pages.machine_checked(record)
    assert found["N-both"] == ("machine-checked", ["upper", "lower"])
    assert found["N-limit"] == ("machine-checked in part", ["lower"])
    counted = (
        "* - of these, with a theorem that a machine checked, whole or in part\n  - 0\n"
        "  - 0\n"
    )
    assert counted in pages.render("evidence.md", rows=[], proofs=found)
    assert "machine" not in pages.render("evidence.md", rows=[], proofs={})
