"""What a page of the book has to meet for its readers, and how it is measured in a browser.

What a page does not meet stands in ``book/reading_exceptions.toml``, with the reason; the list has to shrink.
"""

import tomllib
from pathlib import Path

import execute
import yaml

ROOT = Path(__file__).resolve().parents[1]
EXCEPTIONS = tomllib.loads((ROOT / "tests" / "book" / "reading_exceptions.toml").read_text(encoding="utf-8"))
NOTEBOOKS = {n.page.with_suffix("").as_posix(): n for n in execute.discover(ROOT / "notebooks")}
PARTS = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text(encoding="utf-8"))["parts"]
MAIN_LINE = {
    entry["file"]
    for part in PARTS
    for entry in part["chapters"]
    if not part["caption"].startswith(("Appendix", "Reference"))
}
DESK, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 900}
FIRST_FIGURE, CODE_SHARE = 2000, 0.25  # pixels on a desk; of the height
WORDS, SCREENS = 3000, 12  # of a page as it opens: with what is folded closed, and code hidden

PICTURES = (
    "figure img, .cell_output img, .cell_output svg:not(mjx-container *), canvas, .picture, .how-complex"
)
CODE = "div.cell_input, div[class*=highlight-]:not(.cell *)"
BOXES = ".cell_output, .cell_output pre, .pst-scrollable-table-container, div.math"
TEXT = "p, li, dt, dd, h1, h2, h3, figcaption"
NOT_PROSE = "pre, script, style, table, svg, mjx-container, .picture, .how-complex, .tippy-box"
MEASURE = r"""([pictures, code, boxes, notProse]) => {
  const article = document.querySelector('article');
  const shown = query => [...article.querySelectorAll(query)].filter(e => e.checkVisibility());
  const height = element => element.getBoundingClientRect().height;
  const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  let words = shown('mjx-container').length; // a formula counts as a word
  while (texts.nextNode()) {
    const {data, parentElement: around} = texts.currentNode;
    if (!around.checkVisibility() || around.closest(notProse)) continue;
    words += data.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  }
  const tops = shown(pictures).map(e => e.getBoundingClientRect().top + scrollY);
  return {
    figure: tops.length ? Math.min(...tops) : null,
    code: shown(code).map(height).reduce((a, b) => a + b, 0) / height(article),
    words,
    screens: height(article) / innerHeight,
    cut: shown(boxes).filter(e => e.scrollWidth > e.clientWidth + 1)
      .map(e => e.textContent.trim().slice(0, 50)),
  };
}"""
# on a phone outputs, tables and formulas scroll in their boxes; text must not need to
CUT_ON_A_PHONE = """query => [...document.querySelectorAll(`article :is(${query})`)]
  .filter(e => e.checkVisibility() && !e.closest('.cell_output, .tippy-content, table'))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.textContent.trim().slice(0, 50))"""


def broken_on_a_desk(page, name):
    """The rules that an open page of a chapter breaks on a desk, each with what was found."""
    found, seen = {}, page.evaluate(MEASURE, [PICTURES, CODE, BOXES, NOT_PROSE])
    if name in MAIN_LINE:
        if seen["figure"] is None or seen["figure"] > FIRST_FIGURE:
            found["figure"] = "none" if seen["figure"] is None else f"{seen['figure']:.0f} px"
        if seen["code"] > CODE_SHARE:
            found["code"] = f"{seen['code']:.0%}"
        if seen["words"] > WORDS:
            found["words"] = f"{seen['words']}"
        if seen["screens"] > SCREENS:
            found["screens"] = f"{seen['screens']:.1f}"
    return found | ({"cut": f"{seen['cut']}"} if seen["cut"] else {})


def broken_on_a_phone(page):
    """The same on a phone: text that is cut off."""
    cut = page.evaluate(CUT_ON_A_PHONE, TEXT)
    return {"phone": f"{cut}"} if cut else {}


def unlike_the_exceptions(found):
    """The rules that pages break without being exceptions."""
    broken = {
        page: {rule: what for rule, what in rules.items() if rule not in EXCEPTIONS.get(page, {})}
        for page, rules in found.items()
    }
    return {page: rules for page, rules in broken.items() if rules}
