"""One style for every figure of the book: vector graphics, colors that color-blind readers can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler

from treebounds.structure import TreeStructure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLORS", "draw_structure", "use_book_style"]

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
    # a number of the text is written as the number, not as np.float64(...)
    np.set_printoptions(legacy="1.25")
    try:
        from IPython import get_ipython
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    if get_ipython() is not None:
        # no date inside the file, so that two builds give the same bytes
        set_matplotlib_formats("svg", metadata={"Date": None})


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
