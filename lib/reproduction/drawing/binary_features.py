"""The figures of the chapter on binary features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from reproduction.plotting import COLORS, draw_structure
from treebounds.structure import TreeStructure

Case = tuple[TreeStructure, int]
Sample = NDArray[Any]


def draw_sample(ax: Axes, sample: Sample, title: str) -> None:
    """A sample as a table of zeros and ones: examples below, features to the right."""
    ax.imshow(sample, cmap="Blues", vmin=-0.25, vmax=1.6, aspect="equal")
    for (i, j), value in np.ndenumerate(sample):
        ax.text(j, i, value, ha="center", va="center", fontsize=9)
    ax.set_title(title, fontsize=10)
    columns = range(sample.shape[1])
    rows = range(len(sample))
    ax.set(xlabel="feature", ylabel="example", xticks=columns, yticks=rows)
    ax.set_xticklabels([str(j + 1) for j in columns], fontsize=9)
    ax.set_yticklabels([str(i + 1) for i in rows], fontsize=9)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)


def samples(by_title: Mapping[str, Sample]) -> None:
    """Samples side by side."""
    _, axes = plt.subplots(1, len(by_title), figsize=(7.2, 4))
    for ax, (title, sample) in zip(axes, by_title.items(), strict=True):
        draw_sample(ax, sample, title)


def figure_6(
    structures: Iterable[TreeStructure],
    lower: Mapping[Case, int],
    printed: Mapping[Case, int],
    exact: Mapping[Case, int],
) -> None:
    """Ten structures with bound, printed and exact value on 3 and on 4 features."""
    fig, axes = plt.subplots(2, 5, figsize=(8.6, 5.4))
    for ax, T in zip(axes.flat, structures, strict=True):
        draw_structure(T, ax)
        for row, d in enumerate((3, 4)):
            case = (T, d)
            color = COLORS["black"]
            if printed[case] != exact[case]:
                color = COLORS["orange"]
            ax.text(
                0.5,
                -0.12 - 0.17 * row,
                f"d = {d}:  {lower[case]} · {printed[case]} · {exact[case]}",
                transform=ax.transAxes,
                ha="center",
                fontsize=10,
                color=color,
            )
    title = "lower bound · exact value as printed · exact value"
    fig.suptitle(title, fontsize=10)


def larger_samples(items: Sequence[tuple[TreeStructure, Sample, int]]) -> None:
    """Structures with a sample that they shatter, and the size that was printed."""
    _, axes = plt.subplots(
        2, len(items), figsize=(7, 5), height_ratios=[1, 2], squeeze=False
    )
    for (top, bottom), (T, sample, printed) in zip(axes.T, items, strict=True):
        draw_structure(T, top)
        draw_sample(bottom, sample, f"{len(sample)} examples, {printed} printed")


def gaps(exact: Mapping[Case, int], lower: Mapping[Case, int]) -> None:
    """Exact values as a line, and lower bounds as dots, on 3 and on 4 features."""
    _, axes = plt.subplots(2, 1, figsize=(8.2, 6.2), sharex=True)
    for ax, d in zip(axes, (3, 4), strict=True):
        cases = sorted(
            (case for case in exact if case[1] == d),
            key=lambda case: (case[0].n_leaves, exact[case]),
        )
        values = [exact[case] for case in cases]
        ax.step(range(len(cases)), values, where="mid", color="#999999", lw=1.3)
        ax.lines[0].set_label("exact")
        _draw_bounds(ax, values, [lower[case] for case in cases])

        n = [T.n_internal_nodes for T, _ in cases]
        starts = [n.index(k) for k in sorted(set(n)) if k not in {2, 14}]
        ax.set_xticks(starts, [str(n[i]) for i in starts])
        ax.set(title=f"d = {d}", ylabel="VC dimension", ylim=(0, 2**d + 1))
    axes[0].legend(loc="lower right", ncols=2)
    axes[1].set_xlabel("number of nodes (ticks where a size begins, except 2 and 14)")


def _draw_bounds(ax: Axes, values: Sequence[int], bounds: Sequence[int]) -> None:
    """Dots for lower bounds, in a color for each difference from the value."""
    kinds = {
        0: ("blue", "equal to it"),
        1: ("orange", "one below"),
        2: ("purple", "two below"),
    }
    differences = np.subtract(values, bounds)
    for gap, (color, name) in kinds.items():
        at = np.flatnonzero(differences == gap)
        dots = np.take(bounds, at)
        label = f"lower bound, {name}"
        ax.plot(at, dots, "o", ms=4.5, color=COLORS[color], label=label)


def with_values(texts: Mapping[TreeStructure, str], title: str) -> None:
    """Structures side by side, each with a text below it."""
    fig, axes = plt.subplots(1, len(texts), figsize=(8.6, 2.6))
    for ax, (T, text) in zip(axes, texts.items(), strict=True):
        draw_structure(T, ax)
        ax.text(0.5, -0.1, text, transform=ax.transAxes, ha="center", va="top")
    fig.suptitle(title, fontsize=10)


def sample_of(structure: TreeStructure, title: str, sample: Sample) -> None:
    """One structure and a sample that it shatters."""
    _, (left, right) = plt.subplots(1, 2, figsize=(5.4, 2.4))
    draw_structure(structure, left)
    left.set_title(title)
    draw_sample(right, sample, f"{sample.shape[1]} features")
