"""The sample that a tree was grown on is recognized by its numbers at the leaves."""

import json
import math
import pickle
from copy import deepcopy
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix
from sklearn import ensemble
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import (
    FixedThresholdClassifier,
    TunedThresholdClassifierCV,
    train_test_split,
)
from sklearn.multiclass import (
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.class_weight import compute_sample_weight

from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedTreeClassifier,
    CertifiedTreeRegressor,
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
from treebounds.risk.reuse.leaf_counts.of_model import leaf_counts
from treebounds.risk.reuse.leaf_evidence import log_chance, log_chance_of_totals
from used_rows import MORE_THAN_CHANCE, SAME_COUNTS, noisy

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


def as_sparse_frame(X):
    """A frame whose columns are all sparse, as get_dummies(sparse=True) makes it."""
    return pd.DataFrame(X).astype(pd.SparseDtype("float", 0.0))


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


@pytest.mark.parametrize("form", [as_sparse_frame, coo_matrix], ids=["frame", "coo"])
def test_sparse_tables_from_which_no_columns_are_taken_judge(form):
    X, y = coins()
    X = np.where(X < 0.5, 0.0, X)
    tree = DecisionTreeClassifier(random_state=0).fit(X[:150], y[:150])

    certificate = certify(tree, form(X[150:]), y[150:])
    assert certificate.n_errors == certify(tree, X[150:], y[150:]).n_errors
    with pytest.raises(ValueError, match="grown on these examples"):
        certify(tree, form(X[:150]), y[:150])


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
