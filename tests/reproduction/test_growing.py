import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from oracles import published_protocol as oracle
from reproduction.growing import GROWTH_ORDERS, grow_tree


def random_sample(seed, m=30, n_features=3, n_classes=3, n_values=5):
    """Few distinct values, so that candidates tie often."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (m, n_features)) * rng.choice([0.1, 1.0, 7.0])
    return X, rng.integers(0, n_classes, m)


def as_nested(tree, node=0):
    counts = tree.class_counts[node].tolist()
    if tree.children_left[node] < 0:
        return counts

    below = [
        as_nested(tree, child[node])
        for child in (tree.children_left, tree.children_right)
    ]
    return [
        counts,
        int(tree.feature[node]),
        float(np.nextafter(tree.threshold[node], np.inf)),
        *below,
    ]


def oracle_as_nested(node):
    counts = node["counts"].tolist()
    if oracle.is_leaf(node):
        return counts
    below = [oracle_as_nested(node[side]) for side in ("left", "right")]
    return [counts, node["feature"], float(node["threshold"]), *below]


@pytest.mark.parametrize("growth_order", GROWTH_ORDERS)
@pytest.mark.parametrize("n_classes", [2, 3, 7, 8, 10, 17])
@pytest.mark.parametrize("max_leaf_nodes", [2, 6, 1000])
def test_equal_to_the_transcription_to_the_last_bit(
    growth_order, n_classes, max_leaf_nodes
):
    for seed in range(6):
        X, y = random_sample(seed, n_classes=n_classes, n_values=3 + seed)
        tree = grow_tree(
            X,
            y,
            max_leaf_nodes=max_leaf_nodes,
            growth_order=growth_order,
            n_classes=n_classes,
        )
        expected = oracle.grow(X, y, n_classes, max_leaf_nodes, growth_order)
        assert as_nested(tree) == oracle_as_nested(expected)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 4))
def test_laws(seed, max_leaf_nodes, n_features):
    X, y = random_sample(seed, n_features=n_features)
    small = grow_tree(X, y, max_leaf_nodes=max_leaf_nodes)
    large = grow_tree(X, y, max_leaf_nodes=max_leaf_nodes + 1)

    # Best-first: one more leaf allowed adds at most one split to the same tree.
    n = small.n_nodes
    assert large.n_nodes in (n, n + 2)
    assert np.array_equal(large.class_counts[:n], small.class_counts)
    reached = small.apply(X)

    for leaf in np.unique(reached):
        counts = np.bincount(y[reached == leaf], minlength=small.n_classes)
        assert np.array_equal(small.class_counts[leaf], counts)


def test_the_largest_decrease_is_scikit_learns_order():
    X, y = load_wine(return_X_y=True)
    X = X.astype(np.float32).astype(float)
    ours = grow_tree(X, y, max_leaf_nodes=5, growth_order="largest-decrease")
    theirs = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, y)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_values_that_are_close_are_not_separated():
    X = np.array([[1.0], [1.0 + 1e-6]])
    assert grow_tree(X, np.array([0, 1])).n_leaves == 1
    assert grow_tree(X * [[1.0], [1.1]], np.array([0, 1])).n_leaves == 2


def test_an_example_on_the_threshold_goes_right():
    tree = grow_tree(np.array([[1.0], [3.0]]), np.array([0, 1]))
    assert tree.predict(np.array([[2.0], [np.nextafter(2.0, 0)]])).tolist() == [1, 0]


def test_one_class_and_constant_features_give_a_leaf():
    assert grow_tree(np.arange(6.0).reshape(3, 2), np.zeros(3, int)).n_leaves == 1
    assert grow_tree(np.ones((4, 2)), np.array([0, 1, 0, 1])).n_leaves == 1
    assert grow_tree(np.ones((1, 1)), np.array([0])).n_leaves == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.ones(3)}, "X"),
        ({"X": np.empty((0, 2)), "y": np.array([], int)}, "X"),
        ({"X": np.array([[np.nan], [1.0], [2.0]])}, "X"),
        ({"y": np.array([0, 1])}, "y"),
        ({"y": np.array([0.0, 1.0, 0.0])}, "y"),
        ({"y": np.array([0, -1, 0])}, "y"),
        ({"n_classes": 1}, "n_classes"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes"),
        ({"growth_order": "depth-first"}, "growth_order"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"X": np.arange(3.0)[:, None], "y": np.array([0, 1, 0]), **change}
    with pytest.raises(ValueError, match=message):
        grow_tree(arguments.pop("X"), arguments.pop("y"), **arguments)
