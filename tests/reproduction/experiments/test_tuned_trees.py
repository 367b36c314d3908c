"""Tuning on held-out rows: cuts of the whole tree are scikit-learn's smaller trees;
shrinkage by hand.
"""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.tree import DecisionTreeClassifier

from reproduction.experiments import tuned_trees as tuned
from reproduction.experiments.leboeuf2020 import judged_folds, split
from treebounds.pruning import BoundRule
from treebounds.pruning.cost_complexity import cost_complexity_path
from treebounds.pruning.rules import cheapest_pruning


@pytest.fixture(scope="module")
def data():
    return split("twonorm", 0)


@pytest.fixture(scope="module")
def tree(data):
    return data.grow("unlimited")


@pytest.fixture(scope="module")
def folds(data):
    return judged_folds("unlimited", data, 3)


def smallest(tree, ranks, size):
    """The nodes to cut so that those of smaller rank are split."""
    return np.flatnonzero((ranks(tree) >= size) & ~tree.is_leaf)


def test_a_fold_is_judged_on_the_rows_that_it_was_not_grown_on(data, folds):
    assert [
        fold.counts[0].sum() + fold.tree.class_counts[0].sum() for fold in folds
    ] == [2250] * 3
    assert (
        sum(fold.counts[0] for fold in folds).tolist()
        == np.bincount(data.y_train).tolist()
    )


@pytest.mark.parametrize("n_leaves", [2, 5, 20, 80])
def test_the_first_splits_are_scikit_learns_with_so_many_leaves(data, tree, n_leaves):
    cut = smallest(tree, tuned.best_first, n_leaves - 1)
    theirs = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(
        data.X_train, data.y_train
    )

    # The trees are equal, but features may tie.
    assert tree.collapse(cut).n_leaves == n_leaves
    assert (
        np.mean(tree.collapse(cut).predict(data.X_test) == theirs.predict(data.X_test))
        > 0.98
    )


@pytest.mark.parametrize("depth", [1, 3, 6])
def test_the_tree_cut_at_a_depth_is_scikit_learns(data, tree, depth):
    cut = smallest(tree, tuned.depths, depth)
    theirs = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(
        data.X_train, data.y_train
    )
    assert tree.collapse(cut).height == depth
    assert (
        np.mean(tree.collapse(cut).predict(data.X_test) == theirs.predict(data.X_test))
        > 0.98
    )


@pytest.mark.parametrize("ranks", [tuned.depths, tuned.best_first])
def test_the_chosen_size_errs_least_on_the_folds(tree, folds, ranks):
    """Of the first fold alone, whose tree is that of all rows, and of all folds."""
    for whole, judged in ((folds[0].tree, folds[:1]), (tree, folds)):
        errors = [
            sum(
                tuned.leaf_sum(fold, smallest(fold.tree, ranks, size))
                for fold in judged
            )
            for size in range(ranks(whole).max() + 2)
        ]
        chosen = smallest(whole, ranks, int(np.argmin(errors)))
        assert np.array_equal(tuned.limited(whole, judged, ranks), chosen)


def test_the_chosen_ratio_errs_least_on_the_folds(tree, folds):
    rules = [
        BoundRule(error_prior_ratio=2.0**-exponent)
        for exponent in tuned.RATIO_EXPONENTS
    ]
    cuts = [[rule.path(fold.tree).nodes() for fold in folds] for rule in rules]
    errors = [sum(map(tuned.leaf_sum, folds, of_rule)) for of_rule in cuts]
    expected = rules[int(np.argmin(errors))].path(tree).nodes()
    assert np.array_equal(tuned.held_out_ratio(tree, folds), expected)
    for cuts, rule in zip(tuned._cut_by_ratio(tree), rules, strict=True):
        assert np.array_equal(cuts, rule.path(tree).nodes())


@pytest.mark.parametrize("slug", ["iris", "wine"])
def test_the_grid_search_is_scikit_learns(slug):
    data = split(slug, 0)
    tree = DecisionTreeClassifier(random_state=0)
    X = data.X_train
    y = data.y_train
    path = tree.cost_complexity_pruning_path(X, y).ccp_alphas
    alphas = np.unique(np.append(0.0, np.sqrt(path[1:] * path[:-1])))
    theirs = (
        GridSearchCV(tree, {"ccp_alpha": alphas}, cv=KFold(10))
        .fit(X, y)
        .best_estimator_
    )
    grown = data.grow("unlimited")
    ours = grown.collapse(tuned.grid_searched(grown, judged_folds("unlimited", data)))
    assert np.array_equal(
        ours.class_counts / ours.class_counts.sum(1)[:, None], theirs.tree_.value[:, 0]
    )


@pytest.mark.parametrize("carry", ["errors", "fractions"])
def test_a_price_is_carried_over_as_so_many_errors_or_as_a_fraction_of_the_rows(
    tree, folds, carry
):
    path = cost_complexity_path(tree)
    # A member is best in an interval of prices; these are the middles.
    middle = np.sqrt(path.prices[:-1] * path.prices[1:])
    errors = []
    for price in middle:
        rows = {
            "errors": [2250] * 3,
            "fractions": [fold.tree.class_counts[0].sum() for fold in folds],
        }[carry]
        cuts = [
            cheapest_pruning(f.tree, f.tree.leaf_errors, price * m / 2250)
            for f, m in zip(folds, rows, strict=True)
        ]
        errors.append(
            sum(
                tuned.leaf_sum(fold, cut) for fold, cut in zip(folds, cuts, strict=True)
            )
        )

    errors.append(sum(fold.wrong[0] for fold in folds))  # the root alone
    best = np.flatnonzero(np.array(errors) == min(errors))[-1]
    expected = path.sequence.nodes(path.steps[best])
    assert np.array_equal(tuned.carried(tree, folds, carry), expected)


def test_shrinkage_is_the_sum_over_the_path(tree):
    for shrinkage in (0.0, 3.0, 1e12):
        values = tuned.shrunk(tree, shrinkage)
        assert np.allclose(values.sum(axis=1), 1)
        for node in (0, 1, tree.n_nodes // 2, tree.n_nodes - 1):
            path = [node]
            while path[-1]:
                path.append(int(tree.parents[path[-1]]))
            counts = tree.class_counts[path[::-1]]
            means = counts / counts.sum(axis=1, keepdims=True)
            steps = np.diff(means, axis=0) / (
                1 + shrinkage / counts[:-1].sum(axis=1, keepdims=True)
            )
            assert np.allclose(values[node], means[0] + steps.sum(axis=0))

    assert np.allclose(
        tuned.shrunk(tree, 0.0),
        tree.class_counts / tree.class_counts.sum(axis=1)[:, None],
    )
    assert np.allclose(
        tuned.shrunk(tree, 1e12), tree.class_counts[0] / tree.class_counts[0].sum()
    )


def test_shrunk_errors_are_those_of_the_leaves(folds):
    fold = folds[0]
    plain = tuned.shrunk(fold.tree, 0.0)
    assert tuned.shrunk_errors(fold, plain) == fold.wrong[fold.tree.is_leaf].sum()
    best = tuned.hierarchical_shrinkage(fold.tree, [fold])
    assert tuned.shrunk_errors(fold, best) <= tuned.shrunk_errors(fold, plain)
