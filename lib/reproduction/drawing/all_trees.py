"""The figure of the chapter on trees of any size."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np


def sizes(counts: Mapping[int, Mapping[int, int]]) -> None:
    """For each number of binary features, how many functions need how many leaves."""
    _, axes = plt.subplots(1, len(counts), figsize=(7, 2.6), sharey=True, squeeze=False)
    for ax, (d, count) in zip(axes[0], counts.items(), strict=True):
        leaves = np.array(sorted(count))
        weights = np.array([count[k] for k in leaves]) / 2**2**d
        ax.bar(leaves / 2**d, weights, width=0.7 / 2**d)
        ax.set(title=f"d = {d}", xlabel="leaves / $2^d$", xlim=(0, 1.2))
        ax.set_xticks((0, 0.5, 1), ("0", "0.5", "1"))
    axes[0, 0].set_ylabel("share of functions")
    plt.show()
