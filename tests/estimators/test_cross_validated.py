from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_wine
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from oracles.published_protocol import minimal_cost_complexity
from treebounds import (
    CostComplexityPrunedTreeClassifier,
    CostComplexityPrunedTreeRegressor,
    ReducedErrorPrunedTreeClassifier,
)
from treebounds.formats import collapse_sklearn, from_sklearn
from treebounds.pruning.cost_complexity import (
    SELECTIONS,
    cost_complexity_path,
    select_member,
)


def noisy(seed, m=120, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (m, 4)).astype(float)
    return X, np.where(
        rng.random(m) < 0.7,
        X[:, 0].astype(int) % n_classes,
        rng.integers(0, n_classes, m),
    )


def validated_literally(X, y, cost, prices, carry, options):
    """The share of the cost of wrong labels in four folds, for each member of a path:
    for each fold the tree that the member's price leaves.
    """
    rates = []
    for low, high in pairwise(prices):
        price = 1e9 if high == np.inf else np.sqrt(low * high)
        wrong = 0
        for train, test in StratifiedKFold(4).split(X, y):
            grown = DecisionTreeClassifier(**options).fit(X[train], y[train])
            share = cost[train].sum() / cost.sum() if carry == "fractions" else 1
            _, cut = minimal_cost_complexity(from_sklearn(grown), 0, price * share)
            predicted = collapse_sklearn(grown, cut).predict(X[test])
            wrong += cost[test][predicted != y[test]].sum()
        rates.append(wrong / cost.sum())
    return rates


@pytest.mark.no_cover
@pytest.mark.parametrize("carry", ["errors", "fractions"])
@pytest.mark.parametrize("class_weight", [None, {0: 1, 1: 4, 2: 2}])
@pytest.mark.parametrize("seed", range(3))
def test_cross_validation_done_literally(seed, class_weight, carry):
    X, y = noisy(seed)
    cost = np.array([1 if class_weight is None else class_weight[label] for label in y])
    options = {"max_leaf_nodes": 15, "random_state": 0, "class_weight": class_weight}
    with parallel_config("threading"):  # processes take seconds to start
        fitted = CostComplexityPrunedTreeClassifier(
            cv=4, carry=carry, n_jobs=2, **options
        ).fit(X, y)

    prices = np.append(fitted.prices_, np.inf)
    rates = validated_literally(X, y, cost, prices, carry, options)
    assert fitted.cv_errors_ == pytest.approx(rates)
    chosen = len(rates) - 1 - np.argmin(rates[::-1])
    assert fitted.price_ == fitted.prices_[chosen]

    whole = DecisionTreeClassifier(**options).fit(X, y)
    _, cut = minimal_cost_complexity(from_sklearn(whole), 0, fitted.price_ + 1e-9)
    assert np.array_equal(fitted.predict(X), collapse_sklearn(whole, cut).predict(X))


def test_members_of_a_path_are_the_minimizers_between_their_prices():
    for seed in range(8):
        grown = DecisionTreeClassifier(max_leaf_nodes=25, random_state=0).fit(
            *noisy(seed)
        )
        tree = from_sklearn(grown)
        path = cost_complexity_path(tree)
        assert path.prices[0] == 0
        assert (np.diff(path.prices) > 0).all()
        n_leaves = path.sequence.n_leaves[path.steps]
        assert (np.diff(n_leaves) < 0).all()
        assert n_leaves[-1] == 1
        # Tenths are rounded, so that their sums differ where those of the counts are
        # equal.
        light = cost_complexity_path(
            replace(tree, class_counts=0.1 * tree.class_counts)
        )
        np.testing.assert_array_equal(light.sequence.n_leaves[light.steps], n_leaves)
        for i, (low, high) in enumerate(
            zip(path.prices, np.append(path.prices[1:], 999), strict=True)
        ):
            (_, leaves), cut = minimal_cost_complexity(tree, 0, (low + high) / 2)
            assert leaves == n_leaves[i]
            assert tree.collapse(cut) == tree.collapse(
                path.sequence.nodes(path.steps[i])
            )


def test_one_standard_error_gives_the_smaller_tree():
    pair = [
        CostComplexityPrunedTreeClassifier(selection=selection, cv=10, random_state=0)
        for selection in SELECTIONS
    ]
    minimum, rule = (selection.fit(*load_wine(return_X_y=True)) for selection in pair)
    assert rule.get_n_leaves() < minimum.get_n_leaves()
    assert rule.price_ > minimum.price_
    errors = np.array([5.0, 4.0, 6.0, np.nextafter(4, 5), 9.0])
    assert select_member(errors, 1000) == 3
    # For p = 2/3 the standard error is 0.19: 5 errors are within it, 9 are not.
    assert select_member(errors, 6) == 3


@pytest.mark.parametrize("class_weight", [None, {0: 1, 1: 6, 2: 2}])
def test_reduced_error_pruning_is_the_best_of_all_prunings(class_weight):
    for seed in range(5):
        X, y = noisy(seed, 180)
        cost = np.array(
            [1 if class_weight is None else class_weight[label] for label in y]
        )
        options = {"random_state": seed, "class_weight": class_weight}
        fitted = ReducedErrorPrunedTreeClassifier(
            validation_fraction=0.3, **options
        ).fit(X, y)
        held_out = fitted.validation_indices_
        train = np.setdiff1d(np.arange(len(y)), held_out)
        assert len(held_out) == 54
        whole = DecisionTreeClassifier(**options).fit(X[train], y[train])

        def errors(tree, rows=held_out, X=X, y=y, cost=cost):
            return np.sum(cost[rows] * (tree.predict(X[rows]) != y[rows]))

        assert errors(fitted) <= errors(whole)
        for node in np.flatnonzero(fitted.tree_.children_left >= 0):
            assert errors(collapse_sklearn(fitted, [node])) > errors(fitted)


def test_weights_are_honored_or_refused():
    X, y = load_wine(return_X_y=True)
    weighted = CostComplexityPrunedTreeClassifier(random_state=0).fit(
        X, y, sample_weight=1.0 * (y != 0)
    )
    assert 0 not in weighted.predict(X)
    with pytest.raises(TypeError, match="sample_weight"):
        ReducedErrorPrunedTreeClassifier().fit(X, y, sample_weight=np.ones(len(y)))


def test_bad_options_are_named():
    data = load_wine(return_X_y=True)
    for change in ({"selection": "best"}, {"carry": "percent"}):
        model = CostComplexityPrunedTreeClassifier(**change)
        with pytest.raises(ValueError, match=next(iter(change))):
            model.fit(*data)
        assert not hasattr(model, "tree_")  # it is refused before anything is grown
    for fraction in (0, 1, -0.1, "half", True, np.nan, 0.9999):
        with pytest.raises(ValueError, match="validation_fraction"):
            ReducedErrorPrunedTreeClassifier(validation_fraction=fraction).fit(*data)


@pytest.mark.parametrize(("cv", "n_examples"), [(1, 20), (-2, 20), (True, 20), (3, 1)])
def test_a_number_of_folds_that_cannot_be_is_named(cv, n_examples):
    X = np.arange(20.0).reshape(-1, 1)
    y = np.arange(20) % 2
    with pytest.raises(ValueError, match="cv must be"):
        CostComplexityPrunedTreeClassifier(cv=cv).fit(X[:n_examples], y[:n_examples])


def test_few_examples_get_fewer_folds_and_a_warning():
    X = np.arange(14.0).reshape(-1, 1)
    y = np.arange(14) // 7
    with pytest.warns(
        UserWarning,
        match="cv=10, but the largest class has 7 examples: 7 folds are used",
    ):
        few = CostComplexityPrunedTreeClassifier(cv=10, random_state=0).fit(X, y)
    seven = CostComplexityPrunedTreeClassifier(cv=7, random_state=0).fit(X, y)
    assert few.cv_errors_.tolist() == seven.cv_errors_.tolist()


def test_the_warning_of_fewer_folds_names_the_line_that_calls_fit():
    X = np.arange(14.0).reshape(-1, 1)
    y = np.arange(14) // 7
    with pytest.warns(UserWarning, match="7 folds are used") as recorded:
        CostComplexityPrunedTreeClassifier(cv=10, random_state=0).fit(X, y)
    assert recorded[0].filename == __file__


def test_groups_stay_together():
    X, y = noisy(3)
    groups = np.arange(120) // 4
    splits = list(GroupKFold(5).split(X, y, groups))
    with_splits = CostComplexityPrunedTreeClassifier(cv=splits, random_state=0).fit(
        X, y
    )
    model = CostComplexityPrunedTreeClassifier(cv=GroupKFold(5), random_state=0).fit(
        X, y, groups=groups
    )
    plain = CostComplexityPrunedTreeClassifier(cv=5, random_state=0).fit(X, y)
    assert (
        model.cv_errors_.tolist()
        == with_splits.cv_errors_.tolist()
        != plain.cv_errors_.tolist()
    )
    for cv in (5, splits):  # neither would ask for them
        with pytest.raises(ValueError, match="groups need a splitter that uses them"):
            CostComplexityPrunedTreeClassifier(cv=cv).fit(X, y, groups=groups)


@pytest.mark.parametrize("exponent", [300, 400])
def test_a_power_of_two_changes_no_tree(exponent):
    """Products of two prices would overflow."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = X[:, 0] + rng.normal(size=100)
    model = CostComplexityPrunedTreeRegressor(random_state=0)
    n_leaves = model.fit(X, y).get_n_leaves()
    assert model.fit(X, np.ldexp(y, exponent)).get_n_leaves() == n_leaves
