"""The figures of the chapter on a price of a leaf that is known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import HTML
from numpy.typing import NDArray

from reproduction import pictures
from reproduction.experiments import leboeuf2020
from reproduction.plotting import COLORS

Price = Callable[[int, int, int, int], float]


def price_slider(
    data_sets: Mapping[str, str], known_price: Price, chosen: pd.DataFrame, alt: str
) -> HTML:
    """The picture in which a price prunes the first tree of each data set.

    Its still shows the first set at the known price. ``chosen`` has the prices that
    cross-validation chose, in the column "middle".
    """
    sliders = {}
    for title, slug in data_sets.items():
        data = leboeuf2020.split(slug, 0)
        tree = data.grow("best-first")
        sample = (len(data.y_train), tree.n_features, tree.n_classes)
        sliders[title] = pictures.price_slider_data(
            tree,
            known_price(tree.n_leaves, *sample),
            chosen.loc[chosen["dataset"] == slug, "middle"],
        )

    title, numbers = next(iter(sliders.items()))
    figure, ax = plt.subplots(figsize=(6.6, 3.0))
    leaves = np.arange(1, len(numbers["fewest"]) + 1)
    best = np.argmin(numbers["fewest"] + numbers["known"] * leaves)
    corner = (leaves[best], numbers["fewest"][best])
    ax.plot(leaves, numbers["fewest"], "o", color=COLORS["gray"])
    ax.axline(corner, slope=-numbers["known"], color=COLORS["blue"])
    ax.plot(*corner, "o", ms=10, color=COLORS["orange"])
    ax.set(xlabel="leaves", ylabel="training errors", title=title)

    return pictures.show("price-slider", sliders, still=figure, alt=alt)


def agreement(of_constants: pd.DataFrame, at_own_size: pd.Series) -> None:
    """For each rule the share of equal prunings at each constant price, and at the
    price from the formula.
    """
    _, ax = plt.subplots(figsize=(6.6, 2.2))
    constants = of_constants.index
    for rule, name in zip(of_constants, ("orange", "blue"), strict=True):
        color = COLORS[name]
        shares = 100 * of_constants[rule]
        ax.step(constants, shares, where="mid", color=color, label=rule)
        ax.axhline(100 * at_own_size[rule], color=color, ls="--", lw=1)
    gray = COLORS["gray"]
    ax.plot([], [], ls="--", lw=1, color=gray, label="price from the formula")
    ax.set(
        xlabel="constant price of a leaf, in training errors",
        ylabel="same pruning, %",
        ylim=(0, 104),
    )
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)


def chosen_prices(
    price: pd.Series, chosen: pd.DataFrame, names: Mapping[str, str]
) -> None:
    """For each data set the prices that cross-validation chose, and the known one."""
    order = price.sort_values().index
    _, ax = plt.subplots(figsize=(7.2, 0.8 + 0.16 * len(order)))
    rng = np.random.default_rng(0)
    for y, slug in enumerate(order):
        dots = chosen.loc[chosen["dataset"] == slug, "middle"]
        ax.scatter(
            dots,
            y + rng.uniform(-0.25, 0.25, len(dots)),
            s=10,
            alpha=0.6,
            color=COLORS["gray"],
        )
    # One entry of the legend for the dots of all sets.
    if len(order):
        ax.collections[0].set_label("cross-validated")
    ax.scatter(
        price[order],
        range(len(order)),
        marker="D",
        s=34,
        zorder=3,
        color=COLORS["orange"],
        label="known beforehand",
    )
    ax.set_xscale("log", base=2)
    ax.set_yticks(range(len(order)), [names[slug] for slug in order])
    ax.set_xticks([0.25, 0.5, 1, 2, 4, 8, 16], ["¼", "½", "1", "2", "4", "8", "16"])
    ax.set(xlabel="price of a leaf, in training errors")
    ax.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.4, 1.0))


def gains(
    prices: NDArray[np.float64], of_family: Mapping[str, pd.DataFrame], known: pd.Series
) -> None:
    """The mean gain of each fixed price over cross-validation, with standard errors."""
    _, ax = plt.subplots(figsize=(6.6, 2.5))
    for (family, gain), name in zip(of_family.items(), ("orange", "blue"), strict=True):
        color = COLORS[name]
        mean = gain.mean()
        spread = gain.std(ddof=1) / np.sqrt(len(gain))
        ax.plot(prices, mean, color=color, label=family)
        low = mean - spread
        high = mean + spread
        ax.fill_between(prices, low, high, alpha=0.15, color=color)
    ax.axhline(0, color="black", lw=0.8)
    ax.axvspan(known.min(), known.max(), color="#DDDDDD", zorder=0)
    ax.set(
        xlabel="price of a leaf, in training errors",
        ylabel="gain over cross-validation, points",
    )
    ax.legend(title="trees")
