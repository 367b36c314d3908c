"""The theorems of the documents and the cells in which computer algebra shows them."""

import re

import pytest
import symbolic
import yaml
from cache import CODE, OPTIONS
from reading import FOLDED, HIDDEN

from reading_rules import NOTEBOOKS
from reproduction import claims

CLAIMS = {claim.id: claim for claim in claims.load_claims()}
LONGEST = 15  # lines of a cell that a reader recognizes from the formula above it


def declared_cells(text):
    """The header and the code of each cell that declares what it shows."""
    for _, body in CODE.findall(text):
        options = OPTIONS.match(body)
        header = options[0] if options else ""
        if re.search(r"^symbolic:", header, re.M):
            yield header, OPTIONS.sub("", body).strip()


def claims_shown(text):
    """The claims about which the cells of a text show something."""
    return {
        claim
        for header, _ in declared_cells(text)
        for claim in yaml.safe_load(header.strip().strip("-"))["symbolic"]
    }


TEXTS = {
    page: notebook.path.read_text(encoding="utf-8")
    for page, notebook in NOTEBOOKS.items()
}
SHOWN = {page: claims_shown(FOLDED.sub("", text)) for page, text in TEXTS.items()}
THEOREMS = [claim.id for claim in CLAIMS.values() if symbolic.is_a_theorem(claim)]


@pytest.mark.parametrize("id", THEOREMS)
def test_a_theorem_has_a_symbolic_cell_that_one_sees_or_a_reason(id):
    has_cell = any(id in claims_here for claims_here in SHOWN.values())
    assert has_cell != bool(CLAIMS[id].without_symbols)


def test_only_theorems_give_a_reason():
    reasons = [claim.id for claim in CLAIMS.values() if claim.without_symbols]
    assert set(reasons) <= set(THEOREMS)


@pytest.mark.parametrize("page", [page for page in TEXTS if claims_shown(TEXTS[page])])
def test_symbolic_cells_are_seen_and_short_and_of_their_chapter(page):
    assert claims_shown(TEXTS[page]) == SHOWN[page], "one of them is folded"
    assert SHOWN[page] <= set(NOTEBOOKS[page].claims)
    for header, code in declared_cells(TEXTS[page]):
        assert not HIDDEN.search(header), code
        assert "sympy." in code, code
        assert 2 <= len(code.splitlines()) <= LONGEST, code


@pytest.mark.book
def test_what_a_record_says_of_symbols_has_a_cell(book):
    records = claims.collect(
        {
            page: book.parent / "executed" / f"{page}.ipynb"
            for page in NOTEBOOKS
            if (book.parent / "executed" / f"{page}.ipynb").exists()
        }
    )
    with_symbols = {r["id"] for r in records if r.get("symbolic")}
    assert with_symbols <= set().union(*SHOWN.values())


def test_the_table_has_a_row_for_each_theorem_with_its_evidence():
    claim = claims.Claim(
        "A-1", "x", "peng2019", "p. 1", "proved", theorems=["thm-a", "alg-b"]
    )
    definition = claims.Claim("A-2", "y", "peng2019", "", "verified")
    row = {
        "claim": claim,
        "theirs": True,
        "verdict": "proved",
        "link": "part/one.html#claim-A-1",
        "held": None,
        "cases": None,
        "counts": {"all samples": [3, 3], "built": [1, 2]},
    }
    cells = [{"metadata": {}}, {"metadata": {"symbolic": ["A-1"]}}]

    table = symbolic.evidence(
        [row, {**row, "claim": definition}], {"part/one": symbolic.declared(cells)}
    )

    assert [found.claim.id for found in table] == ["A-1"]
    assert table[0].statements == ["thm-a"]
    assert table[0].cells == ["part/one.html#cell-1"]
    assert table[0].counted == ["all samples: 3 of 3", "built: 1 of 2"]
