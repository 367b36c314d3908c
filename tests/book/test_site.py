"""What the pages of the built book do: links, search, ledger, routes, code that is
folded, print.
"""

import json
import re
from html import unescape
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from reading_rules import DESK, PHONE
from reproduction.pictures import PICTURES
from site_pages import READY, go, pages_of
from treebounds import __version__

pytestmark = pytest.mark.book


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


def test_each_interactive_picture_is_in_the_list_of_pictures(book):
    html = (book / "lists.html").read_text(encoding="utf-8")
    section = BeautifulSoup(html, "html.parser").find(id="pictures-to-play-with")
    listed = {link["href"] for link in section.find_all("a")}
    figure = r'<figure[^>]* id="([\w-]+)">\s*<div class="output text_html"><div[^>]*'
    shown = {
        f"{name}#{label}"
        for name in pages_of(book)
        for label in re.findall(
            f"{figure} data-picture", (book / name).read_text(encoding="utf-8")
        )
    }
    # The picture of the start page has no number.
    assert len(shown) == len(PICTURES) - 1
    assert shown <= listed


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
    # The still of an interactive picture is hidden.
    images = page.locator("figure img:visible").all()
    assert images
    for image in images:
        shown, natural = image.evaluate(size)
        assert shown <= natural + 1
        assert shown >= 0.6 * natural - 1


def test_the_first_column_of_a_table_stays_in_view_on_a_phone(open_page):
    page = open_page("guide/which-pruning.html", viewport=PHONE)
    box = page.locator(".pst-scrollable-table-container:has(#tab-which-pruning)")
    box.evaluate("box => { box.scrollLeft = 80; }")
    assert box.evaluate("box => box.scrollLeft") == 80
    names = box.locator("tr > :first-child")
    left = "box => box.getBoundingClientRect().left"
    assert names.count() > 1
    for name in names.all():
        assert abs(name.evaluate(left) - box.evaluate(left)) <= 1


def test_a_broken_line_of_code_goes_on_behind_its_beginning_on_a_phone(open_page):
    page = open_page("capacity/vc-dimension.html", viewport=PHONE)
    cell = page.locator("article .cell_input pre", has_text="def g(l)")
    lines = cell.locator(".code-line")
    places = lines.evaluate_all(
        """all => all.map(line => {
          const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
          const left = [];
          while (walk.nextNode()) {
            const {data} = walk.currentNode;
            const range = document.createRange();
            for (let i = 0; i < data.length; i++) {
              if (!data[i].trim()) continue;
              range.setStart(walk.currentNode, i);
              range.setEnd(walk.currentNode, i + 1);
              const {x, top} = range.getBoundingClientRect();
              if (!left.length || top > left.at(-1).top + 3) left.push({x, top});
            }
          }
          return left.map(({x}) => x);
        })"""
    )
    broken = [starts for starts in places if len(starts) > 1]
    assert broken
    for first, *others in broken:
        assert min(others) > first + 5


def test_the_lines_of_a_cell_are_copied_as_they_are(open_page):
    page = open_page("capacity/vc-dimension.html", viewport=PHONE)
    cell = page.locator("article .cell_input pre", has_text="def g(l)")
    copied = cell.evaluate("code => code.cloneNode(true).innerText")
    assert "def g(l):\n" in copied
    assert "\n\ndef v(l):\n" in copied
    assert "\n\n\n" not in copied


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


def test_a_formula_fits_a_phone_when_it_unfolds(open_page):
    """Also in browsers that give it no size before; chromium does."""
    page = open_page("ensembles/what-many-trees-cost.html")
    page.add_style_tag(content="details:not([open]) > :not(summary) { display: none }")
    page.set_viewport_size(PHONE)
    page.evaluate("() => new Promise(requestAnimationFrame)")
    proofs = page.locator("article details.sd-dropdown")
    proofs.evaluate_all("all => all.forEach(proof => { proof.open = true; })")
    formulas = proofs.locator("mjx-container[display=true]")
    assert formulas.count() > 0
    wide = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length"
    expect(proofs.locator("mjx-container[style*=font-size]").first).to_be_visible()
    assert formulas.evaluate_all(wide) == 0


def test_the_keyboard_reaches_the_text(open_page):
    page = open_page("index.html", "http")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_attribute("href", re.compile("main-content"))
