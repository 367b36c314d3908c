"""The figures of the chapter on what many trees cost."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from reproduction.plotting import COLORS

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
GRAY = COLORS["gray"]
# The axis ends behind the last example, so that the step at a cut there is seen.
END = 5.3
Panel = tuple[str, tuple[int, int], tuple[int, int, int], str]


def levels(*panels: Panel) -> None:
    """The sum of two stumps along the sample.

    Each panel has the names in their order, the places of the two cuts, the values of
    the sum between them, and a title.
    """
    _, axes = plt.subplots(1, len(panels), figsize=(7.2, 2.9), sharey=True)
    for ax, (order, cuts, values, title) in zip(axes, panels, strict=True):
        _steps(ax, order, cuts, values)
        ax.set(title=title, ylim=(-3.2, 3.4), xlim=(-0.6, END), xticks=[])
        ax.set(yticks=[-2, 0, 2])
        ax.grid(False)
    axes[0].set_ylabel("sum of the two stumps")
    for ax in axes:
        ax.set_xlabel("the sample, group by group")


def _steps(
    ax: Axes, order: str, cuts: tuple[int, int], values: tuple[int, int, int]
) -> None:
    """The steps of the sum, the threshold, the examples and the cuts."""
    edges = [-0.5, cuts[0] - 0.5, cuts[1] - 0.5, END]
    ax.step(edges, [*values, values[-1]], where="post", color=GRAY, lw=2)
    threshold = (values[0] + values[1]) / 2
    ax.axhline(threshold, ls="--", color="#222222", lw=1)
    for x, name in enumerate(order):
        height = values[sum(x >= c for c in cuts)]
        mark = "s"
        color = ORANGE
        if height > threshold:
            mark = "o"
            color = BLUE
        ax.plot(x, height, mark, ms=17, color=color)
        ax.text(x, height, name, ha="center", va="center", color="white")
    for cut, stump in zip(cuts, (1, 2), strict=True):
        ax.text(cut - 0.5, 2.75, f"stump {stump}", ha="center", fontsize=9)
        ax.axvline(cut - 0.5, ymax=0.9, ls=":", color=GRAY)


def nets(
    examples: NDArray[np.int64],
    labels: Sequence[int],
    dots: NDArray[np.int64],
    crosses: NDArray[np.int64],
) -> None:
    """Examples with their labels, the net of the labels, and that of the empty set."""
    n = len(dots)
    on = np.array(labels)
    _, ax = plt.subplots(figsize=(4.6, 4.6))
    ax.plot(*((dots + 0.5) / n).T, "o", color=BLUE, ms=8, label="net of the labels")
    ax.plot(
        *((crosses + 0.5) / n).T,
        "x",
        color=GRAY,
        ms=9,
        mew=2,
        label="net of the empty set",
    )
    for label, face in ((1, ORANGE), (0, "white")):
        ax.plot(
            *(examples[on == label] / n).T,
            "s",
            ms=9,
            mfc=face,
            mec=ORANGE,
            mew=1.5,
            ls="none",
            label=f"label {label}",
        )
    ticks = np.arange(n + 1) / n
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=ticks, yticks=ticks, aspect="equal")
    ax.set(xlabel="feature 1", ylabel="feature 2")
    ax.xaxis.set_major_formatter("{x:.3g}")
    ax.tick_params(labelsize=9)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)
