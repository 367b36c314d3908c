"""Tables of the chapter that compares certificates on data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd

from reproduction.experiments import Row, leaves_or_dash, number_or_dash
from reproduction.experiments.certificates import certificates
from reproduction.experiments.leboeuf2020 import run
from reproduction.experiments.rival_certificates import N_BLOCKS

FREE = "no certificate"
QUARTER = "a quarter held out"
HALF = "a half held out"
CHOSEN = (FREE, QUARTER, HALF, "halves", "halves, pruned", "message", "occam", "growth")
USES = {
    FREE: "three folds on all rows, nothing to quote",
    QUARTER: "the same on three quarters of the rows, certified on the rest",
    HALF: "the same on one half, certified on the other",
    "halves, pruned": "CertifiedTreeClassifier, at most 40 leaves",
    "halves": "two halvings, pruned and distilled trees of up to 300 leaves",
    "occam": "CertifiedTreeClassifier, method occam",
    "message": "CertifiedTreeClassifier, method message",
}
RIVALS = {
    "Rademacher penalty": "Rademacher penalty of all prunings",
    "progressive validation": f"progressive validation, {N_BLOCKS} blocks",
    "fixed sequence of tests": "fixed sequence of tests",
    "forest, out of bag": "a forest, out of bag",
    "forest, a half held out": "a forest, a half held out",
}
# Names of methods in the names of numbers that the text quotes.
_KEYS = {
    "halves": "halves",
    "message": "message",
    "quarter": QUARTER,
    "half": HALF,
    "occam": "occam",
    "growth": "growth",
    "free": FREE,
    "vapnik": "growth, relative deviations",
    "eight": "Equation 8",
}


def measured(
    sets: Sequence[str],
    n: int,
    task: Callable[..., list[Row]] = certificates,
    *,
    max_rows: int,
    n_jobs: int,
    n_large_splits: int,
) -> pd.DataFrame:
    """Means over the splits, one row for each data set and method."""
    task_of_size = partial(task, max_rows=max_rows)
    frame = run(task_of_size, sets, n, n_jobs, n_large_splits)
    frame = frame.drop(columns="draw", errors="ignore")
    # None of these sets is available.
    if frame.empty:
        numbers = ("certificate", "test_error", "seconds", "n_leaves")
        frame = pd.DataFrame(columns=["dataset", "method", *numbers], dtype=float)
    frame["above"] = frame["test_error"] > frame["certificate"]
    return frame.groupby(["dataset", "method"], sort=False).mean()


def summary(average: pd.DataFrame, below: pd.DataFrame) -> pd.DataFrame:
    """Each method: its mean certificate, and where it is below the majority error."""
    certified = average["certificate"]

    def sets_below(method: str) -> Any:
        """The number of sets, or a dash for a method without certificates."""
        if np.isnan(certified[method]):
            return "–"
        return below[method].sum()

    return pd.DataFrame(
        {
            "method": average.index,
            "mean certificate": [number_or_dash(v, ".3f") for v in certified],
            "sets below the majority error": [*map(sets_below, average.index)],
            "mean test error": [*map("{:.3f}".format, average["test_error"])],
            "mean leaves": average["n_leaves"].round(1).to_numpy(),
        }
    )


def silent(sets: pd.Index, columns: dict[str, pd.Series], nothing: str) -> pd.DataFrame:
    """Some columns on the sets on which nothing can be certified."""
    table = pd.DataFrame({"data set": sets})
    for name, values in columns.items():
        table[name] = [f"{value:.3f}" for value in values[sets]]
    if table.empty:
        table.loc[0, "data set"] = nothing
    return table


def of_every_set(groups: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The means of each chosen method over the sets of all groups."""
    every = pd.concat(groups).groupby("method", sort=False).mean(numeric_only=True)
    return every.reindex(CHOSEN).astype(float)


def others(of_group: dict[str, pd.DataFrame], every: pd.DataFrame) -> pd.DataFrame:
    """Mean certificate and mean test error on each group, leaves and time on all."""

    def pair(means: pd.DataFrame, method: str) -> str:
        """Certificate and test error of a method on a group."""
        pair = means.loc[method, ["certificate", "test_error"]].astype(float)
        return " / ".join(number_or_dash(value, ".3f") for value in pair)

    pairs = {
        name: [pair(means, method) for method in CHOSEN]
        for name, means in of_group.items()
    }
    times = every["seconds"] / every["seconds"][FREE]
    return pd.DataFrame(
        {
            "method": CHOSEN,
            **pairs,
            "leaves": every["n_leaves"].round().to_numpy(),
            "time": times.round(1).to_numpy(),
        }
    )


def quoted(every: pd.DataFrame) -> pd.DataFrame:
    """What a quoted error costs."""
    rows = [
        {
            "use": use,
            "limit": number_or_dash(every["certificate"][method], ".3f"),
            "test error": f"{every['test_error'][method]:.3f}",
            "leaves": f"{every['n_leaves'][method]:.0f}",
            "time": f"{every['seconds'][method] / every['seconds'][FREE]:.1f}",
        }
        for method, use in USES.items()
    ]
    return pd.DataFrame(rows)


def saved(results: pd.DataFrame, of: str, by: str) -> pd.Series:
    """By how much the certificates of one method are below another's."""
    wide = results["certificate"].unstack(sort=False)
    if wide.empty:
        return pd.Series(dtype=float)
    return wide[by] - wide[of]


def shown(values: pd.Series) -> str:
    """A mean with its standard error."""
    return f"{values.mean():.4f} ({values.sem():.4f})"


def by_rows(results: pd.DataFrame, limits: Sequence[float]) -> pd.DataFrame:
    """By how much certificates of halvings are smaller, by the number of rows."""
    rows = results["n_examples"].groupby("dataset").first()
    lines = []
    for low, high in pairwise(limits):
        some = rows.index[(rows > low) & (rows <= high)]
        size = f"{low + 1:,} to {high:,}"
        if np.isinf(high):
            size = f"more than {low:,}"

        line: dict[str, Any] = {"training rows": size, "sets": len(some)}
        for method, by in product(("halves", "halves, pruned"), (QUARTER, HALF)):
            gain = saved(results, method, by).reindex(some)
            line[f"{method}, against {by}"] = shown(gain)
        lines.append(line)
    return pd.DataFrame(lines).replace("nan (nan)", "–")


def against_rivals(everything: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """Ours and those of others: means, and sets below the majority error."""
    ours = (HALF, "halves", "halves, pruned")
    labels = dict(zip(ours, ours, strict=True)) | RIVALS
    level = everything["majority"].groupby("dataset").first()
    methods = everything.index.get_level_values("method")
    both = pd.concat([everything.loc[methods.isin(ours)], theirs])
    means = both.groupby("method").mean(numeric_only=True)
    values = both["certificate"].astype(float).unstack()
    wins = values.lt(level, axis=0)
    sequence = "fixed sequence of tests"
    wins[sequence] = values[sequence].notna()

    def row(method: str, label: str) -> Row:
        """The line of a method: its means, and the number of its sets."""
        of_method = means.loc[method]
        mean = f"{of_method['certificate']:.3f}"
        # Its certificates are the majority errors of the sets on which it has one.
        if method == sequence:
            mean = "–"
        return {
            "certificate": label,
            "mean": mean,
            "sets below the majority error": int(wins[method].sum()),
            "test error": f"{of_method['test_error']:.3f}",
            "leaves": leaves_or_dash(of_method["n_leaves"]),
        }

    return pd.DataFrame([row(method, label) for method, label in labels.items()])


def numbers(average: pd.DataFrame, below: pd.DataFrame) -> dict[str, float]:
    """Means of certificates and test errors that the text quotes, by name."""
    values: dict[str, float] = {"sets_message": int(below["message"].sum())}
    for key, method in _KEYS.items():
        values[f"cert_{key}"] = float(average.loc[method, "certificate"])
        values[f"test_{key}"] = float(average.loc[method, "test_error"])
    return values
