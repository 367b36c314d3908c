"""One style for every figure of the book: vector graphics, colours that colour-blind readers can tell apart."""

from __future__ import annotations

import matplotlib as mpl
from cycler import cycler

__all__ = ["COLORS", "use_book_style"]

# Okabe and Ito's palette, without the yellow that vanishes on white paper
COLORS = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "amber": "#B97700",
    "sky": "#56B4E9",
    "black": "#222222",
    "grey": "#767676",
}

_STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=list(COLORS.values())),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "figure.figsize": (6.6, 3.8),
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": "#E3E3E3",
    "legend.frameon": False,
    "lines.linewidth": 1.7,
    "savefig.facecolor": "white",
    # text stays text: searchable, small files, and identical bytes from run to run
    "svg.fonttype": "none",
    "svg.hashsalt": "treebounds",
}


def use_book_style() -> None:
    """Set the style of the book's figures; in a notebook, also show them as vector graphics.

    >>> use_book_style()
    """
    mpl.rcParams.update(_STYLE)
    try:
        from IPython import get_ipython
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    if get_ipython() is not None:
        # no date inside the file, so that two builds give the same bytes
        set_matplotlib_formats("svg", metadata={"Date": None})
