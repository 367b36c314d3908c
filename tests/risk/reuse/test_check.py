"""Rows that made a classifier do not judge it: which are recognized."""

import json
import math
import pickle
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multinomial, multivariate_hypergeom
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.impute import KNNImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    train_test_split,
)
from sklearn.multiclass import (
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    StandardScaler,
)
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.class_weight import compute_sample_weight

from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    CertifiedTreeClassifier,
    CertifiedTreeRegressor,
    CostComplexityPrunedTreeClassifier,
    PrunedTreeRegressor,
    certify,
    prune,
)
from treebounds.formats import (
    from_json,
    from_lightgbm,
    from_sklearn,
    from_xgboost,
    to_json,
    to_sklearn,
)
from treebounds.risk import certify_prunings
from treebounds.risk.reuse.leaf_counters import are_a_part, are_among_more
from treebounds.risk.reuse.leaf_counts.of_model import leaf_counts
from treebounds.risk.reuse.leaf_evidence import (
    log_chance,
    log_chance_of_classes,
    log_chance_of_totals,
    log_evidence,
    log_evidence_of_more,
)

JUDGES = [certify, certify_prunings]
# Any of the library's estimators remembers.
REMEMBERS = CertifiedTreeClassifier(method="growth", random_state=0)
MORE_THAN_CHANCE = "are among those that the model was grown"
SAME_COUNTS = "X: the tree was grown on these examples"


@pytest.mark.parametrize("judge", JUDGES)
class TestTrees:
    def test_the_sample_that_a_tree_was_grown_on_is_refused(self, halves, judge):
        tree, X, y, _, _ = halves
        with pytest.raises(ValueError, match=SAME_COUNTS):
            judge(tree, X, y)

    def test_other_rows_are_trusted(self, halves, judge):
        tree, _, _, X_new, y_new = halves
        assert "trusted" in judge(tree, X_new, y_new).assumptions[-1]

    @pytest.mark.parametrize(
        "form",
        [np.asarray, np.float32, pd.DataFrame],
        ids=["array", "32 bits", "frame"],
    )
    def test_rows_that_the_caller_names_are_refused(self, halves, judge, form):
        tree, X, y, X_new, y_new = halves
        both = np.vstack([X_new, X[:60]])
        labels = np.append(y_new, y[:60])
        message = r"X: \d+ of \d+ rows that can .*a certificate needs others"
        with pytest.raises(ValueError, match=message):
            judge(tree, both, labels, X_grown=form(X))

    def test_nothing_is_trusted_where_the_rows_are_named(self, halves, judge):
        tree, X, _, X_new, y_new = halves
        assert len(judge(tree, X_new, y_new, X_grown=X).assumptions) == 2

    def test_a_single_row_that_recurs_is_mentioned(self, halves, judge):
        tree, X, y, X_new, y_new = halves
        both = np.vstack([X_new, X[:1]])
        labels = np.append(y_new, y[:1])
        certificate = judge(tree, both, labels, X_grown=X[:200])
        assert (certificate.n_compared, certificate.n_recurring) == (144, 1)
        assert (
            "Of 144 examples that can be compared with those that made it, 1 has an"
            " equal" in certificate.sentence
        )
        assert "other cases with the same values" in certificate.assumptions[-1]


class TestRecords:
    @pytest.mark.parametrize(
        "model",
        [
            REMEMBERS,
            make_pipeline(REMEMBERS),
            make_pipeline(StandardScaler(), REMEMBERS),
            GridSearchCV(REMEMBERS, {}, cv=2),
            GridSearchCV(make_pipeline(StandardScaler(), REMEMBERS), {}, cv=2),
        ],
        ids=[
            "alone",
            "pipeline of one step",
            "pipeline",
            "search",
            "pipeline in a search",
        ],
    )
    def test_estimators_remember_their_rows(self, halves, model):
        _, X, y, X_new, y_new = halves
        model = clone(model).fit(X, y)
        assert len(certify(model, X_new, y_new).assumptions) == 2
        for rows in (slice(None), slice(5, 90)):
            both = np.vstack([X_new, X[rows]]), np.append(y_new, y[rows])
            with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
                certify(model, *both)

    @pytest.mark.parametrize("n_steps", [0, 1])
    def test_rows_are_compared_as_they_reach_the_model_with_the_record(
        self, halves, n_steps
    ):
        """The certificate says so also if none of them recurs."""
        _, X, y, X_new, y_new = halves
        steps = [StandardScaler()] * n_steps
        model = make_pipeline(*steps, KNeighborsClassifier()).fit(X, y)
        certificate = certify(model, X_new, y_new)
        assert (certificate.n_compared, certificate.n_recurring) == (143, 0)
        assert certificate.is_compared_after_steps == (n_steps > 0)

    def test_batches_are_compared_too(self, halves):
        _, X, y, _, _ = halves
        batches = zip(np.split(X, 6), np.split(y, 6), strict=True)
        with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
            certify(clone(REMEMBERS).fit(X, y), batches)


KNOWING = {
    "boosting": ensemble.GradientBoostingClassifier(n_estimators=3),
    "extra trees": ensemble.ExtraTreesClassifier(3),
    "forest": ensemble.RandomForestClassifier(9, class_weight="balanced"),
    "subsets": ensemble.BaggingClassifier(n_estimators=9, bootstrap=False),
    "bagging": ensemble.BaggingClassifier(n_estimators=9, bootstrap=True),
}


def knowing(name):
    if name == "lightgbm":
        lightgbm = pytest.importorskip("lightgbm")
        return lightgbm.LGBMClassifier(n_estimators=5, verbose=-1)
    return clone(KNOWING[name])


class TestEnsembles:
    @pytest.mark.parametrize("name", ["lightgbm", *KNOWING])
    def test_the_sample_of_the_first_tree_is_refused(self, halves, name):
        _, X, y, X_new, y_new = halves
        model = knowing(name).set_params(random_state=0).fit(X, y)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, X, y)
        assert certify(model, X_new, y_new) < 0.3


SEPARATING = {
    "tree": DecisionTreeClassifier(random_state=0),
    "histogram boosting": ensemble.HistGradientBoostingClassifier(max_iter=20),
    "pruned": BoundPrunedTreeClassifier(rule=0.0, remember=False),
}


@pytest.mark.parametrize("name", SEPARATING)
def test_a_stratified_half_agrees_by_construction(name):
    """One leaf holds all setosas, so both halves have as many rows at each leaf."""
    X, species = load_iris(return_X_y=True)
    X_grown, X_new, y_grown, y_new = train_test_split(
        X, species == 0, test_size=0.5, stratify=species == 0, random_state=0
    )
    model = clone(SEPARATING[name]).fit(X_grown, y_grown)
    assert certify(model, X_new, y_new).n_errors == 0


def test_the_chance_of_equal_numbers_is_that_of_a_multinomial():
    rng = np.random.default_rng(0)
    leaves = np.repeat([0, 1, 2, 0, 1], [4, 3, 1, 2, 3])
    labels = np.repeat(["a", "b"], [8, 5])
    fixed = np.bincount(leaves[labels == "a"]), np.bincount(leaves[labels == "b"])
    draws = [rng.multinomial(n.sum(), n / n.sum(), size=200_000) for n in fixed]
    agree = [(rows == n).all(axis=1) for rows, n in zip(draws, fixed, strict=True)]

    chance = math.exp(log_chance(leaves, labels))
    assert chance == pytest.approx((agree[0] & agree[1]).mean(), abs=0.003)
    assert log_chance(leaves, rng.normal(size=13)) < 0  # numbers are one class


@pytest.mark.parametrize(
    "cells",
    [
        [[10, 14], [14, 10]],
        [[30, 2], [3, 25]],
        [[1, 9], [5, 5]],
        [[8, 0], [0, 8]],
        [[40, 40], [8, 12]],
        [[9, 3, 1], [2, 6, 3]],
        [[10, 2], [3, 9], [5, 5]],
        [[1, 0], [0, 1], [6, 6]],
        [[20, 0], [2, 15], [0, 9]],
    ],
)
def test_the_chance_of_equal_totals_is_close_to_the_exact_one(cells):
    """The exact one adds the numbers of one row after the other."""
    cells = np.array(cells)
    exact = np.ones((1,) * (len(cells) - 1))
    for own in cells.T:
        for _ in range(own.sum()):
            one_more = np.zeros([size + 1 for size in exact.shape])
            for leaf, share in enumerate(own / own.sum()):
                starts = np.zeros(exact.ndim, dtype=int)
                if leaf < exact.ndim:
                    starts[leaf] = 1
                places = zip(starts, exact.shape, strict=True)
                one_more[tuple(slice(at, at + n) for at, n in places)] += share * exact
            exact = one_more

    leaves, labels = np.indices(cells.shape).reshape(2, -1)
    chance = log_chance_of_totals(
        np.repeat(leaves, cells.ravel()), np.repeat(labels, cells.ravel())
    )
    totals = tuple(cells.sum(axis=1)[:-1])
    assert math.exp(chance) == pytest.approx(exact[totals], rel=0.2)


def coins(n=300, seed=0):
    """Rows that tell nothing about their labels: every classifier errs on half."""
    rng = np.random.default_rng(seed)
    return rng.random((n, 4)), rng.integers(0, 2, n)


X_COINS, Y_COINS = coins()
WHOLE_TREE = BoundPrunedTreeClassifier(rule=0.0, random_state=0)
RECOGNIZED = {
    "histogram boosting": ensemble.HistGradientBoostingClassifier(
        max_iter=20, min_samples_leaf=2
    ),
    "some columns": ensemble.BaggingClassifier(max_features=0.5, random_state=0),
    "neighbors": KNeighborsClassifier(1),
    "support vectors": SVC(C=1e6, gamma=100),
    "Gaussian process": GaussianProcessClassifier(),
    "threshold": FixedThresholdClassifier(WHOLE_TREE),
    "tuned threshold": TunedThresholdClassifierCV(WHOLE_TREE, cv=2),
    "vote": ensemble.VotingClassifier([("a", DummyClassifier()), ("b", WHOLE_TREE)]),
    "vote of trees": ensemble.VotingClassifier(
        [("a", DummyClassifier()), ("b", DecisionTreeClassifier())]
    ),
    "stack": ensemble.StackingClassifier([("a", WHOLE_TREE)], cv=2),
    "calibration": CalibratedClassifierCV(WHOLE_TREE, cv=2),
    "one against the rest": OneVsRestClassifier(WHOLE_TREE),
    "bag of trees that remember": ensemble.BaggingClassifier(WHOLE_TREE, 3),
    "frozen": make_pipeline(FrozenEstimator(clone(WHOLE_TREE).fit(*coins()))),
}


@cache
def fitted_to_coins(name):
    return clone(RECOGNIZED[name]).fit(X_COINS, Y_COINS)


@cache
def whole_tree():
    return clone(WHOLE_TREE).fit(X_COINS, Y_COINS)


@cache
def certified_tree(remember=True):
    tree = CertifiedTreeClassifier(random_state=0, remember=remember)
    return tree.fit(X_COINS, Y_COINS)


def named(tree):
    """The tree with names of its columns."""
    return replace(tree, feature_names=list(map(str, range(tree.n_features))))


class TestModelsOfCoins:
    """The true risk of each model is one half, so a small certificate is false."""

    @pytest.mark.parametrize("name", RECOGNIZED)
    def test_their_rows_are_refused(self, name):
        with pytest.raises(ValueError, match="a certificate needs others"):
            certify(fitted_to_coins(name), X_COINS, Y_COINS)

    @pytest.mark.parametrize("name", RECOGNIZED)
    def test_new_rows_are_taken(self, name):
        assert certify(fitted_to_coins(name), *coins(seed=1)) > 0.4

    @pytest.mark.parametrize(
        "outer", [ensemble.VotingClassifier, ensemble.StackingClassifier]
    )
    def test_words_become_numbers_in_two_steps(self, outer):
        """The inner vote is fitted to numbers already."""
        words = np.array(["no", "yes"])[Y_COINS]
        tree = make_pipeline(DecisionTreeClassifier(random_state=0))
        vote = ensemble.VotingClassifier([("tree", tree)])
        model = outer([("vote", vote), ("none", DummyClassifier())])
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model.fit(X_COINS, words), X_COINS, words)

    @pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
    def test_boosters_of_other_libraries_recognize_their_rows(self, library):
        module = pytest.importorskip(library)
        learner = (
            module.LGBMClassifier(n_estimators=9, verbose=-1)
            if library == "lightgbm"
            else module.XGBClassifier(n_estimators=9)
        )
        model = learner.fit(X_COINS, Y_COINS)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, X_COINS, Y_COINS)
        assert certify(model, *coins(seed=1)) > 0.4

    @pytest.mark.parametrize("options", ["scale_pos_weight", "balanced", "three"])
    def test_weights_of_classes_hide_no_rows_of_xgboost(self, options):
        xgboost = pytest.importorskip("xgboost")
        learner = xgboost.XGBClassifier(n_estimators=60, n_jobs=1)
        rng = np.random.default_rng(2)
        n_classes = 3 if options == "three" else 2
        shares = np.arange(1, n_classes + 1) / sum(range(1, n_classes + 1))
        X, X_new = rng.random((2, 600, 4))
        y, y_new = rng.choice(n_classes, size=(2, 600), p=shares)
        weights = compute_sample_weight("balanced", y)
        if options == "scale_pos_weight":
            learner.set_params(scale_pos_weight=2.3)
            weights = None
        model = learner.fit(X, y, sample_weight=weights)
        order = rng.permutation(600)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, X[order], y[order])
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, zip(np.split(X, 3), np.split(y, 3), strict=True))
        assert certify(model, X_new, y_new) > 0.3

    @pytest.mark.parametrize("objective", ["reg:gamma", "reg:tweedie"])
    def test_losses_of_positive_numbers_hide_no_rows_of_xgboost(self, objective):
        xgboost = pytest.importorskip("xgboost")
        learner = xgboost.XGBRegressor(n_estimators=60, objective=objective, n_jobs=1)
        rng = np.random.default_rng(0)
        y, y_new = rng.gamma(2, 3, size=(2, 300))
        model = learner.fit(X_COINS, y)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, X_COINS, y, tolerance=2.5)
        assert certify(model, coins(seed=1)[0], y_new, tolerance=2.5) > 0.4

    @pytest.mark.parametrize("depth", [1, 2, 4])
    def test_halves_of_a_stratified_split_are_no_sums_of_weights(self, depth):
        xgboost = pytest.importorskip("xgboost")
        learner = xgboost.XGBClassifier(
            n_estimators=1, max_depth=depth, scale_pos_weight=2, n_jobs=1
        )
        for seed in range(20):
            X, y = noisy(160, np.random.default_rng(seed))
            X, X_new, y, y_new = train_test_split(
                X, y, test_size=0.5, stratify=y, random_state=seed
            )
            certify(learner.fit(X, y), X_new, y_new)

    @pytest.mark.parametrize(
        ("n_classes", "options"),
        [
            (2, {"objective": "binary:hinge"}),
            (2, {"objective": "binary:hinge", "base_score": 0.3, "booster": "dart"}),
            (3, {"multi_strategy": "multi_output_tree", "tree_method": "hist"}),
        ],
    )
    def test_other_trees_of_xgboost_are_recognized(self, n_classes, options):
        """The first tree of hinge is a leaf, and those of several outputs have no
        dump.
        """
        xgboost = pytest.importorskip("xgboost")
        rng = np.random.default_rng(0)
        X, X_new = rng.random((2, 800, 4))
        # XGBoost starts from the frequent class.
        y, y_new = rng.choice([1, 1, *range(n_classes)], size=(2, 800))
        learner = xgboost.XGBClassifier(n_estimators=9, n_jobs=1, **options)
        order = rng.permutation(800)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(learner.fit(X, y), X[order], y[order])
        assert certify(learner, X_new, y_new).n_examples == 800
        counts = leaf_counts(learner)
        assert counts is not None
        leaves = counts.leaf_of(X)
        n_rows = np.bincount(leaves, minlength=len(counts.grown))
        shares = counts.grown[:, 0] / n_rows
        assert shares == pytest.approx(np.full(len(shares), shares[0]), rel=1e-4)

    @pytest.mark.parametrize("library", ["sklearn", "lightgbm", "xgboost"])
    @pytest.mark.parametrize("n_classes", [2, 4])
    @pytest.mark.parametrize(
        "divided", [OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier]
    )
    def test_divisions_of_classes_recognize_their_rows(
        self, divided, n_classes, library
    ):
        if library == "sklearn":
            learner = DecisionTreeClassifier(random_state=0)
        elif library == "lightgbm":
            module = pytest.importorskip(library)
            learner = module.LGBMClassifier(n_estimators=9, n_jobs=1, verbose=-1)
        else:
            module = pytest.importorskip(library)
            learner = module.XGBClassifier(n_estimators=9, n_jobs=1)
        rng = np.random.default_rng(0)
        X, X_new = rng.random((2, 800, 4))
        y, y_new = rng.choice(list("dcba")[:n_classes], size=(2, 800))
        model = divided(learner)
        if divided is OutputCodeClassifier:
            model.set_params(code_size=3, random_state=0)
        model.fit(X, y)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, X, y)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, zip(np.split(X, 4), np.split(y, 4), strict=True))
        assert certify(model, X_new, y_new) > 1 - 1.2 / n_classes

    @pytest.mark.parametrize(
        "made",
        [
            lambda tree: tree.to_sklearn(),
            lambda tree: pickle.loads(pickle.dumps(tree.to_sklearn())),
            from_sklearn,
            lambda tree: from_json(to_json(from_sklearn(tree))),
            lambda tree: to_sklearn(from_sklearn(tree), [0, 1]),
        ],
        ids=["plain", "pickled", "arrays", "JSON", "there and back"],
    )
    def test_conversions_are_recognized(self, made):
        with pytest.raises(ValueError, match="a certificate needs others"):
            certify(made(whole_tree()), X_COINS, Y_COINS)

    @pytest.mark.no_cover
    @pytest.mark.parametrize(
        "made",
        [
            lambda tree: tree,
            lambda tree: pickle.loads(pickle.dumps(tree)),
            deepcopy,
            lambda tree: tree.collapse([0]),
            lambda tree: prune(tree, rule=0.0),
            lambda tree: tree.with_statistics(tree.statistics),
            named,
            lambda tree: named(tree.collapse([0])),
            lambda tree: replace(tree, children_left=tree.children_left.tolist()),
            lambda tree: to_sklearn(tree),
            lambda tree: from_sklearn(to_sklearn(tree)),
        ],
        ids=[
            "plain",
            "pickled",
            "copied",
            "one leaf",
            "pruned",
            "counted",
            "named",
            "one named leaf",
            "other arrays",
            "there",
            "there and back",
        ],
    )
    def test_arrays_keep_the_record_of_rows(self, made):
        """A part of the rows is recognized, too, and so are rows that judged."""
        # A new object, which no other test has judged.
        arrays = from_sklearn(certified_tree())
        with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
            certify(made(arrays), X_COINS[:150], Y_COINS[:150])
        assert certify(made(arrays), *coins(seed=1)).is_recorded

    def test_trees_with_and_without_a_record_are_equal(self):
        without = from_sklearn(certified_tree(remember=False))
        assert from_sklearn(certified_tree()) == without

    def test_rows_that_prune_arrays_are_added_to_their_record(self):
        more = coins(seed=1)
        pruned = prune(from_sklearn(certified_tree()), *more, rule="reduced-error")
        for X, y in (more, (X_COINS, Y_COINS)):
            with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
                certify(pruned, X[:150], y[:150])

    def test_the_order_of_rows_does_not_matter_to_a_tree(self):
        tree = DecisionTreeClassifier().fit(X_COINS, Y_COINS)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(tree, X_COINS[::-1], Y_COINS[::-1])

    @pytest.mark.parametrize(
        "model",
        [
            DecisionTreeClassifier(),
            ensemble.RandomForestClassifier(3),
            ensemble.RandomForestClassifier(3, bootstrap=False),
            ensemble.ExtraTreesClassifier(3),
        ],
        ids=["tree", "forest", "forest of all rows", "extra trees"],
    )
    def test_batches_are_added_up(self, model):
        model = clone(model).fit(X_COINS, Y_COINS)
        batches = zip(np.split(X_COINS, 3), np.split(Y_COINS, 3), strict=True)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, batches)
        X, y = coins(seed=1)
        others = zip(np.split(X, 3), np.split(y, 3), strict=True)
        assert not certify(model, others).is_recorded

    def test_where_nothing_is_known_the_sentence_says_what_is_trusted(self):
        model = ensemble.GradientBoostingClassifier(subsample=0.5)
        certificate = certify(model.fit(X_COINS, Y_COINS), X_COINS, Y_COINS)
        phrase = "if these examples had no part in making it"
        assert phrase in certificate.sentence

    @pytest.mark.parametrize(
        "tree",
        [
            DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=5),
            DecisionTreeRegressor(monotonic_cst=[1, 0, 0]),
            DecisionTreeClassifier(monotonic_cst=[1, 0, -1]),
        ],
        ids=["medians", "monotonic numbers", "monotonic classes"],
    )
    def test_values_need_not_be_means_of_rows(self, tree):
        rng = np.random.default_rng(0)
        X, X_new = rng.normal(size=(2, 500, 3))
        y, y_new = rng.normal(size=(2, 500))
        asked = {"tolerance": 1.0}
        if is_classifier(tree):
            y, y_new, asked = y > 0, y_new > 0, {}
        tree = clone(tree).fit(X, y)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(tree, X, y, **asked)
        assert certify(tree, X_new, y_new, **asked) > 0.3

    @pytest.mark.parametrize("seed", [0, 2, 3, 5])
    def test_codes_may_be_equal_for_all_classes(self, seed):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, size=300)
        model = OutputCodeClassifier(
            DecisionTreeClassifier(), code_size=4, random_state=seed
        )
        model.fit(X, y)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, X, y)

    def test_a_record_does_not_know_of_changed_copies(self):
        model = clone(WHOLE_TREE).fit(X_COINS, Y_COINS)
        certificate = certify(model, *coins(seed=1))
        assert certificate.is_recorded
        assert "if these examples had no part in making it" in certificate.sentence


def test_what_is_private_in_scikit_learn_is_still_there():
    """Nothing needs it, but without it these rows would not be recognized."""
    X, y = coins(60)
    boosting = ensemble.HistGradientBoostingClassifier(max_iter=1).fit(X, y)
    assert {"count", "left", "num_threshold"} <= set(
        boosting._predictors[0][0].nodes.dtype.names
    )
    assert KNeighborsClassifier().fit(X, y)._fit_X.shape == X.shape
    assert ensemble.RandomForestClassifier(2).fit(X, y)._n_samples == 60


def test_the_same_numbers_at_each_leaf_with_other_labels_are_no_sign():
    X = np.arange(40.0).reshape(-1, 1)
    y = (X[:, 0] > 19).astype(int)
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert certify(stump, X, np.roll(y, 3)).n_errors == 6


NUMBERS = np.random.default_rng(0).random(300)
WHOLE_REGRESSOR = PrunedTreeRegressor(rule=0.0, random_state=0)
REGRESSORS = {
    "kernel ridge": KernelRidge(kernel="rbf", gamma=1e4, alpha=1e-6),
    "neighbors": KNeighborsRegressor(1),
    "transformed target": TransformedTargetRegressor(
        WHOLE_REGRESSOR, func=np.log1p, inverse_func=np.expm1
    ),
    "standardized target": TransformedTargetRegressor(
        DecisionTreeRegressor(random_state=0), transformer=StandardScaler()
    ),
    "transformed target of a vote": TransformedTargetRegressor(
        ensemble.VotingRegressor([("a", make_pipeline(DecisionTreeRegressor()))]),
        func=np.log1p,
        inverse_func=np.expm1,
    ),
    "vote": ensemble.VotingRegressor([("a", WHOLE_REGRESSOR)]),
    "stack": ensemble.StackingRegressor([("a", WHOLE_REGRESSOR)], cv=2),
    "bag": ensemble.BaggingRegressor(WHOLE_REGRESSOR, 3),
    "certified": CertifiedTreeRegressor(coverage=0.5, random_state=0),
}


@cache
def fitted_to_numbers(name):
    return clone(REGRESSORS[name]).fit(X_COINS, NUMBERS)


@pytest.mark.no_cover
@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize(
    ("rows", "question"),
    [(slice(None), {"tolerance": 0.05}), (slice(20, 200), {"coverage": 0.5})],
    ids=["all", "some"],
)
def test_regressors_recognize_their_rows(name, rows, question):
    with pytest.raises(ValueError, match=r"needs others|had no part"):
        certify(fitted_to_numbers(name), X_COINS[rows], NUMBERS[rows], **question)


@pytest.fixture(scope="module")
def frame(halves):
    _, X, y, X_new, y_new = halves
    names = [f"size{column}" for column in range(X.shape[1])]
    return pd.DataFrame(X, columns=names), y, pd.DataFrame(X_new, columns=names), y_new


@pytest.fixture(scope="module")
def by_name(frame):
    """A model that selects columns by name, so that others may stand between them."""
    X, y, _, _ = frame
    columns = make_column_transformer((StandardScaler(), list(X.columns)))
    learner = make_pipeline(columns, DecisionTreeClassifier(max_leaf_nodes=5))
    return CertifiedClassifier(learner, n_halvings=1, random_state=0).fit(X, y)


def changed(X, form):
    if form == "reordered":
        return X[X.columns[::-1]]
    return X.assign(unused=1.0)[["unused", *X.columns]]


class TestNamesOfColumns:
    """Rows of frames are compared by the names of their columns."""

    @pytest.mark.parametrize("form", ["reordered", "more"])
    @pytest.mark.parametrize("duplicates", ["refuse", "ignore"])
    def test_rows_that_made_the_model_are_refused(
        self, frame, by_name, form, duplicates
    ):
        X, y, _, _ = frame
        with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
            certify(by_name, changed(X, form), y, duplicates=duplicates)

    @pytest.mark.parametrize("form", ["reordered", "more"])
    def test_together_leaves_them_out(self, frame, by_name, form):
        X, y, X_new, y_new = frame
        both = pd.concat([X_new, X[:1]])
        certificate = certify(
            by_name,
            changed(both, form),
            np.append(y_new, y[:1]),
            duplicates="together",
        )
        assert certificate.n_examples == len(y_new)

    @pytest.mark.parametrize("form", ["reordered", "more"])
    def test_rows_that_the_caller_names_are_refused(self, frame, by_name, form):
        X, y, _, _ = frame
        plain = by_name.estimator_[-1]
        pipeline = make_pipeline(by_name.estimator_[0], FrozenEstimator(plain))
        with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
            certify(pipeline, changed(X, form)[:300], y[:300], X_grown=X)

    def test_other_rows_are_taken(self, frame, by_name):
        _, _, X_new, y_new = frame
        expected = certify(by_name, X_new, y_new)
        for form in ("reordered", "more"):
            certificate = certify(by_name, changed(X_new, form), y_new)
            assert certificate.sentence == expected.sentence

    def test_other_columns_are_an_error(self, halves):
        tree, X, _, X_new, y_new = halves
        with pytest.raises(ValueError, match="it has 3, and X has 30"):
            certify(tree, X_new, y_new, X_grown=X[:, :3])

    def test_an_iterator_is_no_table(self, halves):
        tree, X, _, X_new, y_new = halves
        with pytest.raises(ValueError, match="X_grown must be an array or a frame"):
            certify(tree, X_new, y_new, X_grown=iter([X]))


def noisy(n, rng):
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=n) > 0).astype(int)


class TestParts:
    """A part of the rows that a tree was grown on, by the numbers at its leaves."""

    @pytest.mark.parametrize("p", [(0.2, 0.3, 0.5), (0.0, 0.5, 0.5), (0.6, 0.4, 0.0)])
    def test_the_evidence_is_at_most_one_on_average(self, p):
        """By adding up all samples of m independent rows."""
        for grown in ([1, 2, 4], [3, 3, 0], [2, 2, 2]):
            for m in (1, 3, 5):
                samples = [
                    k for k in product(range(m + 1), repeat=len(p)) if sum(k) == m
                ]
                mean = 0.0
                for k in samples:
                    ways = math.factorial(m) / math.prod(map(math.factorial, k))
                    chance = ways * math.prod(q**i for q, i in zip(p, k, strict=True))
                    columns = (np.array(one)[:, np.newaxis] for one in (grown, k))
                    mean += chance * math.exp(log_evidence(*columns))
                assert mean <= 1 + 1e-9

    def test_the_evidence_is_the_quotient_of_two_probabilities(self):
        grown, k = (
            np.array([[4, 1], [3, 6], [3, 3]]),
            np.array([[3, 0], [1, 4], [2, 2]]),
        )
        expected = 1.0
        for column in (0, 1):
            c, of_part = grown[:, column], k[:, column]
            drawn = multivariate_hypergeom.pmf(of_part, c, of_part.sum())
            expected *= drawn / multinomial.pmf(of_part, of_part.sum(), c / c.sum())
        assert log_evidence(grown, k) == pytest.approx(math.log(expected))

    @pytest.mark.parametrize("form", ["tree", "array", "regression", "steps"])
    def test_a_large_part_is_refused(self, form):
        rng = np.random.default_rng(0)
        X, y = noisy(3000, rng)
        part = rng.permutation(3000)[:1800]
        tree = DecisionTreeClassifier(max_leaf_nodes=200, random_state=0)
        if form == "regression":
            tree = DecisionTreeRegressor(max_leaf_nodes=200, random_state=0)
        if form == "steps":
            tree = make_pipeline(StandardScaler(), tree)
        model = tree.fit(X, y)
        if form == "array":
            model = from_sklearn(model)

        asked = {"tolerance": 1.0} if form == "regression" else {}
        with pytest.raises(ValueError, match="look like a part of those"):
            certify(model, X[part], y[part], **asked)
        if not asked:
            batches = ((X[rows], y[rows]) for rows in np.array_split(part, 3))
            with pytest.raises(ValueError, match="look like a part of those"):
                certify(model, batches)
        certify(model, *noisy(1800, rng), **asked)

    @pytest.mark.parametrize("max_leaf_nodes", [2, 200, None])
    def test_the_other_half_of_a_stratified_split_is_accepted(self, max_leaf_nodes):
        rng = np.random.default_rng(0)
        for noise in (0.0, 1.0):
            X = rng.normal(size=(3000, 3))
            y = (X[:, 0] + noise * rng.normal(size=3000) > 0).astype(int)
            parts = train_test_split(X, y, test_size=0.45, stratify=y, random_state=0)
            tree = DecisionTreeClassifier(max_leaf_nodes=max_leaf_nodes)
            tree.fit(parts[0], parts[2])
            assert certify(tree, parts[1], parts[3]).n_examples == 1350

    @pytest.mark.parametrize("name", ["lightgbm", "histogram", "deep", "xgboost", "3"])
    def test_a_large_part_of_the_rows_of_boosting_is_refused(self, name):
        """Its trees do not tell the classes apart; XGBoost keeps sums of weights."""
        lightgbm = pytest.importorskip("lightgbm")
        xgboost = pytest.importorskip("xgboost")
        rng = np.random.default_rng(0)
        X, y = noisy(2000, rng)
        X_new, y_new = noisy(1800, rng)
        model = {
            "lightgbm": lightgbm.LGBMClassifier(n_estimators=5, verbose=-1),
            "histogram": ensemble.HistGradientBoostingClassifier(max_iter=5),
            "deep": ensemble.GradientBoostingClassifier(n_estimators=5, max_depth=7),
            "xgboost": xgboost.XGBClassifier(n_estimators=5, max_depth=9),
            "3": xgboost.XGBClassifier(n_estimators=5, max_depth=9),
        }[name]
        if name == "3":
            y = y + (X[:, 2] > 0)
            y_new = y_new + (X_new[:, 2] > 0)

        model.fit(X, y)
        with pytest.raises(ValueError, match="look like a part of those"):
            certify(model, X[:1800], y[:1800])
        certify(model, X_new, y_new)

    @pytest.mark.parametrize("form", [np.asarray, pd.DataFrame])
    def test_rows_of_histogram_boosting_that_were_rounded_to_32_bits(self, form):
        """Its thresholds are values of rows, which are on one side and then on the
        other.
        """
        rng = np.random.default_rng(0)
        X, y = noisy(2000, rng)
        model = ensemble.HistGradientBoostingClassifier(max_iter=2).fit(form(X), y)
        rounded = form(X.astype(np.float32))
        counts = leaf_counts(model)
        assert np.array_equal(counts.leaf_of(rounded), counts.leaf_of(form(X)))
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, rounded, y)

    def test_missing_values_alone_are_divided_without_a_warning(self):
        rng = np.random.default_rng(0)
        X = np.where(rng.random((400, 1)) < 0.5, np.nan, 1.0)
        y = np.isnan(X[:, 0]).astype(int)
        model = ensemble.HistGradientBoostingClassifier(max_iter=1).fit(X, y)
        leaves = leaf_counts(model).leaf_of(X.astype(np.float32))
        assert np.bincount(leaves).tolist() == np.bincount(1 - y).tolist()[::-1]

    def test_thresholds_between_neighbors_of_32_bits_stay(self):
        # The number half-way between them is rounded to the second one.
        pair = np.array([0x3F800001, 0x3F800002], dtype=np.uint32).view(np.float32)
        assert np.float32(pair.astype(float).mean()) == pair[1]
        values = np.tile(pair, 50)[:, np.newaxis]
        y = np.tile([0, 1], 50)
        model = ensemble.HistGradientBoostingClassifier(max_iter=1).fit(values, y)
        assert np.bincount(leaf_counts(model).leaf_of(values)).tolist() == [50, 50]

    def test_weights_of_rows_in_xgboost_are_not_taken_for_numbers(self):
        xgboost = pytest.importorskip("xgboost")
        rng = np.random.default_rng(0)
        X, y = noisy(2000, rng)
        model = xgboost.XGBClassifier(n_estimators=1)
        model.fit(X, y, sample_weight=rng.uniform(1, 2, 2000))
        assert leaf_counts(model).of_rows is None
        assert leaf_counts(model.fit(X, y)).of_rows.sum() == 2000

    def test_a_stratified_split_has_its_chance_where_classes_are_together(self):
        """With a class at each leaf, its half is at the leaf by construction."""
        grown = np.full((120, 1), 10)
        half = np.full((120, 1), 5)
        assert are_a_part(grown, half)
        assert not are_a_part(grown, half, log_chance_of_classes(half))

        more = grown + 1
        together = log_chance_of_classes(more)
        assert are_among_more(grown, more, more.sum())
        assert not are_among_more(grown, more, more.sum(), together)

    def test_the_chance_of_the_numbers_of_classes_is_that_of_a_multinomial(self):
        numbers = np.array([3, 1, 6])
        expected = multinomial.logpmf(numbers, 10, numbers / 10)
        assert log_chance_of_classes(numbers) == pytest.approx(expected)

    def test_rows_of_groups_are_not_taken_for_a_part(self):
        """Each new group has a row in each leaf, as in a design."""
        X = np.tile(np.arange(300.0), 9)[:, np.newaxis]
        groups = np.repeat(np.arange(9), 300)
        y = (X[:, 0] % 2).astype(int)
        tree = DecisionTreeClassifier().fit(X, y)
        new = groups < 5
        certificate = certify(
            tree, X[new], y[new], groups=groups[new], duplicates="ignore"
        )
        assert certificate.n_groups == 5


class TestCopiesBehindSteps:
    """Copies of rows of which the last step of a pipeline keeps a record."""

    @pytest.fixture
    def parts(self):
        """A table in which cases occur several times, divided: rows and labels that
        make a model, rows and labels that judge it, and the number of cases that are
        only among the latter.
        """
        rng = np.random.default_rng(0)
        cases = rng.choice(300, size=600)
        table, answers = rng.normal(size=(300, 4)), rng.integers(0, 2, size=300)
        made, judging = cases[:420], cases[420:]
        n_new = len(set(judging.tolist()) - set(made.tolist()))
        X, X_new = table[made], table[judging]
        return X, answers[made], X_new, answers[judging], n_new

    @pytest.fixture(
        params=[
            KNeighborsClassifier(1),
            CostComplexityPrunedTreeClassifier(random_state=0),
        ],
        ids=lambda model: type(model).__name__,
    )
    def model(self, parts, request):
        X, y, *_ = parts
        return make_pipeline(StandardScaler(), clone(request.param)).fit(X, y)

    def test_they_do_not_judge_unseen(self, parts, model):
        _, _, X, y, _ = parts
        with pytest.raises(ValueError, match="needs X_grown"):
            certify(model, X, y, duplicates="together")

    @pytest.mark.parametrize("kind", ["imputer", "calibration"])
    def test_they_do_not_judge_if_a_model_inside_keeps_them(self, parts, kind):
        X_grown, y_grown, X, y, n_new = parts
        impute = make_column_transformer(
            (KNNImputer(), [0, 1]), remainder="passthrough"
        )
        scaled = make_pipeline(StandardScaler(), KNeighborsClassifier(1))
        outer = {
            "imputer": make_pipeline(impute, DecisionTreeClassifier(random_state=0)),
            "calibration": CalibratedClassifierCV(scaled, ensemble=False),
        }
        model = outer[kind].fit(X_grown, y_grown)
        with pytest.raises(ValueError, match="needs X_grown"):
            certify(model, X, y, duplicates="together")
        certificate = certify(model, X, y, X_grown=X_grown, duplicates="together")
        assert certificate.n_examples == n_new

    def test_they_are_left_out_if_all_rows_are_given(self, parts, model):
        X_grown, _, X, y, n_new = parts
        certificate = certify(model, X, y, X_grown=X_grown, duplicates="together")
        assert certificate.n_examples == n_new
        assert certificate > 0.4

    def test_too_few_given_rows_are_refused(self, parts, model):
        X_grown, _, X, y, _ = parts
        with pytest.raises(ValueError, match="X_grown must hold all rows"):
            certify(model, X, y, X_grown=X_grown[:200], duplicates="together")

    def test_other_rows_judge(self, parts, model):
        _, _, X, y, _ = parts
        doubled = np.repeat(X + 1.0, 2, axis=0)
        certificate = certify(model, doubled, np.repeat(y, 2), duplicates="together")
        assert certificate.n_examples == len(np.unique(X, axis=0))

    def test_cases_that_a_step_makes_equal_judge_if_all_rows_are_given(self, parts):
        X_grown, y_grown, X, y, n_new = parts
        steps = KBinsDiscretizer(2, encode="ordinal"), KNeighborsClassifier(1)
        coarse = make_pipeline(*steps).fit(X_grown, y_grown)
        certificate = certify(coarse, X, y, X_grown=X_grown, duplicates="together")
        assert certificate.n_examples == n_new

    def test_other_cases_that_a_step_makes_equal_are_counted(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(500, 2)), rng.integers(0, 2, size=500)
        steps = KBinsDiscretizer(2, encode="ordinal"), KNeighborsClassifier(1)
        coarse = make_pipeline(*steps).fit(X[:300], y[:300])
        certificate = certify(coarse, X[300:], y[300:])
        assert certificate.n_examples == certificate.n_recurring == 200
        assert "200 reach its last step with the same values as" in certificate.sentence
        assert "reach the last step" in " ".join(certificate.assumptions)


class TestPartsAmongOthers:
    """A table that was divided a second time: the new test part has rows of the first
    training part.
    """

    @staticmethod
    def table(n_rows, decimals=9):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(n_rows, 5))
        return X, (X[:, 0] + rng.normal(size=n_rows)).round(decimals)

    @pytest.mark.parametrize("form", ["tree", "frozen", "steps", "array", "32 bits"])
    def test_a_second_split_of_the_rows_of_a_regression_tree(self, form):
        X, y = self.table(2000, decimals=1)
        rows = np.arange(2000)
        own, new = train_test_split(rows, test_size=0.3, random_state=0)
        _, second = train_test_split(rows, test_size=0.3, random_state=1)
        tree = DecisionTreeRegressor(random_state=0)
        if form == "steps":
            tree = make_pipeline(StandardScaler(), tree)
        model = tree.fit(X[own], y[own])
        if form == "frozen":
            model = FrozenEstimator(model)
        if form == "array":
            model = from_sklearn(model)
        if form == "32 bits":
            y = y.astype(np.float32)

        for asked in ({"tolerance": 1.0}, {"coverage": 0.8}):
            with pytest.raises(ValueError, match=r"on seem to be among these[.] Many"):
                certify(model, X[second], y[second], **asked)
            assert certify(model, X[new], y[new], **asked).n_examples == 600

        batches = ((X[part], y[part]) for part in np.array_split(second, 4))
        with pytest.raises(ValueError, match=r"on seem to be among these[.] Many"):
            certify(model, batches, tolerance=1.0)

    def test_honest_rows_of_designs_and_of_few_values(self):
        """No two rows of a design are equal, so they are no independent draws; the
        noise in y keeps their numbers at the leaves from telling.
        """
        rng = np.random.default_rng(0)
        design = np.array(list(product(range(2), repeat=10)), dtype=float)
        few = rng.integers(0, 4, size=(1000, 4)).astype(float)
        for X in (design, few):
            for answers in (np.arange(10.0), rng.normal(size=len(X))):
                y = X @ np.arange(1, X.shape[1] + 1) + rng.choice(answers, len(X))
                parts = train_test_split(X, y, test_size=0.5, random_state=0)
                tree = DecisionTreeRegressor(random_state=0).fit(parts[0], parts[2])
                asked = {"tolerance": 1.0, "duplicates": "ignore"}
                certify(tree, parts[1], parts[3], **asked)

    def test_rows_that_made_the_tree_are_left_out(self):
        X, y = self.table(2000)
        rows = np.arange(2000)
        own, _ = train_test_split(rows, test_size=0.3, random_state=0)
        _, second = train_test_split(rows, test_size=0.3, random_state=1)
        tree = DecisionTreeRegressor(random_state=0).fit(X[own], y[own])
        asked = {"tolerance": 1.0, "X_grown": X[own], "duplicates": "together"}
        certificate = certify(tree, X[second], y[second], **asked)
        assert certificate.n_examples == len(set(second) - set(own))

    def test_a_design_without_noise_may_be_given_as_groups(self):
        """Its settings are no independent draws, since each occurs once."""
        X = np.array(list(product(range(4), range(2), range(12), range(8))), float)
        y = np.round(10 + X @ [0, 7, 2, 0.3], 2)
        X_grown, X_new, y_grown, y_new = train_test_split(
            X, y, test_size=0.5, random_state=4
        )
        tree = DecisionTreeRegressor(random_state=0).fit(X_grown, y_grown)
        with pytest.raises(ValueError, match="or one for each setting of a design"):
            certify(tree, X_new, y_new, tolerance=1.0)

        groups = np.arange(len(X_new))
        certificate = certify(tree, X_new, y_new, tolerance=1.0, groups=groups)
        assert certificate.n_groups == len(groups)

    def test_groups_may_have_one_row_at_each_leaf(self):
        X = np.tile(np.arange(300.0), 9)[:, np.newaxis]
        groups = np.repeat(np.arange(9), 300)
        y = np.sin(X[:, 0])
        tree = DecisionTreeRegressor().fit(X[groups == 8], y[groups == 8])
        new = (groups < 5) & (np.random.default_rng(0).random(2700) < 0.7)
        asked = {"tolerance": 1.0, "groups": groups[new], "duplicates": "ignore"}
        assert certify(tree, X[new], y[new], **asked).n_groups == 5


class TestWholeTables:
    """The rows that a tree was grown on, together with others: the table before it was
    divided.
    """

    @pytest.mark.parametrize(
        "form", ["tree", "array", "regression", "steps", "calibration"]
    )
    def test_the_table_before_the_split_is_refused(self, form):
        rng = np.random.default_rng(0)
        X, y = noisy(3000, rng)
        grown = rng.permutation(3000)[:2400]
        tree = DecisionTreeClassifier(random_state=0)
        if form == "regression":
            tree = DecisionTreeRegressor(random_state=0)
        if form == "steps":
            tree = make_pipeline(StandardScaler(), tree)
        if form == "calibration":
            tree = CalibratedClassifierCV(tree, ensemble=False)
        model = tree.fit(X[grown], y[grown])
        if form == "array":
            model = from_sklearn(model)

        asked = {"tolerance": 1.0} if form == "regression" else {}
        with pytest.raises(ValueError, match="seem to be among these"):
            certify(model, X, y, **asked)
        if not asked:
            batches = ((X[rows], y[rows]) for rows in np.array_split(range(3000), 3))
            with pytest.raises(ValueError, match="seem to be among these"):
                certify(model, batches)
        certify(model, *noisy(3000, rng), **asked)

    @pytest.mark.parametrize("is_one_model", [True, False])
    def test_the_rows_of_a_calibrated_tree_are_refused(self, is_one_model):
        """Each of several trees is grown on all rows but a fold."""
        X, y = noisy(2000, np.random.default_rng(0))
        model = CalibratedClassifierCV(
            DecisionTreeClassifier(random_state=0), ensemble=not is_one_model
        )
        message = SAME_COUNTS if is_one_model else "seem to be among these"
        with pytest.raises(ValueError, match=message):
            certify(model.fit(X, y), X, y)

    @pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 17.3}])
    def test_weights_of_classes_do_not_hide_numbers_of_rows(self, class_weight):
        X, y = noisy(1000, np.random.default_rng(0))
        tree = DecisionTreeClassifier(class_weight=class_weight, random_state=0)
        counts = leaf_counts(tree.fit(X[:800], y[:800]))
        assert counts is not None
        leaves = counts.leaf_of(X[:800])
        expected = [np.bincount(leaves[y[:800] == label]) for label in (0, 1)]
        assert counts.grown.sum(axis=0).tolist() == [sum(each) for each in expected]
        assert counts.agrees(counts.count(leaves, y[:800])[0])

        with pytest.raises(ValueError, match="seem to be among these"):
            certify(tree, X, y)
        with pytest.raises(ValueError, match="look like a part of those"):
            certify(tree, X[:700], y[:700])

    @pytest.mark.parametrize(
        "model",
        [
            ensemble.ExtraTreesClassifier(5, random_state=0),
            ensemble.RandomForestClassifier(5, bootstrap=False, random_state=0),
            ensemble.BaggingClassifier(
                DecisionTreeClassifier(), 5, bootstrap=False, random_state=0
            ),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_forests_that_draw_no_rows_are_like_their_trees(self, model):
        rng = np.random.default_rng(0)
        X, y = noisy(1500, rng)
        model = clone(model).fit(X[:1200], y[:1200])
        order = rng.permutation(1200)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, X[order], y[order])
        with pytest.raises(ValueError, match="seem to be among these"):
            certify(model, X, y)
        with pytest.raises(ValueError, match="look like a part of those"):
            certify(model, X[:1000], y[:1000])
        for n_rows in (1000, 1200, 1500):
            assert certify(model, *noisy(n_rows, rng)).n_examples == n_rows

    @pytest.mark.parametrize(
        "model",
        [
            ensemble.ExtraTreesRegressor(3, random_state=0),
            ensemble.RandomForestRegressor(3, bootstrap=False, random_state=0),
            ensemble.BaggingRegressor(
                DecisionTreeRegressor(), 3, bootstrap=False, random_state=0
            ),
            MultiOutputRegressor(DecisionTreeRegressor(random_state=0)),
            ensemble.HistGradientBoostingRegressor(
                max_iter=3, max_leaf_nodes=None, min_samples_leaf=2
            ),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_so_are_forests_for_numbers(self, model):
        rng = np.random.default_rng(0)
        X, X_new = rng.normal(size=(2, 1500, 4))
        y, y_new = rng.normal(size=(2, 1500))
        one_column = isinstance(model, MultiOutputRegressor)
        own = y[:1200, np.newaxis] if one_column else y[:1200]
        model = clone(model).fit(X[:1200], own)
        with pytest.raises(ValueError, match="seem to be among these"):
            certify(model, X, y, tolerance=1.0)
        with pytest.raises(ValueError, match="look like a part of those"):
            certify(model, X[:900], y[:900], tolerance=1.0)
        assert certify(model, X_new[:900], y_new[:900], tolerance=1.0) > 0.3
        assert certify(model, X_new, y_new, tolerance=1.0) > 0.3

    @pytest.mark.parametrize("missing", [0.0, 0.1])
    @pytest.mark.parametrize("declare", [True, False])
    @pytest.mark.parametrize("classes", [True, False])
    def test_categories_hide_no_rows_of_histogram_boosting(
        self, classes, declare, missing
    ):
        """A frame's columns of categories are split by sets, and come first."""
        rng = np.random.default_rng(0)

        def draw(n_rows):
            rows = pd.DataFrame({"size": rng.normal(size=n_rows)})
            kind = rng.choice(list("abcdefgh"), n_rows)
            rows["kind"] = pd.Categorical(kind, categories=list("abcdefgh"))
            rows["weight"] = rng.normal(size=n_rows)
            hidden = rows.mask(rng.random(rows.shape) < missing)
            # Half of the labels follow the kind, so that trees split by it.
            half = np.where(np.isin(kind, list("bdg")), 1.0, 0.0)
            y = np.where(rng.random(n_rows) < 0.5, half, rng.integers(0, 2, n_rows))
            return hidden, y

        learner = (
            ensemble.HistGradientBoostingClassifier
            if classes
            else ensemble.HistGradientBoostingRegressor
        )
        kinds = ["kind"] if declare else "from_dtype"
        model = learner(max_iter=5, categorical_features=kinds)
        (X, y), (X_new, y_new) = draw(1000), draw(1000)
        model.fit(X, y)
        tolerance = None if classes else 0.5
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(model, X, y, tolerance=tolerance)
        assert certify(model, X_new, y_new, tolerance=tolerance) > 0.2

    @pytest.mark.parametrize("boost", [True, False])
    @pytest.mark.parametrize("test_size", [0.49, 0.5, 0.51])
    def test_leaves_that_hold_whole_classes_are_no_sign(self, boost, test_size):
        """A stratified split fixes the numbers at the leaves, although the trees do not
        tell the classes.
        """
        rng = np.random.default_rng(0)
        y = np.repeat(np.arange(40), 50)
        X = y[:, np.newaxis] + rng.uniform(0, 0.5, size=(2000, 1))
        parts = train_test_split(X, y, test_size=test_size, stratify=y, random_state=0)
        model = DecisionTreeClassifier(random_state=0)
        if boost:
            model = ensemble.HistGradientBoostingClassifier(
                max_iter=1, min_samples_leaf=2, max_leaf_nodes=None
            )
        weights = None if boost else rng.uniform(1, 2, size=len(parts[0]))
        model.fit(parts[0], parts[2], sample_weight=weights)
        assert certify(model, parts[1], parts[3]).n_examples == len(parts[1])

    @pytest.mark.parametrize("change", [np.round, lambda y: y + 1.0])
    @pytest.mark.parametrize("convert", [deepcopy, from_sklearn])
    def test_other_answers_hide_no_rows_of_a_tree_for_numbers(self, convert, change):
        rng = np.random.default_rng(0)
        X, X_new = rng.normal(size=(2, 500, 4))
        y, y_new = rng.normal(size=(2, 500))
        tree = convert(DecisionTreeRegressor(random_state=0).fit(X, y))
        with pytest.raises(ValueError, match="look like a part of those"):
            certify(tree, X, change(y), tolerance=1.0)
        assert certify(tree, X_new, change(y_new), tolerance=1.0) > 0.3

    @pytest.mark.parametrize("convert", [deepcopy, from_sklearn])
    def test_weights_of_rows_hide_no_part_of_a_tree_for_numbers(self, convert):
        rng = np.random.default_rng(0)
        X, X_new = rng.normal(size=(2, 1000, 4))
        y, y_new = rng.normal(size=(2, 1000))
        tree = DecisionTreeRegressor(random_state=0)
        tree = convert(tree.fit(X, y, sample_weight=rng.uniform(1, 2, size=1000)))
        with pytest.raises(ValueError, match="look like a part of those"):
            certify(tree, X[:600], y[:600], tolerance=1.0)
        assert certify(tree, X_new[:600], y_new[:600], tolerance=1.0) > 0.3

    def test_weights_of_rows_hide_their_numbers_by_class(self):
        rng = np.random.default_rng(0)
        X, y = noisy(800, rng)
        tree = DecisionTreeClassifier(random_state=0, min_samples_leaf=5)
        tree.fit(X, y, sample_weight=rng.uniform(1, 2, size=800))
        counts = leaf_counts(tree)
        assert counts is not None
        assert counts.classes is None
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(tree, X, y)

    def test_rows_that_made_the_model_may_be_left_out(self):
        X, y = noisy(1000, np.random.default_rng(0))
        tree = DecisionTreeClassifier(random_state=0).fit(X[:800], y[:800])
        with pytest.raises(ValueError, match="seem to be among these"):
            certify(tree, X, y, duplicates="together")
        certificate = certify(tree, X, y, X_grown=X[:800], duplicates="together")
        assert certificate.n_examples == 200

    @pytest.mark.parametrize("n_classes", [2, 20])
    def test_larger_stratified_samples_are_accepted(self, n_classes):
        rng = np.random.default_rng(0)
        for noise in (0.0, 1.0):
            X = rng.normal(size=(1000, 3))
            ranks = (X[:, 0] + noise * rng.normal(size=1000)).argsort().argsort()
            y = ranks * n_classes // 1000
            parts = train_test_split(X, y, test_size=0.55, stratify=y, random_state=0)
            tree = DecisionTreeClassifier(random_state=0).fit(parts[0], parts[2])
            assert certify(tree, parts[1], parts[3]).n_examples == 550

    @pytest.mark.parametrize("n_leaves", [None, 12])
    def test_halves_of_a_table_and_all_rows_but_few_are_refused(self, n_leaves):
        """Many leaves show half of the table, and few show nearly all of it."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(1000, 5)), rng.integers(0, 2, size=1000)
        n_grown = 990 if n_leaves else 500
        tree = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0)
        tree.fit(X[:n_grown], y[:n_grown])
        with pytest.raises(ValueError, match="seem to be among these"):
            certify(tree, X, y)
        X, y = rng.normal(size=(1000, 5)), rng.integers(0, 2, size=1000)
        assert certify(tree, X, y) > 0.5

    @pytest.mark.parametrize(
        "p", [(0.2, 0.3, 0.5), (0.4, 0.3, 0.3), (0.9, 0.1, 0.0), (0.5, 0.25, 0.25)]
    )
    def test_the_evidence_is_at_most_one_on_average(self, p):
        """By adding up all samples of independent rows of two classes."""
        grown = np.array([[1, 1], [2, 0], [1, 1]])
        means = []
        for n_rows in ((4, 2), (5, 4), (7, 3)):
            mean = 0.0
            samples = (
                [k for k in product(range(m + 1), repeat=3) if sum(k) == m]
                for m in n_rows
            )
            for pair in product(*samples):
                # The rows of the second class are at the leaves in another order.
                chance = multinomial.pmf(pair[0], n_rows[0], p)
                chance *= multinomial.pmf(pair[1], n_rows[1], p[::-1])
                if chance:
                    evidence = log_evidence_of_more(grown, np.transpose(pair))
                    mean += chance * math.exp(evidence)
            means.append(mean)
        assert max(means) <= 1 + 1e-9

    def test_the_evidence_is_a_mean_of_quotients_of_two_probabilities(self):
        # The last class has a single row.
        grown = np.array([[4, 1, 0], [3, 6, 1], [3, 3, 0]])
        counts = np.array([[5, 1, 0], [4, 8, 2], [4, 4, 0]])
        quotients = []
        for weight in (0.0, 0.1, 0.3, 0.6, 1.0):
            quotient = 1.0
            for c, k in zip(grown.T, counts.T, strict=True):
                n, m = c.sum(), k.sum()
                q = (1 - weight) * c / n + weight * grown.sum(axis=1) / grown.sum()
                quotient *= multinomial.pmf(k - c, m - n, q)
                quotient /= multinomial.pmf(k, m, (c + (m - n) * q) / m)
            quotients.append(quotient)
        expected = math.log(np.mean(quotients))
        assert log_evidence_of_more(grown, counts) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "tells"),
    [
        ({}, True),
        ({"bootstrap": False}, True),
        ({"bootstrap": False, "class_weight": {0: 0.7, 1: 1.1}}, True),
        ({"max_samples": 0.5}, False),
    ],
    ids=["drawn", "all", "weighted", "part"],
)
def test_labels_tell_that_a_forest_drew_other_rows(options, tells):
    """Where they cannot tell, the rows have to be led through its first tree."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = ensemble.RandomForestClassifier(
        2, max_leaf_nodes=8, random_state=0, **options
    )
    counts = leaf_counts(forest.fit(X, y))
    assert counts.may_be_from(y)
    assert counts.may_be_from(1 - y) is not tells
    with pytest.raises(ValueError, match="the tree was grown on these examples"):
        certify(forest, X, y)


class Wrapper(ClassifierMixin, BaseEstimator):
    """A class as users write it: it prepares rows, and keeps its model anywhere."""

    def __init__(self, model, place="alone", prepare=None):
        self.model = model
        self.place = place
        self.prepare = prepare

    def fit(self, X, y):
        fitted = clone(self.model).fit(self._prepared(X), y)
        self.classes_ = np.unique(y)
        # An object that holds itself is looked at once.
        kept = {"alone": fitted, "list": [fitted], "mapping": {"own": self}}
        self.parts = kept[self.place]
        if self.place == "mapping":
            self.parts["model"] = (fitted,)
        self.fitted_ = fitted
        return self

    def predict(self, X):
        return self.fitted_.predict(self._prepared(X))

    def _prepared(self, X):
        return np.asarray(X) if self.prepare is None else self.prepare(np.asarray(X))


def _noise(n_rows, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, 4)), rng.integers(0, 2, n_rows)


OF_WRAPPERS = [
    (BoundPrunedTreeClassifier(rule=0.0, random_state=0), MORE_THAN_CHANCE, 60),
    (KNeighborsClassifier(1), MORE_THAN_CHANCE, 60),
    (DecisionTreeClassifier(random_state=0), SAME_COUNTS, 400),
    (GridSearchCV(DecisionTreeClassifier(), {"max_depth": [9]}), SAME_COUNTS, 400),
]


@pytest.mark.parametrize("place", ["alone", "list", "mapping"])
@pytest.mark.parametrize(("model", "message", "n_rows"), OF_WRAPPERS)
def test_models_in_a_class_of_the_caller_are_looked_at(model, message, n_rows, place):
    X, y = _noise(400, seed=0)
    fitted = Wrapper(model, place).fit(X, y)
    with pytest.raises(ValueError, match=message):
        certify(fitted, X[:n_rows], y[:n_rows])
    with pytest.raises(ValueError, match=message):
        certify(make_pipeline(StandardScaler(), clone(fitted)).fit(X, y), X, y)
    assert certify(fitted, *_noise(300, seed=1)).value > 0.4


@pytest.mark.parametrize(
    "prepare",
    [
        lambda X: X[:, :2],
        lambda X: np.hstack([X, X]),
        np.nan_to_num,
        lambda X: pd.DataFrame(X, columns=["a", "b", "c", "d"]),
    ],
)
@pytest.mark.parametrize("duplicates", ["refuse", "together"])
@pytest.mark.parametrize("model", [case[0] for case in OF_WRAPPERS[1:]])
def test_rows_that_a_class_of_the_caller_changes_are_certified(
    model, prepare, duplicates, recwarn
):
    fitted = Wrapper(model, prepare=prepare).fit(*_noise(400, seed=0))
    X, y = _noise(300, seed=1)
    if prepare is np.nan_to_num:
        X[:9, 0] = np.nan
    assert certify(fitted, X, y, duplicates=duplicates).value > 0.4
    assert not recwarn


def _weighted(learner, is_of_numbers=False):
    """A learner that was fitted with a weight for each row, and its sample."""
    rng = np.random.default_rng(0)
    X, y = noisy(800, rng)
    if is_of_numbers:
        y = y + rng.normal(size=800)
    weights = rng.uniform(0.2, 3, size=800)
    return learner.fit(X, y, sample_weight=weights), X, y, weights


def _light():
    lightgbm = pytest.importorskip("lightgbm")
    return lightgbm.LGBMClassifier(n_estimators=1, n_jobs=1, verbose=-1)


def _boosted():
    xgboost = pytest.importorskip("xgboost")
    return xgboost.XGBClassifier(n_estimators=1, n_jobs=1)


def _batches(*sample):
    parts = [np.split(values, [300]) for values in sample]
    return list(zip(*parts, strict=True))


SMALL_LEAVES = {"min_samples_leaf": 5, "random_state": 0}


def test_rows_pass_the_steps_before_a_model_once_for_all_its_trees():
    """They pass them twice: the model predicts, and the leaves are counted."""
    passed = []

    def as_they_are(rows):
        passed.append(len(rows))
        return rows

    X, y = load_breast_cancer(return_X_y=True)
    boosted = ensemble.HistGradientBoostingClassifier(max_iter=5, random_state=0)
    model = make_pipeline(FunctionTransformer(as_they_are), boosted)
    model.fit(X[:200], y[:200])
    passed.clear()
    certify(model, X[200:], y[200:])
    assert passed.count(369) == 2


class TestWeightsOfRows:
    """Numbers of rows are kept beside weights, so own rows are recognized."""

    @pytest.mark.parametrize(
        "made",
        [
            lambda tree, *_: tree,
            lambda tree, *_: from_sklearn(tree),
            lambda tree, X, y, w: from_sklearn(tree, X, y, sample_weight=w),
            lambda tree, *_: from_json(to_json(tree)),
            lambda tree, *_: to_sklearn(from_sklearn(tree)),
            lambda tree, *_: from_sklearn(to_sklearn(from_sklearn(tree))),
            lambda tree, *_: pickle.loads(pickle.dumps(from_sklearn(tree))),
            lambda tree, *_: deepcopy(from_sklearn(tree)),
            lambda tree, *_: named(from_sklearn(tree)),
            lambda tree, *_: from_sklearn(tree).collapse([5]),
            lambda tree, X, y, w: prune(
                from_sklearn(tree), X, y, sample_weight=w, rule=0.001
            ),
            lambda tree, *_: make_pipeline(tree),
        ],
    )
    @pytest.mark.parametrize(
        ("learner", "asked"),
        [
            (DecisionTreeClassifier(**SMALL_LEAVES), {}),
            (DecisionTreeRegressor(**SMALL_LEAVES), {"tolerance": 1.0}),
        ],
        ids=["classes", "numbers"],
    )
    def test_of_trees_in_any_form(self, made, learner, asked):
        model, X, y, weights = _weighted(clone(learner), bool(asked))
        tree = made(model, X, y, weights)
        order = np.random.default_rng(1).permutation(800)
        for rows in (X[order], np.float32(X[order])):
            with pytest.raises(ValueError, match=SAME_COUNTS):
                certify(tree, rows, y[order], **asked)
        X_new, y_new = noisy(800, np.random.default_rng(2))
        assert certify(tree, X_new, y_new, **asked).n_examples == 800

    @pytest.mark.parametrize(
        ("learner", "read"),
        [(_light, from_lightgbm), (_boosted, from_xgboost)],
        ids=["LightGBM", "XGBoost"],
    )
    def test_of_trees_of_boosters(self, learner, read):
        model, X, y, weights = _weighted(learner())
        new = noisy(800, np.random.default_rng(2))
        for tree in (
            read(model, X, y, sample_weight=weights),
            read(model, _batches(X, y, weights)),
        ):
            assert tree.example_counts[0] == 800
            with pytest.raises(ValueError, match=SAME_COUNTS):
                certify(tree, X, y)
            assert certify(tree, *new).n_examples == 800

    def test_a_tree_of_a_document_that_was_counted(self):
        tree, X, y, weights = _weighted(DecisionTreeClassifier(**SMALL_LEAVES))
        document = json.loads(to_json(tree))
        for node in document["nodes"]:
            del node["class_counts"], node["n_examples"]
        counted = from_json(document, X, y, sample_weight=weights)
        with pytest.raises(ValueError, match=SAME_COUNTS):
            certify(counted, X, y)

    def test_weights_of_classes_do_not_hide_classes_in_arrays(self):
        X, y = noisy(1000, np.random.default_rng(0))
        grown = DecisionTreeClassifier(class_weight={0: 1.0, 1: 17.3}, random_state=0)
        tree = from_sklearn(grown.fit(X[:800], y[:800]))
        with pytest.raises(ValueError, match="seem to be among these"):
            certify(tree, X, y)
        with pytest.raises(ValueError, match="look like a part of those"):
            certify(tree, X[:700], y[:700])

    def test_rows_without_weight_had_no_part(self):
        X, y = noisy(800, np.random.default_rng(0))
        weights = np.repeat([1.7, 0.0], 400)
        grown = DecisionTreeClassifier(**SMALL_LEAVES).fit(X, y, weights)
        for tree in (grown, from_sklearn(grown, X, y, sample_weight=weights)):
            with pytest.raises(ValueError, match=SAME_COUNTS):
                certify(tree, X[:400], y[:400])
            assert certify(tree, X[400:], y[400:]).n_examples == 400
