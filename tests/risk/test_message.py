"""The messages of trees: their probabilities, and the examples of the nodes."""

import math
from itertools import product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from builders import stump_tree
from oracles.messages import decode_message
from treebounds.formats import from_sklearn
from treebounds.risk import message
from treebounds.risk.message import Message


def sample(seed, m=60, l=3, n=3, levels=None):
    """Random data; with ``levels``, features take few values, so that ties abound."""
    rng = np.random.default_rng(seed)
    X = rng.integers(levels, size=(m, l)) if levels else rng.normal(size=(m, l))
    return X.astype(np.float32), rng.integers(n, size=m)


def grown(X, y, **parameters):
    return from_sklearn(DecisionTreeClassifier(random_state=0, **parameters).fit(X, y))


@pytest.mark.parametrize(
    ("size", "l", "n", "levels"),
    [
        (0, 2, 3, None),
        (1, 2, 3, None),
        (2, 2, 2, None),
        (2, 2, 3, None),
        (2, 2, 2, 2),
        (3, 1, 2, None),
    ],
)
def test_the_probabilities_of_all_messages_sum_to_at_most_one(size, l, n, levels):
    """Kraft's inequality in sorted code, by trying every message on a random
    compression set.
    """
    X, y = sample(size, size, l, n, levels)
    names = range(size if levels else 1)  # Without ties there is one name.
    choices = [
        product(values, repeat=size)
        for values in (range(size), range(l), range(2), names)
    ]
    total = 0.0
    for *symbols, labels in product(*choices, product(range(n), repeat=size + 1)):
        try:
            _, nats = decode_message(X, y, Message(*symbols, labels), n)
        except (ValueError, IndexError):
            continue
        total += math.exp(-nats)
    assert 0 < total <= 1 + 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_as_few_right_sides_as_possible(seed):
    """All choices of one of its two examples for each node are tried."""
    X, y = sample(seed, 25, levels=[None, 5][seed % 2])
    tree = grown(X, y, max_leaf_nodes=9)
    inner = np.flatnonzero(~tree.is_leaf)
    ends = message._ends(tree, inner, X, np.ones(len(X), dtype=bool))
    distinct = [
        sum(sides)
        for sides in product(range(2), repeat=len(ends))
        if len({pair[side] for pair, side in zip(ends, sides, strict=True)})
        == len(ends)
    ]
    assert message._representatives(ends)[1].sum() == min(distinct)


def test_of_examples_that_tie_one_is_taken_that_the_tree_gets_right():
    """The label of its leaf then takes fewer nats."""
    tree = stump_tree([[2, 3], [2, 1], [0, 2]], threshold=[1.5, 0, 0])
    X = np.array([[1], [1], [1], [2], [2]], dtype=np.float32)
    encoded = message.encode(tree, X, np.array([1, 0, 0, 1, 1]), n_classes=2)
    assert encoded.holders.tolist() == [1]
