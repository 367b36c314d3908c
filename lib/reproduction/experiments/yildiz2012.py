"""Yıldız's pruning experiment: NOprune, CVprune and SRMprune, 10 x 10 folds (his Tables 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from reproduction.datasets import DataNotAvailable, load
from reproduction.experiments import in_parallel
from treebounds.pruning.bound_estimator import BoundPrunedTreeClassifier
from treebounds.pruning.id3_estimator import ID3Classifier
from treebounds.pruning.multiway import reduced_error_nodes, srm_nodes
from treebounds.pruning.validated import (
    CostComplexityPrunedTreeClassifier,
    ReducedErrorPrunedTreeClassifier,
)
from treebounds.trees.id3 import grow_id3
from treebounds.trees.multiway import MultiwayTree

__all__ = [
    "A1",
    "A2",
    "VARIANTS",
    "Encoded",
    "available",
    "best_constants",
    "compare_with_published",
    "complexity",
    "corrected_t_test",
    "encoded",
    "fold_results",
    "nested_errors",
    "other_results",
    "run",
    "variant_results",
]

# the grid of the search for a1 and a2; the paper does not print its own
A1 = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
A2 = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

# what the paper leaves open: one change at a time from what comes closest to its tables, then two at once
VARIANTS: dict[str, dict[str, Any]] = {
    "SRM as in the tables": {},
    "SRM bottom-up": {"order": "bottom-up"},
    "SRM, N of the whole set": {"sample": "whole"},
    "SRM, Figure 5 as printed": {"inputs": "below"},
    "SRM, d less along the path": {"inputs": "path"},
    "SRM, no empty branches": {"empty_branches": False},
    "SRM, empty branches predict as the root": {"empty_as_root": True},
    "SRM bottom-up, Figure 5 as printed": {"order": "bottom-up", "inputs": "below"},
    "SRM bottom-up, empty as the root": {"order": "bottom-up", "empty_as_root": True},
    "SRM, Figure 5 as printed, empty as the root": {"inputs": "below", "empty_as_root": True},
    "CV as in the tables": {},
    "CV bottom-up": {"order": "bottom-up"},
    "CV, ties keep the subtree": {"ties": "keep"},
    "CV, empty branches predict as the root": {"empty_as_root": True},
    "CV bottom-up, ties keep the subtree": {"order": "bottom-up", "ties": "keep"},
    "CV bottom-up, empty as the root": {"order": "bottom-up", "empty_as_root": True},
}


def available(slugs: Iterable[str]) -> tuple[list[str], list[str]]:
    """Which data sets can be had here, and which cannot."""
    here, missing = [], []
    for slug in slugs:
        try:
            encoded(slug)
            here.append(slug)
        except DataNotAvailable:
            missing.append(slug)
    return here, missing


class Encoded(NamedTuple):
    """Examples as value codes and class codes, and the number of values of each column."""

    X: NDArray[Any]
    y: NDArray[np.int64]
    n_values: NDArray[np.int64]

    def part(self, rows: Any) -> Encoded:
        """Some of the examples."""
        return self._replace(X=self.X[rows], y=self.y[rows])

    def folds(self, seed: int, n_folds: int) -> Iterator[tuple[Encoded, Encoded]]:
        """Training and test sets of stratified cross-validation."""
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        for train, test in folds.split(self.X, self.y):
            yield self.part(train), self.part(test)

    def grow(self, **options: Any) -> MultiwayTree:
        """ID3's tree."""
        return grow_id3(self.X, self.y, self.n_values, 2, **options)


def encoded(slug: str) -> Encoded:
    """A data set as value codes, class codes, and the number of values of each column.

    The values are those of the whole set, "?" among them. The 432 rows of the first problem of the monks are
    all there are, so they are made by their rule and need no file.
    """
    if slug == "monks-1":
        n_values = np.array([3, 3, 2, 3, 4, 2])
        X = np.indices(tuple(n_values)).reshape(6, -1).T
        return Encoded(X, ((X[:, 0] == X[:, 1]) | (X[:, 4] == 0)).astype(np.int64), n_values)
    bunch = load(slug)
    X = np.column_stack([np.unique(column.astype(str), return_inverse=True)[1] for column in bunch.data.T])
    return Encoded(X, np.unique(bunch.target, return_inverse=True)[1], X.max(axis=0) + 1)


def complexity(tree: MultiwayTree) -> int:
    """Table 2's measure, as far as its numbers tell: two for an internal node and one for a leaf."""
    return 2 * tree.n_internal_nodes + tree.n_leaves


def fold_results(
    slug: str, repetition: int, n_folds: int = 10, a1: ArrayLike = A1, a2: ArrayLike = A2
) -> pd.DataFrame:
    """One repetition of stratified cross-validation on one data set.

    Parameters
    ----------
    slug : str
    repetition : int
        The seed of the folds.
    n_folds : int
    a1, a2 : array_like of float
        SRMprune is done for every pair, all on one grown tree.

    Returns
    -------
    pandas.DataFrame
        dataset, repetition, fold, method, a1, a2 (NaN but for SRMprune), error in percent, complexity.
    """
    grid, folds = _grid(a1, a2), []
    for fold, (train, test) in enumerate(encoded(slug).folds(repetition, n_folds)):
        grown = train.grow()
        plain = [("NOprune", grown), ("CVprune", _cv_pruned(train, 100 * repetition + fold))]
        rows = [(name, np.nan, np.nan, _error(tree, test), complexity(tree)) for name, tree in plain]
        errors, sizes = _for_all_settings(grown, test, grid)
        rows += [("SRMprune", *pair, e, s) for pair, e, s in zip(grid, errors, sizes, strict=True)]
        frame = pd.DataFrame(rows, columns=["method", "a1", "a2", "error", "complexity"])
        folds.append(frame.assign(dataset=slug, repetition=repetition, fold=fold))
    return pd.concat(folds, ignore_index=True)


def run(
    task: Callable[..., pd.DataFrame], slugs: Iterable[str], repetitions: int = 1, n_jobs: int | None = None
) -> pd.DataFrame:
    """The table of ``task(slug, repetition)`` over data sets and repetitions, in parallel over both.

    The tasks are :func:`fold_results`, :func:`variant_results`, :func:`nested_errors` and
    :func:`other_results`; ``n_jobs`` is joblib's. The result does not depend on it.
    """
    work = [(slug, repetition) for slug in slugs for repetition in range(repetitions)]
    return pd.concat(in_parallel(task, work, n_jobs, task.__name__), ignore_index=True)


def best_constants(results: pd.DataFrame) -> pd.DataFrame:
    """Mean error over the data sets for each pair (a1, a2), the best first; ties in order of a1, a2."""
    srm = results[results["method"] == "SRMprune"]
    by_set = srm.groupby(["a1", "a2", "dataset"])["error"].mean()
    means = by_set.groupby(["a1", "a2"]).mean().rename("error").reset_index()
    return means.round({"error": 10}).sort_values(["error", "a1", "a2"], ignore_index=True)


def compare_with_published(
    results: pd.DataFrame, published: Mapping[str, Any], column: str, a1: float = 0.1, a2: float = 2.0
) -> pd.DataFrame:
    """A published table beside ours.

    The flag is "equal" if our mean, rounded to the printed digit, is the printed one; "within" if the
    difference is at most two standard errors, each table's means taken as means of as many independent folds
    as we have, sqrt((published_sd^2 + sd^2) / folds); else "differs". Without a result of ours it is
    "not identified" for the paper's artificial data and "not available" for any other set.

    Parameters
    ----------
    results : pandas.DataFrame
        Of :func:`fold_results`.
    published : mapping
        ``table1`` or ``table2`` of the published values.
    column : {"error", "complexity"}

    Returns
    -------
    pandas.DataFrame
        dataset, method, published_mean, published_sd, mean, sd (ddof 0, over all folds), flag.
    """
    chosen = results[(results["method"] != "SRMprune") | ((results["a1"] == a1) & (results["a2"] == a2))]
    ours = chosen.groupby(["dataset", "method"])[column].agg(["mean", "count", lambda v: v.std(ddof=0)])
    ours.columns = ["mean", "folds", "sd"]
    rows = []
    for slug, cells in published.items():
        if slug in ("page", "methods", "digits"):
            continue
        for method, (p_mean, p_sd) in zip(published["methods"], cells, strict=True):
            row = {"dataset": slug, "method": method, "published_mean": p_mean, "published_sd": p_sd}
            if (slug, method) not in ours.index:
                flag = "not identified" if slug == "artificial" else "not available"
                rows.append({**row, "mean": np.nan, "sd": np.nan, "flag": flag})
                continue
            mean, folds, sd = ours.loc[(slug, method)]
            error = np.sqrt((p_sd**2 + sd**2) / folds)
            within = "within" if abs(mean - p_mean) <= 2 * error else "differs"
            equal = np.isclose(round(mean, published["digits"]), p_mean, atol=1e-9)
            rows.append({**row, "mean": mean, "sd": sd, "flag": "equal" if equal else within})
    return pd.DataFrame(rows)


def corrected_t_test(differences: ArrayLike, test_to_train: float = 1 / 9) -> float:
    """Two-sided p-value of Nadeau and Bengio's corrected t-test for paired results of repeated folds.

    The variance of the mean is taken as ``variance * (1 / folds + test_to_train)``, since the training sets
    overlap. All differences 0 give p = 1.

    >>> from reproduction.experiments.yildiz2012 import corrected_t_test
    >>> round(corrected_t_test([1.0, 2.0, -0.5, 0.5] * 25), 3)
    0.019
    """
    d = np.asarray(differences, dtype=float)
    spread = d.var(ddof=1) * (1 / len(d) + test_to_train)
    if spread == 0:
        return 1.0 if d.mean() == 0 else 0.0
    return float(2 * student.sf(abs(d.mean()) / np.sqrt(spread), len(d) - 1))


def variant_results(slug: str, repetition: int) -> pd.DataFrame:
    """Error in percent and complexity of every variant in every fold of one repetition, a1 = 0.1, a2 = 2."""
    rows = []
    for fold, (train, test) in enumerate(encoded(slug).folds(repetition, 10)):
        for name, options in VARIANTS.items():
            if name.startswith("CV"):
                tree = _cv_pruned(train, 100 * repetition + fold, **options)
            else:
                tree = _srm_pruned(train, **options)
            rows.append((slug, name, repetition, fold, _error(tree, test), complexity(tree)))
    return pd.DataFrame(rows, columns=["dataset", "variant", "repetition", "fold", "error", "complexity"])


def nested_errors(slug: str, repetition: int = 0, n_folds: int = 10, inner_folds: int = 5) -> pd.DataFrame:
    """SRMprune with a1 and a2 chosen anew in each training set, by cross-validation inside it.

    Returns
    -------
    pandas.DataFrame
        dataset, fold, a1, a2 (the first of the best pairs), error in percent.
    """
    grid, rows = _grid(A1, A2), []
    for fold, (train, test) in enumerate(encoded(slug).folds(repetition, n_folds)):
        inner = np.zeros(len(grid))
        for part, held_out in train.folds(repetition, inner_folds):
            inner += _for_all_settings(part.grow(), held_out, grid)[0]
        a1, a2 = grid[inner.round(9).argmin()]
        rows.append((slug, fold, a1, a2, _error(_srm_pruned(train, a1=a1, a2=a2), test)))
    return pd.DataFrame(rows, columns=["dataset", "fold", "a1", "a2", "error"])


def other_results(slug: str, repetition: int = 0, n_folds: int = 10) -> pd.DataFrame:
    """What the paper did not compare: ways to prune ID3's trees, and scikit-learn's on one-hot features.

    Returns
    -------
    pandas.DataFrame
        dataset, model, repetition, fold, error in percent, leaves.
    """
    words = encoded(slug)
    bits = words._replace(X=OneHotEncoder(sparse_output=False).fit_transform(words.X))
    folds = (data.folds(repetition, n_folds) for data in (words, bits))
    rows = []
    for fold, (of_words, of_bits) in enumerate(zip(*folds, strict=True)):
        for name, (model, multiway) in _other_models(100 * repetition + fold).items():
            train, test = of_words if multiway else of_bits
            model.fit(train.X, train.y)
            rows.append((slug, name, repetition, fold, _error(model, test), model.tree_.n_leaves))
    return pd.DataFrame(rows, columns=["dataset", "model", "repetition", "fold", "error", "leaves"])


def _other_models(seed: int) -> dict[str, tuple[Any, bool]]:
    """Name, estimator, and whether it takes the words themselves."""
    whole: dict[str, Any] = {"max_leaf_nodes": None, "random_state": seed}
    return {
        "ID3, whole": (ID3Classifier(), True),
        "ID3, SRM": (ID3Classifier(pruning="srm"), True),
        "ID3, reduced error": (ID3Classifier(pruning="reduced-error", random_state=seed), True),
        "ID3, description length": (ID3Classifier(pruning="description-length"), True),
        "CART, whole": (DecisionTreeClassifier(random_state=seed), False),
        "CART, cost-complexity, 10 folds": (CostComplexityPrunedTreeClassifier(**whole), False),
        "CART, reduced error": (ReducedErrorPrunedTreeClassifier(**whole), False),
        "CART, Shawe-Taylor bound": (
            BoundPrunedTreeClassifier(capacity="loose", error_prior_ratio=2**-13.7, **whole),
            False,
        ),
    }


def _grid(a1: ArrayLike, a2: ArrayLike) -> NDArray[np.float64]:
    """All pairs, one a row."""
    return np.stack(np.meshgrid(a1, a2, indexing="ij"), axis=-1).reshape(-1, 2)


def _error(model: Any, test: Encoded) -> float:
    """Test error in percent."""
    return 100 * float(np.mean(model.predict(test.X) != test.y))


def _grown(data: Encoded, empty_as_root: bool, **options: Any) -> MultiwayTree:
    """ID3's tree; leaves without examples may predict the majority of all examples, not of their parent."""
    tree = data.grow(**options)
    empty = ~tree.class_counts.any(axis=1) & empty_as_root
    return replace(tree, labels=np.where(empty, tree.labels[0], tree.labels))


def _srm_pruned(
    train: Encoded, *, empty_branches: bool = True, empty_as_root: bool = False, **srm: Any
) -> MultiwayTree:
    tree = _grown(train, empty_as_root, empty_branches=empty_branches)
    return tree.collapse(srm_nodes(tree, **srm))


def _cv_pruned(
    train: Encoded, seed: int, *, order: str = "top-down", ties: str = "cut", empty_as_root: bool = False
) -> MultiwayTree:
    """Grown on 80 percent and pruned with the rest."""
    rows = np.arange(len(train.y))
    part, rest = train_test_split(rows, test_size=0.2, random_state=seed, stratify=train.y)
    tree, held_out = _grown(train.part(part), empty_as_root), train.part(rest)
    return tree.collapse(reduced_error_nodes(tree, held_out.X, held_out.y, order=order, ties=ties))


def _for_all_settings(
    tree: MultiwayTree, test: Encoded, grid: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Test error in percent and complexity of SRMprune's tree for every row (a1, a2) of a grid."""
    cut = srm_nodes(tree, grid[:, :1], grid[:, 1:])
    left = tree.reachable(cut)
    leaf = left & (cut | tree.is_leaf)
    # every value of the data set has a branch, so that every example ends at a leaf
    errors = leaf @ tree.recounted(test.X, test.y).leaf_errors
    return 100 * errors / len(test.y), 2 * (left & ~leaf).sum(axis=1) + leaf.sum(axis=1)
