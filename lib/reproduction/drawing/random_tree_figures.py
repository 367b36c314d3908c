"""The figures of the chapter that redraws those of Dhurandhar and Dobra (2008)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from reproduction.plotting import COLORS
from reproduction.random_trees import JointDistribution

_FAMILIES = {"random signs": ("blue", "-"), "uneven cells": ("orange", "--")}
_ESTIMATES = {
    "af": ("AF", "o", "black"),
    "mc1": ("MC-1", "x", "purple"),
    "mc10": ("MC-10", "+", "green"),
}
_RULES = {
    "fixed height": ("o", "blue"),
    "purity": ("s", "green"),
    "scarcity": ("^", "orange"),
}
# The short labels at the ends stay clear of the next panel.
_WHOLE_AXIS = ((0, 0.5, 1), ("0", "0.5", "1"))


def families(
    families: Mapping[str, Callable[..., JointDistribution]],
    correlations: Sequence[float],
) -> None:
    """The cells of each family for five binary attributes and some correlations."""
    _, axes = plt.subplots(2, 3, figsize=(7, 4.2), sharex=True, sharey=True)
    for row, (family, make) in zip(axes, families.items(), strict=True):
        for ax, rho in zip(row, correlations, strict=True):
            p = make((2,) * 5, rho).probabilities.reshape(-1, 2)
            cells = p.sum(axis=1)
            at = COLORS["blue"]
            ax.plot(cells, p[:, 0] / cells, "o", markersize=4, color=at, alpha=0.7)
            ax.set(ylim=(-0.05, 1.05), xticks=(0, 0.05, 0.1))
            ax.set_title(f"{family}, ρ = {rho}", fontsize=10)
    for ax in axes[1]:
        ax.set_xlabel("$p(x)$")
    for ax in axes[:, 0]:
        ax.set_ylabel(r"$\eta(x)$")


def curves_and_distances(
    table: pd.DataFrame, rule: str, first_number: int, iterations: int
) -> None:
    """For each system, the error with one run of each estimate; below, how far each
    estimate is from the truth.
    """
    systems = table["system"].unique()
    fig, axes = plt.subplots(
        2, len(systems), figsize=(7.2, 5.8), sharey="row", squeeze=False
    )
    for n, system in enumerate(systems):
        rows = table[(table["system"] == system) & (table["rule"] == rule)]
        _curve(axes[0, n], rows)
        _distances(axes[1, n], rows, iterations)
        axes[0, n].set_title(f"Figure {first_number + n}: {system}", fontsize=10)
    axes[0, 0].set_ylabel("error")
    axes[1, 0].set_ylabel("distance from the truth")

    curve_handles, _ = axes[0, 0].get_legend_handles_labels()
    handles = [*curve_handles, *axes[1, 0].get_lines()[:3]]
    fig.legend(handles=handles, ncols=5, loc="outside upper center", columnspacing=1.2)


def _curve(ax: Axes, rows: pd.DataFrame) -> None:
    """The mean error with a band of one standard deviation, and the Bayes error."""
    for family, part in rows.groupby("family"):
        name, style = _FAMILIES[family]
        color = COLORS[name]
        rho = part["correlation"]
        mean = part["mean"]
        sd = np.sqrt(part["variance"])
        ax.plot(rho, mean, style, label=family, color=color)
        ax.fill_between(rho, mean - sd, mean + sd, alpha=0.25, linewidth=0, color=color)
        ax.plot(rho, part["bayes"], ":", linewidth=1, color=color)
    for key, (_, mark, name) in _ESTIMATES.items():
        at = COLORS[name]
        ax.plot(rows["correlation"], rows[key], mark, markersize=4, color=at)
    ax.set(ylim=(0, 0.52), xlim=(0, 1))
    ax.set_xticks(*_WHOLE_AXIS)


def _distances(ax: Axes, rows: pd.DataFrame, iterations: int) -> None:
    """The expected root mean squared distance from the exact mean."""
    for family, part in rows.groupby("family"):
        _, style = _FAMILIES[family]
        variances = (part["shared"], part["variance"], part["variance"] / 10)
        for look, variance in zip(_ESTIMATES.values(), variances, strict=True):
            label, mark, color = look
            ax.semilogy(
                part["correlation"],
                np.sqrt(variance / iterations).clip(1e-7),
                mark + style,
                markersize=4,
                linewidth=1,
                color=COLORS[color],
                label=label,
            )
    ax.set(ylim=(7e-8, 2e-2), xlim=(0, 1), xlabel="correlation")
    ax.set_xticks(*_WHOLE_AXIS)


def ratios(
    table: pd.DataFrame, n_tests: Sequence[int | None], distances: Callable[..., Any]
) -> None:
    """The ratios of the variances of MC-1 and AF: a row for shared and one for fresh
    samples, a panel for each system.

    Parameters
    ----------
    table : pandas.DataFrame
    n_tests : sequence of int or None
        Sizes of the test sets of MC, drawn hollow; None for exact errors.
    distances : callable
        Takes rows and the size of a test set, and returns the variance of an iteration
        of MC-1.
    """
    systems = table["system"].unique()
    fig, axes = plt.subplots(
        2, len(systems), figsize=(7.2, 5.4), sharex=True, sharey=True, squeeze=False
    )
    for row, samples in zip(axes, ("shared", "fresh"), strict=True):
        for ax, system in zip(row, systems, strict=True):
            rows = table[table["system"] == system]
            _ratios(ax, rows, samples, n_tests, distances)
        row[0].set_ylabel(f"ratio, {samples} samples")
    for ax, system in zip(axes[0], systems, strict=True):
        ax.set_title(system)
    for ax in axes[1]:
        ax.set_xlabel("correlation")
    entries = axes[0, 0].get_legend_handles_labels()
    fig.legend(*entries, ncols=3, loc="outside upper center")


def _ratios(
    ax: Axes,
    table: pd.DataFrame,
    samples: str,
    n_tests: Sequence[int | None],
    distances: Callable[..., Any],
) -> None:
    """One panel of :func:`ratios`."""
    for rule, (shape, color) in _RULES.items():
        rows = table[table["rule"] == rule]
        for n_test in n_tests:
            style: dict[str, Any] = {"mfc": "none"}
            if n_test is None:
                style = {"mfc": COLORS[color], "label": rule}
            ratio = distances(rows, n_test) / rows[samples].clip(lower=1e-30)
            ax.semilogy(
                rows["correlation"],
                ratio.clip(upper=1e5),
                shape,
                color=COLORS[color],
                ms=5,
                **style,
            )
    for level in (1, 10):
        ax.axhline(level, color=COLORS["black"], linewidth=1)
    ax.set(ylim=(0.1, 3e5), xlim=(0, 1))
    ax.set_xticks(*_WHOLE_AXIS)


def real_sets(table: pd.DataFrame, names: Sequence[str]) -> None:
    """The exact mean and one run of each estimate, in a panel for each data set."""
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 3.8), sharey=True)
    parts = [(name, table[table["set"] == name]) for name in names]
    for ax, (name, part) in zip(axes, parts, strict=False):
        x = np.arange(len(part))
        sd = np.sqrt(part["variance"])
        gray = COLORS["gray"]
        ax.errorbar(
            x, part["mean"], sd, fmt="_", markersize=18, color=gray, label="exact"
        )
        for shift, (key, estimate) in enumerate(_ESTIMATES.items(), start=-1):
            label, mark, color = estimate
            at = COLORS[color]
            ax.plot(x + 0.12 * shift, part[key], mark, label=label, color=at)
        _conventions(ax, x, part)
        ax.set_xticks(x, part["rule"].str.replace(" ", "\n"))
        ax.set(ylim=(0, 0.8), xlim=(-0.5, 2.6))
        ax.set_title(name, fontsize=10)

    axes[0].set_ylabel("error")
    entries = axes[0].get_legend_handles_labels()
    fig.legend(*entries, ncols=6, loc="outside upper center", columnspacing=1.2)


def _conventions(ax: Axes, x: np.ndarray, part: pd.DataFrame) -> None:
    """The exact means under other conventions for ties and for empty leaves."""
    for key, mark in (("coin", "^"), ("inherit", "v")):
        (marks,) = ax.plot(x + 0.3, part[key], mark, label=key, markersize=5)
        marks.set(markerfacecolor="none", color=COLORS["orange"])
