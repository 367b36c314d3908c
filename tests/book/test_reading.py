"""How a page reads: no chapter too long, outputs for readers, one notation.

``test_accessible.py`` measures figures, code and what is cut off, in the browser.
"""

import re

import pytest
import reading
from bs4 import BeautifulSoup, SoupStrainer
from treebounds_book import with_minus_signs

from reading_rules import (
    EXCEPTIONS,
    LIMITS,
    MAIN_LINE,
    NOTEBOOKS,
    ROOT,
    unlike_the_exceptions,
)

TEXTS = {
    page: notebook.path.read_text(encoding="utf-8")
    for page, notebook in NOTEBOOKS.items()
}
# The most that a chapter of the main line takes to read.
MINUTES = 25
# In the text of an output: what pandas, numpy and Python print for programs.
PRINTED = {
    "dtype": re.compile(r"\bdtype[:=]"),
    "dictionary": re.compile(r"\{['\"\d(][^{}]*?['\"\d)]: "),
    "array": re.compile(r"\barray\(\["),
    "brackets": re.compile(r"\[None, None\]|\(None, None\)|TreeStructure\(\["),
}

# In the text of a page, outside of code and formulas: markup that was not read, a link
# below no table.
MARKUP = r"\$|`|:::|\*\*[^*\n]+\*\*|\{(?:glue|doc|prf|cite|numref|ref|eq)|^:\w+: "
UNREAD = re.compile(rf"{MARKUP}|% (?:uses|proves): |\.; how it was made", re.M)

# What may stand as it was written, and is long to parse.
LARGE = re.compile(r"<(pre|script|style|svg)\b.*?</\1>", re.S)


def unread_markup(html):
    """What stands on a page as it was written instead of as it was meant, with some
    text around it.
    """
    html = LARGE.sub("", html)
    article = BeautifulSoup(html, "html.parser", parse_only=SoupStrainer("article"))
    for shown_as_written in article.select("code, .math, .sig"):
        shown_as_written.decompose()
    text = article.get_text()
    return [
        text[max(0, match.start() - 30) : match.end() + 30]
        for match in UNREAD.finditer(text)
    ]


def printed(html):
    """What a page shows as a program prints it: kinds of noise, and tables with an
    index column.
    """
    parsed = BeautifulSoup(
        html, "html.parser", parse_only=SoupStrainer(class_="cell_output")
    )
    outputs = parsed.select(".cell_output")
    text = "\n".join(output.get_text() for output in outputs)
    found = {
        kind: match[0]
        for kind, pattern in PRINTED.items()
        if (match := pattern.search(text))
    }
    for table in (
        table for output in outputs for table in output.select("table.dataframe")
    ):
        first = [
            row.find("th").get_text(strip=True)
            for row in table.select("tbody tr")
            if row.find("th")
        ]
        if first[:3] == ["0", "1", "2"][: len(first)] and first:
            found["index"] = "a column 0, 1, 2"
    return found


@pytest.fixture(scope="module")
def pages(book):
    """The text of each page of the book."""
    paths = [path for path in book.rglob("*.html") if "_static" not in path.parts]
    return {
        path.relative_to(book).with_suffix("").as_posix(): path.read_text("utf-8")
        for path in paths
    }


@pytest.mark.book
def test_outputs_are_for_readers(pages):
    for_programs = {page: printed(pages[page]) for page in NOTEBOOKS}
    assert unlike_the_exceptions(for_programs) == {}


@pytest.mark.book
def test_no_page_shows_its_markup(pages):
    articles = {page: html for page, html in pages.items() if "<article" in html}
    unread = {page: unread_markup(html) for page, html in articles.items()}
    assert {page: places for page, places in unread.items() if places} == {}


def test_no_chapter_takes_longer_than_an_evening_allows():
    chapters = {page: TEXTS[page] for page in MAIN_LINE & TEXTS.keys()}
    minutes = {page: reading.minutes_to_read(text) for page, text in chapters.items()}
    too_long = {
        page: {"minutes": taken} for page, taken in minutes.items() if taken > MINUTES
    }
    assert unlike_the_exceptions(too_long) == {}


def test_exceptions_are_of_pages_that_exist_and_have_a_reason():
    rules = (
        LIMITS.keys()
        | PRINTED.keys()
        | {"minutes", "cut", "phone", "index", "notation", "records"}
    )
    for page, reasons in EXCEPTIONS.items():
        assert page in NOTEBOOKS, page
        assert set(reasons) <= rules, page
        assert all(len(reason) > 10 for reason in reasons.values()), page


ROWS = "".join(f"<tr><th>{i}</th><td>x</td></tr>" for i in range(4))


@pytest.mark.parametrize(
    ("output", "kinds"),
    [
        ("<pre>a    1\ndtype: int64</pre>", {"dtype"}),
        ("<pre>{'a': 1}</pre>", {"dictionary"}),
        ("<pre>array([1, 2])</pre>", {"array"}),
        ("<pre>[[None, None], None]</pre>", {"brackets"}),
        (f'<table class="dataframe"><tbody>{ROWS}</tbody></table>', {"index"}),
        ("<pre>{1, 2} and [1, 2]</pre>", set()),
    ],
)
def test_what_is_printed_for_programs_is_seen(output, kinds):
    page = f'<article><div class="cell_output">{output}</div></article>'
    assert printed(page).keys() == kinds


PROSE_ONLY = re.compile(
    r"^(`{3,})\{code-cell\}.*?^\1$|\{glue:\w+\}`[^`]*`|`[^`]*`", re.M | re.S
)
# One notation: what is wrong, and what stands in its place.
NOTATION = {
    r"\bper cent\b": "percent",
    # The sign is for tables, axes and code.
    r"\d ?\\?%| %(?=[\s.,;:)]|$)": "percent",
    r"operatorname\{Cat|\\mathrm\{Cat": "C_N",
    r"\bVC-dimension\b(?!\")": "VC dimension",
    r"\bhyper-parameter": "hyperparameter",
}


def wrong_notation(text):
    prose = PROSE_ONLY.sub("", text)
    # A source writes as it likes.
    quoted = re.compile(r"\"[^\"]*\"")
    return [
        (m[0], good)
        for bad, good in NOTATION.items()
        for m in re.finditer(bad, quoted.sub("", prose))
    ]


def test_there_is_one_notation():
    texts = TEXTS | {
        path.name: path.read_text(encoding="utf-8")
        for path in (ROOT / "book").glob("*.md")
    }
    found = {
        page: {"notation": wrong}
        for page, text in texts.items()
        if (wrong := wrong_notation(text))
    }
    assert unlike_the_exceptions(found) == {}


@pytest.mark.parametrize(
    "text",
    [
        "two get $2 s",
        "```{csv-table} Points",
        "::::{dropdown} As",
        "see {doc}here",
        "**bold** type",
    ],
)
def test_markup_that_was_not_read_is_seen(text):
    assert unread_markup(f"<article><p>{text}</p></article>")


def test_formulas_and_code_stand_as_they_were_written():
    text = '<span class="math">\\(x\\)</span> <code>$HOME</code>'
    assert unread_markup(f"<article><p>{text}</p></article>") == []


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<td>-0.42 (0.18)</td>", "<td>−0.42 (0.18)</td>"),
        (
            '<td style="margin:-1px">(-.5, +1)</td>',
            '<td style="margin:-1px">(−.5, +1)</td>',
        ),
        ("<td>10-20, x-1, 1e-05, CF-2</td>", None),
        ("<td><code>x[-1]</code></td>", None),
        (r'<td><span class="math">\(-1\)</span></td>', None),
        (
            '<span class="pasted-text">-3.1</span>',
            '<span class="pasted-text">−3.1</span>',
        ),
        ("<p>-3</p><pre>-3</pre>", None),
    ],
)
def test_numbers_below_zero_have_a_minus_sign(html, shown):
    assert with_minus_signs(html) == (shown or html)
