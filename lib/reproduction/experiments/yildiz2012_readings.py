"""Readings of what Yıldız's paper leaves open, changes of its formula, and other ways
to prune, all in the folds of his experiment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from reproduction.claims import TableCheck
from reproduction.experiments import Row
from reproduction.experiments import yildiz2012 as experiment
from reproduction.experiments.yildiz2012 import Encoded
from reproduction.multiway.generic import (
    description_length_estimate,
    generic_pruning,
)
from reproduction.multiway.pruning import reduced_error_nodes, srm_nodes
from reproduction.multiway.tree import MultiwayTree
from reproduction.multiway.yildiz_lary import yildiz_lary_estimate
from reproduction.plotting import written_out
from treebounds import (
    BoundPrunedTreeClassifier,
    CostComplexityPrunedTreeClassifier,
    ReducedErrorPrunedTreeClassifier,
)

# First, how an empty branch predicts: as its parent, as the root, or there is no such
# branch. Then options of the pruning.
VARIANTS: dict[str, tuple[str, dict[str, str]]] = {
    "SRM as in the tables": ("parent", {}),
    "SRM bottom-up": ("parent", {"order": "bottom-up"}),
    "SRM, N of the whole set": ("parent", {"sample": "whole"}),
    "SRM, Figure 5 as printed": ("parent", {"inputs": "below"}),
    "SRM, d reduced along the path": ("parent", {"inputs": "path"}),
    "SRM, no empty branches": ("none", {}),
    "SRM, empty branches predict as the root": ("root", {}),
    "SRM bottom-up, Figure 5 as printed": (
        "parent",
        {"order": "bottom-up", "inputs": "below"},
    ),
    "SRM bottom-up, empty as the root": ("root", {"order": "bottom-up"}),
    "SRM, Figure 5 as printed, empty as the root": ("root", {"inputs": "below"}),
    "CV as in the tables": ("parent", {"order": "top-down"}),
    "CV bottom-up": ("parent", {"order": "bottom-up"}),
    "CV, ties keep the subtree": ("parent", {"order": "top-down", "ties": "keep"}),
    "CV, empty branches predict as the root": ("root", {"order": "top-down"}),
    "CV bottom-up, ties keep the subtree": (
        "parent",
        {"order": "bottom-up", "ties": "keep"},
    ),
    "CV bottom-up, empty as the root": ("root", {"order": "bottom-up"}),
}
# The decimals of the errors in Table 1 and of the complexities in Table 2.
_DIGITS = {"table1": 1, "table2": 0}

Error = Callable[..., NDArray[np.float64]]


def method_of(variant: str) -> str:
    """The method that a variant is a reading of."""
    if variant.startswith("SRM"):
        return "SRMprune"
    return "CVprune"


def variant_results(train: Encoded, test: Encoded, seed: int) -> list[Row]:
    """Error in percent and complexity of every variant in one fold."""
    part, held_out = train.held_out(seed)
    trees = {"SRMprune": _by_empty_branches(train), "CVprune": _by_empty_branches(part)}
    trees["SRMprune"]["none"] = train.grow(empty_branches=False)

    rows = []
    for name, (empty, options) in VARIANTS.items():
        tree = trees[method_of(name)][empty]
        if method_of(name) == "CVprune":
            cut = reduced_error_nodes(tree, held_out.X, held_out.y, **options)
        else:
            cut = srm_nodes(tree, **options)
        error, size = experiment.judged(tree.recounted(test.X, test.y), cut)
        rows.append({"variant": name, "error": error, "complexity": size})
    return rows


def _by_empty_branches(data: Encoded) -> dict[str, MultiwayTree]:
    """ID3's tree; its leaves without examples predict as parent or root."""
    tree = data.grow()
    empty = ~tree.class_counts.any(axis=1)
    labels = np.where(empty, tree.labels[0], tree.labels)
    return {"parent": tree, "root": replace(tree, labels=labels)}


def cv_pruned(
    train: Encoded, seed: int, stratified: bool = True
) -> tuple[MultiwayTree, NDArray[np.bool_]]:
    """A tree that is grown on four fifths, and the nodes that the rest cuts."""
    part, rest = train.held_out(seed, stratified)
    tree = part.grow()
    return tree, reduced_error_nodes(tree, rest.X, rest.y, order="top-down")


def deviation_of_folds(
    slug: str, method: str, stratified: bool, repetitions: int
) -> float:
    """Standard deviation of the error in points over the folds of repetitions."""
    data = experiment.encoded(slug)
    errors = []
    for repetition in range(repetitions):
        folds = data.folds_with_seeds(repetition, stratified=stratified)
        for train, test, seed in folds:
            if method == "CVprune":
                tree, cut = cv_pruned(train, seed, stratified)
            else:
                tree = train.grow()
                cut = np.array(False)
            error, _ = experiment.judged(tree.recounted(test.X, test.y), cut)
            errors.append(error)

    return float(np.std(errors))


def cvprune_size(
    slug: str, order: ArrayLike, repetitions: int, stratified: bool = True
) -> float:
    """CVprune's mean complexity over repetitions, with the columns in some order."""
    original = experiment.encoded(slug)
    columns = np.asarray(order)
    data = original._replace(
        X=original.X[:, columns], n_values=original.n_values[columns]
    )

    means = []
    for repetition in range(repetitions):
        folds = data.folds_with_seeds(repetition, stratified=stratified)
        pruned = (cv_pruned(train, seed, stratified) for train, _, seed in folds)
        means.append(np.mean([experiment.judged(*each)[1] for each in pruned]))
    return float(np.mean(means))


def when_changed(
    slug: str, changes: Mapping[str, Mapping[str, Any]], penalized: Error
) -> dict[str, NDArray[np.float64]]:
    """Error in percent and complexity of SRMprune in each fold, for each change of the
    formula.

    A change may have ``log`` and ``v``, arguments of ``penalized(E, V, n)``; ``V``, a
    function of the tree and of the usual values; and ``leaf``, the value of a leaf.
    """
    folds_of: dict[str, list[tuple[Any, Any]]] = {name: [] for name in changes}
    for train, test in experiment.encoded(slug).folds(0):
        tree = train.grow()
        with_counts = tree.recounted(test.X, test.y)
        for name, change in changes.items():
            cut = _cut_when_changed(tree, change, penalized)
            folds_of[name].append(experiment.judged(with_counts, cut))
    return {name: np.array(values) for name, values in folds_of.items()}


def _cut_when_changed(
    tree: MultiwayTree, change: Mapping[str, Any], penalized: Error
) -> NDArray[np.bool_]:
    n = np.maximum(tree.class_counts.sum(axis=1), 1)
    V = yildiz_lary_estimate(tree.feature, tree.parents, tree.n_values, "all")
    if "V" in change:
        V = change["V"](tree, V)
    how = {key: change[key] for key in ("log", "v") if key in change}
    as_leaf = penalized(tree.leaf_errors / n, change.get("leaf", 1), n, **how)
    below = penalized(tree.subtree_errors / n, V, n, **how)
    return ~tree.is_leaf & (as_leaf < below)


def other_ways(train: Encoded, test: Encoded, seed: int) -> list[Row]:
    """Error in percent and leaves of four ways with multiway trees, and of four with
    binary trees on one-hot features.
    """
    ways = chain(_multiway(train, test, seed), _binary(train, test, seed))
    return [
        {
            "model": name,
            "leaves": n_leaves,
            "error": 100 * np.mean(predicted != test.y),
        }
        for name, predicted, n_leaves in ways
    ]


def _multiway(
    train: Encoded, test: Encoded, seed: int
) -> Iterator[tuple[str, NDArray[Any], int]]:
    part, held_out = train.held_out(seed)
    grown = train.grow()
    smaller = part.grow()
    by_errors = reduced_error_nodes(smaller, held_out.X, held_out.y)
    by_length = description_length_estimate(train.X.shape[1])
    short = generic_pruning(grown, train.X, train.y, by_length)

    for name, tree in (
        ("ID3, whole", grown),
        ("ID3, SRM", grown.collapse(srm_nodes(grown))),
        ("ID3, reduced error", smaller.collapse(by_errors)),
        ("ID3, description length", short.to_tree(train.X, train.y)),
    ):
        yield name, tree.predict(test.X), tree.n_leaves


def _binary(
    train: Encoded, test: Encoded, seed: int
) -> Iterator[tuple[str, NDArray[Any], int]]:
    values = [np.arange(n) for n in train.n_values]
    bits = OneHotEncoder(categories=values, sparse_output=False, dtype=np.float32).fit(
        train.X
    )
    how: dict[str, Any] = {"max_leaf_nodes": None, "random_state": seed}
    models = {
        "CART, whole": DecisionTreeClassifier(random_state=seed),
        "CART, cost-complexity, 10 folds": CostComplexityPrunedTreeClassifier(
            cv=10, carry="fractions", **how
        ),
        "CART, reduced error": ReducedErrorPrunedTreeClassifier(**how),
        "CART, Shawe-Taylor bound": BoundPrunedTreeClassifier(
            capacity="loose", error_prior_ratio=2**-13.7, **how
        ),
    }
    for name, model in models.items():
        model.fit(bits.transform(train.X), train.y)
        yield name, model.predict(bits.transform(test.X)), model.get_n_leaves()


# --- tables of a page ---


def beside_the_printed(
    frame: pd.DataFrame, names: Mapping[str, str], starred: Iterable[str], digits: int
) -> pd.DataFrame:
    """A published table and ours side by side, one row for each cell."""
    stars = dict.fromkeys(starred, "*")

    def pairs(means: Iterable[float], deviations: Iterable[float]) -> list[str]:
        """A mean with its deviation for each cell."""
        cells = zip(means, deviations, strict=True)
        return [_with_deviation(mean, sd, digits) for mean, sd in cells]

    return pd.DataFrame(
        {
            "set": [names[slug] + stars.get(slug, "") for slug in frame["dataset"]],
            "method": frame["method"],
            "published": pairs(frame["published_mean"], frame["published_sd"]),
            "here": pairs(frame["mean"], frame["sd"]),
            "difference in SE": [_with_sign(z) for z in frame["se"]],
            "flag": frame["flag"],
        }
    )


def _with_deviation(mean: float, deviation: float, digits: int) -> str:
    """A mean and its standard deviation; empty without a mean."""
    if not np.isfinite(mean):
        return ""
    space = "\N{NO-BREAK SPACE}"
    return f"{mean:.{digits}f}{space}±{space}{deviation:.{digits}f}"


def _with_sign(value: float) -> str:
    """A number with its sign; empty for NaN."""
    if np.isnan(value):
        return ""
    return f"{value:+.1f}"


def note_on_misses(
    check: TableCheck, cells: pd.DataFrame, names: Mapping[str, str]
) -> str:
    """How many cells of a table miss beyond rounding, and which ones are flagged."""
    flagged = cells[cells["flag"] == "differs"]
    distances = [
        f"{names[str(cell.dataset)]} {cell.method} {cell.se:+.1f} standard errors"
        for cell in flagged.itertuples()
    ]
    return (
        f"{check.n_misses} of {len(cells)} cells differ by more than rounding at 5 "
        f"percent, {check.expected_misses:.1f} are expected to by chance (probability "
        f"of as many misses or one as large: {written_out(check.p_value, 2)}). Without "
        "an allowance for rounding, more than two standard errors off: "
        f"{'; '.join(distances) or 'none'}."
    )


def variants_table(
    agreeing: Mapping[str, int],
    sizes: pd.DataFrame,
    printed: Mapping[str, Mapping[str, float]],
    names: Mapping[str, str],
) -> pd.DataFrame:
    """How many cells each variant gives, and its sizes beside the printed ones.

    ``sizes`` has a row for each variant and a column for each set, ``printed`` the
    sizes of each method.
    """
    slugs = list(sizes)
    rows = []
    for variant, n in agreeing.items():
        own = sizes.loc[variant]
        cells = [f"{own[slug]:.0f}" for slug in slugs]
        rows.append((variant, f"{n} of {2 * len(slugs)}", *cells))
    for method, of_sets in printed.items():
        cells = [f"{of_sets[slug]:.0f}" for slug in slugs]
        rows.append((f"published, {method}", "", *cells))
    columns = ["variant", "cells that agree", *(names[slug] for slug in slugs)]
    return pd.DataFrame(rows, columns=columns)


def deviations(
    tables: Mapping[str, pd.DataFrame],
    names: Mapping[str, str],
    explained: Mapping[tuple[str, str, str], bool],
) -> pd.DataFrame:
    """The cells that deviate, each with other readings that give it.

    ``explained`` tells for (variant, table, set) whether the variant gives the cell.
    """
    rows = []
    for name, frame in tables.items():
        digits = _DIGITS[name]
        for cell in frame[frame["flag"] == "differs"].itertuples():
            giving = [
                variant
                for variant in VARIANTS
                if method_of(variant) == cell.method
                and "as in the tables" not in variant
                and explained[variant, name, str(cell.dataset)]
            ]
            rows.append(
                {
                    "table": name[-1],
                    "set": names[str(cell.dataset)],
                    "method": cell.method,
                    "published": f"{cell.published_mean:.{digits}f}",
                    "here": f"{cell.mean:.{digits}f}",
                    "given by": _listed(giving),
                }
            )
    columns = ["table", "set", "method", "published", "here", "given by"]
    none = dict(zip(columns, ["none", *5 * "–"], strict=True))
    return pd.DataFrame(rows or [none], columns=columns)


def _listed(variants: Sequence[str]) -> str:
    """At most three names that no line breaks, and how many there are besides."""
    unbroken = [name.replace(" ", "\N{NO-BREAK SPACE}") for name in variants]
    if len(unbroken) > 3:
        unbroken = [*unbroken[:2], f"{len(unbroken) - 2} more"]
    return "; ".join(unbroken) or "none"


def changes_table(
    trials: Mapping[str, Mapping[str, NDArray[np.float64]]],
    published: Mapping[str, Any],
    in_full: str,
) -> pd.DataFrame:
    """The mean complexity under each change of the formula, a column for each set; for
    one of them also its deviation over the folds, and the error.
    """
    names = published["datasets"]
    columns = {}
    for slug, of_changes in trials.items():
        error, size = (published[f"table{k}"][slug][2] for k in (1, 2))
        values = list(of_changes.values())
        columns[names[slug]] = [*(v[:, 1].mean() for v in values), size[0]]
        if slug == in_full:
            columns[f"{names[slug]}, sd"] = [*(v[:, 1].std() for v in values), size[1]]
            columns[f"{names[slug]}, error"] = [
                *(v[:, 0].mean() for v in values),
                error[0],
            ]

    rows = [*next(iter(trials.values()), {}), "published"]
    table = pd.DataFrame(columns, index=pd.Index(rows, name="variant"))
    for column in table:
        digits = _DIGITS["table2"]
        if str(column).endswith("error"):
            digits = _DIGITS["table1"]
        table[column] = table[column].map(f"{{:.{digits}f}}".format)
    return table.reset_index()
