import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from builders import categorical, stump_tree
from oracles import plain_id3
from reproduction import description_length_bound
from reproduction.multiway.generic import description_length_estimate, generic_pruning
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.tree import MultiwayTree
from treebounds.formats import from_sklearn


def validation_error(X, y):
    X, y = np.array(X), np.array(y)
    return lambda edited, m: np.mean(edited.predict(X) != y)


@given(
    categorical((2, 3), (1, 4), (1, 40)),
    st.sampled_from(["description length", "validation", "leaves"]),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_equals_algorithm_2_step_by_step(sample, which, empty_branches):
    X, y, n_values, n_classes = sample
    half = max(len(X) // 2, 1)
    tree = grow_id3(X[:half], y[:half], n_values, n_classes, "entropy", empty_branches)
    m = half
    if which == "validation":
        held_out = X[half:] or X, y[half:] or y
        fast = validation_error(*held_out)

        def slow(nested):
            return plain_id3.errors(nested, *held_out) / len(held_out[0])

    elif which == "leaves":

        def fast(edited, m):
            return edited.n_errors / m + 0.03 * edited.n_leaves**1.5

        def slow(nested):
            leaves = plain_id3.n_leaves(nested)
            return plain_id3.errors(nested, X[:half], y[:half]) / m + 0.03 * leaves**1.5

    else:
        fast = description_length_estimate(len(n_values), n_classes)

        def slow(nested):
            error = plain_id3.errors(nested, X[:half], y[:half]) / m
            return description_length_bound(
                error, plain_id3.n_nodes(nested), len(n_values), m, 0.05, n_classes
            )

    pruned = generic_pruning(tree, X[:half], y[:half], fast)
    expected = plain_id3.generic_pruning(tree, n_classes, slow)
    kept_labels = pruned.to_tree(X[:half], y[:half], relabel=False)
    assert plain_id3.nested(kept_labels) == expected
    assert pruned.n_nodes == kept_labels.n_nodes
    assert pruned.n_errors == plain_id3.errors(expected, X[:half], y[:half])
    assert pruned.predict(X).tolist() == [plain_id3.predict(expected, row) for row in X]
    assert np.array_equal(kept_labels.predict(X), pruned.predict(X))
    relabelled = pruned.to_tree(X[:half], y[:half])
    assert (relabelled.predict(X[:half]) != y[:half]).sum() <= pruned.n_errors


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("which", ["description length", "validation", "leaves"])
def test_scikit_learns_trees(which, missing):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 4))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.5) ^ (rng.random(240) < 0.15)).astype(int)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    fitted = DecisionTreeClassifier(random_state=0).fit(X[:160], y[:160])
    tree = from_sklearn(fitted)
    estimate = {
        "description length": description_length_estimate(4),
        "validation": validation_error(X[160:], y[160:]),
        "leaves": lambda edited, m: (edited.n_errors + edited.n_leaves / 2) / m,
    }[which]
    pruned = generic_pruning(tree, X[:160], y[:160], estimate)
    small = pruned.to_tree(X[:160], y[:160])
    assert small.n_leaves == pruned.n_leaves < tree.n_leaves
    assert (
        pruned.n_errors
        == (pruned.predict(X[:160]) != y[:160]).sum()
        >= small.subtree_errors[0]
    )
    # without any change, the walk over the edited tree ends where scikit-learn's does
    as_before = generic_pruning(
        tree, X[:160], y[:160], lambda edited, m: edited.n_errors - edited.n_leaves
    )
    assert np.array_equal(as_before.predict(X), fitted.predict(X))
    assert as_before.to_tree(X[:160], y[:160]) == tree


def test_a_graft_routes_the_examples_anew():
    # the root tests feature 0, which is useless; below it, feature 1 separates the
    # classes
    X = np.array([[0, 0], [0, 1]] * 10 + [[1, 0], [1, 1]] * 10)
    y = X[:, 1].copy()
    counts = [[20, 20], [10, 10], [10, 10], [10, 0], [0, 10], [10, 0], [0, 10]]
    tree = MultiwayTree(
        [0, 1, 1, -1, -1, -1, -1],
        [-1, 0, 0, 1, 1, 2, 2],
        [-1, 0, 1, 0, 1, 0, 1],
        counts,
        [2, 2],
    )
    pruned = generic_pruning(tree, X, y, description_length_estimate(2)).to_tree(X, y)
    assert pruned.feature.tolist() == [1, -1, -1]
    assert pruned.class_counts.tolist() == [[20, 20], [20, 0], [0, 20]]


def test_majority_of_an_array_tree_needs_relabel():
    tree = stump_tree([[3, 4], [3, 0], [0, 4]])
    X, y = np.array([[0.0]] * 3 + [[1.0]] * 4), np.array([0] * 3 + [1] * 4)
    pruned = generic_pruning(tree, X, y, validation_error([[0.0], [1.0]], [0, 0]))
    assert pruned.predict(X).tolist() == [0] * 7
    with pytest.raises(ValueError, match="relabel"):
        pruned.to_tree(X, y, relabel=False)
    assert pruned.to_tree(X, y).labels.tolist() == [1]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0, 0]], [0, 1], "equally many rows"),
        (np.empty((0, 2)), [], "at least one"),
        ([[0]], [0], "X must have"),
    ],
)
def test_bad_input(X, y, message):
    tree = grow_id3([[0, 0], [1, 1]], [0, 1], [2, 2], 2)
    with pytest.raises(ValueError, match=message):
        generic_pruning(tree, X, y, description_length_estimate(2))
