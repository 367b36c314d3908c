"""A part of the sample that a tree was grown on is recognized by its numbers at the
leaves, and so are all of its rows among others.
"""

import math
from copy import deepcopy
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multinomial, multivariate_hypergeom
from sklearn import ensemble
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds import certify
from treebounds.formats import from_sklearn
from treebounds.risk.reuse.leaf_counters import are_a_part, are_among_more
from treebounds.risk.reuse.leaf_counts.of_model import leaf_counts
from treebounds.risk.reuse.leaf_evidence import (
    log_chance_of_classes,
    log_evidence,
    log_evidence_of_more,
)
from used_rows import SAME_COUNTS, noisy


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
