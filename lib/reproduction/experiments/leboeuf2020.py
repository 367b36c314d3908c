"""The experiments of Leboeuf, LeBlanc and Marchand (2020), section 6, and textbook
methods on the same data.

A *task* takes a data set and the number of a split and returns rows, dictionaries of
one result each. :func:`run` runs a task over data sets and splits in parallel and makes
a table of the rows. Splits, growth order and pruning procedures are those of the
authors' program wherever the paper leaves them open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.model_selection import KFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from reproduction import compiling
from reproduction.datasets import group, load
from reproduction.experiments import Row, readable, tabulated
from reproduction.growing import grow_tree
from reproduction.loose_growth import loose_growth_of_cuts
from reproduction.published import Judged, published_cost_complexity, smallest_errors
from treebounds.capacity import log_all_structures_growth_bound
from treebounds.formats import from_sklearn
from treebounds.pruning.bound import BoundRule, bounds_of_cuts, smallest_cuts
from treebounds.pruning.cost_complexity import (
    CostComplexityPath,
    cost_complexity_path,
    cross_validated_errors,
    select_member,
)
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import count_classes, held_out_errors

DATA_SETS = group("table 1")
MODELS = ("Original", "CART", "M-CART", "Ours")
# Ways to grow trees. The last two are scikit-learn's; all trees but those of the last
# have at most 40 leaves.
FAMILIES = ("published", "best-first", "unlimited")
# The prior of the errors is geometric with the ratio 2^-13.7.
EXPONENT = 13.7
DELTA = 0.05
MAX_LEAF_NODES = 40
N_FOLDS = 10

# A set with more training rows than these has fewer splits, or a single one.
LARGE = 1000
LARGEST = 3000

# Accuracies that differ by less count as equal (caption of Table 1).
SIMILAR = 0.0025

Result = TypeVar("Result")


class Split(NamedTuple):
    """One random split of a data set; classes are coded 0, 1, ... in sorted order."""

    X_train: NDArray[np.float64]
    X_test: NDArray[np.float64]
    y_train: NDArray[np.int64]
    y_test: NDArray[np.int64]
    n_classes: int

    def grow(self, family: str, rows: Any = slice(None)) -> ArrayTree:
        """A tree of one of ``FAMILIES``, grown on the training set or on some rows of
        it.
        """
        return grow(family, self.X_train[rows], self.y_train[rows], self.n_classes)

    def first(self, n_rows: int | None) -> Split:
        """The first rows of the training set, which is in random order, and all test
        rows.
        """
        return self._replace(
            X_train=self.X_train[:n_rows], y_train=self.y_train[:n_rows]
        )

    def of_rows(self, grown: Any, held_out: Any) -> Split:
        """The training set alone, some rows for training and others for testing."""
        X = self.X_train
        y = self.y_train
        return Split(X[grown], X[held_out], y[grown], y[held_out], self.n_classes)

    def joined(self, n_rows: int) -> Split:
        """The split in which the first test rows are training rows, too."""
        X = np.concatenate([self.X_train, self.X_test[:n_rows]])
        return self._replace(
            X_train=X, y_train=np.concatenate([self.y_train, self.y_test[:n_rows]])
        )


def split(slug: str, draw: int) -> Split:
    """The split with the published program's number 0, 1, ..., 24: 75 % for training,
    no stratification.
    """
    X, y = encoded(slug)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.25, random_state=10 * draw + 1
    )
    return Split(X_train, X_test, y_train, y_test, int(y.max()) + 1)


@cache
def encoded(slug: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Features as numbers, with a column of 0 and 1 for each category (one for two),
    and class codes.
    """
    bunch = load(slug)
    X = bunch.data
    if X.dtype == object:
        blocks = [_indicators(values) for values in X.T.astype(str)]
        X = np.hstack(blocks).astype(float)

    y = np.unique(bunch.target, return_inverse=True)[1]
    return X, y


def _indicators(values: NDArray[np.str_]) -> NDArray[np.bool_]:
    """A column for each category; one column says it all if there are two."""
    categories = np.unique(values)
    if len(categories) == 2:
        categories = categories[:1]
    return values[:, np.newaxis] == categories


# --- running ---


def run(
    task: Callable[..., list[Row]],
    data_sets: Sequence[str] = DATA_SETS,
    n_splits: int = 25,
    n_jobs: int | None = None,
    n_large: int | None = None,
) -> pd.DataFrame:
    """Run a task over data sets and splits, in parallel over both.

    Parameters
    ----------
    task : callable
        ``task(slug, draw)`` returns a list of rows.
    data_sets : sequence of str
        Data sets; sets that are not on this machine are left out, see
        :func:`available`.
    n_splits : int
    n_jobs : int, optional
        See :func:`reproduction.experiments.tabulated`. The result does not depend on
        it.
    n_large : int, optional
        Number of splits, at most ``n_splits``, of each set with more than ``LARGE``
        training rows; sets with more than ``LARGEST`` then have one split.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, draw and those of the rows, in the order of data sets and
        draws.
    """
    work: list[tuple[str, int]] = []
    for slug in available(data_sets):
        draws = range(_n_draws(slug, n_splits, n_large))
        work += product([slug], draws)

    return tabulated(task, work, ["dataset", "draw"], n_jobs)


def _n_draws(slug: str, n_splits: int, n_large: int | None) -> int:
    """The number of splits of a data set."""
    if n_large is None:
        return n_splits

    n_training = 0.75 * len(encoded(slug)[1])
    if n_training > LARGEST:
        return 1
    if n_training > LARGE:
        return min(n_large, n_splits)
    return n_splits


def available(data_sets: Sequence[str] = DATA_SETS) -> list[str]:
    """The data sets that can be loaded on this machine."""
    return readable(data_sets, encoded)


# --- the published protocol ---


def published_models(slug: str, draw: int) -> list[Row]:
    """The four models of Table 1 on one split, as in the authors' program, and two by
    the printed word.

    The latter are Algorithm 3 and the textbook's CART: minimal cost-complexity pruning
    on the same folds.
    """
    data = split(slug, draw)
    tree = data.grow("published")
    folds = judged_folds("published", data)
    rule = bound_rule()
    path, errors = cross_validated(tree, folds)
    by_the_textbook = path.steps[select_member(errors, len(data.y_train))]
    cuts = {
        "Original": np.zeros(tree.n_nodes, dtype=bool),
        "CART": published_cost_complexity(tree, folds, "leaves"),
        "M-CART": published_cost_complexity(tree, folds, "growth"),
        "Ours": published_bound_cut(tree),
        "Algorithm 3": rule.path(tree).nodes(),
        "CART by the textbook": path.sequence.nodes(by_the_textbook),
    }

    rows = []
    for model, cut in cuts.items():
        pruned = tree.collapse(cut)
        bound = rule.bound(pruned, pruned.subtree_errors[0], len(data.y_train))
        rows.append({"model": model, **described(pruned, data), "bound": bound})

    return rows


def bound_rule(growth: str = "loose", exponent: float = EXPONENT) -> BoundRule:
    """The published bound, Equation 8 with the paper's priors."""
    return BoundRule(growth, 2**-exponent, DELTA)


def published_bound_cut(
    tree: ArrayTree, exponent: float = EXPONENT
) -> NDArray[np.bool_]:
    """The nodes that the authors' program cuts to minimize its bound.

    The program deviates from Algorithm 3 in two ways: it cuts all nodes that tie for
    the smallest bound at once; and it compares the next cut with this smallest bound,
    which is that of a single cut, and not with the bound of the current tree.
    """
    m = int(tree.class_counts[0].sum())
    growth_of_cuts = partial(loose_growth_of_cuts, 2 * m)
    bounds_of = partial(bound_rule(exponent=exponent).bounds, n_examples=m)

    cut = np.zeros(tree.n_nodes, dtype=bool)
    to_beat = np.inf
    while True:
        remaining, current = tree.kept_and_collapsed(cut)
        step = bounds_of_cuts(current, current.leaf_errors, growth_of_cuts, bounds_of)
        if not cut.any():
            to_beat = step.bound
        if len(step.of_cuts) == 0 or step.of_cuts.min() > to_beat:
            return cut
        to_beat = step.of_cuts.min()
        cut[remaining[smallest_cuts(current, step.of_cuts)]] = True


def timed(call: Callable[..., Result], *arguments: Any) -> tuple[Result, float]:
    """The result of a call, and the seconds of processor time that it takes."""
    compiling.load()
    start = time.process_time()
    result = call(*arguments)
    return result, time.process_time() - start


def shortest(call: Callable[..., Any], *arguments: Any) -> float:
    """The shortest of the times of three equal calls, in seconds."""
    return min(timed(call, *arguments)[1] for _ in range(3))


def described(tree: ArrayTree, data: Split) -> Row:
    """Accuracies and size of a tree."""
    return {
        "train_accuracy": float(np.mean(tree.predict(data.X_train) == data.y_train)),
        "test_accuracy": float(np.mean(tree.predict(data.X_test) == data.y_test)),
        "n_leaves": tree.n_leaves,
        "height": tree.height,
    }


def grow(
    family: str, X: NDArray[np.float64], y: NDArray[np.int64], n_classes: int
) -> ArrayTree:
    """Grow a tree of one of ``FAMILIES``."""
    if family == "published":
        return grow_tree(X, y, max_leaf_nodes=MAX_LEAF_NODES, n_classes=n_classes)

    limits = {"best-first": MAX_LEAF_NODES, "unlimited": None}
    learner = DecisionTreeClassifier(max_leaf_nodes=limits[family], random_state=0)
    fitted = learner.fit(X, y)
    tree = from_sklearn(fitted)

    # A class may be missing from a fold.
    counts = np.zeros((tree.n_nodes, n_classes))
    counts[:, fitted.classes_] = tree.class_counts

    return replace(tree, class_counts=counts, classes=tuple(range(n_classes)))


def judged_folds(
    family: str, data: Split, splits: Iterable[tuple[Any, Any]] | int = N_FOLDS
) -> list[Judged]:
    """For each fold of the training set, given or contiguous, the tree grown without
    it, judged on it.
    """
    parts: Any = splits
    if isinstance(splits, int):
        parts = KFold(splits).split(data.X_train)

    folds = []
    for rows, held_out in parts:
        tree = data.grow(family, rows)
        batch = (data.X_train[held_out], data.y_train[held_out])
        folds.append(Judged(tree, count_classes(tree, [batch])))
    return folds


def cross_validated(
    tree: ArrayTree, folds: Sequence[Judged], carry: str = "fractions"
) -> tuple[CostComplexityPath, NDArray[np.float64]]:
    """The cost-complexity prunings of a tree, and the held-out errors of each."""
    path = cost_complexity_path(tree)
    judged_paths = [(cost_complexity_path(fold.tree), fold.wrong) for fold in folds]
    return path, cross_validated_errors(path, judged_paths, carry)


def pruned_leaves(tree: ArrayTree, nodes: Any) -> NDArray[np.int64]:
    """The nodes of a tree that are leaves when some nodes are cut."""
    return tree.kept_nodes(nodes)[tree.collapse(nodes).is_leaf]


# --- a known alpha ---


def priced_prunings(slug: str, draw: int) -> list[Row]:
    """The 40-leaf trees of one split along their weakest-link sequences, and the
    choices of three rules.

    Each row has lists with one entry per member of the sequence: ``alphas``,
    ``n_leaves``, ``errors``, ``test_errors``. It has leaves and errors of the prunings
    by the loose and by the all-structures bound. ``chosen`` is the member that ten
    folds choose, which is best for prices of a leaf from ``price`` to ``price_end``, in
    training errors.

    The row also has the smallest published bound that the greedy search finds (``loose
    bound``), and the smallest all-structures bound on the sequence (``all-structures
    bound``) and of all prunings (``all_bound``).
    """
    data = split(slug, draw)
    return [{"family": family, **_priced(family, data)} for family in FAMILIES[:2]]


def chosen_by_folds(priced: pd.DataFrame) -> pd.DataFrame:
    """What ten folds choose in each row of :func:`priced_prunings`.

    ``middle`` is the geometric middle of the prices for which the choice is best, each
    of them cut off at a quarter and at 16.
    """
    rows = []
    for _, row in priced.iterrows():
        n_wrong = row["test_errors"][row["chosen"]]
        ends = np.clip([row["price"], row["price_end"]], 0.25, 16)
        rows.append(
            {"accuracy": 1 - n_wrong / row["n_test"], "middle": np.sqrt(np.prod(ends))}
        )
    return priced[["dataset", "family"]].join(pd.DataFrame(rows))


def _priced(family: str, data: Split) -> Row:
    tree = data.grow(family)
    m = len(data.y_train)
    path, errors = cross_validated(tree, judged_folds(family, data))
    member = select_member(errors, m)
    sequence = path.sequence
    test_errors = sequence.along(held_out_errors(tree, data.X_test, data.y_test))
    price, price_end = np.append(path.prices, np.inf)[member : member + 2]

    row: Row = {
        "m": m,
        "l": tree.n_features,
        "n": tree.n_classes,
        "n_test": len(data.y_test),
        "alphas": sequence.alphas.tolist(),
        "n_leaves": sequence.n_leaves.tolist(),
        "errors": sequence.costs.tolist(),
        "chosen": int(path.steps[member]),
        "test_errors": test_errors.tolist(),
        "price": price,
        "price_end": price_end,
    }
    return {**row, **_by_bounds(tree, m)}


def _by_bounds(tree: ArrayTree, m: int) -> Row:
    """The prunings by the two bounds, and the smallest bound of all prunings."""
    row: Row = {}
    for growth in ("all-structures", "loose"):
        path = bound_rule(growth).path(tree)
        row[f"{growth} leaves"] = path.n_leaves[path.best]
        row[f"{growth} bound"] = path.bounds.min()
        row[f"{growth} errors"] = path.n_errors[path.best]

    fewest = smallest_errors(tree)
    sizes = np.arange(1, len(fewest) + 1)
    sample = (2 * m, tree.n_features, tree.n_classes)
    together = [log_all_structures_growth_bound(L, *sample) for L in sizes.tolist()]
    bounds = bound_rule("all-structures").bounds(sizes, fewest, together, m)
    row["all_bound"] = bounds.min()
    return row


# --- the choice of r ---


def choice_of_exponent(slug: str, draw: int) -> list[Row]:
    """The cross-validated errors of the published model for every prior ratio
    2^-exponent, in one draw.
    """
    X, y = encoded(slug)
    n_classes = int(y.max()) + 1
    exponents = range(1, 21)

    wrong = np.zeros(len(exponents))
    for train, test in KFold(5, shuffle=True, random_state=10 * draw + 1).split(X):
        tree = grow_tree(X[train], y[train], n_classes=n_classes)
        held_out = held_out_errors(tree, X[test], y[test])
        for i, exponent in enumerate(exponents):
            cut = published_bound_cut(tree, exponent)
            wrong[i] += held_out[pruned_leaves(tree, cut)].sum()

    return [{"exponent": e, "errors": k} for e, k in zip(exponents, wrong, strict=True)]


# --- tables ---


def compare_with_published(
    results: pd.DataFrame, published: dict[str, Any]
) -> pd.DataFrame:
    """Table 1 beside our results: one row per cell, with printed and measured means and
    standard deviations.

    Parameters
    ----------
    results : pandas.DataFrame
        Rows of :func:`published_models`.
    published : dict
        ``published_values("leboeuf2020")["table1"]``.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, model, published_mean, published_sd, mean, sd, flag. The flag
        is "equal" when mean and standard deviation agree to the printed digit, "within"
        when the means are at most one standard error of the published mean apart, else
        "differs".
    """
    n_splits = results["draw"].nunique()
    accuracy = results.groupby(["dataset", "model"])["test_accuracy"]
    ours = pd.DataFrame({"mean": accuracy.mean(), "sd": accuracy.std(ddof=0)})
    table = _printed_cells(published).merge(ours, on=["dataset", "model"])
    cells = table[["published_mean", "published_sd", "mean", "sd"]].to_numpy()
    flags = [
        _flag(p_mean, p_sd, mean, sd, n_splits) for p_mean, p_sd, mean, sd in cells
    ]

    return table.assign(flag=flags)


def _printed_cells(published: dict[str, Any]) -> pd.DataFrame:
    """The printed Table 1, one row per cell."""
    cells = []
    for row in published["rows"]:
        of_models = zip(published["models"], row["mean"], row["sd"], strict=True)
        cells += [(row["dataset"], *cell) for cell in of_models]

    columns = ["dataset", "model", "published_mean", "published_sd"]
    return pd.DataFrame(cells, columns=columns)


def _flag(
    published_mean: float, published_sd: float, mean: float, sd: float, n_splits: int
) -> str:
    """The flag of a cell in :func:`compare_with_published`."""
    if (f"{mean:.3f}", f"{sd:.3f}") == (f"{published_mean:.3f}", f"{published_sd:.3f}"):
        return "equal"

    standard_error = published_sd / np.sqrt(n_splits)
    if abs(mean - published_mean) <= standard_error:
        return "within"
    return "differs"


def best_or_similar(means: pd.DataFrame, model: str, similar: float = SIMILAR) -> int:
    """The number of data sets (rows) on which a model (column) is at most ``similar``
    below the best.

    >>> import pandas as pd
    >>> from reproduction.experiments.leboeuf2020 import best_or_similar
    >>> best_or_similar(pd.DataFrame({"a": [0.90, 0.80], "b": [0.91, 0.802]}), "a")
    1
    """
    return int((means[model] >= means.max(axis=1) - similar).sum())


def compare(
    means: pd.DataFrame, model: str, reference: str, similar: float = SIMILAR
) -> Row:
    """A paired comparison of two models over data sets: differences, wins, ties,
    losses, Wilcoxon's test.

    Parameters
    ----------
    means : pandas.DataFrame
        Mean accuracies, one row per data set, one column per model.
    model, reference : str
    similar : float
        Differences up to this are ties.

    Returns
    -------
    dict
        mean, median, standard_error, wins, ties, losses, p_value (two-sided, signed
        ranks); smallest and largest of the means without one data set; and moved_by,
        the set that changes the mean most.
    """
    gain = means[model] - means[reference]
    # The mean without each data set; a single set cannot be left out.
    without = gain
    if len(gain) > 1:
        without = (gain.sum() - gain) / (len(gain) - 1)

    # Otherwise rounding errors of the means would decide ties.
    ranked = gain.round(12)
    p_value = 1.0
    if ranked.any():
        p_value = stats.wilcoxon(ranked).pvalue

    return {
        "mean": gain.mean(),
        "median": gain.median(),
        "standard_error": gain.std(ddof=1) / np.sqrt(len(gain)),
        "wins": int((gain > similar).sum()),
        "ties": int((gain.abs() <= similar).sum()),
        "losses": int((gain < -similar).sum()),
        "p_value": float(p_value),
        "smallest": without.min(),
        "largest": without.max(),
        "moved_by": (without - gain.mean()).abs().idxmax(),
    }
