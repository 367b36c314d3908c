"""The figures of the chapter on gradient boosting."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from reproduction.plotting import COLORS

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
Floats = NDArray[np.float64]
Model = Callable[[Floats], Floats]


def stages_on_a_wave(
    x: Floats,
    labels: Floats,
    line: Floats,
    stages: dict[int, tuple[Model, Floats, DecisionTreeRegressor]],
) -> None:
    """The model after some rounds above its residuals and the next tree."""
    _, axes = plt.subplots(
        2, len(stages), figsize=(8.4, 4.6), sharex=True, sharey="row"
    )
    for (above, below), (rounds, stage) in zip(axes.T, stages.items(), strict=True):
        model, residuals, next_tree = stage
        above.plot(x, labels, "o", color="#8DBFDD", markersize=3)
        above.plot(line, model(line)[-1], color=BLUE)
        below.plot(x, residuals, "o", color="#F0B593", markersize=3)
        below.plot(line, next_tree.predict(line), color=ORANGE)
        above.set_title(f"{rounds} round{'s' * (rounds != 1)}")
        below.set_xlabel("$x$")
    axes[0, 0].set_ylabel("label, model")
    axes[1, 0].set_ylabel("residual, next tree")


def leaf_steps(log_losses: dict[tuple[str, float], Floats]) -> None:
    """The log-loss over the rounds for each kind of step and rate."""
    _, ax = plt.subplots(figsize=(6.8, 3.6))
    color_of = {0.1: BLUE, 0.5: ORANGE}
    line_of = {"gradient": "--", "newton": "-"}
    for (leaf_step, rate), curve in log_losses.items():
        ax.plot(
            np.arange(1, len(curve) + 1),
            curve,
            line_of[leaf_step],
            color=color_of[rate],
            label=f"{leaf_step.capitalize()} step, rate {rate}",
        )
    ax.set(xlabel="rounds", ylabel="log-loss on new data", ylim=(0.27, 0.83))
    ax.legend(loc="upper center", ncol=2)


def depths(errors: dict[tuple[float, int], Floats]) -> None:
    """The error over the rounds for each rate and depth."""
    _, ax = plt.subplots(figsize=(6.8, 3.8))
    colors = ("sky", "blue", "green", "purple", "orange")
    for ((rate, depth), values), color in zip(errors.items(), colors, strict=False):
        line = "-"
        if rate == 1:
            line = "--"
        ax.plot(
            np.arange(1, len(values) + 1),
            values,
            color=COLORS[color],
            linestyle=line,
            label=f"depth {depth}, rate {rate:g}",
        )
    ax.set(
        xscale="log",
        xlabel="rounds",
        ylabel="mean squared error on new data",
        ylim=(0, None),
    )
    ax.legend()
