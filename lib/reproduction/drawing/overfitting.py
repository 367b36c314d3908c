"""The figures of the chapter on overfitting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from numpy.typing import NDArray

from reproduction.experiments import george2023
from reproduction.plotting import COLORS

BLUE = COLORS["blue"]
ORANGE = COLORS["orange"]
BRAKES = {
    "max_depth": "depth",
    "max_leaf_nodes": "leaves",
    "min_samples_leaf": "examples in a leaf",
    "min_impurity_decrease": "gain",
    "ccp_alpha": "pruning: price α",
}
WIDTH = (-2, 3)
HEIGHT = (-1.7, 2.2)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sample = tuple[Floats, Ints]


def moons(trees: Sequence[Any], sample: Sample, test: Sample, n_grid: int) -> None:
    """What some fitted trees predict in the plane, with the sample."""
    X, y = sample
    grid = np.stack(
        np.meshgrid(np.linspace(*WIDTH, n_grid), np.linspace(*HEIGHT, n_grid)), axis=-1
    )
    tints = ListedColormap(george2023.FILLS[:2])
    _, axes = plt.subplots(1, len(trees), figsize=(8.4, 3.3))
    for ax, fitted in zip(axes, trees, strict=True):
        z = fitted.predict(grid.reshape(-1, 2)).reshape(grid.shape[:2])
        ax.imshow(
            z,
            extent=(*WIDTH, *HEIGHT),
            origin="lower",
            cmap=tints,
            aspect="auto",
            interpolation="nearest",
        )
        for k, marker in enumerate("os"):
            ax.plot(
                *X[y == k].T,
                marker,
                color=(BLUE, ORANGE)[k],
                markersize=4.2,
                markeredgecolor="white",
                markeredgewidth=0.4,
            )
        errors = [1 - fitted.score(*examples) for examples in (sample, test)]
        ax.set_title(
            f"{fitted.get_n_leaves()} leaves\n"
            f"train {errors[0]:.1%}, test {errors[1]:.1%}",
            fontsize=11,
        )
        _frame(ax)
    plt.show()


def _frame(ax: Axes) -> None:
    """The part of the plane that is shown, without ticks."""
    ax.set(xticks=[], yticks=[], xlim=WIDTH, ylim=HEIGHT, xlabel="feature 1")
    ax.grid(False)
    place = ax.get_subplotspec()
    if place is not None and place.is_first_col():
        ax.set_ylabel("feature 2")


def curves(brakes: Mapping[str, Sequence[float]], errors: Mapping[str, Floats]) -> None:
    """For each brake the mean training and test error along its values; the errors have
    the axes sample, value, and training or test.
    """
    _, panels = plt.subplots(2, 3, figsize=(7.6, 4.8), sharey=True)
    axes = panels.ravel()
    axes[-1].set_axis_off()
    for ax, (name, values) in zip(axes, brakes.items(), strict=False):
        train, test = errors[name].mean(axis=0).T
        at = np.arange(len(values))
        ax.plot(at, train, "--", color=BLUE)
        ax.plot(at, test, color=ORANGE)
        ax.plot(test.argmin(), test.min(), "o", color=ORANGE, markersize=7)
        distance = 5
        if name == "max_depth":
            distance = 3
        positions = at[::distance]
        labels = [f"{values[i]:g}" for i in positions]
        ax.set(title=BRAKES[name], xticks=positions, xticklabels=labels)
    for ax in panels[:, 0]:
        ax.set_ylabel("error")
    axes[0].text(7.5, 0.045, "training", color=BLUE)
    axes[0].text(5.5, 0.19, "test", color="#A84800")
    axes[0].set_ylim(0, None)
    plt.show()


def unstable(axis_x: Floats, axis_y: Floats, p: Floats) -> None:
    """How often two trees disagree at each point, from the share p of trees that
    predict the second class.
    """
    p = p.reshape(len(axis_y), len(axis_x))
    shades = LinearSegmentedColormap.from_list("", ["white", "#CC79A7", "#4B1D3F"])
    fig, ax = plt.subplots(figsize=(6.2, 4))
    mesh = ax.pcolormesh(
        axis_x, axis_y, 2 * p * (1 - p), cmap=shades, vmin=0, vmax=0.5, rasterized=True
    )
    ax.contour(axis_x, axis_y, p, [0.5], colors="black", linewidths=1.2)
    fig.colorbar(mesh, label="probability that two trees disagree")
    _frame(ax)
    plt.show()
