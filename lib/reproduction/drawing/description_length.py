"""The figures of the chapter on trees as messages, and how its table writes counts."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, log, pi
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from reproduction.plotting import COLORS


def message(telegram: dict[str, Any]) -> Figure:
    """The cost of each part of a message, as one bar."""
    n_nodes = telegram["n_nodes"]
    nats = {name: telegram[name] for name in ("shape", "sides", "labels")}
    nats["features"] = n_nodes * log(telegram["n_features"])
    nats["examples"] = log(comb(telegram["n_examples"], n_nodes))
    nats["leaves"] = log(pi**2 / 6) + 2 * log(n_nodes + 1)

    figure, ax = plt.subplots(figsize=(6.6, 1.9))
    start = 0
    for color, (name, width) in zip(COLORS.values(), nats.items(), strict=False):
        ax.barh(0, width, left=start, color=color, label=f"{name} {width:.1f}")
        start += width
    ax.set(xlabel="nats", yticks=[])
    ax.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def gaps_by_size(
    samples: NDArray[np.float64],
    sizes: NDArray[np.int64],
    allowed: dict[str, list[float]],
) -> None:
    """The largest gap of each size in every sample, and two limits above it."""
    _, ax = plt.subplots(figsize=(6.2, 3.0))
    ns = sorted(set(sizes.tolist()))
    for n in ns:
        largest = samples[:, sizes == n].max(axis=1)
        low, high = np.quantile(largest, [0.05, 0.95])
        ax.plot([n, n], [low, high], lw=10, color=COLORS["sky"], solid_capstyle="butt")
        ax.plot([n, n], [high, largest.max()], lw=1.5, color=COLORS["sky"])

    styles = (("orange", 8), ("green", -16))
    for (name, line), (color, above) in zip(allowed.items(), styles, strict=True):
        ax.plot(ns, line, "o-", color=COLORS[color])
        ax.annotate(
            name,
            (ns[1], line[1]),
            xytext=(6, above),
            textcoords="offset points",
            color=COLORS[color],
        )
    ax.set(xlabel="nodes $n$", ylabel="$L_D - L_S$", xticks=ns, ylim=(0, None))


def bounds_by_size(bounds: dict[int, Sequence[float]]) -> None:
    """The bound of the best tree of each size, a curve for each sample."""
    _, ax = plt.subplots(figsize=(6.4, 3.0))
    shades = plt.get_cmap("viridis")(np.linspace(0, 0.65, len(bounds)))
    for (m, values), color in zip(bounds.items(), shades, strict=True):
        ax.plot(values, "o-", color=color, ms=4)
        k = int(np.argmin(values))
        ax.plot(k, values[k], "o", ms=11, mfc="none", color=color)
        ax.annotate(
            f"m = {m}",
            (len(values) - 1, values[-1]),
            xytext=(8, -3),
            textcoords="offset points",
            color=color,
        )
    k_max = max(map(len, bounds.values())) - 1
    ax.set(
        xlabel="internal nodes",
        ylabel="risk bound",
        xticks=range(k_max + 1),
        xlim=(-0.3, k_max + 0.9),
    )


def legible(n: int) -> str:
    """A count as a formula: all its digits up to a million, then two.

    >>> from reproduction.drawing.description_length import legible
    >>> legible(12345), legible(3 * 10**9)
    ('12,345', '$3.0 \\\\cdot 10^{9}$')
    """
    if n < 10**6:
        return f"{n:,}"
    digits, exponent = f"{n:.1e}".split("e")
    return rf"${digits} \cdot 10^{{{int(exponent)}}}$"
