"""The fragments that are written from the records and the notebooks."""

import re
from pathlib import Path

import cache
import execute
import graph
import nbformat
import pages
import pytest
import reading
from bs4 import BeautifulSoup

from chapters import NOTEBOOKS
from reproduction import claims


@pytest.fixture
def rows():
    listed = [
        claims.Claim("A-1", "x <= y & $a_1 < b$", "new", "p. 1", "proved"),
        claims.Claim("A-2", "z", "peng2019", "", "verified"),
        claims.Claim("A-3", "a definition", "peng2019", ""),
    ]
    record = {
        "id": "A-1",
        "verdict": "proved",
        "scope": "all m >= 2",
        "published": True,
        "measured": True,
    }
    record |= {"tolerance": 0.0, "chapter": "one", "note": ""}
    return pages.ledger_rows(listed, [record], {"one": "part/one"})


def test_the_ledger_has_a_line_for_every_claim_and_escapes(rows):
    html = pages.render(
        "ledger.html", rows=rows, proofs={"A-1": ("machine-checked", ["upper_bound"])}
    )
    assert html.count("<details ") == len(rows) == 2
    assert 'href="part/one.html#claim-A-1"' in html
    assert (
        r'x ≤ y &amp; <span class="math notranslate nohighlight">\(a_1 &lt; b\)</span>'
        in html
    )
    assert html.index("Peng") < html.index('id="ledger-A-2"')
    line = BeautifulSoup(html, "html.parser").select_one("#ledger-A-1")
    assert "machine-checked" in line.summary.get_text()
    assert line.summary.find("a") is None  # a click opens the line
    assert line.select('a[href="machine-checked.html#coq-upper-bound"]')


def test_counts_lead_to_the_claims_that_they_count_and_keep_the_book_apart(rows):
    html = pages.render("counts.html", rows=rows)
    badge = (
        '<a href="ledger.html?source=documents&amp;verdict=open#all-claims">'
        "<strong>1</strong> open"
    )
    assert badge in html
    assert "1 claims of the five documents" in html
    assert "1 statements of this book" in html
    counts = pages.render("ledger-counts.html", rows=rows)
    assert (
        '<a href="?source=new&amp;verdict=proved#all-claims"><strong>1</strong> proved'
        in counts
    )
    assert "0 claims of five documents and 1 statements of this book." in pages.render(
        "counts.md", rows=rows
    )


def test_findings_are_sentences_and_evidence_counts_what_the_ledger_counts(rows):
    text = pages.render("findings.md", rows=rows)
    assert "x ≤ y & $a_1 < b$. Proved: all m ≥ 2." in text
    assert "A-2" not in text
    assert "## Statements of this book (1)" in text
    assert "## Claims of the documents: refuted (0)" in text
    assert "* - proved in the text\n  - 0\n  - 1" in pages.render(
        "evidence.md", rows=rows
    )
    every = [{**rows[0], "verdict": verdict} for verdict in claims.VERDICTS]
    counted = re.findall(r"^  - (\d+)$", pages.render("evidence.md", rows=every), re.M)
    assert sum(map(int, counted)) == len(every)


ROOT = Path(pages.__file__).parents[1]
TOC = (ROOT / "book" / "_toc.yml").read_text(encoding="utf-8")
LISTED = re.findall(r"- file: (\S+)", TOC)


def test_every_page_of_the_contents_exists():
    generated = {f"documents/{document['key']}" for document in pages.DOCUMENTS}
    for page in LISTED:
        paths = [ROOT / folder / f"{page}.md" for folder in ("book", "notebooks")]
        assert sum(path.exists() for path in paths) + (page in generated) == 1, page
    assert len(LISTED) == len(set(LISTED))
    assert generated | {n.page for n in NOTEBOOKS} <= set(LISTED)


@pytest.fixture(scope="module")
def stops():
    return reading.stops(TOC, ROOT / "book", NOTEBOOKS)


def test_routes_and_main_line_take_no_longer_than_they_say(stops):
    assert sum(stop.minutes for stop in stops if stop.in_main_line) <= 8 * 60
    for route in reading.ROUTES:
        minutes = sum(
            stop.minutes or 0 for stop in stops if stop.page in route["stops"]
        )
        assert minutes <= 60 * route["hours"], route["id"]
        assert set(route["stops"]) <= set(LISTED)


def test_the_map_has_a_line_for_every_chapter_of_the_main_line(stops):
    html = pages.render("map.html", stops=stops, nodes={})
    for stop in stops:
        on_a_route = any(stop.page in route["stops"] for route in reading.ROUTES)
        assert (f'<a href="{stop.page}.html">{stop.title}' in html) == (
            stop.in_main_line or on_a_route
        )
    assert pages.render("routes.md", stops=stops).count("{doc}`") == html.count(
        ' stop"'
    )
    count = f"has {sum(stop.in_main_line for stop in stops)} chapters"
    assert count in pages.render("chapters.md", stops=stops)


def test_folded_code_and_solutions_take_no_time():
    prose = "word " * 400
    cell = "```{code-cell} ipython3\n" + "x = 1\n" * 50 + "```\n"
    folded = (
        "```{code-cell} ipython3\n:tags: [hide-input]\n" + "x = 1\n" * 500 + "```\n"
    )
    solution = "```{solution-start} a\n```\n" + prose + "\n```{solution-end}\n```\n"
    proof = "```{prf:proof}\n" + "word " * 160 + "\n```\n"
    assert reading.minutes_to_read(prose) == 2
    assert reading.minutes_to_read(prose + "\n" + cell) == 3
    assert reading.minutes_to_read(prose + "\n" + folded + solution) == 2
    assert reading.minutes_to_read(prose + "\n" + proof) == 4


def test_stored_benchmarks_say_when_and_on_which_commit(tmp_path):
    text = pages.render(
        "benchmarks.md", benchmarks=pages.benchmarks(tmp_path / "none.json")
    )
    assert "Measured on 20" in text
    assert "commit " in text
    assert text.count("* - ") > 5


def test_the_replications_in_brief_show_what_was_executed_and_say_what_was_not(
    rows, tmp_path
):
    figure = {
        "name": "fig-how-tight-nats",
        "caption": f"Two clouds. {execute.MARK} *(Notebook.)*</span>",
    }
    numbers = {
        "ratio": "1.05",
        "ratio_max": "1.2",
        "ratio_original": "1.1",
        "informative_any": "'Wine'",
    }
    numbers |= {"n_splits": "10"}
    cells = [nbformat.v4.new_code_cell(metadata={"mystnb": {"figure": figure}})]
    cells[0].outputs = [
        nbformat.v4.new_output("display_data", {"image/svg+xml": "<svg/>"})
    ]
    for name, text in numbers.items():
        data, about = (
            {"application/papermill.record/text/plain": text},
            {"scrapbook": {"name": name}},
        )
        cells[0].outputs.append(
            nbformat.v4.new_output("display_data", data, metadata=about)
        )
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "how-tight.ipynb")
    executed = {"how-tight": pages.Executed.read(tmp_path / "how-tight.ipynb")}
    page = {n.name: n.page for n in NOTEBOOKS}
    values = {
        "rows": rows,
        "page": page,
        "published": claims.published_values("leboeuf2020"),
    }
    text = pages.render("in-brief.md", executed=executed, **values)
    assert "pruned trees of 10 splits behind Table 1" in text
    assert "1.05 times as large" in text
    assert "these data sets only: Wine." in text
    assert (
        f"in nats, for every tree, pruned or not. {execute.MARK} *(Notebook.)*</span>"
        in text
    )
    assert text.count("was not executed in this build") == 8
    assert "{{" not in text.replace("{{doc}", "")
    assert "```{figure} /_generated/fig-how-tight-nats.svg" in text


def test_tables_are_listed_under_the_chapter_that_writes_them():
    files = {
        "executed/part/one.ipynb": b"",
        "results/peng2019/b.csv": b"",
        "results/peng2019/a.csv": b"",
    }
    files["results/peng2019/a-shown.csv"] = b""
    notebooks = [
        execute.Notebook(ROOT / "part" / f"{name}.md")
        for name in ("one", "two", "three")
    ]
    entries = {
        "one": cache.Entry({}, {}, 1.0, files),
        "two": cache.Entry({}, {}, 1.0, {}),
    }
    assert pages.render(
        "tables.md", notebooks=notebooks, entries=entries
    ).splitlines() == [
        "- {doc}`/part/one`",
        "  - {download}`peng2019/a.csv </results/peng2019/a.csv>`",
        "  - {download}`peng2019/b.csv </results/peng2019/b.csv>`",
    ]


def test_each_document_has_a_page():
    keys = [document["key"] for document in pages.DOCUMENTS]
    assert [*keys, "new"] == list(pages.SOURCES)
    assert [d["title"] for d in pages.DOCUMENTS] == list(pages.SOURCES.values())[:-1]


def document_page(key, entries):
    """The page of a document after the chapters of some entries were executed."""
    (document,) = [one for one in pages.DOCUMENTS if one["key"] == key]
    rows = pages.ledger_rows(claims.load_claims(), [], {})
    return pages.document_page(
        document, rows=rows, notebooks=NOTEBOOKS, entries=entries
    )


def test_the_page_of_a_document_has_its_claims_errata_and_chapters_only():
    text = document_page("yildiz2012", {})
    assert "make book SOURCE=yildiz2012" in text
    assert "https://doi.org/10.5220/0003777202050210" in text
    for claim in claims.load_claims():
        is_theirs = claim.source == "yildiz2012" and bool(claim.expected)
        assert (f'#ledger-{claim.id}"' in text) == is_theirs, claim.id
    assert "{ref}`Y1 <erratum-y1>`" in text
    assert "erratum-l1" not in text
    assert "{doc}`/categorical/yildiz-tables`" in text
    assert "{doc}`/capacity/stumps`" not in text


def test_the_page_of_a_document_links_each_verdict_to_the_cell_that_settles_it():
    (document,) = [one for one in pages.DOCUMENTS if one["key"] == "leboeuf2020"]
    record = {"id": "L-thm7", "verdict": "proved", "chapter": "stumps"}
    chapters = {"stumps": "capacity/stumps"}
    rows = pages.ledger_rows(claims.load_claims(), [record], chapters)

    text = pages.document_page(document, rows=rows, notebooks=NOTEBOOKS, entries={})

    assert '<a href="../capacity/stumps.html#claim-L-thm7">proved</a>' in text
    assert "A number that is missing here is free" in text


def test_the_page_of_a_document_lists_its_tables_and_the_data_that_were_read():
    files = {"results/yildiz2012/table1.csv": b"", "results/peng2019/a.csv": b""}
    data = {"tic-tac-toe/tic-tac-toe.data": cache.ABSENT}
    entry = cache.Entry(data=data, files=files)
    text = document_page("yildiz2012", {"yildiz-tables": entry})
    assert "{download}`yildiz2012/table1.csv </results/yildiz2012/table1.csv>`" in text
    assert "peng2019" not in text
    assert "- `tic-tac-toe`: " in text
    assert "They are read by {doc}`/categorical/yildiz-tables`." in text
    assert "Those that were executed in this build read 1 data set;" in text


def test_what_the_text_says_about_figure_6_follows_from_its_pairs():
    figure = claims.published_values("yildiz2012")["figure6"]
    gaps = [exact - lower for lower, exact in [*figure["d3"], *figure["d4"]]]
    assert sum(gap == 0 for gap in gaps) / len(gaps) == figure["exact_fraction"]
    assert max(gaps) == figure["largest_gap"]


def test_what_does_not_stand_as_printed_is_in_the_errata_and_the_ledger_leads_there():
    entries = set(
        re.findall(
            r"^\(erratum-(\w+)\)=",
            (ROOT / "book" / "errata.md").read_text("utf-8"),
            re.M,
        )
    )
    for claim in claims.load_claims():
        if claim.source != "new" and claim.expected in (
            "refuted",
            "holds with a correction",
        ):
            assert claim.erratum, claim.id
        assert not claim.erratum or claim.erratum.lower() in entries, claim.id
    wrong = claims.Claim("A-3", "z", "peng2019", "", "refuted", erratum="P1")
    html = pages.render("ledger.html", rows=pages.ledger_rows([wrong], [], {}))
    assert '<a href="errata.html#erratum-p1">Erratum P1</a>' in html


ERRATA = (ROOT / "book" / "errata.md").read_text("utf-8")
ENTRIES = {
    name.upper(): entry
    for name, entry in re.findall(
        r"^\(erratum-(\w+)\)=\n(.+?)(?=^\(erratum|^## |\Z)", ERRATA, re.M | re.S
    )
}


@pytest.mark.parametrize("number", ENTRIES)
def test_a_row_of_the_ledger_leads_to_each_erratum(number):
    # A definition has no verdict, and no row.
    rows = [claim for claim in claims.load_claims() if claim.expected]
    assert number in {claim.erratum for claim in rows}


@pytest.mark.parametrize("number", ENTRIES)
def test_a_claim_that_lacks_a_condition_is_not_plainly_proved(number):
    if "*Should be added" in ENTRIES[number]:
        for claim in claims.load_claims():
            if claim.erratum == number:
                assert claim.expected not in ("proved", "verified", "reproduced")


def test_formulas_are_between_two_dollars_and_every_theorem_has_a_name():
    assert [
        claim.id for claim in claims.load_claims() if claim.statement.count("$") % 2
    ] == []
    texts = {n.name: n.path.read_text(encoding="utf-8") for n in NOTEBOOKS}
    assert [
        label
        for _, found in pages.listed(pages.THEOREM, texts)
        for name, label in found
        if not name
    ] == []


def test_theorems_and_figures_are_listed_with_what_they_are_called():
    text = (
        "```{prf:lemma} The name\n:label: lem-one-a\nText.\n```\n"
        "```{prf:proof}\n:label: proof-one-a\n```\n"
        "  figure:\n    caption: First. Second.\n    name: fig-one-a\n"
    )
    for name, pattern, line in (
        ("theorems", pages.THEOREM, "{prf:ref}`lem-one-a`: The name"),
        ("figures", pages.FIGURE, "{numref}`fig-one-a`: First."),
    ):
        found = {name: pages.listed(pattern, {"part/one": text, "part/two": ""})}
        assert (
            pages.render(f"{name}.md", **found) == f"- {{doc}}`/part/one`\n  - {line}\n"
        )


def test_fragments_of_html_have_no_empty_line_at_which_myst_would_end_them(rows, stops):
    values = {"rows": rows, "stops": stops, "nodes": graph.chapters({}, stops)}
    for path in pages.FRAGMENTS.glob("*.html"):
        if path.name not in ("badges.html", "graph-macros.html"):
            assert "\n\n" not in pages.render(path.name, **values).strip(), path.name
