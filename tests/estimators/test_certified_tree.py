"""CertifiedTreeClassifier: what it certifies, what it chooses from, and what it
refuses.
"""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
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
    certify,
)
from treebounds.estimators._learners import PrunedLearner
from treebounds.exceptions import SelectionWarning
from treebounds.formats import from_sklearn
from treebounds.risk import (
    binomial_tail_inversion,
    certify_by_growth,
    certify_by_message,
    halving,
)
from treebounds.risk.compression import compress_tree, message_candidates
from treebounds.risk.feature_kinds import features_known_before
from treebounds.risk.growth_bounds import growth_bound, growth_candidates

METHODS = ("halves", "message", "occam", "growth")
LOADERS = {"breast cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}
SMALL = DecisionTreeClassifier(max_leaf_nodes=3)
HALVES = {"halves": {"learners": ("pruned", SMALL), "n_halvings": 2}}


def quick(method, **parameters):
    """The estimator; with "halves", two halvings and one more learner, a small tree."""
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


@pytest.fixture(scope="module", params=LOADERS)
def named_sample(request):
    """A sample whose labels are words."""
    X, y = LOADERS[request.param](return_X_y=True)
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="module", params=METHODS)
def certified(request, named_sample):
    """A certified tree, for each method and sample."""
    return quick(request.param, delta=0.2).fit(*named_sample)


def test_the_certificate_is_about_the_tree_that_predicts(certified, named_sample):
    X, _ = named_sample
    tree = certified.certificate_.estimator
    assert np.array_equal(tree.predict(X), certified.predict(X))


def test_the_certificate_counts_the_leaves_of_its_tree(certified):
    certificate = certified.certificate_
    n_leaves = certified.get_n_leaves()
    assert certificate.estimator.get_n_leaves() == certificate.n_leaves == n_leaves


def test_the_certificate_tells_how_it_was_made(certified):
    certificate = certified.certificate_
    assert (certificate.method, certificate.delta) == (certified.method, 0.2)


def test_only_halves_choose_among_candidates(certified):
    is_halved = certified.method == "halves"
    assert certified.certificate_.n_candidates == (8 if is_halved else 1)
    assert hasattr(certified, "candidates_") == is_halved


def test_probabilities_are_those_of_the_predictions(certified, named_sample):
    X, _ = named_sample
    most_probable = certified.predict_proba(X).argmax(axis=1)
    assert np.array_equal(certified.classes_[most_probable], certified.predict(X))


def test_a_certified_tree_is_exported_as_text(certified):
    assert export_text(certified).count("class: ") == certified.get_n_leaves()


def test_a_pickle_keeps_the_certificate(certified):
    copy = pickle.loads(pickle.dumps(certified))
    assert copy.certificate_.value == certified.certificate_.value


def test_a_clone_gets_the_same_certificate(certified, named_sample):
    again = clone(certified).fit(*named_sample)
    assert again.certificate_.value == certified.certificate_.value


def test_a_smaller_delta_is_paid_for(certified, named_sample):
    surer = quick(certified.method, delta=1e-3).fit(*named_sample)
    assert surer.certificate_.value > certified.certificate_.value


@pytest.fixture(scope="module")
def halved():
    """The best tree of three halvings, each with two learners."""
    return quick("halves", n_halvings=3).fit(*load_breast_cancer(return_X_y=True))


def test_halves_pay_for_all_candidates(halved):
    candidates = halved.candidates_
    counts = zip(candidates.n_errors, candidates.n_examples, strict=True)
    log_gamma = math.log(0.05 / 12)
    bounds = [binomial_tail_inversion(int(k), int(n), log_gamma) for k, n in counts]
    assert candidates.bound.tolist() == bounds


def test_the_certificate_is_that_of_the_best_candidate(halved):
    certificate = halved.certificate_
    candidates = halved.candidates_
    best = candidates.best
    assert certificate.value == candidates.bound[best] == candidates.bound.min()
    assert certificate.learner == candidates.learner[best]
    assert certificate.halving == candidates.halving[best]
    assert certificate.n_errors == candidates.n_errors[best]


def test_each_learner_is_a_candidate_on_both_sides_of_each_halving(halved):
    candidates = halved.candidates_
    assert candidates.halving.tolist() == np.repeat([0, 1, 2], 4).tolist()
    assert candidates.side.tolist() == [0, 0, 1, 1] * 3


def test_a_table_of_candidates_begins_with_what_they_are(halved):
    columns = halved.candidates_.to_frame().columns
    assert list(columns)[:3] == ["learner", "halving", "side"]


def test_the_tree_is_that_of_a_half(halved):
    assert halved.tree_.n_node_samples[0] in (284, 285)


def test_a_certificate_of_five_examples_promises_nothing():
    X, y = load_iris(return_X_y=True)
    X = X[::30]
    y = y[::30]
    model = quick("growth").fit(X, y)
    grown = from_sklearn(
        DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y)
    )
    bounds = growth_candidates(grown, 5, 4)[1]
    # The choice is made before they are clipped.
    assert 1 < bounds.min() < bounds.max()
    assert model.certificate_.value == 1.0
    assert "promises nothing" in str(model.certificate_)


@pytest.mark.parametrize("method", METHODS)
def test_classes_that_are_absent_from_a_half(method):
    X, y = load_breast_cancer(return_X_y=True)
    rare = np.where(np.arange(len(y)) == 7, 5, y)
    # With some of the seeds the tree that is quoted has met the class, with others not.
    for seed in range(4):
        model = quick(method, random_state=seed).fit(X, rare)
        assert (
            model.predict_proba(X).shape == (len(X), len(model.classes_)) == (len(X), 3)
        )
        assert model.certificate_.value < 1


@pytest.mark.no_cover
@pytest.mark.parametrize("method", METHODS)
def test_tiny_samples_have_a_useless_certificate(method):
    rng = np.random.default_rng(0)
    for m in range(2, 9):
        for y in (np.arange(m), np.zeros(m, dtype=int), np.arange(m) % 2):
            model = quick(method).fit(rng.normal(size=(m, 2)), y)
            assert 0 < model.certificate_.value <= 1


def test_a_single_example_cannot_be_halved():
    with pytest.raises(ValueError, match="n_samples = 1"):
        quick("halves").fit([[1.0]], [0])


@pytest.fixture(scope="module")
def grouped():
    """30 groups of five examples that are alike, and their labels."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(30), 5)
    X = rng.normal(size=(150, 3)) + rng.normal(size=(30, 3))[groups]
    return X, (X[:, 0] > 0).astype(int), groups


def test_groups_are_halved_as_a_whole(grouped):
    X, y, groups = grouped
    model = quick("halves").fit(X, y, groups=groups)
    assert model.certificate_.n_groups == 15
    assert set(model.candidates_.n_examples.tolist()) == {75}


def test_a_certificate_of_groups_says_so(grouped):
    X, y, groups = grouped
    certificate = quick("halves").fit(X, y, groups=groups).certificate_
    assert "the 15 groups that judge it, this tree" in str(certificate)
    assert "of the cases of a new group" in str(certificate)
    assert certificate.assumptions[0].startswith("The groups are independent")


def test_groups_say_less_than_as_many_independent_examples(grouped):
    X, y, groups = grouped
    by_group = quick("halves").fit(X, y, groups=groups).certificate_
    assert by_group.value > quick("halves").fit(X, y).certificate_.value


def test_only_halves_take_groups(grouped):
    X, y, groups = grouped
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
        ({"learners": ("boosted",)}, "learners must be 'pruned' or unfitted"),
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


def test_feature_kinds_are_checked_where_splits_are_counted():
    with pytest.raises(ValueError, match="feature_kinds must be"):
        quick("growth", feature_kinds="nonsense").fit(*load_iris(return_X_y=True))


def test_a_tree_with_as_many_leaves_as_allowed_is_remarked():
    X, y = load_wine(return_X_y=True)
    with pytest.warns(UserWarning, match="as many leaves as max_leaf_nodes = 2 allows"):
        quick("halves", max_leaf_nodes=2).fit(X, y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("most", [40, None])
def test_a_tree_with_fewer_leaves_than_allowed_is_not_remarked(most):
    X, y = load_wine(return_X_y=True)
    quick("halves", learners=("pruned",), max_leaf_nodes=most).fit(X, y)


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


@pytest.mark.parametrize("method", ["message", "growth"])
def test_a_problem_has_at_least_the_classes_of_the_sample(method):
    with pytest.raises(ValueError, match="n_classes must be an integer of at least 3"):
        quick(method, n_classes=2).fit(*load_iris(return_X_y=True))


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
        features_known_before(X, X, {0: n_levels})


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


PAIRS = np.repeat(np.arange(4.0), 2).reshape(-1, 2)


def test_a_class_of_two_examples_is_enough_for_folds():
    y = [0, 0, 1, 1]
    folded = PrunedLearner(random_state=0).fit(PAIRS, y)
    two_folds = CostComplexityPrunedTreeClassifier(cv=2, random_state=0).fit(PAIRS, y)
    assert folded.cv_errors_.tolist() == two_folds.cv_errors_.tolist()


def test_classes_of_one_example_make_a_stump():
    stump = PrunedLearner(random_state=0).fit(PAIRS, range(4))
    assert stump.tree_.n_leaves == 2


def test_a_stump_is_drawn_with_the_seed():
    stumps = [PrunedLearner(random_state=0).fit(PAIRS, range(4)) for _ in range(9)]
    assert len({stump.tree_.feature[0] for stump in stumps}) == 1


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

    def test_it_is_that_of_the_judging_half_for_an_eighth_of_delta(
        self, loans, monkeypatch
    ):
        """There are 8 candidates: 4 halvings with two sides."""
        X, y = loans
        judging_halves = []
        fit_and_judge = halving._fit_and_judge

        def record(trial, judging):
            judging_halves.append(trial.judged)
            return fit_and_judge(trial, judging)

        monkeypatch.setattr(halving, "_fit_and_judge", record)
        # A tree that remembers all rows would refuse those that judged it.
        model = CertifiedTreeClassifier(cost=[10, 1], remember=False, random_state=0)
        model.fit(X, y)
        assert len(judging_halves) == 8
        rows = judging_halves[model.candidates_.best]
        tree = model.certificate_.estimator
        expected = certify(tree, X[rows], y[rows], cost=[10, 1], delta=0.05 / 8)
        assert model.certificate_.value == expected.value

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

    def test_any_classifier_needs_the_cost_of_each_class(self, loans):
        constants = [("pays", DummyClassifier(strategy="constant", constant="pays"))]
        with pytest.raises(ValueError, match="cost must have a number for each"):
            CertifiedClassifier(constants, cost={"pays": 1}).fit(*loans)

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


def test_a_class_whose_errors_cost_nothing():
    """A half may have no other class, and then every tree is free."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.arange(120) < 2
    cost = {False: 0, True: 50}
    for seed in range(4):
        model = CertifiedTreeClassifier(cost=cost, random_state=seed).fit(X, y)
        predicted = model.certificate_.estimator.predict(X)
        assert model.certificate_.value > 50 * np.mean(y & ~predicted)


@pytest.mark.parametrize("parameters", [{"monotonic_cst": [1, 0]}, {}])
def test_values_of_nodes_are_those_of_the_learner(parameters):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    learner = DecisionTreeClassifier(criterion="entropy", max_depth=3, **parameters)
    model = CertifiedTreeClassifier(learners=[learner], random_state=0)
    assert (model.criterion, model.monotonic_cst) == ("gini", None)

    model.fit(X, X[:, 0] + rng.normal(size=300) > 0)
    assert model.criterion == model.to_sklearn().criterion == "entropy"
    if parameters:
        with pytest.raises(ValueError, match="monotonic_cst, the values of nodes"):
            from_sklearn(model)
    else:
        expected = from_sklearn(model.certificate_.estimator)
        assert from_sklearn(model) == expected


@pytest.mark.parametrize("method", ["message", "growth"])
def test_missing_values_are_looked_for_though_scikit_learn_does_not(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] > 0
    X[::5, 0] = np.nan
    model = CertifiedTreeClassifier(method=method, random_state=0)
    with config_context(assume_finite=True), pytest.raises(ValueError, match="NaN"):
        model.fit(X, y)
