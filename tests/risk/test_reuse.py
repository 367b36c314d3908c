"""Rows that made a classifier do not judge it: which are recognized."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from treebounds import CertifiedTreeClassifier, certify
from treebounds.risk import certify_prunings

JUDGES = [certify, certify_prunings]
# any of the library's estimators remembers
REMEMBERS = CertifiedTreeClassifier(method="growth", random_state=0)
MORE_THAN_CHANCE = "are among those that the classifier was grown"
SAME_COUNTS = "X: the tree was grown on these examples"


@pytest.fixture(scope="module")
def halves():
    X, y = load_breast_cancer(return_X_y=True)
    X, X_new, y, y_new = train_test_split(
        X, np.array(["benign", "malignant"])[y], random_state=0
    )
    tree = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, y)
    return tree, X, y, X_new, y_new


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
        both, labels = np.vstack([X_new, X[:60]]), np.append(y_new, y[:60])
        message = r"X: \d+ of \d+ rows that can .*a certificate needs others"
        with pytest.raises(ValueError, match=message):
            judge(tree, both, labels, X_grown=form(X))

    def test_nothing_is_trusted_where_the_rows_are_named(self, halves, judge):
        tree, X, _, X_new, y_new = halves
        assert len(judge(tree, X_new, y_new, X_grown=X).assumptions) == 2

    def test_a_single_row_that_recurs_is_mentioned(self, halves, judge):
        tree, X, y, X_new, y_new = halves
        both, labels = np.vstack([X_new, X[:1]]), np.append(y_new, y[:1])
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


def test_the_same_numbers_at_each_leaf_with_other_labels_are_no_sign():
    X = np.arange(40.0).reshape(-1, 1)
    y = (X[:, 0] > 19).astype(int)
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert certify(stump, X, np.roll(y, 3)).n_errors == 6
