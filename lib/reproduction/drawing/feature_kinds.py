"""The figures of the chapter on features of several kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import treebounds as tb
from reproduction.plotting import COLORS
from treebounds.structure import TreeStructure

Case = tuple[TreeStructure, int]


def price_of_a_node(
    structure: TreeStructure, kinds: Mapping[str, tb.FeatureKinds]
) -> None:
    """The logarithm of the growth bound per node against the number of examples."""
    examples = np.unique(np.geomspace(20, 10**6, 60).astype(int)).tolist()
    colors = ("blue", "purple", "black", "green", "orange")
    _, ax = plt.subplots(figsize=(7.2, 3.7))
    for (name, features), color in zip(kinds.items(), colors, strict=True):
        nats = [
            tb.log_growth_function_bound(structure, m, features, form="closed")
            for m in examples
        ]
        per_node = np.array(nats) / structure.n_internal_nodes
        ax.plot(examples, per_node, color=COLORS[color], label=name)
    ax.set(xscale="log", xlabel="examples m", ylim=(0, None))
    ax.set_ylabel("ln of the growth bound / N")
    ax.legend(fontsize=8.5, loc="upper left", bbox_to_anchor=(1, 1))


def on_binary_features(
    known: Mapping[Case, int],
    kinds_bound: Mapping[Case, int],
    rank_bound: Mapping[Case, int],
) -> None:
    """Exact VC dimensions on four binary features below two upper bounds."""
    cases = sorted(
        (case for case in known if case[1] == 4),
        key=lambda case: (case[0].n_internal_nodes, known[case]),
    )
    where = np.arange(len(cases))
    _, ax = plt.subplots(figsize=(7.2, 3.4))
    exact = [known[case] for case in cases]
    by_rank = [rank_bound[case] for case in cases]
    by_kinds = [kinds_bound[case] for case in cases]
    ax.step(where, exact, where="mid", color=COLORS["blue"], label="exact")
    ax.plot(where, by_rank, "x", color=COLORS["gray"], ms=5, label="rank, functions")
    square: dict[str, Any] = {"color": COLORS["orange"], "ms": 4, "mfc": "none"}
    ax.plot(where, by_kinds, "s", label="this chapter", **square)
    ax.set(xlabel="structures", ylabel="VC dimension, 4 binary features")
    ax.set(ylim=(0, 17.5), xticks=[])
    ax.legend(fontsize=8.5, loc="lower right")


def two_recursions(
    structure: TreeStructure,
    panels: Sequence[tuple[str, tb.FeatureKinds, Callable[[int], int]]],
) -> None:
    """The bound of another recursion and ours, against the number of examples.

    A panel has a title, the features, and the other bound for m examples.
    """
    few = np.unique(np.geomspace(4, 400, 40).astype(int)).tolist()
    _, axes = plt.subplots(1, len(panels), figsize=(7.2, 3.1), sharey=True)
    for ax, (title, kinds, other) in zip(axes, panels, strict=True):
        theirs = [log(other(m)) for m in few]
        ours = [tb.log_growth_function_bound(structure, m, kinds) for m in few]
        ax.plot(few, theirs, color=COLORS["orange"], label="program of 2022")
        ax.plot(few, ours, color=COLORS["blue"], label="this chapter")
        ax.plot(few, [m * log(2) for m in few], "--", color=COLORS["gray"], lw=1)
        ax.set(xscale="log", xlabel="examples m", ylim=(0, 28), title=title)
    axes[0].set_ylabel("ln of the bound")
    axes[0].legend(fontsize=8.5, loc="upper left")
