"""Pruned trees that predict numbers: what they compute, choose, and refuse."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor, export_text

from builders import REGRESSORS
from formats.test_scikit_learn import same_state
from oracles.published_protocol import minimal_cost_complexity
from treebounds import (
    BoundPrunedTreeClassifier,
    CostComplexityPrunedTreeClassifier,
    CostComplexityPrunedTreeRegressor,
    PrunedTreeRegressor,
    prune,
)
from treebounds.estimators.pruned_regressor import FACTORS
from treebounds.formats import collapse_sklearn, from_sklearn
from treebounds.pruning import LocalRule

X, Y = load_diabetes(return_X_y=True)
each = pytest.mark.parametrize("estimator", REGRESSORS, ids=str)


@pytest.mark.parametrize("rule", ["counted", 3e4, lambda node: node.n_examples < 60])
def test_the_estimator_prunes_as_prune_does(rule):
    grown = DecisionTreeRegressor(random_state=0).fit(X, Y)
    model = PrunedTreeRegressor(rule=rule, random_state=0).fit(X, Y)
    assert 1 < model.get_n_leaves() < grown.get_n_leaves()
    assert same_state(prune(grown, X, Y, rule=rule), model)
    assert same_state(model.to_sklearn(), model)


def test_a_number_as_factor_needs_no_folds():
    grown = DecisionTreeRegressor(random_state=0).fit(X, Y)
    model = PrunedTreeRegressor(factor=0.875, cv="ignored", random_state=0).fit(X, Y)
    assert same_state(prune(grown, X, Y), model)
    assert not hasattr(model, "cv_errors_")
    assert (model.factor_, model.remark_) == (0.875, "")
    smaller = clone(model).set_params(factor=4.0).fit(X, Y)
    assert smaller.get_n_leaves() < model.get_n_leaves()


def test_the_factor_that_folds_choose_done_literally():
    splits = list(KFold(3, shuffle=True, random_state=1).split(X))
    model = PrunedTreeRegressor(cv=splits, random_state=0).fit(X, Y)
    errors = []
    for factor in FACTORS:
        total = 0.0
        for train, test in splits:
            grown = DecisionTreeRegressor(random_state=0).fit(X[train], Y[train])
            rule = LocalRule(factor, explained=1.0)
            pruned = prune(grown, X[train], Y[train], rule=rule)
            total += ((pruned.predict(X[test]) - Y[test]) ** 2).sum()
        errors.append(total / len(Y))
    np.testing.assert_allclose(model.cv_errors_, errors)
    assert model.factor_ == FACTORS[int(np.argmin(errors))]
    fixed = LocalRule(model.factor_, explained=1.0)
    assert same_state(PrunedTreeRegressor(rule=fixed, random_state=0).fit(X, Y), model)


def test_a_rule_that_may_explain_everything_is_never_replaced():
    """Two levels without noise: two leaves explain all of the squared errors."""
    model = PrunedTreeRegressor(rule=LocalRule(explained=1.0))
    model.fit(np.arange(20.0).reshape(-1, 1), np.repeat([0.0, 10.0], 10))
    assert model.get_n_leaves() == 2
    assert model.remark_ == ""


@pytest.mark.parametrize("carry", ["errors", "fractions"])
def test_cross_validated_prices_done_literally(carry):
    rows = np.random.default_rng(0).permutation(len(Y))[:120]
    data = X[rows], Y[rows]
    splits = list(KFold(3, shuffle=True, random_state=1).split(data[0]))
    model = CostComplexityPrunedTreeRegressor(cv=splits, carry=carry, **SMALL)
    model.fit(*data)
    errors = []
    for low, high in pairwise(np.append(model.prices_, np.inf)):
        price = 1e12 if high == np.inf else np.sqrt(low * high)
        by_fold = [errors_at(price, carry, data, *split) for split in splits]
        errors.append(sum(by_fold) / len(rows))
    assert model.cv_errors_ == pytest.approx(errors)
    assert model.price_ == model.prices_[len(errors) - 1 - np.argmin(errors[::-1])]


SMALL = {"max_leaf_nodes": 15, "random_state": 0}


def errors_at(price, carry, data, train, test):
    """The squared errors on a fold of the tree that a price leaves without it."""
    A, b = data
    grown = DecisionTreeRegressor(**SMALL).fit(A[train], b[train])
    share = len(train) / len(A) if carry == "fractions" else 1
    _, cut = minimal_cost_complexity(from_sklearn(grown), 0, price * share)
    predicted = collapse_sklearn(grown, cut).predict(A[test])
    return ((predicted - b[test]) ** 2).sum()


def test_the_path_is_that_of_scikit_learn():
    """A price for each leaf is ccp_alpha times the number of examples."""
    model = CostComplexityPrunedTreeRegressor(random_state=0).fit(X, Y)
    alphas = model.cost_complexity_pruning_path(X, Y).ccp_alphas
    ours = model.prices_[1:] / len(Y)
    is_theirs = np.isclose(ours[:, None], alphas, rtol=1e-6).any(axis=1)
    assert is_theirs.mean() > 0.95
    middle = np.sqrt(ours[-4] * ours[-3])
    theirs = DecisionTreeRegressor(random_state=0, ccp_alpha=middle).fit(X, Y)
    pruned = PrunedTreeRegressor(rule=middle * len(Y), random_state=0).fit(X, Y)
    assert theirs.get_n_leaves() == pruned.get_n_leaves()


def test_the_counted_rule_takes_over_where_little_is_left():
    t = np.linspace(0, 1, 300)[:, None]
    y = np.sin(9 * t[:, 0])
    model = PrunedTreeRegressor(factor=0.875, random_state=0).fit(t, y)
    counted = PrunedTreeRegressor(rule="counted", random_state=0).fit(t, y)
    assert "the counted price is taken, as chosen by 88 data sets" in model.remark_
    assert same_state(model, counted)
    assert (model.noise_, model.price_) == (counted.noise_, counted.price_)


def test_the_smallest_factor_is_remarked():
    """Without noise the variance of a small node is signal, and every price too
    high.
    """
    t = np.linspace(0, 1, 300)[:, None]
    smooth = PrunedTreeRegressor(random_state=0).fit(t, np.sin(9 * t[:, 0]))
    assert smooth.factor_ == smooth.factors_[-1]
    assert "the smallest factor that they compare" in smooth.remark_
    assert not hasattr(smooth, "noise_")
    noisy = PrunedTreeRegressor(random_state=0).fit(X, Y)
    assert (noisy.factor_ > noisy.factors_[-1], noisy.remark_) == (True, "")


def test_what_counted_learns():
    model = PrunedTreeRegressor(rule="counted", random_state=0).fit(X, Y)
    path = model.pruning_path_
    L = model.get_n_leaves()
    assert path.n_leaves[path.best] == L
    squares = ((model.predict(X) - Y) ** 2).sum()
    assert model.noise_ == pytest.approx(squares / (len(Y) - L))
    dearer = PrunedTreeRegressor(rule="counted", factor=4.0, random_state=0).fit(X, Y)
    assert dearer.factor_ == 4.0
    assert dearer.get_n_leaves() < L


@each
def test_weights_missing_values_and_sparse_rows(estimator):
    weights = np.random.default_rng(0).exponential(1.0, len(Y))
    model = clone(estimator).fit(X, Y, sample_weight=weights)
    again = clone(estimator).fit(X, Y, sample_weight=2.0**-600 * weights)
    assert same_splits(model, again)
    equal = clone(estimator).fit(X, Y, sample_weight=np.full(len(Y), 0.1))
    assert same_splits(equal, clone(estimator).fit(X, Y))

    gaps = X.copy()
    gaps[::5, 2] = np.nan
    assert np.isfinite(clone(estimator).fit(gaps, Y).predict(gaps)).all()
    sparse = clone(estimator).fit(csr_array(X), Y)
    np.testing.assert_allclose(sparse.predict(csr_array(X)), equal.predict(X))


def same_splits(first, second):
    return first.tree_.threshold.tolist() == second.tree_.threshold.tolist()


@each
def test_small_samples_and_constants(estimator):
    assert clone(estimator).fit(X, np.full(len(Y), 7.0)).get_n_leaves() == 1
    assert clone(estimator).fit(np.ones((20, 2)), Y[:20]).get_n_leaves() == 1
    for m in (2, 3, 5):
        assert clone(estimator).fit(X[:m], Y[:m]).get_n_leaves() <= m


@each
def test_one_row(estimator):
    if hasattr(clone(estimator).fit(X[:50], Y[:50]), "cv_errors_"):
        with pytest.raises(ValueError, match="n_samples = 1"):
            clone(estimator).fit(X[:1], Y[:1])
    else:
        model = clone(estimator).fit(X[:1], Y[:1])
        assert model.predict(X[:1]).tolist() == Y[:1].tolist()


@each
def test_bad_targets_name_the_function_to_call(estimator):
    words = np.where(Y > 100, "high", "low")
    with pytest.raises(ValueError, match="use a classifier such as BoundPrunedTreeCl"):
        clone(estimator).fit(X, words)
    with pytest.raises(ValueError, match=r"2 outputs: fit one tree .*MultiOutputRegr"):
        clone(estimator).fit(X, np.column_stack([Y, Y]))
    for bad, message in ((np.nan, "y contains NaN"), (np.inf, "y contains infinity")):
        with pytest.raises(ValueError, match=message):
            clone(estimator).fit(X, np.where(Y[3] == Y, bad, Y))
    with pytest.raises(ValueError, match="predicts medians"):
        clone(estimator).set_params(criterion="absolute_error").fit(X, Y)


@pytest.mark.parametrize(
    "estimator", [BoundPrunedTreeClassifier(), CostComplexityPrunedTreeClassifier()]
)
def test_a_classifier_names_the_regressor(estimator):
    with pytest.raises(ValueError, match="for numbers use PrunedTreeRegressor"):
        estimator.fit(X, Y + 0.5)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "bound"}, "rule must be one of .*'local', 'counted'"),
        ({"rule": "reduced-error"}, "needs held-out rows: use prune"),
        ({"rule": -1}, r"rule must be a number in \[0, inf\)"),
        ({"factor": "auto"}, "factor must be a number or 'folds'"),
        ({"factor": 0}, r"factor must be a number in \(0, inf\)"),
        ({"cv": 1}, "cv must be at least 2"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        PrunedTreeRegressor(**parameters).fit(X, Y)


def test_counts_may_be_grown_by_their_own_criterion():
    model = PrunedTreeRegressor(criterion="poisson", factor=0.875, random_state=0)
    grown = DecisionTreeRegressor(criterion="poisson", random_state=0).fit(X, Y)
    assert same_splits(model.fit(X, Y), prune(grown, X, Y))


def test_a_fold_with_all_the_weight_is_named():
    train = np.arange(300)
    test = np.arange(300, len(Y))
    weights = (np.arange(len(Y)) >= 300).astype(float)
    model = PrunedTreeRegressor(cv=[(train, test)], random_state=0)
    with pytest.raises(ValueError, match="sample_weight must not be zero for all exam"):
        model.fit(X, Y, sample_weight=weights)


def test_parameters_of_other_rules_are_ignored():
    by_price = PrunedTreeRegressor(rule=3e4, factor="nonsense", cv=-1, random_state=0)
    plain = PrunedTreeRegressor(rule=3e4, random_state=0).fit(X, Y)
    assert same_splits(by_price.fit(X, Y), plain)


def test_groups_stay_together():
    groups = np.arange(len(Y)) // 5
    splits = list(GroupKFold(3).split(X, Y, groups))
    for kind in (PrunedTreeRegressor, CostComplexityPrunedTreeRegressor):
        model = kind(cv=GroupKFold(3), random_state=0).fit(X, Y, groups=groups)
        with_splits = kind(cv=splits, random_state=0).fit(X, Y)
        assert model.cv_errors_.tolist() == with_splits.cv_errors_.tolist()
        with pytest.raises(ValueError, match="groups need a splitter that uses them"):
            kind().fit(X, Y, groups=groups)


@each
def test_what_people_do_with_scikit_learns_trees(estimator):
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    model = clone(estimator).fit(frame, Y)
    assert model.feature_names_in_.tolist() == list(frame)
    assert export_text(model, max_depth=99).count("value:") == model.get_n_leaves()
    pipeline = make_pipeline(StandardScaler(), clone(estimator)).fit(frame, Y)
    assert pipeline.score(frame, Y) > 0.2
    search = GridSearchCV(clone(estimator), {"max_depth": [1, 4]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"max_depth": 4}
    both = MultiOutputRegressor(clone(estimator)).fit(X, np.column_stack([Y, -Y]))
    assert both.predict(X).shape == (len(Y), 2)


def test_columns_with_few_values_make_the_counted_price_smaller():
    rng = np.random.default_rng(0)
    B = rng.integers(0, 2, (200, 4)).astype(float)
    y = 1.2 * B[:, 0] * B[:, 1] + rng.normal(size=200)
    real = PrunedTreeRegressor(rule="counted", random_state=0).fit(B, y)
    declared = (
        clone(real).set_params(feature_kinds=dict.fromkeys(range(4), 2)).fit(B, y)
    )
    assert declared.price_ < real.price_


@pytest.mark.parametrize("unit", [2.0**-30, 2.0**30])
@pytest.mark.filterwarnings("ignore:y has a standard deviation")
def test_the_pruning_by_folds_does_not_depend_on_the_unit_of_y(unit):
    model = CostComplexityPrunedTreeRegressor(max_leaf_nodes=40, random_state=0)
    plain = clone(model).fit(X, Y)
    scaled = clone(model).fit(X, unit * Y)

    np.testing.assert_allclose(scaled.prices_, unit**2 * plain.prices_)
    np.testing.assert_allclose(scaled.predict(X), unit * plain.predict(X))
