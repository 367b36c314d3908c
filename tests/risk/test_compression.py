"""Certificates of trees that are rebuilt from some examples and a message."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from builders import stump_tree
from oracles.messages import decode_message
from risk.test_message import grown, sample
from treebounds.risk.compression import (
    compress_tree,
    message_candidates,
    message_length,
)
from treebounds.risk.tail_inversion import binomial_tail_inversion


def nested(tree, node=0):
    """A tree as nested tuples (feature, threshold, left, right) and labels."""
    if tree.is_leaf[node]:
        return int(tree.labels[node])
    left, right = (
        nested(tree, int(child[node]))
        for child in (tree.children_left, tree.children_right)
    )
    return int(tree.feature[node]), float(tree.threshold[node]), left, right


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    m=st.integers(2, 80),
    l=st.integers(1, 4),
    n=st.integers(1, 4),
    levels=st.sampled_from([None, 2, 3, 7]),
    leaves=st.integers(2, 30),
)
def test_the_decoder_rebuilds_the_certified_tree(seed, m, l, n, levels, leaves):
    X, y = sample(seed, m, l, n, levels)
    classes, y = np.unique(y, return_inverse=True)
    tree = grown(X, y, max_leaf_nodes=leaves)
    compression = compress_tree(tree, X, y, len(classes))
    # Nothing but these rows, their classes and the message reaches the decoder.
    rows = compression.examples
    decoded, nats = decode_message(
        X[rows].copy(), y[rows].copy(), compression.message, len(classes)
    )
    assert decoded == nested(compression.tree)
    assert np.array_equal(compression.tree.predict(X), tree.predict(X))
    N = compression.tree.n_leaves - 1
    assert len(compression.examples) == N
    assert message_length(m, N, nats) == pytest.approx(compression.length)
    wrong = tree.predict(X) != y
    assert compression.n_errors == np.delete(wrong, compression.examples).sum()
    log_gamma = math.log(0.05) - compression.length
    assert compression.value == binomial_tail_inversion(
        compression.n_errors, m - len(compression.examples), log_gamma
    )
    assert compress_tree(compression.tree, X, y, len(classes)).tree == compression.tree


def test_the_weights_of_compression_sets_sum_to_one():
    m = 6
    for N in range(m):
        sets = len(list(combinations(range(m), N)))
        assert sets * math.exp(-message_length(m, N, 0.0)) == pytest.approx(
            6 / math.pi**2 / (N + 1) ** 2
        )
    with pytest.raises(
        ValueError, match="n_examples must be an integer of at least 3; got 2"
    ):
        message_length(2, 3, 0.0)


def test_candidates_are_the_prunings_from_the_root_to_the_whole_tree():
    X, y = load_iris(return_X_y=True)
    tree = grown(X, y, max_leaf_nodes=3)
    assert [
        message.tree.n_leaves
        for message in message_candidates(tree, X.astype(np.float32), y)
    ] == [1, 2, 3]


def test_delta_is_checked_before_anything_is_compressed():
    X, y = load_iris(return_X_y=True)
    tree = grown(X, y, max_leaf_nodes=3)
    with pytest.raises(ValueError, match="delta must be a number"):
        message_candidates(tree, X.astype(np.float32), y, delta=0)


def test_a_tree_of_other_data_is_refused():
    X, y = load_iris(return_X_y=True)
    tree = grown(X, y, max_leaf_nodes=3)
    with pytest.raises(ValueError, match="sends all examples to one side"):
        compress_tree(tree, X[:50].astype(np.float32), y[:50], 3)


def test_splits_by_categories_are_refused():
    counts = [[2, 2], [2, 0], [0, 2]]
    tree = stump_tree(counts, threshold=[0, 0, 0], left_categories={0: [0]})
    with pytest.raises(ValueError, match="tree must split by thresholds"):
        compress_tree(
            tree, np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1]), 2
        )
