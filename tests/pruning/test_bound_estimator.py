"""The estimator is a scikit-learn classifier and prunes as the rule says; prune() changes only a copy."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree
from sklearn.utils.estimator_checks import parametrize_with_checks

from treebounds import BoundPrunedTreeClassifier, TreeStructure, prune
from treebounds.pruning import ShaweTaylorRule
from treebounds.trees import ArrayTree
from trees.test_scikit_learn import same_state

WINE = load_wine(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


@parametrize_with_checks([BoundPrunedTreeClassifier(), BoundPrunedTreeClassifier(growth="loose-corrected")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("growth", ["all-structures", "loose", "closed"])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_it_is_the_grown_tree_pruned_by_the_rule(load, growth):
    X, y = load(return_X_y=True)
    model = BoundPrunedTreeClassifier(growth=growth, error_prior_ratio=2**-6, random_state=0).fit(X, y)
    grown = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y)
    rule = ShaweTaylorRule(growth, 2**-6)
    tree = ArrayTree.from_sklearn(grown)
    path = rule.path(tree)
    pruned = tree.collapse(path.nodes())
    assert 1 < model.get_n_leaves() < grown.get_n_leaves()
    np.testing.assert_array_equal(model.predict(X), pruned.predict(X))
    assert model.risk_bound_ == path.bounds.min()
    assert model.risk_bound_ == pytest.approx(rule.bound(pruned, (model.predict(X) != y).sum(), len(y)))
    np.testing.assert_array_equal(model.pruning_path_.bounds, path.bounds)
    assert same_state(prune(grown, X, y, rule=rule), model)


def test_a_bound_above_one_is_not_sold_as_a_certificate():
    bound = BoundPrunedTreeClassifier(random_state=0).fit(*WINE).risk_bound_
    assert float(bound) > 1
    assert "promises nothing" in str(bound)


def test_no_limit_to_growing():
    model = BoundPrunedTreeClassifier(max_leaf_nodes=None, random_state=0).fit(*CANCER)
    grown = DecisionTreeClassifier(random_state=0).fit(*CANCER)
    assert model.pruning_path_.n_leaves[0] == grown.get_n_leaves()


@pytest.mark.parametrize("labels", [[10, 20, 30], ["a", "b", "c"], [-1.0, 0.0, 1.0], [b"x", b"y", b"z"]])
def test_labels_of_any_type(labels):
    X, y = WINE
    labels = np.array(labels)
    plain = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    model = BoundPrunedTreeClassifier(random_state=0).fit(X, labels[y])
    assert model.predict(X).dtype == labels.dtype
    np.testing.assert_array_equal(model.predict(X), labels[plain.predict(X)])
    assert model.risk_bound_ == plain.risk_bound_
    pruned = prune(DecisionTreeClassifier(random_state=0).fit(X, labels[y]), X, labels[y])
    assert set(pruned.predict(X)) <= set(labels)


def test_scikit_learns_tools_work():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    model = BoundPrunedTreeClassifier(error_prior_ratio=2**-5, random_state=0).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert export_text(model, feature_names=list(frame)).count("class:") == model.get_n_leaves()
    boxes = [text for text in plot_tree(model) if "samples" in text.get_text()]
    assert len(boxes) == model.tree_.node_count
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.predict_proba(frame), model.predict_proba(frame))
    assert TreeStructure.from_sklearn(back).n_leaves == model.get_n_leaves()
    assert model.cost_complexity_pruning_path(frame, y).ccp_alphas[0] == 0
    assert clone(model).get_params() == model.get_params()
    search = GridSearchCV(model, {"error_prior_ratio": [0.5, 2**-13.7]}, cv=3).fit(frame, y)
    assert isinstance(search.best_estimator_, BoundPrunedTreeClassifier)
    assert BaggingClassifier(model, n_estimators=3).fit(frame, y).score(frame, y) > 0.8


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
    assert weighted.risk_bound_ == pytest.approx(
        ShaweTaylorRule(error_prior_ratio=2**-6).bound(tree, wrong, m)
    )


def test_one_weight_for_all():
    X, y = CANCER
    twice = BoundPrunedTreeClassifier(random_state=0).fit(X, y, sample_weight=2.0)
    each = BoundPrunedTreeClassifier(random_state=0).fit(X, y, sample_weight=np.full(len(y), 2.0))
    assert float(twice.risk_bound_) == float(each.risk_bound_)


def test_class_weights_change_what_errors_cost():
    rng = np.random.default_rng(0)
    X = rng.random((600, 3))
    y = (rng.random(600) < 0.1 + 0.25 * (X[:, 0] > 0.5)).astype(int)
    arguments = {"error_prior_ratio": 0.5, "random_state": 0}
    plain = BoundPrunedTreeClassifier(**arguments).fit(X, y)
    balanced = BoundPrunedTreeClassifier(class_weight="balanced", **arguments).fit(X, y)
    scaled = BoundPrunedTreeClassifier(class_weight={0: 5.0, 1: 5.0}, **arguments).fit(X, y)
    assert plain.predict(X).sum() == 0
    assert balanced.predict(X).sum() > 200
    np.testing.assert_array_equal(scaled.pruning_path_.bounds, plain.pruning_path_.bounds)
    wrong = (balanced.predict(X) != y).sum()
    bound = ShaweTaylorRule(error_prior_ratio=0.5).bound(ArrayTree.from_sklearn(balanced), wrong, 600)
    assert balanced.risk_bound_ == pytest.approx(bound)


def test_missing_values_and_sparse_input():
    X, y = WINE[0].copy(), WINE[1]
    complete = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    sparse = BoundPrunedTreeClassifier(random_state=0).fit(csr_array(X), y)
    assert sparse.risk_bound_ == complete.risk_bound_
    X[::6, 3:8] = np.nan
    model = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    tree = ArrayTree.from_sklearn(model)
    wrong = (model.predict(X) != y).sum()
    assert model.risk_bound_ == pytest.approx(ShaweTaylorRule().bound(tree, wrong, len(y), 2 * X.shape[1]))
    fitted = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y)
    assert same_state(prune(fitted, X, y), model)


def test_small_samples():
    assert BoundPrunedTreeClassifier().fit([[1.0]], ["only"]).predict([[2.0]]) == ["only"]
    one_class = BoundPrunedTreeClassifier().fit([[1.0], [2.0]], [3, 3])
    assert one_class.get_n_leaves() == 1
    constant = BoundPrunedTreeClassifier().fit([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert constant.predict([[1.0]]) == [1]


def test_prune_with_any_rule():
    fitted = DecisionTreeClassifier(random_state=0).fit(*WINE)
    before = pickle.dumps(fitted)
    stump = prune(
        fitted, *WINE, rule=lambda tree, X, y: [node for node in range(tree.n_nodes) if tree.depth[node]]
    )
    assert stump.get_depth() == 1
    assert prune(fitted, *WINE).get_n_leaves() <= fitted.get_n_leaves()
    assert pickle.dumps(fitted) == before


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"bound": "magic"}, "bound must be one of"),
        ({"growth": "magic"}, "growth must be one of"),
        ({"delta": 2}, r"delta must be a number in \(0, 1\)"),
        ({"error_prior_ratio": 0}, r"error_prior_ratio must be a number in \(0, 1\)"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes"),
        ({"criterion": "magic"}, "criterion"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        BoundPrunedTreeClassifier(**parameters).fit(*WINE)


def test_bad_samples():
    X, y = WINE
    model, fitted = BoundPrunedTreeClassifier(), DecisionTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        model.fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="1d array"):
        model.fit(X, np.column_stack([y, y]))
    with pytest.warns(DataConversionWarning):
        model.fit(X, y[:, None])
    with pytest.raises(ValueError, match="is not fitted yet"):
        prune(DecisionTreeClassifier(), X, y)
    with pytest.raises(ValueError, match="y has the label 7"):
        prune(fitted, X, np.where(y == 2, 7, y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        prune(fitted, X, y[:-1])
    with pytest.raises(ValueError, match="expecting 13 features"):
        prune(fitted, X[:, :3], y)
    with pytest.raises(ValueError, match="rule must be one of 'shawe-taylor'"):
        prune(fitted, X, y, rule="magic")
    with pytest.raises(ValueError, match="rule must be a name or a function"):
        prune(fitted, X, y, rule=3)
