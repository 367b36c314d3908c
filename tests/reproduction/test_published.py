import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from oracles import published_protocol as oracle
from oracles.prunings import all_prunings, leaves_of
from reproduction.growing import grow_tree
from reproduction.published import Judged, published_cost_complexity, smallest_errors
from treebounds.trees.counting import (
    count_classes,
    errors_where_reached,
    held_out_errors,
)


def random_sample(seed, m=40, n_features=3, n_classes=3, n_values=6):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (m, n_features)).astype(float)
    return X, np.where(
        rng.random(m) < 0.6,
        X[:, 0].astype(int) % n_classes,
        rng.integers(0, n_classes, m),
    )


def fold_trees(X, y, n_classes, max_leaf_nodes, n_folds):
    for train, test in KFold(n_folds).split(X):
        tree = grow_tree(
            X[train], y[train], max_leaf_nodes=max_leaf_nodes, n_classes=n_classes
        )
        yield Judged(tree, count_classes(tree, [(X[test], y[test])]))


@pytest.mark.parametrize("complexity", ["leaves", "growth"])
@pytest.mark.parametrize("max_leaf_nodes", [2, 5, 30])
def test_published_procedure_is_the_transcription(complexity, max_leaf_nodes):
    for seed in range(6):
        X, y = random_sample(seed)
        tree = grow_tree(X, y, max_leaf_nodes=max_leaf_nodes, n_classes=3)
        cut = published_cost_complexity(
            tree, list(fold_trees(X, y, 3, max_leaf_nodes, 5)), complexity
        )
        expected, _ = oracle.published_cart(
            X, y, 3, max_leaf_nodes, 5, modified=complexity == "growth"
        )
        pruned = tree.collapse(cut)
        assert pruned.n_leaves == oracle.leaves(expected)
        assert pruned.predict(X).tolist() == [oracle.predict(expected, x) for x in X]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9))
def test_smallest_errors_are_those_of_all_prunings(seed, max_leaf_nodes):
    tree = grow_tree(*random_sample(seed), max_leaf_nodes=max_leaf_nodes)
    by_leaves = [np.inf] * tree.n_leaves
    for leaves in (leaves_of(tree, cut) for cut in all_prunings(tree)):
        errors = tree.leaf_errors[leaves].sum()
        by_leaves[len(leaves) - 1] = min(by_leaves[len(leaves) - 1], errors)
    assert smallest_errors(tree).tolist() == by_leaves


def test_held_out_errors_are_those_of_the_node_as_a_leaf():
    X, y = random_sample(1)
    X_new, y_new = random_sample(2)
    tree = grow_tree(X, y, max_leaf_nodes=8)
    weights = np.arange(len(y_new), dtype=float)
    errors = errors_where_reached(tree, tree.apply(X_new), y_new, weights)
    assert held_out_errors(tree, X_new, y_new)[0] == np.sum(y_new != tree.labels[0])

    for node in range(tree.n_nodes):
        pruned = tree.collapse([node])
        wrong = pruned.predict(X_new) != y_new
        at_node = pruned.apply(X_new) == np.flatnonzero(tree.kept_nodes([node]) == node)
        if node in tree.kept_nodes([node]):
            assert errors[node] == weights[wrong & at_node].sum()


def test_a_leaf_is_never_cut_and_folds_are_needed():
    X, y = random_sample(0)
    leaf = grow_tree(X, y, max_leaf_nodes=1)
    assert not published_cost_complexity(leaf, [Judged(leaf, np.zeros((1, 3)))]).any()
    with pytest.raises(ValueError, match="folds"):
        published_cost_complexity(leaf, [])
    with pytest.raises(ValueError, match="complexity"):
        published_cost_complexity(leaf, [Judged(leaf, np.zeros((1, 3)))], "depth")
