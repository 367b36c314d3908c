"""Occam's bound against the list of all prunings."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from oracles.certificates import prunings
from treebounds.formats import from_sklearn
from treebounds.risk import binomial_tail_inversion
from treebounds.risk.occam import log_pruning_prior, occam_bounds
from treebounds.trees.counting import held_out_errors


@pytest.fixture(scope="module", params=range(4))
def judged(request):
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(request.param).permutation(len(y))
    grown = order[:280]
    rest = order[280:]
    tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(
        X[grown], y[grown]
    )
    tree = from_sklearn(tree)
    return tree, held_out_errors(tree, X[rest], y[rest]), len(rest)


def test_the_prior_sums_to_one(judged):
    tree, _, _ = judged
    weights = []
    for leaves, priced in prunings(tree):
        nodes = [leaf for leaf in leaves if not tree.is_leaf[leaf]]
        weights.append(math.exp(log_pruning_prior(tree, np.array(nodes, dtype=int))))
        assert weights[-1] == pytest.approx(2.0**-priced)
    assert sum(weights) == pytest.approx(1)


def test_the_path_holds_the_best_of_all_prunings_or_nearly(judged):
    tree, errors, m = judged
    sequence, bounds = occam_bounds(tree, errors, m, delta=0.1)
    every = [
        binomial_tail_inversion(
            round(errors[list(leaves)].sum()), m, math.log(0.1) - priced * math.log(2)
        )
        for leaves, priced in prunings(tree)
    ]
    assert min(every) - 1e-12 <= bounds.min() <= min(every) + 0.01
    assert len(bounds) == len(sequence.n_leaves)
