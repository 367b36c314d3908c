"""The mixture over prunings against the list of all prunings."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from oracles import certificates as oracle
from treebounds.risk.pac_bayes import (
    gibbs_posterior,
    kl_inversion,
    log_pruning_prior,
    occam_bound,
    pac_bayes_bound,
)
from treebounds.risk.tail_inversion import binomial_tail_inversion
from treebounds.trees import ArrayTree


def grown(seed, leaves=8, n_examples=60):
    """A tree grown on one half, the errors of its nodes on the other, and that other half."""
    X, y = make_classification(n_examples, 4, n_informative=3, n_redundant=0, flip_y=0.3, random_state=seed)
    half = n_examples // 2
    fitted = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=seed).fit(X[:half], y[:half])
    tree, X, y = ArrayTree.from_sklearn(fitted), X[half:], y[half:]
    leaf = tree.apply(X)
    counts = np.array([tree.subtree_sums(np.bincount(leaf[y == c], minlength=tree.n_nodes)) for c in (0, 1)])
    return tree, counts.sum(axis=0) - counts[tree.labels, np.arange(tree.n_nodes)], X, y


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0, 7.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_recursion_equals_the_list_of_prunings(seed, beta):
    tree, errors, X, _ = grown(seed)
    prior, posterior, _, expected, divergence = oracle.gibbs_posterior(tree, errors, beta)
    mixture = gibbs_posterior(tree, errors, beta)
    assert prior.sum() == pytest.approx(1)
    assert mixture.errors == pytest.approx(expected)
    assert mixture.divergence == pytest.approx(divergence, abs=1e-12)
    votes = np.zeros((len(X), 2))
    for (leaves, _), weight in zip(oracle.prunings(tree), posterior, strict=True):
        predicted = tree.collapse([leaf for leaf in leaves if not tree.is_leaf[leaf]]).predict(X)
        votes[np.arange(len(X)), predicted] += weight
    assert np.allclose(mixture.predict_proba(X), votes)


@pytest.mark.parametrize("seed", range(3))
def test_the_expected_errors_are_those_of_the_votes(seed):
    tree, errors, X, y = grown(seed)
    mixture = gibbs_posterior(tree, errors, 0.5)
    assert mixture.errors == pytest.approx((1 - mixture.predict_proba(X)[np.arange(len(y)), y]).sum())


def test_priors_of_single_prunings():
    tree, _, _, _ = grown(1)
    for leaves, decisions in oracle.prunings(tree):
        cut = [leaf for leaf in leaves if not tree.is_leaf[leaf]]
        assert log_pruning_prior(tree, cut) == pytest.approx(-decisions * math.log(2))


@pytest.mark.parametrize("seed", range(6))
def test_occam_finds_the_best_of_all_prunings(seed):
    tree, errors, X, y = grown(seed, leaves=9, n_examples=200)
    best = min(
        binomial_tail_inversion(
            round(sum(errors[leaf] for leaf in leaves)), len(y), math.log(0.05) - decisions * math.log(2)
        )
        for leaves, decisions in oracle.prunings(tree)
    )
    value, nodes = occam_bound(tree, errors, len(y))
    assert value == pytest.approx(best)
    wrong = int((tree.collapse(nodes).predict(X) != y).sum())
    prior = math.log(0.05) + log_pruning_prior(tree, nodes)
    assert value == binomial_tail_inversion(wrong, len(y), prior)


def test_pac_bayes_is_the_smallest_over_the_temperature():
    tree, errors, _, y = grown(3, n_examples=400)
    value, mixture = pac_bayes_bound(tree, errors, len(y))
    price = math.log(2 * math.sqrt(len(y)) / 0.05)
    others = [gibbs_posterior(tree, errors, beta) for beta in np.geomspace(0.01, 50, 60)]
    values = [kl_inversion(o.errors / len(y), (o.divergence + price) / len(y)) for o in others]
    assert value <= min(values) + 1e-4
    assert value >= mixture.errors / len(y)


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 700))
def test_kl_inversion(q, c):
    p = kl_inversion(q, c)
    assert q <= p <= 1
    if 1e-6 < q < p < 1 - 1e-6:
        divergence = q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p))
        assert divergence == pytest.approx(c, rel=1e-6, abs=1e-9)


def test_a_leaf_has_one_pruning():
    leaf = ArrayTree([-1], [-1], [0], [0.0], [[3, 4]], 1)
    mixture = gibbs_posterior(leaf, [3], 1.0)
    assert (mixture.errors, mixture.divergence) == (3, 0)
    assert occam_bound(leaf, [3], 7)[0] == binomial_tail_inversion(3, 7, math.log(0.05))


def test_small_samples_are_refused():
    leaf = ArrayTree([-1], [-1], [0], [0.0], [[3, 4]], 1)
    with pytest.raises(ValueError, match="n_examples"):
        pac_bayes_bound(leaf, [3], 7)
