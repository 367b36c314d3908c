"""The figures of the chapter on pruning with a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import ConnectionPatch

from reproduction.plotting import COLORS, draw_pruning
from treebounds.pruning import BoundRule
from treebounds.pruning.bound import BoundPath
from treebounds.trees import ArrayTree


def cuts(tree: ArrayTree, path: BoundPath, figsize: tuple[float, float]) -> None:
    """One panel for each step of a path: the tree, its bound, and the next cut."""
    steps = range(len(path.bounds))
    _, axes = plt.subplots(1, len(steps), figsize=figsize)
    for step, ax in zip(steps, np.atleast_1d(axes), strict=True):
        following = np.flatnonzero(path.steps == step + 1)
        if step >= path.best:
            following = following[:0]
        draw_pruning(tree, path.nodes(step).tolist(), following.tolist(), ax)
        title = (
            f"bound {path.bounds[step]:.3f}\n"
            f"leaves: {path.n_leaves[step]}, errors: {path.n_errors[step]:.0f}"
        )
        ax.set_title(title, fontsize=11, loc="center")


def price_of_a_leaf(costs: Mapping[str, Sequence[float]]) -> None:
    """What the second, third, ... leaf of a chain costs, for each growth function."""
    _, ax = plt.subplots(figsize=(6.6, 3.2))
    styles = {
        "loose": ("orange", "-"),
        "tight": ("blue", "-"),
        "closed": ("sky", "--"),
        "all-structures": ("green", "-"),
    }
    for form, cost in costs.items():
        color, line = styles[form]
        leaves = range(2, len(cost) + 2)
        ax.plot(leaves, cost, line, color=COLORS[color], label=form)
    ax.axhline(1, color=COLORS["gray"], linewidth=0.8)
    ax.set(xlabel="leaves", ylabel="errors per leaf", xticks=range(2, 21, 2))
    ax.set_ylim(0, None)
    ax.legend(ncols=2)


def priors(tree: ArrayTree, exponents: Mapping[float, str]) -> None:
    """The bound along the weakest-link sequence, and the tree at its minimum, for each
    prior 2^-exponent, in a color.
    """
    fig, axes = plt.subplot_mosaic(
        [[str(exponent) for exponent in exponents], ["bound"] * len(exponents)],
        figsize=(7.4, 5.0),
        height_ratios=(1, 1.1),
    )
    ax = axes["bound"]
    for exponent, color in exponents.items():
        path = BoundRule(error_prior_ratio=2.0**-exponent).path(tree)
        name = f"$r = 2^{{-{exponent:g}}}$"
        minimum = _bound_along(ax, path, name, COLORS[color])
        above = axes[str(exponent)]
        _tree_above(above, tree, path, name, COLORS[color])
        line = ConnectionPatch(
            (0.5, 0),
            minimum,
            "axes fraction",
            "data",
            axesA=above,
            axesB=ax,
            color="#BBBBBB",
            linewidth=0.8,
            shrinkB=6,
        )
        fig.add_artist(line)

    most = path.n_leaves[0]
    ax.axhline(1, color=COLORS["gray"], linewidth=0.8, linestyle="--")
    ax.set(xlabel="leaves", ylabel="bound on the risk", yscale="log")
    ax.set(xlim=(-1.2, most + 0.6), xticks=range(2, most + 1, 2))
    ax.set_yticks([0.5, 1, 2, 5, 10], ["0.5", "1", "2", "5", "10"])
    ax.minorticks_off()


def _bound_along(
    ax: Axes, path: BoundPath, name: str, color: str
) -> tuple[float, float]:
    """Draw the bounds of a path with a ring around the smallest; return its place."""
    minimum = (path.n_leaves[path.best], path.bounds[path.best])
    ax.plot(path.n_leaves, path.bounds, "o-", color=color, markersize=4)
    ax.plot(*minimum, "o", markersize=11, fillstyle="none", color="black")
    ax.text(0.7, path.bounds[-1], name, color=color, ha="right")
    return minimum


def _tree_above(
    ax: Axes, tree: ArrayTree, path: BoundPath, name: str, color: str
) -> None:
    """Draw the tree that a path ends with."""
    draw_pruning(tree, path.nodes(path.best).tolist(), ax=ax, scale=0.65)
    title = (
        f"{name}: {path.n_leaves[path.best]} leaves,\n"
        f"training errors: {path.n_errors[path.best]:.0f}"
    )
    ax.set_title(title, loc="center", color=color)
