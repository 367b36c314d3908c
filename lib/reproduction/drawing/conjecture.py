"""The figures of the chapter on the conjecture about stumps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import HTML
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from reproduction import pictures
from reproduction.plotting import COLORS

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
GRAY = COLORS["gray"]
OF_EXAMPLES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B97700", "#56B4E9"]
ALIVE = {k: -(-comb(6, k) // 2) for k in (3, 2, 1)}

Examples = frozenset[int]
Order = Sequence[int]
Point = tuple[float, float]


def weave(orders: Sequence[Order], alt: str) -> HTML:
    """The picture in which features are counted against the bound.

    Its still shows all sets of six examples, and the lines of the features through the
    sets of their first and of their last examples.
    """
    figure, ax = plt.subplots(figsize=(7.2, 5))
    chains = [[frozenset(order[:k]) for k in range(7)] for order in orders]
    places = _places_of(chains)
    for color, side in ((BLUE, 1), (ORANGE, -1)):
        for number, chain in enumerate(chains):
            points = [
                (side * places[k][chain[k]], float(k if side == 1 else 6 - k))
                for k in range(7)
            ]
            for k in range(6):
                bold = 2 * number < min(comb(6, k), comb(6, k + 1))
                _draw_thread(ax, points[k], points[k + 1], color, bold)
    for k, sets in places.items():
        _draw_row(ax, k, list(sets.values()))
    ax.autoscale()
    ax.set_axis_off()
    for k in range(7):
        ax.text(13.6, k, f"{comb(6, k)}", va="center", ha="right")
    ax.text(13.6, 6.5, "sets of each size", ha="right", color=GRAY)
    ax.text(-7.5, 0.3, "first examples", color=BLUE, ha="center")
    ax.text(7.5, 5.6, "last examples", color=ORANGE, ha="center")
    return pictures.show("weave", weave_data(orders), still=figure, alt=alt)


def weave_data(orders: Sequence[Order]) -> dict[str, Any]:
    """The orders of ten features, and where each set of six examples stands in its row.

    A set is named by its examples, such as "024".
    """
    chains = [[frozenset(order[:k]) for k in range(7)] for order in orders]
    rows = _places_of(chains).values()
    return {
        "orders": [list(order) for order in orders],
        "places": {
            "".join(map(str, sorted(examples))): round(float(place), 3)
            for row in rows
            for examples, place in row.items()
        },
    }


def _places_of(chains: list[list[Examples]]) -> dict[int, dict[Examples, float]]:
    """For each size, where its sets stand: near the lines through them."""
    n = len(chains)
    whole = chains[0][6]
    # A line of last examples is one of first examples turned by half a turn.
    lines = chains + [[whole - s for s in reversed(chain)] for chain in chains]
    left = np.arange(n) - n + 0.5
    across = [*left, *-left]

    places: dict[int, dict[Examples, float]] = {}
    for k in (3, 2, 1, 0):
        hanging: dict[Examples, list[float]] = {}
        for line, x in zip(lines, across, strict=True):
            hanging.setdefault(line[k], []).append(x)
        ordered = sorted(hanging, key=lambda s: float(np.mean(hanging[s])))
        # The outline of a lantern.
        half = n * np.sin(np.pi * k / 6) ** 0.8
        spread = np.linspace(-half, half, len(ordered))
        places[k] = dict(zip(ordered, spread, strict=True))
        places[6 - k] = {whole - s: -x for s, x in places[k].items()}
        across = [places[k][line[k]] for line in lines]
    return places


def _draw_thread(ax: Axes, start: Point, end: Point, color: str, bold: bool) -> None:
    """A line from level to level that leaves and arrives upright."""
    (x, low), (z, high) = start, end
    middle = (low + high) / 2
    curve = Path([start, (x, middle), (z, middle), end], [1, 4, 4, 4])
    ax.add_patch(
        PathPatch(
            curve,
            fill=False,
            edgecolor=color,
            zorder=2 + bold,
            linewidth=1.8 if bold else 0.9,
            alpha=0.9 if bold else 0.3,
        )
    )


def _draw_row(ax: Axes, k: int, places: Collection[float]) -> None:
    """A dot for each set of k examples."""
    ax.scatter(
        list(places),
        [k] * len(places),
        16,
        color="white",
        edgecolor=COLORS["black"],
        zorder=4,
    )


def levels(orders: Sequence[Order]) -> None:
    """The features of six examples at the levels 3, 2 and 1."""
    _, axes = plt.subplots(1, 3, figsize=(6.6, 4.6), sharey=True)
    for ax, k in zip(axes, (3, 2, 1), strict=True):
        for r, order in enumerate(orders):
            _draw_feature(ax, r, list(order), k)
        ax.set(
            xlim=(-0.1, 6.1),
            ylim=(10.05, -0.05),
            xticks=[],
            yticks=np.arange(10) + 0.5,
            yticklabels=range(1, 11),
            title=f"level {k}: {ALIVE[k]} alive",
        )
        ax.grid(False)
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
    axes[0].set_ylabel("permutation")
    plt.show()


def _draw_feature(ax: Axes, r: int, order: list[int], k: int) -> None:
    """A row of numbered squares; its feet have a frame while it is alive."""
    live = r < ALIVE[k]
    if live:
        order = sorted(order[:k]) + order[k:-k] + sorted(order[-k:])
    for place, example in enumerate(order):
        ax.add_patch(
            Rectangle(
                (place + 0.08, r + 0.16),
                0.84,
                0.68,
                fc=OF_EXAMPLES[example],
                lw=0,
                alpha=1 if live else 0.22,
            )
        )
        ax.text(
            place + 0.5,
            r + 0.52,
            str(example),
            ha="center",
            va="center",
            color="white" if live else "#555555",
            fontsize=9,
        )
    for start in (0, 6 - k) if live else ():
        frame = Rectangle((start, r + 0.06), k, 0.88, lw=1.3, fc="none", ec="#222222")
        ax.add_patch(frame)


def matching(orders: Sequence[Order]) -> None:
    """The matching between the sets of three and the sets of two of six examples."""
    below = {
        frozenset(s): 1.35 * i + 0.4 for i, s in enumerate(combinations(range(6), 2))
    }
    star = 1.35 * 15 + 0.4
    _, ax = plt.subplots(figsize=(6.6, 3.6))

    smaller_sets: set[Examples] = set()
    for r, order in enumerate(orders):
        is_live = r < ALIVE[2]
        for side, foot in enumerate((order[:3], order[-3:])):
            x = 2.1 * r + 0.9 * side
            ax.plot(x, 1, "o", color=BLUE if is_live else ORANGE, ms=5, zorder=2)
            ax.text(x, 1.06, _name(foot), fontsize=9, ha="center", rotation=60)
            if is_live:
                smaller = frozenset(order[:2] if side == 0 else order[-2:])
                is_extra = r == ALIVE[2] - 1 and smaller in smaller_sets
                smaller_sets.add(smaller)
                _draw_edge(ax, x, star if is_extra else below[smaller], is_extra)
        if not is_live:
            _draw_arc(ax, 2.1 * r)

    for s, x in below.items():
        ax.plot(x, 0, "o", color=BLUE, ms=5, zorder=2)
        ax.text(x, -0.15, _name(s), fontsize=9, ha="center")
    ax.plot(star, 0, "*", color=BLUE, ms=9)
    ax.text(star, -0.15, "u*", fontsize=9, ha="center")
    ax.set(xlim=(-0.7, 21.5), ylim=(-0.2, 1.28))
    ax.set_axis_off()


def _draw_edge(ax: Axes, x: float, end: float, is_extra: bool) -> None:
    """The line from a foot to the set that it is matched to, or to the extra vertex."""
    style = "--" if is_extra else "-"
    ax.plot([x, end], [1, 0], color=BLUE, ls=style, lw=1.1, zorder=1)


def _name(examples: Collection[int]) -> str:
    """The examples of a set in one word."""
    return "".join(map(str, sorted(examples)))


def _draw_arc(ax: Axes, x: float) -> None:
    """Two feet that are matched to each other."""
    angle = np.linspace(0, np.pi, 30)
    ax.plot(x + 0.45 + 0.45 * np.cos(angle), 1 - 0.2 * np.sin(angle), color=ORANGE)


def attained(
    counted: Mapping[int, Sequence[int]], bounds: Mapping[int, Sequence[int]]
) -> None:
    """For some numbers of examples, the partitions by the first features and the bound,
    as fractions of all partitions.
    """
    _, ax = plt.subplots(figsize=(6.4, 3.5))
    for m, color in zip(counted, COLORS.values(), strict=False):
        share = np.array(counted[m]) / (2 ** (m - 1) - 1)
        features = np.arange(1, len(share) + 1)
        dots = np.unique(np.geomspace(1, len(features), 14).astype(int)) - 1
        bound = np.array(bounds[m]) / (2 ** (m - 1) - 1)
        ax.plot(features, bound, color=color, lw=1.2, label=f"$m = {m}$")
        ax.plot(features[dots], share[dots], "o", color=color, ms=4)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set_xlabel(r"number of features $\ell$")
    ax.set_ylabel("share of all partitions")
    ax.legend()
    plt.show()
