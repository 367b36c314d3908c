"""What the printed book has and the pages have not: a title page, and links that stay inside."""

import print_pdf
import pytest
import yaml

from treebounds import __version__


def test_the_title_page_says_what_it_is(tmp_path):
    config = tmp_path / "_config.yml"
    about = {"title": "A < B", "author": "Somebody", "repository": {"url": "https://example.org"}}
    config.write_text(yaml.safe_dump({**about, "html": {"extra_footer": "<p>CC BY 4.0</p>"}}))
    page = print_pdf.title_page(config, seconds=86400)
    for said in ("A &lt; B", "Somebody", f"Version {__version__}, 1970-01-02", "<p>CC BY 4.0</p>"):
        assert said in page


@pytest.mark.book
def test_links_between_pages_become_links_inside_the_printed_book(browser):
    page = browser.new_page()
    page.set_content("""<article><span id="document-a/b"></span><p id="here"></p>
      <a href="a/b.html">page</a> <a href="a/b.html#here">place</a> <a href="?x=1#here">filter</a>
      <a href="c.html">not in the book</a> <a href="https://example.org/a.html">outside</a></article>""")
    page.evaluate(print_pdf.MEND_LINKS)
    links = page.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert links == ["#document-a/b", "#here", "#here", None, "https://example.org/a.html"]
    page.close()


TOC = """
parts:
  - {caption: Trees, chapters: [{file: a}]}
  - {caption: "Appendix: replications", chapters: [{file: b}]}
  - {caption: Reference, chapters: [{file: c}, {file: api, sections: [{file: api/x}]}]}
"""
SINGLE_PAGE = """<div class="bd-article-container"><section><h1>Landing</h1>
  <div class="toctree-wrapper"><p>Trees</p><span id="document-a"></span><section>Chapter A</section></div>
  <div class="toctree-wrapper"><p>Appendix</p><span id="document-b"></span><section>Chapter B</section></div>
  <div class="toctree-wrapper"><p>Reference</p><span id="document-c"></span><section>Page C</section>
    <span id="document-api"></span><section>API <div class="toctree-wrapper">
      <span id="document-api/x"></span><section>Module X</section></div></section></div></section></div>"""


@pytest.mark.book
@pytest.mark.parametrize(
    ("is_second", "stay", "go"),
    [
        (False, ["Landing", "Trees", "Chapter A", "Page C"], ["Appendix", "Chapter B", "API", "Module X"]),
        (True, ["Appendix", "Chapter B", "API", "Module X"], ["Landing", "Trees", "Chapter A", "Page C"]),
    ],
)
def test_each_document_is_printed_into_one_of_the_two_files(browser, tmp_path, is_second, stay, go):
    (tmp_path / "_toc.yml").write_text(TOC)
    page = browser.new_page()
    page.set_content(SINGLE_PAGE)
    page.evaluate(print_pdf.KEEP, [print_pdf.appendix(tmp_path / "_toc.yml"), is_second, "<p>Title</p>"])
    text = page.inner_text("body")
    assert text.startswith("Title")
    assert [said for said in (*stay, *go) if said in text] == stay
    page.close()
