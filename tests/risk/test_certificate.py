"""Certificates of fitted scikit-learn trees: values, the certified estimator, warnings, bad input."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, export_text

from treebounds import (
    BoundPrunedTreeClassifier,
    ReducedErrorPrunedTreeClassifier,
    certify,
    shawe_taylor_bound,
)
from treebounds.risk import (
    METHODS,
    MovedThresholdsWarning,
    ReusedDataWarning,
    RiskCertificate,
    hypergeometric_bound,
    relative_deviation_bound,
)
from treebounds.risk.certificate import GHOSTS_PER_EXAMPLE
from treebounds.risk.tail_inversion import binomial_tail_inversion

OTHER_DATA = ("occam", "pac-bayes", "test-set")
OWN_DATA = tuple(method for method in METHODS if method not in OTHER_DATA)


@pytest.fixture(scope="module")
def halves():
    X, y = load_breast_cancer(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, np.array(["benign", "malignant"])[y], random_state=0)
    return DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, y), X, y, X_new, y_new


def quietly(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MovedThresholdsWarning)
        return certify(*arguments, **options)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_certifies(halves, method):
    tree, X, y, X_new, y_new = halves
    data = (X_new, y_new) if method in OTHER_DATA else (X, y)
    certificate = quietly(tree, *data, delta=0.1, method=method)
    assert float(certificate) == certificate.value
    assert 0 < float(certificate) <= 1
    assert (certificate.method, certificate.delta, certificate.n_examples) == (method, 0.1, len(data[0]))
    assert certificate.n_errors / certificate.n_examples < float(certificate)
    assert float(quietly(tree, *data, delta=0.01, method=method)) >= float(certificate)
    promise = f"With probability 0.9 over the sample of {len(data[0])} examples"
    assert str(certificate).startswith(promise if float(certificate) < 1 else "This bound, 1, is not below 1")
    assert method in str(certificate)


def test_the_growth_methods_are_their_formulas(halves):
    tree, X, y, _, _ = halves
    m, l, L = *X.shape, int(tree.get_n_leaves())
    k = int((tree.predict(X) != y).sum())

    def log_growth(m):
        N = L - 1
        return math.log(2**L * l**N * math.comb(2 * N, N) * math.comb(m - 1, N) / (N + 1))

    prior = math.log(6 / math.pi**2 / L**2)
    ghosts = GHOSTS_PER_EXAMPLE * m
    expected = {
        "growth": relative_deviation_bound(m, k, log_growth(2 * m), prior),
        "hypergeometric": hypergeometric_bound(m, k, ghosts, log_growth(m + ghosts), prior),
        "shawe-taylor": shawe_taylor_bound(
            m, k, log_growth(2 * m), math.log1p(-(2**-13.7)) - 13.7 * k * math.log(2), prior
        ),
    }
    for method, value in expected.items():
        assert float(certify(tree, X, y, method=method)) == pytest.approx(min(value, 1.0))
    values = [
        float(certify(tree, X, y, method="growth", growth=g)) for g in ("tight", "closed", "loose-corrected")
    ]
    assert values[0] <= values[1]
    assert values[0] <= values[2]


def test_the_test_set_bound_counts_the_errors(halves):
    tree, _, _, X_new, y_new = halves
    k = int((tree.predict(X_new) != y_new).sum())
    expected = binomial_tail_inversion(k, len(y_new), math.log(0.05))
    assert float(certify(tree, X_new, y_new, method="test-set")) == expected


@pytest.mark.parametrize("method", ["description-length", "description-length-plain"])
def test_the_certified_tree_is_the_one_to_predict_with(halves, method):
    tree, X, y, X_new, _ = halves
    with pytest.warns(MovedThresholdsWarning, match="thresholds are training values"):
        certificate = certify(tree, X, y, method=method)
    certified = certificate.estimator
    assert np.array_equal(certified.predict(X), tree.predict(X))
    assert (certified.predict(X_new) != tree.predict(X_new)).mean() < 0.05
    values = X.astype(np.float32)
    for node in np.flatnonzero(certified.tree_.children_left >= 0):
        column, threshold = values[:, certified.tree_.feature[node]], certified.tree_.threshold[node]
        assert threshold in column or np.nextafter(np.float32(threshold), np.float32(np.inf)) in column
    assert "class: benign" in export_text(certified)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = certify(certified, X, y, method=method)
    assert again.estimator is certified
    assert float(again) == float(certificate)


def test_the_original_is_untouched(halves):
    tree, X, y, _, _ = halves
    before = tree.tree_.threshold.copy()
    quietly(tree, X, y)
    assert np.array_equal(tree.tree_.threshold, before)


@pytest.mark.parametrize("method", OTHER_DATA)
def test_reused_data_raise_a_warning(halves, method):
    tree, X, y, X_new, y_new = halves
    with pytest.warns(ReusedDataWarning, match="had no part in choosing the tree"):
        certify(tree, X, y, method=method)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        certify(tree, X_new, y_new, method=method)


@pytest.mark.parametrize("method", OWN_DATA)
def test_an_estimator_fitted_on_other_data_is_refused(halves, method):
    tree, _, _, X_new, y_new = halves
    with pytest.raises(ValueError, match=r"X: .* needs the examples that the tree was grown on.*'test-set'"):
        certify(tree, X_new, y_new, method=method)


@pytest.mark.parametrize("method", OWN_DATA)
def test_an_estimator_that_holds_examples_out_is_certified_on_the_others(halves, method):
    _, X, y, _, _ = halves
    tree = ReducedErrorPrunedTreeClassifier(validation_fraction=0.25, random_state=0).fit(X, y)
    grown_on = np.delete(np.arange(len(y)), tree.validation_indices_)
    message = f"It was grown on {len(grown_on)} examples, and X has {len(y)}.*validation_indices_"
    with pytest.raises(ValueError, match=message):
        certify(tree, X, y, method=method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MovedThresholdsWarning)
        assert certify(tree, X[grown_on], y[grown_on], method=method).n_examples == len(grown_on)


def test_the_shawe_taylor_certificate_is_clipped_and_the_estimators_bound_is_not(halves):
    _, X, y, _, _ = halves
    model = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    assert model.risk_bound_ > 1
    assert certify(model, X, y, method="shawe-taylor") == 1.0
    larger = BoundPrunedTreeClassifier(random_state=0).fit(np.tile(X, (40, 1)), np.tile(y, 40))
    certificate = certify(larger, np.tile(X, (40, 1)), np.tile(y, 40), method="shawe-taylor")
    assert float(certificate) == pytest.approx(float(larger.risk_bound_))
    assert certificate < 1


def test_occam_prunes_and_pac_bayes_mixes(halves):
    tree, _, _, X_new, y_new = halves
    occam = certify(tree, X_new, y_new, method="occam")
    assert occam.estimator.get_n_leaves() <= tree.get_n_leaves()
    assert occam.n_errors == (occam.estimator.predict(X_new) != y_new).sum()
    expected = binomial_tail_inversion(occam.n_errors, len(y_new), math.log(0.05) - occam.nats)
    assert float(occam) == pytest.approx(expected)
    mixture = certify(tree, X_new, y_new, method="pac-bayes").estimator
    assert np.allclose(mixture.predict_proba(X_new).sum(axis=1), 1)


def test_more_classes_than_were_met_cost_more():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)
    assert float(quietly(tree, X, y, n_classes=9)) > float(quietly(tree, X, y))
    with pytest.raises(ValueError, match="n_classes"):
        certify(tree, X, y, n_classes=2)


def test_a_single_leaf_and_a_single_class():
    X, y = load_wine(return_X_y=True)
    leaf = DecisionTreeClassifier(max_depth=1, min_impurity_decrease=1.0).fit(X, y)
    certificate = certify(leaf, X, y)
    assert certificate.estimator is leaf
    assert float(certificate) > 107 / 178
    one = DecisionTreeClassifier().fit(X, np.zeros(len(X)))
    assert float(certify(one, X, np.zeros(len(X)))) < 0.03


@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, math.nan, "0.05"])
def test_delta_outside_its_range(halves, delta):
    with pytest.raises(ValueError, match="delta"):
        certify(*halves[:3], delta=delta)


@pytest.mark.parametrize("bound", ["hypergeometric", "growth"])
def test_missing_values_are_paid_for_as_in_the_estimator(halves, bound):
    _, X, y, X_new, y_new = halves
    holes = np.where(X > 1000, np.nan, X)
    model = BoundPrunedTreeClassifier(bound=bound, random_state=0).fit(holes, y)
    certificate = certify(model, holes, y, method=bound)
    assert float(certificate) == pytest.approx(float(model.risk_bound_))
    without = BoundPrunedTreeClassifier(bound=bound, random_state=0).fit(X, y)
    assert certify(without, X, y, method=bound) < certificate
    tested = certify(model, np.where(X_new > 1000, np.nan, X_new), y_new, method="test-set")
    assert tested.n_errors == (model.predict(np.where(X_new > 1000, np.nan, X_new)) != y_new).sum()


def test_bad_input_is_named(halves):
    tree, X, y, _, _ = halves
    with pytest.raises(ValueError, match="method must be one of 'description-length'"):
        certify(tree, X, y, method="bootstrap")
    with pytest.raises(ValueError, match=r"y: labels \['unknown'\] were unseen in training"):
        certify(tree, X, np.where(np.arange(len(y)) == 3, "unknown", y))
    with pytest.raises(ValueError, match="y must have one label for each"):
        certify(tree, X, y[:-1])
    with pytest.raises(ValueError, match="features"):
        certify(tree, X[:, :3], y)
    with pytest.raises(ValueError, match="X must not have missing values"):
        certify(tree, np.where(X > 1000, np.nan, X), y)
    with pytest.raises(ValueError, match="not fitted"):
        certify(DecisionTreeClassifier(), X, y)
    with pytest.raises(ValueError, match="DecisionTreeClassifier"):
        certify(make_pipeline(StandardScaler(), DecisionTreeClassifier()).fit(X, y), X, y)
    for growth in ("huge", "loose"):
        with pytest.raises(ValueError, match="growth must be one of"):
            certify(tree, X, y, method="growth", growth=growth)


def test_the_sentence_does_not_promise_less_than_the_certificate():
    assert "at most 14.8% of new cases" in str(RiskCertificate(0.14711, "growth", 0.05, 569, 30))


@pytest.mark.parametrize("bound", [relative_deviation_bound, partial(hypergeometric_bound, n_ghosts=80)])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_errors": 11}, "n_errors must be at most n_examples = 10"),
        ({"log_growth": math.nan}, r"log_growth must be a number in \[0, inf\]"),
        ({"log_prior": 0.1}, r"log_prior must be a number in \[-inf, 0\]"),
        ({"delta": 0.0}, r"delta must be a number in \(0, 1\)"),
    ],
)
def test_growth_bounds_name_a_bad_argument(bound, changed, message):
    good = {"n_examples": 10, "n_errors": 2, "log_growth": 5.0, "log_prior": -1.0}
    with pytest.raises(ValueError, match=message):
        bound(**good | changed)
