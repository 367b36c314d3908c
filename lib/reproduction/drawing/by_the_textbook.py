"""The figures of the chapter that compares ways to prune."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from reproduction.plotting import COLORS

# Marker, color and words of each group of data sets.
MARKS = {
    "chose": ("o", "gray", "sets to choose constants"),
    "old": ("s", "blue", "old sets"),
    "new": ("^", "orange", "new sets"),
}
# The left edge, in points.
LEFT = -6.0


def all_ways(
    of: Mapping[str, pd.DataFrame],
    sets: Mapping[str, Sequence[str]],
    labels: Mapping[str, str],
) -> None:
    """A row for each way to prune, with a mark for each group of sets; an arrow at the
    left edge where the mean lies beyond it.
    """
    figure, ax = plt.subplots(figsize=(7.2, 6.6))
    for shift, (name, (marker, color, words)) in zip(
        (0.22, 0, -0.22), MARKS.items(), strict=True
    ):
        rows = of[name].loc[list(labels)].astype(float)
        places = np.arange(len(labels)) + shift
        beyond = (rows["mean"] < LEFT).to_numpy()
        edge = np.full(beyond.sum(), LEFT + 0.08)
        ax.plot(edge, places[beyond], "<", markersize=6, color=COLORS[color])
        ax.errorbar(
            rows["mean"].mask(beyond),
            places,
            xerr=rows["standard_error"],
            fmt=marker,
            markersize=4,
            color=COLORS[color],
            lw=1,
            label=_counted(len(sets[name]), words),
        )

    ax.axvline(0, color="black", lw=0.8)
    ax.set_yticks(range(len(labels)), list(labels.values()))
    ax.set(xlabel="difference in accuracy from ten folds (points)", xlim=(LEFT, 3))
    figure.legend(ncols=3, loc="outside upper center")


def _counted(n_sets: int, words: str) -> str:
    """A number of sets in words."""
    if n_sets == 1:
        words = words.replace("sets", "set")
    return f"{n_sets} {words}"


def constants(
    of: Mapping[str, pd.DataFrame], exponents: Sequence[float], prices: Sequence[float]
) -> None:
    """The points of the bound against its ratio, and of a fixed price of a leaf."""
    _, axes = plt.subplots(1, 2, figsize=(7.2, 3.1), sharey=True)
    panels = (
        ("bound 2^-", exponents, "exponent $x$ of $r = 2^{-x}$"),
        ("price ", prices, "errors per leaf"),
    )
    for ax, (family, values, label) in zip(axes, panels, strict=True):
        for name, (marker, color, words) in MARKS.items():
            rows = of[name].loc[[f"{family}{x:g}" for x in values]].astype(float)
            ax.errorbar(
                values,
                rows["mean"],
                rows["standard_error"],
                fmt=f"-{marker}",
                markersize=4,
                lw=1,
                label=words,
                color=COLORS[color],
            )
        ax.axhline(0, color="black", lw=0.8)
        ax.set(xlabel=label)

    axes[1].legend(fontsize=8)
    axes[0].set(ylabel="points against ten folds")


def times(clock: pd.DataFrame, labels: Mapping[str, str]) -> None:
    """Seconds against the number of training rows, a line for each way."""
    figure, ax = plt.subplots(figsize=(6.2, 3.2))
    for way, label in labels.items():
        rows = clock[clock["method"] == way]
        ax.loglog(rows["n_examples"], rows["seconds"], "o-", label=label)
    ax.set(xlabel="training rows", ylabel="seconds")
    figure.legend(ncols=3, fontsize=9, loc="outside upper center")
