"""The figure of the chapter on trees as messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt

from reproduction.plotting import COLORS

Length = Callable[[int], float]


def codes(
    leaves: Sequence[int], plain: Length, in_order: Length, growth: Length
) -> None:
    """The lengths of two codes and the logarithm of the growth bound, over leaves."""
    _, ax = plt.subplots(figsize=(6.4, 3.4))
    for length, line, color, label in (
        (plain, "-", "orange", "plain code"),
        (in_order, "-", "blue", "sorted code, ln 2 per label"),
        (growth, "--", "gray", "ln of the growth bound"),
    ):
        ax.plot(
            leaves, list(map(length, leaves)), line, color=COLORS[color], label=label
        )
    ax.set(xlabel="leaves $L$", ylabel="nats")
    ax.legend()
    plt.show()
