"""The figure of the chapter on XGBoost."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray


def penalties(curves: dict[str, dict[str, NDArray[np.float64]]]) -> None:
    """The error over the rounds: a chart for each addition, a curve for a strength."""
    _, axes = plt.subplots(1, len(curves), figsize=(7, 4.3), sharey=True)
    for ax, options in zip(axes, curves.values(), strict=True):
        shades = plt.colormaps["viridis"](np.linspace(0, 0.65, len(options)))
        for (label, curve), color in zip(options.items(), shades, strict=True):
            ax.plot(np.arange(1, len(curve) + 1), curve, color=color, label=label)
        ax.set(xscale="log", xlabel="rounds", ylim=(0, None))
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.legend(loc="upper center", bbox_to_anchor=(0.45, -0.17))
    axes[0].set_ylabel("mean squared error on new data")
