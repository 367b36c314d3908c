"""The estimate of the noise that falls from above."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from picture_pages import (
    RULES,
    RUNS,
    falling_noise_sets,
    grown_on_a_line,
)
from reproduction import pictures
from treebounds.capacity.partitions import log_tree_partitions
from treebounds.trees.weakest_link import last_minimum

pytestmark = pytest.mark.book


def test_the_rounds_of_the_noise_are_the_librarys(open_picture):
    trees, data = falling_noise_sets(11, RULES)
    picture = open_picture("falling-noise", data)
    page = picture.page
    for name, (tree, rule) in trees.items():
        path = rule.path(tree)
        picture.call("(picture, set) => picture.set({set})", name)
        found = picture.call("picture => picture.path()")
        assert [each["noise"] for each in found] == path.noises.tolist()

        for noise in path.noises[1:]:
            page.focus("[data-next]")
            page.keyboard.press("Enter")
            assert picture.call("picture => picture.shown().noise") == noise
        assert page.get_attribute("[data-next]", "aria-disabled") == "true"
        last = picture.call("picture => picture.shown()")
        assert last["step"] == path.best
        assert last["leaves"] == path.n_leaves[path.best]
        assert last["squared"] == path.squared_errors[path.best]
        assert last["price"] == pytest.approx(path.price, rel=1e-12)


def check_round(tree, rule, found):
    """The pruning at an estimate that the picture shows, and the next estimate."""
    path = rule.path(tree)
    m = int(tree.target_sums[0, 0])
    nats = log_tree_partitions(path.n_leaves, m, tree.n_features)
    cost = path.squared_errors + 2 * rule.factor * found["noise"] * nats
    assert found["step"] == last_minimum(cost)
    freedom = m - path.n_leaves[found["step"]]
    if freedom:
        assert found["next"] == path.squared_errors[found["step"]] / freedom
    else:
        assert np.isnan(found["next"])


def test_any_estimate_of_the_noise_prunes_as_the_criterion_says(open_picture):
    trees, data = falling_noise_sets(12, RULES)
    rng = np.random.default_rng(13)
    cases = [
        {"set": name, "noise": float(data[name]["start"] * 2 ** rng.uniform(-3, 0.1))}
        for name in trees
        for _ in range(RUNS // len(trees))
    ]
    picture = open_picture("falling-noise", data)
    shown = picture.call("(picture, cases) => cases.map(picture.set)", cases)
    checked = [each for each in zip(cases, shown, strict=True) if each[1] is not None]
    assert len(checked) > RUNS / 2  # The others are below the scale of the picture.
    for case, found in checked:
        assert found["noise"] == case["noise"]
        check_round(*trees[case["set"]], found)


def test_the_estimate_of_the_noise_is_moved_by_keyboard_and_kept_in_the_address(
    open_picture,
):
    x, y, tree = grown_on_a_line(np.random.default_rng(1), 30)
    data = pictures.falling_noise_data(tree, 1.0, sample=(x, y))
    page = open_picture("falling-noise", {"thirty": data}).page
    before = float(page.input_value("input[name=noise]"))
    page.focus("[data-slider=noise]")
    page.keyboard.press("ArrowLeft")
    after = float(page.input_value("input[name=noise]"))
    assert after < before
    expect(page).to_have_url(re.compile(f"falling-noise:set=thirty&noise={after}"))

    page.focus("[data-start]")
    page.keyboard.press("Enter")
    assert float(page.input_value("input[name=noise]")) == before
    expect(page.locator("[data-verdict]")).to_contain_text("another round")


def test_no_noise_is_estimated_where_each_example_has_its_leaf(open_picture):
    _, _, tree = grown_on_a_line(np.random.default_rng(1), 30)
    data = pictures.falling_noise_data(tree, 1.0)
    picture = open_picture("falling-noise", {"thirty": data})
    lowest = picture.page.locator("[data-slider=noise]")
    lowest.fill("0")
    assert picture.call("picture => picture.shown().leaves") == 30
    expect(picture.page.locator("[data-verdict]")).to_contain_text("nothing is left")
    expect(picture.page.locator("[data-next]")).to_have_attribute(
        "aria-disabled", "true"
    )
