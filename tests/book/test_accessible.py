"""Every page of the built book: whole, legible, reachable by keyboard, and without
requests to other hosts.
"""

import pytest

from reading_rules import (
    DESK,
    NOTEBOOKS,
    PHONE,
    broken_on_a_desk,
    broken_on_a_phone,
    unlike_the_exceptions,
)
from site_pages import (
    EMPTIED,
    context_of,
    faults,
    go,
    opened,
    pages_of,
    show,
    violations,
)

pytestmark = pytest.mark.book

PARTS = 12  # of the pages, so that the workers of a test run have equally much to do


@pytest.fixture(scope="session")
def judged():
    """The kinds of texts and links whose contrast axe has looked at."""
    return set()


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_is_whole_legible_accessible_and_asks_no_other_host(
    book, base, browser, judged, part
):
    """On a phone in the dark; then in the same window, wide and light, with axe.

    Typesetting takes most of the time, so each page is opened once: every fourth one
    from a file, which the browser compiles anew for each page, the others over http. In
    the dark axe looks at one page in six: one style sheet serves them all.
    """
    outside, problems, broken = [], {}, {}
    # Without animations: a color on its way from dark to light has less contrast than
    # either.
    still = {"outside": outside, "reduced_motion": "reduce"}
    contexts = {
        protocol: context_of(browser, base[protocol], **still) for protocol in base
    }
    windows = {protocol: opened(context) for protocol, context in contexts.items()}
    for place, name in enumerate(pages_of(book)[part::PARTS]):
        protocol = "file" if place % 4 == 1 else "http"
        page, wrong = windows[protocol]
        show(page, PHONE, "dark")
        go(page, base[protocol] + name)
        chapter = name.removesuffix(".html")
        found = faults(page)
        rules = broken_on_a_phone(page) if chapter in NOTEBOOKS else {}
        page.evaluate(EMPTIED)
        show(page, DESK, "light")
        found += faults(page)
        broken[chapter] = rules | (
            broken_on_a_desk(page, chapter) if chapter in NOTEBOOKS else {}
        )
        found += violations(page, name, judged)
        if place == 0:
            show(page, PHONE, "dark")
            found += faults(page) + violations(page, name, judged)
        if found + wrong:
            problems[name] = found + wrong
        page.goto("about:blank")
        wrong.clear()
    for context in contexts.values():
        context.close()
    assert outside == []
    assert problems == {}
    assert unlike_the_exceptions(broken) == {}


FAULTS = {
    "color-contrast": '<p style="color: #bbb">A faint text.</p>',
    "link-in-text-block": (
        '<p>A text <a href="#x" style="color: #333; text-decoration:'
        ' none">links</a>.</p>'
    ),
    "image-alt": '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">',
    "headless": (
        "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
    ),
    "unreachable": (
        '<div style="height: 20px; overflow:'
        ' auto"><p>One</p><p>Two</p><p>Three</p></div>'
    ),
    "twice": '<p id="one">One</p><p id="one">Two</p>',
    "nested-interactive": '<button>A button <a href="#x">with a link</a></button>',
    "link-name": '<a href="#x"></a>',
}
BEHIND = {
    "color-contrast": (
        '<p style="background: #666">A text like others before a dark ground.</p>'
    )
}
PUT = """html => {
  document.querySelector('#fault')?.remove();
  const fault = `<div id="fault">${html}</div>`;
  document.querySelector('article').insertAdjacentHTML('beforeend', fault);
}"""


@pytest.mark.parametrize("name", ["notation.html", "trees/growing.html"])
def test_a_fault_is_found_on_every_page_also_after_all_others(open_page, judged, name):
    """Axe has looked at every kind of text and link of the page before."""
    page = open_page(name)
    page.evaluate(EMPTIED)
    assert faults(page) + violations(page, name, judged) == []
    for put in (FAULTS, BEHIND):
        page.evaluate(PUT, "".join(put.values()))
        found = faults(page, patience=1) + violations(page, name, set(judged))
        assert {one.split(":")[0] for one in found} >= put.keys()
