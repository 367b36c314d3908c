"""The figure of the chapter on generic pruning."""

from __future__ import annotations

import matplotlib.pyplot as plt

from reproduction.multiway import MultiwayTree
from reproduction.plotting import draw_multiway


def grafted(grown: MultiwayTree, pruned: MultiwayTree) -> None:
    """A tree of three features a, b and c, and what pruning makes of it."""
    _, axes = plt.subplots(1, 2, figsize=(8.4, 2.6), width_ratios=[2, 1])
    for tree, ax in zip((grown, pruned), axes, strict=True):
        draw_multiway(tree, "abc", "01", ["01"] * 3, ax)
    plt.show()
