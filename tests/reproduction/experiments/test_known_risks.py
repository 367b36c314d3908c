"""Laws for which the true risk of a tree is known."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from reproduction.experiments import known_risks


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_the_true_loss_is_the_mean_loss_of_many_cases(rng):
    tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0)
    tree.fit(*known_risks.draw(80, rng))
    X, y = known_risks.draw(200_000, rng)
    wrong = tree.predict(X) != y
    at = known_risks.pieces(tree, 0.3)
    is_left = at.middles[:, 0] < 0.3

    assert known_risks.true_loss(tree, at) == pytest.approx(wrong.mean(), abs=0.005)
    assert known_risks.true_loss(tree, at, is_left) == pytest.approx(
        wrong[X[:, 0] < 0.3].mean(), abs=0.005
    )
    assert known_risks.true_loss(tree, at, costs=known_risks.COSTS) == pytest.approx(
        (wrong * known_risks.COSTS[y]).mean(), abs=0.01
    )


def test_the_share_off_is_that_of_many_cases(rng):
    tree = DecisionTreeRegressor(max_leaf_nodes=6, random_state=0)
    tree.fit(*known_risks.draw_numbers(80, rng))
    X, y = known_risks.draw_numbers(200_000, rng)
    off = abs(tree.predict(X) - y) > 2
    assert known_risks.share_off(tree, 2) == pytest.approx(off.mean(), abs=0.005)


@pytest.mark.parametrize("name", [*known_risks.SETTINGS, *known_risks.NUMBERS])
def test_limits_hold_in_most_draws(name):
    setting = (known_risks.SETTINGS | known_risks.NUMBERS)[name]
    assert known_risks.is_kept(known_risks.n_failures(setting, 10), 10)


def test_chance_does_not_explain_failures_of_half_of_the_draws():
    assert known_risks.is_kept(70, 300)
    assert not known_risks.is_kept(150, 300)
