"""The figure of the page on which pruning to use."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt

from reproduction.plotting import COLORS


def questions(answers: dict[str, str], default: str) -> None:
    """Questions in a column, each with what follows a yes, and the answer below."""
    _, ax = plt.subplots(figsize=(3.5, 4.4))
    box: dict[str, Any] = {
        "boxstyle": "round,pad=0.4",
        "fc": "white",
        "ec": COLORS["blue"],
    }
    end = box | {"ec": COLORS["gray"]}
    name: dict[str, Any] = {
        "va": "center",
        "family": "monospace",
        "bbox": end,
        "fontsize": 9,
    }

    for y, (question, answer) in zip(
        range(len(answers), 0, -1), answers.items(), strict=True
    ):
        ax.plot([0, 1.75], [y, y], color="black", lw=1, zorder=0)
        ax.annotate("", (0, y - 0.7), (0, y), zorder=0, arrowprops={"arrowstyle": "->"})
        ax.text(0, y, question, ha="center", va="center", bbox=box, fontsize=9)
        ax.text(1.15, y + 0.1, "yes", fontsize=9)
        ax.text(0.1, y - 0.55, "no", fontsize=9)
        ax.text(1.75, y, answer, **name)

    ax.text(0, 0, default, ha="center", **name)
    ax.set(xlim=(-1, 4.2), ylim=(-0.3, len(answers) + 0.3))
    ax.axis("off")
