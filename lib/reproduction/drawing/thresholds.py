"""The figure of the chapter on thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from reproduction.plotting import COLORS

Floats = NDArray[np.float64]
SHAPES: tuple[Callable[[Floats], Floats], ...] = (
    lambda m: m**2,
    lambda m: m * np.log2(m),
)


def times(measured: Mapping[str, tuple[Sequence[int], Sequence[float]]]) -> None:
    """The seconds of the simple and of the clever way, with the predicted shapes."""
    _, ax = plt.subplots(figsize=(6.4, 3.8))
    for (name, (sizes, spent)), shape, color, marker in zip(
        measured.items(), SHAPES, ("orange", "blue"), "os", strict=True
    ):
        line = shape(np.array(sizes, dtype=float))
        color = COLORS[color]
        ax.loglog(sizes, line / line[-1] * spent[-1], "--", color=color, lw=1)
        ax.loglog(sizes, spent, marker, color=color)
        ax.annotate(
            name,
            (sizes[-2], spent[-2]),
            xytext=(8, -14),
            textcoords="offset points",
            color=color,
        )
    ax.set(xlabel="examples $m$", ylabel="seconds")
    plt.show()
