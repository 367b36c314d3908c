"""The page "How complex is this tree?": its calculator lives, also from a folder, and print keeps a still."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.book


@pytest.mark.parametrize("protocol", ["http", "file"])
def test_the_calculator_lives_on_its_page(browser, base, protocol):
    page = browser.new_page()
    page.goto(base[protocol] + "capacity/how-complex.html")
    page.click(".picture-live [data-path='0']")
    expect(page.locator("[data-fact=leaves]")).to_have_text("3")
    expect(page.locator(".picture-still")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator(".picture-still img")).to_be_visible()
    expect(page.locator(".picture-live")).to_be_hidden()
    page.close()


def test_without_scripts_the_still_image_stays(browser, base):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base["file"] + "capacity/how-complex.html")
    assert page.is_visible(".picture-still img")
    context.close()


def test_other_pages_load_no_picture(browser, base):
    page = browser.new_page()
    page.goto(base["file"] + "notation.html")
    assert page.evaluate("typeof window.treebounds") == "undefined"
    page.close()
