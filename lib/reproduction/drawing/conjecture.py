"""The figures of the chapter on the conjecture about stumps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, pairwise
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

# Lines of the features that the bound counts, and of the others.
BOLD = {"zorder": 3, "linewidth": 1.8, "alpha": 0.9}
FAINT = {"zorder": 2, "linewidth": 0.9, "alpha": 0.3}

Examples = frozenset[int]
Order = Sequence[int]
Point = tuple[float, float]


def weave(orders: Sequence[Order], alt: str) -> HTML:
    """The picture in which features are counted against the bound.

    Its still shows all sets of six examples, and the lines of the features through the
    sets of their first and of their last examples.
    """
    figure, ax = plt.subplots(figsize=(7.2, 5))
    chains = [_prefixes(order) for order in orders]
    places = _places_of(chains)

    # The sets of the first examples; turned by half a turn, those of the last ones.
    for number, chain in enumerate(chains):
        points = [(places[k][chain[k]], float(k)) for k in range(7)]
        _draw_line(ax, points, BLUE, number)
    for number, chain in enumerate(chains):
        points = [(-places[k][chain[k]], float(6 - k)) for k in range(7)]
        _draw_line(ax, points, ORANGE, number)

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
    places: dict[str, float] = {}
    for row in _places_of([_prefixes(order) for order in orders]).values():
        places |= {_name(examples): round(float(x), 3) for examples, x in row.items()}

    return {"orders": [list(order) for order in orders], "places": places}


def _prefixes(order: Order) -> list[Examples]:
    """The sets of the first 0, 1, ..., 6 examples."""
    return [frozenset(order[:k]) for k in range(7)]


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


def _draw_line(ax: Axes, points: Sequence[Point], color: str, number: int) -> None:
    """The line of a feature, bold where the bound counts it."""
    for k, (start, end) in enumerate(pairwise(points)):
        style = FAINT
        if 2 * number < min(comb(6, k), comb(6, k + 1)):
            style = BOLD
        _draw_thread(ax, start, end, {"edgecolor": color, **style})


def _draw_thread(ax: Axes, start: Point, end: Point, style: dict[str, Any]) -> None:
    """A line from level to level that leaves and arrives upright."""
    x, low = start
    z, high = end
    middle = (low + high) / 2
    curve = Path([start, (x, middle), (z, middle), end], [1, 4, 4, 4])
    ax.add_patch(PathPatch(curve, fill=False, **style))


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
    if r >= ALIVE[k]:
        _draw_squares(ax, r, order, 0.22, "#555555")
        return

    order = sorted(order[:k]) + order[k:-k] + sorted(order[-k:])
    _draw_squares(ax, r, order, 1, "white")
    for start in (0, 6 - k):
        _draw_frame(ax, start, r, k)


def _draw_squares(
    ax: Axes, r: int, order: list[int], alpha: float, text_color: str
) -> None:
    """A square in the color of each example, with its number."""
    text: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}
    for place, example in enumerate(order):
        corner = (place + 0.08, r + 0.16)
        color = OF_EXAMPLES[example]
        ax.add_patch(Rectangle(corner, 0.84, 0.68, fc=color, lw=0, alpha=alpha))
        ax.text(place + 0.5, r + 0.52, str(example), color=text_color, **text)


def _draw_frame(ax: Axes, start: int, r: int, k: int) -> None:
    """A frame around k squares of a row."""
    frame = Rectangle((start, r + 0.06), k, 0.88, lw=1.3, fc="none", ec="#222222")
    ax.add_patch(frame)


def matching(orders: Sequence[Order]) -> None:
    """The matching between the sets of three and the sets of two of six examples."""
    pairs = map(frozenset, combinations(range(6), 2))
    below = {pair: 1.35 * i + 0.4 for i, pair in enumerate(pairs)}
    star = 1.35 * 15 + 0.4
    _, ax = plt.subplots(figsize=(6.6, 3.6))

    for r, order in enumerate(orders[: ALIVE[2]]):
        _draw_feet(ax, r, order, BLUE)
    for r, order in enumerate(orders[ALIVE[2] :], start=ALIVE[2]):
        _draw_feet(ax, r, order, ORANGE)
        _draw_arc(ax, 2.1 * r)

    # A foot whose set has a partner already is matched to the extra vertex.
    partners: set[Examples] = set()
    for r, order in enumerate(orders[: ALIVE[2]]):
        for foot_x, pair in zip(_feet_x(r), (order[:2], order[-2:]), strict=True):
            smaller = frozenset(pair)
            if r == ALIVE[2] - 1 and smaller in partners:
                _draw_edge(ax, foot_x, star, "--")
            else:
                _draw_edge(ax, foot_x, below[smaller], "-")
            partners.add(smaller)

    for s, x in below.items():
        ax.plot(x, 0, "o", color=BLUE, ms=5, zorder=2)
        ax.text(x, -0.15, _name(s), fontsize=9, ha="center")
    ax.plot(star, 0, "*", color=BLUE, ms=9)
    ax.text(star, -0.15, "u*", fontsize=9, ha="center")
    ax.set(xlim=(-0.7, 21.5), ylim=(-0.2, 1.28))
    ax.set_axis_off()


def _feet_x(r: int) -> tuple[float, float]:
    """Where the two feet of a permutation stand."""
    return 2.1 * r, 2.1 * r + 0.9


def _draw_feet(ax: Axes, r: int, order: Order, color: str) -> None:
    """The two feet of a permutation, with their names."""
    for x, foot in zip(_feet_x(r), (order[:3], order[-3:]), strict=True):
        ax.plot(x, 1, "o", color=color, ms=5, zorder=2)
        ax.text(x, 1.06, _name(foot), fontsize=9, ha="center", rotation=60)


def _draw_edge(ax: Axes, x: float, end: float, style: str) -> None:
    """The line from a foot to the set that it is matched to, or to the extra vertex."""
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
