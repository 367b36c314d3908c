"""Certificates of a classifier's mean cost."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from treebounds import certify
from treebounds.risk import binomial_tail_inversion
from treebounds.risk.costs import betting_limit, mean_cost_limit, sums_of_limits


@pytest.fixture(scope="module")
def stump():
    """It predicts "yes" for 1 and "no" for 0."""
    return DecisionTreeClassifier(max_depth=1).fit([[0], [1]], ["no", "yes"])


@pytest.fixture(scope="module")
def sample():
    """40 cases; three of "yes" are missed, two of "no" are false alarms."""
    X = np.r_[np.zeros(25), np.ones(15)][:, np.newaxis]
    y = np.where(X[:, 0] == 1, "yes", "no")
    y[[0, 1, 2]] = "yes"
    y[[-1, -2]] = "no"
    return X, y


def observed(n_low, n_high, n=40, low=1.0, high=10.0):
    return np.r_[
        np.full(n_low, low), np.full(n_high, high), np.zeros(n - n_low - n_high)
    ]


@pytest.mark.parametrize(
    "cost",
    [
        {"yes": 10, "no": 1},
        [1, 10],
        [[0, 1], [10, 0]],
        pd.DataFrame([[0, 1], [10, 0]]),
        pd.Series([1, 10]),
    ],
    ids=["mapping", "vector", "matrix", "frame", "series"],
)
def test_two_kinds_of_cost_have_the_exact_limit(stump, sample, cost):
    certificate = certify(stump, *sample, cost=cost)
    expected = mean_cost_limit(observed(2, 3), [1, 10], delta=0.05)
    assert certificate.value == pytest.approx(expected)
    assert certificate.n_errors == 5
    assert certificate.largest_cost == 10
    assert "costs at most" in certificate.sentence


def test_one_kind_of_cost_is_a_share(stump, sample):
    certificate = certify(stump, *sample, cost=[3, 3])
    expected = 3 * binomial_tail_inversion(5, 40, math.log(0.05))
    assert certificate.value == pytest.approx(expected)


def test_right_predictions_may_cost_something(stump, sample):
    """To grant a loan costs something, too."""
    certificate = certify(stump, *sample, cost=[[0, 1], [10, 1]])
    expected = mean_cost_limit(observed(15, 3), [1, 10], delta=0.05)
    assert certificate.value == pytest.approx(expected)
    assert certificate.n_errors == 18


def test_weights_of_cases_are_bet_on_in_an_order_that_is_fixed(stump, sample):
    X, y = sample
    weights = np.linspace(0.5, 2.0, 40)
    certificate = certify(stump, X, y, cost=weights)
    losses = np.where(stump.predict(X) != y, weights, 0) / 2
    order = np.random.default_rng(0).permutation(40)
    expected = 2 * betting_limit(losses[order], delta=0.05)
    assert certificate.value == pytest.approx(expected)
    assert "larger" not in certificate.sentence
    assert any("the largest cost here, 2;" in text for text in certificate.assumptions)


def test_the_sentence_says_what_a_case_may_cost_at_most(stump, sample):
    weights = np.arange(1.0, 1 + len(sample[1]))
    by_case = certify(stump, *sample, cost=weights).sentence
    assert f"and if no new case costs more than {weights.max():g}." in by_case
    # The costs of kinds of errors are all known.
    assert "and if no new case" not in certify(stump, *sample, cost=[1, 10]).sentence


def test_parts_have_limits_that_hold_at_once(stump, sample):
    X, y = sample
    table = certify(stump, X, y, cost=[1, 10], by="leaf", min_rows=1, delta=0.06)
    expected = mean_cost_limit(observed(0, 3, n=25), [1, 10], delta=0.02)
    assert table[1].value == pytest.approx(expected)
    assert table.whole.n_examples == 40
    assert table.summary().endswith("with a limit below 5, half of the largest cost.")
    assert table.summary(5).endswith("with a limit below 5.")


def test_many_parts_have_the_sum_of_limits(stump):
    X = np.zeros((40 * 20, 1))
    y = np.where(np.arange(800) % 20 == 0, "yes", "no")
    parts = np.arange(800) // 20
    table = certify(stump, X, y, cost={"yes": 10, "no": 1}, by=parts)
    expected = sums_of_limits([observed(0, 1, n=20)], [1, 10], delta=0.05 / 41)
    assert table[7].value == pytest.approx(expected[0])


def test_groups_that_are_independent(stump, sample):
    certificate = certify(stump, *sample, cost=[1, 10], groups=np.arange(40) // 5)
    assert (certificate.n_groups, certificate.remark) == (8, "")
    assert 32 / 40 < certificate.value < 10


def test_batches_are_one_sample(stump, sample):
    X, y = sample
    batches = [(X[:10], y[:10]), (X[10:], y[10:])]
    assert certify(stump, batches, cost=[1, 10]) == certify(stump, X, y, cost=[1, 10])


def test_a_limit_of_the_largest_cost_promises_nothing(stump):
    certificate = certify(stump, [[0]], ["yes"], cost=[1, 10])
    assert certificate.value == 10
    assert "promises nothing" in certificate.sentence


def test_a_constant_that_costs_as_little_is_named(stump):
    X = np.ones((20, 1))
    y = np.array(["no"] * 20, dtype=object)
    X[0] = 0
    y[1] = "yes"
    remark = certify(stump, X, y, cost=[1, 1]).remark
    assert "no gain over always predicting 'no', which costs 0.05" in remark


def test_what_the_best_constant_costs_is_always_said(stump):
    X = (np.arange(40) < 20).astype(float)[:, np.newaxis]
    y = np.where(X[:, 0] > 0, "yes", "no")
    remark = certify(stump, X, y, cost={"yes": 4, "no": 1}).remark
    assert remark == "On these examples, always predicting 'yes' costs 0.5 on average."


@pytest.mark.parametrize(
    "cost",
    [
        pd.Series({"yes": 10, "no": 1}),
        pd.DataFrame({"yes": [0, 1], "no": [10, 0]}, index=["yes", "no"]),
        pd.Series([1, 10]),
    ],
)
def test_labels_of_pandas_say_which_class_a_cost_is_of(stump, sample, cost):
    assert certify(stump, *sample, cost=cost) == certify(stump, *sample, cost=[1, 10])


@pytest.mark.parametrize(
    ("cost", "is_named"),
    [
        ([1, 10], False),
        ([[0, 1], [10, 0]], False),
        (pd.DataFrame([[0, 1], [10, 0]]), False),
        (np.ones(40), True),
        ({"yes": 10, "no": 1}, True),
        (pd.Series([10, 1], index=["yes", "no"]), True),
    ],
    ids=["vector", "matrix", "frame", "by case", "dictionary", "series"],
)
def test_the_order_of_words_is_in_the_sentence(stump, sample, cost, is_named):
    sentence = certify(stump, *sample, cost=cost).sentence
    assert ("if the costs of 'no', 'yes', in this order, were" in sentence) != is_named
    numbers = DecisionTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1])
    labels = (sample[1] == "yes").astype(int)
    assert (
        "in this order" not in certify(numbers, sample[0], labels, cost=[1, 9]).sentence
    )


def test_labels_that_are_no_classes_are_named(stump, sample):
    with pytest.raises(ValueError, match="labelled by the classes"):
        certify(stump, *sample, cost=pd.Series({"yes": 10, "maybe": 1}))


@pytest.mark.no_cover
def test_it_holds_in_simulation():
    rng = np.random.default_rng(0)
    never = DummyClassifier(strategy="constant", constant=0).fit([[0], [0]], [0, 1])
    n_draws = 300
    delta = 0.1
    n_wrong = 0
    weights = np.array([0.0, 1.0, 4.0])
    for _ in range(n_draws):
        kind = rng.choice(3, size=50, p=[0.8, 0.15, 0.05])
        y = (kind > 0).astype(int)
        if not y.any():
            y[:] = 0
        cost = np.where(kind > 0, weights[kind], 4.0)
        certificate = certify(never, np.zeros((50, 1)), y, cost=cost, delta=delta)
        n_wrong += certificate.value < 0.35
    assert binomtest(n_wrong, n_draws, delta, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ({"yes": 1, "maybe": 2}, "cost must have a number for each of the classes"),
        ({"yes": 1}, "cost must have a number for each of the classes"),
        ({("yes", "no"): 5, ("no", "yes"): 1}, "Costs of pairs are a matrix or frame"),
        ([1, -2], "cost must hold numbers in"),
        ([1, math.nan], "cost must hold numbers in"),
        ([1, math.inf], "cost must hold numbers in"),
        ([1e300, 1e308], r"cost must hold numbers in \[0, 1e\+100\]"),
        ([0, 0], "cost must not be 0 for every error"),
        ([1, 2, 3], "cost must be a matrix"),
        (np.ones((2, 3)), "cost must be a matrix"),
        ("balanced", "cost must be a mapping with a number for each of the classes"),
        (2.0, "cost must be a matrix"),
    ],
)
def test_a_bad_cost_is_named(stump, sample, cost, message):
    with pytest.raises(ValueError, match=message):
        certify(stump, *sample, cost=cost)


@pytest.mark.parametrize("ratio", [1e-300, 1e-100, 1e-3, 0.9])
def test_the_unit_of_costs_is_that_of_the_limit(stump, sample, ratio):
    of_one = certify(stump, *sample, cost=[ratio, 1])
    largest = certify(stump, *sample, cost=[1e100 * ratio, 1e100])
    assert largest.value == pytest.approx(1e100 * of_one.value, rel=1e-9)


def test_an_unknown_class_has_no_cost(stump, sample):
    X, y = sample
    with pytest.raises(ValueError, match="y may have only the classes"):
        certify(stump, X, np.r_[y[:-1], ["who"]], cost=[1, 10])


def test_costs_by_class_are_not_certified_by_class(stump, sample):
    with pytest.raises(ValueError, match="by='class' is for the errors"):
        certify(stump, *sample, cost=[1, 10], by="class")
