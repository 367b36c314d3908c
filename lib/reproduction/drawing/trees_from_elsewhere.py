"""The figure of the chapter on trees from other libraries."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from reproduction.plotting import COLORS


def leaves_and_certificates(
    trees: dict[str, Any], pruned: dict[str, Any], certificates: dict[str, Any]
) -> None:
    """Leaves before and after pruning, and above them errors and their limits."""
    _, (top, bottom) = plt.subplots(
        2, 1, figsize=(7, 4), sharex=True, height_ratios=[1, 1.4]
    )
    where = np.arange(len(trees))
    blue = COLORS["blue"]
    gray = COLORS["gray"]

    for i, certificate in enumerate(certificates[name] for name in trees):
        error = 100 * certificate.n_errors / certificate.n_examples
        limit = 100 * certificate.value
        top.plot([i, i], [error, limit], color=gray, zorder=1)
        top.plot(i, error, "o", color=blue)
        top.plot(i, limit, "_", color=blue, ms=14)

    before = [tree.n_leaves for tree in trees.values()]
    after = [tree.n_leaves for tree in pruned.values()]
    bottom.bar(where - 0.2, before, 0.36, color=gray, label="as it was grown")
    bottom.bar(where + 0.2, after, 0.36, color=blue, label="pruned")
    top.set(ylabel="errors, %", ylim=(0, None))
    bottom.set(ylabel="leaves", xticks=where, xticklabels=list(trees))
    bottom.legend(loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=2)
