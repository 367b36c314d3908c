"""The figures of the chapter on boosting."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from reproduction.plotting import COLORS

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
Floats = NDArray[np.float64]


def square(n_points: int) -> Floats:
    """A grid of points in the square from -1 to 1."""
    line = np.linspace(-1, 1, n_points)
    return np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)


def ring(
    points: Floats,
    labels: NDArray[np.int64],
    at_points: Floats,
    at_square: Floats,
    rounds: Sequence[int],
) -> None:
    """The sum after some rounds, and the examples by their next weights."""
    side = round(at_square.shape[1] ** 0.5)
    line = np.linspace(-1, 1, side)
    _, axes = plt.subplots(1, 3, figsize=(7.2, 2.8))
    for ax, t in zip(axes, rounds, strict=True):
        ax.contourf(
            line,
            line,
            at_square[t - 1].reshape(side, side),
            [-np.inf, 0, np.inf],
            colors=["#F6CFB4", "#B9D9EC"],
        )
        margins = labels * at_points[t - 1]
        _examples(ax, points, labels, np.exp(-margins))
        share = np.mean(margins <= 0)
        ax.set_title(f"{t} round{'s' * (t > 1)}: {share:.0%} wrong", fontsize=10)


def _examples(
    ax: plt.Axes, points: Floats, labels: NDArray[np.int64], weights: Floats
) -> None:
    """Dots of the size of their weights, with a color for each label."""
    size = 6 + 1000 * weights / weights.sum()
    for label, color, marker in ((1, BLUE, "o"), (-1, ORANGE, "s")):
        here = labels == label
        ax.scatter(
            points[here, 0],
            points[here, 1],
            size[here],
            color=color,
            marker=marker,
            edgecolor="white",
            linewidth=0.5,
        )
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.set(xlim=(-1.03, 1.03), ylim=(-1.03, 1.03))
    ax.grid(False)


def weak_to_strong(bound: Floats, test: Floats, train: Floats) -> None:
    """The errors of the sum, and the product bound, over the rounds."""
    _, ax = plt.subplots(figsize=(6.6, 3.6))
    t = np.arange(1, len(test) + 1)
    ax.plot(t, bound, ":", color=COLORS["black"], label="product bound")
    ax.plot(t, test, color=ORANGE, label="test error")
    ax.plot(t, train, "--", color=BLUE, label="training error")
    ax.set(xscale="log", xlabel="rounds", ylabel="error", ylim=(0, 1.03))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.legend()


def bias_and_variance(bias2: Floats, variance: Floats) -> None:
    """Squared bias and variance of the sum over the rounds."""
    _, ax = plt.subplots(figsize=(6.6, 3.2))
    rounds = np.arange(1, len(bias2) + 1)
    ax.plot(rounds, bias2, color=ORANGE, label="squared bias")
    ax.plot(rounds, variance, "--", color=BLUE, label="variance")
    ax.set(xscale="log", xlabel="rounds", ylabel="mean squared error", ylim=(0, None))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.legend()
