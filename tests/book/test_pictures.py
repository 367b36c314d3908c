"""The interactive pictures, each on a page of its own that wraps nothing but its
script, style and data.
"""

import re
from importlib.resources import files
from itertools import combinations, product
from math import log, log1p, pi
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treebounds as tb
from builders import CHAIN, STUMP, complete, random_structure
from reproduction import pictures
from reproduction.exact.shattering import find_tree, predict
from reproduction.experiments.dhurandhar2008 import (
    coexistence_probability,
    same_tree_weight,
)
from reproduction.published import smallest_errors
from treebounds.capacity.partitions import log_tree_partitions
from treebounds.formats import from_sklearn
from treebounds.pruning.bound import ERROR_PRIOR_RATIO
from treebounds.pruning.prices import CountedRule
from treebounds.risk import binomial_tail_inversion, compress_tree, log_structure_prior
from treebounds.risk.compression import message_length
from treebounds.trees import weakest_link_sequence
from treebounds.trees.weakest_link import last_minimum

pytestmark = pytest.mark.book

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
ASSETS = Path(__file__).resolve().parents[2] / "book" / "_assets" / "pictures"
RUNS = 200  # random inputs for each picture
DESK, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 800}


def page_of(name, data):
    """A page with one picture, its script and the shared one inside."""
    files = ("pictures.css", "common.js", f"{pictures.PICTURES[name]}.js")
    style, *texts = ((ASSETS / file).read_text(encoding="utf-8") for file in files)
    scripts = "".join(f"<script>{text}</script>" for text in texts)
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<title>Picture</title><meta name="viewport"'
        f' content="width=device-width"><style>{style}</style>'
        '</head><body style="background:#fff;margin:16px"><main'
        ' style="max-width:800px">'
        f"{pictures.show(name, data).data}</main>{scripts}</body></html>"
    )


class Opened:
    """A picture in a browser's page."""

    def __init__(self, page, path, html):
        self.page = page
        path.write_text(html, encoding="utf-8")
        page.goto(path.as_uri())

    def call(self, expression, argument=None):
        """Evaluate a function of the picture and an argument."""
        return self.page.evaluate(
            f"argument => ({expression})(document.querySelector('.picture').picture,"
            " argument)",
            argument,
        )

    def fill(self, name, value):
        self.page.fill(f"input[name={name}]", str(value))

    @property
    def message(self):
        return self.page.inner_text(".message")


@pytest.fixture(scope="module")
def window(browser):
    """One page for all pictures, for a new one takes longer than most of the tests;
    what goes wrong in it.
    """
    context = browser.new_context()
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda said: problems.append(said.text) if said.type == "error" else None,
    )
    yield page, problems
    context.close()


@pytest.fixture
def open_picture(window, tmp_path):
    """A function that loads a picture; each test has files, and so addresses, of its
    own.
    """
    page, problems = window
    problems.clear()

    def opener(name, data=None, *, viewport=DESK, motion="no-preference"):
        page.set_viewport_size(viewport)
        page.emulate_media(reduced_motion=motion)
        page.mouse.move(0, 0)
        return Opened(page, tmp_path / f"{name}.html", page_of(name, data))

    yield opener
    assert problems == []


# ---- the calculator
# --------------------------------------------------------------------------------------


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
    for l in (1, 10, 37):
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


# ---- the price slider
# -------------------------------------------------------------------------------------


def random_tree(rng, n_leaves):
    """A tree that was fitted to random classes."""
    X, y = rng.random((200, 2)), rng.integers(0, 3, 200)
    fitted = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(X, y)
    return from_sklearn(fitted)


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


# ---- a table of the reader's own
# ------------------------------------------------------------------------------------


def as_table(X, y, separator=","):
    """A table with a line of names, a column of words and the class at the end."""
    names = [*(f"f{i}" for i in range(X.shape[1])), "word", "class"]
    decimal = "," if separator == ";" else "."
    rows = [
        [*(repr(float(v)).replace(".", decimal) for v in row), '"a ""b"""', label]
        for row, label in zip(X, y, strict=True)
    ]
    return "\n".join(separator.join(row) for row in [names, *rows])


def grown_on(picture, text):
    """Paste a table, grow a tree by keyboard, and return what the page computed."""
    page = picture.page
    page.click(".own > summary")
    page.fill("textarea[name=table]", text)
    page.focus("[data-grow]")
    page.keyboard.press("Enter")
    expect(page.locator("[data-told]")).to_contain_text("Grown on")
    return picture.call("picture => picture.table()")


def gini(y):
    """The impurity of some labels, times their number."""
    counts = np.bincount(y)
    return len(y) - (counts**2).sum() / len(y)


def best_impurity(X, y):
    """The smallest impurity after one cut; infinite if nothing can be cut."""
    sums = [
        gini(y[low]) + gini(y[~low])
        for column in X.T
        for value in np.unique(column)[:-1]
        for low in [column <= value]
    ]
    return min(sums, default=np.inf)


def check_node(grown, node, X, y):
    """The laws of a tree that is grown by impurity, for a node and those below it."""
    counts = np.bincount(y)
    assert grown["examples"][node] == len(y)
    assert grown["errors"][node] == len(y) - counts.max()
    assert counts[grown["labels"][node]] == counts.max()
    if grown["left"][node] < 0:
        assert len(set(y)) == 1 or best_impurity(X, y) == np.inf
        return
    low = X[:, grown["feature"][node]] <= grown["threshold"][node]
    after = gini(y[low]) + gini(y[~low])
    assert after == pytest.approx(best_impurity(X, y), abs=1e-9)
    check_node(grown, grown["left"][node], X[low], y[low])
    check_node(grown, grown["right"][node], X[~low], y[~low])


def errors_of(grown, X, y, price):
    """Errors on examples of the pruning that is cheapest at a price, by recursion."""

    def cheapest(node, rows):
        wrong = int((y[rows] != grown["labels"][node]).sum())
        leaf = grown["errors"][node] + price, wrong
        if grown["left"][node] < 0:
            return leaf
        low = X[rows, grown["feature"][node]] <= grown["threshold"][node]
        one = cheapest(grown["left"][node], rows[low])
        other = cheapest(grown["right"][node], rows[~low])
        both = one[0] + other[0], one[1] + other[1]
        return leaf if leaf[0] <= both[0] + 1e-9 else both

    return cheapest(0, np.arange(len(y)))[1]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_tree_is_grown_on_the_readers_table_and_pruned(open_picture, separator):
    """Nothing leaves the page; the tree is one that impurity grows."""
    rng = np.random.default_rng(9)
    X = rng.integers(0, 30, (160, 3)) / 4
    y = ((X[:, 0] > 3) ^ (rng.random(160) < 0.2)).astype(int)
    picture = open_picture("price-slider", a_slider(rng))
    requests = []
    picture.page.on("request", lambda request: requests.append(request.url))
    grown = grown_on(picture, as_table(X, [f"c{c}" for c in y], separator))
    assert requests == []
    assert grown["leftOut"] == ["word"]
    assert grown["features"] == ["f0", "f1", "f2"]
    assert len(grown["rows"]) == 120
    train = np.array(grown["rows"])
    check_node(grown, 0, X[train], y[train])
    held_out = np.setdiff1d(np.arange(160), train)
    check_prunings(picture, grown, X[held_out], y[held_out])


def check_prunings(picture, grown, X, y):
    """The prunings of a tree at some prices, and its known price."""
    fewest = np.array(grown["fewest"])
    n_leaves = np.arange(1, len(fewest) + 1)
    assert len(fewest) == grown["left"].count(-1)
    for price in (0.3, 1.0, 2.7, 9.0):
        shown = picture.call("(picture, price) => picture.set({price})", price)
        expected = errors_of(grown, X, y, price)
        assert int(picture.page.inner_text("[data-held-out]")) == expected
        best = (fewest + price * n_leaves).min()
        assert shown["cost"] == pytest.approx(best, abs=1e-9)

    n_rows, n_features = len(grown["rows"]), len(grown["features"])
    loose = log(2 * n_features * (2 * n_rows - len(fewest))) + log(2) + 0.9096
    assert grown["known"] == pytest.approx(loose / (0.5 + 13.7 * log(2)), rel=1e-9)


def a_slider(rng):
    """Data of a price slider with one random tree."""
    return {"a tree": pictures.price_slider_data(random_tree(rng, 5), 1.1, [])}


def test_a_readers_table_is_opened_from_a_file_and_its_class_chosen(
    open_picture, tmp_path
):
    picture = open_picture("price-slider", a_slider(np.random.default_rng(10)))
    page = picture.page
    path = tmp_path / "mine.csv"
    rows = [f"{'yes' if x > 4 else 'no'},{x},{x * x % 7}" for x in range(12)]
    path.write_text("\n".join(["bought,age,visits", *rows]), encoding="utf-8")
    page.click(".own > summary")
    page.set_input_files("input[type=file]", path)
    expect(page.locator("select[name=class] option")).to_have_count(3)
    page.select_option("select[name=class]", label="bought")
    page.click("[data-grow]")
    expect(page.locator("button[data-value='your table']")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert picture.call("picture => picture.table().features") == ["age", "visits"]


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "a\n1\n2": "needs a line of names, at least two columns",
        "a,b": "needs a line of names, at least two columns, and a line for each",
        "a,b\n1,x\n2": "Example 2 has 1 cells, not 2",
        "a,b\n1,x\n2,x": 'The class "b" must have at least two different values',
        "a,b\n" + "\n".join(f"{i},{i}" for i in range(30)): "has 30 different values",
        "a,b\nu,x\nv,y": "No other column has a number in each line",
        "a,b\n" + "1,x\n" * 5001: "5001 examples; this page takes up to 5000",
    }.items(),
)
def test_a_table_that_cannot_be_used_is_refused_with_the_reason(
    open_picture, text, said
):
    page = open_picture("price-slider", a_slider(np.random.default_rng(4))).page
    page.click(".own > summary")
    page.locator("textarea[name=table]").evaluate(
        "(field, text) => { field.value = text;"
        " field.dispatchEvent(new Event('input')); }",
        text,
    )
    if page.is_enabled("[data-grow]"):
        page.click("[data-grow]")
    expect(page.locator(".own .message")).to_contain_text(said)
    assert page.locator("button[data-value='your table']").count() == 0


# ---- the noise from above
# ---------------------------------------------------------------------------------


def grown_on_a_line(rng, m, step=3.0):
    """Points on a line, and the whole tree that they grow."""
    x = np.sort(rng.random(m))
    y = step * (x > 0.4) + rng.normal(size=m)
    return x, y, from_sklearn(DecisionTreeRegressor().fit(x[:, np.newaxis], y))


def falling_noise_sets(seed, rules):
    """Trees grown on lines, and the data of the picture for each and a rule."""
    rng = np.random.default_rng(seed)
    trees, data = {}, {}
    for number, rule in enumerate(rules):
        x, y, tree = grown_on_a_line(rng, int(rng.integers(2, 60)))
        name = f"tree {number}"
        trees[name] = tree, rule
        sample = (x, y) if number % 2 else None
        data[name] = pictures.falling_noise_data(tree, 1.0, rule, sample)
    return trees, data


RULES = [CountedRule(factor) for factor in (1.0, 1.0, 0.5, 1.5, 2.0, 4.0)]


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


# ---- can you shatter it?
# ----------------------------------------------------------------------------------

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


# ---- a label that is changed moves one node
# --------------------------------------------------------------------------------------


FLIPPED = {
    "a chain of two nodes": CHAIN,
    "four nodes": tb.TreeStructure.from_nested([[None, [None, None]], [None, None]]),
}


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


# ---- a tree as a telegram
# ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def telegram():
    """The telegram of a tree with three nodes on scikit-learn's breast cancer data, and
    its compression.
    """
    data = load_breast_cancer()
    fitted = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(
        data.data, data.target
    )
    tree = from_sklearn(fitted)
    found = compress_tree(tree, data.data, data.target, 2)
    assert len(found.message.left_sizes) == 3
    shown = pictures.telegram_data(
        tree, data.data, data.target, data.feature_names, data.target_names
    )
    return shown, found.value


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


# ---- test sets from a known truth
# --------------------------------------------------------------------------------------


def cases_of_test_sets(rng):
    """Random truths: risks, sizes of a test set, and numbers of trees."""
    for run in range(RUNS):
        yield {
            "risk": float(rng.uniform(0.01, 0.5)),
            "examples": int(10 ** rng.uniform(1, 3)),
            "trees": int(rng.integers(1, 51)),
            "paid": bool(run % 2),
        }


def test_limits_of_test_sets_are_the_librarys_and_fail_as_often_as_said(open_picture):
    picture = open_picture("test-sets")
    cases = list(cases_of_test_sets(np.random.default_rng(9)))
    shown = picture.call("(picture, cases) => cases.map(picture.set)", cases)
    for case, law in zip(cases, shown, strict=True):
        n, trees = case["examples"], case["trees"]
        level = 0.05 / trees if case["paid"] else 0.05
        limits = [binomial_tail_inversion(k, n, log(level)) for k in range(n + 1)]
        assert law["limits"] == pytest.approx(limits, rel=1e-9), case
        n_false = sum(limit < case["risk"] for limit in limits)
        alone = binom.cdf(n_false - 1, n, case["risk"])
        assert law["share"] == pytest.approx(1 - (1 - alone) ** trees, abs=1e-9), case
        assert law["share"] <= 0.05 or (trees > 1 and not case["paid"])


def test_test_sets_are_draws_from_the_truth(open_picture):
    picture = open_picture("test-sets")
    page = picture.page
    for part in ({"trees": 1}, {"trees": 20}, {"trees": 20, "paid": True}):
        law = picture.call("(picture, part) => picture.set(part)", part)
        for _ in range(49):
            page.click("[data-more='100']")
        errors = picture.call("picture => picture.errors()")
        assert len(errors) == 5000
        n_false = sum(law["limits"][k] < 0.1 for k in errors)
        assert int(page.inner_text("[data-false]")) == n_false
        share = law["share"]
        assert abs(n_false / 5000 - share) < 4 * (share * (1 - share) / 5000) ** 0.5


def test_test_sets_say_what_is_promised_and_keep_the_address(open_picture):
    picture = open_picture("test-sets")
    page = picture.page
    said = page.locator("[data-said]")
    expect(said).to_contain_text("At most 5\u202f% are promised")
    page.fill("input[name=trees]", "20")
    expect(said).to_contain_text("Nothing is promised for the best of 20 trees")
    page.focus("button[data-value=yes]")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("At most 5\u202f% are promised")
    page.focus("[data-more='1']")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("of 101 test sets")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.input_value("input[name=trees]") == "20"
    assert page.get_attribute("button[data-value=yes]", "aria-pressed") == "true"
    assert page.inner_text("[data-last]").startswith("The last one: the best of 20")


# ---- two paths in one random tree
# -------------------------------------------------------------------------


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


# ---- all of them
# --------------------------------------------------------------------------------------


def every_picture(telegram):
    tree = random_tree(np.random.default_rng(8), 40)
    return {
        "calculator": {"exact": {}},
        "falling-noise": falling_noise_sets(14, RULES[:2])[1],
        "flip": pictures.flip_data(FLIPPED),
        "growth": None,
        "price-slider": {"a tree": pictures.price_slider_data(tree, 1.1, [0.5, 2.0])},
        "shatter": pictures.shatter_data(),
        "telegram": telegram[0],
        "test-sets": None,
        "two-paths": None,
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


PARTS = {
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
}
GOOD = {
    "flip": {"tree": "a chain of two nodes", "features": 2, "labels": "01010"},
    "shatter": {"tree": "stump", "features": 2, "points": [[1, 2], [3, 4]]},
    "two-paths": {"x": [0, 1, 0], "y": [0, 1, 1], "h": 2},
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


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_pictures_are_small_fit_a_phone_and_are_accessible(
    open_picture, telegram, name
):
    script = (ASSETS / f"{pictures.PICTURES[name]}.js").read_text(encoding="utf-8")
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
