"""Certificates of trees by their message, their growth function, and their prunings."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedTreeClassifier,
    FeatureKinds,
)
from treebounds.capacity import log_all_structures_growth_bound
from treebounds.exceptions import MovedThresholdsWarning
from treebounds.formats import from_sklearn
from treebounds.risk import certify_by_growth, certify_by_message, certify_prunings
from treebounds.risk.feature_kinds import known_features
from treebounds.risk.growth_bounds import (
    GHOSTS_PER_EXAMPLE,
    growth_bound,
    hypergeometric_bound,
    relative_deviation_bound,
)
from treebounds.risk.occam import occam_bounds
from treebounds.trees.counting import held_out_errors


def by_message(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MovedThresholdsWarning)
        return certify_by_message(*arguments, **options)


THEOREMS = [by_message, certify_by_growth, certify_prunings]
OF_ALL_TREES = [by_message, certify_by_growth]


def sample_for(theorem, halves):
    tree, X, y, X_new, y_new = halves
    return (tree, X_new, y_new) if theorem is certify_prunings else (tree, X, y)


@pytest.mark.parametrize("theorem", THEOREMS)
def test_a_certificate_is_above_the_error_that_it_counts(halves, theorem):
    certificate = theorem(*sample_for(theorem, halves), delta=0.1)
    assert certificate.n_errors / certificate.n_examples < certificate.value < 1
    assert certificate.delta == 0.1


@pytest.mark.parametrize("theorem", THEOREMS)
def test_a_tree_with_monotonicity_constraints_is_refused(halves, theorem):
    _, X, y = sample_for(theorem, halves)
    constraints = [1] + [0] * (X.shape[1] - 1)
    tree = DecisionTreeClassifier(max_depth=2, monotonic_cst=constraints).fit(X, y)
    with pytest.raises(ValueError, match="tree must be grown without monotonic_cst"):
        theorem(tree, X, y)


@pytest.mark.parametrize("theorem", THEOREMS)
def test_more_certainty_costs_more(halves, theorem):
    arguments = sample_for(theorem, halves)
    assert theorem(*arguments, delta=0.01) > theorem(*arguments, delta=0.1)


@pytest.mark.parametrize("theorem", THEOREMS)
def test_the_sentence_is_about_the_certificates_tree(halves, theorem):
    certificate = theorem(*sample_for(theorem, halves))
    n_leaves = certificate.estimator.get_n_leaves()
    assert certificate.n_leaves == n_leaves
    assert f"this tree with {n_leaves} leaves errs on" in certificate.sentence


@pytest.fixture(scope="module")
def growth(halves):
    """The prices of the growth bounds of the tree, and its number of errors."""
    tree, X, y, _, _ = halves
    m, l = X.shape
    L = from_sklearn(tree).n_leaves
    ghosts = GHOSTS_PER_EXAMPLE * m
    return {
        "errors": int((tree.predict(X) != y).sum()),
        "prior": math.log(6 / math.pi**2 / L**2),
        "ghosts": ghosts,
        "double": log_all_structures_growth_bound(L, 2 * m, l, 2),
        "more": log_all_structures_growth_bound(L, m + ghosts, l, 2),
    }


def test_the_growth_bound_is_its_formula(halves, growth):
    tree, X, y, _, _ = halves
    certificate = certify_by_growth(tree, X, y)
    expected = hypergeometric_bound(
        len(y), growth["errors"], growth["ghosts"], growth["more"], growth["prior"]
    )
    assert certificate.value == expected
    assert expected < relative_deviation_bound(
        len(y), growth["errors"], growth["double"], growth["prior"]
    )


def test_the_growth_bound_exceeds_one_by_relative_deviations(halves, growth):
    tree, X, _, _, _ = halves
    m, l = X.shape
    expected = relative_deviation_bound(m, m, growth["double"], growth["prior"])
    assert growth_bound(tree.get_n_leaves(), m, m, 2, l) == expected
    assert 1 < expected < 2


class TestKindsOfColumns:
    @pytest.fixture
    def binary(self):
        rng = np.random.default_rng(0)
        X = rng.integers(2, size=(400, 10)).astype(float)
        y = (X[:, 0] * X[:, 1]).astype(int)
        tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)
        return tree, X, y

    def test_known_kinds_cost_less(self, binary):
        kinds = dict.fromkeys(range(10), 2)
        known = certify_by_growth(*binary, feature_kinds=kinds)
        assert known < certify_by_growth(*binary)
        expected = growth_bound(
            known.n_leaves, 400, known.n_errors, 2, FeatureKinds(binary=10)
        )
        assert known.value == expected

    def test_they_are_assumed_to_be_known_before(self, binary):
        certificate = certify_by_growth(*binary, feature_kinds={0: 2})
        text = " ".join(certificate.assumptions)
        assert "declared of their kinds were known before" in text

    def test_the_estimator_takes_them_too(self, binary):
        tree, X, y = binary
        kinds = dict.fromkeys(range(10), 2)
        model = CertifiedTreeClassifier(
            method="growth", feature_kinds=kinds, random_state=0
        )
        certificate = model.fit(X, y).certificate_
        assert certificate <= certify_by_growth(tree, X, y, feature_kinds=kinds)

    def test_levels_count_whether_they_occur_or_not(self, binary):
        _, X, _ = binary
        assert known_features(X, X, {0: 5}) == FeatureKinds(real=9, ordinal=[5])

    def test_an_unknown_column_is_named(self, binary):
        with pytest.raises(ValueError, match="X has the columns 0 to 9; got 10"):
            certify_by_growth(*binary, feature_kinds={10: 2})


class TestMessage:
    def test_a_warning_says_that_the_certified_tree_is_a_copy(self, halves):
        tree, X, y, _, _ = halves
        before = tree.tree_.threshold.copy()
        with pytest.warns(MovedThresholdsWarning, match="are training values"):
            certify_by_message(tree, X, y)
        assert np.array_equal(tree.tree_.threshold, before)

    def test_the_copy_predicts_nearly_the_same(self, halves):
        tree, X, y, X_new, _ = halves
        certified = by_message(tree, X, y).estimator
        assert np.array_equal(certified.predict(X), tree.predict(X))
        assert (certified.predict(X_new) != tree.predict(X_new)).mean() < 0.05

    def test_a_tree_with_certified_thresholds_is_not_copied(self, halves):
        tree, X, y, _, _ = halves
        certificate = by_message(tree, X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = certify_by_message(certificate.estimator, X, y)
        assert again.estimator is certificate.estimator
        assert again.value == certificate.value

    def test_a_single_leaf_is_certified(self):
        X, y = load_wine(return_X_y=True)
        leaf = DecisionTreeClassifier(max_depth=1, min_impurity_decrease=1.0).fit(X, y)
        certificate = certify_by_message(leaf, X, y)
        assert certificate.estimator is leaf
        assert certificate > 107 / 178

    def test_a_single_class_is_certified(self):
        X, _ = load_wine(return_X_y=True)
        constant = DecisionTreeClassifier().fit(X, np.zeros(len(X)))
        assert certify_by_message(constant, X, np.zeros(len(X))) < 0.03


class TestPrunings:
    def test_the_value_is_the_smallest_bound(self, halves):
        tree, _, _, X_new, y_new = halves
        certificate = certify_prunings(tree, X_new, y_new)
        full = from_sklearn(tree)
        codes = np.searchsorted(tree.classes_, y_new)
        errors = held_out_errors(full, X_new, codes)
        assert certificate.value == occam_bounds(full, errors, len(codes))[1].min()

    def test_the_estimator_is_the_pruning(self, halves):
        tree, _, _, X_new, y_new = halves
        certificate = certify_prunings(tree, X_new, y_new)
        pruned = certificate.estimator
        assert pruned.get_n_leaves() <= tree.get_n_leaves()
        assert certificate.n_errors == (pruned.predict(X_new) != y_new).sum()

    def test_missing_values_are_allowed(self, halves):
        _, X, y, X_new, y_new = halves
        holes, new_holes = (np.where(rows > 1000, np.nan, rows) for rows in (X, X_new))
        tree = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(holes, y)
        assert certify_prunings(tree, new_holes, y_new) < 1


@pytest.mark.parametrize("theorem", [by_message, certify_prunings])
@pytest.mark.parametrize(
    "model",
    [
        CertifiedTreeClassifier(method="growth", random_state=0),
        BoundPrunedTreeClassifier(rule=0.0, random_state=0),
    ],
    ids=["certified", "pruned"],
)
def test_a_certified_copy_knows_nothing_of_the_tree_it_was_made_from(theorem, model):
    X, y = load_breast_cancer(return_X_y=True)
    model = model.fit(X[::2], y[::2])
    rows = slice(1, None, 2) if theorem is certify_prunings else slice(None, None, 2)
    copy = theorem(model, X[rows], y[rows]).estimator
    assert type(copy) is DecisionTreeClassifier
    plain = DecisionTreeClassifier().fit(X, y)
    # A record of the rows that made it is all it has besides.
    assert vars(copy).keys() <= vars(plain).keys() | {"_row_memory_"}


@pytest.mark.parametrize("theorem", OF_ALL_TREES)
def test_more_classes_than_were_met_cost_more(theorem):
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)
    assert theorem(tree, X, y, n_classes=9) > theorem(tree, X, y)
    message = "n_classes must be an integer of at least 3; got 2"
    with pytest.raises(ValueError, match=message):
        theorem(tree, X, y, n_classes=2)


@pytest.mark.parametrize("theorem", OF_ALL_TREES)
def test_missing_values_are_refused(halves, theorem):
    _, X, y, _, _ = halves
    holes = np.where(X > 1000, np.nan, X)
    tree = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(holes, y)
    with pytest.raises(ValueError, match="X contains NaN"):
        theorem(tree, holes, y)


@pytest.mark.parametrize("theorem", THEOREMS)
def test_a_sample_of_another_shape_is_refused(halves, theorem):
    tree, X, y = sample_for(theorem, halves)
    with pytest.raises(ValueError, match="y must have one label for each"):
        theorem(tree, X, y[:-1])
    with pytest.raises(ValueError, match="features"):
        theorem(tree, X[:, :3], y)


@pytest.mark.parametrize("theorem", THEOREMS)
def test_a_label_that_the_tree_does_not_know_is_named(halves, theorem):
    tree, X, y = sample_for(theorem, halves)
    labels = np.where(np.arange(len(y)) == 3, "unknown", y)
    message = r"y has labels that the tree does not know, \['unknown'\]"
    with pytest.raises(ValueError, match=message):
        theorem(tree, X, labels)


@pytest.mark.parametrize("theorem", THEOREMS)
def test_what_is_not_a_fitted_tree_is_refused(halves, theorem):
    tree, X, y = sample_for(theorem, halves)
    with pytest.raises(ValueError, match="is not fitted yet: call fit on this Decis"):
        theorem(DecisionTreeClassifier(), X, y)
    with pytest.raises(ValueError, match="DecisionTreeClassifier"):
        theorem(make_pipeline(StandardScaler(), tree), X, y)


@pytest.mark.parametrize("theorem", THEOREMS)
def test_delta_is_checked(halves, theorem):
    with pytest.raises(ValueError, match="delta must be a number in"):
        theorem(*sample_for(theorem, halves), delta=1.0)


@pytest.mark.parametrize("certify_tree", [certify_by_growth, certify_prunings])
def test_rows_of_a_frame_give_no_warning_about_names(certify_tree):
    frame = pd.DataFrame(
        np.random.default_rng(0).normal(size=(200, 2)), columns=["a", "b"]
    )
    y = frame["a"] > 0
    tree = DecisionTreeClassifier().fit(frame[:100], y[:100])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        certificate = certify_tree(tree, frame[100:], y[100:])
    assert certificate.n_errors <= 5


@pytest.mark.parametrize("theorem", THEOREMS)
def test_a_tree_that_predicts_otherwise_than_its_nodes_has_no_bound(halves, theorem):
    class Contrarian(DecisionTreeClassifier):
        def predict(self, X, check_input=True):
            return 1 - super().predict(X)

    _, *sample = sample_for(theorem, halves)
    tree = Contrarian(random_state=0).fit(*halves[1:3])
    with pytest.raises(ValueError, match="must predict by its nodes"):
        theorem(tree, *sample)
