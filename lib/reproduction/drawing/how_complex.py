"""The interactive picture of the chapter on the complexity of one tree."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import HTML

import treebounds as tb
from reproduction import pictures
from reproduction.plotting import COLORS
from treebounds.structure import TreeStructure


def calculator(exact: Mapping[tuple[TreeStructure, int], int], alt: str) -> HTML:
    """The calculator, with the exact VC dimensions that are known.

    Its still shows the bounds of two structures on ten features.
    """
    figure, ax = plt.subplots(figsize=(6.6, 3.2))
    m_values = np.arange(1, 31)
    ax.plot(m_values, m_values, "--", color=COLORS["gray"])
    ax.text(15, 16.5, "all $2^m$ labelings", ha="right")
    for nested, name, color in (
        ([None, None], "stump", "blue"),
        ([[None, None], None], "three leaves", "green"),
    ):
        T = TreeStructure.from_nested(nested)
        nats = [tb.log_growth_function_bound(T, m, 10) for m in m_values.tolist()]
        bits = np.array(nats) / np.log(2)
        d = tb.vc_dimension_upper_bound(T, 10)
        ax.plot(m_values, bits, color=COLORS[color], label=name)
        ax.plot(d, bits[d - 1], "o", color=COLORS[color])
    ax.set(xlabel="examples", ylabel="bits of the growth bound", ylim=(0, 30))
    ax.legend()

    by_name = {f"{_short(T)}|{l}": value for (T, l), value in exact.items()}
    return pictures.show("calculator", {"exact": by_name}, still=figure, alt=alt)


def _short(structure: TreeStructure) -> str:
    """The structure as the calculator writes it."""
    return str(structure.to_nested()).replace("None", "·").replace(" ", "")
