"""Pruning to minimize certificates: the path, the estimator, and what it refuses."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from oracles.certificates import prunings
from treebounds import BoundPrunedTreeClassifier, certify, prune
from treebounds.pruning.certified import CertificateRule
from treebounds.trees import ArrayTree

CERTIFICATES = ("description-length", "growth", "hypergeometric", "pac-bayes")
LOADERS = {"breast cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}


def grown(loader, leaves=9):
    X, y = loader(return_X_y=True)
    X = X.astype(np.float32)
    return (
        ArrayTree.from_sklearn(DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)),
        X,
        y,
    )


@pytest.mark.parametrize("bound", ["growth", "hypergeometric", "pac-bayes"])
@pytest.mark.parametrize("loader", LOADERS.values(), ids=LOADERS)
def test_the_best_of_all_prunings_lies_on_the_path(loader, bound):
    tree, X, y = grown(loader)
    rule = CertificateRule(bound)
    path = rule.path(tree, X, y)
    every = []
    for leaves, _ in prunings(tree):
        nodes = np.array([leaf for leaf in leaves if not tree.is_leaf[leaf]], dtype=int)
        wrong = int((tree.collapse(nodes).predict(X) != y).sum())
        every.append(rule._value(tree, nodes, wrong, X, y))
    assert path.bounds.min() == pytest.approx(min(every))


@pytest.mark.parametrize("loader", LOADERS.values(), ids=LOADERS)
def test_the_path_almost_finds_the_shortest_description(loader):
    tree, X, y = grown(loader)
    rule = CertificateRule("description-length")
    every = [
        rule._value(tree, np.array([leaf for leaf in leaves if not tree.is_leaf[leaf]], dtype=int), 0, X, y)
        for leaves, _ in prunings(tree)
    ]
    best = rule.path(tree, X, y).bounds.min()
    assert min(every) <= best <= min(every) + 0.01


@pytest.mark.parametrize("bound", CERTIFICATES)
@pytest.mark.parametrize("loader", LOADERS.values(), ids=LOADERS)
def test_the_estimator_certifies_the_tree_that_it_predicts_with(loader, bound):
    X, y = loader(return_X_y=True)
    model = BoundPrunedTreeClassifier(bound=bound, random_state=0).fit(X, y)
    assert (model.risk_bound_.method, model.risk_bound_.delta) == (bound, 0.05)
    assert model.risk_bound_.n_examples == (len(y) // 2 if bound == "pac-bayes" else len(y))
    assert model.risk_bound_ == model.pruning_path_.bounds.min()
    assert model.get_n_leaves() <= model.pruning_path_.n_leaves[0]
    assert isinstance(pickle.loads(pickle.dumps(model)).risk_bound_, type(model.risk_bound_))
    if bound != "pac-bayes":
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            certificate = certify(model, X, y, method=bound)
        assert certificate.estimator is model
        assert float(certificate) == pytest.approx(float(model.risk_bound_))


def test_pac_bayes_prunes_on_the_other_half():
    X, y = load_breast_cancer(return_X_y=True)
    model = BoundPrunedTreeClassifier(bound="pac-bayes", random_state=3).fit(X, y)
    assert model.tree_.n_node_samples[0] == len(y) - len(y) // 2
    again = clone(model).fit(X, y)
    assert again.risk_bound_ == model.risk_bound_
    # a class that only the other half has met is still a class
    rare = np.where(np.arange(len(y)) == 7, 5, y)
    for seed in range(4):
        fitted = BoundPrunedTreeClassifier(bound="pac-bayes", random_state=seed).fit(X, rare)
        assert fitted.classes_.tolist() == [0, 1, 5]


@pytest.mark.parametrize("bound", CERTIFICATES)
def test_prune_by_name(bound):
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=12, random_state=0).fit(X[:300], y[:300])
    half = slice(300, None) if bound == "pac-bayes" else slice(300)
    assert prune(tree, X[half], y[half], rule=bound).get_n_leaves() < tree.get_n_leaves() == 12


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"bound": "growth", "error_prior_ratio": 0.5},
            "error_prior_ratio is a parameter of bound='shawe-taylor'",
        ),
        ({"bound": "pac-bayes", "growth": "tight"}, "growth is no parameter of bound='pac-bayes'"),
        ({"bound": "hypergeometric", "growth": "huge"}, "growth must be one of"),
        ({"bound": "hypergeometric", "growth": "loose"}, "growth must be one of"),
        ({"bound": "growth", "delta": 1.0}, "delta"),
        ({"bound": "cross-validation"}, "bound must be one of"),
    ],
)
def test_parameters_that_would_be_ignored_are_refused(parameters, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        BoundPrunedTreeClassifier(**parameters).fit(X, y)


def test_pac_bayes_does_not_grow_on_what_it_prunes_with():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="class_weight='balanced' counts the classes of all examples"):
        BoundPrunedTreeClassifier(bound="pac-bayes", class_weight="balanced").fit(X, y)
    with pytest.raises(ValueError, match="needs two examples at least"):
        BoundPrunedTreeClassifier(bound="pac-bayes").fit([[1.0]], [0])


def test_weights_and_missing_values():
    X, y = load_iris(return_X_y=True)
    for bound in CERTIFICATES:
        model = BoundPrunedTreeClassifier(bound=bound, random_state=0)
        with pytest.raises(ValueError, match="sample_weight must be the same"):
            model.fit(X, y, sample_weight=np.arange(150) + 1.0)
        for refused in (np.zeros(150), -np.ones(150), np.full(150, np.nan), np.ones(3)):
            with pytest.raises(ValueError, match="sample_weight must be the same"):
                model.fit(X, y, sample_weight=refused)
        equal = model.fit(X, y, sample_weight=np.full(150, 2.0)).risk_bound_
        assert equal == clone(model).fit(X, y).risk_bound_
    missing = np.where(np.arange(600).reshape(150, 4) % 17 == 0, np.nan, X)
    with pytest.raises(ValueError, match="NaN"):
        BoundPrunedTreeClassifier(bound="description-length").fit(missing, y)
    dearer = BoundPrunedTreeClassifier(bound="hypergeometric", random_state=0).fit(missing, y)
    assert dearer.risk_bound_ > BoundPrunedTreeClassifier(bound="hypergeometric").fit(X, y).risk_bound_
