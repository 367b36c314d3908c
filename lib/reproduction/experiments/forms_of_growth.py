"""The forms of the growth bound on the trees of Leboeuf, LeBlanc and Marchand (2020):
their values, Equation 8 with each of them, and the time of one evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import product

import pandas as pd

import treebounds as tb
from reproduction.experiments import Row
from reproduction.experiments import leboeuf2020 as experiment
from reproduction.growth_forms import corrected_loose_growth_bound
from treebounds.trees.array_tree import ArrayTree

FORMS = ("loose", "tight", "closed")


def grown_and_pruned(data: experiment.Split) -> tuple[ArrayTree, ArrayTree]:
    """The tree of a split and its pruning, both as in the authors' program."""
    tree = data.grow("published")
    return tree, tree.collapse(experiment.published_bound_cut(tree))


def growth_values(slug: str, draw: int) -> list[Row]:
    """Every form in nats, and Equation 8 with it, for a grown and for a pruned tree."""
    data = experiment.split(slug, draw)
    m = len(data.y_train)

    rows = []
    for model, tree in zip(("Original", "Ours"), grown_and_pruned(data), strict=True):
        for form, growth in _log_growth(tree, 2 * m).items():
            (bound,) = experiment.bound_rule().bounds(
                [tree.n_leaves], [tree.subtree_errors[0]], [growth], m
            )
            rows.append(
                {
                    "model": model,
                    "form": form,
                    "bound": bound,
                    "n_leaves": tree.n_leaves,
                    "log_growth": growth,
                }
            )
    return rows


def _log_growth(tree: ArrayTree, n_examples: int) -> dict[str, float]:
    """The logarithm of every form for a tree."""
    sample = n_examples, tree.n_features, tree.n_classes
    logs = {
        form: tb.log_growth_function_bound(tree, *sample, form=form) for form in FORMS
    }
    return {**logs, "corrected": math.log(corrected_loose_growth_bound(tree, *sample))}


def seconds(slugs: Sequence[str], n_splits: int) -> pd.DataFrame:
    """The mean time of one evaluation of each form on the unpruned trees of each set,
    without stored values.
    """
    clock = [
        {"dataset": slug, **_seconds(slug, draw)}
        for slug, draw in product(slugs, range(n_splits))
    ]
    return pd.DataFrame(clock).groupby("dataset").mean()


def _seconds(slug: str, draw: int) -> dict[str, float]:
    """The best of three times for each form."""
    data = experiment.split(slug, draw)
    tree = data.grow("published")
    sample = 2 * len(data.y_train), tree.n_features, tree.n_classes
    evaluate = partial(tb.log_growth_function_bound, tree.structure, *sample)
    return {form: experiment.shortest(partial(evaluate, form=form)) for form in FORMS}
