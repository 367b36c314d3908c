"""The figures of the chapter on the VC dimension of a decision tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import HTML
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

import treebounds as tb
from reproduction import pictures
from reproduction.plotting import COLORS
from treebounds.capacity import realizing_tree
from treebounds.structure import TreeStructure
from treebounds.trees import ArrayTree

LABELS = (COLORS["blue"], COLORS["orange"])
CHAIN = TreeStructure.from_nested([[None, None], None])
Bound = Callable[[TreeStructure, int], float]


def sample_below_tree(alt: str) -> HTML:
    """The picture in which labels are changed, and one threshold follows.

    Its still shows a tree with four internal nodes, its leaves in order, and a group
    below each.
    """
    figure, ax = plt.subplots(figsize=(7.2, 3.2))
    leaves: list[int] = []
    _draw_ordered(ax, ((None, (None, None)), (None, None)), 0, 3, leaves)

    for j in leaves:
        ax.plot(j, 0, "s", ms=20, color=LABELS[j % 2], zorder=2)
        ax.text(j, 0, str(j % 2), ha="center", va="center", color="white")
        ax.text(j, -0.42, f"leaf {j}", ha="center", fontsize=8.5, va="top")
    for j in leaves[1:]:
        places = j - 0.5 + 0.13 * np.arange(-1, 2)
        ax.plot(places, [-1.15] * 3, "o", ms=6, color="#222222", zorder=2)
        ax.text(j - 0.5, -1.4, f"group {j}", ha="center", va="top")
    ax.plot(-0.3, -1.15, "o", ms=6, color="#222222", zorder=2)
    ax.text(-0.3, -1.4, "one more", ha="center", va="top")

    arrow = {"arrowstyle": "->", "color": COLORS["gray"]}
    ax.annotate("", (4.3, -1.15), (-0.7, -1.15), arrowprops=arrow)
    ax.text(4.35, -1.15, "along every\nfeature", va="center", fontsize=8.5)
    ax.set(xlim=(-0.8, 5.1), ylim=(-1.85, 3.4))
    ax.set_axis_off()

    four = TreeStructure.from_nested([[None, [None, None]], [None, None]])
    data = pictures.flip_data({"a chain of two nodes": CHAIN, "four nodes": four})
    return pictures.show("flip", data, still=figure, alt=alt)


def _draw_ordered(
    ax: Axes, tree: Any, first: int, height: int, leaves: list[int]
) -> tuple[float, float]:
    """Draw a tree as nested pairs, its first leaf at x = first; return its root."""
    if tree is None:
        leaves.append(first)
        return first, 0
    size = str(tree[0]).count("None")
    x = first + size - 0.5
    for child, start in zip(tree, (first, first + size), strict=True):
        end = _draw_ordered(ax, child, start, height - 1, leaves)
        ax.plot(*zip((x, height), end, strict=True), color=COLORS["gray"], zorder=1)
    ax.plot([x, x], [height, -0.95], ":", color=COLORS["gray"], lw=1, zorder=0)
    ax.plot(x, height, "o", ms=21, color="white", mec="#222222", zorder=2)
    ax.text(x, height, f"$t_{first + size}$", ha="center", va="center")
    return x, height


def _draw_regions(
    ax: Axes, tree: ArrayTree, box: Sequence[Sequence[float]], node: int = 0
) -> None:
    """The regions of the leaves, colored by label."""
    if tree.children_left[node] < 0:
        (x, x_end), (y, y_end) = box
        region = plt.Rectangle(
            (x, y),
            x_end - x,
            y_end - y,
            lw=0,
            alpha=0.25,
            fc=LABELS[tree.class_counts[node].argmax()],
        )
        ax.add_patch(region)
        return
    low, high = ([list(side) for side in box] for _ in range(2))
    low[tree.feature[node]][1] = tree.threshold[node]
    high[tree.feature[node]][0] = tree.threshold[node]
    _draw_regions(ax, tree, low, tree.children_left[node])
    _draw_regions(ax, tree, high, tree.children_right[node])


def _draw_labeled(
    ax: Axes, points: ArrayLike, labels: Sequence[int], size: float
) -> None:
    """Labeled points of the plane, and the regions of a chain that realizes them."""
    sample = np.asarray(points)
    _draw_regions(ax, realizing_tree(CHAIN, sample, labels), [[-0.5, 4.5]] * 2)
    for label, marker in enumerate("os"):
        members = sample[np.equal(labels, label)].T
        ax.plot(*members, marker, ms=size, color=LABELS[label])
    frame = (-0.5, 4.5)
    ax.set(xlim=frame, ylim=frame, aspect="equal", xticks=[], yticks=[])


def tree_by_hand(points: Mapping[str, tuple[int, int]]) -> None:
    """The tree that was found by hand, and the cuts that it makes."""
    _, (left, right) = plt.subplots(1, 2, figsize=(6.6, 2.9), width_ratios=[1.2, 1])
    for x, y, x_end, y_end in (
        (1.5, 2, 0.5, 1),
        (1.5, 2, 2, 0),
        (0.5, 1, 0, 0),
        (0.5, 1, 1, 0),
    ):
        left.plot([x, x_end], [y, y_end], color=COLORS["gray"], zorder=1)
    box = {"boxstyle": "round", "fc": "white", "ec": "#222222"}
    left.text(1.5, 2, "feature 1 ≤ 3.5", ha="center", va="center", bbox=box)
    left.text(0.5, 1, "feature 2 ≤ 1.5", ha="center", va="center", bbox=box)
    for x, label, examples in ((0, 0, "o, b"), (1, 1, "a, c"), (2, 0, "d")):
        left.plot(x, 0, "s", ms=19, color=LABELS[label])
        left.text(x, 0, str(label), ha="center", va="center", color="white")
        left.text(x, -0.35, examples, ha="center", va="top", style="italic")
    left.set(xlim=(-0.6, 2.6), ylim=(-0.75, 2.4))
    left.set_axis_off()

    _draw_labeled(right, list(points.values()), [0, 1, 0, 1, 0], 9)
    for name, (x, y) in points.items():
        right.text(x + 0.2, y + 0.15, name, style="italic")
    right.set(xlabel="feature 1", ylabel="feature 2")


def all_labelings(points: Mapping[str, tuple[int, int]]) -> None:
    """All labelings of five points whose first label is 0, each with its regions."""
    _, axes = plt.subplots(2, 8, figsize=(7.4, 2.1))
    for ax, other_labels in zip(axes.flat, product((0, 1), repeat=4), strict=True):
        _draw_labeled(ax, list(points.values()), [0, *other_labels], 4)


def exact_values(
    exact: Mapping[tuple[TreeStructure, int], int],
    names: Mapping[TreeStructure, str],
    lower: Bound,
    upper: Bound,
) -> None:
    """Exact VC dimensions between two bounds, with the library's bounds as ticks."""
    cases = sorted(exact, key=lambda case: (case[1], exact[case]))[::-1]
    _, ax = plt.subplots(figsize=(7.2, 0.24 * len(cases) + 0.7))
    for y, case in enumerate(cases):
        ends = [lower(*case), upper(*case)]
        ax.plot(ends, [y, y], "|-", ms=9, color="#AAAAAA")
        better = {
            "orange": tb.vc_dimension_lower_bound(*case),
            "green": tb.vc_dimension_upper_bound(*case),
        }
        for color, value in better.items():
            ax.plot(value, y, "|", ms=11, mew=2.5, color=COLORS[color])
        ax.plot(exact[case], y, "o", color=COLORS["blue"])
    rows = [f"{names[T]}, {l} feature{'s' * (l > 1)}" for T, l in cases]
    ax.set_yticks(range(len(cases)), rows)
    ax.set(xlabel="VC dimension", xticks=range(0, 26, 5))
