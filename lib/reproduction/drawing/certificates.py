"""The figures of the chapter on certificates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from reproduction.experiments.certificates import DESIGNS
from reproduction.plotting import COLORS

_COLORS = ("blue", "orange", "green", "purple", "black")
_MARKS = "osD^v"


def halvings(candidates: Any, names: dict[str, str]) -> None:
    """The halvings of a certified tree, with the errors and the limit of each tree."""
    _, axes = plt.subplots(2, 1, figsize=(5.8, 4.5), sharex=True)
    for halving, ax in enumerate(axes):
        _halves(ax, candidates, halving)
        for tree in np.flatnonzero(candidates.halving == halving).tolist():
            _arrow(ax, candidates, tree, names[candidates.learner[tree]])
        ax.set(xlim=(0, 1.02), ylim=(-0.05, 1.45), title=f"halving {halving + 1}")
        ax.axis("off")


def _halves(ax: Axes, candidates: Any, halving: int) -> None:
    """One bar for each half."""
    for side, name in enumerate("AB"):
        low = 1.1 - 1.1 * side
        ax.add_patch(plt.Rectangle((0, low), 1, 0.28, color="#E3E3E3"))
        judged_here = (candidates.halving == halving) & (candidates.side == 1 - side)
        text = f"half {name}, {candidates.n_examples[judged_here][0]} examples"
        ax.text(0.5, low + 0.14, text, ha="center", va="center")


def _arrow(ax: Axes, candidates: Any, tree: int, name: str) -> None:
    """The arrow of a tree, from the half that grew it to the one that judges it."""
    side = candidates.side[tree]
    place = 0.12 + 0.25 * (2 * (candidates.learner[tree] != "pruned") + side)
    # From the lower edge of half A down to B, or from the upper edge of B up to A.
    edges = (1.1, 0.28)
    start = edges[side]
    end = edges[1 - side]
    color = COLORS["gray"]
    if tree == candidates.best:
        color = COLORS["blue"]
    arrow = {"arrowstyle": "->", "color": color}
    ax.annotate("", (place, end), (place, start), arrowprops=arrow)

    limit = math.ceil(1000 * candidates.bound[tree]) / 10
    text = f"{name}\n{candidates.n_errors[tree]} errors\n{limit}%"
    ax.text(place + 0.015, 0.69, text, fontsize=9, va="center", color=color)


def violations(table: pd.DataFrame, wrong: Sequence[str]) -> None:
    """How often each certificate lies below the risk, the wrong ones at the bottom."""
    methods = [*dict.fromkeys(m for m in table["method"] if m not in wrong), *wrong]
    figure, ax = plt.subplots(figsize=(7.2, 4.2))
    for shift, name in enumerate(DESIGNS):
        part = table[table["distribution"] == name].set_index("method")
        part = 100 * part[["share", "low", "high"]].reindex(methods)
        ax.errorbar(
            part["share"],
            np.arange(len(methods)) + 0.15 * (shift - 2),
            fmt=_MARKS[shift],
            ms=3.5,
            lw=1,
            xerr=[part["share"] - part["low"], part["high"] - part["share"]],
            color=COLORS[_COLORS[shift]],
            label=f"{name}, m = {DESIGNS[name].m}",
        )
    ax.axvline(5, color=COLORS["gray"], lw=1)
    ax.set_yticks(range(len(methods)), methods)
    ax.invert_yaxis()
    ax.set(xlabel="certificate below the true risk, % of samples")
    figure.legend(loc="outside lower center", ncols=2)
