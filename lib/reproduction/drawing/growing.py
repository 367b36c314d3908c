"""The figures of the chapter on how a tree grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import HTML
from matplotlib.axes import Axes
from numpy.typing import NDArray

from reproduction import pictures
from reproduction.exact import fewest_leaves
from reproduction.experiments import george2023
from reproduction.plotting import COLORS

OF_CLASSES = [COLORS[color] for color in ("blue", "orange", "green")]
PURPLE = "#A04576"
INF = float("inf")

Tree = Any  # A nested tuple (feature, threshold, no, yes), or what a leaf predicts.
Corner = tuple[float, ...]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def growing_tree(alt: str) -> HTML:
    """The picture in which the reader grows a tree; its still shows the examples."""
    data = growing_data()
    figure, axes = plt.subplots(1, len(data), figsize=(6.6, 3.5))
    for ax, (name, table) in zip(axes, data.items(), strict=True):
        points = np.array(table["points"])
        _draw_examples(ax, points[:, :2], points[:, 2], "os", 6)
        ax.set(title=name, xlim=(0, 100), ylim=(0, 100), aspect="equal")
    return pictures.show("grow", data, still=figure, alt=alt)


def growing_data() -> dict[str, dict[str, Any]]:
    """Two tables of sixteen examples with two features and two classes, and the number
    of leaves of the smallest trees without errors.
    """
    # With this seed the largest gain grows more than twice as many leaves on the four
    # clouds as are needed, and no more than needed on the two groups.
    rng = np.random.default_rng(2977)
    # Whole numbers, all different, so each of them is told from its neighbors.
    X = np.column_stack([5 + 6 * rng.permutation(16) for _ in range(2)])
    right, up = (X > 50).T
    labels = {"two groups": X @ [1, 1] > 100, "four clouds": right ^ up}
    labels["two groups"][:2] ^= True
    return {
        name: {
            "points": np.column_stack([X, y]).tolist(),
            "fewest": fewest_leaves(X, y),
        }
        for name, y in labels.items()
    }


def costs() -> None:
    """Three costs of a node with two classes, and what a split gains."""
    x = np.linspace(1e-9, 1 - 1e-9, 400)
    entropy = -(x * np.log(x) + (1 - x) * np.log(1 - x)) / np.log(4)
    curves = {
        "entropy / ln 4": entropy,
        "Gini index": 2 * x * (1 - x),
        "error": np.minimum(x, 1 - x),
    }
    _, ax = plt.subplots(figsize=(6.2, 3.6))
    for (name, y), color in zip(
        curves.items(), ("blue", "green", "orange"), strict=True
    ):
        ax.plot(x, y, color=COLORS[color], label=name)
    ends = np.array([0.04, 0.46])
    for name in ("entropy / ln 4", "error"):
        at = np.interp(ends, x, curves[name])
        ax.plot(ends, at, "o--", color=COLORS["black"], markersize=5, linewidth=1.2)

    top = np.interp(0.2, x, entropy)
    chord = np.interp(0.2, ends, np.interp(ends, x, entropy))
    ax.plot([0.2, 0.2], [chord, top], color=PURPLE, linewidth=4)
    ax.annotate(
        "gain",
        (0.2, 0.31),
        (0.05, 0.44),
        color=PURPLE,
        arrowprops={"arrowstyle": "-", "color": PURPLE},
    )
    ax.set(
        xlabel="fraction of positives in the node",
        ylabel="cost",
        xlim=(0, 1),
        ylim=(0, 0.56),
    )
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 0.02))
    plt.show()


def gains(
    x: Floats,
    species: Ints,
    names: Sequence[str],
    cuts: Floats,
    gained: Sequence[float],
) -> None:
    """Flowers by the length of their petals, and the gain of every test of it."""
    _, (strip, ax) = plt.subplots(
        2, 1, figsize=(6.8, 4.2), sharex=True, height_ratios=[1, 2.4]
    )
    rng = np.random.default_rng(0)
    for k in range(3):
        here = x[species == k]
        heights = k + rng.uniform(-0.25, 0.25, len(here))
        strip.plot(here, heights, "o", color=OF_CLASSES[k], markersize=4, alpha=0.8)
    strip.set(yticks=range(3), yticklabels=names)
    strip.grid(False)

    steps = np.unique(x)
    ax.stairs(gained, steps, fill=True, color="#B9D9EC")
    ax.stairs(gained, steps, color=COLORS["blue"], linewidth=1.5, baseline=None)
    best = int(np.argmax(gained))
    for panel in (strip, ax):
        panel.axvline(cuts[best], color=COLORS["black"], linestyle="--", linewidth=1.2)
    ax.set(xlabel="petal length (cm)", ylabel="gain (nats)", ylim=(0, None))
    plt.show()


def irises(tree: Tree, flowers: Floats, species: Ints, names: Sequence[str]) -> None:
    """A tree above, and below it its boxes with the flowers."""
    leaves = _boxes(tree)
    tint = dict(zip(names, george2023.FILLS, strict=False))
    fills = [tint[name] for _, _, name in leaves]

    _, (top, below) = plt.subplots(2, 1, figsize=(6.2, 6.6), height_ratios=[1, 1.25])
    george2023.draw_tree(tree, top, ("length", "width"), fills)
    george2023.draw_regions(
        leaves,
        below,
        (0.7, 7.1, 0, 2.65),
        fills,
        ("petal length (cm)", "petal width (cm)"),
        False,
    )
    _draw_examples(below, flowers, species, "os^", 5)
    plt.show()


def two_trees(X: Floats, y: Ints, trees: Mapping[str, Tree]) -> None:
    """The boxes of some trees, by title, on the same examples of two classes."""
    _, axes = plt.subplots(1, len(trees), figsize=(6.6, 3.5))
    for ax, (title, tree) in zip(axes, trees.items(), strict=True):
        leaves = _boxes(tree)
        fills = [george2023.FILLS[label] for _, _, label in leaves]
        george2023.draw_regions(
            leaves, ax, (-1.25, 1.25, -1.25, 1.25), fills, labels=False
        )
        _draw_examples(ax, X, y, "os", 5.5)
        ax.set_title(title)
        ax.set_aspect("equal")
    plt.show()


def _draw_examples(ax: Axes, X: Floats, y: Ints, markers: str, size: float) -> None:
    """A dot for each example; each class has its color and its shape."""
    for k, marker in enumerate(markers):
        ax.plot(
            *X[y == k].T,
            marker,
            color=OF_CLASSES[k],
            markersize=size,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )


def _boxes(
    tree: Tree, lower: Corner = (-INF, -INF), upper: Corner = (INF, INF)
) -> list[tuple[Corner, Corner, Any]]:
    """The box of each leaf, from left to right, with its prediction."""
    if not isinstance(tree, tuple):
        return [(lower, upper, tree)]
    j, t, no, yes = tree
    below = (*upper[:j], t, *upper[j + 1 :])
    above = (*lower[:j], t, *lower[j + 1 :])
    return _boxes(no, lower, below) + _boxes(yes, above, upper)
