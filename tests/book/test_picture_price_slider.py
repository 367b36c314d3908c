"""The slider of the price of a leaf."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from picture_pages import (
    RUNS,
    random_tree,
)
from reproduction import pictures
from reproduction.published import smallest_errors
from treebounds.trees import weakest_link_sequence

pytestmark = pytest.mark.book


def slider_cases(rng, sequences):
    """Random prices for random trees.

    Corners, where two prunings are equally good, are as frequent as other prices.
    """
    for run in range(RUNS):
        name = str(rng.choice(list(sequences)))
        prices = [10 ** rng.uniform(-1, 2)]
        if run % 2:
            corners = [a for a in sequences[name].alphas if 0.1 <= a <= 100]
            prices = corners or prices
        yield {"set": name, "price": float(rng.choice(prices))}


def test_price_slider_finds_the_weakest_link_prunings(open_picture):
    rng = np.random.default_rng(3)
    trees = {f"tree {i}": random_tree(rng, int(rng.integers(2, 30))) for i in range(10)}
    data = {
        name: pictures.price_slider_data(tree, 1.1, [0.5, 2.0])
        for name, tree in trees.items()
    }
    picture = open_picture("price-slider", data)
    sequences = {name: weakest_link_sequence(tree) for name, tree in trees.items()}
    cases = list(slider_cases(rng, sequences))
    shown = picture.call("(picture, cases) => cases.map(picture.set)", cases)
    for case, found in zip(cases, shown, strict=True):
        sequence = sequences[case["set"]]
        after = np.searchsorted(sequence.alphas, case["price"] + 1e-9, side="right")
        assert found["leaves"] == sequence.n_leaves[after - 1]
        assert found["errors"] == sequence.costs[after - 1]
        fewest = smallest_errors(trees[case["set"]])
        costs = fewest + case["price"] * np.arange(1, len(fewest) + 1)
        assert found["cost"] == pytest.approx(costs.min(), abs=1e-9)


def test_price_sliders_corners_can_be_pressed(open_picture):
    tree = random_tree(np.random.default_rng(4), 12)
    picture = open_picture(
        "price-slider", {"one": pictures.price_slider_data(tree, 1.1, [0.5, 2.0])}
    )
    page = picture.page
    page.focus("[data-leaves='1']")
    page.keyboard.press("Enter")
    assert picture.call("picture => picture.shown().leaves") == 1
    expect(page).to_have_url(re.compile("price-slider:"))


def chain_that_helps_at_its_end(n_nodes, n_wrong):
    """What the picture shows of a chain: only all its leaves together avoid errors."""
    n = 2 * n_nodes + 1
    inner = [node % 2 == 0 and node < n - 1 for node in range(n)]
    return {
        "left": [node + 1 if is_inner else -1 for node, is_inner in enumerate(inner)],
        "right": [node + 2 if is_inner else -1 for node, is_inner in enumerate(inner)],
        "errors": [n_wrong * is_inner for is_inner in inner],
        "labels": [0] * n,
        "examples": [2 * n_wrong] * n,
        "fewest": [n_wrong] * n_nodes + [0],
        "validated": [],
        "known": 1.1,
    }


@pytest.mark.parametrize(
    ("n_nodes", "n_wrong"), [(1, 129), (1, 2500), (12, 1), (150, 1)]
)
def test_the_price_slider_reaches_all_leaves_and_one_leaf(
    open_picture, n_nodes, n_wrong
):
    """One leaf is best from the price n_wrong / n_nodes on, and all leaves below it."""
    chain = chain_that_helps_at_its_end(n_nodes, n_wrong)
    picture = open_picture("price-slider", {"one": chain})
    page, last = picture.page, n_wrong / n_nodes
    for n_leaves in (1, n_nodes + 1):
        page.focus(f"[data-leaves='{n_leaves}']")
        page.keyboard.press("Enter")
        price = float(page.input_value("input[name=price]"))
        assert (price >= last) == (n_leaves == 1)
        assert picture.call("picture => picture.shown().leaves") == n_leaves

    slider = page.locator("input[type=range]")
    for step, n_leaves in ((1000, 1), (0, n_nodes + 1)):
        slider.fill(str(step))
        assert picture.call("picture => picture.shown().leaves") == n_leaves
        assert picture.message == ""


def test_a_price_slider_of_another_set_starts_at_its_known_price(open_picture):
    tree = random_tree(np.random.default_rng(4), 12)
    prices = {"one": 1.1, "other": 7.5}
    picture = open_picture(
        "price-slider",
        {name: pictures.price_slider_data(tree, p, []) for name, p in prices.items()},
    )
    picture.page.click("button[data-value=other]")
    assert float(picture.page.input_value("input[name=price]")) == 7.5


def test_the_task_of_the_price_slider_is_done_at_one_leaf(open_picture):
    tree = random_tree(np.random.default_rng(4), 12)
    picture = open_picture(
        "price-slider", {"one": pictures.price_slider_data(tree, 1.1, [])}
    )
    task = picture.page.locator("[data-task]")
    expect(task).not_to_contain_text("Done")
    picture.call("picture => picture.set({price: 100})")
    last = weakest_link_sequence(tree).alphas[-1]
    expect(task).to_contain_text(f"Done: it is {last:.2f} errors")
