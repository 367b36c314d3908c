"""The calculator, and the picture of growth functions beside it."""

import re
from itertools import product
from math import log, log1p, pi
from operator import ne

import numpy as np
import pytest
from playwright.sync_api import expect

import treebounds as tb
from builders import CHAIN, STUMP, complete, random_structure
from picture_pages import (
    PHONE,
    RUNS,
)
from treebounds.pruning.bound import ERROR_PRIOR_RATIO
from treebounds.risk import log_structure_prior

pytestmark = pytest.mark.book

N_LEAVES = {"stump": 2, "three leaves": 3, "five leaves": 5, "eight leaves": 8}


def in_preorder(structure):
    """Its nodes as the address writes them."""
    below = (
        ""
        if structure.is_leaf
        else in_preorder(structure.left) + in_preorder(structure.right)
    )
    return f"{int(not structure.is_leaf)}{below}"


def calculator_cases(seed):
    rng = np.random.default_rng(seed)
    for run in range(RUNS):
        structure = random_structure(int(rng.integers(1, 13)), seed=run)
        m = int(10 ** rng.uniform(0, 6))
        values = {
            "features": int(10 ** rng.uniform(0, 4)),
            "examples": m,
            "classes": int(rng.choice([2, 2, 2, 3, 10, 100])),
            "errors": int(rng.integers(0, m + 1)),
            "exponent": float(rng.uniform(0.1, 60)),
        }
        yield structure, in_preorder(structure), values


def expected_forms(structure, values):
    """Growth and risk bound by form."""
    m, l, n = values["examples"], values["features"], values["classes"]
    r, k, L = 2.0 ** -values["exponent"], values["errors"], structure.n_leaves
    for form, log_prior in (
        ("closed", log_structure_prior(L)),
        ("series", log(6 / pi**2) - 2 * log(L)),
    ):
        growth = {
            "closed": lambda m: tb.log_growth_function_bound(
                structure, m, l, n, form="closed"
            ),
            "series": lambda m: tb.capacity.log_all_structures_growth_bound(L, m, l, n),
        }[form]
        risk = tb.risk.shawe_taylor_bound(
            m, k, growth(2 * m), log1p(-r) + k * log(r), log_prior
        )
        yield form, pytest.approx([growth(m), risk], rel=1e-9)


def test_calculator_shows_the_librarys_numbers(open_picture):
    picture = open_picture("calculator", {"exact": {}})
    cases = list(calculator_cases(1))
    # On two features some subtrees keep samples of their own.
    for structure in map(random_structure, range(20, 65, 4)):
        values = cases[0][2] | {"features": 2}
        cases.append((structure, in_preorder(structure), values))

    shown = picture.call(
        """(picture, cases) => cases.map(([t, values]) => {
            picture.set({t, ...values});
            const rows = [...document.querySelectorAll("tbody tr")];
            const facts = [...document.querySelectorAll("[data-fact]")];
            const ofRow = ({dataset: {form, nats, epsilon}}) =>
                [form, [Number(nats), Number(epsilon)]];
            const ofFact = (f) => [f.dataset.fact, Number(f.textContent)];
            return [rows.map(ofRow), facts.map(ofFact)].map(Object.fromEntries);
        })""",
        [[text, values] for _, text, values in cases],
    )
    for (structure, _, values), (forms, facts) in zip(cases, shown, strict=True):
        m, l, n = values["examples"], values["features"], values["classes"]
        vc = (
            tb.vc_dimension_lower_bound(structure, l),
            tb.vc_dimension_upper_bound(structure, l),
        )
        assert (facts["leaves"], facts["symmetric"]) == (
            structure.n_leaves,
            structure.n_symmetric_nodes,
        )
        assert (facts["lower"], facts["upper"]) == vc
        for form, expected in expected_forms(structure, values):
            assert forms[form] == expected, (form, structure, values)
        shape = forms["shape"][0]
        assert shape <= forms["closed"][0] * (1 + 1e-9)
        if m <= 60:  # its recursion is the library's
            sharp = log(tb.growth_function_bound(structure, m, l, n, form="sharp"))
            assert shape >= sharp - 1e-9, (structure, values)
            assert n > 2 or shape == pytest.approx(sharp, abs=1e-9), (structure, values)


def test_calculator_splits_and_prunes_and_writes_the_address(open_picture):
    picture = open_picture("calculator", {"exact": {}})
    page = picture.page
    leaves = page.locator("[data-fact=leaves]")
    page.click("[data-path='0']")
    expect(leaves).to_have_text("3")
    page.focus("[data-path='1']")
    page.keyboard.press("Enter")
    expect(leaves).to_have_text("4")
    expect(page).to_have_url(re.compile("t=1100100"))
    address = page.url
    page.focus("[data-path='']")
    page.keyboard.press(" ")
    expect(leaves).to_have_text("1")
    page.goto("about:blank")
    page.goto(address.replace("examples=10000", "examples=500"))
    expect(leaves).to_have_text("4")
    assert page.input_value("input[name=examples]") == "500"
    page.goto("about:blank")
    page.goto(address.replace("t=1100100", "t=110"))
    assert "ends too early" in picture.message


def test_calculator_takes_the_largest_input_and_its_sliders_the_keyboard(open_picture):
    picture = open_picture("calculator", {"exact": {}}, viewport=PHONE)
    page = picture.page
    page.click("button[title='Chain of 40']")
    page.fill("input[name=examples]", "1000000")
    assert picture.message == ""
    page.focus("input[data-slider=features]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("input[name=features]")).not_to_have_value("10")
    assert int(page.input_value("input[name=features]")) > 10
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_calculator_starts_with_the_librarys_prior(open_picture):
    page = open_picture("calculator", {"exact": {}}).page
    ratio = 2 ** -float(page.input_value("input[name=exponent]"))
    assert ratio == ERROR_PRIOR_RATIO


def test_growth_picture_draws_the_librarys_curves(open_picture):
    picture = open_picture("growth")
    shapes = {"stump": STUMP, "three leaves": CHAIN, "eight leaves": complete(3)}
    shapes["five leaves"] = tb.TreeStructure(CHAIN, STUMP)
    for l in (2, 10, 37):
        shown = picture.call(
            "(picture, l) => { picture.set({features: l}); return picture.shown(); }", l
        )
        for name, structure in shapes.items():
            assert shown[name]["upper"] == tb.vc_dimension_upper_bound(structure, l)
            for m in range(1, 101, 9):
                bits = log(
                    tb.growth_function_bound(structure, m, l, form="sharp")
                ) / log(2)
                assert shown[name]["bits"][m - 1] == pytest.approx(bits, abs=1e-9)


def test_growth_picture_is_exact_on_one_feature(open_picture):
    picture = open_picture("growth")
    shown = picture.call(
        "picture => { picture.set({features: 1}); return picture.shown(); }"
    )
    for name, n_leaves in N_LEAVES.items():
        assert shown[name]["upper"] == n_leaves
        for m in range(1, 12):
            changes = [sum(map(ne, y, y[1:])) for y in product((0, 1), repeat=m)]
            n_labelings = sum(n < n_leaves for n in changes)
            assert shown[name]["bits"][m - 1] == pytest.approx(log(n_labelings, 2))


def test_the_slider_stands_above_the_curves_that_it_moves(open_picture):
    """Below them it would be off the first screen of a laptop, or under a thumb."""
    picture = open_picture("growth")
    slider = picture.page.locator("[data-slider=features]").bounding_box()
    curves = picture.page.locator(".results svg").bounding_box()
    assert slider["y"] + slider["height"] < curves["y"]


@pytest.mark.parametrize(
    ("typed", "shown"), [("-3", "0"), ("0", "0"), ("1", "0"), ("5000", "1000")]
)
def test_a_slider_stays_at_the_end_that_a_number_is_beyond(open_picture, typed, shown):
    """A number below zero has no logarithm, and is no reason to jump to the middle."""
    picture = open_picture("growth")
    picture.fill("features", typed)
    assert picture.page.input_value("[data-slider=features]") == shown
