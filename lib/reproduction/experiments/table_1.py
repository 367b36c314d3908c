"""Table 1 of Leboeuf, LeBlanc and Marchand (2020) and the numbers of their section 6.3,
printed and measured side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from reproduction.experiments import Row

MARKS = {"equal": "", "within": " ≈", "differs": " ≠"}


def cells_by_model(
    table: pd.DataFrame, names: Mapping[str, str], models: Sequence[str]
) -> pd.DataFrame:
    """A row for each data set and a column for each model: the measured mean, the
    printed one, and a mark unless they are equal.

    Parameters
    ----------
    table : pandas.DataFrame
        See :func:`reproduction.experiments.leboeuf2020.compare_with_published`.
    names : dict
        The printed name of each data set; sets without rows are named, too.
    models : sequence of str
    """
    cells = {
        (row["dataset"], row["model"]): f"{row['mean']:.4f} "
        f"({row['published_mean']:.3f}){MARKS[row['flag']]}"
        for _, row in table.iterrows()
    }
    return pd.DataFrame(
        {"data set": name}
        | {model: cells.get((slug, model), "not available here") for model in models}
        for slug, name in names.items()
    )


def cell_by_cell(table: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """A row for each cell, with standard deviations and the difference."""
    rows = [
        {
            "data set": names[row["dataset"]],
            "model": row["model"],
            "printed": f"{row['published_mean']:.3f} ± {row['published_sd']:.3f}",
            "here": f"{row['mean']:.4f} ± {row['sd']:.4f}",
            "difference": f"{row['mean'] - row['published_mean']:+z.4f}",
            "flag": row["flag"],
        }
        for _, row in table.iterrows()
    ]
    return pd.DataFrame(rows)


def section_6_3(
    printed: Mapping[str, Any],
    wins: Mapping[str, int],
    gains: Mapping[str, Row],
    sizes: Mapping[str, float],
    names: Mapping[str, str],
    largest: str,
) -> pd.DataFrame:
    """The numbers of section 6.3, as printed and as measured.

    Parameters
    ----------
    printed : dict
        ``published_values("leboeuf2020")["section_6_3"]``.
    wins : dict
        Data sets on which the bound is best or similar, of "all four" models and of
        the "pruned" ones.
    gains : dict
        Results of :func:`reproduction.experiments.leboeuf2020.compare` for "Ours" and
        for "M-CART", both over CART.
    sizes : dict
        Averages of the ratios of leaves: "mean of ratios", "median of ratios", "without
        the largest".
    names : dict
        The printed name of each data set.
    largest : str
        The data set with the largest ratio.
    """
    of_ours = gains["Ours"]
    of_m_cart = gains["M-CART"]
    lines = [
        _count(
            "best or similar, four models", printed["best_or_similar"], wins["all four"]
        ),
        _count(
            "best or similar, pruned models",
            printed["best_or_similar_pruned"],
            wins["pruned"],
        ),
        _gain("gain over CART, points", printed["gain_over_cart"], of_ours, names),
        _gain("gain of M-CART, points", printed["gain_of_m_cart"], of_m_cart, names),
        [
            "leaves, Ours / CART",
            f"{printed['leaves_ratio']:.0f}",
            f"{sizes['mean of ratios']:.2f}",
            f"{sizes['median of ratios']:.2f}",
            f"{sizes['without the largest']:.2f} ({names[largest]})",
        ],
    ]
    columns = ["number", "printed", "here", "median", "without one data set"]
    return pd.DataFrame(lines, columns=columns)


def _count(number: str, printed: int, here: int) -> list[Any]:
    return [number, printed, here, "", ""]


def _gain(number: str, printed: float, gain: Row, names: Mapping[str, str]) -> list:
    """A mean gain with its median, and its range when one data set is left out."""
    moved = f"{100 * gain['smallest']:.2f} to {100 * gain['largest']:.2f}"
    return [
        number,
        f"{100 * printed:.2f}",
        f"{100 * gain['mean']:.2f}",
        f"{100 * gain['median']:.2f}",
        f"{moved} ({names[gain['moved_by']]})",
    ]
