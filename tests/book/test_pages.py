"""The fragments that are written from the records and the notebooks."""

from pathlib import Path
from types import SimpleNamespace

import execute
import ledger
import pages
import pytest

from reproduction import claims


@pytest.fixture
def rows():
    listed = [
        claims.Claim("A-1", "x <= y & $a_1 < b$", "new", "p. 1", "proved"),
        claims.Claim("A-2", "z", "peng2019", ""),
    ]
    record = {"id": "A-1", "verdict": "proved", "scope": "all m >= 2", "published": True, "measured": True}
    record |= {"tolerance": 0.0, "chapter": "one", "note": ""}
    return ledger.ledger_rows(listed, [record], {"one": Path("part/one.ipynb")})


def test_the_ledger_has_a_row_for_every_claim_and_escapes(rows):
    html = ledger.ledger_table(rows)
    assert html.count("<tr id=") == len(rows)
    assert 'href="part/one.html#claim-A-1"' in html
    assert r'x ≤ y &amp; <span class="math notranslate nohighlight">\(a_1 &lt; b\)</span>' in html
    assert html.index("Peng") < html.index('id="ledger-A-2"')


def test_counts_lead_to_the_claims_that_they_count(rows):
    assert '<a href="ledger.html?verdict=open#all-claims"><strong>1</strong> open' in ledger.verdict_counts(
        rows
    )
    table = ledger.counts_table(rows)
    assert '<a href="?source=new&amp;verdict=proved#all-claims">1</a>' in table
    assert f"<td>{len(rows)}</td></tr></tfoot>" in table


def test_findings_are_sentences(rows):
    text = pages.findings(rows)
    assert r"x \<= y & $a_1 < b$. Proved: all m \>= 2." in text
    assert "A-2" not in text


def test_tables_are_listed_under_the_chapter_that_writes_them(tmp_path):
    for name in ("first", "second", "third"):
        file = tmp_path / "results" / "peng2019" / f"{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("a\n")
    texts = [
        (SimpleNamespace(page=Path("part/one.ipynb")), 'save_table(\n    frame, "peng2019", "first"\n)\n'),
        (SimpleNamespace(page=Path("part/two.ipynb")), ":file: ../results/peng2019/second.csv\n"),
    ]
    lines = pages.tables(tmp_path, texts).splitlines()
    assert [line.strip(" -").split("`")[1] for line in lines] == [
        *("/part/one", "peng2019/first.csv </results/peng2019/first.csv>"),
        *("/part/two", "peng2019/second.csv </results/peng2019/second.csv>"),
        "peng2019/third.csv </results/peng2019/third.csv>",
    ]


def test_formulas_of_the_statements_are_between_two_dollars():
    for claim in claims.load_claims():
        assert claim.statement.count("$") % 2 == 0, claim.id


def test_every_theorem_of_the_book_has_a_name():
    root = Path(pages.__file__).parents[1]
    for notebook in execute.discover(root / "notebooks"):
        for line in pages.theorems([(notebook, notebook.path.read_text(encoding="utf-8"))]).splitlines():
            assert not line.endswith("`:"), (notebook.name, line)


def test_theorems_and_figures_are_listed_with_what_they_are_called():
    text = (
        "```{prf:lemma} The name\n:label: lem-one-a\nText.\n```\n"
        "```{prf:proof}\n:label: proof-one-a\n```\n"
        "  figure:\n    caption: First. Second.\n    name: fig-one-a\n"
    )
    texts = [(SimpleNamespace(page=Path("part/one.ipynb")), text)]
    assert pages.theorems(texts) == "- {doc}`/part/one`\n  - {prf:ref}`lem-one-a`: The name\n"
    assert pages.figures(texts) == "- {doc}`/part/one`\n  - {numref}`fig-one-a`: First.\n"
