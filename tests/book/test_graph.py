"""The graph: what the pages declare is there, has no circle, and misses no theorem that
a proof names.
"""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import graph
import pages
import pytest
from bs4 import BeautifulSoup

from chapters import NOTEBOOKS
from reproduction import claims

BOOK = Path(graph.__file__).parent
TEXTS = {n.page: n.path.read_text(encoding="utf-8") for n in NOTEBOOKS}
NAMED = re.compile(r"\b(?:Theorem|Lemma|Corollary|Proposition) \d")
TWO = """```{prf:lemma} First
:label: lem-a
```
```{prf:theorem} Second
:label: thm-b
As in {prf:ref}`lem-a`.
```
```{prf:proof}
% uses: lem-a
By Lemma 1.
```
"""


@pytest.fixture(scope="module")
def nodes():
    listed = claims.load_claims()
    settled_in = {id: n.page for n in NOTEBOOKS for id in n.claims}
    problems = tomllib.loads((BOOK / "open-problems.toml").read_text(encoding="utf-8"))[
        "problem"
    ]
    assert {problem["where"] for problem in problems} <= TEXTS.keys()
    return graph.everything(
        TEXTS, pages.ledger_rows(listed, [], {}), settled_in, problems
    )


def undeclared(texts):
    """Proofs that name a theorem by its number, and declare no use."""
    proofs = [
        body
        for text in texts
        for _, kind, _, body in graph.STATEMENT.findall(text)
        if kind == "proof"
    ]
    declares = re.compile(rf"{graph.REFERENCE.pattern}|^% uses: ", re.M)
    return [body for body in proofs if NAMED.search(body) and not declares.search(body)]


def test_what_the_pages_declare_is_there_and_has_no_circle(nodes):
    assert graph.faults(nodes) == []
    assert undeclared(TEXTS.values()) == []
    assert {
        claim.id for claim in claims.load_claims() if claim.expected
    } <= nodes.keys()


def test_an_unknown_name_a_circle_and_an_undeclared_theorem_are_seen():
    assert graph.faults(graph.statements({"one": TWO})) == []
    unknown = graph.statements({"one": TWO.replace("% uses: lem-a", "% uses: lem-c")})
    assert graph.faults(unknown) == ["thm-b uses lem-c, which is nowhere"]
    circle = TWO.replace(":label: lem-a\n", ":label: lem-a\n{prf:ref}`thm-b`\n")
    assert graph.faults(graph.statements({"one": circle}))[0].startswith("a circle: ")
    assert len(undeclared([TWO.replace("% uses: lem-a\n", "")])) == 1


def test_a_proof_belongs_to_the_statement_before_it_or_to_those_that_it_names():
    found = graph.statements({"one": TWO}, checked=["thm-b"])
    assert (found["lem-a"].status, found["thm-b"].status) == (
        "stated",
        "machine-checked",
    )
    assert found["thm-b"].uses == ["lem-a"]
    other = graph.statements({"one": TWO.replace("% uses: lem-a", "% proves: lem-a")})
    assert (other["lem-a"].status, other["thm-b"].status) == (
        "proved in the text",
        "stated",
    )


def test_boxes_do_not_overlap_and_lines_lead_down(nodes):
    for page in TEXTS:
        near = graph.around(nodes, page)
        if near:
            at = {node.name: (x, y) for node, x, y, _ in graph.drawing(near)["boxes"]}
            places = sorted((y, x) for x, y in at.values())
            assert all(y != v or u - x >= 160 for (y, x), (v, u) in pairwise(places))
            assert all(
                at[used][1] < at[name][1]
                for name in at
                for used in near[name].uses
                if used in at
            )


@pytest.mark.book
def test_the_page_lists_every_node_and_a_theorem_has_its_neighbors(book, nodes):
    page = BeautifulSoup(
        (book / "graph.html").read_text(encoding="utf-8"), "html.parser"
    )
    assert {
        row["id"].removeprefix("node-") for row in page.select("#ledger details")
    } == nodes.keys()
    stumps = BeautifulSoup(
        (book / "capacity" / "stumps.html").read_text(encoding="utf-8"), "html.parser"
    )
    lines = [line.get_text() for line in stumps.select("#thm-stumps-7 p.rests-on")]
    assert any("sed by " in line and "claim L-thm7" in line for line in lines)
