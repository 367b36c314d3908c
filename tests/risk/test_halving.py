"""CertifiedClassifier: halvings of any classifiers."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds import (
    CertifiedClassifier,
    CertifiedRegressor,
    CertifiedTreeClassifier,
    certify,
)
from treebounds.risk import binomial_tail_inversion
from treebounds.risk.halving import best_of_halvings

STUMP = DecisionTreeClassifier(max_depth=1)
IRIS = load_iris(return_X_y=True)


def table(n=80, seed=0):
    """Numbers, words and gaps, with labels that are words."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": rng.normal(size=n), "b": rng.choice(["u", "v", None], size=n)}
    )
    frame.loc[::7, "a"] = np.nan
    return frame, np.where(frame["a"] > 0, "yes", "no")


def encoded(last):
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["b"]), remainder="passthrough"
    )
    return make_pipeline(encode, SimpleImputer(), last)


def test_each_candidate_is_judged_by_the_other_half():
    X, y = IRIS
    halves = []

    class Spy(DecisionTreeClassifier):
        def fit(self, X, y):
            halves.append((X, y))
            return super().fit(X, y)

    model = CertifiedClassifier(
        Spy(max_leaf_nodes=3), n_halvings=3, random_state=0
    ).fit(X, y)
    assert len(halves) == 6
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        both = np.vstack([first[0], second[0]])
        assert np.array_equal(both[np.lexsort(both.T)], X[np.lexsort(X.T)])
    best = model.candidates_.best
    grown = halves[best]
    judged = halves[best ^ 1]
    again = DecisionTreeClassifier(
        max_leaf_nodes=3, random_state=model.estimator_.random_state
    ).fit(*grown)
    k = int((again.predict(judged[0]) != judged[1]).sum())
    certificate = model.certificate_
    assert k == certificate.n_errors == model.candidates_.n_errors[best]
    assert certificate.value == binomial_tail_inversion(k, 75, math.log(0.05 / 6))
    assert certificate.n_candidates == 6
    assert certificate.estimator is model.estimator_


@pytest.fixture(scope="module")
def of_pipelines():
    """The best of two pipelines that encode words and fill gaps, for a table."""
    learners = [
        encoded(DecisionTreeClassifier(max_leaf_nodes=3)),
        ("linear", encoded(LogisticRegression())),
    ]
    model = CertifiedClassifier(learners, n_halvings=2, random_state=0)
    return model.fit(*table(400))


def test_words_and_gaps_are_the_pipelines_matter(of_pipelines):
    assert of_pipelines.certificate_.value < 0.3
    assert of_pipelines.feature_names_in_.tolist() == ["a", "b"]


def test_a_pipeline_has_the_name_of_its_last_step(of_pipelines):
    names = ("DecisionTreeClassifier", "linear")
    assert of_pipelines.candidates_.learner == names * 4


def test_the_leaves_of_a_tree_in_a_pipeline_are_counted(of_pipelines):
    leaves = of_pipelines.candidates_.n_leaves.reshape(-1, 2)
    assert (leaves[:, 0] > 1).all()
    assert (leaves[:, 1] == -1).all()


def test_a_certified_pipeline_predicts(of_pipelines):
    frame, _ = table(400)
    assert set(of_pipelines.predict(frame)) == {"yes", "no"}
    assert of_pipelines.predict_proba(frame).shape == (400, 2)


def test_the_certificate_of_a_pipeline_is_written(of_pipelines):
    assert json.dumps(of_pipelines.certificate_.to_dict())


def test_a_certified_pipeline_is_certified_on_new_rows(of_pipelines):
    assert certify(of_pipelines, *table(200, seed=1)).value < 0.3


def test_a_certified_pipeline_remembers_its_rows(of_pipelines):
    frame, y = table(400)
    with pytest.raises(ValueError, match="are among those that the model was grown"):
        certify(of_pipelines, frame[:200], y[:200])


def test_a_tree_is_the_special_case():
    X, y = IRIS
    tree = DecisionTreeClassifier(max_leaf_nodes=5)
    model = CertifiedClassifier(tree, random_state=0).fit(X, y)
    special = CertifiedTreeClassifier(learners=(tree,), random_state=0).fit(X, y)
    assert model.certificate_.to_dict() == special.certificate_.to_dict()
    assert (model.predict(X) == special.predict(X)).all()
    # Processes take seconds to start.
    with parallel_config("threading", n_jobs=2):
        again = CertifiedClassifier(tree, random_state=0).fit(X, y)
    assert again.candidates_.bound.tolist() == model.candidates_.bound.tolist()


def test_sparse_rows_are_halved_and_remembered():
    X, y = IRIS
    dense = CertifiedClassifier(STUMP, random_state=0).fit(X.astype(np.float32), y)
    sparse = CertifiedClassifier(STUMP, random_state=0).fit(
        csr_array(X.astype(np.float32)), y
    )
    assert sparse.certificate_.to_dict() == dense.certificate_.to_dict()
    with pytest.raises(ValueError, match="more than independent samples"):
        certify(sparse, X, y)


def test_a_class_that_a_half_lacks_has_probability_0():
    X = IRIS[0]
    y = np.where(np.arange(150) == 3, 7, IRIS[1])
    model = CertifiedClassifier(
        LogisticRegression(max_iter=1000), n_halvings=1, random_state=0
    ).fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (150, 4)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert len(model.estimator_.classes_) < 4


def test_what_the_classifier_lacks_is_absent():
    assert not hasattr(CertifiedClassifier(LinearSVC()), "predict_proba")
    frame = pd.DataFrame(IRIS[0], columns=list("abcd"))
    model = CertifiedClassifier(LinearSVC()).fit(frame, IRIS[1]).fit(*IRIS)
    assert not any(
        hasattr(model, name) for name in ("predict_proba", "feature_names_in_")
    )


def test_rows_that_recur_across_the_halves_are_counted():
    X = np.repeat(IRIS[0], 2, axis=0)
    y = np.repeat(IRIS[1], 2)
    certificate, *_ = best_of_halvings(
        [("stump", STUMP)], X, y, duplicates="ignore", random_state=0
    )
    n = certificate.n_recurring
    assert certificate.n_compared == 150
    assert 50 < n < 120
    assert f"can be compared with those that made it, {n} have" in certificate.sentence
    assert "other cases with the same values" in " ".join(certificate.assumptions)


def test_nothing_is_said_where_no_row_recurs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.arange(60) % 2
    certificate, *_ = best_of_halvings([("stump", STUMP)], X, y, random_state=0)
    assert (certificate.n_recurring, certificate.n_repeats) == (0, 0)
    assert len(certificate.assumptions) == 2


class TestCopies:
    X = np.tile(IRIS[0], (3, 1))
    y = np.tile(IRIS[1], 3)

    def test_they_are_refused(self):
        with pytest.raises(ValueError, match=r"X: 301 of 450 rows \(66.9%\) repeat"):
            best_of_halvings([("stump", STUMP)], self.X, self.y)

    def test_they_are_kept_together(self):
        samples = []

        class Spy(DecisionTreeClassifier):
            def fit(self, X, y):
                samples.append(X)
                return super().fit(X, y)

            def predict(self, X):
                samples.append(X)
                return super().predict(X)

        certificate, candidates, *_ = best_of_halvings(
            [("spy", Spy())], self.X, self.y, duplicates="together", n_halvings=1
        )
        grown, judged = ({tuple(row) for row in rows} for rows in samples[:2])
        assert not grown & judged
        assert sum(candidates.n_examples) == 149  # one flower is there twice
        assert len(samples[0]) > 3 * len(grown) - 1
        assert "kept on one side and counted once" in certificate.sentence

    def test_kept_together_they_give_what_single_rows_give(self):
        """Both halve at random, so only the sizes are the same."""
        tiled, *_ = best_of_halvings(
            [("stump", STUMP)], self.X, self.y, duplicates="together"
        )
        single, *_ = best_of_halvings([("stump", STUMP)], *IRIS)
        assert tiled.n_examples in (74, 75)
        assert abs(tiled.value - single.value) < 0.1

    def test_inside_a_group_they_do_no_harm(self):
        groups = np.tile(np.arange(150), 3)
        certificate, *_ = best_of_halvings(
            [("stump", STUMP)], self.X, self.y, groups=groups
        )
        assert certificate.n_groups == 75

    def test_across_groups_they_are_refused(self):
        groups = np.arange(450)
        with pytest.raises(ValueError, match="look like copies"):
            best_of_halvings([("stump", STUMP)], self.X, self.y, groups=groups)

    def test_groups_that_stay_together_are_enough(self):
        with pytest.raises(ValueError, match="exclude each other"):
            best_of_halvings(
                [("stump", STUMP)],
                self.X,
                self.y,
                groups=np.tile(np.arange(150), 3),
                duplicates="together",
            )


def test_memory_is_kept_or_not():
    X, y = IRIS
    model = CertifiedClassifier(STUMP, remember=False, random_state=0).fit(X, y)
    certificate = certify(model, X, y)
    assert certificate.n_compared == 0
    assert "keeps no record" in " ".join(certificate.assumptions)
    assert "if these examples had no part in making it" in certificate.sentence


def test_equal_rows_of_a_group_count_once():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    y = np.arange(20) % 2
    repeated = CertifiedClassifier(STUMP, n_halvings=2, random_state=0).fit(
        np.repeat(X, 50, axis=0), np.repeat(y, 50), groups=np.repeat(np.arange(20), 50)
    )
    single = CertifiedClassifier(STUMP, n_halvings=2, random_state=0).fit(X, y)
    assert repeated.certificate_.value >= single.certificate_.value > 0.4


def test_ties_go_to_the_smaller_tree():
    X = np.zeros((20, 1))
    y = np.zeros(20)
    assert (
        CertifiedClassifier([STUMP, DecisionTreeClassifier()])
        .fit(X, y)
        .candidates_.best
        == 0
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"estimators": []}, r"\(or estimators\) must be a list with"),
        ({"estimators": StandardScaler()}, "estimators. must be classifiers"),
        ({"estimators": DecisionTreeClassifier}, "estimators. must be classifiers"),
        ({"estimators": {"stump": STUMP}}, r"give list\(estimators.items\(\)\)"),
        (
            {"estimators": clone(STUMP).fit(*IRIS)},
            "estimators. must not be fitted; pass sklearn.base.clone of",
        ),
        # A clone of it is the same.
        (
            {"estimators": FrozenEstimator(clone(STUMP).fit(*IRIS))},
            "fitted; pass the DecisionTreeClassifier that it contains unfitted",
        ),
        (
            {"estimators": make_pipeline(FrozenEstimator(clone(STUMP).fit(*IRIS)))},
            "fitted; pass the DecisionTreeClassifier that it contains unfitted",
        ),
        ({"delta": 0.0}, "delta"),
        ({"n_halvings": 0}, "n_halvings"),
        ({"groups": [1] * 20}, "groups must hold at least 4 different values; got 1"),
        ({"groups": [*range(19), math.nan]}, "every example needs a group"),
        ({"groups": "patient"}, r"got 'patient'. Give the column itself, X\['patient'"),
        ({"X": np.zeros((1, 1)), "y": [0]}, "n_samples = 1"),
        ({"X": np.zeros((19, 1))}, "inconsistent"),
        ({"y": [0.0, math.nan] * 10}, "every example needs a class"),
    ],
)
def test_bad_input_is_named(changed, message):
    arguments = {
        "X": np.zeros((20, 1)),
        "y": np.arange(20) % 2,
        "groups": None,
        "estimators": STUMP,
    } | changed
    X, y, groups = (arguments.pop(name) for name in ("X", "y", "groups"))
    with pytest.raises(ValueError, match=message):
        CertifiedClassifier(**arguments).fit(X, y, groups=groups)


@pytest.mark.parametrize("rows", [None, "abc", 3])
def test_a_sample_without_rows_is_refused(rows):
    with pytest.raises(ValueError, match="X must have a row for each example"):
        CertifiedClassifier(DecisionTreeClassifier()).fit(rows, [0, 1])
    with pytest.raises(ValueError, match="X must have a row for each example"):
        CertifiedRegressor(DecisionTreeRegressor(), tolerance=1).fit(rows, [0.0, 1.0])
