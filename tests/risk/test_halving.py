"""Halvings of any classifiers, and the limit of a mean loss."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from treebounds.risk import best_of_halvings, binomial_tail_inversion, bounded_mean_inversion

STUMP = ("stump", DecisionTreeClassifier(max_depth=1))


def test_each_candidate_is_judged_by_the_other_half():
    X, y = load_iris(return_X_y=True)
    seen = []

    class Spy(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append((X, y))
            return super().fit(X, y)

    found = best_of_halvings([("spy", Spy(max_leaf_nodes=3))], X, y, n_halvings=3, random_state=0)
    assert len(seen) == 6
    for one, other in zip(seen[::2], seen[1::2], strict=True):
        both = np.vstack([one[0], other[0]])
        assert np.array_equal(both[np.lexsort(both.T)], X[np.lexsort(X.T)])
    best = found.candidates.best
    grown, judged = seen[best], seen[best ^ 1]
    again = DecisionTreeClassifier(max_leaf_nodes=3, random_state=found.estimator.random_state).fit(*grown)
    k = int((again.predict(judged[0]) != judged[1]).sum())
    assert k == found.candidates.n_errors[best]
    assert found.bound == binomial_tail_inversion(k, 75, math.log(0.05 / 6))


def test_a_pipeline_is_fitted_on_the_half():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(list("uvw"), size=80)})
    y = np.where(frame["a"] > 0, "yes", "no")
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["b"]), remainder="passthrough")
    learners = [
        ("tree", make_pipeline(encode, DecisionTreeClassifier())),
        ("linear", make_pipeline(encode, LogisticRegression())),
    ]
    found = best_of_halvings(learners, frame, y, n_halvings=1, random_state=0)
    assert found.candidates.learner == ("tree", "linear") * 2
    assert (found.candidates.n_leaves == -1).all()
    assert set(found.estimator.predict(frame)) == {"yes", "no"}
    assert found.n_groups is None


def test_groups_are_not_torn_apart():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) % 15
    X = np.column_stack([X, groups])
    found = best_of_halvings([STUMP], X, y, groups=groups, random_state=0)
    assert found.n_groups in (7, 8)
    assert set(found.candidates.n_examples.tolist()) == {70, 80}


def test_equal_rows_of_a_group_count_once():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    repeated = best_of_halvings(
        [STUMP],
        np.repeat(X, 50, axis=0),
        np.repeat(y, 50),
        groups=np.repeat(np.arange(20), 50),
        random_state=0,
    )
    single = best_of_halvings([STUMP], X, y, random_state=0)
    assert repeated.bound >= single.bound > 0.4


def test_ties_go_to_the_smaller_tree():
    X, y = np.zeros((20, 1)), np.zeros(20)
    learners = [STUMP, ("none", DecisionTreeClassifier())]
    assert best_of_halvings(learners, X, y).candidates.best == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"learners": []}, "learners must not be empty"),
        ({"delta": 0.0}, "delta"),
        ({"n_halvings": 0}, "n_halvings"),
        ({"groups": [1] * 20}, "groups must be 4 at least"),
        ({"X": np.zeros((1, 1)), "y": [0]}, "n_samples = 1"),
        ({"X": np.zeros((19, 1))}, "inconsistent"),
    ],
)
def test_bad_input_is_named(changed, message):
    good = {"learners": [STUMP], "X": np.zeros((20, 1)), "y": np.arange(20) % 2}
    with pytest.raises(ValueError, match=message):
        best_of_halvings(**good | changed)


def test_two_rows_can_be_halved():
    found = best_of_halvings([STUMP], [[0], [1]], [0, 1], random_state=0)
    assert found.bound == 1
    assert found.candidates.n_examples.tolist() == [1, 1, 1, 1]


@given(st.integers(0, 40), st.integers(1, 40), st.floats(-50, 0))
def test_the_limit_of_a_mean_is_above_that_of_a_count(k, n, log_gamma):
    k = min(k, n)
    limit = bounded_mean_inversion(k / n, n, log_gamma)
    assert k / n <= limit <= 1
    assert limit >= binomial_tail_inversion(k, n, log_gamma) - 1e-9
    # closer to 1, a float does not hold 1 - limit to six digits
    if 0 < k < n and 0 < limit < 1 - 1e-8:
        q = k / n
        divergence = q * math.log(q / limit) + (1 - q) * math.log((1 - q) / (1 - limit))
        assert n * divergence == pytest.approx(-log_gamma, abs=1e-6)


@pytest.mark.parametrize("shape", [(0.05, 0.05), (1, 3), (5, 2)])
def test_the_limit_of_a_mean_holds(shape):
    rng = np.random.default_rng(0)
    mean = shape[0] / sum(shape)
    averages = rng.beta(*shape, size=(2000, 12)).mean(axis=1)
    broken = sum(bounded_mean_inversion(q, 12, math.log(0.1)) < mean for q in averages)
    assert broken <= 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((-0.1, 5, -1.0), "mean"), ((0.1, 0, -1.0), "n must be"), ((0.1, 5, 1.0), "log_gamma")],
)
def test_the_limit_of_a_mean_names_a_bad_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        bounded_mean_inversion(*arguments)


@pytest.mark.parametrize("n", [1, 30, 10**6])
def test_a_mean_is_its_own_limit_where_nothing_is_improbable(n):
    for q in np.linspace(0, 1, 201):
        assert q <= bounded_mean_inversion(q, n, 0.0) <= q + 1e-7  # the divergence is flat there
