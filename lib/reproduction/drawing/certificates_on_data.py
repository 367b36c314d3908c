"""The figures of the chapter that compares certificates on data."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from reproduction.plotting import COLORS

_NOT_DRAWN = ("no certificate", "Equation 8", "growth, relative deviations")


def frontier(average: pd.DataFrame) -> None:
    """Mean certificate against mean test error, a mark for each method."""
    _, ax = plt.subplots(figsize=(6.8, 4.2))
    for method, row in average.iterrows():
        if method in _NOT_DRAWN:
            continue
        name = str(method)
        at = (row["test_error"], row["certificate"])
        mark = "s"
        color = COLORS["gray"]
        if name.startswith("halves"):
            mark = "o"
            color = COLORS["blue"]
        ax.plot(*at, mark, color=color, zorder=4)

        place = (7, -3)
        if "held out" in name:
            # Above the mark, the next mark on the right is left free.
            place = (0, 8)
        label = ax.annotate(name, at, xytext=place, textcoords="offset points")
        # The dashed line does not cross a label.
        label.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.8})

    free = average.loc["no certificate", "test_error"]
    ax.axvline(free, ls="--", lw=1, color=COLORS["orange"])
    ax.annotate(
        "no certificate",
        (free, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        color=COLORS["orange"],
    )
    low, high = ax.get_xlim()
    ax.set(
        xlabel="mean test error",
        ylabel="mean certificate at 95 %",
        xlim=(low, high + 0.25 * (high - low)),
    )


def by_data_set(wide: pd.DataFrame, majority: pd.Series, test: pd.DataFrame) -> None:
    """The majority error of each set, three certificates, and a test error."""
    rows = (wide["halves"] / majority).sort_values().index
    place = np.arange(len(rows))
    figure, ax = plt.subplots(figsize=(7.2, 6.4))
    ax.barh(place, majority[rows], color="#DDDDDD", label="majority error")
    for values, name, color, mark, size, fill in (
        (wide["a half held out"], "a half held out", "orange", "s", 7, "none"),
        (wide["message"], "message", "green", "^", 7, "none"),
        (wide["halves"], "halves", "blue", "o", 5, COLORS["blue"]),
        (test["halves"], "test error of halves", "black", "|", 10, "none"),
    ):
        look: dict[str, Any] = {"ms": size, "mfc": fill, "color": COLORS[color]}
        ax.plot(values[rows], place, mark, label=name, **look)
    ax.set_yticks(place, rows)
    ax.invert_yaxis()
    ax.set(xlabel="error, or certified limit of it", xlim=(0, None))
    figure.legend(loc="outside lower center", ncols=3)
