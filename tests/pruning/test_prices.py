"""The local and the counted price, against all prunings and by laws."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMRegressor
from scipy.sparse import csr_array
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from xgboost import XGBRegressor

from oracles import local_price as oracle
from treebounds import FeatureKinds, prune
from treebounds.formats import (
    from_json,
    from_lightgbm,
    from_sklearn,
    from_xgboost,
    to_json,
)
from treebounds.pruning import CountedRule, LocalRule, local_price
from treebounds.pruning.cuts import (
    cuts_at_nodes,
    cuts_of_columns,
    least_and_most_cuts,
    n_different,
)
from treebounds.pruning.local_price import leave_one_out_costs, on_rows
from treebounds.trees import count_statistics

DIABETES = load_diabetes(return_X_y=True)


def sample(seed, m=24, l=3, noise=1.0):
    """Few rows with ties, steps and noise."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 4, (m, l - 1)), rng.random(m)])
    return X, 3.0 * (X[:, 0] > 1) + noise * rng.normal(size=m)


def grown(seed, leaves=8, **options):
    X, y = sample(seed, **options)
    model = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    return model, from_sklearn(model), X, y


def leaves_of(tree, cut):
    remaining, pruned = tree.kept_and_collapsed(cut)
    return frozenset(remaining[pruned.is_leaf].tolist())


@pytest.mark.parametrize("seed", range(12))
def test_leave_one_out_errors_are_those_without_the_example(seed):
    _, tree, X, y = grown(seed, leaves=15)
    costs = leave_one_out_costs(tree, tree.target_sums)
    np.testing.assert_allclose(costs, oracle.leave_one_out(tree, X, y), atol=1e-9)


@pytest.mark.parametrize("factor", [0.25, 0.875, 2.0])
@pytest.mark.parametrize("seed", range(10))
def test_the_local_price_is_the_best_of_all_prunings(seed, factor):
    _, tree, X, y = grown(seed)
    rule = LocalRule(factor, n_cuts=cuts_of_columns(X).tolist())
    totals = oracle.best_by_local_price(tree, X, y, factor)
    cut, _ = rule.cut_and_share(tree, tree.target_sums)
    chosen = leaves_of(tree, cut)
    assert totals[chosen] == pytest.approx(min(totals.values()), rel=1e-9)


@pytest.mark.parametrize("n_values", [1, 7, 5000, 10**9])
@pytest.mark.parametrize("m", [0, 1, 4096, 4097, 50_000])
def test_different_values_are_counted_as_by_sorting(m, n_values):
    rng = np.random.default_rng(m)
    values = rng.integers(0, n_values, m).astype(np.float32) - np.float32(3)
    values[::2] *= -1  # A minus zero, too.
    assert n_different(values) == len(np.unique(values))


def large_sample(kind, m=40_000):
    """Many rows, whose columns have no ties, many ties, or both and missing values."""
    rng = np.random.default_rng(0)
    X = rng.random((m, 4)).astype(np.float32)
    if kind != "real":
        X[:, 1:] = np.floor(X[:, 1:] * [3, 900, 15_000])
    if kind == "missing":
        X[rng.random(X.shape) < 0.1] = np.nan
    y = 3.0 * (np.nan_to_num(X[:, 0]) > 0.4) + rng.normal(size=m)
    return csr_array(X) if kind == "sparse" else X, y


def check_like_counted_cuts(X, y):
    """Prunings of a tree with the rows, and with the cuts that all of them allow."""
    grown = DecisionTreeRegressor(max_leaf_nodes=3000, random_state=0).fit(X, y)
    tree = from_sklearn(grown)
    n_cuts = cuts_of_columns(X).tolist()
    for factor in (0.1, 0.3, 0.875):
        of_rows = on_rows(LocalRule(factor), X)
        nodes, share = of_rows.cut_and_share(tree, tree.target_sums)
        exact = LocalRule(factor, n_cuts=n_cuts)
        expected, expected_share = exact.cut_and_share(tree, tree.target_sums)
        assert np.array_equal(nodes, expected)
        assert share == expected_share


@pytest.mark.parametrize("kind", ["real", "ties", "missing", "sparse"])
def test_bounds_of_the_cuts_prune_as_the_counted_cuts_do(kind):
    X, y = large_sample(kind)
    least, most = least_and_most_cuts(X)
    n_cuts = cuts_of_columns(X)
    assert (least <= n_cuts).all()
    assert (n_cuts <= most).all()
    check_like_counted_cuts(X, y)


def test_cuts_are_counted_where_their_bounds_disagree(monkeypatch):
    far_apart = np.zeros(4), np.full(4, np.inf)
    monkeypatch.setattr(local_price, "least_and_most_cuts", lambda X: far_apart)
    check_like_counted_cuts(*large_sample("ties"))


@pytest.mark.parametrize("factor", [0.7, 1.0, 2.0])
@pytest.mark.parametrize("seed", range(10))
def test_the_counted_price_is_the_best_of_all_prunings(seed, factor):
    _, tree, X, y = grown(seed)
    path = CountedRule(factor).path(tree)
    totals = oracle.counted_criteria(tree, X, y, factor, path.noise)
    chosen = leaves_of(tree, path.nodes())
    assert totals[chosen] == pytest.approx(min(totals.values()), rel=1e-9)
    assert path.criteria.min() == pytest.approx(min(totals.values()), rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_noise_falls_to_a_fixed_point(seed):
    _, tree, X, y = grown(seed, leaves=60, m=200, noise=0.5)
    path = CountedRule().path(tree)
    assert path.noises[0] == pytest.approx(y.var(ddof=1))
    assert (np.diff(path.noises) < 0).all()
    L = path.n_leaves[path.best]
    assert path.squared_errors[path.best] / (200 - L) == pytest.approx(path.noise)
    further = (
        2
        * path.noise
        * (oracle.log_partitions(L + 1, *X.shape) - oracle.log_partitions(L, *X.shape))
    )
    assert path.price == pytest.approx(further)


def test_a_step_is_found_and_noise_is_not():
    rng = np.random.default_rng(0)
    X = rng.random((400, 5))
    noise = rng.normal(size=400)
    step = 4.0 * (X[:, 2] > 0.5) + noise
    for rule in ("local", "counted"):
        of_noise = prune(
            DecisionTreeRegressor(random_state=0).fit(X, noise), X, noise, rule=rule
        )
        of_step = prune(
            DecisionTreeRegressor(random_state=0).fit(X, step), X, step, rule=rule
        )
        assert (of_noise.get_n_leaves(), of_step.get_n_leaves()) == (1, 2)


def test_where_little_is_left_the_counted_price_prunes():
    X = np.linspace(0, 1, 300)[:, None]
    y = np.sin(9 * X[:, 0])
    model = DecisionTreeRegressor(random_state=0).fit(X, y)
    tree = from_sklearn(model)
    rule = LocalRule(n_cuts=[299])
    local, share = rule.cut_and_share(tree, tree.target_sums)
    left = ((tree.collapse(local).predict(X) - y) ** 2).sum()
    assert share == pytest.approx(1 - left / ((y - y.mean()) ** 2).sum())
    assert share > 0.9
    counted = CountedRule().nodes(tree, tree.target_sums)
    assert rule.nodes(tree, tree.target_sums).tolist() == counted.tolist()
    never = LocalRule(n_cuts=[299], explained=1.0)
    assert never.nodes(tree, tree.target_sums).tolist() == local.tolist()


def test_several_factors_at_once_and_a_chain():
    _, tree, *_ = grown(3, leaves=60, m=200)
    squares = tree.leaf_costs
    rule = LocalRule()
    cuts, sums = rule.priced(tree, tree.target_sums, [0.3, 1.0, 3.0], squares)
    for factor, cut, total in zip([0.3, 1.0, 3.0], cuts.T, sums, strict=True):
        alone, _ = LocalRule(factor).cut_and_share(tree, tree.target_sums)
        assert np.flatnonzero(cut).tolist() == alone.tolist()
        pruned = tree.collapse(cut)
        assert total == pytest.approx(pruned.leaf_costs[pruned.is_leaf].sum())


def test_cuts_of_columns():
    X = np.array([[1, 0, 5, np.nan], [1, 2, 5, np.nan], [2, 0, 5, 1], [3, 3, 5, 2]])
    assert cuts_of_columns(X[:, :3]).tolist() == [2, 2, 0]
    assert cuts_of_columns(csr_array(X[:, :3])).tolist() == [2, 2, 0]
    # One threshold, with missing values on either side, and missing or not.
    assert cuts_of_columns(X)[3] == 3
    assert cuts_of_columns(np.full((3, 1), np.nan)).tolist() == [0]


@pytest.mark.parametrize("seed", range(5))
def test_cuts_at_nodes_are_sums_of_minimums(seed):
    rng = np.random.default_rng(seed)
    columns = np.append(rng.integers(0, 50, 7), np.inf)
    most = rng.integers(1, 60, 9).astype(float)
    expected = [sum(min(u, n) for u in columns) for n in most]
    assert cuts_at_nodes(columns, most).tolist() == expected


@pytest.mark.parametrize("rule", [None, "local", "counted", 4.0])
def test_regression_trees_of_every_kind_are_pruned_alike(rule):
    X, y = DIABETES
    fitted = DecisionTreeRegressor(random_state=0).fit(X, y)
    arrays = from_sklearn(fitted)
    expected = prune(fitted, X, y, rule=rule)
    assert type(expected) is DecisionTreeRegressor
    assert 1 < expected.get_n_leaves() < fitted.get_n_leaves()
    expected_arrays = from_sklearn(expected)
    again = prune(arrays, X, y, rule=rule)
    assert again.children_left.tolist() == expected_arrays.children_left.tolist()
    np.testing.assert_allclose(again.predict(X), expected.predict(X))
    from_text = prune(from_json(to_json(arrays)), X, y, rule=rule)
    assert from_text.n_leaves == again.n_leaves


@pytest.mark.parametrize(
    ("model", "read"),
    [
        (LGBMRegressor(n_estimators=1, num_leaves=60, verbose=-1), from_lightgbm),
        (XGBRegressor(n_estimators=1, max_depth=8), from_xgboost),
    ],
    ids=["LightGBM", "XGBoost"],
)
def test_trees_of_other_libraries_are_pruned_by_the_means_of_y(model, read):
    X, y = DIABETES
    tree = read(model.fit(X, y), X, y)
    for rule in (None, "counted"):
        pruned = prune(tree, X, y, rule=rule)
        assert 1 < pruned.n_leaves < tree.n_leaves
        leaf = pruned.apply(X[:1])[0]
        assert pruned.predict(X[:1]) == pytest.approx(y[pruned.apply(X) == leaf].mean())


@pytest.mark.parametrize("rule", ["counted", 4.0])
def test_the_statistics_in_the_tree_are_enough(rule):
    X, y = DIABETES
    fitted = DecisionTreeRegressor(random_state=0).fit(X, y)
    expected = prune(fitted, X, y, rule=rule).get_n_leaves()
    assert prune(fitted, rule=rule).get_n_leaves() == expected
    arrays = from_sklearn(fitted)
    batches = [(X[::2], y[::2]), (X[1::2], y[1::2])]
    counted = arrays.with_statistics(count_statistics(arrays, batches))
    assert prune(counted, rule=rule).n_leaves == expected


def test_without_rows_each_column_offers_a_cut_between_all_examples():
    X, y = DIABETES
    fitted = DecisionTreeRegressor(random_state=0).fit(X, y)
    real = FeatureKinds(real=X.shape[1])
    assert (
        prune(fitted).get_n_leaves()
        == prune(fitted, X, y, feature_kinds=real).get_n_leaves()
        <= prune(fitted, X, y).get_n_leaves()
    )


def test_declared_kinds_make_cuts_cheaper():
    X, y = sample(0, m=300, noise=2.5)
    fitted = DecisionTreeRegressor(random_state=0).fit(X, y)
    few = FeatureKinds(binary=3)
    for rule in ("local", "counted"):
        larger = prune(fitted, rule=rule, feature_kinds=few)
        assert larger.get_n_leaves() > prune(fitted, rule=rule).get_n_leaves()


@pytest.fixture(scope="module")
def by_colour():
    """A tree whose splits are sets of five categories."""
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 5, 200)
    y = 3.0 * np.isin(colour, [1, 4]) + rng.normal(size=200)
    frame = pd.DataFrame({"colour": pd.Categorical(colour)})
    options = {"min_data_per_group": 1, "cat_smooth": 0, "min_child_samples": 1}
    model = LGBMRegressor(n_estimators=1, verbose=-1, **options).fit(frame, y)
    return from_lightgbm(model, frame, y)


def test_sets_of_categories_have_to_be_declared(by_colour):
    with pytest.raises(ValueError, match=r"must be treebounds\.FeatureKinds\(real"):
        prune(by_colour)
    kinds = FeatureKinds(nominal_subsets=[5])
    assert prune(by_colour, feature_kinds=kinds).n_leaves == 2


@pytest.mark.parametrize("factor", [0.3, 3.0, 60.0])
def test_a_root_offers_all_sets_of_its_categories(by_colour, factor):
    rule = LocalRule(n_cuts=[], n_unordered_cuts=[2.0**4 - 1])
    sums = by_colour.target_sums
    cuts, _ = rule.priced(by_colour, sums, [factor], by_colour.leaf_costs)
    n = sums[0, 0]
    price = 2 * factor * np.log(16) * by_colour.leaf_costs[0] / (n - 1)
    alone = leave_one_out_costs(by_colour, sums)
    if factor == 60.0:
        assert cuts[0, 0]
    elif factor == 0.3:
        assert not cuts[0, 0]
    assert cuts[0, 0] or price < alone[0]


@pytest.mark.parametrize("rule", ["local", "counted", 4.0])
def test_equal_weights_and_shifts_change_nothing(rule):
    X, y = DIABETES
    fitted = DecisionTreeRegressor(random_state=0).fit(X, y)
    expected = prune(fitted, X, y, rule=rule).get_n_leaves()
    weighted = prune(fitted, X, y, rule=rule, sample_weight=np.full(len(y), 0.1))
    assert weighted.get_n_leaves() == expected
    shifted = DecisionTreeRegressor(random_state=0).fit(X, y + 2.0**20)
    assert prune(shifted, X, y + 2.0**20, rule=rule).get_n_leaves() == expected


def test_weights_count_for_their_effective_sample_size():
    X, y = DIABETES
    weights = np.random.default_rng(0).exponential(1.0, len(y))
    fitted = DecisionTreeRegressor(random_state=0).fit(X, y, sample_weight=weights)
    tree = from_sklearn(fitted)
    scale = weights.sum() / (weights**2).sum()
    rule = CountedRule(n_examples=len(y))
    expected = tree.collapse(rule.nodes(tree, tree.target_sums * scale)).n_leaves
    pruned = prune(fitted, X, y, rule="counted", sample_weight=weights)
    assert pruned.get_n_leaves() == expected
    with pytest.raises(ValueError, match="the counts of the tree are weights"):
        prune(fitted)
    with pytest.raises(ValueError, match="sample_weight must be given"):
        prune(fitted, X, y)


def test_reduced_error_counts_squared_errors_of_what_the_tree_predicts():
    X, y = DIABETES
    fitted = DecisionTreeRegressor(random_state=0).fit(X[::2], y[::2])
    pruned = prune(fitted, X[1::2], y[1::2], rule="reduced-error")
    errors = ((pruned.predict(X[1::2]) - y[1::2]) ** 2).sum()
    for node in np.flatnonzero(pruned.tree_.children_left >= 0)[:20]:
        smaller = from_sklearn(pruned).collapse([node])
        assert ((smaller.predict(X[1::2]) - y[1::2]) ** 2).sum() >= errors
    with pytest.raises(ValueError, match="needs examples that the tree was not grown"):
        prune(fitted, X[::2], y[::2], rule="reduced-error")


@pytest.mark.filterwarnings("error")
def test_nodes_that_no_held_out_example_reaches_give_no_warning():
    X, y = DIABETES
    fitted = DecisionTreeRegressor(random_state=0).fit(X[:400], y[:400])
    n_reached = np.unique(fitted.apply(X[400:])).size
    assert n_reached < fitted.get_n_leaves()
    pruned = prune(fitted, X[400:], y[400:], rule="reduced-error")
    assert pruned.get_n_leaves() <= n_reached


def test_a_function_sees_mean_and_variance():
    X, y = DIABETES
    fitted = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    nodes = []
    prune(fitted, X, y, rule=lambda node: bool(nodes.append(node)))
    assert (nodes[0].mean, nodes[0].variance) == pytest.approx((y.mean(), y.var()))
    assert nodes[0].class_counts is None
    tree = fitted.tree_
    inner = tree.children_left >= 0
    assert [node.mean for node in nodes] == pytest.approx(tree.value[inner, 0, 0])


def test_a_function_sees_neither_mean_nor_variance_where_no_example_is():
    X, y = DIABETES
    fitted = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    nodes = []
    prune(fitted, X[:1], y[:1], rule=lambda node: bool(nodes.append(node)))
    unreached = [node for node in nodes if node.n_examples == 0]
    assert len(unreached) == 4
    assert np.isnan([[node.mean, node.variance] for node in unreached]).all()


def test_rules_for_the_other_kind_of_tree_are_named():
    X, y = DIABETES
    numbers = DecisionTreeRegressor(max_depth=2).fit(X, y)
    classes = DecisionTreeClassifier(max_depth=2).fit(X, y > 100)
    for rule in ("bound", "noise", "pessimistic"):
        with pytest.raises(ValueError, match="'local', 'counted', a number or a funct"):
            prune(numbers, X, y, rule=rule)
    for rule in ("local", "counted", LocalRule()):
        with pytest.raises(ValueError, match="for a tree that predicts classes; got"):
            prune(classes, X, y > 100, rule=rule)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.nan, "Input y contains NaN"),
        (np.inf, "Input y contains infinity"),
        (1e200, "squares overflow"),
        ("high", "y must hold numbers; for classes use a classifier"),
    ],
)
def test_numbers_that_cannot_be_counted(bad, message):
    X, y = DIABETES
    fitted = DecisionTreeRegressor(max_depth=2).fit(X, y)
    wrong = y.astype(object)
    wrong[3] = bad
    with pytest.raises(ValueError, match=message):
        prune(fitted, X, wrong)
    with pytest.raises(ValueError, match="y must be one number for each row; got 2"):
        prune(fitted, X, np.column_stack([y, y]))


def test_medians_are_refused_and_other_criteria_are_pruned_by_squares():
    X, y = DIABETES
    medians = DecisionTreeRegressor(criterion="absolute_error", max_depth=4).fit(X, y)
    with pytest.raises(ValueError, match="it predicts medians"):
        prune(medians, X, y)
    counts = DecisionTreeRegressor(criterion="poisson", random_state=0).fit(X, y)
    assert prune(counts, X, y).get_n_leaves() < counts.get_n_leaves()
    with pytest.raises(ValueError, match="X and y must be given"):
        prune(counts)
