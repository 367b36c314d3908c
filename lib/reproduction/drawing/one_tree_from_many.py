"""The figures of the chapter on trees that learn from a forest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from numpy.typing import NDArray

from reproduction.experiments import george2023
from reproduction.plotting import COLORS

_PAIR = (COLORS["blue"], COLORS["orange"])
Floats = NDArray[np.float64]


def _examples(ax: Axes, X: Floats, y: NDArray[np.int64], size: float) -> None:
    """The examples in the colors of their classes."""
    for label, color in enumerate(_PAIR):
        ax.plot(*X[y == label].T, ".", ms=size, color=color)


def moons(
    models: Mapping[str, Any],
    errors: Mapping[str, float],
    X: Floats,
    y: NDArray[np.int64],
) -> None:
    """How each model divides the plane, with its leaves and its error."""
    low = X.min(axis=0) - 0.3
    high = X.max(axis=0) + 0.3
    axis = [np.linspace(low[j], high[j], 250) for j in range(2)]
    grid = np.column_stack([g.ravel() for g in np.meshgrid(*axis)])
    figure, axes = plt.subplots(2, 2, figsize=(6.8, 5.4), sharex=True, sharey=True)
    for ax, (name, model) in zip(axes.flat, models.items(), strict=True):
        # An image, because 62,500 rectangles would be too many to draw.
        ax.imshow(
            model.predict(grid).reshape(250, 250),
            origin="lower",
            aspect="auto",
            extent=(low[0], high[0], low[1], high[1]),
            cmap=ListedColormap(george2023.FILLS[:2]),
        )
        ax.grid(False)
        _examples(ax, X, y, size=3)
        title = name
        if hasattr(model, "get_n_leaves"):
            title += f", {model.get_n_leaves()} leaves"
        ax.set_title(f"{title}: {errors[name]:.1%}", fontsize=9.5)
    figure.supxlabel("$x_1$")
    figure.supylabel("$x_2$")


def probabilities(
    X: Floats, y: NDArray[np.int64], rows: Floats, probability: Floats
) -> None:
    """The examples, and made rows in the color of the forest's probability."""
    # A light gray between the two hues, since the dark theme exchanges light
    # and dark, and keeps hues.
    shades = LinearSegmentedColormap.from_list(
        "classes", [_PAIR[0], "#DDDDDD", _PAIR[1]]
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(6.8, 3), sharey=True)
    _examples(left, X, y, size=4)
    points = right.scatter(*rows.T, s=4, cmap=shades, rasterized=True, c=probability)
    figure.colorbar(points, ax=right, label="probability of class 2")
    left.set(xlabel="$x_1$", ylabel="$x_2$")
    right.set(xlabel="$x_1$")


def gains(gain: pd.DataFrame, is_noisy: pd.Series) -> None:
    """What the tree gains on each set against what the forest gains."""
    _, ax = plt.subplots(figsize=(6.2, 3.8))
    for noisy, word, color, mark in (
        (False, "clean", "blue", "o"),
        (True, "noisy", "orange", "s"),
    ):
        some = gain[is_noisy[gain.index] == noisy]
        of_forest = some["forest"]
        of_tree = some["distilled, 300 leaves"]
        ax.plot(of_forest, of_tree, mark, ms=5, color=COLORS[color], label=word)
    ax.axhline(0, color=COLORS["black"], lw=1)
    ax.axvline(0, color=COLORS["black"], lw=1)
    ax.set(xlabel="points that the forest gains", ylabel="points that one tree gains")
    ax.set(xlim=(-20, None), ylim=(-12, None))
    # Inside the frame its marks would look like data.
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
