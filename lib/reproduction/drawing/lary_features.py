"""The figures of the chapter on features with several values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from reproduction.plotting import COLORS

Values = tuple[int, ...]
PALE = "#C8C8C8"
HEIGHT = 3**0.5 / 2
PLACES = {
    "1": (0, 0),
    "2": (1, 0),
    "3": (0.5, HEIGHT),
    "4": (0.5, HEIGHT / 3),
    "12|34": (0.5, 0),
    "13|24": (0.25, HEIGHT / 2),
    "14|23": (0.75, HEIGHT / 2),
}
SHIFTS = {
    "1": (-8, -14),
    "2": (8, -14),
    "3": (0, 9),
    "4": (10, 7),
    "12|34": (0, -17),
    "13|24": (-22, 6),
    "14|23": (22, 6),
}
LINES = [
    ("1", "2"),
    ("1", "3"),
    ("2", "3"),
    ("1", "14|23"),
    ("2", "13|24"),
    ("3", "12|34"),
]


def fano_planes() -> None:
    """The splits of four examples as points; on the right, two features meet."""
    _, (plain, chosen) = plt.subplots(1, 2, figsize=(7.4, 3.4))
    _fano_plane(plain, {}, {})
    lines = {0: COLORS["blue"], 5: COLORS["orange"]}
    _fano_plane(chosen, lines, {"13|24": COLORS["green"], "14|23": "white"})


def _fano_plane(ax: Axes, lines: Mapping[int, str], points: Mapping[str, str]) -> None:
    """Seven points and seven lines; some of them have colors of their own."""
    circle = plt.Circle((0.5, HEIGHT / 3), HEIGHT / 3, fill=False, color=PALE)
    ax.add_patch(circle)
    for k, (a, b) in enumerate(LINES):
        ends = zip(PLACES[a], PLACES[b], strict=True)
        style: dict[str, Any] = {"color": PALE, "lw": 1.2, "zorder": 1}
        if k in lines:
            style = {"color": lines[k], "lw": 4, "zorder": 2}
        ax.plot(*ends, **style)
    for split, at in PLACES.items():
        face = points.get(split, "#222222")
        ax.scatter(*at, s=85, zorder=3, ec="#222222", fc=face)
        shift = SHIFTS[split]
        ax.annotate(split, at, shift, ha="center", textcoords="offset points")
    ax.set(xlim=(-0.2, 1.2), ylim=(-0.2, 1.05), aspect="equal")
    ax.set_axis_off()


def one_node(
    exact: Mapping[Values, int], false: Collection[Values], named: Collection[Values]
) -> None:
    """Exact values over the number of splits, beside the formula of Theorem 5."""
    n_splits = {v: sum(2 ** (L - 1) - 1 for L in v) for v in exact}
    x = np.arange(1, max(n_splits.values()) + 2)
    formula = [int(np.log2(s + 1)) + 1 for s in x]
    _, ax = plt.subplots(figsize=(7.4, 3.8))
    gray = COLORS["gray"]
    ax.step(x, formula, where="post", color=gray, lw=1.2, label="Theorem 5")
    for here, color, label in (
        (set(exact) - set(false), "blue", "exact, equal"),
        (false, "orange", "exact, one below"),
    ):
        at = [n_splits[v] for v in here]
        values = [exact[v] for v in here]
        ax.plot(at, values, "o", ms=5, color=COLORS[color], label=label)
    for v in named:
        ax.annotate(
            ", ".join(map(str, v)),
            (n_splits[v], exact[v]),
            (0, -15),
            textcoords="offset points",
            ha="center",
            fontsize=9,
        )
    ax.set_xscale("log", base=2)
    ticks = [2**k - 1 for k in range(1, 7)]
    ax.set_xticks(ticks, list(map(str, ticks)))
    ax.set(xlabel="splits that the features make, equal ones counted twice")
    ax.set(ylabel="VC dimension of one node", ylim=(1.5, 6.8))
    ax.minorticks_off()
    ax.legend(loc="upper left")


def alike(
    lower: Mapping[int, int],
    upper: Mapping[int, int],
    formula: Callable[[int], int],
) -> None:
    """Values for 1, 2, ... features with three values, beside the formula."""
    _, ax = plt.subplots(figsize=(7.4, 3.6))
    steps = [formula(d) for d in lower]
    gray = COLORS["gray"]
    ax.step(list(lower), steps, where="mid", color=gray, lw=1.2, label="Theorem 5")
    decided = [d for d in lower if lower[d] == upper[d]]
    for below, color, label in (
        (False, "blue", "exact, equal"),
        (True, "orange", "exact, one below"),
    ):
        here = [d for d in decided if (lower[d] < formula(d)) == below]
        values = [lower[d] for d in here]
        ax.plot(here, values, "o", ms=5, color=COLORS[color], label=label)
    undecided = [d for d in lower if lower[d] < upper[d]]
    if undecided:
        low = [lower[d] for d in undecided]
        high = [upper[d] for d in undecided]
        green = COLORS["green"]
        ax.vlines(undecided, low, high, color=green, lw=3, label="not decided")
    ax.set(xlabel="number of features with three values")
    ax.set(ylabel="VC dimension of one node", ylim=(2.5, 7.6))
    ax.legend(loc="lower right")
