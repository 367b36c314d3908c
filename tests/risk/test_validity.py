"""Certificates fail with probability at most delta, where the risk is known."""

import warnings

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from treebounds import certify
from treebounds.risk import certify_by_growth, certify_by_message, certify_prunings
from treebounds.risk.halving import best_of_halvings

DELTA = 0.3
N_DRAWS = 150
# The probability of class 1 in each of the eight cells of three binary columns.
CELLS = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T.astype(float)
SHARES = np.array([0.1, 0.9, 0.3, 0.6, 0.5, 0.2, 0.8, 0.5])
LEARNER = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)


def sample(rng, n):
    """Independent rows: with eight cells nearly all of them repeat others."""
    cells = rng.integers(8, size=n)
    return CELLS[cells], (rng.random(n) < SHARES[cells]).astype(int)


def risk(tree):
    predicted = tree.predict(CELLS)
    return np.where(predicted == 1, 1 - SHARES, SHARES).mean()


def by_halves(rng, policy="refuse", n_copies=1):
    X, y = sample(rng, 40)
    if n_copies > 1:  # a column that tells cases apart, so that copies can be told
        X = np.column_stack([X, rng.random(len(y))])
    X = np.tile(X, (n_copies, 1))
    y = np.tile(y, n_copies)
    certificate = best_of_halvings(
        [("tree", OnCells() if n_copies > 1 else LEARNER)],
        X,
        y,
        delta=DELTA,
        n_halvings=1,
        duplicates=policy,
        random_state=int(rng.integers(2**31)),
    ).certificate
    return certificate


class OnCells(DecisionTreeClassifier):
    """A tree that looks at the first three columns only."""

    def __init__(self):
        super().__init__(max_leaf_nodes=4, random_state=0)

    def fit(self, X, y):
        return super().fit(X[:, :3], y)

    def predict(self, X):
        return super().predict(X[:, :3])


def by_test_set(rng):
    tree = clone(LEARNER).fit(*sample(rng, 40))
    return certify(tree, *sample(rng, 30), delta=DELTA)


def by_prunings(rng):
    tree = clone(LEARNER).fit(*sample(rng, 40))
    return certify_prunings(tree, *sample(rng, 30), delta=DELTA)


def by_growth(rng):
    X, y = sample(rng, 60)
    return certify_by_growth(clone(LEARNER).fit(X, y), X, y, delta=DELTA)


def by_message(rng):
    X, y = sample(rng, 60)
    with warnings.catch_warnings(action="ignore"):
        return certify_by_message(clone(LEARNER).fit(X, y), X, y, delta=DELTA)


def n_failures(method):
    rng = np.random.default_rng(0)
    certificates = [method(rng) for _ in range(N_DRAWS)]
    return sum(c.value < risk(c.estimator) for c in certificates)


def is_excessive(failures):
    return binom.sf(failures - 1, N_DRAWS, DELTA) < 0.001


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "method", [by_halves, by_test_set, by_prunings, by_growth, by_message]
)
def test_no_method_fails_too_often(method):
    assert not is_excessive(n_failures(method))


@pytest.mark.no_cover
def test_copies_that_are_kept_together_do_no_harm():
    failures = n_failures(lambda rng: by_halves(rng, "together", n_copies=4))
    assert not is_excessive(failures)


@pytest.mark.no_cover
def test_copies_that_are_ignored_do():
    failures = n_failures(lambda rng: by_halves(rng, "ignore", n_copies=8))
    assert is_excessive(failures)
