"""A tree as a telegram."""

from math import log

import numpy as np
import pytest
from playwright.sync_api import expect

from picture_pages import RUNS
from treebounds.risk import binomial_tail_inversion
from treebounds.risk.compression import message_length

pytestmark = pytest.mark.book


def telegram_cases(rng):
    """Random numbers of examples, errors and features."""
    for _ in range(RUNS):
        n_examples = int(4 + 10 ** rng.uniform(0, 5.9))
        n_features = int(10 ** rng.uniform(0, 4))
        share = rng.choice([0.0, rng.uniform(0, 0.1), rng.uniform(), 1.0])
        n_errors = int(share * (n_examples - 3))
        yield {"examples": n_examples, "errors": n_errors, "features": n_features}


def test_telegrams_certificate_is_the_librarys(open_picture, telegram):
    data, certificate = telegram
    picture = open_picture("telegram", data)
    first = picture.page.get_attribute("[data-certificate]", "data-certificate")
    assert float(first) == pytest.approx(certificate, rel=1e-9)
    assert picture.call("picture => picture.waiting") == [1, 2, 3, 2, 3, 2, 1, 0]
    cases = list(telegram_cases(np.random.default_rng(6)))
    shown = picture.call("(picture, cases) => cases.map(picture.set)", cases)
    constant = data["shape"] + data["sides"] + data["labels"]
    for case, found in zip(cases, shown, strict=True):
        m = case["examples"]
        length = message_length(m, 3, constant + 3 * log(case["features"]))
        assert found["length"] == pytest.approx(length, rel=1e-9)
        level = log(0.05) - length
        expected = binomial_tail_inversion(case["errors"], m - 3, level)
        assert found["certificate"] == pytest.approx(expected, rel=1e-9), case


def test_telegram_forgets_to_pay_and_is_wrong(open_picture, telegram):
    picture = open_picture("telegram", telegram[0])
    page = picture.page
    assert int(page.inner_text("[data-violations]")) <= 10
    page.focus("[data-toggle]")
    page.keyboard.press("Enter")
    noise = picture.call("picture => picture.noise()")
    assert len(noise["runs"]) == RUNS
    assert noise["length"] == pytest.approx(
        message_length(noise["size"], 1, log(10) + log(2)), rel=1e-9
    )
    for run in noise["runs"]:
        for key, length in (("free", 0.0), ("paid", noise["length"])):
            expected = binomial_tail_inversion(
                run["errors"], noise["size"] - 1, log(0.05) - length
            )
            assert run[key] == pytest.approx(expected, abs=1e-9)
    violations = sum(run["free"] < 0.5 for run in noise["runs"])
    assert int(page.inner_text("[data-violations]")) == violations > 100


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_telegram_is_read_block_by_block(open_picture, telegram, motion):
    picture = open_picture("telegram", telegram[0], motion=motion)
    page = picture.page
    for waiting in (2, 3, 2, 3, 2, 1, 0):
        page.click("text=Read the next block")
        expect(page.locator("[data-waiting]")).to_have_text(str(waiting))
    page.click("button:has-text('Read all')")
    if motion == "reduce":
        assert page.inner_text("[data-waiting]") == "0"
    expect(page.locator("[data-waiting]")).to_have_text("0")
