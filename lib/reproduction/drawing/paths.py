"""The figures of the chapter on the paths of a random tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.plotting import COLORS

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
# Places of the nodes: attributes above the parting, and some below it, are common.
PATHS = (
    [(4, 0), (4, -1), (4, -2), (2.6, -3), (1.6, -4)],
    [(4, 0), (4, -1), (4, -2), (5.4, -3), (6.4, -4), (7.2, -5)],
)
STYLES = {
    ("height", 3): ("Equation 7, height 3", "blue", "o-", 10),
    ("last", 3): ("Equation 10, leaves at depth 3", "orange", "s-", 6),
    ("last", 4): ("Equation 10, leaves at depth 4", "green", "^--", 6),
}


def two_paths() -> Figure:
    """Two paths that run together, part, and go on separately, with the notation."""
    figure, ax = plt.subplots(figsize=(6.6, 3.4))
    for path, color, shift in zip(PATHS, (BLUE, ORANGE), (-0.06, 0.06), strict=True):
        x, y = zip(*path, strict=True)
        ax.plot([place + shift for place in x], y, color=color, linewidth=3)

    _draw_nodes(ax)
    gray = COLORS["gray"]
    together = "together: x and x′ agree on $a$ and $b$"
    ax.text(4.45, -0.5, together, va="center", color=gray)
    ax.text(4.45, -1.9, "they part: x and x′ differ on $c$", va="center", color=gray)
    ax.text(0.1, -2.3, "path of x: length $l_1 = 4$", color=BLUE)
    ax.text(6.3, -3.2, "path of x′: length $l_2 = 5$", color=ORANGE)
    common = "common: $a, b, c, d$, so $r = 4$\nagree on: $a, b$, so $v = 2$"
    ax.text(0.1, -0.2, common, va="top")
    ax.set(xlim=(0, 10.4), ylim=(-5.9, 0.5))
    ax.set_axis_off()
    return figure


def _draw_nodes(ax: Axes) -> None:
    """The attributes as circles, and the two leaves as squares."""
    black = COLORS["black"]
    first, second = PATHS
    places = (*first[:4], *second[3:5])
    for name, (x, y) in zip(("a", "b", "c", "d", "d", "e"), places, strict=True):
        ax.plot(x, y, "o", markersize=19, color="white", markeredgecolor=black)
        ax.text(x, y, name, ha="center", va="center")
    for (x, y), name, color in ((first[-1], "x", BLUE), (second[-1], "x′", ORANGE)):
        ax.plot(x, y, "s", markersize=15, color="white", markeredgecolor=color)
        ax.text(x, y - 0.55, f"leaf of {name}", ha="center", color=color)


def sums_of_weights(
    table: Mapping[tuple[str, int, bool], Sequence[Fraction]],
) -> None:
    """What the weights of all pairs of paths sum to, as printed and repaired."""
    _, ax = plt.subplots(figsize=(6.6, 3.4))
    for (rule, h), (name, color, marker, size) in STYLES.items():
        sums = [float(weight) for weight in table[rule, h, False]]
        ax.plot(
            range(len(sums)),
            sums,
            marker,
            color=COLORS[color],
            label=name,
            markersize=size,
        )

    mended = [float(weight) for weight in table["height", 3, True]]
    ax.plot(
        range(len(mended)),
        mended,
        ":",
        color=COLORS["black"],
        label="repaired, all three",
    )
    ax.set(
        xlabel="attributes on which x and x\u2032 agree",
        ylabel="sum of the weights",
        ylim=(-0.05, 1.12),
    )
    ax.legend(loc="lower left")
