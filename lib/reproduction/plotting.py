"""One style for all figures of the book: vector graphics in colors that color-blind
readers distinguish.
"""

from __future__ import annotations

import io
import pathlib
from math import floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from IPython import get_ipython
from IPython.display import HTML
from matplotlib_inline.backend_inline import set_matplotlib_formats

from treebounds._validation import check_instance
from treebounds.structure import TreeStructure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from reproduction.multiway import MultiwayTree
    from treebounds.trees.array_tree import ArrayTree

# Okabe and Ito's palette without its yellow, which is hardly visible on white paper.
COLORS = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "amber": "#B97700",
    "sky": "#56B4E9",
    "black": "#222222",
    "gray": "#767676",
}
# Branches that pruning takes away.
CUT = "#BBBBBB"

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def use_book_style() -> None:
    """Set the style of the book's figures; in a notebook, also show them as vector
    graphics.

    >>> from reproduction.plotting import use_book_style
    >>> use_book_style()
    """
    plt.style.use(pathlib.Path(__file__).with_name("book.mplstyle"))
    mpl.rcParams["axes.prop_cycle"] = cycler(color=list(COLORS.values()))
    if get_ipython() is not None:
        # Files contain no date, so that two builds make the same bytes.
        set_matplotlib_formats("svg", metadata={"Date": None})
        # Numbers in the text are shown as 0.5, not as np.float64(0.5).
        np.set_printoptions(legacy="1.25")


def as_svg(figure: Figure) -> str:
    """A figure as SVG, the same bytes at every call; closed, so that a notebook does
    not show it twice.
    """
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, facecolor="white")
    plt.close(figure)
    return out.getvalue()


def draw_structure(
    structure: TreeStructure,
    ax: Axes | None = None,
    *,
    scale: float = 1.0,
    mark_symmetric: bool = False,
) -> Axes:
    """Draw a tree structure: internal nodes as filled disks, leaves as open squares.

    >>> import matplotlib.pyplot as plt
    >>> from reproduction.plotting import draw_structure
    >>> from treebounds import TreeStructure
    >>> ax = draw_structure(TreeStructure.from_nested([[None, None], None]))
    >>> plt.close(ax.figure)

    Parameters
    ----------
    structure : TreeStructure
        Up to a few hundred leaves can be distinguished.
    ax : matplotlib.axes.Axes, optional
        A new one when not given.
    scale : float
        Size of the marks; 1 is the usual size.
    mark_symmetric : bool
        Draw symmetric nodes, whose two subtrees are equal, in orange.

    Returns
    -------
    matplotlib.axes.Axes
    """
    check_instance(structure, "structure", TreeStructure)
    if ax is None:
        _, ax = plt.subplots(
            figsize=(0.5 + 0.45 * structure.n_leaves, 0.6 + 0.5 * structure.height)
        )

    places = placed(structure, lambda subtree: subtree.children)
    _draw_edges(ax, places)
    x, y = np.array([place[:2] for place in places]).T
    is_leaf = np.array([place.node.is_leaf for place in places])
    size = 48 * scale**2

    inner = [place.node for place in places if place.below]
    symmetric = [mark_symmetric and node.left == node.right for node in inner]
    faces = np.where(symmetric, COLORS["orange"], COLORS["blue"])
    disks: dict[str, Any] = {"marker": "o", "zorder": 2}
    disks |= {"facecolor": faces, "edgecolor": faces}
    ax.scatter(x[~is_leaf], y[~is_leaf], size, **disks)

    squares: dict[str, Any] = {"marker": "s", "zorder": 2}
    squares |= {"facecolor": "white", "edgecolor": COLORS["blue"]}
    ax.scatter(x[is_leaf], y[is_leaf], size, **squares)
    ax.set(xlim=(-0.7, structure.n_leaves - 0.3), ylim=(-structure.height - 0.5, 0.5))
    ax.set_axis_off()

    return ax


def draw_pruning(
    tree: ArrayTree,
    cut: Sequence[int] = (),
    next_cut: Sequence[int] = (),
    ax: Axes | None = None,
    *,
    scale: float = 1.0,
) -> Axes:
    """Draw a tree in which some nodes have become leaves, with the branches below them
    in light gray.

    Leaves are squares in the color of their class, with the number of training errors
    inside if there are any; the area grows with the examples.

    >>> import matplotlib.pyplot as plt
    >>> from reproduction.plotting import draw_pruning
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> ax = draw_pruning(tree, next_cut=[0])
    >>> plt.close(ax.figure)

    Parameters
    ----------
    tree : ArrayTree
        The full tree. Nodes keep their places from step to step.
    cut : sequence of int
        Nodes that have become leaves.
    next_cut : sequence of int
        Internal nodes to put a ring around.
    ax : matplotlib.axes.Axes, optional
    scale : float
        Size of the marks, 1 for the usual one.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if ax is None:
        _, ax = plt.subplots(
            figsize=(0.5 + 0.5 * tree.n_leaves, 0.6 + 0.5 * tree.height)
        )

    places = sorted(placed(0, tree.children), key=lambda place: place.node)
    x, y = np.array([place[:2] for place in places]).T
    is_kept = np.zeros(tree.n_nodes, dtype=bool)
    is_kept[tree.kept_nodes(cut)] = True
    is_leaf = is_kept & (tree.is_leaf | np.isin(np.arange(tree.n_nodes), cut))

    _draw_edges(ax, places, is_kept)
    area = scale**2
    ax.scatter(x[~is_kept], y[~is_kept], 14 * area, color=CUT, zorder=2)
    inner = is_kept & ~is_leaf
    ax.scatter(x[inner], y[inner], 36 * area, color=COLORS["gray"], zorder=3)
    _draw_leaves(ax, tree, x, y, is_leaf, scale)

    ring = list(next_cut)
    ax.scatter(
        x[ring],
        y[ring],
        190 * area,
        facecolor="none",
        edgecolor=COLORS["black"],
        linewidth=1.8,
        zorder=5,
    )
    ax.set(xlim=(-0.7, tree.n_leaves - 0.3), ylim=(-tree.height - 0.6, 0.6))
    ax.set_axis_off()

    return ax


def _draw_leaves(
    ax: Axes,
    tree: ArrayTree,
    x: np.ndarray,
    y: np.ndarray,
    is_leaf: np.ndarray,
    scale: float,
) -> None:
    """Draw leaves as squares in the colors of their classes, with their errors."""
    share = tree.class_counts.sum(axis=1) / tree.class_counts[0].sum()
    sizes = scale**2 * (110 + 500 * share[is_leaf])
    palette = np.array(list(COLORS.values()))[tree.labels % len(COLORS)]
    ax.scatter(x[is_leaf], y[is_leaf], sizes, c=palette[is_leaf], marker="s", zorder=3)

    for node in np.flatnonzero(is_leaf & (tree.leaf_errors > 0)):
        ax.text(
            x[node],
            y[node],
            f"{tree.leaf_errors[node]:g}",
            color="white",
            weight="bold",
            # In points: at least 9 pixels on a screen.
            size=max(7, 10 * scale),
            ha="center",
            va="center",
            zorder=4,
        )


def pruned_nodes(grown: ArrayTree, pruned: ArrayTree) -> list[int]:
    """The internal nodes of a tree that are leaves in a pruning of it.

    >>> from reproduction.plotting import pruned_nodes
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> pruned_nodes(tree, tree.collapse([0])), pruned_nodes(tree, tree)
    ([0], [])

    Raises
    ------
    ValueError
        If ``pruned`` is not a pruning of ``grown``.
    """
    cut = []
    pairs = [(0, 0)]
    while pairs:
        node, counterpart = pairs.pop()
        if pruned.is_leaf[counterpart]:
            if not grown.is_leaf[node]:
                cut.append(int(node))
            continue

        has_same_test = (
            not grown.is_leaf[node]
            and grown.feature[node] == pruned.feature[counterpart]
            and grown.threshold[node] == pruned.threshold[counterpart]
        )
        if not has_same_test:
            raise ValueError("pruned must be a pruning of grown")
        pairs += zip(grown.children(node), pruned.children(counterpart), strict=True)

    return cut


def draw_multiway(
    tree: MultiwayTree,
    features: Sequence[str],
    classes: Sequence[str],
    values: Sequence[Sequence[str]],
    ax: Axes,
) -> None:
    """Draw a multiway tree, the root on the left and the leaves one below the other.

    Parameters
    ----------
    tree : MultiwayTree
    features, classes : sequence of str
        The names of features and classes.
    values : sequence of sequences of str
        The names of the values of each feature.
    ax : matplotlib.axes.Axes
    """
    row = np.zeros(tree.n_nodes)
    row[tree.preorder[tree.is_leaf[tree.preorder]]] = np.arange(tree.n_leaves)
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        row[node] = row[tree.children(node)].mean()

    for node, (x, parent) in enumerate(zip(tree.depth, tree.parents, strict=True)):
        if node:
            value = values[tree.feature[parent]][tree.branch[node]]
            _draw_branch(ax, x, row[parent], row[node], value)

        if tree.is_leaf[node]:
            label = tree.labels[node]
            text = f"{classes[label]} ({tree.class_counts[node].sum()})"
            _draw_box(ax, x, row[node], text, ("#CFE4F2", "#F7D9C6")[label % 2])
        else:
            _draw_box(ax, x, row[node], features[tree.feature[node]], "white")

    ax.set(xlim=(-0.4, tree.height + 0.4), ylim=(tree.n_leaves - 0.4, -0.6))
    ax.axis("off")


def _draw_branch(ax: Axes, x: float, above: float, row: float, value: str) -> None:
    """Draw the line from a parent, in the row ``above``, with the value that it has."""
    fork = x - 0.58
    corners = [above, above, row, row]
    ax.plot([x - 1, fork, fork, x], corners, color="#999999", lw=1, zorder=1)
    ax.text(fork + 0.04, row - 0.06, value, va="bottom", fontsize=8)


def _draw_box(ax: Axes, x: float, y: float, text: str, fill: str) -> None:
    """Draw a text in a rounded box."""
    box = {"boxstyle": "round,pad=0.25", "fc": fill, "ec": "#666666", "lw": 0.8}
    ax.text(x, y, text, ha="center", va="center", fontsize=9, bbox=box)


class Place(NamedTuple):
    """The position of a node in a drawing, and the places of its children."""

    x: float
    y: int
    node: Any
    below: list[Place]


def placed(
    root: Any, children: Callable[[Any], Iterable[Any]], y: int = 0, first: int = 0
) -> list[Place]:
    """The places of all nodes in preorder: leaves at distance 1, parents in the middle
    of their children.
    """
    below: list[Place] = []
    descendants: list[Place] = []
    for child in children(root):
        n_leaves = sum(not place.below for place in descendants)
        subtree = placed(child, children, y - 1, first + n_leaves)
        below.append(subtree[0])
        descendants += subtree

    x = float(first)
    if below:
        x = sum(place.x for place in below) / len(below)
    return [Place(x, y, root, below), *descendants]


def _draw_edges(
    ax: Axes, places: Iterable[Place], remains: np.ndarray | None = None
) -> None:
    """Draw lines from nodes to their children; those to nodes that are not kept are
    light and in the back.
    """
    for place in places:
        for child in place.below:
            style: dict[str, Any] = {"color": COLORS["gray"], "zorder": 2}
            if remains is not None and not remains[child.node]:
                style = {"color": CUT, "zorder": 1}
            ax.plot([place.x, child.x], [place.y, child.y], linewidth=1.2, **style)


def show_table(frame: pd.DataFrame, digits: int | None = None) -> HTML:
    """A table as a chapter shows it: without index, with a given number of decimals,
    and 12,345 for 12345.

    >>> from reproduction.plotting import show_table
    >>> import pandas as pd
    >>> "0.33" in show_table(pd.DataFrame({"share": [1 / 3]}), 2).data
    True

    Parameters
    ----------
    frame : pandas.DataFrame
    digits : int, optional
        Decimals of the numbers that are not integers.

    Returns
    -------
    IPython.display.HTML
    """
    rounded = None
    if digits is not None:
        rounded = f"{{:,.{digits}f}}".format
    whole = dict.fromkeys(frame.select_dtypes("integer"), "{:,}".format)
    return HTML(
        frame.to_html(index=False, border=0, float_format=rounded, formatters=whole)
    )


def written_out(value: float, digits: int = 1) -> str:
    """A number as a page writes it: 3 × 10⁻¹⁵ for 3e-15, and 12,345 for 12345.

    >>> from reproduction.plotting import written_out
    >>> written_out(3.2e-15), written_out(0.25, 2), written_out(12345.6), written_out(0)
    ('3 × 10⁻¹⁵', '0.25', '12,346', '0')

    Parameters
    ----------
    value : float
    digits : int
        Significant digits; all digits before the decimal point are shown.

    Returns
    -------
    str
    """
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e6:
        whole = floor(log10(abs(value)))
        return f"{value:,.{max(digits - 1 - whole, 0)}f}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(SUPERSCRIPTS)}"
