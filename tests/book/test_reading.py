"""How a page reads: figures early, little code, no page too long, nothing cut off, outputs for readers.

What a page does not meet stands in ``reading_exceptions.toml``, with the reason; the list has to shrink.
"""

import re
import tomllib
from pathlib import Path

import execute
import pytest
import reading
import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[2]
EXCEPTIONS = tomllib.loads((Path(__file__).parent / "reading_exceptions.toml").read_text(encoding="utf-8"))
NOTEBOOKS = {n.page.with_suffix("").as_posix(): n for n in execute.discover(ROOT / "notebooks")}
PARTS = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text(encoding="utf-8"))["parts"]
MAIN_LINE = {
    entry["file"]
    for part in PARTS
    for entry in part["chapters"]
    if not part["caption"].startswith(("Appendix", "Reference"))
}
FIRST_FIGURE, CODE_SHARE, MINUTES = 2000, 0.25, 25  # pixels at a width of 1400; of the height; to read
WIDE, PHONE = {"width": 1400, "height": 1000}, {"width": 390, "height": 900}

PICTURES = (
    "figure img, .cell_output img, .cell_output svg:not(mjx-container *), canvas, .picture, .how-complex"
)
CODE = "div.cell_input, div[class*=highlight-]:not(.cell *)"
BOXES = ".cell_output, .cell_output pre, .pst-scrollable-table-container, div.math"
TEXT = "p, li, dt, dd, h1, h2, h3, figcaption"
MEASURE = """([pictures, code, boxes]) => {
  const article = document.querySelector('article');
  const shown = query => [...article.querySelectorAll(query)].filter(e => e.checkVisibility());
  const height = element => element.getBoundingClientRect().height;
  const tops = shown(pictures).map(e => e.getBoundingClientRect().top + scrollY);
  return {
    figure: tops.length ? Math.min(...tops) : null,
    code: shown(code).map(height).reduce((a, b) => a + b, 0) / height(article),
    cut: shown(boxes).filter(e => e.scrollWidth > e.clientWidth + 1)
      .map(e => e.textContent.trim().slice(0, 50)),
  };
}"""
# on a phone outputs, tables and formulas scroll in their boxes; text must not need to
CUT_ON_A_PHONE = """query => [...document.querySelectorAll(`article :is(${query})`)]
  .filter(e => e.checkVisibility() && !e.closest('.cell_output, .tippy-content, table'))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.textContent.trim().slice(0, 50))"""
# in the text of an output: what pandas, numpy and Python print for programs
PRINTED = {
    "dtype": re.compile(r"\bdtype[:=]"),
    "dictionary": re.compile(r"\{['\"\d(][^{}]*?['\"\d)]: "),
    "brackets": re.compile(r"\[None, None\]|\(None, None\)|TreeStructure\(\["),
}


def measure(browser, base, page_name):
    """The rules that a built page breaks, each with what was found."""
    found = {}
    page = browser.new_page(viewport=WIDE)
    page.goto(f"{base}{page_name}.html", wait_until="load")
    page.evaluate("async () => { if (window.MathJax) await MathJax.startup.promise; }")
    seen = page.evaluate(MEASURE, [PICTURES, CODE, BOXES])
    if page_name in MAIN_LINE:
        if seen["figure"] is None or seen["figure"] > FIRST_FIGURE:
            found["figure"] = "none" if seen["figure"] is None else f"{seen['figure']:.0f} px"
        if seen["code"] > CODE_SHARE:
            found["code"] = f"{seen['code']:.0%}"
    if seen["cut"]:
        found["cut"] = f"{seen['cut']}"
    page.set_viewport_size(PHONE)
    page.evaluate("() => new Promise(requestAnimationFrame)")
    cut = page.evaluate(CUT_ON_A_PHONE, TEXT)
    if cut:
        found["phone"] = f"{cut}"
    page.close()
    return found


def printed(html):
    """What a page shows as a program prints it: kinds of noise, and tables with an index column."""
    outputs = BeautifulSoup(html, "html.parser").select("article .cell_output")
    text = "\n".join(output.get_text() for output in outputs)
    found = {kind: match[0] for kind, pattern in PRINTED.items() if (match := pattern.search(text))}
    for table in (table for output in outputs for table in output.select("table.dataframe")):
        first = [row.find("th").get_text(strip=True) for row in table.select("tbody tr") if row.find("th")]
        if first[:3] == ["0", "1", "2"][: len(first)] and first:
            found["index"] = "a column 0, 1, 2"
    return found


def unlike_the_exceptions(found):
    """The rules that pages break without being exceptions."""
    broken = {
        page: {rule: what for rule, what in rules.items() if rule not in EXCEPTIONS.get(page, {})}
        for page, rules in found.items()
    }
    return {page: rules for page, rules in broken.items() if rules}


@pytest.mark.book
def test_figures_come_early_code_is_little_and_nothing_is_cut_off(book, base, browser):
    pages = [page for page in NOTEBOOKS if (book / f"{page}.html").exists()]
    assert unlike_the_exceptions({page: measure(browser, base["file"], page) for page in pages}) == {}


@pytest.mark.book
def test_outputs_are_for_readers(book):
    html = {page: (book / f"{page}.html").read_text(encoding="utf-8") for page in NOTEBOOKS}
    assert unlike_the_exceptions({page: printed(text) for page, text in html.items()}) == {}


@pytest.mark.parametrize("page", sorted(MAIN_LINE & set(NOTEBOOKS)))
def test_no_chapter_takes_longer_than_an_evening_allows(page):
    minutes = reading.minutes_to_read(NOTEBOOKS[page].path.read_text(encoding="utf-8"))
    assert minutes <= MINUTES or "minutes" in EXCEPTIONS.get(page, {}), f"{minutes} minutes"


def test_exceptions_are_of_pages_that_exist_and_have_a_reason():
    rules = {"figure", "code", "minutes", "cut", "phone", "index", "notation", "records", *PRINTED}
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
    r"\d%|\d\\%": "a space before %",
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
