"""The estimator is a scikit-learn classifier, prunes as its rule says, and quotes nothing untrue."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import DataConversionWarning
from sklearn.tree import DecisionTreeClassifier

import treebounds as tb
from reproduction.exact import (
    binary_vc_dimension_lower_bound,
    binary_vc_dimension_upper_bound,
    exact_vc_dimension,
)
from treebounds import BoundPrunedTreeClassifier, FeatureKinds, TreeStructure, prune
from treebounds.capacity.growth import FORMS
from treebounds.pruning import Bound, ErrorBasedRule, PriceRule, ShaweTaylorRule
from treebounds.pruning.bound_estimator import COUNTING_RULES
from treebounds.trees import ArrayTree
from trees.test_scikit_learn import same_state

WINE = load_wine(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
OLD = 2**-13.7


@pytest.mark.parametrize("capacity", ["all-structures", "loose", "closed"])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_it_is_the_grown_tree_pruned_by_the_rule(load, capacity):
    X, y = load(return_X_y=True)
    options = {"max_leaf_nodes": 40, "random_state": 0}
    model = BoundPrunedTreeClassifier(capacity=capacity, error_prior_ratio=2**-6, **options).fit(X, y)
    grown = DecisionTreeClassifier(**options).fit(X, y)
    rule = ShaweTaylorRule(capacity, 2**-6)
    tree = ArrayTree.from_sklearn(grown)
    path = rule.path(tree)
    pruned = tree.collapse(path.nodes())
    assert 1 < model.get_n_leaves() < grown.get_n_leaves()
    np.testing.assert_array_equal(model.predict(X), pruned.predict(X))
    assert model.bound_.value == path.bounds.min()
    assert float(model.bound_) == pytest.approx(rule.bound(pruned, (model.predict(X) != y).sum(), len(y)))
    np.testing.assert_array_equal(model.pruning_path_.bounds, path.bounds)
    assert same_state(prune(grown, X, y, rule=rule), model)
    assert same_state(model.to_sklearn(), model)


@pytest.mark.parametrize("rule", [*COUNTING_RULES, ErrorBasedRule(0.01)])
def test_the_other_rules_prune_as_their_functions_do(rule):
    X, y = CANCER
    model = BoundPrunedTreeClassifier(rule=rule, random_state=0).fit(X, y)
    grown = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert same_state(prune(grown, X, y, rule=rule), model)
    path, pruned = model.pruning_path_, ArrayTree.from_sklearn(model)
    assert path.n_leaves[0] == grown.get_n_leaves()
    assert path.n_leaves[path.best] == model.get_n_leaves()
    assert path.n_errors[path.best] == (model.predict(X) != y).sum()
    assert float(model.bound_) == ShaweTaylorRule().bound(pruned, path.n_errors[path.best], len(y))
    assert set(path.nodes()) <= set(range(ArrayTree.from_sklearn(grown).n_nodes))


@pytest.mark.parametrize("price", [0, 1.5, 4, "noise"])
def test_a_price_takes_the_place_of_a_rule(price):
    X, y = CANCER
    model = BoundPrunedTreeClassifier(price=price, rule="pessimistic", random_state=0).fit(X, y)
    grown = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert same_state(prune(grown, X, y, rule=price), model)
    assert same_state(prune(grown, X, y, rule=PriceRule(price)), model)
    errors, leaves = model.pruning_path_.n_errors, model.pruning_path_.n_leaves
    if price != "noise":
        totals = errors + price * leaves
        kept = model.pruning_path_.best
        assert leaves[kept] == model.get_n_leaves()
        assert totals[kept] == totals.min()
        assert leaves[kept] == leaves[totals == totals.min()].min()


def test_a_bound_says_what_it_is_worth():
    vacuous = BoundPrunedTreeClassifier(error_prior_ratio=OLD, random_state=0).fit(*WINE).bound_
    assert float(vacuous) > 1
    assert "promises nothing" in str(vacuous)
    assert "promises nothing" in str(Bound(1.0, "closed", 0.05, 100, 3.0))
    loose = BoundPrunedTreeClassifier(capacity="loose", random_state=0).fit(*CANCER).bound_
    assert "not a certificate" in str(loose)
    assert "With probability" not in str(loose)
    valid = BoundPrunedTreeClassifier(random_state=0, delta=0.2).fit(*CANCER).bound_
    assert "With probability 0.8 over samples of 569 independent examples" in str(valid)
    assert "provided that delta and error_prior_ratio were set before" in str(valid)
    assert f"at most {np.ceil(1000 * valid.value) / 10:.1f}%" in str(valid)
    X, y = CANCER[0].copy(), CANCER[1]
    zero = np.arange(len(y)) > 5
    left_out = BoundPrunedTreeClassifier(random_state=0).fit(X, y, sample_weight=zero).bound_
    assert "not a certificate: examples of weight 0" in str(left_out)
    X[::9, 1] = np.nan
    assert "not a certificate: which features can be missing" in str(
        BoundPrunedTreeClassifier(random_state=0).fit(X, y).bound_
    )


def test_a_bound_is_a_record():
    bound = Bound(0.5, "closed", 0.05, 100, 3.0)
    assert (float(bound), bound.value) == (0.5, 0.5)
    assert not isinstance(bound, float)
    with pytest.raises(AttributeError):
        bound.value = 0.1
    with pytest.raises(TypeError):
        bound + 1
    assert pickle.loads(pickle.dumps(bound)) == bound


def test_names_of_the_first_version_name_the_new_ones():
    with pytest.raises(
        TypeError, match=r'bound is no parameter since version 0\.2\.0: rule="shawe-taylor", or'
    ):
        BoundPrunedTreeClassifier(bound="description-length")
    with pytest.raises(TypeError, match=r"growth is no parameter since version 0\.2\.0: it is capacity"):
        BoundPrunedTreeClassifier(growth="loose")
    with pytest.raises(ValueError, match=r"method='pac-bayes' is method='occam' since version 0\.2\.0"):
        tb.certify(DecisionTreeClassifier().fit(*WINE), *WINE, method="pac-bayes")
    with pytest.raises(TypeError, match="unexpected keyword argument 'depth'"):
        BoundPrunedTreeClassifier(depth=3)
    with pytest.raises(TypeError, match="positional"):
        BoundPrunedTreeClassifier(40)
    with pytest.raises(AttributeError, match="risk_bound_ is bound_"):
        _ = BoundPrunedTreeClassifier().risk_bound_


def test_the_path_is_a_frame():
    model = BoundPrunedTreeClassifier(random_state=0).fit(*WINE)
    frame = model.pruning_path_.to_frame()
    assert list(frame) == ["n_leaves", "n_errors", "bound", "kept"]
    assert frame["n_leaves"][frame["kept"]].tolist() == [model.get_n_leaves()]


def test_no_limit_to_growing():
    model = BoundPrunedTreeClassifier(random_state=0).fit(*CANCER)
    grown = DecisionTreeClassifier(random_state=0).fit(*CANCER)
    assert model.pruning_path_.n_leaves[0] == grown.get_n_leaves()
    limited = BoundPrunedTreeClassifier(max_leaf_nodes=9, random_state=0).fit(*CANCER)
    assert limited.pruning_path_.n_leaves[0] == 9


@pytest.mark.parametrize("labels", [[10, 20, 30], ["a", "b", "c"], [-1.0, 0.0, 1.0], [b"x", b"y", b"z"]])
def test_labels_of_any_type(labels):
    X, y = WINE
    labels = np.array(labels)
    plain = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    model = BoundPrunedTreeClassifier(random_state=0).fit(X, labels[y])
    assert model.predict(X).dtype == labels.dtype
    np.testing.assert_array_equal(model.predict(X), labels[plain.predict(X)])
    assert model.bound_ == plain.bound_


def test_weights_are_multiplicities():
    X, y = CANCER
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    X_many, y_many = X.repeat(weights, axis=0), y.repeat(weights)
    arguments = {"error_prior_ratio": 2**-6, "random_state": 0}
    weighted = BoundPrunedTreeClassifier(**arguments).fit(X, y, sample_weight=weights)
    repeated = BoundPrunedTreeClassifier(**arguments).fit(X_many, y_many)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))
    np.testing.assert_allclose(weighted.pruning_path_.bounds, repeated.pruning_path_.bounds)
    wrong = (weighted.predict(X) != y)[weights > 0].sum()
    tree, m = ArrayTree.from_sklearn(weighted), (weights > 0).sum()
    rule = ShaweTaylorRule(error_prior_ratio=2**-6)
    assert float(weighted.bound_) == pytest.approx(rule.bound(tree, wrong, m))
    assert (weighted.bound_.n_examples, weighted.bound_.n_errors) == (m, wrong)


def test_one_weight_for_all():
    X, y = CANCER
    twice = BoundPrunedTreeClassifier(random_state=0).fit(X, y, sample_weight=2.0)
    each = BoundPrunedTreeClassifier(random_state=0).fit(X, y, sample_weight=np.full(len(y), 2.0))
    assert twice.bound_ == each.bound_


def test_class_weights_change_what_errors_cost():
    rng = np.random.default_rng(0)
    X = rng.random((600, 3))
    y = (rng.random(600) < 0.1 + 0.25 * (X[:, 0] > 0.5)).astype(int)
    arguments = {"error_prior_ratio": 0.5, "max_leaf_nodes": 40, "random_state": 0}
    plain = BoundPrunedTreeClassifier(**arguments).fit(X, y)
    balanced = BoundPrunedTreeClassifier(class_weight="balanced", **arguments).fit(X, y)
    scaled = BoundPrunedTreeClassifier(class_weight={0: 5.0, 1: 5.0}, **arguments).fit(X, y)
    assert plain.predict(X).sum() == 0
    assert balanced.predict(X).sum() > 200
    np.testing.assert_array_equal(scaled.pruning_path_.bounds, plain.pruning_path_.bounds)
    wrong = (balanced.predict(X) != y).sum()
    bound = ShaweTaylorRule(error_prior_ratio=0.5).bound(ArrayTree.from_sklearn(balanced), wrong, 600)
    assert float(balanced.bound_) == pytest.approx(bound)


def test_missing_values_and_sparse_input():
    X, y = WINE[0].copy(), WINE[1]
    complete = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    sparse = BoundPrunedTreeClassifier(random_state=0).fit(csr_array(X), y)
    assert sparse.bound_ == complete.bound_
    X[::6, 3:8] = np.nan
    model = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    tree = ArrayTree.from_sklearn(model)
    wrong = (model.predict(X) != y).sum()
    assert float(model.bound_) == pytest.approx(ShaweTaylorRule().bound(tree, wrong, len(y), 2 * X.shape[1]))
    assert same_state(prune(DecisionTreeClassifier(random_state=0).fit(X, y), X, y), model)


def coded(seed=0):
    """Two real columns and four of three levels, one of which matters."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random((300, 2)), rng.integers(0, 3, (300, 4))])
    return X, (X[:, 2] == 1) ^ (rng.random(300) < 0.1)


def test_categorical_features_make_leaves_cheaper():
    X, y = coded()
    kinds = FeatureKinds(real=2, ordinal=[3] * 4)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    declared = frame.astype(dict.fromkeys("cdef", pd.CategoricalDtype([0.0, 1.0, 2.0])))
    plain = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    found = [
        clone(plain).set_params(categorical_features=features).fit(rows, y)
        for rows, features in (
            (X, dict.fromkeys(range(2, 6), 3)),
            (frame, dict.fromkeys("cdef", 3)),
            (declared, "from_dtype"),
            (X, [2, 3, 4, 5]),
            (frame, list("cdef")),
            (X, [False] * 2 + [True] * 4),
        )
    ]
    for i, model in enumerate(found):
        tree = ArrayTree.from_sklearn(model)
        bound = ShaweTaylorRule().bound(tree, model.bound_.n_errors, 300, kinds)
        assert model.bound_.value == pytest.approx(bound)
        assert bound < ShaweTaylorRule().bound(tree, model.bound_.n_errors, 300)
        assert ("levels categorical features have was read off" in model.bound_.flaw) == (i > 2)
        np.testing.assert_array_equal(model.predict(X if i in (0, 3, 5) else frame), found[0].predict(X))
    promise = replace(found[0].bound_, value=0.2)
    assert "provided that delta, error_prior_ratio and the levels of categorical features" in str(promise)
    assert "levels" not in str(replace(plain.bound_, value=0.2))
    for features in ("from_dtype", [], None):  # an array has no dtypes of columns
        assert clone(plain).set_params(categorical_features=features).fit(X, y).bound_ == plain.bound_
    X[::7, 3] = np.nan  # a threshold counts twice, and missing or not is a split, too
    missing = found[0].fit(X, y)
    tree = ArrayTree.from_sklearn(missing)
    kinds = FeatureKinds(real=4, ordinal=[6] * 4)
    bound = ShaweTaylorRule().bound(tree, missing.bound_.n_errors, 300, kinds)
    assert missing.bound_.value == pytest.approx(bound)
    assert "not a certificate: which features can be missing" in str(missing.bound_)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("auto", "categorical_features, when a word, must be one of 'from_dtype'"),
        ([True, False], "categorical_features: a mask has one entry a column; got 2 for 6"),
        (["color"], "categorical_features: X has no column 'color'"),
        ([6], "categorical_features: X has the columns 0 to 5; got 6"),
        ([-1], "categorical_features must be an integer of at least 0"),
        ([0.5], "categorical_features must be an integer"),
        ({2: 0}, "categorical_features must be an integer of at least 1"),
        ({2: 2}, "X: column 2 has 3 values; categorical_features says 2 levels"),
        (7, "categorical_features must be"),
    ],
)
def test_categorical_features_that_do_not_fit(features, message):
    with pytest.raises(ValueError, match=message):
        BoundPrunedTreeClassifier(categorical_features=features).fit(*coded())
    with pytest.raises(ValueError, match="need a dense X"):
        BoundPrunedTreeClassifier(categorical_features={2: 3}).fit(csr_array(coded()[0]), coded()[1])


def test_small_samples():
    assert BoundPrunedTreeClassifier().fit([[1.0]], ["only"]).predict([[2.0]]) == ["only"]
    one_class = BoundPrunedTreeClassifier().fit([[1.0], [2.0]], [3, 3])
    assert one_class.get_n_leaves() == 1
    constant = BoundPrunedTreeClassifier().fit([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert constant.predict([[1.0]]) == [1]


@pytest.mark.parametrize("smoothing", [0.5, 2.0, 1e6])
def test_smoothing_moves_probabilities_and_no_prediction(smoothing):
    X, y = WINE
    rare = np.where(np.arange(len(y)) % 7 == 0, 2 - y, y)
    plain = BoundPrunedTreeClassifier(price=0, random_state=0).fit(X, rare)
    smooth = clone(plain).set_params(smoothing=smoothing).fit(X, rare)
    assert same_state(plain, smooth)
    np.testing.assert_array_equal(smooth.predict(X), plain.predict(X))
    p = smooth.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(smooth.classes_[p.argmax(axis=1)], smooth.predict(X))
    counts = ArrayTree.from_sklearn(smooth).class_counts[smooth.apply(X)]
    root = np.bincount(rare) / len(y)
    full = (counts + smoothing * root) / (counts.sum(axis=1, keepdims=True) + smoothing)
    whole = full.argmax(axis=1) == counts.argmax(axis=1)
    clear = whole & (np.sort(full)[:, -1] - np.sort(full)[:, -2] > 0.01)
    assert clear.any() or smoothing > 10
    np.testing.assert_allclose(p[clear], full[clear])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "magic"}, "rule, when no rule of treebounds.pruning, must be one of 'shawe-taylor'"),
        ({"rule": None}, "rule, when no rule"),
        ({"capacity": "magic"}, "capacity must be one of"),
        ({"delta": 2}, r"delta must be a number in \(0, 1\)"),
        ({"error_prior_ratio": 0}, r"error_prior_ratio must be a number in \(0, 1\)"),
        ({"price": -1}, r"price must be a number in \[0, inf\)"),
        ({"price": "cheap"}, "price must be a number"),
        ({"smoothing": -1}, "smoothing must be a number"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes"),
        ({"criterion": "magic"}, "criterion"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        BoundPrunedTreeClassifier(**parameters).fit(*WINE)


def test_bad_samples():
    X, y = WINE
    model = BoundPrunedTreeClassifier()
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        model.fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="sample_weight must not be zero everywhere"):
        model.fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="1d array"):
        model.fit(X, np.column_stack([y, y]))
    with pytest.warns(DataConversionWarning):
        model.fit(X, y[:, None])


SHAPE_FUNCTIONS = [
    lambda tree: tb.partitioning_function_bound(tree, 2, 20, 2),
    lambda tree: [tb.growth_function_bound(tree, 20, 2, form=form) for form in FORMS],
    lambda tree: [tb.log_growth_function_bound(tree, 20, 2, form=form) for form in FORMS],
    lambda tree: tb.growth_function_lower_bound(tree, 20, 2),
    lambda tree: tb.log_growth_function_lower_bound(tree, 20, 2),
    lambda tree: (tb.vc_dimension_lower_bound(tree, 4), binary_vc_dimension_lower_bound(tree, 2)),
    lambda tree: tb.vc_dimension_upper_bound(tree, 4),
    lambda tree: binary_vc_dimension_upper_bound(tree, 2),
    lambda tree: tb.shattered_sample(tree, 2).tolist(),
    lambda tree: tb.realizing_tree(tree, tb.shattered_sample(tree, 2), [0, 1, 1, 0, 1]).structure,
    lambda tree: exact_vc_dimension(tree, 2).value,
]


@pytest.mark.parametrize("function", SHAPE_FUNCTIONS)
def test_functions_of_structures_take_a_fitted_tree(function):
    data = load_iris(return_X_y=True)
    model = BoundPrunedTreeClassifier(random_state=0).fit(*data)
    assert function(model) == function(TreeStructure.from_nested([[None, None], None]))
    with pytest.raises(ValueError, match="structure"):
        function(clone(model))
