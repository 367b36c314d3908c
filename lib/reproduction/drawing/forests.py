"""The figures of the chapter on random forests."""

from __future__ import annotations

from collections.abc import Iterable

import matplotlib.pyplot as plt
import pandas as pd

from reproduction.plotting import COLORS


def effect_of_k(table: pd.DataFrame) -> None:
    """The correlation of two trees, and the error of the forest in two parts."""
    _, (left, right) = plt.subplots(1, 2, figsize=(8, 3.5))
    left.plot(table.index, table["correlation"], "o-", color=COLORS["blue"])
    left.set(
        xlabel="features at each node, $k$",
        ylabel="correlation of two trees",
        ylim=(0, None),
    )

    bias = table["squared bias"]
    whole = table["error"]
    k = table.index
    right.fill_between(k, 0, bias, color=COLORS["orange"], alpha=0.45, linewidth=0)
    right.fill_between(k, bias, whole, color=COLORS["blue"], alpha=0.35, linewidth=0)
    right.plot(k, whole, "o-", color=COLORS["black"])
    right.text(6, bias[6] / 2, "squared bias", ha="center", color="#7A3400")
    right.text(
        6,
        (bias[6] + whole[6]) / 2,
        "variance",
        ha="center",
        va="center",
        color="#003F63",
    )
    right.set(
        xlabel="features at each node, $k$",
        ylabel="error of the forest",
        ylim=(0, None),
        xlim=(0.8, k.max() + 0.2),
    )


def gaps(results: pd.DataFrame, kinds: Iterable[str]) -> None:
    """The gap of each data set with two standard errors, in increasing order."""
    rows = results.sort_values("forest minus bagging").reset_index(drop=True)
    _, ax = plt.subplots(figsize=(7.2, 3.8))
    for kind, color in zip(kinds, ("blue", "orange", "green"), strict=True):
        own = rows[rows["group"] == kind]
        ax.errorbar(
            own.index,
            own["forest minus bagging"],
            fmt="o",
            markersize=4,
            yerr=2 * own["standard error"],
            linewidth=1,
            label=kind,
            color=COLORS[color],
        )

    ax.axhline(0, color=COLORS["black"], linewidth=1)
    worst = rows.iloc[0]
    ax.annotate(
        worst["dataset"],
        (0, worst["forest minus bagging"]),
        (8, -2),
        textcoords="offset points",
    )
    ax.set_yscale("symlog", linthresh=2)
    ticks = [-30, -10, -3, -1, 0, 1, 3]
    ax.set(
        yticks=ticks,
        yticklabels=ticks,
        xticks=[],
        xlabel="data sets",
        ylabel="forest minus bagging\n(points of accuracy)",
    )
    ax.legend(loc="lower right")
