"""The figures of the chapter on bagging."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.plotting import COLORS

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
Floats = NDArray[np.float64]


def coverage(held: Floats, formula: float) -> None:
    """How often a bootstrap sample holds each fraction of the examples."""
    _, ax = plt.subplots(figsize=(6.2, 3))
    values, counts = np.unique(held, return_counts=True)
    ax.bar(values, counts / len(held), width=0.0085, color="#8DBFDD")
    ax.axvline(formula, color=COLORS["black"], linestyle="--", linewidth=1.2)
    ax.set(
        xlabel="fraction of the examples in the sample", ylabel="fraction of samples"
    )


def wave(
    line: Floats,
    truth: Floats,
    singles: Sequence[Floats],
    bags: Sequence[Floats],
    n_trees: int,
) -> None:
    """The predictions of single trees, and of bags, on several training sets."""
    _, axes = plt.subplots(1, 2, figsize=(8, 3.6), sharey=True)
    for single, bag in zip(singles, bags, strict=True):
        axes[0].plot(line, single, color=ORANGE, linewidth=0.7, alpha=0.65)
        axes[1].plot(line, bag, color=BLUE, linewidth=0.7, alpha=0.75)
    names = ("single trees", f"bags of {n_trees} trees")
    for ax, name in zip(axes, names, strict=True):
        ax.plot(line, truth, color=COLORS["black"], linewidth=2)
        ax.set(title=name, xlabel="$x$")
    axes[0].set_ylabel("prediction")


def parts(table: pd.DataFrame) -> None:
    """Squared bias and variance of each model, alone and bagged."""
    _, ax = plt.subplots(figsize=(7, 3.4))
    for i, row in enumerate(table.to_numpy()):
        for shift, (bias, variance), color in (
            (-0.2, row[:2], ORANGE),
            (0.2, row[2:4], BLUE),
        ):
            ax.bar(i + shift, bias, 0.36, color=color)
            start = max(bias, 0)
            ax.bar(i + shift, variance, 0.36, bottom=start, color=color, alpha=0.4)
    ax.bar(0, 0, color=ORANGE, label="alone")
    ax.bar(0, 0, color=BLUE, label="bagged")
    ax.set(xticks=range(len(table)), xticklabels=table.index)
    ax.set_ylabel("mean squared error")
    ax.grid(axis="x", visible=False)
    ax.legend()


def by_number(
    numbers: Sequence[int], measured: Sequence[float], total: float, shared: float
) -> None:
    """The variance of a bag against its number of trees, with the formula."""
    _, ax = plt.subplots(figsize=(6.2, 3.2))
    ax.plot(numbers, measured, "o", color=BLUE, label="measured")
    at = np.linspace(1, max(numbers), 200)
    ax.plot(
        at,
        shared + (total - shared) / at,
        color=BLUE,
        linewidth=1,
        label=r"$\rho\sigma^2 + (1-\rho)\sigma^2 / B$",
    )
    ax.axhline(shared, color=COLORS["gray"], linestyle="--", linewidth=1)
    ax.set(xlabel="trees $B$", ylabel="variance", xscale="log", ylim=(0, None))
    ax.legend()
