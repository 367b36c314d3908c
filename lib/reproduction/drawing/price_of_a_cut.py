"""The figures of the chapter on the price of a leaf of a regression tree."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.plotting import COLORS


def thirty_points(
    x: NDArray[np.float64], y: NDArray[np.float64], trees: dict[str, Any]
) -> None:
    """The points, and what each tree predicts along the line."""
    line = np.linspace(x.min(), x.max(), 1000)
    _, axes = plt.subplots(1, len(trees), figsize=(6.6, 2.6), sharey=True)
    for ax, (title, tree) in zip(axes, trees.items(), strict=True):
        ax.plot(x, y, "o", color=COLORS["gray"], markersize=3)
        ax.plot(line, tree.predict(line[:, None]), color=COLORS["blue"])
        ax.set(title=f"{title}: {tree.get_n_leaves()} leaves", xlabel="x")
    axes[0].set_ylabel("y")


def falling_noise(
    noises: NDArray[np.float64],
    n_leaves: NDArray[np.int64],
    squared_errors: NDArray[np.float64],
    chosen: int,
) -> None:
    """The estimates of the noise in each round, and the tree that is chosen."""
    _, (left, right) = plt.subplots(1, 2, figsize=(6.6, 2.8))
    rounds = np.arange(len(noises))
    left.plot(rounds, noises, "o-", color=COLORS["blue"])
    left.axhline(1.0, color=COLORS["gray"], linestyle="--")
    left.annotate("variance of the noise", (0.2, 1.0), (0.2, 1.6))
    left.set(xlabel="round", ylabel="estimate of $s^2$", ylim=(0, None))

    right.plot(n_leaves, squared_errors, color=COLORS["gray"])
    right.plot(n_leaves[chosen], squared_errors[chosen], "o", color=COLORS["blue"])
    right.set(xlabel="leaves", ylabel="squared errors", xscale="log", ylim=(0, None))


def compared(table: pd.DataFrame) -> None:
    """The mean of each way to prune with two standard errors."""
    ordered = table.sort_values("mean", ascending=False)
    _, ax = plt.subplots(figsize=(6.6, 3.2))
    places = np.arange(len(ordered))
    ax.errorbar(
        ordered["mean"],
        places,
        xerr=2 * ordered["standard_error"],
        fmt="o",
        color=COLORS["blue"],
    )
    ax.axvline(0, color=COLORS["gray"], linestyle="--")
    ax.set_yticks(places, ordered.index)
    ax.set(xlabel="test error above ten folds, in percent")
