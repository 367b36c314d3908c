"""CertifiedTreeClassifier: what it certifies, what it chooses from, and what it
refuses.
"""

import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, export_text

from oracles.certificates import prunings
from reproduction import DistilledTreeClassifier
from treebounds import (
    CertifiedClassifier,
    CertifiedTreeClassifier,
    CostComplexityPrunedTreeClassifier,
)
from treebounds.estimators.certified_tree import PrunedLearner
from treebounds.exceptions import SelectionWarning
from treebounds.formats import from_sklearn
from treebounds.risk import (
    binomial_tail_inversion,
    certify_by_growth,
    certify_by_message,
)
from treebounds.risk._features import check_levels_are_known
from treebounds.risk.compression import compress_tree, message_candidates
from treebounds.risk.growth_bounds import growth_bound, growth_candidates

METHODS = ("halves", "message", "occam", "growth")
LOADERS = {"breast cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}
SMALL = DecisionTreeClassifier(max_leaf_nodes=3)
HALVES = {"halves": {"learners": ("pruned", SMALL), "n_halvings": 2}}


def quick(method, **parameters):
    """The estimator without the forests of its default learners."""
    return CertifiedTreeClassifier(
        **{"method": method, "random_state": 0} | HALVES.get(method, {}) | parameters
    )


class Contrarian(DecisionTreeClassifier):
    def predict(self, X, check_input=True):
        return 1 - super().predict(X)


def grown(loader, leaves=9):
    X, y = loader(return_X_y=True)
    X = X.astype(np.float32)
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    return from_sklearn(tree), X, y


def every_pruning(tree):
    for leaves, _ in prunings(tree):
        yield tree.collapse(
            np.array([leaf for leaf in leaves if not tree.is_leaf[leaf]], dtype=int)
        )


@pytest.mark.parametrize("loader", LOADERS.values(), ids=LOADERS)
def test_the_best_of_all_prunings_lies_on_the_path(loader):
    tree, X, y = grown(loader)
    m, l = X.shape
    every = [
        growth_bound(
            pruned.n_leaves,
            m,
            int((pruned.predict(X) != y).sum()),
            tree.n_classes,
            l,
            0.2,
        )
        for pruned in every_pruning(tree)
    ]
    assert growth_candidates(tree, m, l, 0.2)[1].min() == pytest.approx(min(every))


@pytest.mark.parametrize("loader", LOADERS.values(), ids=LOADERS)
def test_the_path_almost_finds_the_shortest_message(loader):
    tree, X, y = grown(loader)
    every = [
        compress_tree(message, X, y, tree.n_classes, 0.2).value
        for message in every_pruning(tree)
    ]
    messages = message_candidates(tree, X, y, 0.2)
    for message in messages:
        assert (
            message.value
            == compress_tree(message.tree, X, y, tree.n_classes, 0.2).value
        )
    best = min(message.value for message in messages)
    assert min(every) <= best <= min(every) + 0.01


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loader", LOADERS.values(), ids=LOADERS)
def test_the_certificate_is_about_the_tree_that_predicts(loader, method):
    X, y = loader(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    model = quick(method, delta=0.2).fit(X, names)
    certificate = model.certificate_
    assert (certificate.method, certificate.delta) == (method, 0.2)
    assert np.array_equal(certificate.estimator.predict(X), model.predict(X))
    assert (
        certificate.estimator.get_n_leaves()
        == model.get_n_leaves()
        == certificate.n_leaves
    )
    assert certificate.n_candidates == (8 if method == "halves" else 1)
    assert hasattr(model, "candidates_") == (method == "halves")
    assert np.array_equal(
        model.predict_proba(X).argmax(axis=1),
        np.searchsorted(model.classes_, model.predict(X)),
    )
    assert export_text(model)
    assert pickle.loads(pickle.dumps(model)).certificate_.value == certificate.value
    assert clone(model).fit(X, names).certificate_.value == certificate.value
    tight = quick(method, delta=1e-3).fit(X, names).certificate_.value
    assert tight > certificate.value


def test_halves_pay_for_all_candidates_and_never_refit():
    X, y = load_breast_cancer(return_X_y=True)
    model = quick("halves", n_halvings=3).fit(X, y)
    certificate = model.certificate_
    candidates = model.candidates_
    assert certificate.value == candidates.bound.min()
    best = candidates.best
    quoted = [
        column[best]
        for column in (candidates.learner, candidates.halving, candidates.n_errors)
    ]
    assert [certificate.learner, certificate.halving, certificate.n_errors] == quoted
    assert list(candidates.to_frame().columns)[:3] == ["learner", "halving", "side"]
    assert len(candidates.bound) == 12
    for k, n, bound in zip(
        candidates.n_errors, candidates.n_examples, candidates.bound, strict=True
    ):
        assert bound == binomial_tail_inversion(int(k), int(n), math.log(0.05 / 12))
    assert candidates.halving.tolist() == np.repeat([0, 1, 2], 4).tolist()
    assert candidates.side.tolist() == [0, 0, 1, 1] * 3
    assert model.tree_.n_node_samples[0] in (284, 285)


def test_a_certificate_of_five_examples_promises_nothing():
    X, y = (values[::30] for values in load_iris(return_X_y=True))
    model = quick("growth").fit(X, y)
    grown = from_sklearn(
        DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y)
    )
    bounds = growth_candidates(grown, 5, 4)[1]
    assert 1 < bounds.min() < bounds.max()  # chosen before they are clipped
    assert model.certificate_.value == 1.0
    assert "promises nothing" in str(model.certificate_)


@pytest.mark.parametrize("method", METHODS)
def test_classes_that_are_absent_from_a_half(method):
    X, y = load_breast_cancer(return_X_y=True)
    rare = np.where(np.arange(len(y)) == 7, 5, y)
    for seed in range(4):  # the tree that is quoted has met the class, or not
        model = quick(method, random_state=seed).fit(X, rare)
        assert (
            model.predict_proba(X).shape == (len(X), len(model.classes_)) == (len(X), 3)
        )
        assert model.certificate_.value < 1


@pytest.mark.parametrize("method", METHODS)
def test_tiny_samples_have_a_useless_certificate_or_a_clear_error(method):
    rng = np.random.default_rng(0)
    for m in range(2, 9):
        for y in (np.arange(m), np.zeros(m, dtype=int), np.arange(m) % 2):
            model = quick(method).fit(rng.normal(size=(m, 2)), y)
            assert 0 < model.certificate_.value <= 1
    with pytest.raises(ValueError, match="n_samples = 1"):
        quick("halves").fit([[1.0]], [0])


def test_groups_are_halved_as_a_whole():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(30), 5)
    X = rng.normal(size=(150, 3)) + rng.normal(size=(30, 3))[groups]
    y = (X[:, 0] > 0).astype(int)
    model = quick("halves").fit(X, y, groups=groups)
    assert model.certificate_.n_groups == 15
    assert "the 15 groups that judge it, this tree" in str(model.certificate_)
    assert "of the cases of a new group" in str(model.certificate_)
    assert set(model.candidates_.n_examples.tolist()) == {75}
    assert model.certificate_.assumptions[0].startswith("The groups are independent")
    assert model.certificate_.value > quick("halves").fit(X, y).certificate_.value
    with pytest.raises(ValueError, match="groups needs method='halves'"):
        quick("occam").fit(X, y, groups=groups)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"method": "pac-bayes"},
            "method must be one of 'halves', 'message', 'occam', 'growth'",
        ),
        ({"delta": 0}, "delta"),
        ({"n_halvings": 0}, "n_halvings"),
        ({"learners": ()}, "learners .* must be a list with"),
        ({"learners": "pruned"}, "learners must be a sequence; got 'pruned'"),
        ({"learners": ("boosted",)}, "learners must be one of 'pruned'"),
        ({"learners": (LogisticRegression(),)}, "CertifiedClassifier"),
        ({"learners": (Contrarian(),)}, "CertifiedClassifier"),
        (
            {"learners": (make_pipeline(DecisionTreeClassifier()),)},
            "CertifiedClassifier",
        ),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        CertifiedTreeClassifier(**parameters).fit(*load_iris(return_X_y=True))


def test_the_limit_of_leaves_binds_every_learner():
    X, y = load_iris(return_X_y=True)
    unlimited = DecisionTreeClassifier()
    learners = ("pruned", DistilledTreeClassifier(n_made=10_000), unlimited, SMALL)
    model = CertifiedTreeClassifier(
        learners=learners, n_halvings=1, max_leaf_nodes=5, random_state=0
    )
    model.fit(X, y)
    names = (
        "pruned",
        "DistilledTreeClassifier",
        "DecisionTreeClassifier",
        "DecisionTreeClassifier",
    )
    assert model.candidates_.learner == names * 2
    assert model.candidates_.n_leaves.reshape(2, 4).max(axis=0).tolist() == [5, 5, 5, 3]
    assert unlimited.max_leaf_nodes is None
    assert f"n_leaves={model.get_n_leaves()}" in repr(model.certificate_)
    # The distilled tree has a limit of its own, 300 leaves.
    free = model.set_params(max_leaf_nodes=None).fit(X, y).candidates_.n_leaves
    assert free.reshape(2, 4).max(axis=0)[1] > 40


@pytest.mark.parametrize("learners", [(), "boosted", 3, np.array(["pruned"] * 2)])
@pytest.mark.parametrize("method", ["message", "occam", "growth"])
def test_a_parameter_of_another_method_is_ignored_whatever_it_is(method, learners):
    X, y = load_iris(return_X_y=True)
    plain = quick(method).fit(X, y)
    model = quick(method, learners=learners, n_halvings=-3).fit(X, y)
    assert model.certificate_.value == plain.certificate_.value


@pytest.mark.parametrize("method", ["halves", "message", "occam"])
def test_feature_kinds_are_ignored_by_methods_that_count_no_splits(method):
    X, y = load_iris(return_X_y=True)
    model = quick(method, feature_kinds="nonsense").fit(X, y)
    assert model.certificate_.value == quick(method).fit(X, y).certificate_.value
    with pytest.raises(ValueError, match="feature_kinds must be"):
        quick("growth", feature_kinds="nonsense").fit(X, y)


def test_a_tree_with_as_many_leaves_as_allowed_is_remarked():
    X, y = load_wine(return_X_y=True)
    with pytest.warns(UserWarning, match="as many leaves as max_leaf_nodes = 2 allows"):
        quick("halves", max_leaf_nodes=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick("halves", learners=("pruned",), max_leaf_nodes=40).fit(X, y)
        quick("halves", learners=("pruned",)).fit(X, y)


@pytest.mark.parametrize(
    ("method", "certify"),
    [("message", certify_by_message), ("growth", certify_by_growth)],
)
def test_a_class_that_the_sample_lacks_is_paid_for(method, certify):
    X, y = load_iris(return_X_y=True)
    X = X[y < 2]
    y = y[y < 2]
    model = quick(method, n_classes=3).fit(X, y)
    tree = model.to_sklearn()
    assert model.certificate_.n_errors == certify(tree, X, y).n_errors
    assert model.certificate_.value == certify(tree, X, y, n_classes=3).value
    assert quick(method).fit(X, y).certificate_ < model.certificate_
    with pytest.raises(ValueError, match="n_classes must be an integer of at least 2"):
        quick(method, n_classes=1).fit(X, y)


def test_levels_that_are_the_values_of_the_sample_are_refused():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(400), "b": rng.integers(9, size=400)})
    y = (frame["a"] > 0.5).astype(int)
    few = frame.astype({"b": "category"})
    value = quick("growth", feature_kinds="from_dtype").fit(few, y).certificate_.value
    assert value < quick("growth").fit(frame, y).certificate_.value
    many = few.astype({"a": "category"})
    for kinds in ("from_dtype", {"a": 400}):
        with pytest.raises(ValueError, match="400 of 400 levels of column 0 occur onc"):
            quick("growth", feature_kinds=kinds).fit(many, y)


@pytest.mark.parametrize("n_levels", [2, 40, 400])
def test_levels_that_were_known_are_taken(n_levels):
    """Also in samples in which about 1/e of the levels occur once, the most there can
    be.
    """
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.integers(n_levels, size=(n_levels, 1)).astype(np.float32)
        check_levels_are_known(X, X, {0: n_levels})


def test_a_search_is_noticed():
    X, y = load_breast_cancer(return_X_y=True)
    search = GridSearchCV(quick("growth"), {"delta": [0.1, 0.2]}, cv=2)
    with pytest.warns(SelectionWarning, match=r"give the candidates to CertifiedClas"):
        search.fit(X, y)
    pipeline = make_pipeline(StandardScaler(), quick("growth"))
    grid = {"certifiedtreeclassifier__delta": [0.1, 0.2]}
    with pytest.warns(SelectionWarning):
        GridSearchCV(pipeline, grid, cv=2).fit(X, y)


def test_a_search_over_named_classifiers_is_noticed():
    X, y = load_breast_cancer(return_X_y=True)
    model = CertifiedClassifier([("small", SMALL)], n_halvings=1, random_state=0)
    search = GridSearchCV(model, {"small__max_depth": [1, 2]}, cv=2)
    with pytest.warns(SelectionWarning, match="CertifiedClassifier is one of several"):
        search.fit(X, y)


@pytest.mark.filterwarnings("error")
def test_what_is_no_search_is_not_taken_for_one():
    X, y = load_breast_cancer(return_X_y=True)
    assert len(cross_val_score(quick("growth"), X, y, cv=3)) == 3
    model = quick("growth")
    clone(model).set_params(delta=0.1).fit(X, y)
    model.set_params(delta=0.2).fit(X, y).set_params(delta=0.3).fit(X, y)
    for seed in range(3):
        clone(model).set_params(random_state=seed).fit(X, y)


def test_a_fitted_model_is_small():
    """It keeps neither its learner's teacher nor what was learned beside the tree."""
    X, y = load_breast_cancer(return_X_y=True)
    model = quick(
        "halves", learners=(DistilledTreeClassifier(n_made=10_000),), n_halvings=1
    ).fit(X, y)
    assert (
        len(pickle.dumps(model.certificate_))
        < 2 * len(pickle.dumps(model.to_sklearn())) + 2000
    )


def test_a_class_of_two_examples_is_enough_for_folds():
    X = np.repeat(np.arange(4.0), 2).reshape(-1, 2)
    folded = PrunedLearner(random_state=0).fit(X, [0, 0, 1, 1])
    halved = CostComplexityPrunedTreeClassifier(cv=2, random_state=0).fit(
        X, [0, 0, 1, 1]
    )
    assert folded.cv_errors_.tolist() == halved.cv_errors_.tolist()
    stumps = [PrunedLearner(random_state=0).fit(X, range(4)).tree_ for _ in range(9)]
    assert {(stump.n_leaves, stump.feature[0]) for stump in stumps} == {
        (2, stumps[0].feature[0])
    }


@pytest.fixture(scope="module")
def loans():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(600, 2))
    return X, np.where(rng.uniform(size=600) < 0.4 * X[:, 0], "default", "pays")


class TestCosts:
    """A bank: who does not pay costs ten times what a refusal does."""

    def test_the_mean_cost_is_certified(self, loans):
        X, y = loans
        model = CertifiedTreeClassifier(cost={"default": 10, "pays": 1}, random_state=0)
        certificate = model.fit(X, y).certificate_
        share_of_pays = (y == "pays").mean()
        assert certificate.largest_cost == 10
        assert share_of_pays < certificate.value < 10 * (1 - share_of_pays)
        assert "costs at most" in certificate.sentence

    def test_it_is_what_the_judging_half_costs(self, loans):
        """Each of 8 candidates has an eighth of delta."""
        X, y = loans
        model = CertifiedTreeClassifier(cost=[10, 1], random_state=0).fit(X, y)
        n_judged = model.certificate_.n_examples
        assert n_judged == 300
        assert model.candidates_.bound.min() == model.certificate_.value

    def test_trees_are_grown_with_the_cost_as_weights(self, loans):
        X, y = loans
        plain = CertifiedTreeClassifier(random_state=0).fit(X, y)
        costly = CertifiedTreeClassifier(cost=[10, 1], random_state=0).fit(X, y)
        n_plain = (plain.predict(X) == "default").sum()
        assert (costly.predict(X) == "default").sum() > n_plain

    def test_equal_costs_change_no_prediction(self, loans):
        X, y = loans
        plain = CertifiedTreeClassifier(random_state=0).fit(X, y)
        equal = CertifiedTreeClassifier(cost=[3, 3], random_state=0).fit(X, y)
        assert (plain.predict(X) == equal.predict(X)).all()
        expected = pytest.approx(3 * plain.certificate_.value)
        assert equal.certificate_.value == expected

    def test_the_table_by_leaf_is_about_costs(self, loans):
        X, y = loans
        model = CertifiedTreeClassifier(cost=[10, 1], random_state=0).fit(X, y)
        assert model.certificates_by_leaf_.whole.largest_cost == 10

    def test_any_classifier_is_judged_by_the_cost(self, loans):
        X, y = loans
        constants = [
            (label, DummyClassifier(strategy="constant", constant=label))
            for label in ("default", "pays")
        ]
        plain = CertifiedClassifier(constants, random_state=0).fit(X, y)
        costly = CertifiedClassifier(constants, cost=[10, 1], random_state=0).fit(X, y)
        assert plain.predict(X[:1]) == "pays"
        assert costly.predict(X[:1]) == "default"
        assert costly.certificate_.largest_cost == 10
        with pytest.raises(ValueError, match="cost must have a number for each"):
            CertifiedClassifier(constants, cost={"pays": 1}).fit(X, y)

    def test_costs_are_known_before_the_cases(self, loans):
        with pytest.raises(ValueError, match="or a number for each class; got"):
            CertifiedTreeClassifier(cost=np.ones(600)).fit(*loans)

    @pytest.mark.parametrize("method", ["message", "occam", "growth"])
    def test_the_other_theorems_are_about_errors(self, loans, method):
        with pytest.raises(ValueError, match="cost needs method='halves'"):
            CertifiedTreeClassifier(method=method, cost=[1, 2]).fit(*loans)

    @pytest.mark.parametrize("cost", [[1, -1], [1, 2, 3], {"pays": 1}, [0, 0]])
    def test_a_bad_cost_is_named(self, loans, cost):
        with pytest.raises(ValueError, match="cost"):
            CertifiedTreeClassifier(cost=cost).fit(*loans)
