"""The built pages in a browser: complete, offline, legible, reachable by keyboard, on a
phone.
"""

import json
import re
from contextlib import suppress
from html import unescape
from importlib.resources import files
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import TimeoutError, expect

from reading_rules import (
    DESK,
    NOTEBOOKS,
    PHONE,
    broken_on_a_desk,
    broken_on_a_phone,
    unlike_the_exceptions,
)
from treebounds import __version__

pytestmark = pytest.mark.book

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
# Not of the pages' making: docutils' markup of a bibliography, an empty summary on the
# theme's search page.
KNOWN_AXE = {
    "bibliography.html": {"aria-deprecated-role", "aria-required-children"},
    "search.html": {"summary-name"},
}

# Contrast takes axe the longest, of texts as of links amid text: for the first one it
# asks what lies where on the whole page. It follows from the colors, size and weight of
# a text and from what lies behind it, for a link also from how it differs from the text
# around. Of all texts and links for which these are the same, axe looks at three, on
# the first page that has them.
MARKED = """judged => {
  const known = new Set(judged), behind = new Map(), counts = new Map();
  const styles = (element, names) =>
    names.map(name => getComputedStyle(element)[name]).join();
  const backgrounds = element => {
    if (!element) return '';
    if (!behind.has(element)) {
      const names = ['backgroundColor', 'backgroundImage', 'opacity', 'position'];
      const own = styles(element, names);
      const below = backgrounds(element.parentElement);
      const clear = own === 'rgba(0, 0, 0, 0),none,1,static';
      behind.set(element, clear ? below : `${below};${own}`);
    }
    return behind.get(element);
  };
  const ink = ['color', 'fontSize', 'fontWeight', 'textShadow'];
  const look = element => styles(element, ink) + backgrounds(element);
  const shape = ['fontFamily', 'fontStyle', 'fontVariant', 'textDecoration', 'border',
    'outline', 'display'];
  const form = element => element.className + styles(element, shape) + look(element);
  const hasText = element =>
    [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const mark = (element, name, key) => {
    counts.set(key, (counts.get(key) || 0) + 1);
    element.toggleAttribute(name, !known.has(key) && counts.get(key) <= 3);
  };
  const article = document.querySelector('article') || document.body;
  for (const element of article.querySelectorAll(':not(mjx-container *)')) {
    if (!hasText(element) || !element.checkVisibility()) continue;
    mark(element, 'data-contrast', look(element));
  }
  for (const link of article.querySelectorAll('a[href], [role=link]')) {
    if (!link.checkVisibility()) continue;
    let block = link.parentElement;
    while (getComputedStyle(block).display.startsWith('inline')) {
      block = block.parentElement;
    }
    const outside = ':not(a *, a, [role=link] *, [role=link])';
    const amid = [block, ...block.querySelectorAll(outside)].some(hasText);
    // a line break ends what axe takes for the text around
    if (block.querySelector('br')) link.setAttribute('data-link', '');
    else mark(link, 'data-link', ['link', amid, form(link), form(block)].join());
  }
  return [...counts.keys()];
}"""
# MathJax's own drawings are left out, and emptied once they are looked at, which keeps
# their sizes: many shapes that carry one label together, each of which axe would still
# visit, and the browser lay out. So would axe every word of folded code, which becomes
# one text. Without preload, for axe would fetch what style sheets import from the
# page's folder instead of theirs.
EMPTIED = """() => {
  const all = query => [...document.querySelectorAll(query)];
  all('mjx-container svg').forEach(drawing => drawing.replaceChildren());
  all('mjx-assistive-mml').forEach(spoken => spoken.remove());
  const folded = all('pre').filter(code => !code.checkVisibility());
  for (const code of folded) code.textContent = code.textContent;
}"""
AXE_RUN = """axe.configure({rules: [
  {id: 'color-contrast', selector: '[data-contrast]'},
  {id: 'link-in-text-block', selector: '[data-link]'},
]}), axe.run(
  {
    include: [document.querySelector('article') || document.body],
    exclude: ['mjx-container'],
  },
  {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
    resultTypes: ['violations'],
    preload: false,
  },
)"""
READY = """async () => {
  await window.MathJax?.startup?.promise;
  await document.fonts.ready;
}"""
STATE = r"""() => {
  const all = query => [...document.querySelectorAll(query)];
  const text = (document.querySelector('article') || document.body).innerText;
  const right = element => element.getBoundingClientRect().right;
  return {
    unset: all('.math').filter(m => !m.querySelector('mjx-container')).length,
    errors: all('mjx-merror, g[data-mml-node=merror]').length,
    raw: text.match(/\\\(|\\\[|\$\$|\?\?|\{glue/g),
    images: all('img').filter(i => i.complete && !i.naturalWidth).map(i => i.src),
    mute: all('article img').filter(i => !i.alt.trim()).map(i => i.src),
    twice: all('[id]')
      .filter(e => e !== document.getElementById(e.id)).map(e => e.id),
    // no axe rule asks whether a table has headers; Sphinx's indices hold no data
    headless: all('article table:not(.indextable)')
      .filter(t => !t.querySelector('th')).map(t => t.innerText),
    wide: document.documentElement.scrollWidth - window.innerWidth,
    cut: all('article div.highlight pre')  // lines of code break on a phone
      .filter(e => e.checkVisibility() && !e.closest('.cell_output'))
      .filter(e => e.scrollWidth > e.clientWidth + 1)
      .map(e => e.innerText.slice(0, 80)),
    clipped: all('article p mjx-container:not([display=true])')
      .filter(m => !m.closest('table'))  // tables scroll
      .filter(m => right(m) > window.innerWidth + 1)
      .map(m => m.parentElement.innerText),
  };
}"""
# What scrolls and the keyboard does not reach; axe leaves that to browsers, of which
# not all let it
UNREACHABLE = """() => [...document.querySelectorAll('article *')].filter(e => {
  const {overflowX, overflowY} = getComputedStyle(e);
  const scrolls = way => way === 'auto' || way === 'scroll';
  return ((scrolls(overflowX) && e.scrollWidth > e.clientWidth)
      || (scrolls(overflowY) && e.scrollHeight > e.clientHeight))
    && e.tabIndex < 0
    && e.checkVisibility()
    && !e.querySelector('a[href], button, input, [tabindex="0"]');
}).map(e => e.outerHTML.slice(0, 200))"""
PARTS = 12  # of the pages, so that the workers of a test run have equally much to do


def pages_of(book):
    return sorted(
        p.relative_to(book).as_posix()
        for p in book.rglob("*.html")
        if "_static" not in p.parts
    )


def opened(context):
    """An empty page of a context, and a list that gets what goes wrong in it."""
    page, wrong = context.new_page(), []
    page.set_default_timeout(120_000)  # a busy machine is no fault of the page
    page.on(
        "console",
        lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
    page.on(
        "response",
        lambda r: wrong.append(f"{r.status} {r.url}") if r.status >= 400 else None,
    )
    return page, wrong


def go(page, address):
    page.goto(address, wait_until="load")
    page.evaluate(READY)


def context_of(browser, base, *, outside, viewport=DESK, **options):
    """A browser context that notes every request to another host, or to a file outside
    the book.

    The browser finds no other host; a route that refuses such requests would switch its
    cache off for all.
    """
    context = browser.new_context(viewport=viewport, **options)
    inside = (base, "data:", "blob:", "about:")
    context.on(
        "request", lambda r: None if r.url.startswith(inside) else outside.append(r.url)
    )
    return context


@pytest.fixture
def open_page(base, browser):
    """A function that opens a page of the book in a window of its own, in which nothing
    may go wrong.
    """
    contexts, everything_wrong, outside = [], [], []

    def opener(name, protocol="file", **options):
        contexts.append(context_of(browser, base[protocol], outside=outside, **options))
        page, wrong = opened(contexts[-1])
        everything_wrong.append(wrong)
        go(page, base[protocol] + name)
        return page

    opener.wrong = everything_wrong
    yield opener
    for context in contexts:
        context.close()
    assert (outside, [wrong for wrong in everything_wrong if wrong]) == ([], [])


def faults(page, patience=10_000):
    """What is wrong with what a page shows; `patience` is that of :func:`unreachable`,
    in milliseconds.
    """
    state = page.evaluate(STATE) | {"unreachable": unreachable(page, patience)}
    if state["wide"] <= 0:
        state.pop("wide")
    if page.viewport_size != PHONE:
        state.pop("clipped")
        state.pop("cut")
    return [f"{key}: {value}" for key, value in state.items() if value]


def violations(page, name, judged):
    """What axe-core finds against WCAG 2.1 A and AA, without known items of the theme.

    What was `judged` on another page axe does not look at again; what it looks at is
    added. Axe also asks for boxes that the keyboard does not reach, and does not wait,
    so :func:`faults` comes first.
    """
    page.evaluate(AXE)
    judged.update(page.evaluate(MARKED, list(judged)))
    found = page.evaluate(AXE_RUN)["violations"]
    known = KNOWN_AXE.get(name, set())
    return [
        f"{v['id']}: {v['nodes'][0]['html'][:200]}"
        for v in found
        if v["id"] not in known
    ]


def unreachable(page, patience):
    """The boxes that scroll, but not by keyboard.

    The theme lets the keyboard reach them a moment, at most so many milliseconds, after
    the window has another size.
    """
    with suppress(TimeoutError):
        page.wait_for_function(
            f"() => !({UNREACHABLE})().length", timeout=patience, polling=200
        )
        return []
    return page.evaluate(UNREACHABLE)


def show(page, viewport, scheme):
    """An open page, or the next one, in a window of another size and in another color
    scheme.
    """
    page.set_viewport_size(viewport)
    page.emulate_media(color_scheme=scheme)
    page.evaluate("() => new Promise(requestAnimationFrame)")


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


def test_the_reference_shows_neither_markup_nor_what_python_prints_of_objects(book):
    assert not (book / "prf-prf.html").exists(), "an index of labels in place of names"
    text = {
        page.name: page.read_text(encoding="utf-8")
        for page in (book / "api").glob("*.html")
    }
    for fitted in ("bound_", "certificate_"):  # with its underscore
        assert f"<strong>{fitted}</strong>" in text["estimators.html"]
    for name, html in text.items():
        article = BeautifulSoup(html, "html.parser").select_one("article")
        assert "``" not in article.get_text(), name
        assert [
            one for one in article.select("dt.sig") if re.search(r"<\w", one.get_text())
        ] == []


def test_no_file_names_the_folder_it_was_built_in_and_no_cell_warns(book):
    here = str(book.parents[3]).encode()
    assert [
        path for path in book.rglob("*") if path.is_file() and here in path.read_bytes()
    ] == []
    for path in sorted((book.parent / "executed").rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        outputs = [
            output.get("name") for cell in cells for output in cell.get("outputs", [])
        ]
        assert "stderr" not in outputs, path.stem


def test_internal_links_and_anchors_lead_somewhere(book):
    html = {name: (book / name).read_text(encoding="utf-8") for name in pages_of(book)}
    anchors = {
        name: set(re.findall(r'\b(?:id|name)="([^"]+)"', text))
        for name, text in html.items()
    }
    broken = []
    for name, text in html.items():
        for link in re.findall(r'<a\b[^>]*?\bhref="([^"]*)"', text):
            address, fragment = urldefrag(
                urljoin(name, unquote(unescape(link)).split("?")[0])
            )
            target = address or name
            known = {"", *anchors.get(target, [fragment])}
            if ":" not in address and not (
                (book / target).exists() and fragment in known
            ):
                broken.append((name, link))
    assert broken == []


@pytest.mark.parametrize("protocol", ["http", "file"])
def test_search_finds_a_chapter_and_its_excerpts_show_no_tex(open_page, protocol):
    page = open_page("search.html?q=partitions", protocol)
    expect(page.locator("#search-results")).to_contain_text(
        re.compile("partition", re.IGNORECASE)
    )
    if protocol == "http":
        page.wait_for_selector("#search-results li p.context")
        page.wait_for_timeout(1000)  # they are fetched one by one
        assert "\\" not in page.inner_text("#search-results")
    else:  # the excerpts cannot be fetched, and the browser reports it
        open_page.wrong.clear()


@pytest.mark.parametrize("protocol", ["http", "file"])
def test_the_ledger_filters_and_its_address_says_how(open_page, base, protocol):
    page = open_page("ledger.html", protocol)
    rows = page.locator("#ledger details[data-verdict]")
    visible = page.locator("#ledger details[data-verdict]:visible")
    count, total = page.locator("#ledger-count"), rows.count()
    page.select_option(".ledger-filters [name=source]", "peng2019")
    expect(page).to_have_url(re.compile(r"ledger\.html\?source=peng2019$"))
    shown = visible.count()
    assert 0 < shown < total
    expect(count).to_have_text(f"{shown} claims")
    page.fill(".ledger-filters [name=words]", "p-vc")
    expect(visible).to_have_count(1)
    page.reload()
    expect(visible).to_have_count(1)
    page.fill(".ledger-filters [name=words]", "no such claim")
    expect(visible).to_have_count(0)
    expect(count).to_have_text("Nothing matches these filters.")
    page.click(".ledger-filters [type=reset]")
    expect(visible).to_have_count(total)
    page.goto(base[protocol] + "index.html")
    badge = page.locator("ul.verdict-counts li").first
    number = int(badge.locator("strong").inner_text())
    badge.locator("a").click()
    page.wait_for_url("**/ledger.html?*")
    expect(visible).to_have_count(number)


@pytest.mark.parametrize("viewport", [PHONE, DESK])
def test_a_line_of_the_ledger_that_is_cut_fades_and_an_open_one_is_whole(
    open_page, viewport
):
    page = open_page("ledger.html", viewport=viewport)
    lines = page.locator(".ledger summary")
    cut = "all => all.map(line => line.scrollWidth > line.clientWidth + 2)"
    fading = "all => all.map(line => getComputedStyle(line).maskImage !== 'none')"
    some_fade = (
        f"({fading})([...document.querySelectorAll('.ledger summary')]).some(Boolean)"
    )
    page.wait_for_function(some_fade)
    assert lines.evaluate_all(fading) == lines.evaluate_all(cut)
    page.evaluate(
        "document.querySelectorAll('.ledger details').forEach(line => { line.open ="
        " true; })"
    )
    page.wait_for_function(f"!{some_fade}")


def test_the_link_of_a_claim_opens_statement_and_verdict(open_page):
    page = open_page("ledger.html#ledger-L-thm7")
    line = page.locator("#ledger-L-thm7")
    expect(line).to_have_attribute("open", "")
    line.get_by_role("link", name="in its chapter").click()
    page.wait_for_url("**#claim-L-thm7")
    page.evaluate(READY)
    card = page.locator("#claim-L-thm7")
    expect(card).to_have_attribute("open", "")
    assert 0 <= card.bounding_box()["y"] < 300
    for said in (
        "proved",
        "real-valued features realize at most",
        "L-thm7 in the ledger",
    ):
        assert said in card.inner_text()


def test_a_route_stays_and_the_other_chapters_turn_pale(open_page):
    page = open_page("map.html")
    paleness = "links => links.map(a => Number(getComputedStyle(a).opacity) < 1)"
    chapters = page.locator(".route-map li:not(.part) > a")
    assert not any(chapters.evaluate_all(paleness))
    page.check(".routes [value=theorist]")
    pale = chapters.evaluate_all(paleness)
    assert (
        pale.count(False) == page.locator(".route-map li.theorist").count() < len(pale)
    )


def test_code_is_hidden_until_it_is_asked_for_and_the_next_page_remembers(
    open_page, base
):
    page = open_page("capacity/stumps.html", "http")
    folded, switch = page.locator("details.above-input"), page.locator(".code-switch")
    assert not any(box.is_visible() for box in folded.all())
    figure = page.locator(".cell:has(figure):has(details.above-input)").first
    figure.locator(".provenance input").press("Space")
    expect(figure.locator("details.above-input pre")).to_be_visible()
    assert "/notebooks/capacity/stumps.md?plain=1#L" in figure.locator(
        ".provenance a"
    ).get_attribute("href")
    page.locator("a.made-by").first.press("Enter")
    expect(
        page.locator(
            f"{page.locator('a.made-by').first.get_attribute('href')} pre"
        ).first
    ).to_be_visible()
    for label in (
        "thm-stumps-7",
        page.locator("figure[id^=fig-]").first.get_attribute("id"),
    ):
        entry = page.locator(f"details.cite:has-text('capacity/stumps.html#{label}}}')")
        entry.locator("summary").press("Enter")
        expect(entry.locator("pre")).to_be_visible()
        assert (
            f"How complex is a decision tree? Version {__version__}"
            in entry.inner_text()
        )
    switch.press("Enter")
    expect(switch).to_have_text("Code: shown")
    go(page, base["http"] + "trees/growing.html")
    expect(switch).to_have_text("Code: shown")
    assert all(box.locator("pre").first.is_visible() for box in folded.all())


@pytest.mark.parametrize("protocol", ["http", "file"])
def test_the_calculator_lives_on_its_page_and_print_keeps_a_still(
    open_page, base, protocol
):
    page = open_page("capacity/how-complex.html", protocol)
    page.click(".picture-live [data-path='0']")
    expect(page.locator("[data-fact=leaves]")).to_have_text("3")
    expect(page.locator(".picture-still")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator(".picture-still img")).to_be_visible()
    expect(page.locator(".picture-live")).to_be_hidden()
    # A page without a picture does not load the program of pictures.
    go(page, base[protocol] + "notation.html")
    assert page.evaluate("typeof window.treebounds") == "undefined"


def test_without_scripts_code_is_folded_and_the_still_image_stays(base, browser):
    page = browser.new_page(java_script_enabled=False)
    page.goto(base["file"] + "capacity/stumps.html")
    assert all(
        box.is_visible() for box in page.locator("details.above-input > summary").all()
    )
    page.goto(base["file"] + "capacity/how-complex.html")
    assert page.is_visible(".picture-still img")
    page.close()


def test_pages_say_what_is_missing_without_scripts(base, browser):
    page = browser.new_page(java_script_enabled=False)
    for name in ("capacity/vc-dimension.html", "search.html"):
        page.goto(base["file"] + name)
        assert "JavaScript" in page.inner_text("main"), name
    page.close()


def test_each_page_has_one_title(book):
    html = {name: (book / name).read_text(encoding="utf-8") for name in pages_of(book)}
    count = {name: len(re.findall(r"<h1\b", text)) for name, text in html.items()}
    assert {name: n for name, n in count.items() if n != 1} == {}


def test_proofs_are_open_on_paper_and_folded_again_behind_it(open_page):
    page = open_page("capacity/conjecture.html")
    proof = page.locator("details.sd-dropdown").first
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(proof).to_have_attribute("open", "")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(proof).not_to_have_attribute("open", "")


def test_a_phone_shows_the_main_formula_and_a_whole_figure(open_page):
    page = open_page("capacity/vc-dimension.html", viewport=PHONE)
    whole = "box => box.scrollWidth <= box.clientWidth + 1"
    formula = page.locator("#equation-eq-vc-dimension-answer mjx-container").first
    assert formula.evaluate(whole)
    size = "image => [image.getBoundingClientRect().width, image.naturalWidth]"
    for image in page.locator("figure img").all():
        shown, natural = image.evaluate(size)
        assert shown <= natural + 1
        assert shown >= 0.6 * natural - 1


def test_a_formula_that_is_a_little_too_wide_becomes_small_enough(open_page):
    page = open_page("capacity/general-trees.html")
    formulas = page.locator("mjx-container[display=true]")
    for width in (1280, 1230, 800):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(500)
        sizes = formulas.evaluate_all(
            "all => all.map(e => [e.scrollWidth - e.clientWidth, e.style.fontSize])"
        )
        assert sizes
        assert [size for more, size in sizes if more > 1 and size != "0.7em"] == []


def test_the_keyboard_reaches_the_text(open_page):
    page = open_page("index.html", "http")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_attribute("href", re.compile("main-content"))
