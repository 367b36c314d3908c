"""Test sets that are drawn from a known truth."""

from math import log

import numpy as np
import pytest
from playwright.sync_api import expect
from scipy.stats import binom

from picture_pages import RUNS
from treebounds.risk import binomial_tail_inversion

pytestmark = pytest.mark.book


def cases_of_test_sets(rng):
    """Random truths: risks, sizes of a test set, and numbers of trees."""
    for run in range(RUNS):
        yield {
            "risk": float(rng.uniform(0.01, 0.5)),
            "examples": int(10 ** rng.uniform(1, 3)),
            "trees": int(rng.integers(1, 51)),
            "paid": bool(run % 2),
        }


def test_limits_of_test_sets_are_the_librarys_and_fail_as_often_as_said(open_picture):
    picture = open_picture("test-sets")
    cases = list(cases_of_test_sets(np.random.default_rng(9)))
    shown = picture.call("(picture, cases) => cases.map(picture.set)", cases)
    for case, law in zip(cases, shown, strict=True):
        n, trees = case["examples"], case["trees"]
        level = 0.05 / trees if case["paid"] else 0.05
        limits = [binomial_tail_inversion(k, n, log(level)) for k in range(n + 1)]
        assert law["limits"] == pytest.approx(limits, rel=1e-9), case
        n_false = sum(limit < case["risk"] for limit in limits)
        alone = binom.cdf(n_false - 1, n, case["risk"])
        assert law["share"] == pytest.approx(1 - (1 - alone) ** trees, abs=1e-9), case
        assert law["share"] <= 0.05 or (trees > 1 and not case["paid"])


def test_test_sets_are_draws_from_the_truth(open_picture):
    picture = open_picture("test-sets")
    page = picture.page
    draw = page.locator("[data-more='100']")
    for part in ({"trees": 1}, {"trees": 20}, {"trees": 20, "paid": True}):
        law = picture.call("(picture, part) => picture.set(part)", part)
        draw.click()
        # The browser clicks by itself, for each click from here takes 30 ms.
        draw.evaluate("button => { for (let i = 0; i < 48; i++) button.click(); }")
        errors = picture.call("picture => picture.errors()")
        assert len(errors) == 5000
        n_false = sum(law["limits"][k] < 0.1 for k in errors)
        assert int(page.inner_text("[data-false]")) == n_false
        share = law["share"]
        assert abs(n_false / 5000 - share) < 4 * (share * (1 - share) / 5000) ** 0.5


def test_test_sets_say_what_is_promised_and_keep_the_address(open_picture):
    picture = open_picture("test-sets")
    page = picture.page
    said = page.locator("[data-said]")
    expect(said).to_contain_text("At most 5\u202f% are promised")
    page.fill("input[name=trees]", "20")
    expect(said).to_contain_text("Nothing is promised for the best of 20 trees")
    page.focus("button[data-value=yes]")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("At most 5\u202f% are promised")
    page.focus("[data-more='1']")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("of 101 test sets")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.input_value("input[name=trees]") == "20"
    assert page.get_attribute("button[data-value=yes]", "aria-pressed") == "true"
    assert page.inner_text("[data-last]").startswith("The last one: the best of 20")
