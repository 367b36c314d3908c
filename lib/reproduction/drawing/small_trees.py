"""The figures of the chapter on exact VC dimensions of small trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from reproduction.exact.shattering import find_tree
from reproduction.plotting import COLORS
from treebounds.structure import TreeStructure

Ranks = NDArray[Any]


def found_samples(samples: dict[str, tuple[TreeStructure, Ranks]]) -> None:
    """Samples of at most eight examples, by title, with one labeling and its cells."""
    _, axes = plt.subplots(1, len(samples), figsize=(8.6, 3.1))
    for ax, (title, (structure, sample)) in zip(axes, samples.items(), strict=True):
        m = len(sample)
        labels = np.zeros(m, dtype=int)
        labels[np.argsort(sample[:, 0])] = [0, 1, 1, 0, 1, 0, 0, 1][:m]
        _draw_labeled(ax, structure, sample, labels)
        ax.set_title(f"{title}: {m}")


def built_samples(samples: dict[str, tuple[TreeStructure, Ranks]]) -> None:
    """Samples by title, with random labels and the cells of a tree for them."""
    _, axes = plt.subplots(1, len(samples), figsize=(8.2, 4))
    for ax, (title, (structure, sample)) in zip(axes, samples.items(), strict=True):
        labels = np.random.default_rng(1).integers(0, 2, len(sample))
        _draw_labeled(ax, structure, sample, labels)
        ax.set_title(f"{title}: {len(sample)}")


def _draw_labeled(
    ax: Axes, structure: TreeStructure, sample: Ranks, labels: NDArray[np.int64]
) -> None:
    """A sample with its labels, and the cells of a tree that realizes them."""
    whole = [[-0.5, len(sample) - 0.5]] * 2
    _draw_cells(ax, find_tree(structure, sample, labels, "real"), whole)
    for label, marker in enumerate("os"):
        color = COLORS[("blue", "orange")[label]]
        ax.plot(*sample[labels == label].T, marker, color=color, ms=7)
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.set(xlabel="feature 1", ylabel="feature 2")


def _draw_cells(ax: Axes, tree: Any, box: Sequence[Sequence[float]]) -> None:
    """The cells of a tree on two features, colored by label."""
    if not isinstance(tree, tuple):
        (x0, x1), (y0, y1) = box
        color = COLORS[("sky", "orange")[tree]]
        ax.fill([x0, x1, x1, x0], [y0, y0, y1, y1], color=color, alpha=0.25, lw=0)
        return
    feature, threshold, left, right = tree
    low, high = ([list(side) for side in box] for _ in range(2))
    cut = min(max(threshold + 0.5, box[feature][0]), box[feature][1])
    low[feature][1] = cut
    high[feature][0] = cut
    _draw_cells(ax, left, low)
    _draw_cells(ax, right, high)


def gaps(rows: Sequence[tuple[str, int, int, int | str, int]]) -> None:
    """Ranges from the lower to the upper bound, with a dot at the exact value.

    A row has name, features, lower bound, exact value or "", and upper bound.
    """
    _, ax = plt.subplots(figsize=(7.2, 3.3))
    for y, (_, _, low, value, up) in enumerate(reversed(rows)):
        ax.plot([low, up], [y, y], "|-", color=COLORS["gray"], ms=9)
        if value != "":
            ax.plot(value, y, "o", color=COLORS["blue"])
    names = [f"{name}, {n} feature{'s' * (n > 1)}" for name, n, *_ in reversed(rows)]
    ax.set_yticks(range(len(rows)), names)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("VC dimension")
