"""A tree that is grown on the reader's own table, or that the reader has."""

import json
from math import log

import numpy as np
import pytest
from playwright.sync_api import expect

from picture_pages import random_tree
from reproduction import pictures
from treebounds.formats import to_json

pytestmark = pytest.mark.book


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
    expect(page.locator("button[data-value='your own']")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert picture.call("picture => picture.table().features") == ["age", "visits"]


def paste(page, text):
    page.click(".own > summary")
    page.locator("textarea[name=table]").evaluate(
        "(field, text) => { field.value = text;"
        " field.dispatchEvent(new Event('input')); }",
        text,
    )


def shuffled(document, rng):
    """The same tree with ids, its nodes in another order and counts at leaves alone."""
    nodes = []
    for number, node in enumerate(document["nodes"]):
        entries = {"id": f"n{number}", **node}
        if "left" in node:
            del entries["class_counts"]
            entries |= {side: f"n{node[side]}" for side in ("left", "right")}
        nodes.append(entries)
    return {**document, "nodes": [nodes[i] for i in rng.permutation(len(nodes))]}


def test_a_tree_that_the_library_wrote_is_pruned_as_the_library_does(open_picture):
    rng = np.random.default_rng(12)
    tree = random_tree(rng, 30)
    document = json.loads(to_json(tree))
    expected = pictures.price_slider_data(tree, 1.0, [])
    picture = open_picture("price-slider", a_slider(rng))
    for written in (document, shuffled(document, rng)):
        picture.page.reload()
        paste(picture.page, json.dumps(written))
        assert not picture.page.is_visible("select[name=class]")
        picture.page.focus("[data-grow]")
        picture.page.keyboard.press("Enter")
        told = picture.page.locator("[data-told]")
        expect(told).to_have_text(
            "A tree with 30 leaves, grown on 200 examples with 2 features."
        )
        shown = picture.call("picture => picture.table()")
        assert shown["fewest"] == expected["fewest"].tolist()
        assert sorted(shown["errors"]) == sorted(tree.leaf_errors.tolist())
        for price in (0.5, 2.0):
            cost = picture.call("(picture, price) => picture.set({price}).cost", price)
            best = (expected["fewest"] + price * np.arange(1, 31)).min()
            assert cost == pytest.approx(best, abs=1e-9)


LEAF = {"class_counts": [3, 1]}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{a", "The text begins like JSON, and is not"),
        ({"nodes": []}, "A tree needs nodes and n_features"),
        ({"nodes": [LEAF]}, "A tree needs nodes and n_features"),
        (
            {"n_features": 1, "nodes": [{"left": 1, "right": 1}, LEAF]},
            "The tree has no node 1, or two nodes lead to it",
        ),
        (
            {"n_features": 1, "nodes": [{"categories": [0], "left": 1, "right": 2}]},
            "This page takes trees with thresholds",
        ),
        (
            {"n_features": 1, "nodes": [{"target_sums": [1, 2, 3]}]},
            "class_counts are whole numbers",
        ),
        (
            {"n_features": 1, "nodes": [{"class_counts": [0.5, 1]}]},
            "class_counts are whole numbers",
        ),
    ],
)
def test_a_tree_that_cannot_be_used_is_refused_with_the_reason(
    open_picture, document, said
):
    page = open_picture("price-slider", a_slider(np.random.default_rng(4))).page
    paste(page, document if isinstance(document, str) else json.dumps(document))
    if page.is_enabled("[data-grow]"):
        page.click("[data-grow]")
    expect(page.locator(".own .message")).to_contain_text(said)
    assert page.locator("button[data-value='your own']").count() == 0


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "a\n1\n2": "needs a line of names, at least two columns",
        "a,b": "needs a line of names, at least two columns, and a line for each",
        "a,b\n1,x\n2": "Example 2 has 1 cell, not 2",
        "a,b\n1,x\n2,x": 'The class "b" must have at least two different values',
        "a,b\n" + "\n".join(f"{i},{i}" for i in range(30)): "has 30 different values",
        "a,b\nu,x\nv,y": "No other column has a number in each line",
        "a,b\n" + "1,x\n" * 5001: "5001 examples; this page takes up to 5000",
        "a,b\n" + "1,x\n" * 150_000: "150000 examples; this page takes up to 5000",
    }.items(),
)
def test_a_table_that_cannot_be_used_is_refused_with_the_reason(
    open_picture, text, said
):
    page = open_picture("price-slider", a_slider(np.random.default_rng(4))).page
    paste(page, text)
    if page.is_enabled("[data-grow]"):
        page.click("[data-grow]")
    expect(page.locator(".own .message")).to_contain_text(said)
    assert page.locator("button[data-value='your own']").count() == 0


def told_of(open_picture, text):
    """What the page says about a table that it takes, and what it computed."""
    picture = open_picture("price-slider", a_slider(np.random.default_rng(4)))
    shown = grown_on(picture, text)
    return picture.page.inner_text("[data-told]"), shown


@pytest.mark.parametrize(
    "text",
    [
        "a\tclass\n1,5\tx\n2,25\ty\n10,5\tx\n11,75\ty\n",  # as a spreadsheet copies it
        'a,class\n"1,5",x\n"2,25",y\n"10,5",x\n"11,75",y\n',
        "a;class\n1,5;x\n2,25;y\n10,5;x\n11,75;y\n",
        "a;class\n1.5;x\n2.25;y\n10.5;x\n11.75;y\n",
        "a;class\n1,500;x\n2,250;y\n10,500;x\n11,750;y\n",
    ],
)
def test_a_comma_is_a_decimal_mark_where_the_table_shows_it(open_picture, text):
    _, shown = told_of(open_picture, text)
    cuts = {
        t
        for t, left in zip(shown["threshold"], shown["left"], strict=True)
        if left >= 0
    }
    values = [1.5, 2.25, 10.5, 11.75]
    between = {(a + b) / 2 for a in values for b in values if a < b}
    assert cuts
    assert cuts <= between


@pytest.mark.parametrize(
    "text",
    [
        "b;a;class\n2,5;1.234;x\n3,5;999;y\n4,5;2.500;x\n0,5;10;y\n",
        "b;a;class\n2.5;1,234;x\n3.5;999;y\n4.5;2,500;x\n0.5;10;y\n",
        "b\ta\tclass\n2.5\t1,234\tx\n3.5\t999\ty\n4.5\t2,500\tx\n0.5\t10\ty\n",
    ],
)
def test_a_mark_between_thousands_is_not_read_as_a_decimal_mark(open_picture, text):
    """1.234 would come before 999, so such a column is left out, and named."""
    told, shown = told_of(open_picture, text)
    assert shown["features"] == ["b"]
    assert told.endswith("Left out, for not every line has a number there: a.")


def test_lines_without_a_class_and_columns_with_gaps_are_named(open_picture):
    rows = ["1,2,x", ",3,y", "4,5,", "6,7,y", "8,1,x", "3,3,"]
    told, shown = told_of(open_picture, "\n".join(["a,b,class", *rows]))
    assert shown["leftOut"] == ["a"]
    assert told == (
        "Grown on 3 examples with 1 feature: 2 leaves. 1 example is held out. 2 lines"
        " have no class, and are left out. Left out, for not every line has a number"
        " there: a."
    )


def test_an_empty_last_column_is_not_taken_for_the_class(open_picture):
    _, shown = told_of(open_picture, "a,class,,\n1,x,,\n2,y,,\n3,x,,\n")
    assert shown["features"] == ["a"]
    assert shown["leftOut"] == []


def test_a_table_without_names_is_refused(open_picture):
    """Its first example would be lost."""
    page = open_picture("price-slider", a_slider(np.random.default_rng(4))).page
    paste(page, "5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n")
    page.click("[data-grow]")
    expect(page.locator(".own .message")).to_have_text(
        "The first line must have the names of the columns; it has numbers."
    )
