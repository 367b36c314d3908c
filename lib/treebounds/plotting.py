"""One style for every figure of the book: vector graphics, colors that color-blind readers can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler

from treebounds.structure import TreeStructure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from treebounds.trees.array_tree import ArrayTree

__all__ = ["COLORS", "draw_pruning", "draw_structure", "use_book_style"]

# Okabe and Ito's palette, without the yellow that vanishes on white paper
COLORS = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "amber": "#B97700",
    "sky": "#56B4E9",
    "black": "#222222",
    "grey": "#767676",
}

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=list(COLORS.values())),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "figure.figsize": (6.6, 3.8),
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": "#E3E3E3",
    "legend.frameon": False,
    "lines.linewidth": 1.7,
    "savefig.facecolor": "white",
    # text stays text: searchable, small files, and identical bytes from run to run
    "svg.fonttype": "none",
    "svg.hashsalt": "treebounds",
}


def use_book_style() -> None:
    """Set the style of the book's figures; in a notebook, also show them as vector graphics.

    >>> use_book_style()
    """
    mpl.rcParams.update(_STYLE)
    try:
        from IPython import get_ipython
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    if get_ipython() is not None:
        # no date inside the file, so that two builds give the same bytes
        set_matplotlib_formats("svg", metadata={"Date": None})
        # a number of the text is written as the number, not as np.float64(...)
        np.set_printoptions(legacy="1.25")


def draw_structure(structure: TreeStructure, ax: Axes | None = None) -> Axes:
    """Draw a tree structure: internal nodes as filled disks, leaves as open squares.

    Parameters
    ----------
    structure : TreeStructure
        Up to a few hundred leaves can be told apart.
    ax : matplotlib.axes.Axes, optional
        A new one when not given.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> ax = draw_structure(TreeStructure.from_nested([[None, None], None]))
    >>> plt.close(ax.figure)
    """
    if not isinstance(structure, TreeStructure):
        raise ValueError(f"structure must be a TreeStructure; got {type(structure).__name__}")
    if ax is None:
        _, ax = plt.subplots(figsize=(0.5 + 0.45 * structure.n_leaves, 0.6 + 0.5 * structure.height))
    x, y, children = _layout(structure)
    for node, pair in children.items():
        for child in pair:
            ax.plot([x[node], x[child]], [y[node], y[child]], color=COLORS["grey"], linewidth=1.2, zorder=1)
    leaves = [node for node in range(len(y)) if node not in children]
    for nodes, marker, face in ((list(children), "o", COLORS["blue"]), (leaves, "s", "white")):
        where = [x[node] for node in nodes], [y[node] for node in nodes]
        ax.scatter(*where, 48, facecolor=face, edgecolor=COLORS["blue"], marker=marker, zorder=2)
    ax.set_xlim(-0.7, structure.n_leaves - 0.3)
    ax.set_ylim(-structure.height - 0.5, 0.5)
    ax.set_axis_off()
    return ax


def draw_pruning(
    tree: ArrayTree, cut: Sequence[int] = (), next_cut: Sequence[int] = (), ax: Axes | None = None
) -> Axes:
    """Draw a tree in which some nodes have become leaves, with what was below them in pale grey.

    Leaves are squares in the color of their class, with the number of training errors inside if there are
    any; the area grows with the examples.

    Parameters
    ----------
    tree : ArrayTree
        The full tree. Nodes keep their places from step to step.
    cut : sequence of int
        Nodes that have become leaves.
    next_cut : sequence of int
        Internal nodes to put a ring around.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree([1, -1, -1], [2, -1, -1], [0, 0, 0], [0.5, 0, 0], [[3, 4], [3, 0], [0, 4]], 1)
    >>> ax = draw_pruning(tree, next_cut=[0])
    >>> plt.close(ax.figure)
    """
    if ax is None:
        _, ax = plt.subplots(figsize=(0.5 + 0.5 * tree.n_leaves, 0.6 + 0.5 * tree.height))
    x, y = _places(tree), -tree.depth
    kept = np.zeros(tree.n_nodes, dtype=bool)
    kept[tree.kept_nodes(cut)] = True
    leaf = kept & (tree.is_leaf | np.isin(np.arange(tree.n_nodes), cut))
    for node in range(1, tree.n_nodes):
        parent = tree.parents[node]
        color = COLORS["grey"] if kept[node] else "#DDDDDD"
        ax.plot([x[parent], x[node]], [y[parent], y[node]], color=color, linewidth=1.2, zorder=1 + kept[node])
    ax.scatter(x[~kept], y[~kept], 14, color="#DDDDDD", zorder=2)
    ax.scatter(x[kept & ~leaf], y[kept & ~leaf], 36, color=COLORS["grey"], zorder=3)
    share = tree.class_counts.sum(axis=1) / tree.class_counts[0].sum()
    palette = np.array(list(COLORS.values()))[tree.labels % len(COLORS)]
    ax.scatter(x[leaf], y[leaf], 110 + 500 * share[leaf], c=palette[leaf], marker="s", zorder=3)
    wrong = leaf & (tree.leaf_errors > 0)
    for across, up, errors in zip(x[wrong], y[wrong], tree.leaf_errors[wrong], strict=True):
        ax.text(across, up, f"{errors:g}", color="white", weight="bold", ha="center", va="center", zorder=4)
    ring = list(next_cut)
    ax.scatter(x[ring], y[ring], 190, facecolor="none", edgecolor=COLORS["black"], linewidth=1.8, zorder=5)
    ax.set(xlim=(-0.7, tree.n_leaves - 0.3), ylim=(-tree.height - 0.6, 0.6))
    ax.set_axis_off()
    return ax


def _places(tree: ArrayTree) -> np.ndarray:
    """Across: leaves one apart in the tree's own order, parents between their children."""
    x = np.zeros(tree.n_nodes)
    for node in range(1, tree.n_nodes):  # first the leaves left of each subtree
        parent = tree.parents[node]
        left = tree.children_left[parent]
        x[node] = x[parent] + (tree.subtree_leaves[left] if node != left else 0)
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        x[node] = (x[tree.children_left[node]] + x[tree.children_right[node]]) / 2
    return x


def _layout(structure: TreeStructure) -> tuple[dict[int, float], list[int], dict[int, list[int]]]:
    """Across and height of the nodes in preorder, parents between their children; children of each."""
    y: list[int] = []
    children: dict[int, list[int]] = {}
    stack = [(structure, -1, 0)]
    while stack:
        subtree, parent, height = stack.pop()
        if parent >= 0:
            children.setdefault(parent, []).append(len(y))
        stack.extend((child, len(y), height - 1) for child in reversed(subtree.children))
        y.append(height)
    leaves = [node for node in range(len(y)) if node not in children]
    x = {leaf: float(place) for place, leaf in enumerate(leaves)}
    for node in reversed(children):
        x[node] = sum(x[child] for child in children[node]) / 2
    return x, y, children
