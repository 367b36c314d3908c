"""A label that is changed moves one node."""

import re
from itertools import product

import numpy as np
import pytest
from playwright.sync_api import expect

from picture_pages import FLIPPED
from reproduction import pictures
from reproduction.exact.shattering import predict

pytestmark = pytest.mark.book


def as_tuples(nested, tests, leaves):
    """The nested tree in the form of find_tree; uses up its tests and leaves."""
    if nested is None:
        return leaves.pop(0)
    left = as_tuples(nested[0], tests, leaves)
    feature, threshold = tests.pop(0)
    return feature, threshold, left, as_tuples(nested[1], tests, leaves)


def cases_of_labels(data):
    """All labelings of up to seven examples, and 100 of more."""
    rng = np.random.default_rng(10)
    for tree, of_tree in data.items():
        for features, part in of_tree.items():
            m = len(part["ranks"])
            labelings = (
                product((0, 1), repeat=m) if m <= 7 else rng.integers(2, size=(100, m))
            )
            for labels in labelings:
                yield {
                    "tree": tree,
                    "features": features,
                    "labels": "".join(map(str, labels)),
                }


def test_every_labeling_has_a_tree_that_realizes_it(open_picture):
    data = pictures.flip_data(FLIPPED)
    picture = open_picture("flip", data)
    cases = list(cases_of_labels(data))
    assert len(cases) == 2**5 + 2**7 + 200
    shown = picture.call("(picture, cases) => cases.map(picture.set)", cases)
    for case, found in zip(cases, shown, strict=True):
        part = data[case["tree"]][case["features"]]
        tree = as_tuples(part["shape"], found["tests"], found["leaves"])
        labels = [predict(tree, example) for example in part["ranks"]]
        assert "".join(map(str, labels)) == case["labels"]


def test_a_sample_of_groups_is_as_large_as_the_theorem_says():
    for name, of_tree in pictures.flip_data(FLIPPED).items():
        n_nodes = FLIPPED[name].n_internal_nodes
        sizes = {l: len(part["ranks"]) for l, part in of_tree.items()}
        assert sizes == {2: 1 + 2 * n_nodes, 3: 1 + 3 * n_nodes}


def test_another_label_moves_the_node_of_its_group_alone(open_picture):
    data = pictures.flip_data(FLIPPED)
    picture = open_picture("flip", data)
    for case in list(cases_of_labels(data))[::7]:
        picture.call("(picture, state) => picture.set(state)", case)
        n_nodes = FLIPPED[case["tree"]].n_internal_nodes
        for e in range(len(case["labels"])):
            moved = picture.call("(picture, e) => picture.flip(e)", e)
            own = [(e - 1) // case["features"]] if e else list(range(n_nodes))
            assert moved == own, (case, e)


def test_examples_are_flipped_by_keyboard_and_by_touch(open_picture):
    picture = open_picture("flip", pictures.flip_data(FLIPPED))
    page = picture.page
    page.focus("[data-example='3']")
    said = page.locator("[data-said]")
    expect(said).to_contain_text("c ends in leaf 1, which has label 1.")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("c has label 0 now. Only node 2 moves")
    assert page.evaluate("document.activeElement.dataset.example") == "3"
    page.click("[data-example='0']")
    expect(said).to_contain_text("every node sends the other part")
    assert page.inner_text("[data-right]") == "5"
    assert page.inner_text("[data-tried]") == "3"
    expect(page).to_have_url(re.compile("tree=a\\+chain.*labels=11000"))
    page.click("button[data-value='four nodes']")
    page.click("button[data-value='3']")
    assert page.locator("[data-example]").count() == 13
    page.click("[data-random]")
    assert page.inner_text("[data-right]") == "13"
