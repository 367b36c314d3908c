"""The picture of the landing page and of the README is what the library draws.

``python tests/book/test_cover.py`` draws it anew.
"""

from __future__ import annotations

from math import log
from pathlib import Path

import matplotlib.pyplot as plt

import treebounds as tb
from reproduction.plotting import COLORS, as_svg, draw_structure, use_book_style

TARGET = Path(__file__).resolve().parents[2] / "book" / "_assets" / "cover.svg"
SHAPES = {
    "stump": [None, None],
    "three leaves": [[None, None], None],
    "five leaves": [[[None, None], None], [None, None]],
    "eight leaves": [[[None, None], [None, None]]] * 2,
}


def draw() -> str:
    """The figure as SVG text, the same bytes at every call."""
    use_book_style()
    fig, ax = plt.subplots(figsize=(7.2, 3.7))
    m_values = range(1, 101)
    ax.plot(m_values, m_values, color=COLORS["gray"], linewidth=1, linestyle="--")
    ax.annotate(
        "all $2^m$ labelings", (67, 69), rotation=41, ha="center", color=COLORS["gray"]
    )
    for (name, nested), color in zip(
        SHAPES.items(), ("purple", "blue", "green", "orange"), strict=True
    ):
        structure = tb.TreeStructure.from_nested(nested)
        bits = [
            tb.log_growth_function_bound(structure, m, n_features=10) / log(2)
            for m in m_values
        ]
        ax.plot(m_values, bits, color=COLORS[color])
        width, height = 1.7 * structure.n_leaves, 3.5 * (structure.height + 1)
        glyph = ax.inset_axes(
            [103, bits[-1] - height / 2, width, height], transform=ax.transData
        )
        draw_structure(structure, glyph, scale=0.65)
        ax.text(119, bits[-1], name, va="center", color=COLORS[color])
        vc = tb.vc_dimension_upper_bound(structure, n_features=10)
        ax.plot(vc, bits[vc - 1], "o", color=COLORS[color], markersize=5)
    ax.set(
        xlabel="examples m",
        ylabel="bits: log₂ of the growth bound",
        xlim=(0, 140),
        ylim=(0, 100),
        xticks=range(0, 101, 20),
        title="How many labelings of m examples can a tree on ten features realize?",
    )
    return "\n".join(line.rstrip() for line in as_svg(fig).splitlines()) + "\n"


def test_the_cover_is_what_the_library_draws():
    assert TARGET.read_text(encoding="utf-8") == draw(), (
        "run python tests/book/test_cover.py"
    )


if __name__ == "__main__":
    TARGET.write_text(draw(), encoding="utf-8")
