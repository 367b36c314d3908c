"""The figure of the chapter on purity trees."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from reproduction.plotting import COLORS

SERIES = (
    (2, "-", "gray", "a cell is empty"),
    (0, "o", "blue", "purity trees"),
    (1, "x", "orange", "trees of height 2"),
)


def differences(sizes: Sequence[int], shares: NDArray[np.float64]) -> None:
    """Three shares of the samples of each size: two purity trees differ, two trees of
    height 2 differ, a cell is empty.
    """
    _, ax = plt.subplots(figsize=(6.6, 3.4))
    for column, mark, color, label in SERIES:
        ax.semilogx(sizes, shares[:, column], mark, label=label, color=COLORS[color])
    ax.set(xlabel="examples", ylabel="share of the samples", ylim=(-0.03, 1.05))
    ticks = [2, 8, 32, 96]
    ax.set_xticks(ticks, list(map(str, ticks)))
    ax.minorticks_off()
    ax.legend(loc="center right")
    plt.show()
