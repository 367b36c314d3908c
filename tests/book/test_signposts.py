"""What leads a reader to a page: the search, the contents, and the question at the end
of the page before it.
"""

import re
import tomllib
from itertools import pairwise

import pytest
import reading
import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from reading_rules import NOTEBOOKS, ROOT

BOOK = ROOT / "book"
SIGNS = tomllib.loads((BOOK / "signposts.toml").read_text(encoding="utf-8"))
TOC = (BOOK / "_toc.yml").read_text(encoding="utf-8")
LISTED = re.findall(r"- file: (\S+)", TOC)
PARTS = yaml.safe_load(TOC)["parts"]
LAST = "replications/in-brief"
MAIN_LINE = LISTED[: LISTED.index(LAST) + 1]

# What readers ask, and the page that they should find first.
QUERIES = {
    "what is a decision tree": "trees/what-a-tree-is",
    "decision tree": "trees/what-a-tree-is",
    "how do I prune a tree": "guide/using-the-library",
    "prune sklearn tree": "guide/using-the-library",
    "class imbalance": "guide/rare-classes",
    "imbalanced classes": "guide/rare-classes",
    "confidence interval for test error": "guide/using-the-library",
    "VC dimension": "capacity/vc-dimension",
    "sample complexity": "capacity/vc-dimension",
    "ccp_alpha": "pruning/known-alpha",
    "random forest": "ensembles/forests",
    "shattering": "capacity/partitioning-machines",
    "Rademacher": "pruning/certificates-on-data",
    "install": "index",
    "overfitting": "trees/overfitting",
    "regression tree": "capacity/numbers-at-the-leaves",
    "PAC-Bayes": "pruning/certificates",
    "which pruning is best": "guide/which-pruning",
    "pruning": "guide/using-the-library",
    "class weight": "guide/rare-classes",
    "XGBoost": "guide/trees-from-elsewhere",
    "missing values": "guide/using-the-library",
    "vc_dimension_upper_bound": "api/capacity",
}


@pytest.fixture(scope="module")
def window(browser):
    """One page for all queries."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.book
@pytest.mark.parametrize(("query", "wanted"), QUERIES.items())
def test_the_search_shows_first_the_page_about_its_subject(
    window, address, query, wanted
):
    window.goto(f"{address}search.html?q={query}")
    first = window.locator("#search-results li a").first
    expect(first).to_have_attribute("href", re.compile(rf"^{wanted}\.html"))


@pytest.mark.book
def test_hits_of_equal_rank_stand_in_the_order_of_the_contents(window, address):
    window.goto(f"{address}search.html?q=examples")
    expect(window.locator("#search-results .search-summary")).to_contain_text("found")
    links = window.locator("#search-results li > a")
    shown = links.evaluate_all("links => links.map(a => a.getAttribute('href'))")
    pages = [re.sub(r"\.html.*", "", link) for link in shown]
    chapters = [page for page in dict.fromkeys(pages) if page in NOTEBOOKS]
    unnamed = [page for page in chapters if not _names(page, "example")]
    assert len(unnamed) > 20
    assert unnamed == sorted(unnamed, key=LISTED.index)
    of_the_library = [page.startswith("api/") for page in pages]
    assert of_the_library == sorted(of_the_library)


def _names(page, stem):
    """Whether a title of a chapter, or a word for its subject, contains a stem."""
    text = NOTEBOOKS[page].path.read_text(encoding="utf-8").lower()
    titles = re.findall(r"^#+ .*", text, re.M)
    search = SIGNS.get(page, {}).get("search", ())
    return any(stem in words for words in [*titles, *search])


def test_signs_are_of_pages_that_exist_and_no_two_pages_have_the_same_words():
    assert SIGNS.keys() - {"index"} <= set(LISTED)
    for page, sign in SIGNS.items():
        assert sign.keys() <= {"search", "asks"}, page
    words = [word.lower() for sign in SIGNS.values() for word in sign.get("search", ())]
    assert sorted(words) == sorted(set(words))


def test_every_page_of_the_main_line_asks_a_question():
    for page in MAIN_LINE[1:]:
        assert SIGNS[page]["asks"].endswith("?"), page
        assert SIGNS[page]["asks"].count("?") == 1, page


@pytest.mark.book
def test_each_page_of_the_main_line_ends_with_the_question_of_the_next_one(book):
    for page, following in pairwise(MAIN_LINE):
        html = (book / f"{page}.html").read_text(encoding="utf-8")
        article = BeautifulSoup(html, "html.parser").select_one("article")
        last = article.select("section")[-1].find_all(recursive=False)[-1]
        assert "next-question" in last.get("class", ()), page
        assert SIGNS[following]["asks"] in last.get_text(), page
        assert last.a["href"].endswith(f"{following.rsplit('/')[-1]}.html"), page


def test_the_map_knows_the_pages_below_other_pages():
    stops = reading.stops(TOC, BOOK, NOTEBOOKS.values())
    below = [
        entry["file"]
        for part in PARTS
        for chapter in part["chapters"]
        for entry in chapter.get("sections", ())
    ]
    on_a_route = {page for route in reading.ROUTES for page in route["stops"]}
    assert on_a_route <= {stop.page for stop in stops}
    assert on_a_route & set(below)


@pytest.mark.book
@pytest.mark.parametrize(
    ("page", "opened"),
    {
        "index": PARTS[0]["caption"],
        "trees/growing": "Decision trees",
        "errata": "Reference",
    }.items(),
)
def test_the_sidebar_shows_the_part_of_the_page_alone(book, page, opened):
    html = (book / f"{page}.html").read_text(encoding="utf-8")
    parts = BeautifulSoup(html, "html.parser").select("details.sidebar-part[open]")
    assert [part.summary.get_text(strip=True) for part in parts] == [opened]


@pytest.mark.book
def test_what_opens_in_the_sidebar_has_a_name_and_no_other_role(book):
    html = (book / "ledger.html").read_text(encoding="utf-8")
    toggles = BeautifulSoup(html, "html.parser").select(".bd-sidebar-primary summary")
    names = [one.get("aria-label") or one.get_text(strip=True) for one in toggles]
    assert all(names)
    assert "Pages below The ledger of claims" in names
    assert not any(one.has_attr("role") for one in toggles)
