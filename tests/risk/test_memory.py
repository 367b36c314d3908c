"""The record of the rows that made an estimator."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from builders import ESTIMATORS
from treebounds import certify, prune
from treebounds.risk.hashing import row_hashes
from treebounds.risk.memory import MOST, RowMemory


def test_a_memory_counts_the_smallest_hashes():
    X = np.random.default_rng(0).random((10_000, 3))
    memory = RowMemory.of(np.repeat(X, 2, axis=0), n_leading=0)
    smallest = np.sort(row_hashes(X) >> np.uint64(32))[:MOST]
    assert np.array_equal(memory.hashes, smallest)
    assert memory.counts.tolist() == [2] * MOST


def test_few_of_many_rows_are_different():
    X = np.arange(MOST + 10).repeat(np.where(np.arange(MOST + 10) < 5, 5000, 1))
    memory = RowMemory.of(X.reshape(-1, 1))
    assert len(memory.hashes) == MOST
    assert set(memory.counts.tolist()) <= {1, 5000}


def test_a_memory_is_small():
    X = np.random.default_rng(0).random((10_000, 3))
    assert len(pickle.dumps(RowMemory.of(X))) < 16_800
    assert RowMemory.of(X[:3000]).n_leading == 0


def test_memories_are_joined():
    X = np.random.default_rng(0).random((10_000, 3))
    whole, first, second = (
        RowMemory.of(part, n_leading=2) for part in (X, X[:4000], X[4000:])
    )
    assert np.array_equal(first.joined(second).hashes, whole.hashes)
    assert (first.joined(first).counts == 2).all()


def test_a_pickled_memory_is_a_plain_tuple():
    memory = RowMemory.of([[1.0], [2.0]])
    loaded = pickle.loads(pickle.dumps(memory))
    assert type(loaded) is tuple
    assert np.array_equal(RowMemory(*loaded).hashes, memory.hashes)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_rows_are_remembered_or_not(estimator):
    X, y = load_breast_cancer(return_X_y=True)
    model = clone(estimator).set_params(max_leaf_nodes=6).fit(X, y)
    assert len(model._row_memory_.hashes) == len(np.unique(row_hashes(X)))
    assert len(pickle.dumps(model)) < len(pickle.dumps(model.to_sklearn())) + 17_000
    with pytest.raises(ValueError, match="are among those that the model was grown"):
        certify(model, X[:300], y[:300])
    assert (
        certify(model.set_params(remember=False).fit(X, y), X[:300], y[:300]).n_compared
        == 0
    )


def test_a_pruned_copy_remembers_what_it_was_pruned_on():
    X, y = load_breast_cancer(return_X_y=True)
    pruned = prune(
        DecisionTreeClassifier(random_state=0).fit(X[:300], y[:300]),
        X[:300],
        y[:300],
        remember=True,
    )
    twice = prune(pruned, X[:300], y[:300])
    again = prune(pruned, X[300:], y[300:], rule="reduced-error")
    for model, start in ((pruned, 1), (twice, 250), (again, 0), (again, 300)):
        with pytest.raises(
            ValueError, match="are among those that the model was grown"
        ):
            certify(model, X[start : start + 199], y[start : start + 199])
