"""Features as orders, whose sets are counted against Theorem 7."""

import re
from math import comb

import pytest
from playwright.sync_api import expect

from reproduction.drawing.conjecture import weave_data
from reproduction.exact import optimal_stump_permutations
from treebounds.capacity import stump_partitioning_function

pytestmark = pytest.mark.book


@pytest.fixture(scope="module")
def data():
    return weave_data(optimal_stump_permutations(6).tolist())


def sets_cut_off(orders, size):
    """The sets of so many examples below or above a threshold on some feature."""
    below = {frozenset(order[:size]) for order in orders}
    return below | {frozenset(order[6 - size :]) for order in orders}


def test_sets_are_counted_as_in_python_and_the_list_attains_the_bound(
    open_picture, data
):
    picture = open_picture("weave", data)
    for seed in (0, 1, 2, 3):
        for l in range(1, 11):
            state = {"seed": seed, "features": l}
            shown = picture.call("(picture, state) => picture.set(state)", state)
            orders = shown["orders"]
            assert all(sorted(order) == list(range(6)) for order in orders)

            found = [len(sets_cut_off(orders[:l], size)) for size in range(1, 6)]
            assert shown["found"] == found
            partitions = int(picture.page.inner_text("[data-partitions]"))
            bound = int(picture.page.inner_text("[data-bound]"))
            assert 2 * partitions == sum(found)
            assert bound == stump_partitioning_function(6, l)
            assert partitions == bound if seed == 0 else partitions <= bound


def test_random_features_miss_sets(open_picture, data):
    picture = open_picture("weave", data)
    page = picture.page
    said = page.locator("[data-said]")
    expect(said).to_contain_text("No other features make more.")
    assert page.inner_text("[data-partitions]") == page.inner_text("[data-bound]")
    page.click("button[data-value=random]")
    expect(said).to_contain_text("others are missed")
    before = page.text_content("svg")
    page.click("button[data-value=random]")
    assert page.text_content("svg") != before
    expect(page).to_have_url(re.compile("seed=2"))


def test_every_set_has_a_place_of_its_own(data):
    assert len(data["places"]) == 64
    for size in range(7):
        row = [x for name, x in data["places"].items() if len(name) == size]
        assert len(set(row)) == comb(6, size)


def test_a_feature_is_shown_by_keyboard_and_by_pressing_its_line(open_picture, data):
    page = open_picture("weave", data).page
    order = data["orders"][3]
    page.fill("input[name=features]", "2")
    page.focus("button[data-value='4']")
    page.keyboard.press("Enter")
    told = page.locator("[data-pointed]")
    expect(told).to_contain_text(f"in the order {' '.join(map(str, order))}.")
    assert page.input_value("input[name=features]") == "4"
    for size in range(1, 6):
        name = "".join(map(str, sorted(order[:size])))
        assert name in page.text_content("svg")
        expect(told).to_contain_text(name)
    page.locator("[data-thread='2']").first.dispatch_event("click")
    expect(told).to_contain_text("Feature 2 has")
    page.locator("[data-thread='2']").first.dispatch_event("click")
    expect(told).to_have_text("")
    address = page.url
    page.fill("input[name=features]", "1")
    page.goto("about:blank")
    page.goto(address)
    assert page.input_value("input[name=features]") == "4"
