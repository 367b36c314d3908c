"""The tables of the chapter that compares ways to prune.

They are made from the rows of ``reproduction.experiments.pruning_comparison.compared``
and from its summaries ``of``, one for each group of data sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.tree import DecisionTreeClassifier

from reproduction.experiments import Row, number_or_dash
from reproduction.experiments import pruning_comparison as experiment
from reproduction.experiments.leboeuf2020 import timed
from treebounds import CostComplexityPrunedTreeClassifier
from treebounds.formats import from_sklearn
from treebounds.pruning import BoundRule

TEN = "ten folds, minimum"
DEFAULT = "bound 2^-5"
THIRD = "bound, r by one third"
THREE = "three folds, errors"
# The ways to prune, as a page names them.
LABELS = {
    "no pruning": "no pruning",
    TEN: "ten folds, minimum",
    "ten folds, one-standard-error": "ten folds, one standard error",
    "GridSearchCV": "GridSearchCV over ccp_alpha",
    THREE: "three folds, price in errors",
    THIRD: "bound, $r$ by one held-out third",
    "bound, r by two folds": "bound, $r$ by two folds",
    "depth by ten folds": "depth by ten folds",
    "number of leaves by ten folds": "number of leaves by ten folds",
    "hierarchical shrinkage": "hierarchical shrinkage",
    "reduced error": "reduced error, 20 % held out",
    "pessimistic": "pessimistic (Quinlan)",
    "error-based, CF .25": "error-based (C4.5), CF .25",
    "error-based, CF .05": "error-based, CF .05",
    "error-based, CF .01": "error-based, CF .01",
    "minimum error, m = 2": "minimum error, m = 2",
    "minimum error, m = 8": "minimum error, m = 8",
    "Kearns-Mansour": "Kearns and Mansour",
    "Kearns-Mansour / 8": "Kearns and Mansour, penalty / 8",
    "price 2": "price: 2 errors per leaf",
    "noise price": "noise price",
    DEFAULT: "bound, all structures, $r = 2^{-5}$",
    "bound 2^-13.7": "bound, all structures, $r = 2^{-13.7}$",
    "greedy, depth 2": "greedy, depth 2",
    "greedy, depth 3": "greedy, depth 3",
    "optimal, depth 2": "optimal, depth 2",
    "optimal, depth 3": "optimal, depth 3",
    "distilled forest": "one tree from a forest",
    "forest": "the forest itself, 80 trees",
}
# Changes of the training examples, and ways that are compared after them.
CHANGES = {
    "shuffled": "labels shuffled",
    "flipped": "one label in ten wrong",
    "twice": "every row twice",
}
_AFTER_CHANGES = (
    "no pruning",
    TEN,
    "error-based, CF .01",
    "price 2",
    "noise price",
    DEFAULT,
)
_FOLDS = ("ten folds", "five folds", "three folds", "two folds", "one third")
_RIVALS = (
    "depth by ten folds",
    "number of leaves by ten folds",
    "optimal, depth 2",
    "optimal, depth 3",
    "hierarchical shrinkage",
    "distilled forest",
    "forest",
    THREE,
    THIRD,
    DEFAULT,
)
_FAMILIES = {
    "published": "the paper's order, 40 leaves",
    "best-first": "scikit-learn, 40 leaves",
    "unlimited": "scikit-learn, no limit",
}
_IN_FAMILIES = (
    "no pruning",
    "the paper's CART",
    "the paper's bound",
    TEN,
    "reduced error",
    "error-based, CF .01",
    "noise price",
    DEFAULT,
)
_DECISIONS = {
    THREE: "three folds",
    THIRD: "bound, ratio by a third",
    DEFAULT: "bound",
    "ten folds, one-standard-error": "ten folds, one standard error",
    "distilled forest": "distilled tree",
    "forest": "forest of 80",
    "no pruning": "no pruning",
}
_GROUPS = ("chose", "old", "new", "clean", "noisy")
_FLAT = {True: "yes", False: "no"}
Tables = Mapping[str, pd.DataFrame]


def against(row: Any) -> str:
    """A difference in points with its standard error, or a dash if it is unknown."""
    if np.isnan(row["mean"]):
        return "–"
    mean = f"{row['mean']:+.2f}".replace("-", "−")
    return f"{mean} ({row['standard_error']:.2f})"


def clear(table: pd.DataFrame) -> str:
    """The ways that are better than ten folds by two standard errors, by label."""
    others = table.loc[[way for way in LABELS if way != TEN]].astype(float)
    far = others.index[others["mean"] > 2 * others["standard_error"]]
    return ", ".join(LABELS[way] for way in far) or "none"


def paired(
    results: pd.DataFrame, method: str, opponent: str, group: Sequence[str]
) -> pd.Series:
    """A way compared with an opponent other than ten folds: a row of ``summary``."""
    both = results[results["method"].isin([method, opponent])]
    table = experiment.summary(both, "unlimited", opponent, group)
    return table.reindex([method]).iloc[0]


def ways(of: Tables, methods: Sequence[str]) -> pd.DataFrame:
    """A row for each way to prune: points in each group of sets, leaves and time."""
    return pd.DataFrame([_way(of, method) for method in methods])


def _way(of: Tables, method: str) -> Row:
    both = of["report"].loc[method]
    cells = {
        "way": LABELS[method],
        **{name: against(of[name].loc[method]) for name in _GROUPS},
        **{name: f"{both[name]:.0f}" for name in ("wins", "losses")},
        "p": f"{both['p_value']:.3f}",
        "leaves": f"{both['n_leaves']:.0f}",
        "ms": f"{1000 * both['seconds']:.1f}",
    }
    return {name: cell.replace("nan", "–") for name, cell in cells.items()}


def rivals(of: Tables) -> pd.DataFrame:
    """The table of other ways to a small tree."""
    columns = ["way", "chose", "clean", "noisy", "wins", "losses", "leaves"]
    return ways(of, _RIVALS)[columns]


def numbers(of: Tables) -> pd.DataFrame:
    """Every number of the comparison, for programs."""
    table = of["all"].loc[list(LABELS)].reset_index(names="method")
    for name in ("chose", "old", "new", "report", "clean", "noisy"):
        columns = of[name][["mean", "standard_error"]].add_suffix(f"_{name}")
        table = table.join(columns, on="method")
    return table


def folds(results: pd.DataFrame, of: Tables, group: Sequence[str]) -> pd.DataFrame:
    """A price in fractions of the rows against one in errors, from fewer folds."""
    rows = []
    for way in _FOLDS:
        fractions = f"{way}, fractions"
        if way == "ten folds":
            fractions = TEN
        errors = f"{way}, errors"
        gain = paired(results, errors, fractions, group)
        seconds = of["report"]["seconds"]
        rows.append(
            {
                "price from": way,
                "in fractions": against(of["report"].loc[fractions]),
                "in errors": against(of["report"].loc[errors]),
                "gain": against(gain),
                "wins": f"{gain['wins']:.0f}",
                "losses": f"{gain['losses']:.0f}",
                "leaves": f"{of['report']['n_leaves'][errors]:.0f}",
                "time": f"{seconds[errors] / seconds[TEN]:.2f}",
            }
        )
    return pd.DataFrame(rows)


def optimal(
    results: pd.DataFrame, of: Tables, here: Sequence[str], depth: int
) -> dict[str, Any]:
    """Numbers of the text about optimal trees of a depth, by their names."""
    method = f"optimal, depth {depth}"
    ran = set(results.loc[results["method"] == method, "dataset"])
    gain = paired(results, method, f"greedy, depth {depth}", here)
    sets_missed = [slug for slug in here if slug not in ran]
    return {
        f"optimal_{depth}_sets": len(ran),
        f"optimal_{depth}_missed": ", ".join(sets_missed) or "none",
        f"optimal_{depth}_gain": against(gain),
        f"optimal_{depth}_wins": f"{gain['wins']:.0f}",
        f"optimal_{depth}_losses": f"{gain['losses']:.0f}",
        f"optimal_{depth}": against(of["all"].loc[method]),
        f"greedy_{depth}": against(of["all"].loc[f"greedy, depth {depth}"]),
    }


def families(results: pd.DataFrame, group: Sequence[str]) -> pd.DataFrame:
    """Mean accuracy in percent and leaves, a column for each family of trees. Each data
    set counts once, however many its splits are.
    """
    own = results[results["dataset"].isin(group)]
    of_sets = own.groupby(["method", "family", "dataset"])[["accuracy", "n_leaves"]]
    cells = of_sets.mean().groupby(["method", "family"]).mean()

    def cell(way: str, family: str) -> str:
        """The accuracy with the leaves in parentheses, or a dash without rows."""
        if (way, family) not in cells.index:
            return "–"
        accuracy = 100 * cells["accuracy"][way, family]
        return f"{accuracy:.1f} ({cells['n_leaves'][way, family]:.1f})"

    rows = []
    for way in _IN_FAMILIES:
        row = {"pruning": LABELS.get(way, way)}
        for family, label in _FAMILIES.items():
            row[label] = cell(way, family)
        rows.append(row)
    return pd.DataFrame(rows)


def changed(of_changes: Tables) -> pd.DataFrame:
    """Points against ten folds and leaves after each change of the examples."""
    rows = []
    for way in _AFTER_CHANGES:
        row = {"pruning": LABELS[way]}
        for change, label in CHANGES.items():
            numbers = of_changes[change].loc[way]
            row[label] = f"{numbers['mean']:+.1f} ({numbers['n_leaves']:.0f})"
        rows.append(row)
    return pd.DataFrame(rows)


def seconds_of_pruning(
    X: ArrayLike, y: ArrayLike, n: int, most_for_folds: int = 10_000
) -> list[Row]:
    """Leaves, accuracy and seconds of growing and of two prunings.

    The first ``n`` rows are for training, the others for testing. Ten folds run on at
    most ``most_for_folds`` rows.
    """
    X = np.asarray(X)
    y = np.asarray(y)
    grown = DecisionTreeClassifier(random_state=0)
    _, growing = timed(grown.fit, X[:n], y[:n])
    tree = from_sklearn(grown)

    # The rule is compiled before the clock starts.
    BoundRule().path(tree.collapse([0]))
    nodes, pruning = timed(BoundRule().nodes, tree, tree.class_counts)
    trees = [("no pruning", tree, growing), (DEFAULT, tree.collapse(nodes), pruning)]

    if n <= most_for_folds:
        learner = CostComplexityPrunedTreeClassifier(
            cv=10, carry="fractions", random_state=0
        )
        _, seconds = timed(learner.fit, X[:n], y[:n])
        trees.append((TEN, from_sklearn(learner), seconds))

    return [
        {
            "n_examples": n,
            "method": way,
            "n_leaves": pruned.n_leaves,
            "accuracy": np.mean(pruned.predict(X[n:]) == y[n:]),
            "seconds": seconds,
        }
        for way, pruned, seconds in trees
    ]


def decisions(results: pd.DataFrame, of: Tables) -> pd.DataFrame:
    """The table on the decision page; growing the tree takes the time 1."""
    first = results[(results["draw"] == 0) & (results["family"] == "unlimited")]
    seconds = first.groupby("method")[["growing", "seconds"]].sum().sum(axis=1)
    # Without data some ways did not run.
    seconds = seconds.reindex(list(_DECISIONS))
    once = first[first["method"] == "no pruning"]["growing"].sum()
    return pd.DataFrame(
        [_decision(of, method, seconds[method] / once) for method in _DECISIONS]
    )


def _decision(of: Tables, method: str, cost: float) -> Row:
    # A way that did not run took no time.
    if cost == 0:
        cost = np.nan
    return {
        "way": _DECISIONS[method],
        **{name: _marked(of[name].loc[method]) for name in _GROUPS},
        "leaves": number_or_dash(of["report"]["n_leaves"][method], ".0f"),
        "time": number_or_dash(cost, ".1f"),
    }


def _marked(row: Any) -> str:
    """The difference, with an arrow if it is two standard errors or more."""
    text = against(row)
    if not abs(row["mean"]) >= 2 * row["standard_error"] > 0:
        return text
    if row["mean"] > 0:
        return f"{text} ▲"
    return f"{text} ▼"


def ratios(of: Tables, best: str) -> pd.DataFrame:
    """The points of the bound for each ratio; the flat top reaches down to one standard
    error below the best ratio.
    """
    chose = of["chose"]
    lowest = chose["mean"][best] - chose["standard_error"][best]
    rows = []
    for exponent in experiment.EXPONENTS:
        name = f"bound 2^-{exponent:g}"
        label = f"$2^{{-{exponent:g}}}$"
        if name == DEFAULT:
            label += " (default)"

        row = {"ratio": label}
        for group in ("chose", "old", "new"):
            row[group] = f"{of[group]['mean'][name]:+.2f}"
        row["leaves"] = f"{of['all']['n_leaves'][name]:.0f}"
        row["flat top"] = _FLAT[bool(chose["mean"][name] >= lowest)]
        rows.append(row)
    return pd.DataFrame(rows)
