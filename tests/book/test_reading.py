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
MINUTES = 25  # to read a chapter of the main line
# in the text of an output: what pandas, numpy and Python print for programs
PRINTED = {
    "dtype": re.compile(r"\bdtype[:=]"),
    "dictionary": re.compile(r"\{['\"\d(][^{}]*?['\"\d)]: "),
    "array": re.compile(r"\barray\(\["),
    "brackets": re.compile(r"\[None, None\]|\(None, None\)|TreeStructure\(\["),
}


# in the text of a page, outside of code and formulas: markup that was not read, a link
# below no table
MARKUP = r"\$|`|:::|\*\*[^*\n]+\*\*|\{(?:glue|doc|prf|cite|numref|ref|eq)|^:\w+: "
UNREAD = re.compile(rf"{MARKUP}|% (?:uses|proves): |\.; how it was made", re.M)

# what may stand as it was written, and is long to parse
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


@pytest.mark.book
def test_outputs_are_for_readers_and_no_page_shows_its_markup(book):
    paths = [path for path in book.rglob("*.html") if "_static" not in path.parts]
    pages = {
        path.relative_to(book).with_suffix("").as_posix(): path.read_text("utf-8")
        for path in paths
    }
    assert (
        unlike_the_exceptions({page: printed(pages[page]) for page in NOTEBOOKS}) == {}
    )
    found = {
        page: unread_markup(html) for page, html in pages.items() if "<article" in html
    }
    assert {page: places for page, places in found.items() if places} == {}


def test_no_chapter_takes_longer_than_an_evening_allows():
    chapters = {page: TEXTS[page] for page in MAIN_LINE & TEXTS.keys()}
    minutes = {
        page: {"minutes": reading.minutes_to_read(text)}
        for page, text in chapters.items()
    }
    assert (
        unlike_the_exceptions(
            {page: m for page, m in minutes.items() if m["minutes"] > MINUTES}
        )
        == {}
    )


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


def test_the_measures_see_what_they_are_for():
    rows = "".join(f"<tr><th>{i}</th><td>x</td></tr>" for i in range(4))
    for shown, kinds in {
        "<pre>a    1\ndtype: int64</pre>": {"dtype"},
        "<pre>{'a': 1}</pre>": {"dictionary"},
        "<pre>array([1, 2])</pre>": {"array"},
        "<pre>[[None, None], None]</pre>": {"brackets"},
        f'<table class="dataframe"><tbody>{rows}</tbody></table>': {"index"},
        "<pre>{1, 2} and [1, 2]</pre>": set(),
    }.items():
        assert (
            printed(f'<article><div class="cell_output">{shown}</div></article>').keys()
            == kinds
        )


PROSE_ONLY = re.compile(
    r"^(`{3,})\{code-cell\}.*?^\1$|\{glue:\w+\}`[^`]*`|`[^`]*`", re.M | re.S
)
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


def test_markup_that_was_not_read_is_seen():
    article = "<article><p>{}</p></article>"
    for text in (
        "two get $2 s",
        "```{csv-table} Points",
        "::::{dropdown} As",
        "see {doc}here",
        "**bold** type",
    ):
        assert unread_markup(article.format(text)), text
    assert (
        unread_markup(
            article.format('<span class="math">\\(x\\)</span> <code>$HOME</code>')
        )
        == []
    )


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
