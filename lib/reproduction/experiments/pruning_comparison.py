"""A comparison of ways to prune on the sets of Table 1, on which constants were chosen,
and on other sets.

Nearly every rule chooses nodes of a grown tree, so a rule costs little once the tree
and the held-out counts of its nodes are known. Most of the time goes into the trees of
the folds and the forest that is distilled.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from reproduction import DistilledTreeClassifier
from reproduction.datasets import group
from reproduction.experiments import Row
from reproduction.experiments import leboeuf2020 as protocol
from reproduction.experiments import tuned_trees as tuned
from reproduction.experiments.leboeuf2020 import Split, timed
from reproduction.experiments.optimal_trees import MAX_ENTRIES, optimal
from reproduction.published import Judged, published_cost_complexity
from treebounds.pruning import BoundRule, CountingRule, rules
from treebounds.pruning.cost_complexity import CARRIES, SELECTIONS
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import count_classes, errors_of_counts

CHOSE = protocol.DATA_SETS
REPORT = group("prunings")
NEW = group("new")
GROUPS = {"chose": CHOSE, "old": REPORT, "new": NEW}
# The leaves of distilled trees were chosen on these sets.
CHOSE_LEAVES = {*CHOSE, *group("certificates")}

# The most training rows of old sets and of new ones.
MAX_ROWS = 1500
MAX_NEW_ROWS = 3000

EXPONENTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13.7)
PRICES = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0)
SMOOTHING = 2.0
N_TREES = 80
# The smallest probability in the log-loss, as in scikit-learn.
_RARE = np.finfo(float).eps

COUNTING: dict[str, CountingRule] = {
    "pessimistic": rules.PessimisticRule(),
    "error-based, CF .25": rules.ErrorBasedRule(0.25),
    "error-based, CF .05": rules.ErrorBasedRule(0.05),
    "error-based, CF .01": rules.ErrorBasedRule(0.01),
    "minimum error, m = 2": rules.MinimumErrorRule(2.0),
    "minimum error, m = 8": rules.MinimumErrorRule(8.0),
    "Kearns-Mansour": rules.KearnsMansourRule(),
    "Kearns-Mansour / 8": rules.KearnsMansourRule(0.125),
    "noise price": rules.PriceRule("noise"),
    **{f"price {price:g}": rules.PriceRule(price) for price in PRICES},
    **{
        f"bound 2^-{exponent:g}": BoundRule(error_prior_ratio=2.0**-exponent)
        for exponent in EXPONENTS
    },
}


def compared(
    slug: str,
    draw: int,
    *,
    families: Sequence[str] = protocol.FAMILIES,
    change: str = "",
    max_rows: int = MAX_ROWS,
    n_rivals: int = 1,
) -> list[Row]:
    """Test accuracy, leaves, log-loss and seconds of every way to prune, on one split.

    Parameters
    ----------
    slug : str
    draw : int
        Number of the split. The split and the change are drawn with the seed 10 draw +
        1.
    families : sequence of str
        How trees are grown, see ``reproduction.experiments.leboeuf2020.FAMILIES``.
    change : {"", "shuffled", "flipped", "twice"}
        Change of the training examples: the labels are shuffled; one label in ten is
        replaced by another class; or every row occurs twice.
    max_rows : int
        Largest number of training rows; twice as many for testing.
    n_rivals : int
        Number of splits, the first ones, on which trees that are not prunings are
        measured, too: optimal trees (on the first split only, where stored results
        exist), and one that is distilled from a forest. On these
        splits the forest itself, on the test rows and out of bag, and the majority
        class are measured as well.
    """
    with warnings.catch_warnings():
        # Small samples have nearly as many classes as rows.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        data = _changed(protocol.split(slug, draw), change, 10 * draw + 1, max_rows)
        rows: list[Row] = []
        for family in families:
            tuning = family == "unlimited" and not change
            prunings = _pruned(family, data, draw, tuning=tuning)
            rows += [{"family": family, **row} for row in prunings]
        if draw < n_rivals:
            others = [*_from_forest(data, slug not in CHOSE_LEAVES)]
            if draw == 0 and not change:
                others += optimal(slug, len(data.y_train))
            rows += [{"family": "unlimited", **row} for row in others]
    return rows


def _changed(data: Split, change: str, seed: int, max_rows: int) -> Split:
    X = data.X_train[:max_rows]
    y = data.y_train[:max_rows]
    rng = np.random.default_rng(seed)

    if change == "shuffled":
        y = rng.permutation(y)
    elif change == "flipped":
        is_flipped = rng.random(len(y)) < 0.1
        others = (y + rng.integers(1, data.n_classes, len(y))) % data.n_classes
        y = np.where(is_flipped, others, y)
    elif change == "twice":
        order = rng.permutation(2 * len(y)) // 2
        X = X[order]
        y = y[order]

    X_test = data.X_test[: 2 * max_rows]
    y_test = data.y_test[: 2 * max_rows]
    return Split(X, X_test, y, y_test, data.n_classes)


class _Way(NamedTuple):
    """A way to choose the nodes of a grown tree that become leaves.

    ``preparing`` are the seconds that the trees of folds took to grow.
    """

    method: str
    choose: Callable[[], Any]
    preparing: float = 0.0


def _pruned(family: str, data: Split, draw: int, tuning: bool) -> Iterator[Row]:
    """The results of all ways to prune one grown tree, and of reduced-error pruning
    with a held-out part.
    """
    tree, growing = timed(data.grow, family)
    judge = _judge(tree, data)
    ten, folding = timed(protocol.judged_folds, family, data, protocol.N_FOLDS)
    ways = [*_by_rules(family, tree), *_by_ten_folds(family, tree, ten, folding)]

    if tuning:
        ways += _by_rows(tree, data, ten, folding)
        values, seconds = timed(tuned.hierarchical_shrinkage, tree, ten)
        yield {
            "method": "hierarchical shrinkage",
            "growing": growing,
            "seconds": folding + seconds,
            **_shrunk(tree, values, data),
        }

    for way in ways:
        nodes, seconds = timed(way.choose)
        yield {
            "method": way.method,
            **judge(nodes),
            "growing": growing,
            "seconds": way.preparing + seconds,
        }

    yield _reduced_error(family, data, draw)


def _by_rules(family: str, tree: ArrayTree) -> Iterator[_Way]:
    """Ways that need nothing but the grown tree."""
    for method, rule in COUNTING.items():
        yield _Way(method, partial(rule.nodes, tree, tree.class_counts))
    if family != "unlimited":
        rule = protocol.bound_rule()
        yield _Way("the paper's bound", partial(rule.nodes, tree, tree.class_counts))
    yield _Way("no pruning", partial(np.arange, 0))


def _by_ten_folds(
    family: str, tree: ArrayTree, ten: list[Judged], folding: float
) -> Iterator[_Way]:
    """Cost-complexity pruning with the trees of ten folds."""
    for selection in SELECTIONS:
        choose: Callable[[], Any] = partial(
            tuned.carried, tree, ten, selection=selection
        )
        yield _Way(f"ten folds, {selection}", choose, folding)
    if family == "published":
        choose = partial(published_cost_complexity, tree, ten)
        yield _Way("the paper's CART", choose, folding)


def _reduced_error(family: str, data: Split, draw: int) -> Row:
    """Reduced-error pruning of a tree that was grown on four fifths of the rows."""
    m = len(data.y_train)
    is_held_out = np.random.default_rng(draw).permutation(m) < round(0.2 * m)
    rows = [(np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out))]

    ((tree, counts),), growing = timed(protocol.judged_folds, family, data, rows)
    nodes = rules.cheapest_pruning(tree, errors_of_counts(tree, counts))

    return {
        "method": "reduced error",
        **_judge(tree, data)(nodes),
        "growing": growing,
        "seconds": 0.0,
    }


def _by_rows(
    tree: ArrayTree, data: Split, ten: list[Judged], folding: float
) -> Iterator[_Way]:
    """Ways to tune by folds."""
    folds = {
        word: timed(protocol.judged_folds, "unlimited", data, k)
        for word, k in {"five folds": 5, "three folds": 3, "two folds": 2}.items()
    }
    thirds, seconds = folds["three folds"]
    folds["one third"] = (thirds[:1], seconds / 3)

    yield _Way(
        "ten folds, errors", partial(tuned.carried, tree, ten, "errors"), folding
    )

    for word, (judged, growing) in folds.items():
        for carry in CARRIES:
            choose: Callable[[], Any] = partial(tuned.carried, tree, judged, carry)
            yield _Way(f"{word}, {carry}", choose, growing)
        if word in ("one third", "two folds"):
            choose = partial(tuned.held_out_ratio, tree, judged)
            yield _Way(f"bound, r by {word}", choose, growing)

    # There is no time for it, because the real search grows the trees of the folds
    # again for each value.
    yield _Way("GridSearchCV", partial(tuned.grid_searched, tree, ten), np.nan)
    for depth in MAX_ENTRIES:
        choose = partial(np.flatnonzero, tuned.depths(tree) >= depth)
        yield _Way(f"greedy, depth {depth}", choose)

    limited = partial(tuned.limited, tree, ten)
    yield _Way("depth by ten folds", partial(limited, tuned.depths), folding)
    yield _Way(
        "number of leaves by ten folds", partial(limited, tuned.best_first), folding
    )


def _shrunk(tree: ArrayTree, values: NDArray[np.float64], data: Split) -> Row:
    """Measures of the whole tree, with these class probabilities, on the test rows."""
    test = Judged(tree, count_classes(tree, [(data.X_test, data.y_test)]))
    m = len(data.y_test)
    losses = -(test.counts * np.log(np.maximum(values, _RARE)))

    return {
        "accuracy": 1 - tuned.shrunk_errors(test, values) / m,
        "n_leaves": tree.n_leaves,
        "log_loss": losses[tree.is_leaf].sum() / m,
    }


def _log_losses(
    counts: NDArray[np.float64], p: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The logarithmic loss of the examples at each node under its probabilities."""
    return -(counts * np.log(np.maximum(p, _RARE))).sum(axis=1)


def _judge(tree: ArrayTree, data: Split) -> Callable[[Any], Row]:
    """A function from nodes to cut to the pruned tree's measures on the test examples;
    it builds no tree.
    """
    m = len(data.y_test)
    counts = count_classes(tree, [(data.X_test, data.y_test)])

    sizes = tree.class_counts.sum(axis=1, keepdims=True)
    plain = tree.class_counts / sizes
    smoothed = (tree.class_counts + SMOOTHING * plain[0]) / (sizes + SMOOTHING)
    log_losses = {
        "log_loss": _log_losses(counts, plain) / m,
        "log_loss_smoothed": _log_losses(counts, smoothed) / m,
    }
    wrong = errors_of_counts(tree, counts) / m

    def judge(nodes: Any) -> Row:
        """Measures on the test examples of the tree in which some nodes have become
        leaves.
        """
        leaves = protocol.pruned_leaves(tree, nodes)
        losses = {name: loss[leaves].sum() for name, loss in log_losses.items()}
        return {"accuracy": 1 - wrong[leaves].sum(), "n_leaves": len(leaves), **losses}

    return judge


def _from_forest(data: Split, distil: bool) -> Iterator[Row]:
    """A forest, on test rows and out of bag; the majority class; and for few entries a
    distilled tree.
    """
    X = data.X_train
    y = data.y_train
    forest, seconds = timed(
        RandomForestClassifier(N_TREES, oob_score=True, random_state=0).fit, X, y
    )
    if distil and X.size <= MAX_ENTRIES[2]:
        learner = DistilledTreeClassifier(
            teacher=FrozenEstimator(forest), random_state=0
        )
        tree, distilling = timed(learner.fit, X, y)
        yield {
            "method": "distilled forest",
            "n_leaves": tree.get_n_leaves(),
            "accuracy": tree.score(data.X_test, data.y_test),
            "seconds": seconds + distilling,
        }

    for method, accuracy in (
        ("forest", forest.score(data.X_test, data.y_test)),
        ("forest, out of bag", forest.oob_score_),
        ("majority, training rows", np.bincount(y).max() / len(y)),
    ):
        yield {"method": method, "accuracy": accuracy, "seconds": seconds}


def summary(
    results: pd.DataFrame, family: str, reference: str, sets: Sequence[str]
) -> pd.DataFrame:
    """One row per method: its mean accuracy over sets minus that of a reference, in
    points, and its cost.

    A method is compared with the reference on the splits where both have results.

    Parameters
    ----------
    results : pandas.DataFrame
        Rows of :func:`compared`, in the table of
        ``reproduction.experiments.leboeuf2020.run``.
    family, reference : str
    sets : sequence of str

    Returns
    -------
    pandas.DataFrame
        Columns mean, median, standard_error, wins, losses (by more than a quarter
        point), p_value (Wilcoxon's, uncorrected), accuracy, n_leaves, log_loss,
        log_loss_smoothed, seconds (without growing the tree).
    """
    of_family = results[results["family"] == family]
    here = of_family[of_family["dataset"].isin(sets)]
    means = here.groupby(["dataset", "method"]).mean(numeric_only=True)
    columns = ["accuracy", "n_leaves", "log_loss", "log_loss_smoothed", "seconds"]
    table = means[columns].groupby("method").mean()
    accuracy = here.pivot(
        index=["dataset", "draw"], columns="method", values="accuracy"
    )

    def paired_with(method: str) -> Row:
        """The comparison of a method with the reference, on the splits where both have
        results.
        """
        both = accuracy[list({method, reference})].dropna()
        return protocol.compare(both.groupby("dataset").mean(), method, reference)

    points = ["mean", "median", "standard_error"]
    paired = pd.DataFrame(
        [paired_with(method) for method in accuracy],
        accuracy.columns,
        [*points, "wins", "losses", "p_value"],
    )
    paired[points] = 100 * paired[points].astype(float)

    # If no set is available, every method has a row without values.
    return paired.join(table).reindex(sorted(of_family["method"].unique()))
