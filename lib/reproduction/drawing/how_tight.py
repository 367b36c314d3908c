"""The figures of the chapter on the tightness of the growth bounds."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.plotting import COLORS


def above_tight(n_leaves: pd.Series, nats: pd.DataFrame) -> None:
    """How far two forms lie above the tight one, for each tree, and ln N!."""
    _, ax = plt.subplots()
    for form, color in (("loose", "orange"), ("closed", "blue")):
        ax.scatter(n_leaves, nats[form], s=7, alpha=0.35, color=COLORS[color])
        ax.plot([], [], "o", ms=5, color=COLORS[color], label=form)

    L = np.arange(1, 41)
    factorial = np.cumsum(np.log(np.maximum(L - 1, 1)))
    ax.plot(L, factorial, color="black", ls="--", lw=1, label="ln N!")
    ax.set(xlabel="leaves", ylabel="nats above the tight form")
    ax.legend()


def bounds(bounds: pd.DataFrame, names: Mapping[str, str]) -> None:
    """Three bounds in the row of each data set, and the line where they are 1."""
    ordered = bounds.sort_values("tight", ascending=False)
    rows = range(len(ordered))
    _, ax = plt.subplots(figsize=(7.2, 0.8 + 0.27 * len(ordered)))
    for form, marker, size, color in (
        ("loose", "o", 34, "orange"),
        ("tight", "D", 34, "blue"),
        ("closed", "|", 150, "black"),
    ):
        at = COLORS[color]
        ax.scatter(ordered[form], rows, s=size, marker=marker, color=at, label=form)
    ax.axvline(1, color="black", lw=1)

    ax.set_xscale("log")
    ticks = [0.3, 0.5, 1, 2, 5, 10, 20]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_yticks(rows, [names[slug] for slug in ordered.index])
    ax.set(xlabel="bound on the risk")
    ax.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.4, 1.0))


def needed_and_charged(
    needed: Mapping[float, NDArray[np.float64]], charged: float
) -> None:
    """The nats that each sample needs, for each level of noise, and those charged."""
    _, ax = plt.subplots(figsize=(6.6, 2.9))
    bins = np.arange(-25, 6, 0.5).tolist()
    for (noise, nats), color in zip(
        needed.items(), ("blue", "orange", "green"), strict=False
    ):
        label = f"noise {noise:.0%}"
        at = COLORS[color]
        ax.hist(nats, bins=bins, density=True, color=at, alpha=0.75, label=label)

    ax.axvline(charged, color=COLORS["black"])
    ax.text(charged - 0.4, ax.get_ylim()[1] * 0.92, "charged", ha="right")
    ax.set(xlabel="nats for four leaves", ylabel="share of samples per nat")
    ax.legend(loc="upper left")
