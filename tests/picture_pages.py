"""Interactive pictures on pages of their own, each with its script, style and data."""

from importlib.resources import files
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treebounds as tb
from builders import CHAIN
from reproduction import pictures
from treebounds.formats import from_sklearn
from treebounds.pruning.counted_price import CountedRule

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
ASSETS = Path(__file__).resolve().parents[1] / "book" / "_assets" / "pictures"
RUNS = 200  # random inputs for each picture
DESK, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 800}


def page_of(name, data):
    """A page with one picture, its script and the shared one inside."""
    scripts = [f"{script}.js" for script in ("common", *pictures.PICTURES[name])]
    files = ("pictures.css", *scripts)
    style, *texts = ((ASSETS / file).read_text(encoding="utf-8") for file in files)
    code = "".join(f"<script>{text}</script>" for text in texts)
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<title>Picture</title><meta name="viewport"'
        f' content="width=device-width"><style>{style}</style>'
        '</head><body style="background:#fff;margin:16px"><main'
        ' style="max-width:800px">'
        f"{pictures.show(name, data).data}</main>{code}</body></html>"
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


def random_tree(rng, n_leaves):
    """A tree that was fitted to random classes."""
    X, y = rng.random((200, 2)), rng.integers(0, 3, 200)
    fitted = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(X, y)
    return from_sklearn(fitted)


def grown_on_a_line(rng, m, step=3.0):
    """Points on a line, and the whole tree that they grow."""
    x = np.sort(rng.random(m))
    y = step * (x > 0.4) + rng.normal(size=m)
    return x, y, from_sklearn(DecisionTreeRegressor().fit(x[:, np.newaxis], y))


def falling_noise_sets(seed, rules):
    """Trees grown on lines, and the data of the picture for each and a rule."""
    rng = np.random.default_rng(seed)
    trees = {}
    data = {}
    for number, rule in enumerate(rules):
        x, y, tree = grown_on_a_line(rng, int(rng.integers(2, 60)))
        name = f"tree {number}"
        trees[name] = tree, rule
        sample = None
        if number % 2:
            sample = (x, y)
        data[name] = pictures.falling_noise_data(tree, 1.0, rule, sample)
    return trees, data


RULES = [CountedRule(factor) for factor in (1.0, 1.0, 0.5, 1.5, 2.0, 4.0)]
FLIPPED = {
    "a chain of two nodes": CHAIN,
    "four nodes": tb.TreeStructure.from_nested([[None, [None, None]], [None, None]]),
}
