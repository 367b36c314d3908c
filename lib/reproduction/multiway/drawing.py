"""Drawing multiway trees: the root on the left, one row for each leaf."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from reproduction.multiway.tree import MultiwayTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_multiway"]

_LEAF_COLORS = ("#CFE4F2", "#F7D9C6", "#CDEBDF", "#F2E2CD", "#F3DCE8", "#E4E4E4")


def plot_multiway(
    tree: MultiwayTree,
    node_text: Callable[[int], str],
    branch_text: Callable[[int], str],
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree with matplotlib.

    Parameters
    ----------
    tree : MultiwayTree
    node_text, branch_text : callable
        Text of a node, and of the branch that leads to it.
    ax : matplotlib.axes.Axes, optional
        By default a new figure, whose height follows from the number of leaves.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if ax is None:
        size = 2.2 * (tree.height + 1), 0.32 * tree.n_leaves + 0.4
        ax = plt.subplots(figsize=size)[1]
    row = _rows(tree)
    for node in range(tree.n_nodes):
        if node:
            above = tree.parents[node]
            fork, x = tree.depth[above] + 0.42, tree.depth[node]
            ax.plot([x - 1, fork, fork, x], row[[above, above, node, node]], color="#999999", lw=1, zorder=1)
            ax.text(fork + 0.04, row[node] - 0.06, branch_text(node), ha="left", va="bottom", fontsize=8)
        face = _LEAF_COLORS[tree.labels[node] % len(_LEAF_COLORS)] if tree.is_leaf[node] else "white"
        box = {"boxstyle": "round,pad=0.25", "facecolor": face, "edgecolor": "#666666", "linewidth": 0.8}
        ax.text(tree.depth[node], row[node], node_text(node), ha="center", va="center", fontsize=9, bbox=box)
    ax.set(xlim=(-0.4, tree.height + 0.4), ylim=(tree.n_leaves - 0.4, -0.6))
    ax.axis("off")
    return ax


def _rows(tree: MultiwayTree) -> np.ndarray:
    """Vertical position of every node: leaves one below the other in preorder, a parent midway."""
    row = np.zeros(tree.n_nodes)
    row[tree.preorder[tree.is_leaf[tree.preorder]]] = np.arange(tree.n_leaves)
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        below = row[tree.children(node)]
        row[node] = (below.min() + below.max()) / 2
    return row
