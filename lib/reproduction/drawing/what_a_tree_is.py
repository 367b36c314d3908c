"""The figures of the chapter on what a tree is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.datasets import load_iris

from reproduction.experiments import george2023
from reproduction.plotting import COLORS

OF_SPECIES = [COLORS[color] for color in ("blue", "orange", "green")]

Tree = Any  # A nested tuple, or what a leaf predicts.
Box = tuple[Sequence[float], Sequence[float], Any]


# The two tests of the first figure: "no" on the left, "yes" on the right.
LENGTH = 2.45
WIDTH = 1.75
IRIS_TREE = (0, LENGTH, "setosa", (1, WIDTH, "versicolor", "virginica"))
IRIS_BOXES = [
    ((-inf, -inf), (LENGTH, inf), "setosa"),
    ((LENGTH, -inf), (inf, WIDTH), "versicolor"),
    ((LENGTH, WIDTH), (inf, inf), "virginica"),
]


def iris() -> None:
    """A tree for the petals of the irises, and its boxes with the flowers."""
    data = load_iris()
    _, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.6), width_ratios=[1, 1.15])
    george2023.draw_tree(IRIS_TREE, left, ("petal length", "petal width"))
    george2023.draw_regions(
        IRIS_BOXES,
        right,
        (0.7, 7.1, 0, 2.65),
        names=("petal length (cm)", "petal width (cm)"),
        labels=False,
    )
    rng = np.random.default_rng(0)
    for k, marker in enumerate("os^"):
        flowers = data.data[data.target == k, 2:]
        x, y = (flowers + rng.normal(0, 0.015, (50, 2))).T
        right.plot(
            x,
            y,
            marker,
            color=OF_SPECIES[k],
            markersize=5,
            alpha=0.85,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    for x, y, k in ((1.3, 1.0, 0), (3.3, 0.55, 1), (3.8, 2.4, 2)):
        right.text(x, y, data.target_names[k], color=OF_SPECIES[k], weight="bold")
    plt.show()


def quadrants(tree: Tree, boxes: Sequence[Box]) -> None:
    """A tree whose regions are the quadrants of the plane."""
    _, (left, right) = plt.subplots(1, 2, figsize=(7, 3), width_ratios=[1.45, 1])
    george2023.draw_tree(tree, left)
    george2023.draw_regions(boxes, right, (-1, 1, -1, 1))
    right.set(aspect="equal", xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    plt.show()


def pinwheel(boxes: Sequence[Box]) -> None:
    """Five boxes in a square, and the lines along their borders."""
    _, ax = plt.subplots(figsize=(3.3, 3.1))
    george2023.draw_regions(boxes, ax, (0, 3, 0, 3), labels=False)
    for t in (1, 2):
        ax.axvline(t, color="#555555", linestyle="--", linewidth=1)
        ax.axhline(t, color="#555555", linestyle="--", linewidth=1)
    ax.set(xticks=range(4), yticks=range(4), aspect="equal")
    plt.show()


def four_leaves(
    examples: Sequence[tuple[Tree, Sequence[int], Mapping[str, float], Sequence[Box]]],
) -> None:
    """Four trees, each with the features of its tests a, b and c, the thresholds by
    name, and its boxes.
    """
    _, axes = plt.subplots(4, 2, figsize=(6, 8.4), height_ratios=[1.2, 1, 1.6, 1])
    pairs = (axes[:2, 0], axes[:2, 1], axes[2:, 0], axes[2:, 1])
    for (tree, features, values, boxes), (top, below) in zip(
        examples, pairs, strict=True
    ):
        george2023.draw_tree(tree, top, labels=False)
        george2023.draw_regions(boxes, below, (-1, 1, -1, 1))
        below.set(xticks=[], yticks=[], aspect="equal")
        for feature, name in zip(features, "abc", strict=True):
            _name_line(below, feature, name, values[name])
    plt.show()


def _name_line(ax: Axes, feature: int, name: str, value: float) -> None:
    """The name of a threshold at the end of its line."""
    if feature == 0:
        ax.text(value, 1.04, f"${name}$", ha="center", va="bottom")
    else:
        ax.text(1.04, value, f"${name}$", ha="left", va="center")
