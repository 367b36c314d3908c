"""All interactive pictures: wrong input, small screens, access."""

import numpy as np
import pytest
from playwright.sync_api import expect

from picture_pages import (
    ASSETS,
    AXE,
    DESK,
    FLIPPED,
    PHONE,
    RULES,
    falling_noise_sets,
    page_of,
    random_tree,
)
from reproduction import pictures
from reproduction.drawing.conjecture import weave_data
from reproduction.drawing.growing import growing_data
from reproduction.exact import optimal_stump_permutations

pytestmark = pytest.mark.book


def every_picture(telegram):
    tree = random_tree(np.random.default_rng(8), 40)
    return {
        "calculator": {"exact": {}},
        "falling-noise": falling_noise_sets(14, RULES[:2])[1],
        "flip": pictures.flip_data(FLIPPED),
        "grow": growing_data(),
        "growth": None,
        "price-slider": {"a tree": pictures.price_slider_data(tree, 1.1, [0.5, 2.0])},
        "shatter": pictures.shatter_data(),
        "telegram": telegram[0],
        "test-sets": None,
        "two-paths": None,
        "weave": weave_data(optimal_stump_permutations(6).tolist()),
    }


FIELDS = [
    (
        "calculator",
        "features",
        ("0", ""),
        "Features must be a whole number from 1 to 10000",
    ),
    ("calculator", "examples", ("2.5", "1e9"), "Examples must be a whole number"),
    ("calculator", "classes", ("1",), "Classes must be a whole number from 2 to 100"),
    (
        "calculator",
        "errors",
        ("10001", "-1"),
        "Training errors must be a whole number from 0 to 10000",
    ),
    (
        "calculator",
        "exponent",
        ("0",),
        "Exponent x of the error prior must be a number",
    ),
    (
        "falling-noise",
        "noise",
        ("0", "", "-1", "1e6"),
        "Estimate s² of the noise must be a number from",
    ),
    ("grow", "test", ("0", "31", "1.5", ""), "Test must be a whole number from 1"),
    (
        "price-slider",
        "price",
        ("0", "", "-3", "1000"),
        "Price of a leaf, in errors must be a number",
    ),
    (
        "telegram",
        "examples",
        ("3", ""),
        "Examples m must be a whole number from 4 to 1000000",
    ),
    (
        "telegram",
        "errors",
        ("567",),
        "Training errors must be a whole number from 0 to 566",
    ),
    (
        "telegram",
        "features",
        ("0.5",),
        "Features must be a whole number from 1 to 10000",
    ),
    ("test-sets", "risk", ("0", "0.6", ""), "True risk must be a number from 0.01"),
    ("test-sets", "examples", ("9", "10.5"), "Test cases must be a whole number"),
    ("test-sets", "trees", ("0", "51"), "Trees judged must be a whole number from 1"),
    ("weave", "features", ("0", "11", "2.5", ""), "Features must be a whole number"),
]


@pytest.mark.parametrize(("name", "field", "values", "said"), FIELDS)
def test_wrong_input_is_named_and_no_number_shown(
    open_picture, telegram, name, field, values, said
):
    picture = open_picture(name, every_picture(telegram)[name])
    numbers = "[data-certificate]" if name == "telegram" else ".results"
    before = picture.page.input_value(f"input[name={field}]")
    for value in values:
        picture.fill(field, value)
        assert picture.message.startswith(said)
        assert (
            picture.page.get_attribute(f"input[name={field}]", "aria-invalid") == "true"
        )
        assert not picture.page.is_visible(numbers)
        picture.fill(field, before)
        assert picture.message == ""
        assert picture.page.is_visible(numbers)


@pytest.mark.parametrize(
    ("name", "field"), [(name, field) for name, field, *_ in FIELDS]
)
def test_a_picture_has_its_sizes_again_after_wrong_input(
    open_picture, telegram, name, field
):
    """Results that are hidden keep their place, so nothing jumps and no width is 0."""
    picture = open_picture(name, every_picture(telegram)[name])
    sizes = """() => [...document.querySelectorAll(".picture-live svg")].map(
        svg => { const box = svg.getBoundingClientRect();
                 return [box.x, box.y, box.width, box.height]; })"""
    before = picture.page.evaluate(sizes)
    good = picture.page.input_value(f"input[name={field}]")
    picture.fill(field, "")
    picture.fill(field, good)
    assert picture.page.evaluate(sizes) == before


PARTS = {
    "grow": [
        ({"table": "rain"}, 'There are no examples "rain" here'),
        ({"tests": "0:0_-_-"}, 'The tree has a test "0:0" that divides no examples'),
        ({"tests": "2:50_-_-"}, 'The tree has a test "2:50" that divides no examples'),
        ({"tests": "0:50_-"}, 'The tree has a test "" that divides no examples'),
    ],
    "flip": [
        ({"tree": "oak"}, 'There is no tree "oak" here'),
        ({"features": 4}, "The number of features must be 2 or 3, not 4"),
        ({"features": 2, "labels": "0101"}, "The labels must be 5 digits 0 or 1"),
        ({"features": 2, "labels": "01012"}, "The labels must be 5 digits 0 or 1"),
    ],
    "shatter": [
        ({"m": 7}, "The number of points must be a whole number from 2 to 6, not 7"),
        ({"m": 1}, "The number of points must be"),
        ({"features": 3}, "The number of features must be 1 or 2, not 3"),
        ({"tree": "oak"}, 'There is no tree "oak" here'),
        ({"tree": "constructor"}, 'There is no tree "constructor" here'),
        (
            {"points": [[1, 2], [3, 101]]},
            "Point 2 must be two whole numbers from 0 to 100",
        ),
    ],
    "two-paths": [
        ({"h": 4}, "The height must be a whole number from 1 to 3, not 4"),
        ({"h": 1.5}, "The height must be"),
        ({"x": [0, 1]}, 'x must be 3 bits, not "01"'),
        ({"y": [0, 1, 2]}, "x′ must be 3 bits"),
    ],
    "weave": [
        ({"seed": -1}, "The seed must be a whole number from 0 to 1000000000, not -1"),
        ({"feature": 11}, "The feature must be a whole number from 0 to 10, not 11"),
        ({"feature": "a"}, "The feature must be a whole number"),
    ],
}
GOOD = {
    "grow": {"table": "four clouds", "tests": "0:50_-_-"},
    "flip": {"tree": "a chain of two nodes", "features": 2, "labels": "01010"},
    "shatter": {"tree": "stump", "features": 2, "points": [[1, 2], [3, 4]]},
    "two-paths": {"x": [0, 1, 0], "y": [0, 1, 1], "h": 2},
    "weave": {"features": 3, "seed": 0, "feature": 2},
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_is_out_of_range_is_named(open_picture, telegram, name):
    picture = open_picture(name, every_picture(telegram)[name])
    for part, said in PARTS[name]:
        picture.call("(picture, part) => picture.set(part)", part)
        assert picture.message.startswith(said)
        assert not picture.page.is_visible("[data-count], [data-printed], [data-said]")
        picture.call("(picture, part) => picture.set(part)", GOOD[name])
        assert picture.message == ""


def test_a_link_to_a_state_leads_to_its_picture(window, tmp_path):
    """Who comes back to a page that they have scrolled is not led away."""
    page, problems = window
    page.set_viewport_size(PHONE)
    html = page_of("shatter", pictures.shatter_data())
    path = tmp_path / "below.html"
    path.write_text(html.replace("<main", '<p style="height: 3000px"></p><main'))
    page.goto(path.as_uri())
    plane = page.locator(".plane")
    expect(plane).not_to_be_in_viewport()

    page.evaluate("window.location.hash = '#shatter:m=3'")
    expect(plane).to_be_in_viewport()
    page.goto("about:blank")
    page.goto(f"{path.as_uri()}#shatter:m=5")
    expect(plane).to_be_in_viewport()
    expect(page.locator("[data-point]")).to_have_count(5)

    page.evaluate("window.scrollTo(0, 0)")
    page.reload()
    expect(page.locator("[data-point]")).to_have_count(5)
    expect(plane).not_to_be_in_viewport()
    assert problems == []


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_pictures_are_small_fit_a_phone_and_are_accessible(
    open_picture, telegram, name
):
    for part in pictures.PICTURES[name]:
        script = (ASSETS / f"{part}.js").read_text(encoding="utf-8")
        assert len(script.encode()) < 30_000
        assert not [
            word for word in ("import ", "fetch(", "XMLHttpRequest") if word in script
        ]
    page = open_picture(name, every_picture(telegram)[name], viewport=PHONE).page
    page.evaluate(
        "document.querySelectorAll('details').forEach(d => { d.open = true })"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('.picture').dataset.live") == "true"
    page.set_viewport_size(DESK)
    page.evaluate(AXE)
    for theme, paper in (("light", "#fff"), ("dark", "#14181e")):
        page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        page.evaluate("paper => document.body.style.background = paper", paper)
        found = page.evaluate(
            """async () => {
                const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
                const {violations} = await axe.run({runOnly: rules});
                const places = v => v.nodes.map(n => n.html.slice(0, 200));
                return violations.map(v => [v.id, places(v)]);
            }"""
        )
        assert found == []


def test_a_picture_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="name must be one of"):
        pictures.show("pie")


def test_data_cannot_end_the_script_element():
    text = pictures.show(
        "growth", {"a": "</script><b>", "n": np.int64(3)}
    )._repr_html_()
    assert text.count("</script>") == 1
    with pytest.raises(TypeError, match="cannot hold a set"):
        pictures.show("growth", {"a": {1}})._repr_html_()
