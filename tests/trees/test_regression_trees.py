"""Trees that predict numbers: sums of y at the nodes, and what follows from them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import stump_tree
from oracles.prunings import all_prunings, leaves_of
from treebounds import ArrayTree
from treebounds.trees import (
    count_statistics,
    held_out_costs,
    squared_errors,
    weakest_link_sequence,
)
from trees.test_array_tree import array_trees

SUMS = [[3, 12, 74], [2, 4, 10], [1, 8, 64]]  # of y = 1, 3 on the left, 8 on the right


def number_stump(sums=SUMS, **more):
    return stump_tree(None, **{"target_sums": sums} | more)


@st.composite
def regression_trees(draw, max_leaves=9):
    """Random trees with the sums of random rows, and these rows."""
    shape = draw(array_trees(max_leaves=max_leaves))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (40, shape.n_features))
    y = rng.normal(3, 2, 40)
    empty = ArrayTree(
        children_left=shape.children_left,
        children_right=shape.children_right,
        feature=shape.feature,
        threshold=shape.threshold,
        n_features=shape.n_features,
        target_sums=np.zeros((shape.n_nodes, 3)),
    )
    return empty.with_statistics(count_statistics(empty, [(X, y)])), X, y


def rows_at(tree, X):
    """(n_nodes, n_rows) mask of the rows that reach each node."""
    at = np.zeros((tree.n_nodes, len(X)), dtype=bool)
    for row, leaf in enumerate(tree.apply(X)):
        node = leaf
        while node >= 0:
            at[node, row] = True
            node = tree.parents[node]
    return at


@given(regression_trees())
def test_costs_are_squared_differences_from_the_mean(example):
    tree, X, y = example
    for node, here in enumerate(rows_at(tree, X)):
        expected = np.var(y[here]) * here.sum() if here.any() else 0.0
        assert tree.leaf_costs[node] == pytest.approx(expected, abs=1e-9)


@given(regression_trees())
def test_values_are_means_of_the_rows(example):
    tree, X, y = example
    for node, here in enumerate(rows_at(tree, X)):
        if here.any():
            assert tree.leaf_values[node] == pytest.approx(y[here].mean())
        else:
            assert tree.leaf_values[node] == tree.leaf_values[tree.parents[node]]
    np.testing.assert_array_equal(tree.predict(X), tree.leaf_values[tree.apply(X)])


@pytest.mark.no_cover
@given(regression_trees(max_leaves=6), st.floats(0, 100))
def test_the_sequence_minimizes_squared_errors_over_all_prunings(example, price):
    tree, _, _ = example
    sequence = weakest_link_sequence(tree)
    member = sequence.step(price)
    best = min(
        sum(tree.leaf_costs[leaf] + price for leaf in leaves_of(tree, cut))
        for cut in all_prunings(tree)
    )
    value = sequence.costs[member] + price * sequence.n_leaves[member]
    assert value == pytest.approx(best)


@given(regression_trees(), st.integers(0, 40))
def test_batches_give_the_statistics_of_all_rows(example, cut):
    tree, X, y = example
    batches = [(X[:cut], y[:cut]), (X[cut:], y[cut:], np.ones(len(y) - cut))]
    np.testing.assert_allclose(
        count_statistics(tree, batches), tree.target_sums, rtol=1e-12, atol=1e-12
    )


def test_weights_count_as_repeated_rows():
    tree = number_stump()
    weighted = count_statistics(tree, [([[0.2], [0.7]], [3, 6], [2, 3])])
    repeated = count_statistics(tree, [([[0.2]] * 2 + [[0.7]] * 3, [3] * 2 + [6] * 3)])
    np.testing.assert_array_equal(weighted, repeated)


@given(regression_trees(), st.data())
def test_collapse_keeps_the_sums(example, data):
    tree, _, _ = example
    cut = data.draw(st.sets(st.integers(0, tree.n_nodes - 1)))
    collapsed = tree.collapse(cut)
    np.testing.assert_array_equal(
        collapsed.target_sums, tree.target_sums[tree.kept_nodes(cut)]
    )
    total = collapsed.leaf_costs[collapsed.is_leaf].sum()
    assert collapsed.subtree_costs[0] == pytest.approx(total)


@given(regression_trees())
def test_held_out_costs_are_measured_at_the_means_of_the_tree(example):
    tree, X, y = example
    new = y + 1.5
    costs = held_out_costs(tree, X, new)
    for node, here in enumerate(rows_at(tree, X)):
        expected = ((new[here] - tree.leaf_values[node]) ** 2).sum()
        assert costs[node] == pytest.approx(expected)


def test_held_out_costs_of_classes_are_errors():
    tree = stump_tree([[3, 4], [3, 0], [0, 4]])
    assert held_out_costs(tree, [[0.2], [0.7]], [1, 1], [2, 5]).tolist() == [0, 2, 0]


def test_a_regression_tree_is_a_value():
    tree = number_stump(feature_names=["age"])
    assert tree == number_stump(feature_names=["age"])
    assert tree != number_stump()
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert repr(tree) == (
        "<ArrayTree: n_leaves=2, height=1, is_regression=True, n_features=1>"
    )
    with pytest.raises(ValueError, match="read-only"):
        tree.target_sums[0] = 1


@pytest.mark.parametrize(
    "name", ["n_classes", "labels", "leaf_errors", "subtree_errors"]
)
def test_what_only_classes_have_is_refused(name):
    with pytest.raises(AttributeError, match=f"{name}: the tree predicts numbers"):
        getattr(number_stump(), name)


def test_values_belong_to_numbers():
    with pytest.raises(AttributeError, match="leaf_values: the tree predicts classes"):
        _ = stump_tree([[3, 4], [3, 0], [0, 4]]).leaf_values


def test_a_tree_without_examples_predicts_nothing():
    empty = number_stump(np.zeros((3, 3)))
    assert np.isnan(empty.predict([[0.2]])).all()


def test_rounding_does_not_make_a_cost_negative():
    y = np.full(7, 0.1)
    sums = np.array([[7, y.sum(), (y**2).sum()]])
    assert squared_errors(sums)[0] >= 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target_sums": None}, "class_counts or target_sums must be given"),
        ({"class_counts": [[1], [1], [0]]}, "class_counts or target_sums must be"),
        ({"target_sums": [[3, 12], [2, 4], [1, 8]]}, "must have three columns"),
        ({"target_sums": [3, 2, 1]}, "target_sums must have shape"),
        (
            {"target_sums": [[3, 12, 74], [2, 4, 10], [1, 8, 60]]},
            "possible|no examples",
        ),
        ({"target_sums": [[3, 12, 74], [2, 4, 9], [1, 8, 64]]}, "of node 0 are not"),
        ({"target_sums": [[3, 12, np.inf]] * 3}, "target_sums must be finite"),
        ({"target_sums": [[1, 4, 74], [2, 4, 10], [-1, 0, 64]]}, "node 2: no examples"),
        ({"target_sums": [[3, 12, 74], [3, 12, 83], [0, 0, -9]]}, "node 2: no exampl"),
        ({"classes": ["a"]}, "classes must be None: the tree predicts numbers"),
        ({"feature_names": ["a", "b"]}, "feature_names must be 1 different names"),
        ({"feature_names": [3]}, "feature_names must be words"),
        ({"category_names": {1: ["a"]}}, "category_names: feature must be from 0 to 0"),
        ({"category_names": {0: ["a", "a"]}}, "feature 0 must be different"),
    ],
)
def test_bad_sums_and_names(change, message):
    with pytest.raises(ValueError, match=message):
        number_stump(**change)


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (([[0.2]], ["a"]), "y must hold finite numbers"),
        (([[0.2]], [np.nan]), "y must hold finite numbers .* nan"),
        (([[0.2]], [1e200]), r"y must hold finite numbers .* 1e\+200"),
        (([[0.2]], [1, 2]), "y must have one number for each of the 1 rows"),
        (([[0.2]], [1], [-1]), "sample_weight must hold numbers"),
        (([[0.2]], [1], [1, 2]), "sample_weight must have one number per row"),
        (([[0.2]],), "batches must hold pairs"),
    ],
)
def test_bad_batches(batch, message):
    with pytest.raises(ValueError, match=message):
        count_statistics(number_stump(), [batch])


def test_numbers_have_no_number_of_classes():
    with pytest.raises(ValueError, match="n_classes must be None"):
        count_statistics(number_stump(), [], n_classes=2)
