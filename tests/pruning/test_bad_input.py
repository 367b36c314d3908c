"""Each estimator against each kind of bad input: the right answer or one error that
names the argument.
"""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from builders import ESTIMATORS
from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedTreeClassifier,
    certify,
    prune,
)

X, Y = load_wine(return_X_y=True)
WEIGHTED = [
    *ESTIMATORS[:2],
    BoundPrunedTreeClassifier(rule="error-based", random_state=0),
    BoundPrunedTreeClassifier(error_prior_ratio="held-out", random_state=0),
    BoundPrunedTreeClassifier(capacity="loose", max_leaf_nodes=10, random_state=0),
]
SMALL = {"max_leaf_nodes": 6, "random_state": 0}
FROM_ONE = [
    CertifiedTreeClassifier(method=method, **SMALL)
    for method in ("message", "occam", "growth")
]
ALL = [*WEIGHTED, *ESTIMATORS[2:], *FROM_ONE]
each_of_all = pytest.mark.parametrize("tree", ALL, ids=str)


def fitted(tree, *arguments, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(tree).fit(*arguments, **parameters)


@each_of_all
def test_one_class_and_constant_columns(tree):
    assert (
        fitted(tree, X[:20], np.full(20, "only")).predict(X[:2]).tolist()
        == ["only"] * 2
    )
    assert fitted(tree, np.ones((20, 2)), np.arange(20) % 3 == 0).predict(
        [[1, 1]]
    ).tolist() == [False]
    assert fitted(tree, np.hstack([X, np.ones((len(X), 1))]), Y).get_n_leaves() >= 2


@each_of_all
def test_one_row(tree):
    try:
        prediction = fitted(tree, X[:1], Y[:1]).predict(X[:1])
    except ValueError:
        with pytest.raises(ValueError, match="n_samples = 1"):
            fitted(tree, X[:1], Y[:1])
    else:
        assert prediction == Y[:1]


@each_of_all
def test_missing_and_infinite_values(tree):
    with_missing = X.copy()
    with_missing[:, 3] = np.nan
    proved = getattr(tree, "method", "halves") in ("halves", "occam")
    assert tree.__sklearn_tags__().input_tags.allow_nan == proved
    if proved:
        assert fitted(tree, with_missing, Y).get_n_leaves() >= 2
    else:
        with pytest.raises(ValueError, match="Input X contains NaN"):
            fitted(tree, with_missing, Y)
    for large in (np.inf, 1e39):
        with pytest.raises(
            ValueError, match="Input X contains infinity or a value too large"
        ):
            fitted(tree, np.where(X.max() == X, large, X), Y)


@each_of_all
def test_objects_are_numbers_or_refused(tree):
    assert fitted(tree, X.astype(object), Y).get_n_leaves() >= 2
    words = X.astype(object)
    words[3, 2] = "high"
    with pytest.raises(ValueError, match="could not convert string to float: 'high'"):
        fitted(tree, words, Y)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(13)])
    frame["c4"] = pd.Categorical(np.where(Y == 0, "low", "high"))
    with pytest.raises(ValueError, match="X: c4 must be numeric; encode words first"):
        fitted(tree, frame, Y)


@each_of_all
def test_labels_that_are_none(tree):
    for bad in (None, np.nan):
        labels = Y.astype(object)
        labels[4] = bad
        for form in (labels, labels.tolist(), np.where(Y == 1, "a", labels)):
            with pytest.raises(
                ValueError, match="y contains NaN or None: every example needs a class"
            ):
                fitted(tree, X, form)
    with pytest.raises(
        ValueError,
        match="y must hold labels of one type, numbers or words; got int and str",
    ):
        fitted(tree, X, np.where(Y == 0, "a", Y.astype(object)).tolist())
    bad = {
        "type: continuous": Y + 0.5 * (Y == 1),
        "objects": Y.astype(object),
        "1d array": np.c_[Y, Y],
    }
    for message, labels in bad.items():
        with pytest.raises(ValueError, match=message):
            fitted(tree, X, labels)


@pytest.mark.parametrize("tree", WEIGHTED, ids=str)
def test_weights(tree):
    one_below = np.where(np.arange(len(Y)) == 3, -1.0, 1.0)
    shapes = [np.ones(len(Y) - 1), np.ones(1), np.ones((len(Y), 1))]
    model = fitted(tree, X, Y)
    for weights in (
        one_below,
        np.zeros(len(Y)),
        np.nan * Y,
        *shapes,
        -1.0,
        "heavy",
        [None] * 178,
    ):
        for function in (model.fit, partial(prune, model)):
            with pytest.raises(ValueError, match="sample_weight must"):
                function(X, Y, sample_weight=weights)
    without = fitted(tree, X, Y, sample_weight=(Y != 1).astype(float))
    assert (without.classes_.tolist(), set(without.predict(X))) == ([0, 1, 2], {0, 2})
    with pytest.raises(
        ValueError, match="times class_weight if given, must be finite and not"
    ):
        fitted(clone(tree).set_params(class_weight={0: -1, 1: 1, 2: 1}), X, Y)


@each_of_all
def test_pruned_twice_and_cloned(tree):
    model = fitted(tree, X, Y)
    assert prune(model, X, Y, rule=0).get_n_leaves() <= model.get_n_leaves()
    assert fitted(model, X, Y).get_n_leaves() == model.get_n_leaves()
    with pytest.raises(ValueError, match="tree is not fitted yet"):
        prune(clone(tree), X, Y)


def test_wide_data():
    rng = np.random.default_rng(0)
    assert (
        BoundPrunedTreeClassifier()
        .fit(rng.random((3, 10_000)), [0, 1, 1])
        .get_n_leaves()
        == 1
    )
    wide = rng.random((60, 10_000), dtype=np.float32)
    model = BoundPrunedTreeClassifier(random_state=0).fit(wide, wide[:, 7] > 0.5)
    assert model.score(wide, wide[:, 7] > 0.5) > 0.9


@pytest.mark.parametrize(
    "estimator", ESTIMATORS[:2], ids=lambda one: type(one).__name__
)
class TestErrorsAreShort:
    def test_a_wrong_weight_has_its_position(self, estimator):
        weights = np.ones(178)
        weights[7] = -1
        message = r"sample_weight .* got -1.0 at position 7$"
        with pytest.raises(ValueError, match=message):
            clone(estimator).fit(X, Y, sample_weight=weights)

    def test_words_as_weights_are_not_printed(self, estimator):
        with pytest.raises(ValueError, match="sample_weight must hold") as error:
            clone(estimator).fit(X, Y, sample_weight=np.full(178, "one"))
        assert len(str(error.value)) < 80

    def test_booleans_are_weights(self, estimator):
        some = np.arange(178) % 3 > 0
        by_boolean = clone(estimator).fit(X, Y, sample_weight=some)
        by_number = clone(estimator).fit(X, Y, sample_weight=some.astype(float))
        assert np.array_equal(by_boolean.predict(X), by_number.predict(X))

    def test_a_column_of_dates_is_named(self, estimator):
        frame = pd.DataFrame(X[:, :1], columns=["a"])
        frame["when"] = pd.date_range("2020-01-01", periods=len(Y))
        with pytest.raises(ValueError, match="X: when must be numeric; give times as"):
            clone(estimator).fit(frame, Y)


def test_lists_without_labels_are_no_batches():
    tree = DecisionTreeClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=r"y must hold the labels.* no such pair"):
        certify(tree, X.tolist())
