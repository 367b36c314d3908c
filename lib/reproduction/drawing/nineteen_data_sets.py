"""The figures of the chapter that reproduces Table 1 of Leboeuf, LeBlanc and Marchand
(2020), and its tables of single data sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import HTML

from reproduction import datasets
from reproduction.plotting import COLORS

SHOWN = {
    "train_accuracy": "training accuracy",
    "test_accuracy": "test accuracy",
    "n_leaves": "leaves",
    "height": "height",
    "bound": "bound",
}


def accuracies(
    means: pd.DataFrame, printed: Mapping[str, Sequence[float]], names: Mapping
) -> None:
    """The mean accuracies of the models on each data set, inside printed rings."""
    span = means.loc[means.mean(axis=1).sort_values().index]
    rows = np.arange(len(span))
    colors = dict(zip(means, ("gray", "orange", "amber", "blue"), strict=True))
    markers = dict(zip(means, "osD^", strict=True))
    _, ax = plt.subplots(figsize=(7.2, 0.6 + 0.29 * len(span)))
    ax.hlines(rows, span.min(axis=1), span.max(axis=1), color="#BBBBBB", lw=1)

    for k, model in enumerate(means):
        at = COLORS[colors[model]]
        look = {"s": 26, "color": at, "marker": markers[model], "zorder": 3}
        ax.scatter(span[model], rows, label=model, **look)
        rings = [printed[slug][k] for slug in span.index]
        ax.scatter(rings, rows, s=95, facecolors="none", edgecolors=at, lw=0.8)

    ax.set_yticks(rows, [names[slug] for slug in span.index])
    ax.set(xlabel="test accuracy, mean over the splits")
    ax.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1.0))


def errors_by_exponent(errors: pd.DataFrame, chosen: pd.Series) -> None:
    """Held-out errors for each exponent: a line for each draw, and their mean."""
    _, ax = plt.subplots()
    jitter = np.linspace(-0.12, 0.12, len(errors))
    for shift, (draw, row) in zip(jitter, errors.iterrows(), strict=True):
        ax.plot(row.index, row + 4 * shift, color="#BBBBBB", lw=0.8)
        best = chosen[draw]
        height = row[best] + 4 * shift
        ax.plot(best + shift, height, "o", ms=4, color=COLORS["blue"])

    orange = COLORS["orange"]
    label = "mean of the draws"
    ax.plot(errors.columns, errors.mean(), color=orange, lw=2.2, label=label)
    label = f"mean of the choices, {chosen.mean():.1f}"
    ax.axvline(chosen.mean(), color=COLORS["blue"], lw=1, ls="--", label=label)
    ax.set(xlabel="exponent of 1/r, a power of two", ylabel="held-out errors")
    ax.set_xticks(range(1, 21, 2))
    ax.legend()


def cap(values: Sequence[float], all_labelings: float, n_leaves: pd.Series) -> None:
    """A growth bound of 1, 2, ... leaves, the number of all labelings, and the leaves
    of some trees.
    """
    _, ax = plt.subplots()
    sizes = range(1, len(values) + 1)
    label = "loose growth bound, uncapped"
    ax.plot(sizes, values, color=COLORS["blue"], label=label)
    ax.axhline(all_labelings, color=COLORS["orange"], label="all labelings")
    label = "leaves of the trees grown here"
    ax.axvspan(n_leaves.min(), n_leaves.max(), color="#EEEEEE", label=label)
    ax.set(xlabel="leaves", ylabel="nats")
    ax.legend()


def tables(
    results: pd.DataFrame,
    clock: pd.DataFrame,
    models: Sequence[str],
    names: Mapping[str, str],
) -> HTML:
    """A folded table for each data set, with its source; ``clock`` has the seconds of
    some models.
    """
    averages = results.groupby(["dataset", "model"])[list(SHOWN)].mean()
    milliseconds = 1000 * clock
    folded = []
    for slug in clock.index:
        body = averages.loc[slug].loc[list(models)].round(3).rename(columns=SHOWN)
        body["ms"] = milliseconds.loc[slug].reindex(body.index).round(2)
        body.index.name = body.columns.name = None
        source = datasets.load(slug).DESCR.split("\nRead from")[0]
        source = source.replace("\n", "<br>")
        folded.append(
            f"<details><summary><strong>{names[slug]}</strong></summary>"
            f"<p>{source}</p>{body.to_html(border=0, na_rep='–')}</details>"
        )
    return HTML("".join(folded))
