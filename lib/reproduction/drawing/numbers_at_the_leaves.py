"""The figure of the chapter on regression trees, which have numbers at their leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from reproduction.plotting import COLORS

StepFunction = Callable[[Sequence[int]], tuple[Sequence[float], Sequence[float]]]


def five_pairs(step_function: StepFunction, pattern: Sequence[int]) -> None:
    """One pattern of five pairs, and all of them, each with the function found for it.

    ``step_function`` returns the cuts and the levels for a pattern.
    """
    fig = plt.figure(figsize=(7.6, 3.2))
    halves: Any = fig.subfigures(1, 2, width_ratios=[1, 1.6])
    left, right = halves
    ax = left.subplots()
    _draw_pattern(ax, step_function, pattern, 8)
    ax.set(xlabel="the feature", ylabel="prediction")

    axes = right.subplots(4, 8)
    for small, each in zip(axes.flat, product((0, 1), repeat=5), strict=True):
        _draw_pattern(small, step_function, each, 2.5)


def _draw_pattern(
    ax: Axes, step_function: StepFunction, pattern: Sequence[int], size: float
) -> None:
    """Bars for the thresholds, filled where the function is above them."""
    cuts, levels = step_function(pattern)
    edges = [-0.5, *cuts, 4.5]
    for ends, level in zip(pairwise(edges), levels, strict=True):
        ax.plot(ends, [level, level], color=COLORS["gray"], lw=size / 4)
    for x, is_above in enumerate(pattern):
        ax.plot([x - 0.3, x + 0.3], [2 * x, 2 * x], color="#222222", lw=1)
        face = ("white", COLORS["blue"])[is_above]
        ax.plot(x, 2 * x, "o", ms=size, mec=COLORS["blue"], mfc=face)
    ax.set(xticks=[], yticks=[], xlim=(-0.6, 4.6), ylim=(-1.4, 9.4))
    ax.grid(visible=False)
