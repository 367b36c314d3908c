"""The badge of a theorem comes from the record of what a machine accepted, and goes with it."""

import json
from types import SimpleNamespace

import pages
import pytest
from docutils import nodes
from docutils.utils import new_document
from treebounds_book import mark_what_a_machine_checked


def theorem(name, claims=()):
    coq = f"Theorem {name} : forall n : nat, 0 <= n."
    entry = {
        "name": name,
        "anchor": f"coq-{name}",
        "file": "proofs/A.v",
        "line": 7,
        "claim_ids": list(claims),
    }
    return entry | {"statement_in_words": f"What {name} says.", "coq_statement": coq}


def statement(label, *theorems, unchecked="", claims=()):
    return {"label": label, "theorems": list(theorems), "unchecked": unchecked, "claims": list(claims)}


@pytest.fixture
def record():
    """Two theorems that a machine accepted, three statements of the book that they prove or prove in part."""
    statements = [
        statement("thm-both", "upper", "lower", claims=["N-both"]),
        statement("thm-upper", "upper"),
        statement("thm-limit", "lower", unchecked="the limit", claims=["N-limit"]),
        statement("", "upper"),  # a claim that is no theorem of a chapter
    ]
    return {
        "theorems": [theorem("upper", ["N-both"]), theorem("lower", ["N-both", "N-limit"])],
        "statements": statements,
    }


@pytest.fixture
def badges(tmp_path):
    """A function: from a record, or none, to what stands in each theorem of a page with four of them."""
    (tmp_path / "_generated").mkdir()
    builder = SimpleNamespace(
        name="html", format="html", get_relative_uri=lambda page, target: f"../{target}.html"
    )

    def made(record):
        path = tmp_path / "_generated" / "proofs.json"
        path.unlink(missing_ok=True)
        if record is not None:
            path.write_text(json.dumps(record))
        page = new_document("page")
        for label in ("thm-both", "thm-upper", "thm-limit", "thm-by-hand", ""):
            page += nodes.admonition(label=label)
        mark_what_a_machine_checked(SimpleNamespace(srcdir=tmp_path, builder=builder), page, "part/page")
        return {node["label"]: node for node in page}

    return made


def test_theorems_that_a_machine_accepted_have_a_badge_and_others_have_none(record, badges):
    found = badges(record)
    assert found["thm-both"].astext().count('"machine-checked">machine-checked</span>') == 1
    assert "in part" not in found["thm-both"].astext()
    assert "machine-checked in part" in found["thm-limit"].astext()
    assert "Not checked: the limit." in found["thm-limit"].astext()
    assert not found["thm-by-hand"].children
    assert not found[""].children


def test_behind_the_badge_stand_the_words_the_statement_and_a_link_to_the_definitions(record, badges):
    node = badges(record)["thm-upper"]
    assert "What upper says." in node.astext()
    (coq,) = node.findall(nodes.literal_block)
    assert (coq["language"], coq.astext()) == ("coq", "Theorem upper : forall n : nat, 0 <= n.")
    assert coq.rawsource == coq.astext()  # what Sphinx highlights
    (link,) = node.findall(nodes.reference)
    assert link["refuri"] == "../machine-checked.html#coq-upper"
    opening, closing = node[0].astext(), node[-1].astext()
    assert (opening.count("<details"), closing) == (1, "</details>")


def test_the_badge_goes_with_the_theorem(record, badges):
    record["theorems"] = [kept for kept in record["theorems"] if kept["name"] != "upper"]
    found = badges(record)
    assert not found["thm-upper"].children
    assert "machine-checked in part" in found["thm-both"].astext()
    assert "Not checked: upper." in found["thm-both"].astext()
    assert not any(node.children for node in badges({**record, "theorems": []}).values())


def test_without_theorems_there_is_no_badge_and_the_page_says_why(badges):
    nothing = {"theorems": [], "statements": [], "why": "Not proved: A.v, line 7, upper:\nno such goal"}
    assert not any(node.children for node in badges(None).values())
    assert not any(node.children for node in badges(nothing).values())
    assert pages.machine_checked(nothing) == {}
    page = pages.render("machine-checked-theorems.md", checked=nothing, as_markdown="")
    assert "none in the chapters has a badge. Not proved: A.v, line 7, upper." in page


def test_the_ledger_says_which_claims_are_checked_in_part(record):
    found = pages.machine_checked(record)
    assert found["N-both"] == ("machine-checked", ["upper", "lower"])
    assert found["N-limit"] == ("machine-checked in part", ["lower"])
    counted = "* - of these, with a theorem that a machine checked, whole or in part\n  - 0\n  - 0\n"
    assert counted in pages.render("evidence.md", rows=[], proofs=found)
    assert "machine" not in pages.render("evidence.md", rows=[], proofs={})
    record["theorems"].pop()
    assert pages.machine_checked(record) == {"N-both": ("machine-checked in part", ["upper"])}
