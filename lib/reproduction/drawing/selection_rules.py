"""The figure of the chapter on selection rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt

from reproduction.plotting import COLORS
from reproduction.random_trees import JointDistribution

_LOOK = {
    "random": ("black", 1.5, 1.0),
    "information-gain": ("sky", 7.0, 0.6),
    "gini": ("orange", 3.5, 0.8),
    "gain-ratio": ("blue", 1.2, 1.0),
}


def mean_errors(
    sizes: Sequence[int],
    curves: Mapping[tuple[str, str, str], Sequence[float]],
    sources: Mapping[str, JointDistribution],
    rules: Sequence[str],
    names: Mapping[str, str],
) -> None:
    """The mean error over the sample size for each way to choose the attribute."""
    fig, axes = plt.subplots(
        len(sources), len(rules), figsize=(8.4, 5.2), sharex=True, sharey=True
    )
    for row, (source, joint) in zip(axes, sources.items(), strict=True):
        for ax, rule in zip(row, rules, strict=True):
            for selection, name in names.items():
                _curve(ax, sizes, curves[source, rule, selection], selection, name)
            ax.axhline(joint.bayes_error, linewidth=0.8, color=COLORS["gray"])
            ax.set(title=f"{source}, {rule}", ylim=(0, 0.55))
            ax.set_xticks([2, 8, 32, 128, 512], [2, 8, 32, 128, 512])
            ax.minorticks_off()
    for ax in axes[-1]:
        ax.set_xlabel("examples")
    for ax in axes[:, 0]:
        ax.set_ylabel("mean error")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    fig.legend(handles, labels, ncols=4, fontsize=9, loc="outside upper center")


def _curve(
    ax: plt.Axes,
    sizes: Sequence[int],
    means: Sequence[float],
    selection: str,
    name: str,
) -> None:
    """One curve in the color and width of its rule."""
    color, width, alpha = _LOOK[selection]
    ax.semilogx(
        sizes, means, color=COLORS[color], label=name, linewidth=width, alpha=alpha
    )
