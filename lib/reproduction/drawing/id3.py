"""The figures of the chapter on ID3."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import matplotlib.pyplot as plt
import numpy as np

from reproduction.multiway import ID3Classifier
from reproduction.plotting import COLORS, draw_multiway

LINES = {
    "entropy": ("information (entropy)", "blue"),
    "gini": ("Gini", "green"),
    "error": ("train error", "orange"),
}


def impurities(functions: Mapping[str, Callable[[float], float]]) -> None:
    """The impurities of a node with two classes, each divided by its largest value."""
    fractions = np.linspace(0, 1, 401)[1:-1]
    _, ax = plt.subplots(figsize=(6.2, 3.2))
    for name, (label, color) in LINES.items():
        curve = np.array([functions[name](float(a)) for a in fractions])
        ax.plot(fractions, curve / curve.max(), color=COLORS[color], label=label)
    ax.legend(loc="lower center")
    ax.set(
        xlabel="fraction $a$ of class 1",
        ylabel="impurity, scaled",
        xlim=(0, 1),
        ylim=(0, 1.05),
    )
    plt.show()


def titanic(model: ID3Classifier | None) -> None:
    """The tree of the Titanic, or that its data are missing."""
    if model is None:
        ax = plt.subplots(figsize=(8, 1))[1]
        ax.text(0, 0.5, "titanic is not available here")
        ax.axis("off")
    else:
        ax = plt.subplots(figsize=(8, 5))[1]
        draw_multiway(
            model.tree_,
            model.feature_names_in_.tolist(),
            model.classes_.tolist(),
            [values.tolist() for values in model.categories_],
            ax,
        )
    plt.show()
