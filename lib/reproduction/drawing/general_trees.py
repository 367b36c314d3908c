"""The figure of the chapter on growth functions."""

from __future__ import annotations

from math import log

import matplotlib.pyplot as plt
import numpy as np

import treebounds as tb
from reproduction.plotting import COLORS

BLUE = COLORS["blue"]
GRAY = COLORS["gray"]
SKY = COLORS["sky"]


def band(tree: tb.TreeStructure, n_features: int, m_last: int) -> None:
    """Both bounds on the growth function of a tree, per node, up to m_last examples."""
    N = tree.n_internal_nodes
    examples = np.unique(np.geomspace(10, m_last, 60).astype(int)).tolist()
    lower = [tb.log_growth_function_lower_bound(tree, m, n_features) for m in examples]
    upper = [
        tb.log_growth_function_bound(tree, m, n_features, form="closed")
        for m in examples
    ]
    low = np.array(lower) / N
    high = np.array(upper) / N

    _, ax = plt.subplots(figsize=(6.6, 3.2))
    ax.fill_between(examples, low, high, color=SKY, alpha=0.45, lw=0)
    ax.plot(examples, low, color=BLUE)
    ax.plot(examples, high, color=BLUE)
    all_labelings = np.array(examples) * log(2) / N
    ax.plot(examples, all_labelings, "--", color=GRAY, lw=1.2)
    ax.set(
        xscale="log",
        xlabel="examples m",
        ylim=(0, high[-1] + 1),
        ylabel="ln of the growth function / N",
    )
    # Each label stands on the outer side of its curve, clear of it.
    above = int(0.8 * len(examples))
    below = int(0.75 * len(examples))
    ax.text(examples[above], high[above] + 0.5, "upper bound", ha="right")
    ax.text(examples[below], low[below] - 0.6, "lower bound", ha="left", va="top")
    height = 0.8 * high[-1]
    ax.text(0.9 * height * N / log(2), height, "all labelings", ha="right", color=GRAY)
    plt.show()
