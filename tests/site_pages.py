"""Pages of the built book in a browser, and what is wrong with what they show."""

from contextlib import suppress
from importlib.resources import files

from playwright.sync_api import TimeoutError

from reading_rules import (
    DESK,
    PHONE,
)

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
# Words of code are half of all elements, and every rule visits each of them. Once their
# contrast is marked, code without a mark becomes one text.
JOINED = """() => {
  for (const code of document.querySelectorAll('article pre')) {
    if (!code.querySelector('[data-contrast]')) code.textContent = code.textContent;
  }
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


def pages_of(book):
    return sorted(
        p.relative_to(book).as_posix()
        for p in book.rglob("*.html")
        if "_static" not in p.parts
    )


def opened(context):
    """An empty page of a context, and a list that gets what goes wrong in it."""
    wrong = []

    def note_message(message):
        """Note errors and warnings of the console."""
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    def note_response(response):
        """Note files that the page does not get."""
        if response.status >= 400:
            wrong.append(f"{response.status} {response.url}")

    page = context.new_page()
    # A busy machine is not a fault of the page.
    page.set_default_timeout(120_000)
    page.on("console", note_message)
    page.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
    page.on("response", note_response)
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
    inside = (base, "data:", "blob:", "about:")

    def note_request(request):
        """Note requests that leave the book."""
        if not request.url.startswith(inside):
            outside.append(request.url)

    context = browser.new_context(viewport=viewport, **options)
    context.on("request", note_request)
    return context


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
    page.evaluate(JOINED)
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
