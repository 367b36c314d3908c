"""The figures of the chapter on stumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.plotting import COLORS
from treebounds.capacity import (
    one_sided_stump_vc_dimension,
    stump_partitioning_function,
    stump_vc_dimension,
)

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
GRAY = COLORS["gray"]


def four_points() -> Figure:
    """Four points in a plane and a cut between two and two of them."""
    figure, ax = plt.subplots(figsize=(3.4, 3.2))
    x, y = np.array([[20, 22], [40, 41], [62, 58], [82, 80]]).T
    ax.scatter(x, y, 90, c=["white", "white", BLUE, BLUE], edgecolor=GRAY)
    ax.axhline(50, color=ORANGE)
    ax.set(xlabel="feature 1", ylabel="feature 2", xlim=(0, 100), ylim=(0, 100))
    return figure


def cuts(orders: Mapping[str, Sequence[int]]) -> None:
    """For each of some features, by name, its order of five examples and their four
    cuts.
    """
    _, axes = plt.subplots(1, len(orders), figsize=(7.2, 1.75), sharey=True)
    for ax, (name, order) in zip(axes, orders.items(), strict=True):
        for k in range(1, 5):
            _one_cut(ax, order, k)
        ax.set(xlim=(-0.6, 4.6), ylim=(-0.6, 3.6))
        ax.set_title(f"{name} feature", fontsize=9.5)
        ax.set_axis_off()
    plt.show()


def _one_cut(ax: Axes, order: Sequence[int], k: int) -> None:
    """A row of circles; those on the smaller side of the cut are filled."""
    y = 4 - k
    smaller_side = range(k)
    if k >= 3:
        smaller_side = range(k, len(order))

    text: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8}
    for place, example in enumerate(order):
        fill = "white"
        color = BLUE
        if place in smaller_side:
            fill = BLUE
            color = "white"
        ax.plot(place, y, "o", ms=14, mec=BLUE, mfc=fill)
        ax.text(place, y, str(example), color=color, **text)
    ax.plot([k - 0.5] * 2, [y - 0.42, y + 0.42], color=ORANGE, lw=2)


def trivial_bound() -> None:
    """The trivial bound and Theorem 7 for twelve examples."""
    features = np.unique(np.geomspace(1, 3000, 200).astype(int))
    bound = [stump_partitioning_function(12, int(n)) for n in features]
    _, ax = plt.subplots(figsize=(6.4, 3.5))
    ax.loglog(features, features * 11, color=ORANGE)
    ax.loglog(features, bound, color=BLUE)
    for border in (6, comb(12, 6) / 2):
        ax.axvline(border, color=GRAY, ls=":", lw=1)
    ax.text(420, 12000, r"$\ell\,(m-1)$", color=ORANGE, ha="right")
    ax.text(1000, 1050, "Theorem 7", color=BLUE)
    ax.set_xlabel(r"number of features $\ell$")
    ax.set_ylabel("partitions into two parts")
    plt.show()


def zigzags(orders: Sequence[Sequence[int]]) -> None:
    """Eight examples on a circle, visited by some features, with three examples cut off
    at either end.
    """
    _, axes = plt.subplots(1, len(orders), figsize=(7.2, 2))
    angles = np.pi / 2 - 2 * np.pi * np.arange(8) / 8
    x = np.cos(angles)
    y = np.sin(angles)
    for ax, order in zip(axes, orders, strict=True):
        p = list(order)
        ax.plot(x[p], y[p], color=GRAY, lw=0.8, zorder=1)
        colors = dict.fromkeys(p[:3], BLUE) | dict.fromkeys(p[-3:], ORANGE)
        for e in range(8):
            face = colors.get(e, "white")
            edge = colors.get(e, GRAY)
            ax.scatter(x[e], y[e], s=75, fc=face, ec=edge, zorder=2)
            ax.text(
                1.32 * x[e], 1.32 * y[e], str(e), ha="center", va="center", fontsize=8
            )
        ax.set(xlim=(-1.55, 1.55), ylim=(-1.55, 1.55), aspect="equal")
        ax.set_axis_off()


def vc_dimensions() -> None:
    """The VC dimensions of stumps and of axis-parallel cuts."""
    features = np.unique(np.geomspace(1, 20000, 400).astype(int)).tolist()
    cut_vc = [one_sided_stump_vc_dimension(n) for n in features]
    stump_vc = [stump_vc_dimension(n) for n in features]

    _, ax = plt.subplots(figsize=(6.4, 3.2))
    ax.step(features, stump_vc, where="post", color=BLUE)
    ax.step(features, cut_vc, where="post", color=ORANGE)
    ax.text(40, 10.6, "stumps", color=BLUE, ha="right")
    ax.text(600, 8.6, "axis-parallel cuts", color=ORANGE)
    ax.set_xscale("log")
    ax.set_xlabel(r"number of features $\ell$")
    ax.set_ylabel("VC dimension")
    plt.show()
