"""The figures of the second chapter on growth functions."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import treebounds as tb
from reproduction.growth_forms import (
    closed_2020_growth_bound,
    corrected_loose_growth_bound,
)
from reproduction.plotting import COLORS, draw_structure
from reproduction.structures import chain
from treebounds.capacity import log_all_structures_growth_bound
from treebounds.structure import enumerate_structures

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
GREEN = COLORS["green"]
GRAY = COLORS["gray"]
SKY = COLORS["sky"]
FORMS = {
    "corrected": (ORANGE, "loose, corrected"),
    "labels": (GREEN, "closed form with labels"),
    "tight": (COLORS["black"], "Theorem 9, capped"),
    "closed": (BLUE, "closed"),
    "sharp": (SKY, "sharp"),
}


def matchings(a: int, b: int, ways: Sequence[Sequence[tuple[int, int]]]) -> None:
    """Each way to match some of a parts with some of b parts."""
    _, axes = plt.subplots(1, len(ways), figsize=(6.6, 1.4))
    for ax, pairs in zip(axes, ways, strict=True):
        for i, j in pairs:
            ax.plot([0, 1], [-i, -j - 0.5], color=ORANGE, linewidth=2.5)
        left = [-i for i in range(a)]
        right = [-j - 0.5 for j in range(b)]
        ax.scatter([0] * a, left, s=90, color=BLUE, zorder=2)
        ax.scatter([1] * b, right, s=90, color=GREEN, zorder=2)
        ax.set(xlim=(-0.4, 1.4), ylim=(-2.4, 0.4))
        ax.axis("off")
    plt.show()


def shapes() -> None:
    """All structures with two to seven leaves, each with the bound of Theorem 9 in
    bits.
    """
    _, ax = plt.subplots(figsize=(7.4, 6))
    top = 0.0
    for n_leaves in range(2, 8):
        ax.text(-6.2, top, f"{n_leaves} leaves", va="top", color=GRAY)
        row = sorted(enumerate_structures(n_leaves), key=_bits)
        for place, tree in enumerate(row):
            _draw_shape(ax, tree, place - (len(row) - 1) / 2, top)
        top -= 0.2 * n_leaves + 0.45
    ax.annotate(
        "symmetric node:\ntwo equal subtrees",
        (0.06, -0.09),
        (1.6, -0.1),
        color=ORANGE,
        va="center",
        arrowprops={"arrowstyle": "-", "color": ORANGE},
    )
    ax.set(xlim=(-6.2, 5.6), ylim=(top + 0.2, 0.1))
    ax.set_axis_off()
    plt.show()


def _bits(tree: tb.TreeStructure) -> float:
    """Theorem 9 for 100 examples, ten features and two classes."""
    return tb.log_growth_function_bound(tree, 100, 10, form="tight") / log(2)


def _draw_shape(ax: Axes, tree: tb.TreeStructure, x: float, top: float) -> None:
    """A structure with its number of bits below it."""
    width = 0.13 * tree.n_leaves
    height = 0.2 * tree.height + 0.2
    inset = ax.inset_axes(
        (x - width / 2, top - height, width, height), transform=ax.transData
    )
    draw_structure(tree, inset, scale=0.62, mark_symmetric=True)
    ax.text(
        x,
        top - 0.2 * tree.n_leaves - 0.05,
        f"{_bits(tree):.1f}",
        ha="center",
        va="top",
        fontsize=8.5,
    )


def forms(m_tight: int, m_last: int) -> None:
    """How far every bound is above the lower bound, for the chain of 20 nodes on 20
    features; the recursions up to m_tight examples, the others up to m_last.
    """
    examples = np.unique(np.geomspace(10, m_last, 60).astype(int)).tolist()
    few = [m for m in examples if m <= m_tight]
    _, ax = plt.subplots(figsize=(7, 3.9))
    for form, (color, name) in FORMS.items():
        where = examples
        if form in ("tight", "sharp"):
            where = few
        ax.plot(where, [_above(form, m) for m in where], label=name, color=color)
    of_all = [_above("all", m) for m in examples]
    ax.plot(examples, of_all, "--", color=BLUE, label="all shapes together")
    ax.axhline(log(2), color=GRAY, ls=":")
    ax.set(
        xscale="log",
        xlabel="examples m",
        ylim=(0, None),
        ylabel="nats per node above the lower bound",
    )
    ax.legend(fontsize=8.5)
    plt.show()


def _above(form: str, m: int, N: int = 20, n_features: int = 20) -> float:
    """Nats per node above the lower bound."""
    tree = chain(N)
    if form == "all":
        log_bound = log_all_structures_growth_bound(N + 1, m, n_features)
    elif form == "corrected":
        log_bound = log(corrected_loose_growth_bound(tree, m, n_features))
    elif form == "labels":
        log_bound = log(closed_2020_growth_bound(tree, m, n_features))
    else:
        log_bound = tb.log_growth_function_bound(tree, m, n_features, form=form)
    low = tb.log_growth_function_lower_bound(tree, m, n_features)
    return (min(log_bound, m * log(2)) - low) / N
