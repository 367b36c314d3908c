"""Certificates that others have published, on the same splits as ours, each by its own
formula.

Trees are pruned by cross-validation with three folds, whose price of a leaf carries
over in errors.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from reproduction.experiments import Row
from reproduction.experiments import tuned_trees as tuned
from reproduction.experiments.certificates import N_TREES, described
from reproduction.experiments.leboeuf2020 import DELTA, Split, judged_folds, split
from treebounds.pruning.rules import cheapest_pruning
from treebounds.risk import binomial_tail_inversion
from treebounds.risk.tail_inversion import bounded_mean_inversion
from treebounds.trees import ArrayTree
from treebounds.trees.counting import errors_where_reached, held_out_errors
from treebounds.trees.weakest_link import weakest_link_sequence

N_BLOCKS = 5
LOG_DELTA = math.log(DELTA)


def rivals(slug: str, draw: int, max_rows: int | None = None) -> list[Row]:
    """Every rival's certificate on one split, with the test error and the leaves of its
    classifier.
    """
    data = split(slug, draw).first(max_rows)
    order = np.random.default_rng(draw).permutation(len(data.y_train))
    half = len(order) // 2

    # One half of the training rows grows trees, and the other half, as test rows,
    # judges them.
    halves = data.of_rows(order[half:], order[:half])
    grown = halves.grow("unlimited")
    pruned = _pruned(halves, grown)
    certified = {
        "Rademacher penalty": rademacher(grown, halves, draw),
        "fixed sequence of tests": fixed_sequence(pruned, halves),
        "forest, a half held out": _half_of_a_forest(halves, draw),
        "forest, out of bag": out_of_bag(data, draw),
    }
    rows: list[Row] = [
        {"method": method, "certificate": bound, **described(model, data)}
        for method, (bound, model) in certified.items()
    ]

    bound, trees = progressive_validation(pruned, halves)
    measures = [described(tree, data) for tree in trees]
    mean = {key: float(np.mean([row[key] for row in measures])) for key in measures[0]}
    rows.append({"method": "progressive validation", "certificate": bound, **mean})
    return rows


def rademacher(tree: ArrayTree, halves: Split, seed: int) -> tuple[float, ArrayTree]:
    """Reduced-error pruning with the Rademacher penalty of all prunings of the tree
    that was grown.

    Kääriäinen and Elomaa (2003), Rademacher penalization over decision tree prunings,
    ECML. Each example gets a random sign; the penalty is the largest mean of sign times
    error over all prunings, and reduced-error pruning finds it, too. With probability 1
    - delta, every pruning of risk R satisfies R <= error + 2 penalty + 5 sqrt(ln(2 /
    delta) / (2 n)) for n judging examples. The reason is that one example changes the
    supremum of R - error by at most 1 / n and the penalty by at most 2 / n, that half
    of delta is spent on each of them (McDiarmid), and that the expected supremum is at
    most two penalties.
    """
    n = len(halves.y_test)
    reached = tree.apply(halves.X_test)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], n)
    wrong = errors_where_reached(tree, reached, halves.y_test)
    pruned = tree.collapse(cheapest_pruning(tree, wrong))
    error = float(np.mean(pruned.predict(halves.X_test) != halves.y_test))

    signed = errors_where_reached(tree, reached, halves.y_test, signs)
    penalty = _largest_sum(tree, signed) / n
    slack = 5 * math.sqrt(math.log(2 / DELTA) / (2 * n))
    return min(1.0, error + 2 * penalty + slack), pruned


def _largest_sum(tree: ArrayTree, values: NDArray[np.float64]) -> float:
    """The largest sum of the leaves' values over all prunings."""
    best = values.copy()
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        best[node] = max(
            best[node], best[tree.children_left[node]] + best[tree.children_right[node]]
        )
    return float(best[0])


def progressive_validation(
    first: ArrayTree, halves: Split
) -> tuple[float, list[ArrayTree]]:
    """Each block of the judging half judges a tree grown on all rows before it, and
    then joins these rows; ``first`` is the tree that the first block judges.

    Blum, Kalai and Langford (1999), Beating the hold-out, COLT, with blocks in place of
    single examples. The bound is that of a classifier that draws, for each new case,
    one of the trees with a probability proportional to the number of rows that judged
    it. Hoeffding's inequality holds for the sum of errors, because it is a martingale
    after its mean is subtracted.
    """
    n = len(halves.y_test)
    wrong = 0
    tree = first
    trees: list[ArrayTree] = []
    for rows in np.array_split(np.arange(n), N_BLOCKS):
        if trees:
            more = halves.joined(rows[0])
            tree = _pruned(more, more.grow("unlimited"))
        wrong += int(np.sum(tree.predict(halves.X_test[rows]) != halves.y_test[rows]))
        trees.append(tree)

    return min(1.0, wrong / n + math.sqrt(-LOG_DELTA / (2 * n))), trees


def fixed_sequence(tree: ArrayTree, halves: Split) -> tuple[float, ArrayTree]:
    """The smallest pruning that is certified to beat the majority, by tests along the
    weakest-link path.

    Angelopoulos, Bates, Candès, Jordan and Lei (2025), Learn then test, fixed-sequence
    testing. The certificate is the error of the majority class on the rows that the
    tree was grown on. The path starts at the tree that the folds choose, and ends
    before the first pruning whose own bound is not below this error. The number of
    tests costs nothing. The certificate is NaN if the first test fails.
    """
    n = len(halves.y_test)
    limit = 1 - np.bincount(halves.y_train).max() / len(halves.y_train)
    path = weakest_link_sequence(tree)
    wrong = path.along(held_out_errors(tree, halves.X_test, halves.y_test))

    n_passing = 0
    for k in wrong.tolist():
        if binomial_tail_inversion(int(k), n, LOG_DELTA) >= limit:
            break
        n_passing += 1

    if n_passing == 0:
        return math.nan, tree.collapse(path.nodes(0))
    return float(limit), tree.collapse(path.nodes(n_passing - 1))


def out_of_bag(data: Split, seed: int) -> tuple[float, RandomForestClassifier]:
    """A bound of a forest's risk from its out-of-bag rows: twice that of the risk of a
    random tree in it.

    Lorenzen, Igel and Seldin (2019), On PAC-Bayesian bounds for random forests, Machine
    Learning: the PAC-Bayes-kl inequality bounds the risk of a random tree by the
    out-of-bag errors, and the vote errs at most twice as often. All trees have the same
    weight, so the divergence from the prior is zero; n is the smallest number of rows
    that a tree has out of bag.
    """
    X = data.X_train.astype(np.float32)
    y = data.y_train
    forest = RandomForestClassifier(N_TREES, random_state=seed).fit(X, y)
    errors = []
    n = len(y)

    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = np.flatnonzero(np.bincount(rows, minlength=len(y)) == 0)
        shares = tree.tree_.predict(X[out])
        errors.append(np.mean(forest.classes_[shares.argmax(axis=1)] != y[out]))
        n = min(n, len(out))

    of_a_tree = bounded_mean_inversion(
        float(np.mean(errors)), n, LOG_DELTA - math.log(2 * math.sqrt(n))
    )
    return min(1.0, 2 * of_a_tree), forest


def _half_of_a_forest(halves: Split, seed: int) -> tuple[float, RandomForestClassifier]:
    """A forest grown on one half, and its test-set bound on the other half."""
    forest = RandomForestClassifier(N_TREES, random_state=seed).fit(
        halves.X_train, halves.y_train
    )
    k = int(np.sum(forest.predict(halves.X_test) != halves.y_test))
    return binomial_tail_inversion(k, len(halves.y_test), LOG_DELTA), forest


def _pruned(data: Split, tree: ArrayTree) -> ArrayTree:
    """The pruning of a tree that three folds choose."""
    folds = judged_folds("unlimited", data, min(3, len(data.y_train)))
    return tree.collapse(tuned.carried(tree, folds, "errors"))
