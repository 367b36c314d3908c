"""The figures of the chapter on the error of an algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from reproduction.plotting import COLORS
from reproduction.random_trees import ErrorMoments

# A stopping rule and a number of examples.
Case = tuple[str, int]


def histograms(
    errors: Mapping[Case, NDArray[np.float64]],
    exact: Mapping[Case, ErrorMoments],
    bayes_error: float,
) -> None:
    """How often each error occurs: a column for each rule, a row for each size."""
    names = list(dict.fromkeys(name for name, _ in errors))
    sizes = sorted({n for _, n in errors})
    _, axes = plt.subplots(
        len(sizes), len(names), figsize=(7.2, 4.6), sharex=True, sharey="row"
    )
    for ax, (n, name) in zip(axes.flat, product(sizes, names), strict=True):
        sample = errors[name, n]
        ax.hist(
            sample,
            bins=np.linspace(0.05, 0.95, 46),
            weights=np.full(len(sample), 1 / len(sample)),
            color=COLORS["sky"],
        )
        mean = exact[name, n].mean
        deviation = exact[name, n].standard_deviation
        gray = COLORS["gray"]
        ax.axvspan(mean - deviation, mean + deviation, color=gray, alpha=0.2, lw=0)
        ax.axvline(mean, color=gray)
        ax.axvline(bayes_error, linestyle=":", color=COLORS["black"])
        ax.set_title(f"{name}, N = {n}", fontsize=10)
        ax.set(xlim=(0.05, 0.75))
    for ax in axes[-1]:
        ax.set_xlabel("generalization error")
    for ax in axes[:, 0]:
        ax.set_ylabel("frequency")


def parts(
    curves: Mapping[str, Sequence[tuple[float, float, float]]],
    sample_sizes: Sequence[int],
    bayes_error: float,
) -> None:
    """Mean error, and standard deviations of the error and of the part of the data."""
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.6))
    for (name, rows), color in zip(
        curves.items(), (COLORS["blue"], COLORS["orange"]), strict=True
    ):
        mean, total, data = np.array(rows).T
        is_positive = total > 1e-8
        sizes = np.array(sample_sizes)[is_positive]
        left.semilogx(sample_sizes, mean, "o-", color=color, label=name)
        for part, line, label, size in (
            (total, "o-", f"{name}: all", None),
            (data, "s--", f"{name}: from the data", 4),
        ):
            deviations = np.sqrt(part[is_positive])
            right.loglog(sizes, deviations, line, color=color, label=label, ms=size)

    left.axhline(bayes_error, linestyle=":", color=COLORS["black"])
    left.set(xlabel="examples", ylabel="mean error", ylim=(0, 0.55))
    right.set(xlabel="examples", ylabel="standard deviation", ylim=(1e-4, 0.4))
    for ax in (left, right):
        ax.set_xticks(sample_sizes, [f"{n:,}" for n in sample_sizes])
        ax.minorticks_off()
    left.legend()
    right.legend(fontsize=9, loc="lower left")
