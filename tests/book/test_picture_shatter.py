"""Points that the reader tries to shatter."""

from itertools import product

import numpy as np
import pytest
from playwright.sync_api import expect

import treebounds as tb
from builders import CHAIN, STUMP
from picture_pages import PHONE, RUNS, Opened, page_of
from reproduction import pictures
from reproduction.exact.shattering import find_tree

pytestmark = pytest.mark.book

SHATTERED = {"stump": STUMP, "chain": CHAIN}


def partitions_with_a_tree(structure, sample):
    """Masks of the parts without the first example that some tree realizes."""
    found = []
    for mask in range(2, 2 ** len(sample), 2):
        labels = [mask >> i & 1 for i in range(len(sample))]
        if find_tree(structure, sample, labels, "real") is not None:
            found.append(mask)
    return found


def test_shatter_lights_the_partitions_that_the_library_realizes(open_picture):
    rng = np.random.default_rng(5)
    picture = open_picture("shatter", pictures.shatter_data())
    cases = []
    for _ in range(RUNS):
        m = int(rng.integers(2, 7))
        coarse = int(rng.choice([1, 1, 25]))  # a coarse grid has ties
        points = (coarse * rng.integers(0, 100 // coarse + 1, (m, 2))).tolist()
        cases.append(
            {
                "tree": str(rng.choice(list(SHATTERED))),
                "features": int(rng.integers(1, 3)),
                "points": points,
            }
        )
    shown = picture.call(
        """(picture, cases) => cases.map((c) => {
            const found = picture.set(c);
            const lit = [...document.querySelectorAll(".thumb.lit")];
            const count = Number(document.querySelector("[data-count]").textContent);
            return [found, lit.map((t) => Number(t.dataset.mask)), count];
        })""",
        cases,
    )
    for case, (found, lit, count) in zip(cases, shown, strict=True):
        sample = np.array(case["points"])[:, : case["features"]]
        assert found == partitions_with_a_tree(SHATTERED[case["tree"]], sample), case
        assert (lit, count) == (found, len(found))


def test_shatters_best_sample_is_optimal(open_picture):
    picture = open_picture("shatter", pictures.shatter_data())
    set_and_find = "(picture, c) => { picture.set(c); return picture.best(); }"
    for m, l in product(range(2, 7), (1, 2)):
        best = picture.call(set_and_find, {"tree": "stump", "features": l, "m": m})
        assert best == tb.capacity.stump_partitioning_function(m, l)
        assert int(picture.page.inner_text("[data-bound]")) == best
    # The VC dimension of a chain on two features is 5.
    for m, shattered in ((5, True), (6, False)):
        picture.call(set_and_find, {"tree": "chain", "features": 2, "m": m})
        assert (
            "Shattered" in picture.page.inner_text(".results[role=status]")
        ) == shattered


def test_shatters_points_move_by_mouse_and_by_keyboard(open_picture):
    picture = open_picture("shatter", pictures.shatter_data())
    page = picture.page
    box = page.locator("[data-point='0']").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y - 10)
    page.mouse.move(x + 60, y - 40)
    page.mouse.up()
    point = page.locator("[data-point='0']")
    expect(point).not_to_have_attribute("aria-valuetext", "20, 30")
    moved = point.get_attribute("aria-valuetext")
    page.focus("[data-point='0']")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(point).to_have_attribute("aria-valuenow", str(int(moved.split(",")[0]) - 4))
    page.focus(".thumb[tabindex='0']")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".thumb[aria-pressed='true']")).to_have_count(1)


def points_of(picture):
    sliders = picture.page.locator("[data-point]")
    return sliders.evaluate_all("all => all.map(e => e.ariaValueText)")


def test_shatters_points_are_added_removed_and_brought_back(open_picture):
    picture = open_picture("shatter", pictures.shatter_data())
    page = picture.page
    start = points_of(picture)
    box = page.locator("[data-plane]").bounding_box()
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 0.1 * box["height"])
    assert points_of(picture)[:4] == start
    assert len(points_of(picture)) == 5
    page.focus("[data-point='1']")
    page.keyboard.press("Delete")
    fewer = points_of(picture)
    assert len(fewer) == 4
    assert start[1] not in fewer
    assert page.evaluate("document.activeElement.dataset.point") == "1"
    for _ in range(3):  # moves of one point are undone together
        page.keyboard.press("ArrowUp")
    assert points_of(picture) != fewer
    page.keyboard.press("Control+z")
    assert points_of(picture) == fewer
    page.click("[data-undo]")
    page.click("[data-undo]")
    assert points_of(picture) == start
    assert page.is_disabled("[data-undo]")


def test_shatter_keeps_two_to_six_points(open_picture):
    picture = open_picture("shatter", pictures.shatter_data())
    page = picture.page
    box = page.locator("[data-plane]").bounding_box()
    for share in (0.6, 0.7, 0.8, 0.9):
        page.mouse.click(
            box["x"] + share * box["width"], box["y"] + 0.9 * box["height"]
        )
    assert len(points_of(picture)) == 6
    page.focus("[data-point='0']")
    for _ in range(6):
        page.keyboard.press("Delete")
    assert len(points_of(picture)) == 2


def test_shatter_gives_tasks_and_says_what_was_learned(open_picture):
    picture = open_picture("shatter", pictures.shatter_data())
    page = picture.page
    task = page.locator(".task")
    learned = {
        "three points on two features by a stump": "No four points can be",
        "four points on two features by a stump": "no sample of this size",
        "four points on two features by a chain": "Can five points be shattered, too?",
        "five points on two features by a chain": "5 is the VC dimension",
        "six points on two features by a chain": "no sample of this size",
    }
    assert task.inner_text() == ""
    for given, said in learned.items():
        page.focus("[data-task]")
        page.keyboard.press("Enter")
        expect(task).to_contain_text(f"Shatter {given}")
        assert task.locator("strong").inner_text() == ""
        picture.call("picture => picture.best()")
        expect(task.locator("strong")).to_contain_text(said)
    assert picture.page.inner_text("[data-most]") == "30"


def test_a_finger_drags_a_point_and_not_the_page(browser, tmp_path):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    html = page_of("shatter", pictures.shatter_data())
    picture = Opened(context.new_page(), tmp_path / "shatter.html", html)
    page = picture.page
    page.add_style_tag(content="main { padding-bottom: 100rem; }")

    box = page.locator("[data-point='0']").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touches = context.new_cdp_session(page)
    way = [(x, y), *((x + 10 * step, y - 20 * step) for step in range(1, 6))]
    for kind, place in zip(["touchStart", *5 * ["touchMove"]], way, strict=True):
        points = [{"x": place[0], "y": place[1]}]
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    moved = page.locator("[data-point='0']").bounding_box()
    assert moved["x"] - box["x"] == pytest.approx(50, abs=4)
    assert moved["y"] - box["y"] == pytest.approx(-100, abs=4)
    assert page.evaluate("scrollY") == 0
    context.close()
