"""A comparison of ways to prune regression trees, on tables whose target is a number.

One part of the tables chose the constants of the local rule, the other part reports.
The score is the root mean squared error on test rows, in percent above that of ten
folds of cost-complexity pruning. Every way but early stopping and the limit of leaves
prunes a fully grown tree of scikit-learn.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import kurtosis
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.model_selection import KFold, train_test_split
from sklearn.neighbors import NearestNeighbors
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import Bunch

from reproduction import compiling
from reproduction.datasets import DataNotAvailable, group, load
from reproduction.experiments import Row, tabulated
from treebounds import CostComplexityPrunedTreeRegressor, PrunedTreeRegressor
from treebounds.formats import from_sklearn
from treebounds.trees import ArrayTree, weakest_link_sequence
from treebounds.trees.counting import count_statistics

CHOSE = group("regression, chose")
REPORT = group("regression, reports")
# Larger tables are cut to as many rows, drawn at random.
MAX_ROWS = 4000
TEN_FOLDS = "ten folds"
LOCAL_FOLDS = "local price, three folds"
LOCAL = "local price, no folds"
COUNTED = "counted price"
N_ALPHAS = 30
N_GRID_FOLDS = 5
SIZES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
# Residuals of a larger excess kurtosis have heavy tails.
HEAVY = 6.0

_Result = TypeVar("_Result")

ESTIMATORS = {
    TEN_FOLDS: CostComplexityPrunedTreeRegressor(cv=10, carry="fractions"),
    "three folds": CostComplexityPrunedTreeRegressor(),
    LOCAL_FOLDS: PrunedTreeRegressor(),
    LOCAL: PrunedTreeRegressor(factor=0.875),
    COUNTED: PrunedTreeRegressor(rule="counted"),
    "no pruning": DecisionTreeRegressor(),
}


class Sample(NamedTuple):
    """Training and test rows of a table."""

    X_train: NDArray[np.float64]
    X_test: NDArray[np.float64]
    y_train: NDArray[np.float64]
    y_test: NDArray[np.float64]


def split(slug: str, draw: int) -> Sample:
    """Three quarters of a table for training and a quarter for testing.

    The rows of large tables and the split are drawn with the seed 10 draw + 1.
    """
    bunch = _table(slug)
    seed = 10 * draw + 1
    rows = np.arange(len(bunch.target))
    if len(rows) > MAX_ROWS:
        rows = np.random.default_rng(seed).permutation(rows)[:MAX_ROWS]
    parts = train_test_split(
        bunch.data[rows], bunch.target[rows], test_size=0.25, random_state=seed
    )
    return Sample(*parts)


@lru_cache(maxsize=1)
def _table(slug: str) -> Bunch:
    """A table; the last one is kept, since its splits follow each other."""
    return load(slug)


def compared(slug: str, draw: int, *, rivals: bool = True) -> list[Row]:
    """The test error, leaves and seconds of every way to prune, on one split.

    Parameters
    ----------
    slug : str
    draw : int
        Number of the split, which is drawn with the seed 10 draw + 1.
    rivals : bool
        Whether searches over ``ccp_alpha`` and ``max_leaf_nodes`` and early stopping
        are measured, too.
    """
    return judged(split(slug, draw), draw, rivals=rivals)


def judged(data: Sample, draw: int, *, rivals: bool = True) -> list[Row]:
    """The rows of :func:`compared` for any sample."""
    rows = [
        _row(method, partial(_fit, estimator, data, draw), data)
        for method, estimator in ESTIMATORS.items()
    ]
    if rivals:
        rows += _rows_of_rivals(data, draw)

    reference = next(row for row in rows if row["method"] == TEN_FOLDS)
    for row in rows:
        row["percent"] = 100 * (row["rmse"] / reference["rmse"] - 1)
        row["kurtosis"] = reference["kurtosis"]
    return rows


def run(
    slugs: Sequence[str],
    n_splits: int,
    *,
    rivals: bool = True,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Compare on several tables, in parallel; tables that are not here are left out.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, draw, method, rmse, percent, n_leaves, seconds, kurtosis.
    """
    work = list(product(available(slugs), range(n_splits)))
    task = partial(compared, rivals=rivals)
    return tabulated(task, work, ["dataset", "draw"], n_jobs)


def available(slugs: Sequence[str]) -> list[str]:
    """Those of the tables that are on this machine or can be downloaded."""
    here = []
    for slug in slugs:
        try:
            load(slug)
        except DataNotAvailable:
            continue
        here.append(slug)
    return here


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """One row per method: the percent above ten folds, over tables, and the cost.

    Returns
    -------
    pandas.DataFrame
        Columns mean, standard_error, median, worst (over tables, of means over splits),
        better, worse (tables by more than half a percent), n_leaves (median), time
        (median of seconds over those of growing one tree).
    """
    per_table = results.groupby(["method", "dataset"])["percent"].mean()
    seconds = results.pivot(
        index=["dataset", "draw"], columns="method", values="seconds"
    )
    ratio = seconds.div(seconds["no pruning"], axis="index").median()

    rows = []
    for method, percent in per_table.groupby("method"):
        of_method = results[results["method"] == method]
        rows.append(
            {
                "method": method,
                "mean": percent.mean(),
                "standard_error": percent.std(ddof=1) / np.sqrt(len(percent)),
                "median": percent.median(),
                "worst": percent.max(),
                "better": int((percent < -0.5).sum()),
                "worse": int((percent > 0.5).sum()),
                "n_leaves": of_method["n_leaves"].median(),
            }
        )
    return pd.DataFrame(rows).set_index("method").assign(time=ratio)


def simulated(family: str, draw: int, m: int = 1000) -> Sample:
    """A sample of one of the simulated families, with Gaussian noise.

    Parameters
    ----------
    family : {"noise", "steps", "friedman", "linear"}
    draw : int
    m : int
        Number of training rows; there are as many test rows.
    """
    rng = np.random.default_rng(draw)
    X = rng.random((2 * m, 10))
    noise = rng.normal(size=2 * m)
    signals = {
        "noise": np.zeros(2 * m),
        "steps": 2.0 * (X[:, 0] > 0.5) + 2.0 * (X[:, 1] > 0.3),
        "linear": 3.0 * X[:, 0] + 2.0 * X[:, 1],
    }
    if family == "friedman":
        X, signal = make_friedman1(2 * m, random_state=draw)
    else:
        signal = signals[family]
    y = signal + noise
    return Sample(X[:m], X[m:], y[:m], y[m:])


def _row(method: str, way: Callable[[], Any], data: Sample) -> Row:
    """The measures of a way to make a tree."""
    tree, seconds = _timed(way)
    residuals = data.y_train - tree.predict(data.X_train)
    off = data.y_test - tree.predict(data.X_test)
    return {
        "method": method,
        "rmse": float(np.sqrt(np.mean(off**2))),
        "n_leaves": int(tree.get_n_leaves()),
        "seconds": seconds,
        "kurtosis": _kurtosis(residuals),
    }


def _kurtosis(residuals: NDArray[np.float64]) -> float:
    """The excess kurtosis of residuals; 0 if all of them are equal."""
    if np.ptp(residuals) == 0:
        return 0.0
    return float(kurtosis(residuals))


def _fit(estimator: Any, data: Sample, draw: int) -> Any:
    """A clone of an estimator, fitted to the training rows."""
    model = clone(estimator).set_params(random_state=draw)
    return model.fit(data.X_train, data.y_train)


def _timed(way: Callable[[], _Result]) -> tuple[_Result, float]:
    """The result of a way, and the seconds of processor time that it takes."""
    compiling.load()
    start = time.process_time()
    result = way()
    return result, time.process_time() - start


class FoldTree(NamedTuple):
    """A tree that was grown without a fold.

    Attributes
    ----------
    tree : ArrayTree
    held_out : (n_nodes,) array
        The squared errors of each node as a leaf on the fold.
    n_test : int
        Number of rows of the fold.
    """

    tree: ArrayTree
    held_out: NDArray[np.float64]
    n_test: int


def _rows_of_rivals(data: Sample, draw: int) -> list[Row]:
    """The measures of ways that users of scikit-learn know, and of early stopping.

    They prune the same trees, which are grown once. Each way is charged for those that
    it needs.
    """
    grower = DecisionTreeRegressor(random_state=draw)
    whole, growing = _timed(partial(_whole_tree, grower, data))
    folds, folding = _timed(partial(_trees_of_folds, grower, data))

    both = growing + folding
    even = "even along the path"
    ratios = "in equal ratios"
    grid = partial(_grid_searched, grower, data, whole, folds)
    ways: list[tuple[str, Callable[[], Any], float]] = [
        (f"30 alphas, {even}", partial(grid, even), both),
        (f"30 alphas, {ratios}", partial(grid, ratios), both),
        (
            "max_leaf_nodes by five folds",
            partial(_limited, grower, data, folds),
            folding,
        ),
        ("early stopping", partial(_stopped_early, grower, data, whole), growing),
    ]
    rows = []
    for method, way, seconds in ways:
        row = _row(method, way, data)
        row["seconds"] += seconds
        rows.append(row)
    return rows


def _whole_tree(grower: DecisionTreeRegressor, data: Sample) -> ArrayTree:
    """The tree that is grown on all training rows."""
    return from_sklearn(clone(grower).fit(data.X_train, data.y_train))


def _trees_of_folds(grower: DecisionTreeRegressor, data: Sample) -> list[FoldTree]:
    """The trees without each of five folds, judged on it."""
    folds = []
    for train, test in KFold(N_GRID_FOLDS).split(data.X_train):
        tree = from_sklearn(clone(grower).fit(data.X_train[train], data.y_train[train]))
        held_out = _held_out_errors(tree, data.X_train[test], data.y_train[test])
        folds.append(FoldTree(tree, held_out, len(test)))
    return folds


def _grid_searched(
    grower: DecisionTreeRegressor,
    data: Sample,
    whole: ArrayTree,
    folds: list[FoldTree],
    spacing: str,
) -> DecisionTreeRegressor:
    """What ``GridSearchCV`` over 30 values of ``ccp_alpha`` chooses, with five folds.

    The weakest-link sequence of each fold's tree has all its prunings, so no tree is
    grown twice.
    """
    alphas = _grid_of_alphas(whole, spacing)
    errors = np.zeros(len(alphas))
    for tree, held_out, n_test in folds:
        sequence = weakest_link_sequence(tree, tree.leaf_costs)
        n_train = len(data.y_train) - n_test
        steps = [sequence.step(alpha * n_train) for alpha in alphas]
        errors += sequence.along(held_out)[steps] / n_test

    best = float(alphas[errors.argmin()])
    return clone(grower).set_params(ccp_alpha=best).fit(data.X_train, data.y_train)


def _grid_of_alphas(tree: ArrayTree, spacing: str) -> NDArray[np.float64]:
    """Thirty prices of a leaf from scikit-learn's path: every k-th one, or from the
    smallest to the largest in equal ratios.
    """
    sequence = weakest_link_sequence(tree, tree.leaf_costs)
    critical = np.unique(sequence.alphas.clip(0)) / tree.statistics[0, 0]
    positive = critical[critical > 0]
    if not len(positive):
        return np.zeros(1)
    if spacing == "in equal ratios":
        return np.geomspace(positive[0], positive[-1], N_ALPHAS)
    places = np.linspace(0, len(critical) - 1, N_ALPHAS).round().astype(int)
    return critical[np.unique(places)]


def _held_out_errors(
    tree: ArrayTree, X: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The squared errors of each node as a leaf on rows that did not grow the tree."""
    weight, total, squares = count_statistics(tree, [(X, y)]).T
    mean = tree.leaf_values
    return np.asarray(squares - 2 * mean * total + mean**2 * weight)


def _limited(
    grower: DecisionTreeRegressor, data: Sample, folds: list[FoldTree]
) -> DecisionTreeRegressor:
    """The best of some values of ``max_leaf_nodes`` by five folds, as users search.

    Best-first growth adds one leaf at a time, so the tree of every size is a part of
    one tree.
    """
    sizes = np.array([1, *SIZES])
    errors = np.zeros(len(sizes))
    for tree, held_out, n_test in folds:
        by_size = _errors_by_size(tree, held_out)
        errors += by_size[np.minimum(sizes, len(by_size)) - 1] / n_test

    best = int(sizes[errors.argmin()])
    return _limit(grower, best, data)


def _limit(grower: DecisionTreeRegressor, size: int, data: Sample) -> Any:
    """The best-first tree with at most some number of leaves."""
    limit: dict[str, Any] = {"max_leaf_nodes": size}
    # scikit-learn's limit is at least 2; a root of too few rows is not split.
    if size == 1:
        limit = {"min_samples_split": len(data.y_train) + 1}
    return clone(grower).set_params(**limit).fit(data.X_train, data.y_train)


def _errors_by_size(
    tree: ArrayTree, errors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The sum of errors over the leaves of the best-first tree of 1, 2, ... leaves."""
    order = _best_first(tree)
    left = tree.children_left[order]
    right = tree.children_right[order]
    changes = errors[left] + errors[right] - errors[order]
    return errors[0] + np.append(0.0, np.cumsum(changes))


def _best_first(tree: ArrayTree) -> NDArray[np.int64]:
    """The internal nodes in the order of best-first growth, by squared errors saved."""
    left = tree.children_left
    right = tree.children_right
    costs = tree.leaf_costs
    saved = costs - np.where(tree.is_leaf, 0.0, costs[left] + costs[right])
    order = []
    heap = []
    if not tree.is_leaf[0]:
        heap.append((-saved[0], 0))
    while heap:
        node = heapq.heappop(heap)[1]
        order.append(node)
        for child in (int(left[node]), int(right[node])):
            if not tree.is_leaf[child]:
                heapq.heappush(heap, (-saved[child], child))
    return np.array(order, dtype=np.int64)


def _stopped_early(
    grower: DecisionTreeRegressor, data: Sample, tree: ArrayTree
) -> DecisionTreeRegressor:
    """Best-first growth until the training error is the noise, which nearest neighbors
    estimate: the simple form of Miftachov and Reiss (2025).
    """
    errors = _errors_by_size(tree, tree.leaf_costs) / len(data.y_train)
    enough = np.flatnonzero(errors <= _noise_of_neighbors(data))
    size = len(errors)
    if len(enough):
        size = int(enough[0]) + 1
    return _limit(grower, size, data)


def _noise_of_neighbors(data: Sample) -> float:
    """Half the mean squared difference between rows and their nearest neighbors."""
    scale = data.X_train.std(axis=0)
    X = data.X_train / np.where(scale > 0, scale, 1.0)
    neighbors = NearestNeighbors(n_neighbors=2).fit(X).kneighbors(X)[1]
    # A row among several equal ones may not be its own first neighbor.
    own = np.arange(len(X))
    other = np.where(neighbors[:, 0] == own, neighbors[:, 1], neighbors[:, 0])
    return float(np.mean((data.y_train - data.y_train[other]) ** 2) / 2)
