"""The figures of the chapter on exact errors of random trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import NDArray

from reproduction.plotting import COLORS
from reproduction.random_trees import ErrorMoments

_THREE = ("blue", "orange", "green")


def curve(
    exact: Mapping[int, ErrorMoments],
    simulated: Mapping[int, float],
    bayes_error: float,
) -> None:
    """Mean and standard deviation by sample size, with simulated means."""
    sizes = list(exact)
    means = np.array([moments.mean for moments in exact.values()])
    spread = np.array([moments.standard_deviation for moments in exact.values()])
    _, ax = plt.subplots(figsize=(6.6, 3.2))
    ax.fill_between(sizes, means - spread, means + spread, alpha=0.25, linewidth=0)
    ax.semilogx(sizes, means, label="exact")
    ax.plot(
        list(simulated),
        list(simulated.values()),
        "o",
        color=COLORS["orange"],
        label="100 simulated samples",
    )
    ax.axhline(bayes_error, linestyle=":", color=COLORS["black"], label="Bayes error")
    ax.set(xlabel="examples N", ylabel="generalization error")
    ax.legend()


def contour(series: Mapping[int, NDArray[np.complex128]]) -> None:
    """The absolute value of a series at the roots of unity, for three sample sizes."""
    _, ax = plt.subplots(figsize=(6.6, 3.2))
    for (n, values), color in zip(series.items(), _THREE, strict=True):
        angle = 2 * np.pi * np.arange(len(values)) / len(values)
        is_near_one = angle < 0.8
        size = np.abs(values) / np.abs(values[0])
        ax.semilogy(
            angle[is_near_one],
            size[is_near_one],
            ".-",
            label=f"N = {n:,}",
            color=COLORS[color],
            markersize=3,
        )
    ax.set(xlabel="angle of z", ylabel="|series|, relative to z = 1", ylim=(1e-18, 3))
    ax.legend()


def cost(
    by_n: Mapping[str, Sequence[float]],
    n_timed: Sequence[int],
    by_nodes: Mapping[str, Sequence[float]],
    n_nodes: Sequence[int],
) -> None:
    """Seconds against the number of examples and against the number of nodes."""
    _, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.4))
    for (name, values), color in zip(by_n.items(), _THREE, strict=True):
        left.loglog(n_timed, values, "o-", label=name, color=COLORS[color])
        right.loglog(n_nodes, by_nodes[name], "o-", color=COLORS[color])

    ns = np.array(n_timed, dtype=float)
    base = min(values[0] for values in by_n.values()) / 2
    for power, text in ((0.5, "√N"), (2, "N²")):
        line = base * (ns / ns[0]) ** power
        left.loglog(ns, line, ":", color=COLORS["gray"])
        last = np.flatnonzero(line < 30 * base)[-1]
        left.annotate(
            text,
            (ns[last], line[last]),
            xytext=(-6, 6),
            ha="right",
            textcoords="offset points",
            color=COLORS["gray"],
        )
    left.set(xlabel="examples N", ylabel="seconds", ylim=(base / 2, base * 80))
    right.set(xlabel="nodes", ylabel="seconds")
    left.set_xticks(n_timed, [f"{n:,}" for n in n_timed])
    left.set_xticks([], minor=True)
    for axis in (left.yaxis, right.yaxis, right.xaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    left.legend(fontsize=9)
