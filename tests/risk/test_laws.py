"""Laws of all certificates: what changes no limit, and in which direction the others
move it.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds import certify
from treebounds.exceptions import MovedThresholdsWarning
from treebounds.formats import from_sklearn, to_sklearn
from treebounds.risk import (
    CertificateTable,
    certify_by_growth,
    certify_by_message,
    certify_prunings,
)
from treebounds.risk.growth_bounds import GHOSTS_PER_EXAMPLE, growth_bound

RNG = np.random.default_rng(0)
X_GROWN = RNG.normal(size=(200, 3))
CODES = np.digitize(X_GROWN[:, 0] + X_GROWN[:, 1] ** 2, [0.3, 1.2])
NUMBERS = X_GROWN[:, 0] + RNG.normal(size=200)
NAMES = np.array(["low", "mid", "high"])
CLASSIFIER = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0)
CLASSIFIER.fit(X_GROWN, CODES)
REGRESSOR = DecisionTreeRegressor(max_leaf_nodes=6, random_state=0)
REGRESSOR.fit(X_GROWN, NUMBERS)

OF_CLASSES = {
    "errors": {},
    "one cost": {"cost": [3, 3, 3]},
    "two costs": {"cost": [1, 10, 10]},
    "many costs": {"cost": [[0, 1, 2], [3, 0, 4], [5, 6, 0]]},
}
OF_NUMBERS = {"tolerance": {"tolerance": 1.0}, "coverage": {"coverage": 0.8}}
QUESTIONS = OF_CLASSES | OF_NUMBERS
# Betting depends on the order of the rows, and two costs are ordered by a sum of limits
# that depends on delta and on the number of cases.
IN_ANY_ORDER = [name for name in QUESTIONS if name != "many costs"]
MONOTONE = [name for name in IN_ANY_ORDER if name != "two costs"]
FEW = settings(max_examples=8)


@st.composite
def samples(draw):
    """New rows, and for each question the answers, of which some are wrong."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(draw(st.integers(45, 90)), 3))
    wrong = rng.uniform(size=len(X)) < draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    codes = (CLASSIFIER.predict(X) + wrong * rng.integers(1, 3, len(X))) % 3
    numbers = REGRESSOR.predict(X) + rng.normal(size=len(X)) * np.where(wrong, 3, 0.5)
    return X, {**dict.fromkeys(OF_CLASSES, codes), **dict.fromkeys(OF_NUMBERS, numbers)}


def model_for(question):
    return CLASSIFIER if question in OF_CLASSES else REGRESSOR


def certified(question, X, y, model=None, **more):
    return certify(model or model_for(question), X, y, **QUESTIONS[question] | more)


def limits(result):
    """The limits of all cases and of the parts that have enough cases for one."""
    parts = {"all": result}
    if isinstance(result, CertificateTable):
        parts = dict(result) | {"all": result.whole}
    return {part: each.limit for part, each in parts.items() if each is not None}


def pairs(before, after):
    """The limits of the parts that have one both times."""
    return [(before[part], after[part]) for part in before.keys() & after.keys()]


def ways(question):
    """The forms of certificates that answer a question, for a number of rows."""
    forms = [lambda n: {}, lambda n: {"groups": np.arange(n) % 15}]
    forms += [lambda n: {"by": "leaf"}, lambda n: {"by": np.arange(n) % 3}]
    if question == "errors":
        forms.append(lambda n: {"by": "class"})
    return forms


def with_columns(tree, order):
    """The tree for rows whose columns are in another order."""
    places = np.argsort(order)
    feature = np.where(tree.is_leaf, -2, places[tree.feature])
    return replace(tree, feature=feature)


# ---- What changes nothing ------------------------------------------------------------


@pytest.mark.parametrize("question", IN_ANY_ORDER)
@FEW
@given(samples(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_limit(question, sample, random):
    X, answers = sample
    y = answers[question]
    order = random.sample(range(len(X)), len(X))
    for way in ways(question):
        before = way(len(X))
        after = {
            name: value if isinstance(value, str) else value[order]
            for name, value in before.items()
        }
        expected = limits(certified(question, X, y, **before))
        found = limits(certified(question, X[order], y[order], **after))
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("question", QUESTIONS)
@FEW
@given(samples(), st.permutations(range(3)))
def test_the_order_of_columns_changes_no_limit(question, sample, order):
    X, answers = sample
    y = answers[question]
    tree = from_sklearn(model_for(question))
    moved = with_columns(tree, order)
    for way in ways(question):
        more = way(len(X))
        expected = limits(certified(question, X, y, tree, **more))
        assert limits(certified(question, X[:, order], y, moved, **more)) == expected


@pytest.mark.parametrize("question", OF_CLASSES)
@FEW
@given(samples())
def test_the_names_of_classes_change_no_limit(question, sample):
    X, answers = sample
    codes = answers[question]
    named = clone(CLASSIFIER).fit(X_GROWN, NAMES[CODES])
    order = np.argsort(NAMES)
    more = {}
    if question != "errors":
        cost = np.array(QUESTIONS[question]["cost"])
        more["cost"] = cost[order] if cost.ndim == 1 else cost[np.ix_(order, order)]
    expected = certified(question, X, codes)
    assert certified(question, X, NAMES[codes], named, **more).limit == expected.limit
    if question == "errors":
        expected = limits(certified(question, X, codes, by="class"))
        found = limits(certified(question, X, NAMES[codes], named, by="class"))
        assert found == {NAMES[i]: expected[i] for i in expected}


@pytest.mark.parametrize("question", OF_NUMBERS)
@FEW
@given(samples(), st.integers(-300, 300))
def test_the_unit_of_y_changes_a_tolerance_by_that_unit_only(question, sample, power):
    X, answers = sample
    y = answers[question]
    unit = 2.0**power
    tree = from_sklearn(REGRESSOR)
    scaled = replace(tree, target_sums=tree.target_sums * [1, unit, unit**2])
    more = {"tolerance": unit} if question == "tolerance" else {}
    factor = unit if question == "coverage" else 1.0
    for way in ways(question):
        before = limits(certified(question, X, y, tree, **way(len(X))))
        after = limits(certified(question, X, unit * y, scaled, **way(len(X)), **more))
        expected = {part: factor * limit for part, limit in before.items()}
        assert after == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("question", ["one cost", "two costs", "many costs"])
@FEW
@given(samples(), st.integers(-900, 300))
def test_the_unit_of_costs_changes_a_limit_by_that_unit_only(question, sample, power):
    X, answers = sample
    y = answers[question]
    unit = 2.0**power
    cost = unit * np.array(QUESTIONS[question]["cost"])
    for way in ways(question):
        before = limits(certified(question, X, y, **way(len(X))))
        after = limits(certified(question, X, y, cost=cost, **way(len(X))))
        expected = {part: unit * limit for part, limit in before.items()}
        assert after == pytest.approx(expected, rel=1e-9, abs=0)


def of_a_tree(theorem, tree, X, y):
    """The certificate of a theorem about trees, for the rows that it was grown on or
    for others.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MovedThresholdsWarning)
        certificate = theorem(tree, X, y)
    return certificate.value, certificate.n_errors, certificate.n_leaves


@pytest.mark.parametrize("theorem", [certify_by_message, certify_by_growth])
@FEW
@given(st.permutations(range(200)), st.permutations(range(3)))
def test_order_and_names_change_no_certificate_of_a_grown_tree(theorem, rows, columns):
    expected = of_a_tree(theorem, CLASSIFIER, X_GROWN, CODES)
    assert of_a_tree(theorem, CLASSIFIER, X_GROWN[rows], CODES[rows]) == expected

    moved = to_sklearn(with_columns(from_sklearn(CLASSIFIER), columns))
    assert of_a_tree(theorem, moved, X_GROWN[:, columns], CODES) == expected

    named = clone(CLASSIFIER).fit(X_GROWN, NAMES[CODES])
    assert of_a_tree(theorem, named, X_GROWN, NAMES[CODES]) == expected


@FEW
@given(samples(), st.permutations(range(3)), st.randoms(use_true_random=False))
def test_order_changes_no_certificate_of_prunings(sample, columns, random):
    X, answers = sample
    y = answers["errors"]
    expected = of_a_tree(certify_prunings, CLASSIFIER, X, y)
    rows = random.sample(range(len(X)), len(X))
    assert of_a_tree(certify_prunings, CLASSIFIER, X[rows], y[rows]) == expected

    moved = to_sklearn(with_columns(from_sklearn(CLASSIFIER), columns))
    assert of_a_tree(certify_prunings, moved, X[:, columns], y) == expected


# ---- What moves a limit in one direction ---------------------------------------------


@pytest.mark.parametrize("question", MONOTONE)
@FEW
@given(samples())
def test_a_smaller_delta_gives_no_smaller_limit(question, sample):
    X, answers = sample
    y = answers[question]
    for way in ways(question):
        more = way(len(X))
        before = limits(certified(question, X, y, delta=0.2, **more))
        after = limits(certified(question, X, y, delta=0.1, **more))
        assert all(old <= new for old, new in pairs(before, after))


@pytest.mark.parametrize("question", MONOTONE)
@FEW
@given(samples())
def test_one_more_right_row_gives_no_larger_limit(question, sample):
    X, answers = sample
    y = answers[question]
    new = X[:1] + 1e-6
    X_more = np.vstack([X, new])
    y_more = np.append(y, model_for(question).predict(new))
    for way in ways(question):
        before = limits(certified(question, X, y, **way(len(X))))
        more = way(len(X) + 1)
        if "groups" in more:
            # The new row is a group of its own.
            more["groups"][-1] = 15
        after = limits(certified(question, X_more, y_more, **more))
        assert all(new <= old * (1 + 1e-12) for old, new in pairs(before, after))


@pytest.mark.parametrize("question", MONOTONE)
@FEW
@given(samples(), st.data())
def test_one_more_error_gives_no_smaller_limit(question, sample, data):
    X, answers = sample
    y = answers[question].copy()
    row = data.draw(st.integers(0, len(X) - 1))
    unchanged = [limits(certified(question, X, y, **w(len(X)))) for w in ways(question)]
    predicted = model_for(question).predict(X[row : row + 1])[0]
    y[row] = (predicted + 1) % 3 if question in OF_CLASSES else predicted + 50
    # By class, another label makes the case one of another class.
    for way, before in zip(ways(question)[:4], unchanged, strict=False):
        after = limits(certified(question, X, y, **way(len(X))))
        assert all(new >= old * (1 - 1e-12) for old, new in pairs(before, after))


@pytest.mark.parametrize("question", IN_ANY_ORDER)
@FEW
@given(samples())
def test_limits_that_hold_together_are_no_smaller_than_one_alone(question, sample):
    X, answers = sample
    y = answers[question]
    by = np.arange(len(X)) % 3
    table = certified(question, X, y, by=by)
    assert table.whole.limit >= certified(question, X, y).limit * (1 - 1e-12)
    for label, certificate in table.items():
        if certificate is not None:
            part = by == label
            alone = certified(question, X[part], y[part]).limit
            assert certificate.limit >= alone * (1 - 1e-12)


@pytest.mark.parametrize("question", QUESTIONS)
@FEW
@given(samples(), st.floats(1e-12, 0.4))
def test_limits_are_at_least_0_and_at_most_the_largest_loss(question, sample, delta):
    X, answers = sample
    y = answers[question]
    largest = {"one cost": 3, "two costs": 10, "many costs": 6}.get(question, 1.0)
    if question == "coverage":
        largest = np.abs(y - REGRESSOR.predict(X)).max()
        delta = max(delta, 0.1)
    for way in ways(question):
        found = limits(certified(question, X, y, delta=delta, **way(len(X))))
        assert all(0 <= limit <= largest for limit in found.values())


@FEW
@given(samples(), st.floats(0.001, 0.2))
def test_intervals_hold_what_was_observed_and_narrow_as_delta_grows(sample, delta):
    X, answers = sample
    table = certified("errors", X, answers["errors"], by=np.arange(len(X)) % 3)
    wide, narrow = (table.intervals(delta=level) for level in (delta, 2 * delta))
    shares = np.array([part.n_examples for part in table.parts]) / len(X)
    right = np.array([1 - part.n_errors / part.n_examples for part in table.parts])
    for name, observed in (("share", shares), ("right", right)):
        ends = [
            np.zeros(3),
            wide[f"{name}_low"],
            narrow[f"{name}_low"],
            observed,
            narrow[f"{name}_high"],
            wide[f"{name}_high"],
            np.ones(3),
        ]
        assert (np.diff(ends, axis=0) >= 0).all()


# ---- Bounds from growth functions ----------------------------------------------------


@given(
    st.integers(1, 12),
    st.integers(1, 3000),
    st.integers(0, 3000),
    st.integers(2, 5),
    st.integers(1, 40),
)
def test_the_growth_bound_rises_with_all_but_examples_and_delta(L, m, k, n, l):
    m = max(m, 2 * L)  # growth functions are capped where leaves are as many
    k = min(k, m - 1)
    value = growth_bound(L, m, k, n, l)
    assert value <= growth_bound(L, m, k + 1, n, l)
    assert value <= growth_bound(L + 1, m, k, n, l)
    assert value <= growth_bound(L, m, k, n + 1, l)
    assert value <= growth_bound(L, m, k, n, l + 1)
    assert value <= growth_bound(L, m, k, n, l, delta=0.01)
    # Errors on the ghosts are whole numbers.
    one_ghost = 1 / (GHOSTS_PER_EXAMPLE * m)
    assert growth_bound(L, m + 1, k, n, l) <= value + one_ghost
