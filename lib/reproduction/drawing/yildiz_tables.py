"""The figures of the chapter on Yıldız's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import LogLocator

from reproduction.experiments.yildiz2012_readings import method_of
from reproduction.plotting import COLORS

METHODS = {
    "NOprune": ("s", "gray"),
    "CVprune": ("o", "orange"),
    "SRMprune": ("D", "blue"),
}
# The largest difference that has its place in the figure.
EDGE = 5
# Offsets of labels that would overlap others.
BESIDE = {
    "CART, reduced error": (-6, -5),
    "CART, cost-complexity, 10 folds": (-6, 7),
    "ID3, reduced error": (-6, 3),
    "CART, whole": (6, -9),
    "CART, Shawe-Taylor bound": (6, -9),
}


def penalty(epsilon: Callable[[Any, Any], Any], sizes: Sequence[int]) -> None:
    """Epsilon against V for some numbers of examples, with a dot at V = 2N."""
    _, ax = plt.subplots(figsize=(6.4, 3.4))
    for n, color in zip(sizes, ("orange", "green", "blue"), strict=True):
        V = np.linspace(1, 2.72 * 2 * n, 400)
        curve = epsilon(V, n)
        ax.plot(V, curve, color=COLORS[color])
        ax.plot(2 * n, epsilon(2 * n, n), "o", ms=5, color=COLORS[color])
        ax.annotate(
            f"N = {n}",
            (V[320], curve[320]),
            xytext=(5, 3),
            textcoords="offset points",
            color=COLORS[color],
        )
    ax.set(
        xlabel="VC dimension $V$",
        ylabel=r"$\varepsilon$",
        xlim=(0, 560),
        ylim=(0, 0.25),
    )


def grid(
    ranking: pd.DataFrame, square: tuple[float, float], circle: tuple[float, float]
) -> None:
    """The mean error for each pair of constants, two of which are marked."""
    table = ranking.pivot(index="a2", columns="a1", values="error")
    least = table.min().min()
    _, ax = plt.subplots(figsize=(7.2, 3.8))
    shades = LinearSegmentedColormap.from_list("errors", ["#E4EEF6", COLORS["blue"]])
    ax.imshow(table, origin="lower", cmap=shades, aspect="auto", vmax=least + 3)
    for i, row in enumerate(table.to_numpy()):
        for j, value in enumerate(row):
            # Dark cells have white numbers.
            color = "white"
            if value < least + 2.7:
                color = "black"
            text: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8}
            ax.text(j, i, f"{value:.1f}", color=color, **text)

    for (a1, a2), marker in ((square, "s"), (circle, "o")):
        ax.plot(
            list(table.columns).index(a1),
            list(table.index).index(a2),
            marker,
            ms=27,
            mfc="none",
            mec=COLORS["orange"],
            mew=2,
        )
    ax.set(
        xticks=range(table.shape[1]),
        xticklabels=table.columns,
        yticks=range(table.shape[0]),
        yticklabels=table.index,
        xlabel="$a_1$",
        ylabel="$a_2$",
    )
    ax.grid(False)


def differences(
    tables: Mapping[str, pd.DataFrame], slugs: Sequence[str], names: Mapping[str, str]
) -> None:
    """The difference of each cell in standard errors, a panel for each table."""
    _, axes = plt.subplots(1, 2, figsize=(8.8, 3.8), sharey=True)
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        frame = table[table["dataset"].isin(slugs)]
        for shift, (method, (marker, color)) in zip(
            (0.25, 0, -0.25), METHODS.items(), strict=True
        ):
            part = frame[frame["method"] == method]
            rows = np.array([slugs.index(slug) for slug in part["dataset"]]) + shift
            # Without a spread there is no difference.
            z = part["se"].fillna(0).to_numpy()
            ax.plot(
                z.clip(-EDGE, EDGE),
                rows,
                marker,
                ms=5,
                color=COLORS[color],
                label=method,
            )
            _beyond_the_edge(ax, z, rows, color)

        for line in (-2, 2):
            ax.axvline(line, color=COLORS["black"], lw=1, ls="--")
        ax.set(
            title=title,
            xlabel="difference in standard errors",
            xlim=(-6, 6),
            yticks=range(len(slugs)),
            yticklabels=[names[slug] for slug in slugs],
        )
    axes[0].legend(fontsize=8, loc="lower left")


def _beyond_the_edge(ax: Any, z: Any, rows: Any, color: str) -> None:
    """An arrow and a number for each difference that has no place."""
    for i in np.flatnonzero(abs(z) > EDGE):
        side = np.sign(z[i])
        ax.annotate(
            f"{z[i]:+.0f}",
            (side * EDGE, rows[i]),
            (-side * 26, -3),
            fontsize=9,
            textcoords="offset points",
            ha="center",
        )
        arrow = {1: ">", -1: "<"}[side]
        ax.plot(side * 5.5, rows[i], arrow, ms=6, color=COLORS[color])


def readings(agreeing: Mapping[str, int], n_cells: int) -> None:
    """A bar for each reading of the paper: how many cells it gives."""
    _, ax = plt.subplots(figsize=(7.4, 4.4))
    names = list(agreeing)[::-1]
    color_of = {"SRMprune": COLORS["blue"], "CVprune": COLORS["orange"]}
    colors = [color_of[method_of(name)] for name in names]
    ax.barh(names, [agreeing[name] for name in names], color=colors)
    ax.set(xlabel=f"cells that agree, of {n_cells}", xlim=(0, n_cells))
    ax.grid(axis="y", visible=False)


def other_ways(errors: pd.DataFrame, leaves: pd.DataFrame) -> None:
    """Mean error against mean number of leaves, a dot for each way."""
    _, ax = plt.subplots(figsize=(7.4, 4.2))
    for model in errors.index:
        learner, _ = model.split(", ", 1)
        color = COLORS[{"ID3": "blue", "CART": "orange"}[learner]]
        x = leaves.loc[model].mean()
        y = errors.loc[model].mean()
        offset = BESIDE.get(model, (6, 3))
        # The label is on the side to which it is moved.
        side = "left"
        if offset[0] < 0:
            side = "right"
        ax.plot(x, y, "o", color=color)
        ax.annotate(
            model,
            (x, y),
            xytext=offset,
            fontsize=9,
            ha=side,
            textcoords="offset points",
            color=color,
        )
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    ax.set(xlabel="leaves, mean over the sets", ylabel="error in percent, mean")
    ax.margins(x=0.25)
