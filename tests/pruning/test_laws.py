"""A dearer leaf, or a less likely error, never makes a pruned tree larger."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds.formats import from_sklearn
from treebounds.pruning import BoundRule, CountedRule, LocalRule
from treebounds.pruning.rules import ErrorBasedRule, KearnsMansourRule, PriceRule

OF_CLASSES = {
    "price": lambda c: PriceRule(10 * c),
    "confidence": lambda c: ErrorBasedRule(1 - c),
    "penalty": lambda c: KearnsMansourRule(scale=c),
    "delta of the penalty": lambda c: KearnsMansourRule(0.1, delta=1 - c),
    "prior of errors": lambda c: BoundRule(error_prior_ratio=c),
    "delta of the bound": lambda c: BoundRule(delta=1 - c),
    "columns": lambda c: BoundRule(n_features=1 + round(1000 * c)),
}
OF_NUMBERS = {
    "price": lambda c: PriceRule(10 * c),
    "counted": lambda c: CountedRule(4 * c),
    # Where it explains much, the counted rule takes over, which may keep less.
    "local": lambda c: LocalRule(4 * c, explained=1.0),
}
strengths = st.floats(0.01, 0.99)


def kept(rule, tree):
    return set(tree.kept_nodes(rule.nodes(tree, tree.statistics)).tolist())


def noisy_rows(seed, m):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    return X, (X[:, 0] > 0) + X[:, 1] * (rng.uniform(size=m) < 0.3)


@pytest.mark.parametrize("name", OF_CLASSES)
@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(5, 150), strengths, strengths)
def test_classes(name, seed, m, first, second):
    X, numbers = noisy_rows(seed, m)
    tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, numbers > 0.5))
    weak, strong = map(OF_CLASSES[name], sorted([first, second]))
    assert kept(strong, tree) <= kept(weak, tree)


@pytest.mark.parametrize("name", OF_NUMBERS)
@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(5, 150), strengths, strengths)
def test_numbers(name, seed, m, first, second):
    tree = from_sklearn(DecisionTreeRegressor(random_state=0).fit(*noisy_rows(seed, m)))
    weak, strong = map(OF_NUMBERS[name], sorted([first, second]))
    assert kept(strong, tree) <= kept(weak, tree)
