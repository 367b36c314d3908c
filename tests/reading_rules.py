"""What a page of the book has to meet for its readers, and how it is measured in a
browser.

What a page does not meet stands in ``book/reading_exceptions.toml``, with the reason;
the list has to shrink.
"""

import tomllib
from itertools import chain
from pathlib import Path

import yaml

import chapters

ROOT = Path(__file__).resolve().parents[1]
EXCEPTIONS = tomllib.loads(
    (ROOT / "tests" / "book" / "reading_exceptions.toml").read_text(encoding="utf-8")
)
NOTEBOOKS = {n.page: n for n in chapters.NOTEBOOKS}
PARTS = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text(encoding="utf-8"))[
    "parts"
]
MAIN = [
    part["chapters"]
    for part in PARTS
    if not part["caption"].startswith(("Appendix", "Reference"))
]
MAIN_LINE = {entry["file"] for entry in chain.from_iterable(MAIN)}
DESK = {"width": 1366, "height": 768}
PHONE = {"width": 390, "height": 900}
# Pixels on a desk down to the first figure; words and screens, without visible code, of
# a page as it opens, with what is folded closed.
LIMITS = {"figure": 2000, "words": 3000, "screens": 12}

PICTURES = (
    "figure img, .cell_output :is(img, svg:not(mjx-container *)), canvas, .picture,"
    " .how-complex"
)
# Coq's text is code, too; it is on a page only where Coq has checked the theorem.
CODE = (
    "div.cell_input, details.as-coq-read-it,"
    " div[class*=highlight-]:not(.cell *, .as-coq-read-it *)"
)
BOXES = ".cell_output, .cell_output pre, .pst-scrollable-table-container, div.math"
TEXT = "p, li, dt, dd, h1, h2, h3, figcaption"
NOT_PROSE = (
    "pre, script, style, table, svg, mjx-container, .picture, .how-complex,"
    " .as-coq-read-it"
)
MEASURE = r"""([pictures, code, boxes, notProse]) => {
  const article = document.querySelector('article');
  const shown = query =>
    [...article.querySelectorAll(query)].filter(e => e.checkVisibility());
  const height = element => element.getBoundingClientRect().height;
  const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  let words = shown('mjx-container').length; // a formula counts as a word
  while (texts.nextNode()) {
    const {data, parentElement: around} = texts.currentNode;
    if (!around.checkVisibility() || around.closest(notProse)) continue;
    words += data.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  }
  const ofCode = shown(code).map(height).reduce((a, b) => a + b, 0);
  const tops = shown(pictures).map(e => e.getBoundingClientRect().top + scrollY);
  return {
    figure: tops.length ? Math.min(...tops) : null,
    words,
    screens: (height(article) - ofCode) / innerHeight,
    cut: shown(boxes).filter(e => e.scrollWidth > e.clientWidth + 1)
      .map(e => e.textContent.trim().slice(0, 50)),
  };
}"""
# On a phone outputs and tables scroll in their boxes; text must not need to.
CUT_ON_A_PHONE = """query => [...document.querySelectorAll(`article :is(${query})`)]
  .filter(e => e.checkVisibility() && !e.closest('.cell_output, table'))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.textContent.trim().slice(0, 50))"""
# Nor must formulas, also those in proofs and solutions, which are folded again.
WIDE_FORMULAS = """() => {
  const folded = document.querySelectorAll(
    'article details:not([open], .above-input, .hide, .cite)');
  for (const details of folded) details.open = true;
  const lines = 'article mjx-container:is([display=true], .wide-math)';
  const wide = [...document.querySelectorAll(lines)]
    .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1)
    .map(e => e.querySelector('mjx-assistive-mml')?.textContent.slice(0, 50));
  for (const details of folded) details.open = false;
  return wide;
}"""


def broken_on_a_desk(page, name):
    """The rules that an open page of a chapter breaks on a desk, each with what was
    found.
    """
    numbers = page.evaluate(MEASURE, [PICTURES, CODE, BOXES, NOT_PROSE])
    broken = {}
    if name in MAIN_LINE:
        for rule, limit in LIMITS.items():
            if numbers[rule] is None or numbers[rule] > limit:
                broken[rule] = numbers[rule]
    if numbers["cut"]:
        broken["cut"] = f"{numbers['cut']}"
    return broken


def broken_on_a_phone(page):
    """The same on a phone: text that is cut off, and formulas that scroll."""
    cut = page.evaluate(CUT_ON_A_PHONE, TEXT) + page.evaluate(WIDE_FORMULAS)
    if not cut:
        return {}
    return {"phone": f"{cut}"}


def unlike_the_exceptions(broken_rules):
    """The rules that pages break without being exceptions."""
    broken = {
        page: rules.keys() - EXCEPTIONS.get(page, {})
        for page, rules in broken_rules.items()
    }
    return {
        page: {rule: broken_rules[page][rule] for rule in rules}
        for page, rules in broken.items()
        if rules
    }
