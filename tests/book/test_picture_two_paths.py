"""Two paths in one random tree."""

import re
from itertools import combinations, product

import numpy as np
import pytest
from playwright.sync_api import expect

from picture_pages import (
    RUNS,
)
from reproduction.experiments.dhurandhar2008 import (
    coexistence_probability,
    same_tree_weight,
)

pytestmark = pytest.mark.book


def test_two_paths_weights_are_the_librarys(open_picture):
    picture = open_picture("two-paths")
    rng, cases = np.random.default_rng(7), []
    for _ in range(RUNS):
        d = int(rng.integers(1, 8))
        h, agree = (
            int(rng.integers(1, d + 1)),
            rng.integers(0, 2, d).astype(bool).tolist(),
        )
        one, other = (
            sorted(rng.choice(d, h, replace=False).tolist()) for _ in range(2)
        )
        cases.append({"d": d, "one": one, "other": other, "agree": agree})
    shown = picture.call("(picture, cases) => cases.map(picture.weights)", cases)
    for case, found in zip(cases, shown, strict=True):
        path = dict.fromkeys(case["one"], 0)
        other = {a: int(not case["agree"][a]) for a in case["other"]}
        for name, repaired in (("printed", False), ("repaired", True)):
            weight = same_tree_weight(case["d"], path, other, repaired)
            assert found[name] == pytest.approx(float(weight), abs=1e-12)
    cases = [
        (d, l1, l2, r, v)
        for d in range(1, 9)
        for l1 in range(1, d + 1)
        for l2 in range(l1, d + 1)
        for r in range(max(1, l1 + l2 - d), l1 + 1)
        for v in range(r + 1)
    ]
    shown = picture.call("(picture, cases) => cases.map(picture.coexistence)", cases)
    assert shown == pytest.approx(
        [float(coexistence_probability(*case)) for case in cases], abs=1e-12
    )


def test_two_paths_frequencies_meet_the_repaired_formula(open_picture):
    picture = open_picture("two-paths")
    draw = (
        "(picture, part) => { picture.set(part); picture.draws(20000); return"
        " picture.frequencies(); }"
    )
    for x, y, h in (
        ("010", "011", 2),
        ("000", "000", 2),
        ("001", "110", 1),
        ("111", "100", 3),
    ):
        x, y = [int(bit) for bit in x], [int(bit) for bit in y]
        found = picture.call(draw, {"x": x, "y": y, "h": h})
        assert sum(found["counts"].values()) == found["drawn"] == 20001
        for chosen in product(combinations(range(3), h), repeat=2):
            one, other = (
                {a: z[a] for a in path} for path, z in zip(chosen, (x, y), strict=True)
            )
            p = float(same_tree_weight(3, one, other))
            share = (
                found["counts"].get(
                    "|".join("".join(map(str, path)) for path in chosen), 0
                )
                / 20001
            )
            assert abs(share - p) < 5 * (p * (1 - p) / 20001) ** 0.5 + 1e-9
        total = picture.page.get_attribute("[data-repaired]", "data-repaired")
        assert float(total) == pytest.approx(1, abs=1e-12)
        if x == y:
            assert picture.page.get_attribute("[data-printed]", "data-printed") == "0"


def test_two_paths_bits_are_switched_by_keyboard_and_kept_in_the_address(open_picture):
    picture = open_picture("two-paths", motion="reduce")
    page = picture.page
    page.focus("[data-bit=y2]")
    page.keyboard.press("Enter")
    expect(page.locator("[data-bit=y2]")).to_have_text("0")
    expect(page).to_have_url(re.compile("x=010&y=010"))
    assert page.get_attribute("[data-printed]", "data-printed") == "0"
    page.click("text=Draw a tree")
    assert picture.call("picture => picture.frequencies().drawn") == 2
