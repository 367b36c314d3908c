"""How a page reads: no chapter too long, outputs for readers, one notation.

Figures, code and what is cut off are measured in the browser, by ``test_site.py``.
"""

import re

import pytest
import reading
from bs4 import BeautifulSoup, SoupStrainer

from reading_rules import EXCEPTIONS, MAIN_LINE, NOTEBOOKS, ROOT, unlike_the_exceptions

MINUTES = 25  # to read a chapter of the main line
# in the text of an output: what pandas, numpy and Python print for programs
PRINTED = {
    "dtype": re.compile(r"\bdtype[:=]"),
    "dictionary": re.compile(r"\{['\"\d(][^{}]*?['\"\d)]: "),
    "brackets": re.compile(r"\[None, None\]|\(None, None\)|TreeStructure\(\["),
}


# markup that was not read: in the text of a page, outside of code and formulas
UNREAD = re.compile(r"\$|`|:::|\*\*[^*\n]+\*\*|\{(?:glue|doc|prf|cite|numref|ref|eq)|^:\w+: ", re.M)

# what may stand as it was written, and is long to parse
LARGE = re.compile(r"<(pre|script|style|svg)\b.*?</\1>", re.S)


def unread_markup(html):
    """What stands on a page as it was written instead of as it was meant, with some text around it."""
    html = LARGE.sub("", html)
    article = BeautifulSoup(html, "html.parser", parse_only=SoupStrainer("article"))
    for shown_as_written in article.select("code, .math, .sig"):
        shown_as_written.decompose()
    text = article.get_text()
    return [text[max(0, match.start() - 30) : match.end() + 30] for match in UNREAD.finditer(text)]


def printed(html):
    """What a page shows as a program prints it: kinds of noise, and tables with an index column."""
    parsed = BeautifulSoup(html, "html.parser", parse_only=SoupStrainer(class_="cell_output"))
    outputs = parsed.select(".cell_output")
    text = "\n".join(output.get_text() for output in outputs)
    found = {kind: match[0] for kind, pattern in PRINTED.items() if (match := pattern.search(text))}
    for table in (table for output in outputs for table in output.select("table.dataframe")):
        first = [row.find("th").get_text(strip=True) for row in table.select("tbody tr") if row.find("th")]
        if first[:3] == ["0", "1", "2"][: len(first)] and first:
            found["index"] = "a column 0, 1, 2"
    return found


@pytest.mark.book
def test_outputs_are_for_readers(book):
    html = {page: (book / f"{page}.html").read_text(encoding="utf-8") for page in NOTEBOOKS}
    assert unlike_the_exceptions({page: printed(text) for page, text in html.items()}) == {}


@pytest.mark.book
def test_no_page_shows_its_markup(book):
    pages = {
        path: path.read_text(encoding="utf-8") for path in book.rglob("*.html") if "_static" not in path.parts
    }
    found = {path.name: unread_markup(html) for path, html in pages.items() if "<article" in html}
    assert {name: places for name, places in found.items() if places} == {}


@pytest.mark.parametrize("page", sorted(MAIN_LINE & set(NOTEBOOKS)))
def test_no_chapter_takes_longer_than_an_evening_allows(page):
    minutes = reading.minutes_to_read(NOTEBOOKS[page].path.read_text(encoding="utf-8"))
    assert minutes <= MINUTES or "minutes" in EXCEPTIONS.get(page, {}), f"{minutes} minutes"


def test_exceptions_are_of_pages_that_exist_and_have_a_reason():
    rules = {
        "figure",
        "code",
        "words",
        "screens",
        "minutes",
        "cut",
        "phone",
        "index",
        "notation",
        "records",
        *PRINTED,
    }
    for page, reasons in EXCEPTIONS.items():
        assert page in NOTEBOOKS, page
        assert set(reasons) <= rules, page
        assert all(len(reason) > 10 for reason in reasons.values()), page


def test_the_measures_see_what_they_are_for():
    html = '<article><div class="cell_output">{}</div></article>'
    assert printed(html.format("<pre>a    1\ndtype: int64</pre>")).keys() == {"dtype"}
    assert printed(html.format("<pre>{'a': 1}</pre>")).keys() == {"dictionary"}
    assert printed(html.format("<pre>[[None, None], None]</pre>")).keys() == {"brackets"}
    rows = "".join(f"<tr><th>{i}</th><td>x</td></tr>" for i in range(4))
    assert printed(html.format(f'<table class="dataframe"><tbody>{rows}</tbody></table>')).keys() == {"index"}
    assert printed(html.format("<pre>{1, 2} and [1, 2]</pre>")) == {}


PROSE_ONLY = re.compile(r"^(`{3,})\{code-cell\}.*?^\1$|\{glue:\w+\}`[^`]*`|`[^`]*`", re.M | re.S)
# one notation: (what is wrong, what stands in its place)
NOTATION = {
    r"\bper cent\b": "percent",
    r"\d ?\\?%| %(?=[\s.,;:)]|$)": "percent",  # the sign is for tables, axes and code
    r"operatorname\{Cat|\\mathrm\{Cat": "C_N",
    r"\bVC-dimension\b(?!\")": "VC dimension",
    r"\bhyper-parameter": "hyperparameter",
}


def wrong_notation(text):
    prose = PROSE_ONLY.sub("", text)
    quoted = re.compile(r"\"[^\"]*\"")  # a source writes as it likes
    return [(m[0], good) for bad, good in NOTATION.items() for m in re.finditer(bad, quoted.sub("", prose))]


@pytest.mark.parametrize("page", sorted(NOTEBOOKS))
def test_there_is_one_notation(page):
    found = wrong_notation(NOTEBOOKS[page].path.read_text(encoding="utf-8"))
    assert found == [] or "notation" in EXCEPTIONS.get(page, {})


def test_there_is_one_notation_in_the_pages_without_code():
    for path in sorted((ROOT / "book").glob("*.md")):
        assert wrong_notation(path.read_text(encoding="utf-8")) == [], path.name


def test_markup_that_was_not_read_is_seen():
    article = "<article><p>{}</p></article>"
    for text in (
        "two stumps get $2 s",
        "```{csv-table} Points",
        "::::{dropdown} As",
        "see {doc}here",
        "**bold** type",
    ):
        assert unread_markup(article.format(text)), text
    assert unread_markup(article.format('<span class="math">\\(x\\)</span> <code>$HOME</code>')) == []
