"""The example of the landing page: run by the build, printed with what it says, its two trees drawn."""

import contextlib
import io
import runpy
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from reproduction.plotting import as_svg, draw_structure, use_book_style
from treebounds import TreeStructure


def example(source: Path) -> dict[str, Any]:
    """The names that the example leaves, what it prints, and its trees."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        names = runpy.run_path(str(source))
    trees = {"before": names["tree"], "after": names["small"]}
    return {**names, "said": said.getvalue().strip(), "trees": trees}


def drawing(trees: dict[str, Any]) -> str:
    """The structures of the trees side by side, as SVG."""
    use_book_style()
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.4), width_ratios=[2, 1])
    for ax, (name, tree) in zip(axes, trees.items(), strict=True):
        draw_structure(TreeStructure.from_sklearn(tree), ax, scale=0.8)
        ax.set_title(f"{name}: {tree.get_n_leaves()} leaves")
        ax.set_axis_off()
    return as_svg(figure)
