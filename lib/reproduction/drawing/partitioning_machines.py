"""The figures of the chapter on partitions and shattering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

import treebounds as tb
from reproduction.growth_forms import corrected_loose_growth_bound
from reproduction.plotting import COLORS, draw_structure

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
GREEN = COLORS["green"]
GRAY = COLORS["gray"]
OF_PARTS = [BLUE, ORANGE, GREEN]
CHAIN = tb.TreeStructure.from_nested([[None, None], None])

# The two ends of a line through a whole panel.
WHOLE = (0.2, 5.8)

Points = Sequence[tuple[float, float]]
Partition = frozenset[frozenset[int]]
Line = tuple[int, float, tuple[float, float]]


def one_tree(points: Points) -> None:
    """A chain of two nodes, and the three regions into which it cuts the plane."""
    _, (left, right) = plt.subplots(1, 2, figsize=(6.6, 2.9), width_ratios=[2, 3])
    draw_structure(CHAIN, left)
    left.text(1.45, 0.05, "$x^1 \\leq 2.5$?")
    left.text(0.7, -0.9, "$x^2 \\leq 1.5$?")
    for name, column, level in (("A", 0, -2.3), ("B", 1, -2.3), ("C", 2, -1.3)):
        left.text(column, level, name, ha="center")
    left.set_ylim(-2.5, 0.4)
    left.set_xlim(-0.6, 3.2)

    boxes = {"A": (0, 0, 2.5, 1.5), "B": (0, 1.5, 2.5, 4.5), "C": (2.5, 0, 3.5, 6)}
    for (name, (x, y, w, h)), color in zip(boxes.items(), OF_PARTS, strict=True):
        right.add_patch(Rectangle((x, y), w, h, ec=color, fc=to_rgba(color, 0.18)))
        right.text(x + 0.15, y + h - 0.2, name, color=color, va="top", weight="bold")
    right.plot(*zip(*points, strict=True), "o", color=COLORS["black"])
    right.set(xlim=(0, 6), ylim=(0, 6), xlabel="$x^1$", ylabel="$x^2$")
    right.grid(False)


def structures(trees: Sequence[tb.TreeStructure]) -> None:
    """Some structures, with the numbers of their internal nodes."""
    _, axes = plt.subplots(1, len(trees), figsize=(6.6, 1.5))
    for ax, tree in zip(axes, trees, strict=True):
        draw_structure(tree, ax, scale=0.8)
        ax.set_ylim(-3.5, 0.5)
        plural = "s" * (tree.n_internal_nodes > 1)
        ax.set_title(f"{tree.n_internal_nodes} node{plural}", fontsize=9, loc="center")


def partitions(points: Points, shown: Iterable[Partition]) -> None:
    """Partitions of five points, with the two cuts of those that a chain of two nodes
    realizes.
    """
    _, axes = plt.subplots(3, 9, figsize=(7.2, 2.7))
    for ax in axes.flat:
        ax.set(xlim=(0.2, 5.8), ylim=(0.2, 5.8), xticks=[], yticks=[])
        ax.set_axis_off()
    for ax, partition in zip(axes.flat, shown, strict=False):
        _draw_partition(ax, points, partition)


def _draw_partition(ax: Axes, points: Points, partition: Partition) -> None:
    """A panel with three kinds of marks."""
    ax.set_axis_on()
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set(visible=True, color="#BBBBBB")
    edges = OF_PARTS
    faces = OF_PARTS
    lines = two_cuts(points, partition)
    if lines is None:
        edges = ["#999999"] * 3
        faces = ["white"] * 3
    else:
        for line in lines:
            _draw_cut(ax, line)

    parts = sorted(partition, key=min)
    for part, mark, edge, face in zip(parts, "os^", edges, faces, strict=True):
        places = np.array([points[i] for i in part]).T
        ax.plot(*places, mark, ms=5.5, mec=edge, mfc=face)


def _draw_cut(ax: Axes, line: Line) -> None:
    """One of the lines of :func:`two_cuts`."""
    axis, place, ends = line
    if axis == 0:
        ax.plot([place, place], ends, color=GRAY, lw=0.8)
    else:
        ax.plot(ends, [place, place], color=GRAY, lw=0.8)


def two_cuts(points: Points, partition: Partition) -> list[Line] | None:
    """The cut of a root and the cut below it that make a partition of five points into
    three parts, or None.

    A line is an axis, a place on it, and the two ends along the other axis.
    """
    everything = frozenset(range(5))
    places = np.arange(1.5, 5)
    for i, a, s in product((0, 1), places, (-1, 1)):
        inside = frozenset(x for x, p in enumerate(points) if s * (p[i] - a) < 0)
        for j, b in product((0, 1), places):
            low = frozenset(x for x in inside if points[x][j] < b)
            if {inside - low, low, everything - inside} == partition:
                return [(i, a, WHOLE), (j, b, _ends(i, j, a, s))]
    return None


def _ends(i: int, j: int, a: float, s: int) -> tuple[float, float]:
    """The ends of a cut of feature j on one side of the cut of feature i at a."""
    if i == j:
        return WHOLE
    if s == 1:
        return (WHOLE[0], a)
    return (a, WHOLE[1])


def strict_case(numbers: Sequence[Sequence[int]]) -> None:
    """For all samples the partitions into two and into three parts, beside the two
    maxima; numbers are those of partitions into one, two and three parts.
    """
    pairs, sizes = np.unique(
        [sample[1:] for sample in numbers], axis=0, return_counts=True
    )
    most = pairs.max(axis=0)
    _, ax = plt.subplots(figsize=(6.2, 3.3))
    ax.scatter(pairs[:, 0], pairs[:, 1], s=8 * sizes, color=BLUE, alpha=0.75, lw=0)
    ax.plot(*most, "X", ms=10, color=ORANGE)
    ax.annotate(
        "the two maxima",
        most,
        (0, 9),
        ha="right",
        textcoords="offset points",
        color=ORANGE,
    )
    ax.set_xlabel("realizable partitions into two parts")
    ax.set_ylabel("into three parts")
    plt.show()


def profile(counted: Mapping[int, int]) -> None:
    """The partitions into two parts by the chain of two nodes on two features, by the
    number of examples, between their bounds.
    """
    more = range(2, 41)
    _, ax = plt.subplots(figsize=(6.8, 3.7))
    everything = [2.0 ** (m - 1) - 1 for m in more]
    ax.plot(more, everything, "--", color=GRAY, lw=1.2, label="all partitions")
    for form, color, name in (
        ("corrected", ORANGE, "loose form, corrected"),
        ("tight", "#222222", "Theorem 9, capped"),
        ("sharp", GREEN, "sharp"),
        ("low", BLUE, "lower bound"),
    ):
        bounds = [_two_parts(form, m) for m in more]
        ax.plot(more, bounds, label=name, color=color, lw=1.4)
    ax.plot(
        list(counted.keys()),
        list(counted.values()),
        "o",
        color=BLUE,
        label="true largest number",
    )
    ax.set(
        yscale="log",
        xlabel="examples m",
        ylim=(0.8, 8000),
        ylabel="partitions into two parts",
    )
    ax.legend(fontsize=8.5, loc="lower right")
    plt.show()


def _two_parts(form: str, m: int) -> float:
    """Partitions into two parts, from a bound on labelings."""
    if form == "low":
        bound = tb.growth_function_lower_bound(CHAIN, m, 2)
    elif form == "corrected":
        bound = corrected_loose_growth_bound(CHAIN, m, 2)
    else:
        bound = tb.growth_function_bound(CHAIN, m, 2, form=form)
    return (min(bound, 2**m) - 2) / 2
