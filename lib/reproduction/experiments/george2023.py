"""Drawings for the chapters on the CS229 notes: small decision trees, and their regions
in the plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Rectangle

from reproduction.plotting import COLORS, Place, placed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Light tints of the book's colors, on which dark text and dots are legible.
FILLS = (
    "#B9D9EC",
    "#F6CFB4",
    "#B5E2D3",
    "#EBD3E1",
    "#E9DAB8",
    "#D8D8D8",
    "#D5EAF7",
    "#C9C2E4",
)


def draw_tree(
    tree: Any,
    ax: Axes,
    names: Sequence[str] = ("$x_1$", "$x_2$"),
    fills: Sequence[str] = FILLS,
    labels: bool = True,
) -> None:
    """Draw a tree of nested tuples: tests in boxes, leaves in the colors of their
    regions.

    >>> from reproduction.experiments.george2023 import draw_tree
    >>> import matplotlib.pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> draw_tree((0, 1.5, "$w_1$", "$w_2$"), ax)
    >>> plt.close(figure)

    Parameters
    ----------
    tree : nested tuple
        ``(feature, threshold, left, right)``, with ``x[feature] >= threshold`` to the
        right; anything else is a leaf, which is shown as a string.
    ax : matplotlib.axes.Axes
    names : sequence of str
        Names of the features.
    fills : sequence of str
        Colors of the leaves, from left to right.
    labels : bool
        Whether the branches of the root have the labels "no" and "yes".
    """
    places = placed(tree, _subtrees)
    for x, y, subtree, below in places:
        if not below:
            _box(ax, x, y, str(subtree), fills[int(x) % len(fills)], "none")
            continue

        for child in below:
            line: dict[str, Any] = {
                "color": COLORS["gray"],
                "linewidth": 1.4,
                "zorder": 1,
            }
            ax.plot([x, child.x], [y, child.y], **line)
        if labels and y == 0:
            _label_branches(ax, x, *below)

        feature, threshold, *_ = subtree
        value = f"${threshold}$"
        if isinstance(threshold, int | float):
            value = f"{threshold:g}"
        _box(ax, x, y, rf"{names[feature]} $\geq$ {value}", "white", COLORS["black"])

    across, up, *_ = zip(*places, strict=True)
    ax.set(xlim=(-0.75, max(across) + 0.75), ylim=(min(up) - 0.45, 0.45))
    ax.axis("off")


def _subtrees(tree: Any) -> tuple[Any, ...]:
    """The two subtrees of a nested tuple; none for a leaf."""
    if isinstance(tree, tuple):
        return tree[2:]
    return ()


def _label_branches(ax: Axes, x: float, left: Place, right: Place) -> None:
    """The words "no" and "yes" beside the branches of the root."""
    style: dict[str, Any] = {"va": "center", "color": "#555555", "fontsize": 9}
    ax.text((x + left.x) / 2 - 0.07, -0.45, "no", ha="right", **style)
    ax.text((x + right.x) / 2 + 0.07, -0.45, "yes", ha="left", **style)


def draw_regions(
    boxes: Sequence[tuple[Sequence[float], Sequence[float], Any]],
    ax: Axes,
    extent: tuple[float, float, float, float],
    fills: Sequence[str] = FILLS,
    names: Sequence[str] = ("$x_1$", "$x_2$"),
    labels: bool = True,
) -> None:
    """Fill the regions of a tree in the plane, each in the color of its leaf.

    >>> from reproduction.experiments.george2023 import draw_regions
    >>> import matplotlib.pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> draw_regions([((0, 0), (1, 1), "$w_1$")], ax, extent=(0, 1, 0, 1))
    >>> plt.close(figure)

    Parameters
    ----------
    boxes : sequence of (lower, upper, value)
        Corners of each region; infinite ones are cut off at the extent.
    ax : matplotlib.axes.Axes
    extent : tuple
        Left, right, bottom and top of the picture.
    fills, names
        As in :func:`draw_tree`.
    labels : bool
        Whether each region shows its value.
    """
    left, right, bottom, top = extent
    for i, (lower, upper, value) in enumerate(boxes):
        x0 = max(lower[0], left)
        y0 = max(lower[1], bottom)
        x1 = min(upper[0], right)
        y1 = min(upper[1], top)
        if x0 >= x1 or y0 >= y1:
            continue

        fill = fills[i % len(fills)]
        ax.add_patch(
            Rectangle(
                (x0, y0),
                x1 - x0,
                y1 - y0,
                facecolor=fill,
                edgecolor="white",
                linewidth=2,
            )
        )
        if labels:
            ax.text(
                (x0 + x1) / 2,
                (y0 + y1) / 2,
                str(value),
                ha="center",
                va="center",
                fontsize=12,
            )

    ax.set(xlim=(left, right), ylim=(bottom, top), xlabel=names[0], ylabel=names[1])
    ax.grid(False)


def _box(ax: Axes, x: float, y: float, text: str, fill: str, edge: str) -> None:
    """Text in a rounded box around a point."""
    style = {
        "boxstyle": "round,pad=0.45",
        "facecolor": fill,
        "edgecolor": edge,
        "linewidth": 1.2,
    }
    ax.text(x, y, text, ha="center", va="center", fontsize=10, bbox=style, zorder=2)
