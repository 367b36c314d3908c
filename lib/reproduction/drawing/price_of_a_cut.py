"""The figures of the chapter on the price of a leaf of a regression tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import HTML
from numpy.typing import NDArray

from reproduction import pictures
from reproduction.plotting import COLORS
from treebounds.pruning.counted_price import CountedPath
from treebounds.trees.weakest_link import last_minimum


def thirty_points(
    x: NDArray[np.float64], y: NDArray[np.float64], trees: dict[str, Any]
) -> None:
    """The points, and what each tree predicts along the line."""
    line = np.linspace(x.min(), x.max(), 1000)
    _, axes = plt.subplots(1, len(trees), figsize=(6.6, 2.1), sharey=True)
    for ax, (title, tree) in zip(axes, trees.items(), strict=True):
        ax.plot(x, y, "o", color=COLORS["gray"], markersize=3)
        ax.plot(line, tree.predict(line[:, None]), color=COLORS["blue"])
        ax.set(title=f"{title}: {tree.get_n_leaves()} leaves", xlabel="x")
    axes[0].set_ylabel("y")


def falling_noise(
    sets: Mapping[str, Mapping[str, Any]], path: CountedPath, alt: str
) -> HTML:
    """The picture in which an estimate of the noise prunes a tree and becomes the next
    estimate.

    ``sets`` has the data of each choice, see
    :func:`reproduction.pictures.falling_noise_data`. The still shows the rounds of the
    first one, whose path is ``path``.
    """
    first = next(iter(sets.values()))
    figure, (left, right) = plt.subplots(1, 2, figsize=(6.6, 2.8))
    per_example = path.squared_errors / first["m"]
    left.plot(path.n_leaves, per_example, color=COLORS["gray"])
    left.plot(path.n_leaves[path.best], per_example[path.best], "o")
    left.set(xlabel="leaves", ylabel="squared error per example", xscale="log")

    ends = path.noises[-1] / 8, path.noises[0] * 1.15
    grid = np.geomspace(*ends, 400)
    stairs = np.repeat(path.noises, 2)
    right.plot(ends, ends, color=COLORS["gray"])
    right.plot(grid, next_estimates(first, grid), color=COLORS["blue"])
    right.plot(stairs[:-1], stairs[1:], color=COLORS["orange"])
    right.axvline(first["truth"], color=COLORS["green"], linestyle="--")
    right.text(first["truth"] * 1.1, ends[1] / 2, "true variance")
    right.set(xlabel="estimate $s^2$", ylabel="next estimate")
    right.set(xscale="log", yscale="log", xlim=ends, ylim=ends)

    return pictures.show("falling-noise", sets, still=figure, alt=alt)


def next_estimates(
    data: Mapping[str, Any], noises: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The estimate of the noise that the pruning at each estimate leaves; NaN where
    each example has its own leaf.
    """
    nats = data["nats"][data["leaves"] - 1]
    costs = data["squared"] + 2 * data["factor"] * np.outer(noises, nats)
    steps = [last_minimum(row) for row in costs]
    freedom = (data["m"] - data["leaves"][steps]).astype(float)
    freedom[freedom == 0] = np.nan
    return np.asarray(data["squared"][steps] / freedom)


def compared(table: pd.DataFrame) -> None:
    """The mean of each way to prune with two standard errors."""
    ordered = table.sort_values("mean", ascending=False)
    _, ax = plt.subplots(figsize=(6.6, 2.8))
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
