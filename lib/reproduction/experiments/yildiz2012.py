"""Yıldız's pruning experiment: NOprune, CVprune and SRMprune, 10 x 10 folds (his Tables
1 and 2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from reproduction.datasets import load
from reproduction.experiments import Row, readable, tabulated
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.pruning import reduced_error_nodes, srm_nodes
from reproduction.multiway.tree import MultiwayTree
from reproduction.multiway.yildiz_lary import yildiz_lary_estimate
from reproduction.vc_srm import vc_srm_bound

# The grid for the search for a1 and a2; the paper does not print its grid.
A1 = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
A2 = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def available(slugs: Sequence[str]) -> tuple[list[str], list[str]]:
    """The data sets that are available, and those that are not."""
    here = readable(slugs, encoded)
    return here, [slug for slug in slugs if slug not in here]


class Encoded(NamedTuple):
    """Examples as value codes and class codes, and each column's number of values."""

    X: NDArray[Any]
    y: NDArray[np.int64]
    n_values: NDArray[np.int64]

    def part(self, rows: Any) -> Encoded:
        """Some of the examples."""
        return self._replace(X=self.X[rows], y=self.y[rows])

    def folds(
        self, seed: int, n_folds: int = 10, stratified: bool = True
    ) -> Iterator[tuple[Encoded, Encoded]]:
        """Training and test sets of cross-validation."""
        ways: dict[bool, Any] = {True: StratifiedKFold, False: KFold}
        folds = ways[stratified](n_folds, shuffle=True, random_state=seed)
        for train, test in folds.split(self.X, self.y):
            yield self.part(train), self.part(test)

    def folds_with_seeds(
        self, repetition: int, n_folds: int = 10, stratified: bool = True
    ) -> Iterator[tuple[Encoded, Encoded, int]]:
        """The folds of a repetition, each with the seed of what is done in it: 100
        repetition + fold.
        """
        folds = self.folds(repetition, n_folds, stratified)
        for fold, (train, test) in enumerate(folds):
            yield train, test, 100 * repetition + fold

    def held_out(self, seed: int, stratified: bool = True) -> tuple[Encoded, Encoded]:
        """Four fifths of the examples to grow on, and a fifth to prune with."""
        strata = None
        if stratified:
            strata = self.y
        rows = train_test_split(
            np.arange(len(self.y)), test_size=0.2, random_state=seed, stratify=strata
        )
        return self.part(rows[0]), self.part(rows[1])

    def grow(self, **options: Any) -> MultiwayTree:
        """ID3's tree."""
        return grow_id3(self.X, self.y, self.n_values, 2, **options)


@cache
def encoded(slug: str) -> Encoded:
    """A data set as value codes, class codes, and the number of values of each column.

    The values are those of the whole set, including "?". The 432 rows of monks-1 are
    all combinations of values, so they are computed from its rule and need no file.
    """
    if slug == "monks-1":
        n_values = np.array([3, 3, 2, 3, 4, 2])
        X = np.indices(tuple(n_values)).reshape(6, -1).T
        y = (X[:, 0] == X[:, 1]) | (X[:, 4] == 0)
        return Encoded(X, y.astype(np.int64), n_values)

    bunch = load(slug)
    X = np.column_stack([_codes(column.astype(str)) for column in bunch.data.T])
    return Encoded(X, _codes(bunch.target), X.max(axis=0) + 1)


def _codes(values: NDArray) -> NDArray[np.int64]:
    """The place of each value among the sorted ones."""
    return np.unique(values, return_inverse=True)[1]


def complexity(n_internal_nodes: Any, n_leaves: Any) -> Any:
    """Table 2's measure, inferred from its numbers: two for an internal node and one
    for a leaf.
    """
    return 2 * n_internal_nodes + n_leaves


def judged(tree: MultiwayTree, cut: ArrayLike = False) -> tuple[Any, Any]:
    """Error in percent and complexity of a tree after some of its nodes become leaves.

    Parameters
    ----------
    tree : MultiwayTree
        With the counts of the examples on which it is judged (``recounted``).
    cut : (..., n_nodes) mask
        The nodes that one or several prunings cut; none by default.

    Returns
    -------
    tuple of float and int, or of arrays
    """
    cut = np.broadcast_to(cut, (*np.shape(cut)[:-1], tree.n_nodes))
    remains = tree.reachable(cut)
    is_leaf = remains & (cut | tree.is_leaf)

    # An example may end at an internal node if the tree has no empty branches.
    ending = remains * tree.errors_ending
    errors = np.where(is_leaf, tree.leaf_errors, ending).sum(axis=-1)
    sizes = complexity((remains & ~is_leaf).sum(axis=-1), is_leaf.sum(axis=-1))
    return 100 * errors / tree.class_counts[0].sum(), sizes


def fold_results(
    train: Encoded, test: Encoded, seed: int, a1: ArrayLike = A1, a2: ArrayLike = A2
) -> list[Row]:
    """The three methods of the tables in one fold: method, a1, a2, error in percent,
    complexity.

    SRMprune prunes one grown tree with every pair of a1 and a2, which are NaN for the
    other methods.
    """
    grid = _grid(a1, a2)
    part, held_out = train.held_out(seed)
    grown = train.grow()
    smaller = part.grow()
    by_held_out = reduced_error_nodes(smaller, held_out.X, held_out.y, order="top-down")
    on_test = grown.recounted(test.X, test.y)
    errors, sizes = judged(on_test, srm_nodes(grown, grid[:, :1], grid[:, 1:]))
    smaller_on_test = smaller.recounted(test.X, test.y)

    rows = [
        ("NOprune", np.nan, np.nan, *judged(on_test)),
        ("CVprune", np.nan, np.nan, *judged(smaller_on_test, by_held_out)),
        *(
            ("SRMprune", *pair, error, size)
            for pair, error, size in zip(grid, errors, sizes, strict=True)
        ),
    ]
    columns = ("method", "a1", "a2", "error", "complexity")

    return [dict(zip(columns, row, strict=True)) for row in rows]


def run(
    task: Callable[[Encoded, Encoded, int], list[Row]],
    slugs: Iterable[str],
    repetitions: int = 1,
    n_jobs: int | None = None,
    n_folds: int = 10,
) -> pd.DataFrame:
    """The rows of a task in every fold of repeated stratified cross-validation, in
    parallel.

    Parameters
    ----------
    task : callable
        ``task(train, test, seed)``, such as :func:`fold_results` or
        :func:`nested_errors`. The number of a repetition is the seed of its folds, and
        100 repetition + fold is the seed of the task.
    slugs : iterable of str
    repetitions, n_jobs, n_folds : int

    Returns
    -------
    pandas.DataFrame
        dataset, repetition, fold and the columns of the rows.
    """

    def of_folds(slug: str, repetition: int) -> list[Row]:
        """The rows of one repetition."""
        rows: list[Row] = []
        folds = encoded(slug).folds_with_seeds(repetition, n_folds)
        for fold, (train, test, seed) in enumerate(folds):
            rows += [{"fold": fold, **row} for row in task(train, test, seed)]
        return rows

    work = list(product(slugs, range(repetitions)))
    return tabulated(of_folds, work, ["dataset", "repetition"], n_jobs)


def compare_with_published(
    results: pd.DataFrame,
    published: Mapping[str, Any],
    column: str,
    a1: float = 0.1,
    a2: float = 2.0,
) -> pd.DataFrame:
    """A published table beside ours.

    The flag is "equal" if our mean, rounded to the printed digit, is the printed one;
    "within" if the difference is at most two of its standard errors
    (:func:`errors_of_differences`); else "differs". If we have no result, it is "not
    identified" for the paper's artificial data and "not available" for any other set.

    Parameters
    ----------
    results : pandas.DataFrame
        Rows of :func:`fold_results`.
    published : mapping
        ``table1`` or ``table2`` of the published values.
    column : {"error", "complexity"}

    Returns
    -------
    pandas.DataFrame
        dataset, method, published_mean, published_sd, mean, sd (ddof 0, over all
        folds), flag.
    """
    of_methods = _with_pair(results, a1, a2)
    ours = of_methods.groupby(["dataset", "method"])[column].agg(
        ["mean", lambda v: v.std(ddof=0)]
    )
    ours.columns = ["mean", "sd"]
    ours["error"] = errors_of_differences(of_methods, column)

    table = _printed_cells(published)
    table = table.merge(ours, how="left", on=["dataset", "method"])

    is_artificial = table["dataset"] == "artificial"
    absent = np.where(is_artificial, "not identified", "not available")
    rounded = table["mean"].round(published["digits"])
    equal = np.isclose(rounded, table["published_mean"], atol=1e-9)
    gap = (table["mean"] - table["published_mean"]).abs()
    within = gap <= 2 * table["error"]
    table["flag"] = np.select(
        [table["mean"].isna(), equal, within], [absent, "equal", "within"], "differs"
    )
    return table.drop(columns="error")


def _printed_cells(published: Mapping[str, Any]) -> pd.DataFrame:
    """A published table, one row per cell."""
    rows = []
    for slug, cells in published.items():
        if slug in ("page", "methods", "digits"):
            continue
        of_methods = zip(published["methods"], cells, strict=True)
        rows += [(slug, method, *cell) for method, cell in of_methods]

    columns = ["dataset", "method", "published_mean", "published_sd"]
    return pd.DataFrame(rows, columns=columns)


def _with_pair(results: pd.DataFrame, a1: float, a2: float) -> pd.DataFrame:
    """The rows of SRMprune with one pair of constants, and those of other methods."""
    has_pair = (results["a1"] == a1) & (results["a2"] == a2)
    return results[has_pair | (results["method"] != "SRMprune")]


def deviations_of_repetitions(results: pd.DataFrame, column: str) -> pd.Series:
    """The standard deviation of the mean of one repetition, by data set and method.

    Another program that runs the same protocol on the same data differs from ours only
    in how it cuts the data into folds. So its means vary as those of our repetitions
    do, and not as single folds, which also differ in the examples that they test.

    Parameters
    ----------
    results : pandas.DataFrame
        Rows of :func:`fold_results` with one pair of constants.
    column : {"error", "complexity"}
    """
    means = results.groupby(["dataset", "method", "repetition"])[column].mean()
    return means.groupby(["dataset", "method"]).std(ddof=1)


def errors_of_differences(results: pd.DataFrame, column: str) -> pd.Series:
    """The standard error of the difference of a printed mean and ours, by data set and
    method.

    The paper prints the deviations of folds only, so its means are taken to vary from
    repetition to repetition as ours do, with as many repetitions.
    """
    n_repetitions = results["repetition"].nunique()
    deviations = deviations_of_repetitions(results, column)
    return deviations * np.sqrt(2 / n_repetitions)


def bounds_in_folds(
    train: Encoded,
    test: Encoded,
    seed: int,
    pairs: Sequence[tuple[float, float]] = ((4.0, 2.0), (0.1, 2.0)),
) -> list[Row]:
    """Equation 2 for the unpruned tree of one fold, and its test error, as fractions.

    Parameters
    ----------
    pairs : sequence of (a1, a2)
        Constants of Equation 3.
    """
    tree = train.grow()
    n_examples = len(train.y)
    training_error = tree.subtree_errors[0] / n_examples
    values = yildiz_lary_estimate(tree.feature, tree.parents, train.n_values, "all")
    test_error = judged(tree.recounted(test.X, test.y))[0] / 100

    return [
        {
            "a1": a1,
            "a2": a2,
            "bound": vc_srm_bound(training_error, values[0], n_examples, a1=a1, a2=a2),
            "error": test_error,
        }
        for a1, a2 in pairs
    ]


def nested_errors(
    train: Encoded, test: Encoded, seed: int, n_folds: int = 5
) -> list[Row]:
    """SRMprune with the pair a1, a2 that has the fewest errors in folds of the training
    set.

    If several pairs tie, the first is taken. The error is in percent.
    """
    grid = _grid(A1, A2)

    def errors(grown: Encoded, judging: Encoded) -> NDArray[np.float64]:
        """Errors in percent on examples that the tree was not grown on, one for each
        pair of constants.
        """
        tree = grown.grow()
        with_counts = tree.recounted(judging.X, judging.y)
        return judged(with_counts, srm_nodes(tree, grid[:, :1], grid[:, 1:]))[0]

    total = sum(errors(*parts) for parts in train.folds(seed // 100, n_folds))
    # Pairs with the same errors tie in spite of rounding.
    best = np.round(total, 9).argmin()
    a1, a2 = grid[best]
    return [{"a1": a1, "a2": a2, "error": errors(train, test)[best]}]


def _grid(a1: ArrayLike, a2: ArrayLike) -> NDArray[np.float64]:
    """All pairs of a1 and a2, one per row."""
    return np.stack(np.meshgrid(a1, a2, indexing="ij"), axis=-1).reshape(-1, 2)
