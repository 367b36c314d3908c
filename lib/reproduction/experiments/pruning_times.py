"""The time of four ways to prune the trees of Leboeuf, LeBlanc and Marchand (2020)."""

from __future__ import annotations

from typing import Any

from reproduction.experiments import Row
from reproduction.experiments import leboeuf2020 as experiment
from reproduction.published import published_cost_complexity


def pruning_seconds(slug: str, draw: int) -> list[Row]:
    """Seconds for pruning one tree in four ways, each part the shortest of three.

    The time of CART, and of its textbook form, includes growing the trees of the folds.
    """
    data = experiment.split(slug, draw)
    tree = data.grow("published")
    folds = experiment.judged_folds("published", data)

    growing = _shortest(experiment.judged_folds, "published", data)
    exact = experiment.bound_rule("all-structures")
    seconds = {
        "CART": growing + _shortest(published_cost_complexity, tree, folds),
        "Ours": _shortest(experiment.published_bound_cut, tree),
        "textbook": growing + _shortest(experiment.cross_validated, tree, folds),
        "exact": _shortest(exact.path, tree),
    }
    return [{"way": way, "seconds": value} for way, value in seconds.items()]


def _shortest(call: Any, *arguments: Any) -> float:
    return min(experiment.timed(call, *arguments)[1] for _ in range(3))
