"""The time of four ways to prune the trees of Leboeuf, LeBlanc and Marchand (2020)."""

from __future__ import annotations

from reproduction.experiments import Row
from reproduction.experiments import leboeuf2020 as experiment
from reproduction.experiments.leboeuf2020 import shortest
from reproduction.published import published_cost_complexity


def pruning_seconds(slug: str, draw: int) -> list[Row]:
    """Seconds for pruning one tree in four ways, each part the shortest of three.

    The time of CART, and of its textbook form, includes growing the trees of the folds.
    """
    data = experiment.split(slug, draw)
    tree = data.grow("published")
    folds = experiment.judged_folds("published", data)

    growing = shortest(experiment.judged_folds, "published", data)
    exact = experiment.bound_rule("all-structures")
    seconds = {
        "CART": growing + shortest(published_cost_complexity, tree, folds),
        "Ours": shortest(experiment.published_bound_cut, tree),
        "textbook": growing + shortest(experiment.cross_validated, tree, folds),
        "exact": shortest(exact.path, tree),
    }
    return [{"way": way, "seconds": value} for way, value in seconds.items()]
