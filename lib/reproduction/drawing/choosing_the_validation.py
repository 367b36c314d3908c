"""The figures of the chapter on choosing the validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from reproduction.experiments.validation_curves import Curve
from reproduction.plotting import COLORS


def distances(
    hold_out: Mapping[str, Curve], cross: Mapping[str, Curve], n_examples: int
) -> None:
    """How far each estimate is from the mean error, a panel for each rule."""
    figure, axes = plt.subplots(1, len(cross), figsize=(8, 3.2), sharey=True)
    for ax, (name, curve) in zip(axes, cross.items(), strict=True):
        single = hold_out[name]
        share_held_out = single.at / n_examples
        color = COLORS["orange"]
        ax.semilogx(
            share_held_out, single.distance, "--", label="hold-out", color=color
        )
        share = 1 / curve.at
        ax.semilogx(
            share,
            curve.distance,
            "o-",
            markersize=4,
            label="cross-validation",
            color=COLORS["blue"],
        )
        gray = COLORS["gray"]
        ax.semilogx(share, np.abs(curve.bias), lw=0.9, label="its bias", color=gray)
        ax.set(title=name, xlabel="share held out", ylim=(0, 0.2))
        ax.set_xticks([0.01, 0.1, 0.5], ["1 %", "10 %", "50 %"])
        ax.minorticks_off()
    axes[0].set_ylabel("distance from the mean error")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, ncols=3, fontsize=9, loc="outside upper center")


def shortcuts(
    cross: Mapping[str, Curve],
    wrong: Mapping[str, Sequence[NDArray[np.float64]]],
) -> None:
    """The deviation of cross-validation, exact and by three wrong covariances."""
    figure, axes = plt.subplots(1, len(cross), figsize=(8, 3.2), sharey=True)
    highest = max(np.sqrt(curve.variance).max() for curve in cross.values())
    for ax, (name, curve) in zip(axes, cross.items(), strict=True):
        alone, overlapping, same = wrong[name]
        for variance, style, label, color in (
            (curve.variance, "o-", "exact", "blue"),
            (overlapping, "s--", "two trees, overlapping", "orange"),
            (same, "x--", "two trees, one sample", "purple"),
            (alone, ":", "independent", "gray"),
        ):
            ax.semilogx(
                curve.at,
                np.sqrt(variance),
                style,
                label=label,
                color=COLORS[color],
                markersize=4,
            )
        ax.set(title=name, xlabel="folds", ylim=(0, 1.1 * highest))
        ticks = [2, 5, 10, 20, 50, 200]
        ax.set_xticks(ticks, ticks)
        ax.minorticks_off()
    axes[0].set_ylabel("standard deviation of CE")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, ncols=2, fontsize=9, loc="outside upper center")
