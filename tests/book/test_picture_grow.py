"""A tree that the reader grows test by test."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect
from sklearn.tree import DecisionTreeClassifier

from reproduction.drawing.growing import growing_data

pytestmark = pytest.mark.book

FOUR = "four clouds"
ROUNDING = 1e-9


@pytest.fixture(scope="module")
def data():
    return growing_data()


def entropy(y):
    """In nats."""
    p = np.bincount(y.astype(int)) / len(y)
    return -(p[p > 0] @ np.log(p[p > 0]))


def gain(points, feature, threshold):
    y = points[:, 2]
    yes = points[:, feature] >= threshold
    after = [side.mean() * entropy(y[side]) for side in (yes, ~yes)]
    return entropy(y) - sum(after)


def test_the_gains_are_those_of_the_definition(open_picture, data):
    picture = open_picture("grow", data)
    for name, table in data.items():
        shown = picture.call("(picture, s) => picture.set(s)", {"table": name})
        points = np.array(table["points"])
        n_tests = sum(len(np.unique(points[:, j])) - 1 for j in (0, 1))
        assert len(shown["tests"]) == n_tests == 30
        for test in shown["tests"]:
            expected = gain(points, test["feature"], test["threshold"])
            assert test["gain"] == pytest.approx(expected, abs=ROUNDING)


def test_the_whole_tree_takes_the_largest_gain_at_each_node(open_picture, data):
    picture = open_picture("grow", data)
    for name, table in data.items():
        picture.call("(picture, s) => picture.set(s)", {"table": name})
        words = picture.call("picture => picture.grow()")
        remaining = iter(words)

        def check(points, remaining=remaining):
            word = next(remaining)
            if word == "-":
                assert len(set(points[:, 2])) == 1
                return
            feature, threshold = int(word[0]), float(word[2:])
            every = [
                gain(points, j, (low + high) / 2)
                for j in (0, 1)
                for low, high in zip(
                    np.unique(points[:, j]), np.unique(points[:, j])[1:], strict=False
                )
            ]
            assert gain(points, feature, threshold) >= max(every) - ROUNDING
            yes = points[:, feature] >= threshold
            check(points[~yes])
            check(points[yes])

        check(np.array(table["points"]))
        assert picture.page.inner_text("[data-errors]") == "0"
        n_leaves = words.count("-")
        assert picture.page.inner_text("[data-leaves]") == str(n_leaves)
        assert picture.page.inner_text("[data-greedy]") == str(n_leaves)
        assert n_leaves >= table["fewest"]


def test_the_clouds_are_a_trap_for_the_largest_gain_and_the_groups_are_not(data):
    grown = {
        name: DecisionTreeClassifier(criterion="entropy", random_state=0)
        .fit(np.array(table["points"])[:, :2], np.array(table["points"])[:, 2])
        .get_n_leaves()
        for name, table in data.items()
    }
    assert grown["two groups"] == data["two groups"]["fewest"]
    assert grown[FOUR] > 2 * data[FOUR]["fewest"] == 8


def test_a_reader_beats_the_largest_gain_by_keyboard(open_picture, data):
    page = open_picture("grow", data).page
    page.click(f"button[data-value='{FOUR}']")
    count = page.locator("p.results").last
    points = np.array(data[FOUR]["points"])
    left = points[:, 0] < 50
    at_middle = [
        left.sum(),
        number_of_middle(points[left]),
        number_of_middle(points[~left]),
    ]
    for number in at_middle:
        page.fill("input[name=test]", str(number))
        page.focus("[data-split]")
        page.keyboard.press("Enter")
    expect(count).to_contain_text("The tree has 4 leaves and 0 errors.")
    expect(count).to_contain_text("You have found one.")
    expect(page.locator("[data-said]")).to_have_text("Every box holds a single class.")
    assert page.get_attribute("[data-split]", "aria-disabled") == "true"

    page.click("[data-back]")
    expect(count).to_contain_text("3 leaves")
    page.click("[data-all]")
    page.click("[data-again]")
    expect(count).to_contain_text("1 leaf and 8 errors")
    page.click("[data-back]")
    expect(count).to_contain_text("0 errors")


def number_of_middle(box):
    """The number of the test of the second feature that cuts at the middle."""
    n_first = len(np.unique(box[:, 0])) - 1
    return n_first + int((box[:, 1] < 50).sum())


def test_a_press_in_the_plane_chooses_the_nearest_test(open_picture, data):
    page = open_picture("grow", data).page
    box = page.locator("[data-box='0'] rect").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 4)
    points = np.array(data["two groups"]["points"])
    first = sorted(points[:, 0])
    threshold = (first[7] + first[8]) / 2
    said = page.locator("[data-said]")
    expect(said).to_contain_text(f"is feature 1 at least {threshold:g}?")
    page.click("[data-best]")
    largest = max(gain(points, int(j), t) for j, t in cuts_of(points))
    shown = float(page.get_attribute("[data-gain]", "data-gain"))
    assert shown == pytest.approx(largest, abs=ROUNDING)
    page.click("[data-split]")
    expect(page).to_have_url(re.compile(r"tests=\d%3A[\d.]+_-_-"))
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.inner_text("[data-leaves]") == "2"


def cuts_of(points):
    for j in (0, 1):
        values = np.unique(points[:, j])
        yield from ((j, t) for t in (values[:-1] + values[1:]) / 2)


def test_a_grown_tree_has_nothing_left_to_choose_or_to_take_back(open_picture, data):
    """Buttons that are off keep the focus, do nothing, and throw no error."""
    page = open_picture("grow", data).page
    page.click("[data-all]")
    for button in ("[data-best]", "[data-split]", "[data-all]"):
        page.focus(button)
        page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_have_text("Every box holds a single class.")

    page.focus("[data-back]")
    page.keyboard.press("Enter")
    expect(page.locator("[data-leaves]")).to_have_text("1")
    assert page.get_attribute("[data-back]", "aria-disabled") == "true"
