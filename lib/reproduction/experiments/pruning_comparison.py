"""Ways to prune side by side: on the sets of Table 1, which chose, and on others, which only report.

On a grown tree nearly every rule is a choice of nodes, so a rule costs next to nothing once the tree and its
nodes' held-out counts are there. What costs are the folds, scikit-learn's grid and the forest to distil.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, KFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from reproduction.datasets import load
from reproduction.experiments import in_parallel
from reproduction.experiments.leboeuf2020 import (
    DATA_SETS,
    FAMILIES,
    Row,
    Split,
    available,
    compare,
    timed,
)
from reproduction.published import published_cost_complexity
from treebounds.pruning import (
    BoundPath,
    CostComplexityPrunedTreeClassifier,
    CountingRule,
    DistilledTreeClassifier,
    ErrorBasedRule,
    KearnsMansourRule,
    MinimumErrorRule,
    PessimisticRule,
    PriceRule,
    ShaweTaylorRule,
    cheapest_pruning,
    cost_complexity_path,
)
from treebounds.pruning._estimator import smoothed
from treebounds.pruning.cost_complexity import SELECTIONS, cross_validated_errors, select_member
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.errors import errors_of_counts, held_out_counts

__all__ = [
    "CHOSE",
    "EXPONENTS",
    "PRICES",
    "REPORT",
    "compared",
    "encoded",
    "left_one_out",
    "run",
    "scaled",
    "summary",
]

CHOSE = DATA_SETS
REPORT = (
    "chess-kr-vs-kp",
    "congressional-voting",
    "image-segmentation-test",
    "letter-recognition",
    "magic-gamma-telescope",
    "monks-1",
    "monks-2",
    "monks-3",
    "mushroom",
    "pima-indians-diabetes",
    "promoters",
    "spect-heart",
    "splice-junction",
    "statlog-landsat-satellite",
    "tic-tac-toe",
    "titanic",
)
EXPONENTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13.7)
PRICES = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0)
SMOOTHING = 2.0
_RARE = np.finfo(float).eps  # scikit-learn's log-loss, too, takes no smaller probability

COUNTING: dict[str, CountingRule] = {
    "pessimistic": PessimisticRule(),
    "error-based, CF .25": ErrorBasedRule(0.25),
    "error-based, CF .05": ErrorBasedRule(0.05),
    "error-based, CF .01": ErrorBasedRule(0.01),
    "minimum error, m = 2": MinimumErrorRule(2.0),
    "minimum error, m = 8": MinimumErrorRule(8.0),
    "Kearns-Mansour": KearnsMansourRule(),
    "Kearns-Mansour / 8": KearnsMansourRule(0.125),
    "noise price": PriceRule("noise"),
}


@lru_cache(maxsize=4)
def encoded(slug: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Features as numbers, a column of 0 and 1 for each category (one for two), and class codes."""
    bunch = load(slug)
    y = np.unique(bunch.target, return_inverse=True)[1]
    if bunch.data.dtype != object:
        return bunch.data, y
    columns = []
    for values in bunch.data.T:
        categories = sorted({str(value) for value in values})
        for category in categories[:1] if len(categories) == 2 else categories:
            columns.append([float(str(value) == category) for value in values])
    return np.array(columns).T, y


def run(data_sets: Sequence[str], n_splits: int, n_jobs: int | None = None, **options: Any) -> pd.DataFrame:
    """:func:`compared` over data sets that are here, and splits, in parallel; a frame with a row a method."""
    work = [(slug, draw) for slug in available(data_sets) for draw in range(n_splits)]
    found = in_parallel(partial(compared, **options), work, n_jobs, "comparison")
    return pd.DataFrame(row for rows in found for row in rows)


def compared(
    slug: str,
    draw: int,
    *,
    families: Sequence[str] = FAMILIES,
    change: str = "",
    max_rows: int = 1500,
    n_alphas: int = 15,
    with_forest: bool = True,
) -> list[Row]:
    """Every way to prune on one split: test accuracy, leaves, log-loss, seconds.

    Parameters
    ----------
    slug : str
    draw : int
        Split and changes are drawn with the seed 10 draw + 1.
    families : sequence of str
        How trees are grown, see :data:`reproduction.experiments.leboeuf2020.FAMILIES`.
    change : {"", "shuffled", "flipped", "twice"}
        What happens to the training examples: labels shuffled; one label in ten replaced by another class;
        every row there twice.
    max_rows : int
        Training rows at most; twice as many for testing.
    n_alphas : int
        Values of ``ccp_alpha`` for scikit-learn's grid search, of all that matter; 0 leaves it out.
    with_forest : bool
        Whether a forest is distilled, too.
    """
    data = _split(slug, draw, change, max_rows)
    rows = [{"family": family, **row} for family in families for row in _pruned(family, data, draw)]
    if n_alphas:
        rows.append({"family": "unlimited", "method": "GridSearchCV", **_grid_search(data, n_alphas)})
    if with_forest:
        rows.append({"family": "unlimited", "method": "distilled forest", **_distilled(data)})
    return [{"dataset": slug, "draw": draw, "change": change, **row} for row in rows]


def _split(slug: str, draw: int, change: str, max_rows: int) -> Split:
    X, y = encoded(slug)
    seed, n = 10 * draw + 1, int(y.max()) + 1
    A, B, a, b = train_test_split(X, y, test_size=0.25, random_state=seed)
    A, a, B, b = A[:max_rows], a[:max_rows], B[: 2 * max_rows], b[: 2 * max_rows]
    rng = np.random.default_rng(seed)
    if change == "shuffled":
        a = rng.permutation(a)
    elif change == "flipped":
        a = np.where(rng.random(len(a)) < 0.1, (a + rng.integers(1, n, len(a))) % n, a)
    elif change == "twice":
        A, a = np.repeat(A, 2, axis=0), np.repeat(a, 2)
        order = rng.permutation(len(a))
        A, a = A[order], a[order]
    return Split(A, B, a, b, n)


def _pruned(family: str, data: Split, draw: int) -> Iterator[Row]:
    """The rules that choose nodes of one grown tree."""
    tree, growing = timed(data.grow, family)
    judge = _judge(tree, data)

    def row(method: str, choose: Callable[[], Any], before: float = 0.0) -> Row:
        nodes, seconds = timed(choose)
        return {"method": method, **judge(nodes), "growing": growing, "seconds": before + seconds}

    yield row("no pruning", lambda: np.arange(0))
    for method, rule in COUNTING.items():
        yield row(method, partial(rule.nodes, tree, tree.class_counts))
    for price in PRICES:
        yield row(f"price {price:g}", partial(cheapest_pruning, tree, tree.leaf_errors, price))
    for exponent in EXPONENTS:
        yield row(
            f"bound 2^-{exponent:g}",
            partial(_by_bound, tree, exponent),
        )
    if family != "unlimited":
        yield row("the paper's bound", lambda: ShaweTaylorRule("loose", 2**-13.7).path(tree).nodes())
    folds, folding = timed(lambda: [data.judged(family, *fold) for fold in KFold(10).split(data.X_train)])
    if family == "published":
        yield row("the paper's CART", lambda: np.flatnonzero(published_cost_complexity(tree, folds)), folding)
    path = cost_complexity_path(tree)
    errors = cross_validated_errors(path, [(cost_complexity_path(t), wrong) for t, wrong in folds])
    for selection in SELECTIONS:
        chosen = select_member(errors, len(data.y_train), selection)
        yield row(f"ten folds, {selection}", partial(path.sequence.nodes, path.steps[chosen]), folding)
    held_out = np.random.default_rng(draw).permutation(len(data.y_train)) < round(0.2 * len(data.y_train))
    (part, wrong), parting = timed(data.judged, family, ~held_out, held_out)
    found = _judge(part, data)(cheapest_pruning(part, wrong))
    yield {"method": "reduced error", **found, "growing": parting, "seconds": 0.0}


def _by_bound(tree: ArrayTree, exponent: float) -> NDArray[np.int64]:
    return ShaweTaylorRule(error_prior_ratio=2.0**-exponent).path(tree).nodes()


def _judge(tree: ArrayTree, data: Split) -> Callable[[Any], Row]:
    """From nodes to cut to what the pruned tree is worth on the test examples; no tree is built."""
    counts, m = held_out_counts(tree, data.X_test, data.y_test), len(data.y_test)
    plain = tree.class_counts / tree.class_counts.sum(axis=1, keepdims=True)
    losses = [
        -(counts * np.log(np.maximum(p, _RARE))).sum(axis=1) / m
        for p in (plain, smoothed(tree.class_counts, SMOOTHING))
    ]
    wrong = errors_of_counts(tree, counts) / m

    def judge(nodes: Any) -> Row:
        leaves = tree.kept_nodes(nodes)[tree.collapse(nodes).is_leaf]
        return {
            "accuracy": 1 - wrong[leaves].sum(),
            "n_leaves": len(leaves),
            "log_loss": losses[0][leaves].sum(),
            "log_loss_smoothed": losses[1][leaves].sum(),
        }

    return judge


def _grid_search(data: Split, n_alphas: int) -> Row:
    """scikit-learn's own way: ten folds over values of ``ccp_alpha`` between those that matter."""
    tree = DecisionTreeClassifier(random_state=0)

    def search() -> Any:
        path = tree.cost_complexity_pruning_path(data.X_train, data.y_train).ccp_alphas.clip(0)
        alphas = np.unique(np.append(0.0, np.sqrt(path[1:] * path[:-1])))
        kept = np.unique(np.linspace(0, len(alphas) - 1, n_alphas).round().astype(int))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            return GridSearchCV(tree, {"ccp_alpha": alphas[kept]}, cv=10).fit(data.X_train, data.y_train)

    found, seconds = timed(search)
    return {**_of_classifier(found.best_estimator_, data), "growing": 0.0, "seconds": seconds}


def _distilled(data: Split) -> Row:
    model, seconds = timed(DistilledTreeClassifier(random_state=0).fit, data.X_train, data.y_train)
    return {**_of_classifier(model, data), "growing": 0.0, "seconds": seconds}


def _of_classifier(model: Any, data: Split) -> Row:
    p = np.zeros((len(data.y_test), data.n_classes))
    p[:, model.classes_] = model.predict_proba(data.X_test)
    of_truth = np.maximum(p[np.arange(len(p)), data.y_test], _RARE)
    accuracy = float(np.mean(model.predict(data.X_test) == data.y_test))
    loss = {"log_loss": -np.log(of_truth).mean(), "log_loss_smoothed": np.nan}
    return {"accuracy": accuracy, "n_leaves": int(model.get_n_leaves()), **loss}


def summary(results: pd.DataFrame, family: str, reference: str, sets: Sequence[str]) -> pd.DataFrame:
    """One row a method: its mean accuracy over sets minus that of a reference, in points, and what it costs.

    Parameters
    ----------
    results : pandas.DataFrame
        Of :func:`run`.
    family, reference : str
    sets : sequence of str

    Returns
    -------
    pandas.DataFrame
        Columns mean, median, standard_error, wins, losses (by more than a quarter point), p_value
        (Wilcoxon's, uncorrected), accuracy, n_leaves, spread (of the leaves over splits, relative), log_loss,
        log_loss_smoothed, seconds (growing apart).
    """
    here = results[(results["family"] == family) & results["dataset"].isin(sets)]
    groups = here.groupby(["dataset", "method"])
    means, spread = groups.mean(numeric_only=True), groups["n_leaves"].std(ddof=0)
    accuracy = means["accuracy"].unstack("method")
    columns = ["accuracy", "n_leaves", "log_loss", "log_loss_smoothed", "seconds"]
    table = means[columns].groupby("method").mean()
    table["spread"] = (spread / means["n_leaves"]).groupby("method").mean()
    paired = pd.DataFrame({method: compare(accuracy, method, reference) for method in accuracy}).T
    points = ["mean", "median", "standard_error"]
    paired[points] = 100 * paired[points].astype(float)
    return paired[[*points, "wins", "losses", "p_value"]].join(table)


def left_one_out(
    results: pd.DataFrame, family: str, methods: Sequence[str], sets: Sequence[str]
) -> pd.Series:
    """The accuracy on each set of the method that is best in the mean over the other sets."""
    here = results[(results["family"] == family) & results["method"].isin(methods)]
    accuracy = here.groupby(["dataset", "method"])["accuracy"].mean().unstack("method")
    accuracy = accuracy.loc[[one for one in sets if one in accuracy.index]]
    return pd.Series({one: row[accuracy.drop(one).mean().idxmax()] for one, row in accuracy.iterrows()})


def scaled(n_examples: int, with_folds: bool) -> list[Row]:
    """Growing and pruning on a generated problem: four features, eight cells, one label in ten wrong."""
    rng = np.random.default_rng(0)
    X = rng.random((2 * n_examples, 4), dtype=np.float32)
    y = (X[:, 0] > 0.5) ^ ((X[:, 1] > 0.3) & (X[:, 2] > 0.6))
    y ^= rng.random(2 * n_examples) < 0.1
    A, a, B, b = X[:n_examples], y[:n_examples], X[n_examples:], y[n_examples:]
    grown, growing = timed(DecisionTreeClassifier(random_state=0).fit, A, a)
    tree = ArrayTree.from_sklearn(grown)
    ShaweTaylorRule().path(tree.collapse([0]))  # compiled before the clock starts
    path, pruning = timed(ShaweTaylorRule().path, tree)
    assert isinstance(path, BoundPath)
    kept = tree.collapse(path.nodes())
    rows = [
        ("no pruning", tree.n_leaves, np.mean(grown.predict(B) == b), growing),
        ("bound 2^-5", kept.n_leaves, np.mean(kept.predict(B) == b), pruning),
    ]
    if with_folds:
        model, seconds = timed(CostComplexityPrunedTreeClassifier(random_state=0).fit, A, a)
        rows.append(("ten folds, minimum", model.get_n_leaves(), model.score(B, b), seconds))
    return [
        {
            "n_examples": n_examples,
            "method": method,
            "n_leaves": leaves,
            "accuracy": float(right),
            "seconds": s,
        }
        for method, leaves, right, s in rows
    ]
