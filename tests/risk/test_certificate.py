"""Certificates of fitted classifiers: values, what is certified, which rows are
refused, bad input.
"""

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from treebounds import CertifiedTreeClassifier, FeatureKinds, certify
from treebounds.capacity import log_all_structures_growth_bound
from treebounds.formats import from_sklearn, to_sklearn
from treebounds.risk import Certificate, binomial_tail_inversion
from treebounds.risk._features import known_features
from treebounds.risk.certifying import MovedThresholdsWarning
from treebounds.risk.growth_bounds import (
    GHOSTS_PER_EXAMPLE,
    growth_bound,
    hypergeometric_bound,
    relative_deviation_bound,
)
from treebounds.risk.occam import occam_bounds
from treebounds.risk.tail_inversion import bounded_mean_inversion
from treebounds.trees.counting import held_out_errors

METHODS = ("test-set", "message", "occam", "growth")
OTHER_DATA = ("occam", "test-set")
BAGS = [
    ensemble.BaggingClassifier(n_estimators=9, bootstrap=drawn)
    for drawn in (False, True)
]
FOREST, EXTRA = (
    ensemble.RandomForestClassifier(9, class_weight="balanced"),
    ensemble.ExtraTreesClassifier(3),
)
KNOWING = [
    "lightgbm",
    ensemble.GradientBoostingClassifier(n_estimators=3),
    EXTRA,
    FOREST,
    *BAGS,
]
REMEMBERS = CertifiedTreeClassifier(
    method="growth", random_state=0
)  # any of the library's estimators does


@pytest.fixture(scope="module")
def halves():
    X, y = load_breast_cancer(return_X_y=True)
    X, X_new, y, y_new = train_test_split(
        X, np.array(["benign", "malignant"])[y], random_state=0
    )
    return (
        DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, y),
        X,
        y,
        X_new,
        y_new,
    )


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
    assert 0 < certificate.value < 1
    assert (certificate.method, certificate.delta) == (method, 0.1)
    assert certificate.n_errors / certificate.n_examples < certificate.value
    assert quietly(tree, *data, delta=0.01, method=method).value > certificate.value
    start = (
        "With probability 0.9 over"
        f" {'the examples that made it and ' * (method == 'message')}"
    )
    assert str(certificate).startswith(f"{start}the {certificate.n_examples} examples")
    assert certificate.n_leaves == certificate.estimator.get_n_leaves()
    assert f"this tree with {certificate.n_leaves} leaves errs on" in str(certificate)
    assert all(sentence.endswith(".") for sentence in certificate.assumptions)


def test_the_growth_bounds_are_their_formulas(halves):
    tree, X, y = halves[:3]
    m, l = X.shape
    L = int(tree.get_n_leaves())
    k = int((tree.predict(X) != y).sum())
    prior = math.log(6 / math.pi**2 / L**2)

    ghosts = GHOSTS_PER_EXAMPLE * m
    more = log_all_structures_growth_bound(L, m + ghosts, l, 2)
    double = log_all_structures_growth_bound(L, 2 * m, l, 2)
    expected = hypergeometric_bound(m, k, ghosts, more, prior)
    assert expected < relative_deviation_bound(m, k, double, prior)
    assert growth_bound(L, m, k, 2, l) == expected
    assert certify(tree, X, y, method="growth").value == expected

    assert 1 < growth_bound(L, m, m, 2, l) < 2
    assert growth_bound(L, m, m, 2, l) == relative_deviation_bound(m, m, double, prior)


def test_columns_of_known_kinds_cost_less():
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(400, 10)).astype(float)
    y = (X[:, 0] * X[:, 1]).astype(int)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)
    options = {"method": "growth", "delta": 0.1}
    real = certify(tree, X, y, **options)
    known = certify(tree, X, y, feature_kinds=dict.fromkeys(range(10), 2), **options)
    assert known.value < real.value
    assert "declared of their kinds were known before" in " ".join(known.assumptions)
    assert known.value == growth_bound(
        known.n_leaves, 400, known.n_errors, 2, FeatureKinds(binary=10), 0.1
    )
    model = CertifiedTreeClassifier(
        feature_kinds=dict.fromkeys(range(10), 2), random_state=0, **options
    )
    assert model.fit(X, y).certificate_.value <= known.value
    assert known_features(X, X, {0: 5}) == FeatureKinds(
        real=9, ordinal=[5]
    )  # whether they occur or not
    with pytest.raises(ValueError, match="X has the columns 0 to 9; got 10"):
        certify(tree, X, y, feature_kinds={10: 2}, **options)


def test_the_test_set_bound_counts_the_errors(halves):
    tree, _, _, X_new, y_new = halves
    k = int((tree.predict(X_new) != y_new).sum())
    assert certify(tree, X_new, y_new).value == binomial_tail_inversion(
        k, len(y_new), math.log(0.05)
    )
    # a label that the tree does not know is an error
    unknown = np.where(np.arange(len(y_new)) == 3, "unheard of", y_new)
    assert certify(tree, X_new, unknown).n_errors >= k
    forest = ensemble.RandomForestClassifier(5, random_state=0).fit(*halves[1:3])
    holes = pd.DataFrame(X_new, dtype="Float64").mask(X_new < X_new[0])
    assert certify(forest, holes, y_new).estimator is forest


def test_groups_are_what_is_counted(halves):
    tree, _, _, X_new, y_new = halves
    groups = np.arange(len(y_new)) // 6
    found = certify(tree, X_new, y_new, groups=groups)
    wrong = tree.predict(X_new) != y_new
    losses = [wrong[groups == g].mean() for g in np.unique(groups)]
    assert found.value == bounded_mean_inversion(
        np.mean(losses), len(losses), math.log(0.05)
    )
    assert found.n_groups == len(losses)
    assert "of the cases of a new group, in the mean over groups" in str(found)
    assert found.assumptions[0].startswith("The groups are independent")
    alone = certify(tree, X_new, y_new, groups=np.arange(len(y_new)))
    assert alone.value == certify(tree, X_new, y_new).value
    with pytest.raises(
        ValueError, match="groups must hold at least 4 different values; got 3"
    ):
        certify(tree, X_new, y_new, groups=groups % 3)
    with pytest.raises(ValueError, match="groups must have one entry for each"):
        certify(tree, X_new, y_new, groups=groups[1:])


def test_the_certified_tree_is_the_one_to_predict_with(halves):
    tree, X, y, X_new, _ = halves
    before = tree.tree_.threshold.copy()
    with pytest.warns(MovedThresholdsWarning, match="thresholds are training values"):
        certificate = certify(tree, X, y, method="message")
    assert np.array_equal(tree.tree_.threshold, before)
    certified = certificate.estimator
    assert np.array_equal(certified.predict(X), tree.predict(X))
    assert (certified.predict(X_new) != tree.predict(X_new)).mean() < 0.05
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = certify(certified, X, y, method="message")
    assert again.estimator is certified
    assert again.value == certificate.value


@pytest.mark.parametrize("method", OTHER_DATA)
def test_the_sample_that_a_tree_was_grown_on_is_refused(halves, method):
    tree, X, y, X_new, y_new = halves
    with pytest.raises(ValueError, match="X: the tree was grown on these examples"):
        certify(tree, X, y, method=method)
    assert "trusted" in certify(tree, X_new, y_new, method=method).assumptions[-1]
    both, labels = np.vstack([X_new, X[:60]]), np.append(y_new, y[:60])
    for X_grown in (X, X.astype(np.float32), pd.DataFrame(X)):
        with pytest.raises(
            ValueError,
            match=r"X: \d+ of \d+ rows that can .*a certificate needs others",
        ):
            certify(tree, both, labels, method=method, X_grown=X_grown)
    assert len(certify(tree, X_new, y_new, method=method, X_grown=X).assumptions) == 2


@pytest.mark.parametrize("method", OTHER_DATA)
def test_a_row_that_recurs_is_mentioned(halves, method):
    tree, X, y, X_new, y_new = halves
    both, labels = np.vstack([X_new, X[:1]]), np.append(y_new, y[:1])
    found = certify(tree, both, labels, method=method, X_grown=X[:200])
    assert (found.n_compared, found.n_recurring) == (144, 1)
    assert (
        "Of 144 examples that can be compared with those that made it, 1 has an equal"
        in str(found)
    )
    assert "other cases with the same values" in found.assumptions[-1]


@pytest.mark.parametrize(
    "model",
    [
        REMEMBERS,
        make_pipeline(REMEMBERS),
        make_pipeline(StandardScaler(), REMEMBERS),
        GridSearchCV(REMEMBERS, {}, cv=2),
        GridSearchCV(make_pipeline(StandardScaler(), REMEMBERS), {}, cv=2),
    ],
    ids=["alone", "pipeline of one step", "pipeline", "search", "pipeline in a search"],
)
def test_estimators_remember_their_rows(halves, model):
    _, X, y, X_new, y_new = halves
    model = clone(model).fit(X, y)
    assert len(certify(model, X_new, y_new).assumptions) == 2
    for rows in (slice(None), slice(5, 90)):
        with pytest.raises(
            ValueError, match="are among those that the classifier was grown"
        ):
            certify(model, np.vstack([X_new, X[rows]]), np.append(y_new, y[rows]))


def test_a_whole_pipeline_on_a_frame_of_mixed_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=200), "b": rng.choice(["u", "v", "w"], size=200)}
    )
    y = (frame["a"] > 0).to_numpy().astype(int)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["b"]), remainder="passthrough"
    )
    model = make_pipeline(encode, DecisionTreeClassifier(max_leaf_nodes=3)).fit(
        frame[:100], y[:100]
    )
    assert certify(model, frame[100:], y[100:]).value < 0.1
    assert certify(model, frame[99:], y[99:], X_grown=frame[:100]).n_recurring == 1
    with pytest.raises(
        ValueError, match="30 of 130 rows that can be compared are among those"
    ):
        certify(model, frame[70:], y[70:], X_grown=frame[:100])


def test_occam_prunes(halves):
    tree, _, _, X_new, y_new = halves
    occam = certify(tree, X_new, y_new, method="occam")
    assert occam.estimator.get_n_leaves() <= tree.get_n_leaves()
    assert occam.n_errors == (occam.estimator.predict(X_new) != y_new).sum()
    full, codes = from_sklearn(tree), np.searchsorted(tree.classes_, y_new)
    assert (
        occam.value
        == occam_bounds(full, held_out_errors(full, X_new, codes), len(codes))[1].min()
    )


@pytest.mark.parametrize("method", ["message", "growth"])
def test_more_classes_than_were_met_cost_more(method):
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)
    assert (
        quietly(tree, X, y, method=method, n_classes=9).value
        > quietly(tree, X, y, method=method).value
    )
    with pytest.raises(
        ValueError, match="n_classes must be an integer of at least 3; got 2"
    ):
        certify(tree, X, y, method=method, n_classes=2)


def test_a_single_leaf_and_a_single_class():
    X, y = load_wine(return_X_y=True)
    leaf = DecisionTreeClassifier(max_depth=1, min_impurity_decrease=1.0).fit(X, y)
    certificate = certify(leaf, X, y, method="message")
    assert certificate.estimator is leaf
    assert certificate.value > 107 / 178
    one = DecisionTreeClassifier().fit(X, np.zeros(len(X)))
    assert certify(one, X, np.zeros(len(X)), method="message").value < 0.03


def test_missing_values_on_other_data_only(halves):
    _, X, y, X_new, y_new = halves
    holes, new_holes = (np.where(rows > 1000, np.nan, rows) for rows in (X, X_new))
    tree = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(holes, y)
    assert (
        certify(tree, new_holes, y_new).n_errors
        == (tree.predict(new_holes) != y_new).sum()
    )
    assert certify(tree, new_holes, y_new, method="occam").value < 1
    for method in ("message", "growth"):
        with pytest.raises(ValueError, match="NaN"):
            certify(tree, holes, y, method=method)


def test_bad_input_is_named(halves):
    tree, X, y, X_new, y_new = halves
    with pytest.raises(
        ValueError,
        match="method must be one of 'test-set', 'message', 'occam', 'growth'",
    ):
        certify(tree, X, y, method="bootstrap")
    with pytest.raises(
        ValueError, match=r"y has labels that the tree does not know, \['unknown'\]"
    ):
        certify(
            tree, X, np.where(np.arange(len(y)) == 3, "unknown", y), method="growth"
        )
    with pytest.raises(ValueError, match="y has none of the labels"):
        certify(tree, X_new, np.zeros(len(X_new)))
    array_tree = from_sklearn(tree)
    with pytest.raises(ValueError, match="to_sklearn"):
        certify(array_tree, X_new, y_new)
    labeled = certify(to_sklearn(array_tree, tree.classes_), X_new, y_new)
    assert labeled.n_errors == certify(tree, X_new, y_new).n_errors
    for method in METHODS:
        data = (X_new, y_new) if method in OTHER_DATA else (X, y)
        with pytest.raises(ValueError, match="y must have one label for each"):
            certify(tree, data[0], data[1][:-1], method=method)
        with pytest.raises(ValueError, match="features"):
            certify(tree, data[0][:, :3], data[1], method=method)
        with pytest.raises(
            ValueError,
            match=r"fitted(_tree)? is not fitted yet: call fit on this Decision",
        ):
            certify(DecisionTreeClassifier(), *data, method=method)
    with pytest.raises(ValueError, match="DecisionTreeClassifier"):
        certify(
            make_pipeline(StandardScaler(), DecisionTreeClassifier()).fit(X, y),
            X,
            y,
            method="message",
        )
    for wrong in (DecisionTreeClassifier, StandardScaler().fit(X), None, [tree]):
        with pytest.raises(ValueError, match="fitted must be a fitted classifier"):
            certify(wrong, X_new, y_new)
    for y in ([math.nan] * len(X_new), np.where(y_new == "benign", None, y_new)):
        with pytest.raises(ValueError, match="every example needs a class"):
            certify(tree, X_new, y)
    for sample in ((X_new,), (iter([(X_new, y_new)]), y_new)):
        with pytest.raises(
            ValueError, match="y must hold the labels, or be None if X is an iterable"
        ):
            certify(tree, *sample)


@pytest.mark.parametrize(
    ("method", "changed"),
    [
        ("message", {"by": "class"}),
        ("growth", {"groups": np.arange(143)}),
        ("growth", {"X_grown": np.ones((2, 30))}),
        ("test-set", {"n_classes": 3}),
        ("test-set", {"feature_kinds": {0: 2}}),
    ],
)
def test_what_another_method_looks_at_is_refused(halves, method, changed):
    with pytest.raises(ValueError, match=f"{next(iter(changed))} needs method="):
        certify(halves[0], *halves[3:], method=method, **changed)


def test_each_class_has_its_sentence(halves):
    tree, _, _, X_new, y_new = halves
    found = certify(tree, X_new, y_new, delta=0.1, by="class")
    assert list(found) == ["benign", "malignant"]
    wrong = tree.predict(X_new) != y_new
    for label, one in found.items():
        n, k = int((y_new == label).sum()), int(wrong[y_new == label].sum())
        assert (one.n_examples, one.n_errors, one.delta, one.label) == (
            n,
            k,
            0.1,
            label,
        )
        assert one.value == binomial_tail_inversion(k, n, math.log(0.05))
        assert (
            f"the {n} examples of class {label!r}, this tree with 5 leaves misses at"
            " most" in str(one)
        )
        assert (
            f"of the new cases of class {label!r} (test-set, 2 classes at once)"
            in str(one)
        )
        assert json.loads(json.dumps(one.to_dict()))["label"] == label
        assert json.dumps(replace(one, label=pd.Timestamp("2026-01-01")).to_dict())
        assert "estimator" not in repr(one)  # it may hold a sample
    absent = certify(
        tree, X_new[y_new == "benign"], y_new[y_new == "benign"], by="class"
    )["malignant"]
    assert (absent.n_examples, absent.value) == (0, 1.0)
    with pytest.raises(
        ValueError, match=r"only the classes .* if by='class'; got 'other'"
    ):
        certify(
            tree,
            X_new,
            np.where(np.arange(len(y_new)) == 3, "other", y_new),
            by="class",
        )
    with pytest.raises(ValueError, match="exclude each other"):
        certify(tree, X_new, y_new, by="class", groups=np.arange(len(y_new)))
    with pytest.raises(ValueError, match="by, if not None, must be one of 'class'"):
        certify(tree, X_new, y_new, by="label")


def test_the_share_of_missed_cases_is_bounded_for_all_classes_at_once():
    """A constant rule of known risks in each class, whose classes occur by chance."""
    rng = np.random.default_rng(0)
    stump = DecisionTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1])
    risks, broken = np.array([0.1, 0.3]), 0
    for _ in range(400):
        y = (rng.random(60) < 0.2).astype(int)
        X = np.where(rng.random(60) < risks[y], 1 - y, y).reshape(-1, 1)
        found = certify(stump, X, y, delta=0.2, by="class")
        broken += any(found[label].value < risks[label] for label in (0, 1))
    assert broken <= 400 * 0.2


def test_batches_are_judged_like_one_sample(halves):
    tree, X, y, X_new, y_new = halves
    whole = certify(tree, X_new, y_new, X_grown=X)
    for batches in (
        zip(np.split(X_new, [40, 40]), np.split(y_new, [40, 40]), strict=True),
        [(X_new, y_new)],
    ):
        assert certify(tree, batches, X_grown=X).to_dict() == whole.to_dict()
    with pytest.raises(
        ValueError, match="are among those that the classifier was grown"
    ):
        certify(
            clone(REMEMBERS).fit(X, y), zip(np.split(X, 6), np.split(y, 6), strict=True)
        )
    for wrong in ({"groups": np.arange(143)}, {"method": "growth"}):
        with pytest.raises(ValueError, match="only for 'test-set' without groups"):
            certify(tree, [(X_new, y_new)], **wrong)


def test_a_constant_classifier_and_one_without_gain_say_so():
    y = np.repeat(["stay", "churn"], [80, 20])
    X = np.arange(100.0).reshape(-1, 1)
    constant = DummyClassifier().fit(X, y)
    assert "It predicts 'stay' for each of these examples." in str(
        certify(constant, X, y)
    )
    tree = DecisionTreeClassifier(max_depth=1).fit([[0], [1]], ["stay", "churn"])
    poor = np.where(np.arange(100) % 5 == 0, 1, 0).reshape(-1, 1)
    found = str(certify(tree, poor, y))
    assert (
        "no gain over always predicting 'stay', which errs on 20 of these examples"
        in found
    )
    assert "gain" not in str(certify(tree, (y == "churn").reshape(-1, 1), y))


def test_trees_from_elsewhere(halves):
    tree, X, y, X_new, y_new = halves
    array, codes = from_sklearn(tree), (y_new == "malignant").astype(int)
    found = certify(array, X_new.astype(np.float32), codes)
    assert found.value == certify(tree, X_new, y_new).value
    assert (found.n_leaves, found.to_dict()["estimator"]) == (5, "ArrayTree")
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    grown = (y == "malignant").astype(int)
    for model in (
        lightgbm.LGBMClassifier(n_estimators=9, num_leaves=7, verbose=-1),
        xgboost.XGBClassifier(n_estimators=9),
        make_pipeline(StandardScaler(), xgboost.XGBClassifier(n_estimators=9)),
    ):
        assert certify(model.fit(X, grown), X_new, codes).value < 0.2
    booster = lightgbm.LGBMClassifier(n_estimators=9, verbose=-1).fit(X, grown)
    with pytest.raises(ValueError, match="fitted must be a fitted classifier"):
        certify(booster.booster_, X_new, codes)


@pytest.mark.parametrize("model", KNOWING, ids=str)
def test_ensembles_whose_first_tree_knows_its_sample(halves, model):
    _, X, y, X_new, y_new = halves
    if model == "lightgbm":
        model = pytest.importorskip("lightgbm").LGBMClassifier(
            n_estimators=5, verbose=-1
        )
    model.set_params(random_state=0).fit(X, y)
    assert certify(model, X_new, y_new).value < 0.3
    with pytest.raises(ValueError, match="X: the tree was grown on these examples"):
        certify(model, X, y)
    assert certify(model, X[1:], y[1:]).value < 0.1  # nothing certain


def test_lists_and_ensembles_of_pipelines_are_judged(halves):
    tree, X, y, X_new, y_new = halves
    assert (
        certify(tree, X_new.tolist(), y_new.tolist()).value
        == certify(tree, X_new, y_new).value
    )
    vote = ensemble.VotingClassifier(
        [("a", make_pipeline(StandardScaler(), tree)), ("b", tree)]
    ).fit(X, y)
    assert certify(vote, X_new, y_new).n_leaves is None


def test_the_same_numbers_at_each_leaf_with_other_labels_are_no_sign(halves):
    X = np.arange(40.0).reshape(-1, 1)
    y = (X[:, 0] > 19).astype(int)
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert certify(stump, X, np.roll(y, 3)).n_errors == 6


def test_the_sentence_does_not_promise_less_than_the_certificate():
    certificate = Certificate(0.14711, "growth", 0.05, 569, 30, None, ())
    assert "at most 14.8% of new cases" in str(certificate)
    for value in (0.9991, 1.0):
        assert "promises nothing" in str(
            Certificate(value, "growth", 0.05, 569, 30, None, ())
        )
    for delta, probability in (
        (0.05, "0.95"),
        (0.29, "0.71"),
        (1 / 3, "0.6666"),
        (2e-4, "0.9998"),
        (1e-6, "1 - 1e-06"),
    ):
        sentence = str(Certificate(0.1, "growth", delta, 1, 0, None, ()))
        assert sentence.startswith(
            f"With probability {probability} over the 1 example, this"
        )
