"""The interactive picture of the chapter on trees that one may sign."""

from __future__ import annotations

from math import log

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import HTML

from reproduction import pictures
from reproduction.plotting import COLORS
from treebounds.risk import binomial_tail_inversion


def limits_of_test_sets(alt: str) -> HTML:
    """The picture in which test sets are drawn from a known risk, and limits below it
    are counted.

    Its still shows the limits of 100 test sets for one tree of risk .1.
    """
    risk = 0.1
    n_examples = 100
    n_sets = 100
    errors = np.random.default_rng(0).binomial(n_examples, risk, n_sets).tolist()
    limits = [binomial_tail_inversion(k, n_examples, log(0.05)) for k in errors]

    figure, ax = plt.subplots(figsize=(6.6, 2.6))
    places = np.arange(1, n_sets + 1)
    percents = 100 * np.array(limits)
    is_false = percents < 100 * risk
    ax.axhline(100 * risk, color=COLORS["green"], linestyle="--")
    ax.plot(places[~is_false], percents[~is_false], "o", color=COLORS["blue"], ms=4)
    ax.plot(places[is_false], percents[is_false], "s", color=COLORS["orange"], ms=4)
    ax.annotate(
        "the true risk",
        (n_sets, 100 * risk),
        (0, -4),
        textcoords="offset points",
        ha="right",
        va="top",
    )
    ax.set(xlabel="test sets, one after the other", ylabel="limit, %", ylim=0)

    return pictures.show("test-sets", still=figure, alt=alt)
