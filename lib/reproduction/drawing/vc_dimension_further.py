"""The figure of the chapter on further facts about the VC dimension of trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import treebounds as tb
from reproduction.plotting import COLORS
from treebounds.capacity import one_sided_stump_vc_dimension, stump_vc_dimension
from treebounds.structure import TreeStructure

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
GRAY = COLORS["gray"]
Upper = Callable[[int], float]


def bounds(
    v: Upper, chain: Callable[[int], TreeStructure], chain_nodes: Sequence[int]
) -> None:
    """The bounds of the theorem per node, against features and against nodes."""
    _, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.3))
    _against_features(left, v)
    _against_nodes(right, v, chain, chain_nodes)
    for ax in (left, right):
        ax.set(ylim=(0, 21), yticks=range(0, 21, 5))


def _against_features(ax: Axes, v: Upper) -> None:
    """Both sides per node, and the logarithm between them."""
    counts = np.unique(np.geomspace(1, 10_000, 400).astype(int)).tolist()
    lower = [one_sided_stump_vc_dimension(l) for l in counts]
    ax.semilogx(counts, [v(l) for l in counts], color=ORANGE)
    ax.semilogx(counts, np.log2(counts), "--", color=GRAY)
    ax.step(counts, lower, where="post", color=BLUE)
    ax.text(300, 16, "$v(\\ell)$", color=ORANGE, ha="right")
    ax.text(4000, 10.2, "$\\log_2 \\ell$", color=GRAY)
    ax.text(30, 8, "$g(\\ell)$", color=BLUE, ha="right")
    ax.set(xlabel="features ℓ", ylabel="examples per node")


def _against_nodes(
    ax: Axes,
    v: Upper,
    chain: Callable[[int], TreeStructure],
    chain_nodes: Sequence[int],
) -> None:
    """For chains on a hundred features: both sides, older rules, the recursion."""
    nodes = np.arange(1, max(chain_nodes) + 1)
    chains = [tb.vc_dimension_upper_bound(chain(N), 100) / N for N in chain_nodes]
    ax.semilogx(nodes, 1 / nodes + v(100), color=ORANGE)
    ax.semilogx(chain_nodes, chains, "o", color=COLORS["green"])
    ax.semilogx(nodes, 1 / nodes + one_sided_stump_vc_dimension(100), color=BLUE)
    added = 1 + (stump_vc_dimension(100) - 1) / nodes
    ax.semilogx(nodes, added, ":", color=BLUE)
    ax.semilogx(nodes, np.log2(200 * nodes), "--", color=GRAY)
    ax.text(nodes[-1], 2.4, "adding", color=BLUE, ha="right")
    ax.minorticks_off()
    ax.set_xticks(chain_nodes, [str(N) for N in chain_nodes])
    ax.set(xlabel="internal nodes N", ylabel="VC dimension / N")
